// SPDX-License-Identifier: GPL-2.0-only
/*
 * Giant LLCs, in one leaf or several
 *
 * Two sockets of one LLC each.  Locked words: all of an LLC on a line, or lines of
 * their own for equal parts of it.  Bytes: all of an LLC one after the other, on
 * lines of 128 bytes, or leaves of up to 64, 32, 16 and 8 CPUs (as sbm=LIMIT on the
 * kernel's command line has it).  The price is what a reader fetches: lines and
 * time of a walk, a quarter of the CPUs in the set, all lines dirty.
 */
#include "exp.h"
#include "scan.h"

#define OPS		14

static const unsigned int sizes[] = { 112, 240 };

static double writers(const struct options *o, const struct machine *m,
		      const struct form *form, unsigned int limit,
		      enum barrier barrier, u64 think)
{
	return split_time(m, form, limit, barrier, think, OPS, o->seed) / NS;
}

static void row(const struct options *o, const struct machine *m,
		const struct form *form, unsigned int limit, const char *name)
{
	struct scan s = {
		.machine	= m,
		.form		= form,
		.limit		= limit,
		.every		= 4,
		.seed		= o->seed,
	};
	struct scan_result r = scan_run(&s);

	printf("%8u %-26s | %9.1f %9.1f | %9.1f %9.1f | %7.1f %7.1f %9.0f\n",
	       machine_llc_cpus(m), name,
	       writers(o, m, form, limit, BARRIER_SET, 0),
	       writers(o, m, form, limit, BARRIER_ALL, 0),
	       writers(o, m, form, limit, BARRIER_SET, US),
	       writers(o, m, form, limit, BARRIER_ALL, US), r.fetched, r.far, r.ps / NS);
}

void exp_split(const struct options *o)
{
	static const unsigned int limits[] = { 64, 32, 16, 8 };
	struct machine m, one;
	unsigned int i, k;
	char name[64];

	printf("%8s %-26s | %19s | %19s | %25s\n", "CPUs per", "", "0 ns between",
	       "1,000 ns between", "a walk");
	printf("%8s %-26s | %9s %9s | %9s %9s | %7s %7s %9s\n", "LLC", "", "nohz, ns", "all, ns",
	       "nohz, ns", "all, ns", "lines", "far", "ns");
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		m = o->machine;
		m.sockets = 2;
		m.llcs = 1;
		m.cores = sizes[i] / m.smt;

		row(o, &m, &form_global, 0, "global");
		row(o, &m, &form_llc, 0, "locked, LLC on a line");
		for (k = 0; k < ARRAY_SIZE(limits); k++) {
			snprintf(name, sizeof(name), "locked, up to %u a line", limits[k]);
			row(o, &m, &form_llc, limits[k], name);
		}

		one = m;
		one.line = 128;
		one.split_smt = 0;
		row(o, &one, &form_bytes, 0, "bytes, 128 a line");
		for (k = 0; k < ARRAY_SIZE(limits); k++) {
			snprintf(name, sizeof(name), "sbm, up to %u a leaf", limits[k]);
			row(o, &m, &form_sbm, limits[k], name);
		}
	}
}
