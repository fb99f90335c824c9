// SPDX-License-Identifier: GPL-2.0
/*
 * Cost of psi's task-count walk, by form, in user space
 *
 * Measures: ticks per call of each form in forms.h, as a function that is
 * not inlined, on: six fixed patterns; all 16 x 16 pairs of masks; random
 * mixes of the six; and streams recorded from a running kernel.
 *
 * Units: TSC ticks on x86-64 (constant rate, not core cycles; the ratio of
 * the two is measured and printed), nanoseconds elsewhere.
 *
 * Method: pinned to one CPU; see measure.h for the rounds and the warm-up,
 * trials.h for what is timed and how the work is guarded.
 *
 * Weak points: interrupts and, in a virtual machine, the host cannot be kept
 * out: trust the minimum, and the median only if it is near. Bodies are not
 * inlined, so a call and a return are in every figure: compare figures net
 * of the empty pattern (fixed) or of the form "none" (streams). One data
 * line that stays in L1. One machine's predictor.
 *
 * psi_bench --check	runs the self-check of check.h in place of all this
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shim.h"
#include "forms.h"
#include "trials.h"

typedef uint32_t u32;

#include "check.h"

#define MIX_STEPS	65536
#define MAX_STEPS	(1 << 20)

static inline u64 psi_ticks(void)
{
#ifdef __x86_64__
	u32 lo, hi;

	__asm__ __volatile__("lfence; rdtsc; lfence"
			     : "=a" (lo), "=d" (hi) : : "memory");

	return (u64)hi << 32 | lo;
#else
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);

	return (u64)ts.tv_sec * 1000000000 + ts.tv_nsec;
#endif
}

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

#define psi_quiet()	do { } while (0)
#define psi_unquiet()	do { } while (0)
#define psi_relax()	do { } while (0)
#define psi_div(a, b)	((a) / (b))
#define psi_sort(v, n)	qsort(v, n, sizeof(u64), compare_u64)
#define psi_out(...)	printf("psi_bench: " __VA_ARGS__)

#include "measure.h"

static void show(const char *what, const struct psi_outcome *o)
{
	unsigned int i;

	printf("  %s tasks=[%u %u %u %u] reports=%u", what, o->tasks[0],
	       o->tasks[1], o->tasks[2], o->tasks[3], o->reports);
	for (i = 0; i < o->reports && i < PSI_COUNTS; i++)
		printf(" (t=%d clear=%x set=%x)", o->report[i].t,
		       o->report[i].clear, o->report[i].set);
	printf("\n");
}

/* All modes of one form: one result each */
static unsigned int check_one(const char *name, psi_call_t call, bool verbose)
{
	struct psi_outcome want, got;
	unsigned int masks[2] = { 0 }, mode, right, passed = 0;

	for (mode = 0; mode < PSI_MODES; mode++) {
		right = psi_check_form(call, mode, masks, &want, &got);
		passed += right == PSI_CASES;
		if (!verbose)
			continue;
		printf("%s %s, %s: %u of %u cases\n",
		       right == PSI_CASES ? "ok" : "not ok", name,
		       psi_mode_names[mode], right, PSI_CASES);
		if (right != PSI_CASES) {
			printf("  clear=%x set=%x\n", masks[0], masks[1]);
			show("want", &want);
			show("got ", &got);
		}
	}

	return passed;
}

/*
 * With @mutants_count the mutants are taken for forms, to see a check fail;
 * else each of them is a check that passes if the mutant does not.
 */
static int check(bool mutants_count)
{
	unsigned int f, good, passed = 0, failed = 0;

	for (f = 1; f < PSI_NR_FORMS; f++) {
		good = check_one(psi_forms[f].name, psi_forms[f].call, true);
		passed += good;
		failed += PSI_MODES - good;
	}

	for (f = 0; f < PSI_MUTANTS; f++) {
		good = check_one(psi_mutants[f].name, psi_mutants[f].call,
				 mutants_count);
		if (mutants_count) {
			passed += good;
			failed += PSI_MODES - good;
		} else if (good < PSI_MODES) {
			printf("ok %s is caught\n", psi_mutants[f].name);
			passed++;
		} else {
			printf("not ok %s is not caught\n",
			       psi_mutants[f].name);
			failed++;
		}
	}

	printf("%u passed, %u failed\n", passed, failed);

	return failed ? 1 : 0;
}

static int digit(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;

	return -1;
}

/*
 * A stream file: comment lines begin with '#'; all else is three hexadecimal
 * digits a call, clear, set and group, with white space anywhere.
 */
static long read_stream(const char *path, struct psi_step *steps)
{
	int c, v, have = 0;
	unsigned char part[3];
	FILE *f;
	long n = 0;

	f = fopen(path, "r");
	if (!f) {
		fprintf(stderr, "psi_bench: %s: %s\n", path, strerror(errno));
		return -1;
	}

	while ((c = getc(f)) != EOF) {
		if (c == '#') {
			while (c != '\n' && c != EOF)
				c = getc(f);
			continue;
		}
		if (c == ' ' || c == '\n' || c == '\t')
			continue;
		v = digit(c);
		if (v < 0 || n == MAX_STEPS) {
			fprintf(stderr, "psi_bench: %s: %s at call %ld\n",
				path, v < 0 ? "not a digit" : "too long", n);
			fclose(f);
			return -1;
		}
		part[have++] = v;
		if (have == 3) {
			steps[n].clear = part[0];
			steps[n].set = part[1];
			steps[n].group = part[2];
			have = 0;
			n++;
		}
	}
	fclose(f);

	if (have || !n) {
		fprintf(stderr, "psi_bench: %s: %s\n", path,
			n ? "ends inside a call" : "has no calls");
		return -1;
	}

	return n;
}

/* A stream is called by its file's name, without folder and ending */
static const char *stream_name(const char *path, char *buf, size_t size)
{
	const char *base = strrchr(path, '/');
	char *dot;

	snprintf(buf, size, "%s", base ? base + 1 : path);
	dot = strrchr(buf, '.');
	if (dot)
		*dot = '\0';

	return buf;
}

/*
 * Core cycles per tick: dependent multiplications take three cycles each on
 * every x86-64 core of the last fifteen years.
 */
static void print_clock(void)
{
#ifdef __x86_64__
	unsigned long x = 3, i, n = 1000000;
	u64 start, ticks, best = ~0ULL;
	int trial;

	for (trial = 0; trial < 5; trial++) {
		start = psi_ticks();
		for (i = 0; i < n; i++)
			__asm__ __volatile__("imul %0, %0; imul %0, %0;"
					     "imul %0, %0; imul %0, %0"
					     : "+r" (x));
		ticks = psi_ticks() - start;
		if (ticks < best)
			best = ticks;
	}
	psi_out("unit TSC ticks; core cycles per tick about %.2f\n",
		12.0 * n / best);
#else
	psi_out("unit ns\n");
#endif
}

static int pin(int cpu)
{
	cpu_set_t set;

	if (cpu < 0)
		cpu = sched_getcpu();
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		fprintf(stderr, "psi_bench: cannot run on CPU %d: %s\n", cpu,
			strerror(errno));
		return -1;
	}

	return cpu;
}

static void usage(FILE *to)
{
	fprintf(to,
		"usage: psi_bench [options] [stream file...]\n"
		"  --check          self-check only; exit status 1 if a form is wrong\n"
		"  --with-mutants   with --check: count the wrong forms as forms\n"
		"  --calls=N        calls a trial of a fixed pattern [2000000]\n"
		"  --trials=N       timed trials per form and input [21]\n"
		"  --cpu=N          run there [where it starts]\n"
		"  --seed=N         of the random mixes and the order [1]\n");
}

int main(int argc, char **argv)
{
	enum { CHECK = 256, MUTANTS, CALLS, TRIALS, CPU, SEED, HELP };
	static const struct option options[] = {
		{ "check", no_argument, NULL, CHECK },
		{ "with-mutants", no_argument, NULL, MUTANTS },
		{ "calls", required_argument, NULL, CALLS },
		{ "trials", required_argument, NULL, TRIALS },
		{ "cpu", required_argument, NULL, CPU },
		{ "seed", required_argument, NULL, SEED },
		{ "help", no_argument, NULL, HELP },
		{ NULL, 0, NULL, 0 },
	};
	static struct psi_step steps[MAX_STEPS], other[MIX_STEPS];
	bool check_only = false, with_mutants = false;
	unsigned long calls = 2000000, trials = 21;
	u64 seed = 1;
	unsigned int i;
	int opt, cpu = -1;
	char name[64];
	long n;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case CHECK:
			check_only = true;
			break;
		case MUTANTS:
			with_mutants = true;
			break;
		case CALLS:
			calls = strtoul(optarg, NULL, 0);
			break;
		case TRIALS:
			trials = strtoul(optarg, NULL, 0);
			break;
		case CPU:
			cpu = atoi(optarg);
			break;
		case SEED:
			seed = strtoull(optarg, NULL, 0);
			break;
		case HELP:
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}

	if (calls < 100 || calls > 100000000 || !trials ||
	    trials > PSI_MAX_TRIALS) {
		fprintf(stderr, "psi_bench: calls: 100 to 100000000, trials: 1 to %d\n",
			PSI_MAX_TRIALS);
		return 2;
	}

	if (check_only)
		return check(with_mutants);

	setvbuf(stdout, NULL, _IOLBF, 0);
	cpu = pin(cpu);
	if (cpu < 0)
		return 1;

	psi_out("compiler %s\n", PSI_COMPILER);
	psi_out("cpu %d calls %lu trials %lu seed %llu\n", cpu, calls, trials,
		(unsigned long long)seed);
	print_clock();
	psi_order_seed = seed * 2 + 1;

	if (!psi_run_patterns(calls, trials))
		return 1;

	psi_make_mix(&psi_mixes[0], other, MIX_STEPS, seed + 1000);
	for (i = 0; i < PSI_MIXES; i++) {
		psi_make_mix(&psi_mixes[i], steps, MIX_STEPS, seed);
		if (!psi_run_steps(psi_mix_kinds, psi_mixes[i].name, steps,
				   MIX_STEPS, other, MIX_STEPS, trials))
			return 1;
	}

	for (; optind < argc; optind++) {
		n = read_stream(argv[optind], steps);
		if (n < 0)
			return 1;
		if (!psi_run_steps(psi_stream_kinds,
				   stream_name(argv[optind], name,
					       sizeof(name)),
				   steps, n, other, MIX_STEPS, trials))
			return 1;
	}

	return psi_run_all_masks(calls / 100, trials) ? 0 : 1;
}
