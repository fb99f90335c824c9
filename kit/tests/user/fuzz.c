// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz target: any sequence of operations on a layout and two sets over it
 *
 * The input is read as operations, three bytes each.  A model keeps, in the
 * plainest way, what the layout and the sets should hold.  One set grows with
 * the layout, the other has a span.  Whatever the library returns is compared
 * with the model, and the process aborts where they differ.
 */
#include "kunit.h"

#include <linux/sbm.h>

#define CPUS	200
#define LEAVES	6
#define SLOTS	(LEAVES * SBM_LEAF_CPUS)

#define CHECK(condition)						\
	do {								\
		if (!(condition)) {					\
			fprintf(stderr, "%s:%d: %s\n", __FILE__,	\
				__LINE__, #condition);			\
			abort();					\
		}							\
	} while (0)

struct model {
	bool in[CPUS];
	bool leaf[LEAVES];
	struct sbm sbm;
};

static struct sbm_layout *layout;
static int cpu_of[SLOTS];
static unsigned int slot_of[CPUS];
static unsigned int nr_leaves;
static struct model all, some;

static bool has_byte(const struct model *m, unsigned int cpu)
{
	unsigned int leaf = slot_of[cpu] / SBM_LEAF_CPUS;

	return slot_of[cpu] != SBM_NO_SLOT && m->leaf[leaf];
}

static bool member(const struct model *m, unsigned int slot)
{
	return cpu_of[slot] >= 0 && m->in[cpu_of[slot]];
}

static void add_leaf(unsigned int fail)
{
	unsigned int barriers = shim_barriers;
	int ret;

	current->fail_nth = fail;
	ret = sbm_layout_add_leaf(layout, NUMA_NO_NODE, GFP_NOWAIT);
	current->fail_nth = 0;

	if (nr_leaves == LEAVES) {
		CHECK(ret == -ENOSPC);
	} else if (fail == 1) {
		CHECK(ret == -ENOMEM);
	} else {
		CHECK(ret == (int)nr_leaves);
		CHECK(shim_barriers > barriers);
		all.leaf[nr_leaves++] = true;
	}
}

static void add_cpu(unsigned int cpu, unsigned int slot)
{
	unsigned int barriers = shim_barriers;
	int ret = sbm_layout_add_cpu(layout, cpu, slot);

	if (slot >= nr_leaves * SBM_LEAF_CPUS) {
		CHECK(ret == -EINVAL);
	} else if (slot_of[cpu] == slot) {
		CHECK(!ret);
	} else if (slot_of[cpu] != SBM_NO_SLOT || cpu_of[slot] >= 0) {
		CHECK(ret == -EBUSY);
	} else {
		CHECK(!ret);
		CHECK(shim_barriers > barriers);
		slot_of[cpu] = slot;
		cpu_of[slot] = cpu;
	}
}

static void new_span(unsigned int from, unsigned int step, unsigned int fail)
{
	static struct cpumask span;
	unsigned int cpu;

	sbm_free(&some.sbm);
	memset(some.in, 0, sizeof(some.in));
	memset(some.leaf, 0, sizeof(some.leaf));

	bitmap_zero(span.bits, NR_CPUS);
	for (cpu = from % CPUS; cpu < CPUS; cpu += step % 64 + 1)
		__set_bit(cpu, span.bits);

	current->fail_nth = fail;
	if (!sbm_alloc(&some.sbm, layout, &span, GFP_NOWAIT)) {
		CHECK(fail);
		/* As it is after a failure, until it is empty in all respects. */
		sbm_free(&some.sbm);
		bitmap_zero(span.bits, NR_CPUS);
		CHECK(sbm_alloc(&some.sbm, layout, &span, GFP_NOWAIT));
	}
	current->fail_nth = 0;

	for_each_set_bit(cpu, span.bits, CPUS) {
		if (slot_of[cpu] != SBM_NO_SLOT)
			some.leaf[slot_of[cpu] / SBM_LEAF_CPUS] = true;
	}
}

static void write_cpu(struct model *m, unsigned int cpu, bool set)
{
	unsigned int barriers = shim_barriers;

	shim_asserted = NULL;
	if (!set)
		sbm_clear_cpu(cpu, &m->sbm);
	else if (has_byte(m, cpu))
		sbm_set_cpu(cpu, &m->sbm);
	else
		return;

	m->in[cpu] = set;
	if (has_byte(m, cpu))
		CHECK(shim_asserted == sbm_byte(cpu, &m->sbm));
	CHECK(shim_barriers == barriers);

	smp_mb__after_sbm_set();
	CHECK(shim_barriers > barriers);
}

/* All that can be asked of a set. */
static void read_set(const struct model *m, unsigned int start,
		     unsigned int pattern)
{
	static struct cpumask mask, dst;
	unsigned int cpu, slot, leaf, i, any = 0, both = 0;
	unsigned int own = slot_of[start];

	bitmap_zero(mask.bits, NR_CPUS);
	for (cpu = 0; cpu < CPUS; cpu++) {
		if (pattern >> cpu % 8 & 1)
			__set_bit(cpu, mask.bits);
		any += m->in[cpu];
		both += m->in[cpu] && test_bit(cpu, mask.bits);
		CHECK(sbm_test_cpu(cpu, &m->sbm) == m->in[cpu]);
	}
	CHECK(sbm_empty(&m->sbm) == !any);
	sbm_copy(&dst, &m->sbm);
	for (cpu = 0; cpu < CPUS; cpu++)
		CHECK(test_bit(cpu, dst.bits) == m->in[cpu]);

	slot = 0;
	for_each_sbm(cpu, &m->sbm) {
		while (slot < SLOTS && !member(m, slot))
			slot++;
		CHECK(slot < SLOTS && cpu == (unsigned int)cpu_of[slot]);
		slot++;
	}
	while (slot < SLOTS && !member(m, slot))
		slot++;
	CHECK(slot == SLOTS && cpu >= nr_cpu_ids);

	for_each_sbm_and(cpu, &m->sbm, &mask) {
		CHECK(m->in[cpu] && test_bit(cpu, mask.bits));
		both--;
	}
	CHECK(!both);

	cpu = sbm_next(start, &m->sbm);
	for (slot = own; slot < SLOTS; slot++) {
		if (slot != own && member(m, slot))
			break;
	}
	if (own != SBM_NO_SLOT && slot < SLOTS)
		CHECK(cpu == (unsigned int)cpu_of[slot]);
	else
		CHECK(cpu >= nr_cpu_ids);

	/* Step i of a walk from a CPU that has a slot comes to this one. */
	if (own == SBM_NO_SLOT)
		return;
	leaf = own / SBM_LEAF_CPUS * SBM_LEAF_CPUS;
	i = 1;
#define SLOT_OF_STEP(i)	(							\
	(i) < SBM_LEAF_CPUS ? leaf + (own + (i)) % SBM_LEAF_CPUS :	\
	(i) < SLOTS ? (leaf + (i)) % SLOTS : own)
	for_each_sbm_wrap(cpu, &m->sbm, start) {
		while (i <= SLOTS && !member(m, SLOT_OF_STEP(i)))
			i++;
		CHECK(i <= SLOTS && cpu == (unsigned int)cpu_of[SLOT_OF_STEP(i)]);
		i++;
	}
	while (i <= SLOTS && !member(m, SLOT_OF_STEP(i)))
		i++;
	CHECK(i == SLOTS + 1);
}

/* CPUs below @from stay as they are during a walk, the others change. */
static void walk_and_write(struct model *m, unsigned int start,
			   unsigned int from)
{
	unsigned int cpu, next = from;
	bool seen[CPUS] = {};

	for_each_sbm_wrap(cpu, &m->sbm, start) {
		CHECK(cpu < CPUS && !seen[cpu]);
		seen[cpu] = true;
		if (next < CPUS) {
			write_cpu(m, next, !m->in[next]);
			next += 3;
		}
		add_leaf(0);
	}
	for (cpu = 0; cpu < from && cpu < CPUS; cpu++)
		CHECK(seen[cpu] == m->in[cpu]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned int cpu, slot;
	struct model *m;

	layout = sbm_layout_alloc(CPUS, LEAVES, GFP_KERNEL);
	CHECK(layout);
	for (cpu = 0; cpu < CPUS; cpu++)
		slot_of[cpu] = SBM_NO_SLOT;
	for (slot = 0; slot < SLOTS; slot++)
		cpu_of[slot] = -1;
	nr_leaves = 0;
	memset(&all, 0, sizeof(all));
	memset(&some, 0, sizeof(some));
	CHECK(sbm_alloc(&all.sbm, layout, NULL, GFP_KERNEL));
	CHECK(sbm_alloc(&some.sbm, layout, to_cpumask((unsigned long[BITS_TO_LONGS(NR_CPUS)]){}),
			GFP_KERNEL));

	for (; size >= 3; data += 3, size -= 3) {
		m = data[0] & 0x80 ? &some : &all;
		cpu = data[1] % CPUS;

		switch (data[0] & 7) {
		case 0:
			add_leaf(data[1] % 4);
			break;
		case 1:
			add_cpu(cpu, (data[0] >> 3 & 15) * 32 + data[2] % 32);
			break;
		case 2:
			/* A run of CPUs in neighbouring slots. */
			for (slot = data[2]; slot < data[2] + 9u && cpu < CPUS; slot++)
				add_cpu(cpu++, slot);
			break;
		case 3:
			for (; cpu < CPUS && cpu <= data[1] + data[2] % 16u; cpu++)
				write_cpu(m, cpu, true);
			break;
		case 4:
			for (; cpu < CPUS && cpu <= data[1] + data[2] % 16u; cpu++)
				write_cpu(m, cpu, false);
			break;
		case 5:
			new_span(data[1], data[2], data[0] >> 3 & 7);
			break;
		case 6:
			walk_and_write(m, cpu, data[2]);
			break;
		case 7:
			read_set(m, cpu, data[2]);
			break;
		}
	}
	read_set(&all, 0, 0x55);
	read_set(&some, 0, 0x55);

	sbm_free(&all.sbm);
	sbm_free(&some.sbm);
	sbm_layout_free(layout);
	CHECK(!shim_allocated());

	return 0;
}
