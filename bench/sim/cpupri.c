// SPDX-License-Identifier: GPL-2.0-only
/*
 * Levels of CPUs, as they are in the kernel and as a byte for each CPU
 *
 * The masks are written after what kernel/sched/cpupri.c does with memory that CPUs
 * share: for each level a count and a mask, and the level of each CPU.  A change
 * adds the CPU to the new level before it takes it from the old one, so that
 * find(), which goes up from level 0, meets a CPU that rises at one of them.
 *
 * The bytes are in leaves of lib/sbm.c's layout.  A byte is the level plus one, so
 * that a slot without a CPU is as one that is invalid, and it has one writer at a
 * time.  Lowering needs a full barrier before the CPU looks for tasks to pull.
 *
 * What is private to a CPU, the arithmetic on words that are loaded, and the result
 * of find() cost nothing in either.
 */
#include "hook.h"

#include <linux/sbm.h>

#include "cpupri.h"
#include "forms.h"

static unsigned int nr, words;

/* cpu_active_mask; nobody writes it here. */
static unsigned long *active;

static void make_common(void)
{
	unsigned int cpu;

	nr = machine_cpus(sim_machine());
	words = BITS_TO_LONGS(nr);
	active = sim_alloc(words * sizeof(long), 128);
	for (cpu = 0; cpu < nr; cpu++)
		active[BIT_WORD(cpu)] |= BIT_MASK(cpu);
}

void cpupri_deactivate(unsigned int cpu)
{
	active[BIT_WORD(cpu)] &= ~BIT_MASK(cpu);
}

static bool empty(const unsigned long *lowest)
{
	unsigned int i;

	for (i = 0; i < words; i++) {
		if (lowest[i])
			return false;
	}
	return true;
}

/* Counts and masks */

/*
 * Where they are.  In the kernel count and address of the mask are an entry of a
 * table, with CPUMASK_OFFSTACK=y, the masks come one after the other from kmalloc(),
 * and the levels of the CPUs are an array of int.
 */
static u8 *counts, *addresses, *levels;
static size_t count_size, address_size, mask_size, level_size;

#define COUNT(level)	(*(u32 *)(counts + (level) * count_size))
#define MASK(level)	(*(unsigned long **)(addresses + (level) * address_size))
#define LEVEL(cpu)	(*(int *)(levels + (cpu) * level_size))

static void make_masks(void)
{
	unsigned int i;
	u8 *masks;

	masks = sim_alloc(NR_LEVELS * mask_size, 128);
	for (i = 0; i < NR_LEVELS; i++)
		MASK(i) = (unsigned long *)(masks + i * mask_size);
	levels = sim_alloc(nr * level_size, 128);
	for (i = 0; i < nr; i++)
		LEVEL(i) = LEVEL_INVALID;
}

static void masks_make(void)
{
	make_common();
	count_size = sizeof(u32) + 4 + sizeof(long *);
	address_size = count_size;
	mask_size = roundup_pow_of_two(words * sizeof(long));
	level_size = sizeof(int);
	counts = sim_alloc(NR_LEVELS * count_size, 128);
	addresses = counts + 8;
	make_masks();
}

/* Nothing on a line but what is written together. */
static void apart_make(void)
{
	unsigned int line;

	make_common();
	line = sim_machine()->line;
	count_size = line;
	address_size = sizeof(long *);
	mask_size = round_up(words * sizeof(long), line);
	level_size = line;
	counts = sim_alloc(NR_LEVELS * count_size, 128);
	addresses = sim_alloc(NR_LEVELS * address_size, 128);
	make_masks();
}

static size_t masks_memory(void)
{
	size_t table = NR_LEVELS * count_size;

	if (addresses != counts + 8)
		table += NR_LEVELS * address_size;
	return table + sizeof(long *) + NR_LEVELS * mask_size + nr * level_size;
}

static void enter(unsigned int cpu, int level)
{
	locked_set_bit(cpu, READ_ONCE(MASK(level)));
	smp_mb__before_atomic();
	sim_locked(&COUNT(level), RMW_ADD, 1, sizeof(u32));
}

static void leave(unsigned int cpu, int level)
{
	sim_locked(&COUNT(level), RMW_ADD, -1, sizeof(u32));
	smp_mb__after_atomic();
	locked_clear_bit(cpu, READ_ONCE(MASK(level)));
}

static void masks_set(unsigned int cpu, int level, bool lowers)
{
	int old = READ_ONCE(LEVEL(cpu));
	bool first = sim_fault == FAULT_OLD_FIRST;

	(void)lowers;
	if (level == old)
		return;

	if (first && old != LEVEL_INVALID)
		leave(cpu, old);
	if (level != LEVEL_INVALID)
		enter(cpu, level);
	if (!first && old != LEVEL_INVALID) {
		smp_mb__after_atomic();
		leave(cpu, old);
	}
	WRITE_ONCE(LEVEL(cpu), level);
}

static bool mask_find(const struct rt_task *task, const unsigned long *mask,
		      unsigned long *lowest)
{
	unsigned int i;

	for (i = 0; i < words; i++) {
		if (READ_ONCE(mask[i]) & READ_ONCE(task->allowed[i]))
			break;
	}
	if (i == words)
		return false;

	for (i = 0; i < words; i++)
		lowest[i] = READ_ONCE(mask[i]) & READ_ONCE(task->allowed[i]);
	for (i = 0; i < words; i++)
		lowest[i] &= READ_ONCE(active[i]);
	return !empty(lowest);
}

static int masks_find(const struct rt_task *task, unsigned long *lowest)
{
	int level;

	for (level = 0; level < task->level; level++) {
		if (!READ_ONCE(COUNT(level)))
			continue;
		smp_rmb();
		if (mask_find(task, READ_ONCE(MASK(level)), lowest))
			return level;
	}
	return -1;
}

const struct cpupri_form cpupri_masks = {
	"masks", "counts and masks: the base",
	masks_make, masks_memory, masks_set, masks_find,
};

const struct cpupri_form cpupri_apart = {
	"apart", "the same, each count, mask and level on its own line",
	apart_make, masks_memory, masks_set, masks_find,
};

/* Bytes */

/* A task that may use no more CPUs than that has them looked at one by one. */
#define FEW_CPUS	16

static struct sbm *bytes;

static void bytes_make(void)
{
	make_common();
	bytes = sbm_form_alloc(0);
}

static size_t bytes_memory(void)
{
	return sbm_size(bytes->layout);
}

static void bytes_set(unsigned int cpu, int level, bool lowers)
{
	WRITE_ONCE(*sbm_byte(cpu, bytes), level + 1);
	if (lowers && sim_fault != FAULT_NO_LOWER_BARRIER)
		smp_mb();
}

static bool may_use(const struct rt_task *task, unsigned int cpu)
{
	return READ_ONCE(task->allowed[BIT_WORD(cpu)]) &
	       READ_ONCE(active[BIT_WORD(cpu)]) & BIT_MASK(cpu);
}

/* A CPU at @byte that @task may use; @best is the lowest so far. */
static void take(unsigned int cpu, u8 byte, u8 *best, unsigned long *lowest)
{
	if (byte < *best) {
		*best = byte;
		memset(lowest, 0, words * sizeof(long));
	}
	lowest[BIT_WORD(cpu)] |= BIT_MASK(cpu);
}

/* The lowest byte from @from on, or U8_MAX. */
static u8 lowest_byte(const u8 *byte, unsigned int n, u8 from)
{
	u8 low = 0xff;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (byte[i] >= from && byte[i] < low)
			low = byte[i];
	}
	return low;
}

/* Each word of a leaf is loaded once; levels are tried from the lowest up. */
static void leaf_find(const struct rt_task *task, unsigned int leaf, u8 *best,
		      unsigned long *lowest)
{
	const struct sbm_layout *layout = bytes->layout;
	unsigned int slot = (bytes->first + leaf) * SBM_LEAF_CPUS;
	const union sbm_leaf *p = READ_ONCE(bytes->leaf[leaf]);
	unsigned int nr_words = READ_ONCE(layout->words[bytes->first + leaf]);
	unsigned int n = nr_words * sizeof(long), i, cpu;
	bool found = false;
	union sbm_leaf copy;
	u8 low;

	for (i = 0; i < nr_words; i++)
		copy.word[i] = READ_ONCE(p->word[i]);

	for (low = 0; !found;) {
		low = lowest_byte(copy.byte, n, low + 1);
		if (low > *best)
			return;
		for (i = 0; i < n; i++) {
			if (copy.byte[i] != low)
				continue;
			cpu = sbm_layout_cpu(layout, slot + i);
			if (!may_use(task, cpu))
				continue;
			take(cpu, low, best, lowest);
			found = true;
		}
	}
}

/* In the order of their numbers, for few. */
static void few_find(const struct rt_task *task, u8 *best, unsigned long *lowest)
{
	unsigned int i, cpu;
	unsigned long word;
	u8 byte;

	for (i = 0; i < words; i++) {
		word = READ_ONCE(task->allowed[i]) & READ_ONCE(active[i]);
		for (; word; word &= word - 1) {
			cpu = i * BITS_PER_LONG + __builtin_ctzl(word);
			byte = READ_ONCE(*sbm_byte(cpu, bytes));
			if (byte && byte <= *best)
				take(cpu, byte, best, lowest);
		}
	}
}

/*
 * The task's own leaf comes first.  If it has a CPU at LEVEL_NORMAL, no other can
 * have a lower one, and find_lowest_rq() would take a near one anyway.  Without,
 * all others are read; with @first_leaf only up to one that has such a CPU.
 */
static int find(const struct rt_task *task, unsigned long *lowest, bool first_leaf)
{
	unsigned int nr_leaves = READ_ONCE(bytes->nr_leaves);
	unsigned int own, i;
	u8 best = task->level;

	memset(lowest, 0, words * sizeof(long));
	if (task->nr_allowed <= FEW_CPUS) {
		few_find(task, &best, lowest);
		return empty(lowest) ? -1 : best - 1;
	}

	own = sbm_layout_slot(bytes->layout, task->cpu) / SBM_LEAF_CPUS - bytes->first;
	for (i = 0; i < nr_leaves; i++) {
		leaf_find(task, (own + i) % nr_leaves, &best, lowest);
		if (sim_fault == FAULT_OWN_LEAF)
			break;
		if ((!i || first_leaf) && best == LEVEL_NORMAL + 1 && !empty(lowest))
			break;
	}
	return empty(lowest) ? -1 : best - 1;
}

static int bytes_find(const struct rt_task *task, unsigned long *lowest)
{
	return find(task, lowest, false);
}

static int first_find(const struct rt_task *task, unsigned long *lowest)
{
	return find(task, lowest, true);
}

const struct cpupri_form cpupri_bytes = {
	"bytes", "a byte for each CPU, a line for each LLC",
	bytes_make, bytes_memory, bytes_set, bytes_find,
};

const struct cpupri_form cpupri_first = {
	"first", "the same; a search ends with the first leaf that has a normal CPU",
	bytes_make, bytes_memory, bytes_set, first_find,
};
