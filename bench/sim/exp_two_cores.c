// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two cores of one LLC, against what bench/sbm measured on two real ones
 *
 * The figures are those of results/sbm-user-gcc.txt, medians in ticks of a virtual
 * EPYC (Zen 5), 2.096 ticks a nanosecond.  "lines" and "leaves + mb" less "leaves"
 * gave the machine file its "locked" and "fence", and so are not evidence.
 */
#include "exp.h"

#define TICKS_PER_NS	2.096

void exp_two_cores(const struct options *o)
{
	static const struct {
		const char		*name;
		const struct form	*form;
		unsigned int		limit;
		enum barrier		barrier;
		double			ticks;
		const char		*note;
	} rows[] = {
		{ "word", &form_global, 0, BARRIER_NONE, 104.22, "" },
		{ "lines", &form_llc, 1, BARRIER_NONE, 25.21, "given" },
		{ "leaf", &form_sbm, 0, BARRIER_NONE, 4.03, "" },
		{ "leaves", &form_sbm, 1, BARRIER_NONE, 4.26, "" },
		{ "leaf + mb", &form_sbm, 0, BARRIER_SET, 54.37, "" },
		{ "leaves + mb", &form_sbm, 1, BARRIER_SET, 14.30, "given, as a difference" },
	};
	struct machine m = o->machine;
	struct writers_result r;
	double pair, base = 0;
	unsigned int i;

	m.sockets = 1;
	m.llcs = 1;
	m.cores = 2;
	m.smt = 1;

	printf("Two cores of an LLC set and clear themselves without a pause; a set and a clear\n");
	printf("%-14s %9s %9s %9s %9s\n", "", "simulated", "measured", "simulated",
	       "measured");
	printf("%-14s %9s %9s %9s %9s\n", "", "ns", "ns", "% of word", "% of word");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct writers w = {
			.machine	= &m,
			.form		= rows[i].form,
			.limit		= rows[i].limit,
			.barrier	= rows[i].barrier,
			.no_yield	= true,
			.ops		= 5000,
			.seed		= o->seed,
		};

		r = writers_run(&w);
		pair = 2 * r.op / NS;
		if (!i)
			base = pair;
		printf("%-14s %9.1f %9.1f %9.1f %9.1f %s\n", rows[i].name, pair,
		       rows[i].ticks / TICKS_PER_NS, 100 * pair / base,
		       100 * rows[i].ticks / rows[0].ticks, rows[i].note);
	}
}
