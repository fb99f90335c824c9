// SPDX-License-Identifier: GPL-2.0-only
/*
 * A byte for each leaf on top, against the flat form
 *
 * The test for an empty set then reads a line for 64 leaves instead of a line for
 * each; a CPU that enters may have to write it, and one that leaves looks at its
 * leaf and may have to clear it.  Breakeven: how many tests there must be for an
 * entry and exit, so that both forms cost the same.
 */
#include "exp.h"

#define SEEDS		3

struct cost {
	double pair, test, far, total, tests, pairs;
};

static double mean(const struct act_stat *s)
{
	return s->nr ? (double)s->ps / s->nr / NS : 0;
}

static struct cost measure(struct nohz n, const struct form *form)
{
	struct act_stat a[NR_ACTS] = { { 0 } };
	double jiffies = SEEDS * n.ticks;
	unsigned int i, k;
	struct nohz_result r;
	struct cost c;

	n.form = form;
	for (i = 0; i < SEEDS; i++, n.seed++) {
		r = nohz_run(&n);
		for (k = 0; k < NR_ACTS; k++) {
			a[k].nr += r.act[k].nr;
			a[k].ps += r.act[k].ps;
			a[k].far += r.act[k].far;
		}
	}
	c.pair = mean(&a[ACT_ENTER]) + mean(&a[ACT_EXIT]);
	c.test = mean(&a[ACT_EMPTY]);
	c.far = a[ACT_EMPTY].nr ? (double)a[ACT_EMPTY].far / a[ACT_EMPTY].nr : 0;
	c.total = (a[ACT_ENTER].ps + a[ACT_EXIT].ps + a[ACT_EMPTY].ps) / (double)US / jiffies;
	c.tests = a[ACT_EMPTY].nr / jiffies;
	c.pairs = a[ACT_ENTER].nr / jiffies;
	return c;
}

static void row(struct nohz n, const char *name)
{
	struct cost flat = measure(n, &form_sbm);
	struct cost sum = measure(n, &form_summary);
	double even = (sum.pair - flat.pair) / (flat.test - sum.test);

	printf("%5u %6u %-12s | %7.1f %7.1f | %8.0f %8.0f | %8.0f %8.0f | %5.1f %5.1f |",
	       machine_cpus(n.machine), machine_llcs(n.machine), name, flat.pairs, flat.tests,
	       flat.pair, sum.pair, flat.test, sum.test, flat.far, sum.far);
	if (!flat.pairs)
		printf(" %8s |", "-");
	else if (flat.test <= sum.test)
		printf(" %8s |", "never");
	else
		printf(" %8.2f |", even > 0 ? even : 0);
	printf(" %8.1f %8.1f\n", flat.total, sum.total);
}

static void table(const struct options *o, const char *title, enum once once)
{
	static const unsigned int sizes[] = { 64, 256, 1024 };
	struct machine m;
	unsigned int i;

	printf("\n%s\n", title);
	printf("%5s %6s %-12s | %15s | %17s | %17s | %11s | %8s | %17s\n", "", "", "", "a jiffy",
	       "enter and exit, ns", "empty test, ns", "far lines", "break-",
	       "us a jiffy, all");
	printf("%5s %6s %-12s | %7s %7s | %8s %8s | %8s %8s | %5s %5s | %8s | %8s %8s\n", "CPUs",
	       "leaves", "idle", "pairs", "tests", "flat", "summary", "flat", "summary", "flat",
	       "sum.", "even", "flat", "summary");
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct nohz n = {
			.machine	= &m,
			.flags		= FLAGS_APART,
			.once		= once,
			.busy		= MS,
			.ticks		= sizes[i] > 256 ? 3 : 6,
			.seed		= o->seed,
		};

		/* Each CPU each tick over all leaves: too long to run. */
		if (sizes[i] > 256 && once == ONCE_NOT)
			continue;
		m = with_cpus(o->machine, sizes[i]);
		row(n, "none");
		n.idle = MS;
		n.idlers = 64;
		row(n, "1 CPU in 64");
		n.idlers = 8;
		row(n, "1 CPU in 8");
		n.idlers = 1;
		row(n, "all CPUs");
	}
}

void exp_summary(const struct options *o)
{
	printf("Those CPUs work about 1 ms and idle about 1 ms; ticks at the same time; all "
	       "readers; mean of %u seeds.\n", SEEDS);
	table(o, "A set found empty is looked at by one CPU of each LLC in a jiffy (patch 14)", ONCE_LLC);
	table(o, "A set found empty is looked at by each busy tick (before patch 14)", ONCE_NOT);
}
