// SPDX-License-Identifier: GPL-2.0-only
/*
 * What sets of CPUs cost on large machines: a simulator of cache coherence
 *
 * Virtual CPUs run lib/sbm.c and other forms of a set; each access to shared
 * memory goes through a model of caches, and virtual time decides who is next.
 * Times are nanoseconds of the simulated machine.  Results are as good as the
 * model: ratios and trends, not digits.  README.md says what it leaves out.
 *
 * usage: sim [-m MACHINE] [-s SEED] EXPERIMENT
 *
 *   -m MACHINE   machine file (default: machines/zen3.machine)
 *   -s SEED      of the random pauses (default: 1)
 *
 * Exit status 2: bad usage, a bad machine file, or no memory.
 */
#include <stdlib.h>
#include <unistd.h>

#include "exp.h"

static const struct {
	const char	*name;
	void		(*run)(const struct options *o);
	const char	*what;
} experiments[] = {
	{ "published", exp_published, "the published experiment" },
	{ "two-cores", exp_two_cores, "two cores, against what was measured" },
	{ "sensitivity", exp_sensitivity, "each latency halved and doubled" },
	{ "scale", exp_scale, "16 to 4,096 CPUs" },
	{ "llcs", exp_llcs, "4 to 240 CPUs per LLC" },
	{ "split", exp_split, "giant LLCs in one leaf or several" },
	{ "readers", exp_readers, "idle entry and exit, ticks and balancing at their rates" },
	{ "ticks", exp_ticks, "who looks at the set when ticks come at the same time" },
	{ "flags", exp_flags, "the line of the nohz flags" },
	{ "walk", exp_walk, "lines that a walk fetches" },
	{ "summary", exp_summary, "a byte for each leaf on top" },
	{ "cpupri", exp_cpupri, "priorities of CPUs: masks, or a byte for each CPU" },
};

#define NR_EXPERIMENTS	ARRAY_SIZE(experiments)

static void usage(void)
{
	size_t i;

	fprintf(stderr, "usage: sim [-m MACHINE] [-s SEED] EXPERIMENT\n");
	for (i = 0; i < NR_EXPERIMENTS; i++)
		fprintf(stderr, "  %-12s %s\n", experiments[i].name, experiments[i].what);
	exit(2);
}

int main(int argc, char **argv)
{
	const char *file = "machines/zen3.machine";
	struct options o = { .seed = 1 };
	size_t i;
	int opt;

	while ((opt = getopt(argc, argv, "m:s:")) != -1) {
		switch (opt) {
		case 'm':
			file = optarg;
			break;
		case 's':
			o.seed = strtoull(optarg, NULL, 0);
			break;
		default:
			usage();
		}
	}
	if (optind + 1 != argc)
		usage();

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < NR_EXPERIMENTS; i++) {
		if (strcmp(argv[optind], experiments[i].name))
			continue;
		machine_read(&o.machine, file);
		printf("machine %s: line %u bytes, %s; ns: own %.1f, locked %.1f, sibling %.1f, "
		       "llc %.0f, node %.0f, socket %.0f; seed %llu\n",
		       o.machine.name, o.machine.line,
		       o.machine.protocol == MESI ? "MESI" : "MOESI",
		       (double)o.machine.lat[DIST_OWN] / NS, (double)o.machine.locked / NS,
		       (double)o.machine.sibling / NS, (double)o.machine.lat[DIST_LLC] / NS,
		       (double)o.machine.lat[DIST_NODE] / NS,
		       (double)o.machine.lat[DIST_SOCKET] / NS, (unsigned long long)o.seed);
		experiments[i].run(&o);
		return 0;
	}
	usage();
}
