/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The experiments: each is a file, and prints a table or some
 */
#ifndef SIM_EXP_H
#define SIM_EXP_H

#include <stdio.h>
#include <string.h>

#include "forms.h"
#include "nohz.h"
#include "sim.h"
#include "writers.h"

/* The machine of the command line, which an experiment may give another shape. */
struct options {
	struct machine	machine;
	u64		seed;
};

void exp_published(const struct options *o);
void exp_two_cores(const struct options *o);
void exp_sensitivity(const struct options *o);
void exp_scale(const struct options *o);
void exp_llcs(const struct options *o);
void exp_split(const struct options *o);
void exp_readers(const struct options *o);
void exp_ticks(const struct options *o);
void exp_flags(const struct options *o);
void exp_walk(const struct options *o);
void exp_summary(const struct options *o);
void exp_cpupri(const struct options *o);

/* ps of an operation; @limit is CPUs of a leaf, 0 the form's own. */
static inline double split_time(const struct machine *m, const struct form *form,
				unsigned int limit, enum barrier barrier, u64 think,
				unsigned int ops, u64 seed)
{
	struct writers w = {
		.machine	= m,
		.form		= form,
		.limit		= limit,
		.barrier	= barrier,
		.think		= think,
		.ops		= ops,
		.seed		= seed,
	};

	return writers_run(&w).op;
}

static inline double op_time(const struct machine *m, const struct form *form,
			     enum barrier barrier, u64 think, unsigned int ops,
			     u64 seed)
{
	return split_time(m, form, 0, barrier, think, ops, seed);
}

/* @m with @cpus CPUs: fewer LLCs, or more sockets of as many LLCs. */
static inline struct machine with_cpus(struct machine m, unsigned int cpus)
{
	unsigned int llcs = cpus / machine_llc_cpus(&m);

	if (llcs < m.llcs)
		m.llcs = llcs ? llcs : 1;
	m.sockets = llcs / m.llcs ? llcs / m.llcs : 1;
	return m;
}

/* "yes" or "no", for tables. */
static inline const char *yes(bool x)
{
	return x ? "yes" : "no";
}

#endif
