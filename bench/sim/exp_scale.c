// SPDX-License-Identifier: GPL-2.0-only
/*
 * From 16 to 4,096 CPUs, with the LLCs and sockets of the machine
 */
#include <math.h>

#include "exp.h"

#define FLAT_FROM	256
#define OPS		40

static void table(const struct options *o, u64 think)
{
	double low = INFINITY, high = 0, low_mb = INFINITY, high_mb = 0;
	double global, numa, llc, bytes, none, sbm, mb;
	unsigned int n, llcs = 1, ops;
	struct machine m;

	while (llcs * machine_llc_cpus(&o->machine) < 16)
		llcs *= 2;

	printf("\n%llu ns between two operations\n", (unsigned long long)(think / NS));
	printf("%6s %6s %7s | %11s %11s %9s | %9s %9s %9s %9s | %7s %8s\n", "CPUs", "LLCs",
	       "sockets", "global", "numa", "llc", "bytes+mb", "none+mb", "sbm", "sbm+mb",
	       "llc/sbm", "global/");
	printf("%6s %6s %7s | %11s %11s %9s | %9s %9s %9s %9s | %7s %8s\n", "", "", "", "ns",
	       "ns", "ns", "ns", "ns", "ns", "ns", "+mb", "sbm+mb");
	for (; llcs * machine_llc_cpus(&o->machine) <= 4096; llcs *= 2) {
		n = llcs * machine_llc_cpus(&o->machine);
		m = with_cpus(o->machine, n);
		/* What queues for long settles in few operations. */
		ops = n > 256 ? 6 : OPS;
		global = op_time(&m, &form_global, BARRIER_NONE, think, ops, o->seed);
		numa = op_time(&m, &form_numa, BARRIER_NONE, think, ops, o->seed);
		llc = op_time(&m, &form_llc, BARRIER_NONE, think, OPS, o->seed);
		bytes = op_time(&m, &form_bytes, BARRIER_ALL, think, ops, o->seed);
		none = op_time(&m, &form_none, BARRIER_ALL, think, OPS, o->seed);
		sbm = op_time(&m, &form_sbm, BARRIER_NONE, think, OPS, o->seed);
		mb = op_time(&m, &form_sbm, BARRIER_ALL, think, OPS, o->seed);
		printf("%6u %6u %7u | %11.0f %11.0f %9.1f | "
		       "%9.1f %9.1f %9.2f %9.2f | %7.2f %8.0f\n",
		       n, machine_llcs(&m), m.sockets, global / NS, numa / NS, llc / NS,
		       bytes / NS, none / NS, sbm / NS, mb / NS, llc / mb, global / mb);
		if (n < FLAT_FROM)
			continue;
		low = fmin(low, sbm);
		high = fmax(high, sbm);
		low_mb = fmin(low_mb, mb);
		high_mb = fmax(high_mb, mb);
	}
	printf("target: flat within 10 %% from %u CPUs on: sbm %s (%.1f %%), sbm+mb %s (%.1f %%)\n",
	       FLAT_FROM, yes(high / low <= 1.1), 100 * (high / low - 1),
	       yes(high_mb / low_mb <= 1.1), 100 * (high_mb / low_mb - 1));
}

void exp_scale(const struct options *o)
{
	printf("Set and clear on all CPUs, ns of an operation; +mb: with a barrier after each\n");
	table(o, 0);
	table(o, 1 * US);
}
