// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lines that a walk fetches: this CPU's leaf first, or CPUs by number from
 * this_cpu + 1 on
 */
#include "exp.h"
#include "scan.h"

static void row(const struct options *o, const struct form *form,
		enum scan_kind kind, unsigned int every, const char *name)
{
	static const u64 churns[] = { 100 * US, 10 * US };
	struct scan s = {
		.machine	= &o->machine,
		.form		= form,
		.kind		= kind,
		.every		= every,
		.seed		= o->seed,
	};
	struct scan_result all = scan_run(&s), some;
	unsigned int i;

	s.first = 8;
	some = scan_run(&s);
	printf("%-34s | %6.1f %6.1f %5.1f | %6.1f %6.1f %6llu %8.0f |", name, some.fetched,
	       some.far, some.near, all.fetched, all.far, (unsigned long long)all.most,
	       all.ps / NS);

	s.first = 0;
	for (i = 0; i < ARRAY_SIZE(churns); i++) {
		s.churn = churns[i];
		all = scan_run(&s);
		printf(" %6.1f %6llu", all.fetched, (unsigned long long)all.most);
	}
	printf("\n");
}

static void table(const struct options *o, unsigned int every)
{
	struct scan s = {
		.machine	= &o->machine,
		.form		= &form_sbm,
		.every		= every,
		.seed		= o->seed,
	};
	struct scan_result r;
	unsigned int leaves;

	printf("\n%u CPUs in %u LLCs, one core of %u in the set\n",
	       machine_cpus(&o->machine), machine_llcs(&o->machine), every);
	printf("%-34s | %19s | %29s | %13s %13s\n", "", "first 8 CPUs", "all CPUs",
	       "written each", "written each");
	printf("%-34s | %6s %6s %5s | %6s %6s %6s %8s | %13s %13s\n", "", "lines", "far", "near",
	       "lines", "far", "most", "ns", "100 us, most", "10 us, most");
	row(o, &form_global, SCAN_WALK, every, "global, from this_cpu + 1");
	row(o, &form_numa, SCAN_WALK, every, "numa, own node first");
	row(o, &form_llc, SCAN_WALK, every, "llc, own LLC first");
	row(o, &form_bytes, SCAN_WALK, every, "bytes, from this_cpu + 1");
	row(o, &form_none, SCAN_WALK, every, "none, from this_cpu + 1");
	row(o, &form_sbm, SCAN_NUMBERS, every, "sbm, from this_cpu + 1 (patch 13)");
	row(o, &form_sbm, SCAN_WALK, every, "sbm, own leaf first (patch 15)");

	r = scan_run(&s);
	leaves = machine_llcs(&o->machine) *
		 ((machine_llc_cpus(&o->machine) + 63) / 64);
	printf("target: a walk fetches each of the %u leaf lines once at most: %s\n", leaves,
	       yes(r.most <= leaves));
}

void exp_walk(const struct options *o)
{
	printf("A CPU walks a set whose lines are all dirty elsewhere.  far: from beyond its "
	       "LLC; near: CPUs of\nits LLC among those found; most: of one walk.  Right: with "
	       "each CPU writing again all the time.\n");
	table(o, 4);
	table(o, 1);
}
