// SPDX-License-Identifier: GPL-2.0-only
/*
 * Idle entry and exit, ticks and idle load balancing, at their own rates
 *
 * HZ=1000.  Times are those of the accesses alone; misses of a CPU do not overlap,
 * so that those of readers are too long rather than too short.
 */
#include "exp.h"

static const struct form *const forms[] = {
	&form_global, &form_numa, &form_llc, &form_bytes, &form_none, &form_sbm,
};

#define NR_FORMS	ARRAY_SIZE(forms)

static void print_act(const struct act_stat *s)
{
	if (s->nr)
		printf(" %8.0f %5.1f", (double)s->ps / s->nr / NS, (double)s->far / s->nr);
	else
		printf(" %8s %5s", "-", "-");
}

static void head(void)
{
	printf("%-8s | %14s | %14s %8s | %14s | %21s | %21s | %14s\n", "", "enter", "exit",
	       "worst", "tick", "empty test", "find_new_ilb", "walk");
	printf("%-8s | %8s %5s | %8s %5s %8s | %8s %5s | %6s %8s %5s | %6s %8s %5s | %8s %5s\n",
	       "", "ns", "far", "ns", "far", "ns", "ns", "far", "a tick", "ns", "far", "a tick",
	       "ns", "far", "ns", "far");
}

static void row(struct nohz n, const struct form *form)
{
	struct nohz_result r;
	const struct act_stat *a = r.act;

	n.form = form;
	/* The base has all of nohz on a line and stores to it each time. */
	n.flags = form == &form_global ? FLAGS_STORE : FLAGS_APART;
	r = nohz_run(&n);

	printf("%-8s |", form->name);
	print_act(&a[ACT_ENTER]);
	printf(" |");
	print_act(&a[ACT_EXIT]);
	printf(" %8.0f |", (double)a[ACT_EXIT].worst / NS);
	print_act(&a[ACT_TICK]);
	printf(" | %6.1f", (double)a[ACT_EMPTY].nr / n.ticks);
	print_act(&a[ACT_EMPTY]);
	printf(" | %6.1f", (double)a[ACT_FIND].nr / n.ticks);
	print_act(&a[ACT_FIND]);
	printf(" |");
	print_act(&a[ACT_WALK]);
	printf("\n");
}

static void table(const char *title, struct nohz n)
{
	size_t i;

	printf("\n%u CPUs, %s\n", machine_cpus(n.machine), title);
	head();
	for (i = 0; i < NR_FORMS; i++) {
		/* A machine without a set reads all CPUs' lines: too long to run. */
		if (forms[i] == &form_none && machine_cpus(n.machine) > 256)
			continue;
		row(n, forms[i]);
	}
}

void exp_readers(const struct options *o)
{
	static const unsigned int sizes[] = { 64, 256, 1024 };
	struct machine m;
	unsigned int i;
	struct nohz n;

	printf("far: lines from beyond the LLC.  CPUs work about 1 ms and idle about 1 ms, or "
	       "all work all the time.\n");
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		m = with_cpus(o->machine, sizes[i]);
		n = (struct nohz){
			.machine	= &m,
			.busy		= MS,
			.idle		= MS,
			.idlers		= 1,
			.ticks		= sizes[i] > 256 ? 5 : 10,
			.seed		= o->seed,
		};

		n.no_ilb = true;
		table("ticks at the same time, writers alone", n);
		n.no_ilb = false;
		table("ticks at the same time, all readers", n);
		n.skewed = true;
		table("ticks spread over the jiffy, all readers", n);

		n.idle = 0;
		n.skewed = false;
		table("all busy, ticks at the same time, an empty test each tick", n);
		n.once = ONCE_LLC;
		table("all busy, ticks at the same time, one empty test a jiffy and LLC (patch 14)", n);
	}
}
