// SPDX-License-Identifier: GPL-2.0-only
/*
 * The published experiment, against the time between two operations
 *
 * lkml.iu.edu/2604.1/02171.html: on all CPUs of 2 sockets of 8 LLCs of 16 CPUs,
 * two threads yield to each other, one sets its CPU and the other clears it.
 * What is given are cycles in the operation, in per cent of those with one mask.
 * What is not given is how long a yield takes, and whether the cycles of a store
 * end when the CPU can go on or when others can see it.  Both are tried.
 */
#include <math.h>

#include "exp.h"

#define SEEDS		5
#define OPS		20
#define NR_ROWS		4

static const double published[NR_ROWS] = { 100, 32.9209, 1.2977, 0.4930 };

static const u64 thinks[] = { 0, 50, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000 };
#define NR_THINKS	ARRAY_SIZE(thinks)

static double mean(const struct options *o, const struct form *form,
		   enum barrier barrier, u64 think)
{
	double sum = 0;
	unsigned int i;

	for (i = 0; i < SEEDS; i++)
		sum += op_time(&o->machine, form, barrier, think * NS, OPS, o->seed + i);
	return sum / SEEDS / NS;
}

/* The factor between @value and what is published, as one that is at least 1. */
static double factor(double value, double right)
{
	return value > right ? value / right : right / value;
}

struct row {
	double percent[NR_ROWS];
	double worst;
	bool order;
};

static struct row judge(const double *ns)
{
	struct row row = { .order = true };
	unsigned int i;

	for (i = 0; i < NR_ROWS; i++) {
		row.percent[i] = 100 * ns[i] / ns[0];
		row.worst = fmax(row.worst, factor(row.percent[i], published[i]));
		if (i && ns[i] >= ns[i - 1])
			row.order = false;
	}
	return row;
}

static void table(const char *title, double ns[][NR_ROWS])
{
	double best = INFINITY;
	unsigned int i, at = 0, good = 0;
	struct row row;

	printf("\n%s\n", title);
	printf("%8s %10s | %8s %8s %8s %8s | %8s %6s %11s %7s\n", "between", "global",
	       "global", "numa", "llc", "byte", "llc/byte", "order", "worst", "within");
	printf("%8s %10s | %8s %8s %8s %8s | %8s %6s %11s %7s\n", "ns", "ns", "%", "%",
	       "%", "%", "", "", "row, factor", "2");
	for (i = 0; i < NR_THINKS; i++) {
		row = judge(ns[i]);
		printf("%8llu %10.0f | %8.2f %8.2f %8.4f %8.4f | %8.2f %6s %11.2f %7s\n",
		       (unsigned long long)thinks[i], ns[i][0], row.percent[0],
		       row.percent[1], row.percent[2], row.percent[3],
		       ns[i][2] / ns[i][3], yes(row.order), row.worst,
		       yes(row.order && row.worst <= 2));
		good += row.order && row.worst <= 2;
		if (row.worst < best) {
			best = row.worst;
			at = i;
		}
	}
	printf("%8s %10s | %8.2f %8.2f %8.4f %8.4f | %8.2f\n", "publ.", "", published[0],
	       published[1], published[2], published[3], published[2] / published[3]);
	printf("values for which all four rows are within a factor of 2, in order: %u; "
	       "the best is %llu ns, its worst row off by %.2f\n", good,
	       (unsigned long long)thinks[at], best);
}

/*
 * The same time more in each operation: what it would have to be for the byte row
 * to be as published, and what that makes of the others.
 */
static void constant(double ns[][NR_ROWS])
{
	double more, share = published[3] / 100;
	double shifted[NR_ROWS];
	struct row row;
	unsigned int i, k;

	printf("\nIf each measured operation had a constant time more in it (the measuring "
	       "itself), so that the\nbyte row is as published; until the CPU can go on\n");
	printf("%8s %12s | %8s %8s %8s %8s | %11s\n", "between", "constant", "global",
	       "numa", "llc", "byte", "worst");
	printf("%8s %12s | %8s %8s %8s %8s | %11s\n", "ns", "ns", "%", "%", "%", "%",
	       "row, factor");
	for (i = 0; i < NR_THINKS; i++) {
		more = (share * ns[i][0] - ns[i][3]) / (1 - share);
		for (k = 0; k < NR_ROWS; k++)
			shifted[k] = ns[i][k] + more;
		row = judge(shifted);
		printf("%8llu %12.0f | %8.2f %8.2f %8.4f %8.4f | %11.2f\n",
		       (unsigned long long)thinks[i], more, row.percent[0],
		       row.percent[1], row.percent[2], row.percent[3], row.worst);
	}
}

void exp_published(const struct options *o)
{
	static double retired[NR_THINKS][NR_ROWS], seen[NR_THINKS][NR_ROWS];
	static const struct form *const locked[] = { &form_global, &form_numa, &form_llc };
	unsigned int i, k;

	for (i = 0; i < NR_THINKS; i++) {
		for (k = 0; k < 3; k++) {
			retired[i][k] = mean(o, locked[k], BARRIER_NONE, thinks[i]);
			seen[i][k] = retired[i][k];
		}
		retired[i][3] = mean(o, &form_sbm, BARRIER_NONE, thinks[i]);
		seen[i][3] = mean(o, &form_sbm, BARRIER_ALL, thinks[i]);
	}

	printf("%u CPUs, %u per LLC, %u sockets; mean of %u seeds, %u operations of each "
	       "CPU\n", machine_cpus(&o->machine), machine_llc_cpus(&o->machine),
	       o->machine.sockets, SEEDS, OPS);
	table("Time of an operation until others can see it (a barrier is part of it)", seen);
	table("Time of an operation until the CPU can go on (a store is in the buffer)",
	      retired);
	constant(retired);
}
