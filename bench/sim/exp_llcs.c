// SPDX-License-Identifier: GPL-2.0-only
/*
 * From 4 to 240 CPUs per LLC, with the latencies of the machine
 *
 * Two sockets of about 240 CPUs each.  LLCs of more than 64 CPUs have as many equal
 * leaves as they need; their locked words stay on one line.
 */
#include "exp.h"

static const unsigned int sizes[] = { 4, 8, 16, 64, 112, 240 };

static void table(const struct options *o, u64 think)
{
	double global, llc, byte, nohz, all;
	unsigned int i, ops = 14;
	struct machine m;

	printf("\n%llu ns between two operations\n", (unsigned long long)(think / NS));
	printf("%8s %5s %5s | %9s %9s | %8s %8s %8s | %8s %8s %8s | %8s\n", "CPUs per", "LLCs",
	       "CPUs", "global", "llc", "byte", "nohz", "all", "llc/", "llc/", "llc/",
	       "global/");
	printf("%8s %5s %5s | %9s %9s | %8s %8s %8s | %8s %8s %8s | %8s\n", "LLC", "", "", "ns",
	       "ns", "ns", "ns", "ns", "byte", "nohz", "all", "nohz");
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		m = o->machine;
		m.sockets = 2;
		m.cores = sizes[i] / m.smt;
		m.llcs = 240 / sizes[i];
		global = op_time(&m, &form_global, BARRIER_NONE, think, ops, o->seed);
		llc = op_time(&m, &form_llc, BARRIER_NONE, think, ops, o->seed);
		byte = op_time(&m, &form_sbm, BARRIER_NONE, think, ops, o->seed);
		nohz = op_time(&m, &form_sbm, BARRIER_SET, think, ops, o->seed);
		all = op_time(&m, &form_sbm, BARRIER_ALL, think, ops, o->seed);
		printf("%8u %5u %5u | %9.0f %9.1f | %8.1f %8.1f %8.1f | "
		       "%8.2f %8.2f %8.2f | %8.0f\n",
		       sizes[i], machine_llcs(&m), machine_cpus(&m), global / NS, llc / NS,
		       byte / NS, nohz / NS, all / NS, llc / byte, llc / nohz, llc / all,
		       global / nohz);
	}
}

void exp_llcs(const struct options *o)
{
	printf("byte: sbm until the CPU can go on; nohz: with a barrier after each set; all: "
	       "with one after each operation\n");
	table(o, 0);
	table(o, 1 * US);
}
