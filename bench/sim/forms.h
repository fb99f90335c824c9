/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sets of CPUs that are compared
 *
 * A set is made with the machine of sim_begin().  All functions but make() run on
 * a simulated CPU.
 */
#ifndef SIM_FORMS_H
#define SIM_FORMS_H

#include "types.h"

/**
 * struct form - a way to keep a set of CPUs
 * @name: how tables call it
 * @what: what it is
 * @locked: set and clear are locked operations
 * @make: allocate an empty set; with @limit, no more than so many CPUs a leaf
 * @set: add a CPU, on that CPU
 * @clear: remove it, on that CPU
 * @test: is a CPU in it?
 * @empty: is nobody in it?
 * @walk: call @visit for each CPU in it, from @start's successor on and around,
 * @start last; stop when @visit returns false
 */
struct form {
	const char	*name;
	const char	*what;
	bool		locked;
	void		(*make)(unsigned int limit);
	void		(*set)(unsigned int cpu);
	void		(*clear)(unsigned int cpu);
	bool		(*test)(unsigned int cpu);
	bool		(*empty)(void);
	void		(*walk)(unsigned int start, bool (*visit)(unsigned int cpu));
};

extern const struct form form_global, form_numa, form_llc, form_bytes,
	form_none, form_sbm, form_summary;

/* A full barrier after set(), as cheap as the form allows. */
void form_barrier(const struct form *form);

/* A set over the machine's layout, with no more than @limit CPUs a leaf, 0 the library's. */
struct sbm;
struct sbm *sbm_form_alloc(unsigned int limit);

/* The number of leaves that form_sbm's layout has. */
unsigned int sbm_form_leaves(void);

/* Visit possible CPUs by number with sbm_test_cpu(), as in the base's order. */
void sbm_form_walk_numbers(unsigned int start, bool (*visit)(unsigned int cpu));

#endif
