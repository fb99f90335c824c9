// SPDX-License-Identifier: GPL-2.0-only
/*
 * lib/sbm.c itself, unchanged, on the simulated machine
 *
 * The layout is made as kernel/sched/sbm.c makes it: an LLC has a leaf, or as few
 * equal ones as the limit allows, cores stay together, and siblings are adjacent.
 *
 * form_summary is the library with a byte for each leaf on top, which says that
 * the leaf may have a CPU: 64 of them are a line for the test for an empty set.
 * It is for its cost only.  A leaf that empties is seen to be empty by the CPU
 * that leaves it, without a barrier, so a CPU can be lost.
 */
#include "hook.h"
#include "forms.h"

#include "lib/sbm.c"

static struct sbm *set;

static void no_memory(void)
{
	fprintf(stderr, "no memory for the layout\n");
	exit(2);
}

/* Slots for the cores of an LLC from leaf @leaf on, @parts leaves of them. */
static void place_llc(struct sbm_layout *layout, unsigned int llc,
		      unsigned int leaf, unsigned int parts)
{
	const struct machine *m = sim_machine();
	unsigned int core, thread, part, slot, fill = 0, last = 0;

	for (core = 0; core < m->cores; core++) {
		part = core * parts / m->cores;
		if (part != last)
			fill = 0;
		last = part;
		for (thread = 0; thread < m->smt; thread++) {
			slot = (leaf + part) * SBM_LEAF_CPUS + fill++;
			if (sbm_layout_add_cpu(layout,
					       machine_cpu(m, llc * m->cores + core, thread),
					       slot))
				no_memory();
		}
	}
}

struct sbm *sbm_form_alloc(unsigned int limit)
{
	const struct machine *m = sim_machine();
	unsigned int parts, llc, i, leaf = 0;
	struct sbm_layout *layout;
	struct sbm *sbm;

	nr_cpu_ids = machine_cpus(m);
	shim_line_size = m->line;
	if (!limit || limit > SBM_LEAF_CPUS)
		limit = SBM_LEAF_CPUS;

	/* Cores are not broken up: more parts if one would be too large. */
	parts = DIV_ROUND_UP(machine_llc_cpus(m), limit);
	while (DIV_ROUND_UP(m->cores, parts) * m->smt > limit)
		parts++;

	layout = sbm_layout_alloc(nr_cpu_ids, parts * machine_llcs(m), GFP_KERNEL);
	if (!layout)
		no_memory();

	for (llc = 0; llc < machine_llcs(m); llc++) {
		for (i = 0; i < parts; i++) {
			if (sbm_layout_add_leaf(layout, llc / m->llcs, GFP_KERNEL) < 0)
				no_memory();
		}
		place_llc(layout, llc, leaf, parts);
		leaf += parts;
	}

	sbm = kzalloc(sizeof(*sbm), GFP_KERNEL);
	if (!sbm_alloc(sbm, layout, NULL, GFP_KERNEL))
		no_memory();
	return sbm;
}

static void sbm_make(unsigned int limit)
{
	set = sbm_form_alloc(limit);
}

unsigned int sbm_form_leaves(void)
{
	return set->nr_leaves;
}

static void sbm_set(unsigned int cpu)
{
	sbm_set_cpu(cpu, set);
}

static void sbm_clear(unsigned int cpu)
{
	sbm_clear_cpu(cpu, set);
}

static bool sbm_test(unsigned int cpu)
{
	return sbm_test_cpu(cpu, set);
}

static bool sbm_is_empty(void)
{
	return sbm_empty(set);
}

static void sbm_walk(unsigned int start, bool (*visit)(unsigned int cpu))
{
	unsigned int cpu;

	for_each_sbm_wrap(cpu, set, start) {
		if (!visit(cpu))
			return;
	}
}

void sbm_form_walk_numbers(unsigned int start, bool (*visit)(unsigned int cpu))
{
	unsigned int i, cpu;

	for (i = 1; i <= nr_cpu_ids; i++) {
		cpu = (start + i) % nr_cpu_ids;
		if (sbm_test_cpu(cpu, set) && !visit(cpu))
			return;
	}
}

const struct form form_sbm = {
	"sbm", "lib/sbm.c: a byte for each CPU, a line for each LLC", false,
	sbm_make, sbm_set, sbm_clear, sbm_test, sbm_is_empty, sbm_walk,
};

static u8 *summary;

static void summary_make(unsigned int limit)
{
	sbm_make(limit);
	summary = sim_alloc(round_up(set->nr_leaves, 8), 128);
}

static void summary_set(unsigned int cpu)
{
	unsigned int leaf = sbm_layout_slot(set->layout, cpu) / SBM_LEAF_CPUS;

	sbm_set_cpu(cpu, set);
	if (!READ_ONCE(summary[leaf]))
		WRITE_ONCE(summary[leaf], 1);
}

static void summary_clear(unsigned int cpu)
{
	unsigned int leaf = sbm_layout_slot(set->layout, cpu) / SBM_LEAF_CPUS;

	sbm_clear_cpu(cpu, set);
	if (!sbm_leaf_mask(set, leaf))
		WRITE_ONCE(summary[leaf], 0);
}

static bool summary_empty(void)
{
	unsigned int i;

	for (i = 0; i < set->nr_leaves; i += 8) {
		if (READ_ONCE(*(u64 *)(summary + i)))
			return false;
	}
	return true;
}

const struct form form_summary = {
	"summary", "lib/sbm.c and a byte for each leaf", false,
	summary_make, summary_set, summary_clear, sbm_test, summary_empty, sbm_walk,
};
