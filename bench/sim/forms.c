// SPDX-License-Identifier: GPL-2.0-only
/*
 * Forms that are not in the series, for comparison
 */
#include "hook.h"
#include "forms.h"

void form_barrier(const struct form *form)
{
	if (form->locked)
		smp_mb__after_atomic();
	else
		smp_mb();
}

static unsigned int nr;

/*
 * Walk @bits bits of @map from bit @from on, as for_each_set_bit() does: the
 * word is read again for each bit.  cpu_of() tells whose bit it is.  Returns
 * false when @visit does.
 */
static bool walk_bits(unsigned long *map, unsigned int from, unsigned int end,
		      unsigned int base,
		      unsigned int (*cpu_of)(unsigned int base, unsigned int bit),
		      bool (*visit)(unsigned int cpu))
{
	unsigned long word;
	unsigned int bit;

	for (bit = from; bit < end; bit++) {
		word = READ_ONCE(map[BIT_WORD(bit)]) >> bit % BITS_PER_LONG;
		if (!word) {
			bit |= BITS_PER_LONG - 1;
			continue;
		}
		bit += __builtin_ctzl(word);
		if (bit >= end)
			break;
		if (!visit(cpu_of(base, bit)))
			return false;
	}
	return true;
}

static bool empty_bits(unsigned long *map, unsigned int bits)
{
	unsigned int i;

	for (i = 0; i < BITS_TO_LONGS(bits); i++) {
		if (READ_ONCE(map[i]))
			return false;
	}
	return true;
}

/* One bitmap: nohz.idle_cpus_mask as it is */

static unsigned long *global;

static void global_make(unsigned int limit)
{
	(void)limit;
	nr = machine_cpus(sim_machine());
	global = sim_alloc(BITS_TO_LONGS(nr) * sizeof(long), 64);
}

static void global_set(unsigned int cpu)
{
	locked_set_bit(cpu, global);
}

static void global_clear(unsigned int cpu)
{
	locked_clear_bit(cpu, global);
}

static bool global_test(unsigned int cpu)
{
	return READ_ONCE(global[BIT_WORD(cpu)]) & BIT_MASK(cpu);
}

static bool global_empty(void)
{
	return empty_bits(global, nr);
}

static unsigned int same(unsigned int base, unsigned int bit)
{
	return base + bit;
}

static void global_walk(unsigned int start, bool (*visit)(unsigned int cpu))
{
	if (walk_bits(global, start + 1, nr, 0, same, visit))
		walk_bits(global, 0, start + 1, 0, same, visit);
}

const struct form form_global = {
	"global", "one bitmap, locked operations: a cpumask", true,
	global_make, global_set, global_clear, global_test, global_empty,
	global_walk,
};

/*
 * A bitmap for each NUMA node, or each LLC, on lines of its own; locked.  Bits
 * count the CPUs of the part core by core.
 */

static unsigned long **parts;
static unsigned int nr_parts, part_cpus, part_cores;

static void parts_make(unsigned int cores)
{
	const struct machine *m = sim_machine();
	unsigned int i;

	nr = machine_cpus(m);
	part_cores = cores;
	part_cpus = cores * m->smt;
	nr_parts = nr / part_cpus;
	parts = sim_alloc(nr_parts * sizeof(*parts), 128);
	for (i = 0; i < nr_parts; i++)
		parts[i] = sim_alloc(BITS_TO_LONGS(part_cpus) * sizeof(long), 128);
}

static void numa_make(unsigned int limit)
{
	(void)limit;
	parts_make(sim_machine()->llcs * sim_machine()->cores);
}

/* With @limit, an LLC is split into equal parts, along its cores. */
static void llc_make(unsigned int limit)
{
	const struct machine *m = sim_machine();
	unsigned int cores = m->cores;

	while (limit && (cores * m->smt > limit || m->cores % cores))
		cores--;
	parts_make(cores);
}

static unsigned int part_bit(unsigned int cpu, unsigned int *part)
{
	const struct machine *m = sim_machine();
	struct place p = machine_place(m, cpu);

	*part = p.core / part_cores;
	return p.core % part_cores * m->smt + p.thread;
}

static unsigned int part_cpu(unsigned int part, unsigned int bit)
{
	const struct machine *m = sim_machine();

	return machine_cpu(m, part * part_cores + bit / m->smt, bit % m->smt);
}

static void part_set(unsigned int cpu)
{
	unsigned int part, bit = part_bit(cpu, &part);

	locked_set_bit(bit, READ_ONCE(parts[part]));
}

static void part_clear(unsigned int cpu)
{
	unsigned int part, bit = part_bit(cpu, &part);

	locked_clear_bit(bit, READ_ONCE(parts[part]));
}

static bool part_test(unsigned int cpu)
{
	unsigned int part, bit = part_bit(cpu, &part);

	return READ_ONCE(READ_ONCE(parts[part])[BIT_WORD(bit)]) & BIT_MASK(bit);
}

static bool part_empty(void)
{
	unsigned int i;

	for (i = 0; i < nr_parts; i++) {
		if (!empty_bits(READ_ONCE(parts[i]), part_cpus))
			return false;
	}
	return true;
}

static void part_walk(unsigned int start, bool (*visit)(unsigned int cpu))
{
	unsigned int part, i, k, bit = part_bit(start, &part);

	if (!walk_bits(READ_ONCE(parts[part]), bit + 1, part_cpus, part, part_cpu,
		       visit))
		return;
	for (i = 1; i < nr_parts; i++) {
		k = (part + i) % nr_parts;
		if (!walk_bits(READ_ONCE(parts[k]), 0, part_cpus, k, part_cpu, visit))
			return;
	}
	walk_bits(READ_ONCE(parts[part]), 0, bit + 1, part, part_cpu, visit);
}

const struct form form_numa = {
	"numa", "a bitmap for each node, locked operations", true,
	numa_make, part_set, part_clear, part_test, part_empty, part_walk,
};

const struct form form_llc = {
	"llc", "a bitmap for each LLC, locked operations", true,
	llc_make, part_set, part_clear, part_test, part_empty, part_walk,
};

/* A byte for each CPU, in the order of their numbers, whatever the LLC */

static u8 *bytes;

static void bytes_make(unsigned int limit)
{
	(void)limit;
	nr = machine_cpus(sim_machine());
	bytes = sim_alloc(nr, 128);
}

static void bytes_set(unsigned int cpu)
{
	WRITE_ONCE(bytes[cpu], 1);
}

static void bytes_clear(unsigned int cpu)
{
	WRITE_ONCE(bytes[cpu], 0);
}

static bool bytes_test(unsigned int cpu)
{
	return READ_ONCE(bytes[cpu]);
}

static bool bytes_empty(void)
{
	unsigned int i;

	for (i = 0; i < nr; i += 8) {
		if (READ_ONCE(*(u64 *)(bytes + i)))
			return false;
	}
	return true;
}

/* Eight bytes are read at once. */
static bool bytes_range(unsigned int from, unsigned int end,
			bool (*visit)(unsigned int cpu))
{
	unsigned int cpu = from, stop;
	u64 word;

	while (cpu < end) {
		word = READ_ONCE(*(u64 *)(bytes + cpu / 8 * 8)) >> cpu % 8 * 8;
		stop = cpu / 8 * 8 + 8;
		for (; cpu < stop && cpu < end; cpu++, word >>= 8) {
			if ((word & 1) && !visit(cpu))
				return false;
		}
	}
	return true;
}

static void bytes_walk(unsigned int start, bool (*visit)(unsigned int cpu))
{
	if (bytes_range(start + 1, nr, visit))
		bytes_range(0, start + 1, visit);
}

const struct form form_bytes = {
	"bytes", "a byte for each CPU by its number, no leaves", false,
	bytes_make, bytes_set, bytes_clear, bytes_test, bytes_empty, bytes_walk,
};

/* No set: a flag in each run queue */

static u8 *flags;
#define FLAG(cpu)	flags[(cpu) * 128UL]

static void none_make(unsigned int limit)
{
	(void)limit;
	nr = machine_cpus(sim_machine());
	flags = sim_alloc(nr * 128UL, 128);
}

static void none_set(unsigned int cpu)
{
	WRITE_ONCE(FLAG(cpu), 1);
}

static void none_clear(unsigned int cpu)
{
	WRITE_ONCE(FLAG(cpu), 0);
}

static bool none_test(unsigned int cpu)
{
	return READ_ONCE(FLAG(cpu));
}

static bool none_empty(void)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (none_test(i))
			return false;
	}
	return true;
}

static void none_walk(unsigned int start, bool (*visit)(unsigned int cpu))
{
	unsigned int i, cpu;

	for (i = 1; i <= nr; i++) {
		cpu = (start + i) % nr;
		if (none_test(cpu) && !visit(cpu))
			return;
	}
}

const struct form form_none = {
	"none", "no set: readers look at a flag of each run queue", false,
	none_make, none_set, none_clear, none_test, none_empty, none_walk,
};
