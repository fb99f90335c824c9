// SPDX-License-Identifier: GPL-2.0-only
/*
 * The line of nohz.has_blocked_load and needs_update
 *
 * With and without a test before the write, with the address of the set on another
 * line, and with the times on a third.  What counts is how often a line moves from LLC to LLC: a store does not
 * wait, but takes the line away from those who read it on each tick, entry and exit.
 */
#include "exp.h"

static void row(struct nohz n, const char *name)
{
	struct nohz_result r = nohz_run(&n);
	const struct act_stat *a = r.act;
	double ticks = n.ticks + 2;

	printf("%-30s | %8.0f %8.0f | %9.1f", name, (double)a[ACT_ENTER].nr / n.ticks,
	       (double)a[ACT_FLAGS].nr / n.ticks, r.flag_moves / ticks);
	if (n.flags == FLAGS_LINES)
		printf(" %9.1f", r.time_moves / ticks);
	else
		printf(" %9s", "same");
	if (n.flags == FLAGS_LINES || n.flags == FLAGS_APART)
		printf(" %9.1f", r.address_moves / ticks);
	else
		printf(" %9s", "same");
	printf(" | %8.1f %8.1f %8.1f %8.1f\n", (double)a[ACT_ENTER].ps / a[ACT_ENTER].nr / NS,
	       (double)a[ACT_FLAGS].ps / a[ACT_FLAGS].nr / NS,
	       (double)a[ACT_EXIT].ps / a[ACT_EXIT].nr / NS,
	       (double)a[ACT_TICK].ps / a[ACT_TICK].nr / NS);
}

static void table(const char *title, struct nohz n)
{
	printf("\n%u CPUs, %s\n", machine_cpus(n.machine), title);
	printf("%-30s | %17s | %29s | %35s\n", "", "a jiffy", "moves of a line a jiffy",
	       "ns");
	printf("%-30s | %8s %8s | %9s %9s %9s | %8s %8s %8s %8s\n", "", "entries", "with re-",
	       "flags", "times", "address", "enter", "flags", "exit", "tick");

	n.form = &form_global;
	n.flags = FLAGS_STORE;
	row(n, "global, stores each time");
	n.form = &form_sbm;
	row(n, "sbm, stores each time");
	n.flags = FLAGS_TEST;
	row(n, "sbm, tests first (18, 19)");
	n.flags = FLAGS_APART;
	row(n, "sbm, tests, address apart (20)");
	n.flags = FLAGS_LINES;
	row(n, "sbm, tests, times apart, too");
}

void exp_flags(const struct options *o)
{
	static const unsigned int sizes[] = { 64, 256, 1024 };
	struct machine m;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		m = with_cpus(o->machine, sizes[i]);
		struct nohz n = {
			.machine	= &m,
			.busy		= MS,
			.idle		= MS,
			.idlers		= 1,
			.ticks		= 8,
			.seed		= o->seed,
		};

		table("about 1 ms busy and 1 ms idle, ticks at the same time", n);
		n.skewed = true;
		table("the same, ticks spread over the jiffy", n);
		n.busy = MS / 5;
		n.idle = MS / 5;
		table("about 0.2 ms busy and 0.2 ms idle, ticks spread", n);
	}
}
