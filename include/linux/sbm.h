/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_SBM_H
#define _LINUX_SBM_H

/*
 * Sparse CPU bitmap
 *
 * A set of CPUs for the case where every CPU sets and clears itself often and
 * few readers scan the set.  In a cpumask such writers fight for one cache
 * line with locked instructions.  Here each last-level cache has a line of
 * its own and each CPU a byte in that line, so a write is a plain store that
 * stays within the cache that the writer shares anyway.
 *
 * Words with one meaning in all of this:
 *
 * cpu     A CPU number.
 * leaf    One cache line with a byte for each of up to 64 CPUs, or its number
 *         in the layout.
 * slot    A leaf and a byte in it, as one number: leaf * 64 + byte.
 * layout  Which CPU has which slot.  Shared by all the sets laid out alike.
 * sbm     One set of CPUs over a layout.
 * mask    A cpumask, or one leaf's bytes gathered into the bits of a u64.
 *
 * What it is not for: sets that are scanned as often as they are written, sets
 * that are copied or combined with each other, and sets in which a CPU has
 * more than one writer at a time.  A cpumask does these better, and a test for
 * an empty set, which here reads a line for each leaf.
 *
 * With CONFIG_SBM=n an sbm is a cpumask, and every function here compiles to
 * what the cpumask function of the like name compiles to.
 */

#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/gfp_types.h>
#include <linux/kcsan-checks.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/types.h>

#include <asm/barrier.h>

struct sbm_layout;

#ifdef CONFIG_SBM

#define SBM_LEAF_CPUS	64
#define SBM_LEAF_WORDS	(SBM_LEAF_CPUS / sizeof(unsigned long))

/* The slot of a CPU that has none yet.  Its leaf is in no layout. */
#define SBM_NO_SLOT	UINT_MAX

/* The CPU of a slot that is free.  More than any CPU number. */
#define SBM_NO_CPU	U16_MAX

/**
 * union sbm_leaf - up to 64 CPUs that share a cache
 * @byte: 1 for a CPU in the set, else 0
 * @word: the same bytes as a reader loads them
 *
 * A byte has one writer at a time and any number of readers.  Both sides use
 * marked accesses.
 */
union sbm_leaf {
	u8		byte[SBM_LEAF_CPUS];
	unsigned long	word[SBM_LEAF_WORDS];
};

/**
 * struct sbm_layout - the CPUs' slots
 * @sbms: the sets that grow with the layout
 * @nr_cpus: number of CPUs, at least nr_cpu_ids; iterators end with it
 * @nr_leaves: leaves added so far
 * @max_leaves: leaves that there is room for
 * @node: per leaf, the NUMA node that its memory is on
 * @words: per leaf, how many of its words hold a slot in use
 * @cpu: per slot, its CPU, or SBM_NO_CPU
 * @slot: per CPU, its slot, or SBM_NO_SLOT
 *
 * A layout is only ever added to.  A CPU keeps its slot when it goes offline,
 * so that a set needs no care on hotplug, and what has been read of a layout
 * stays true.  Each addition ends with a full memory barrier: who sees a byte
 * set in a leaf, or is promised to by the rules at struct sbm, also sees the
 * leaf and the slot.
 *
 * CPUs without a slot can be tested and cleared.  They are in no set.
 */
struct sbm_layout {
	struct list_head	sbms;
	unsigned int		nr_cpus;
	unsigned int		nr_leaves;
	unsigned int		max_leaves;
	int			*node;
	u8			*words;
	u16			*cpu;
	unsigned int		slot[] __counted_by(nr_cpus);
};

/**
 * struct sbm - sparse CPU bitmap
 * @layout: where each CPU is
 * @leaf: the leaves; NULL for one that no CPU of this set is in
 * @first: number of the first leaf
 * @nr_leaves: number of leaves, counted from @first
 * @list: entry in the layout's @sbms, for a set that grows with it
 *
 * A reader loads a leaf once, word by word, and then works on that snapshot.
 * The bytes have nothing to do with each other: neither a set nor a leaf has a
 * state that all readers agree on.  What a reader can count on:
 *
 * - A CPU that is in the set from before a scan until after it is found, and
 *   in an iteration found once.
 * - A CPU that is not in the set for as long is not found.
 * - A CPU that comes or goes during the scan may be found or not.  By the time
 *   it is looked at, it may have changed again, and in an iteration that can
 *   be as long ago as the first CPU of the same leaf.
 * - A set may look empty although it always had a CPU, if CPUs took turns.
 *
 * A user of a set therefore takes it for a hint and looks at the CPU itself
 * before it acts, and needs a barrier where not to find a CPU would do harm.
 * No function here orders anything but accesses to the same byte.  In
 * particular, smp_mb__after_atomic() does not order sbm_set_cpu().
 *
 * ::
 *
 *	writer				reader
 *	------				------
 *	sbm_set_cpu()			WRITE_ONCE(flag, 0)
 *	smp_mb__after_sbm_set()		smp_mb()
 *	WRITE_ONCE(flag, 1)		scan
 *
 * When both are done, the reader has found the CPU or the flag is set.  The
 * barriers pair.  Weaker ones on either side lose the CPU.  The writer may read
 * the flag first, after its barrier, and not write it if it is set.  Such are
 * nohz_balance_enter_idle() and _nohz_idle_balance().
 *
 * ::
 *
 *	sbm_set_cpu()			atomic_read(&count)
 *	smp_wmb()			smp_rmb()
 *	atomic_inc(&count)		scan
 *
 * A reader that sees the count sees the CPU, unless it has been cleared since.
 * The barriers pair.  Used by rt_set_overload() and pull_rt_task().
 *
 * That a word is read in one access which sees, of each byte, a value that a
 * read of the byte alone could have seen, is more than the kernel's memory
 * model says: it has no accesses of mixed size.  It is taken for granted here,
 * as it is wherever a lock word's bytes are written apart.
 */
struct sbm {
	struct sbm_layout	*layout;
	union sbm_leaf		**leaf;
	unsigned int		first;
	unsigned int		nr_leaves;
	struct list_head	list;
};

struct sbm_layout *sbm_layout_alloc(unsigned int nr_cpus,
				    unsigned int max_leaves, gfp_t gfp);
void sbm_layout_free(struct sbm_layout *layout);
int sbm_layout_add_leaf(struct sbm_layout *layout, int node, gfp_t gfp);
int sbm_layout_add_cpu(struct sbm_layout *layout, unsigned int cpu,
		       unsigned int slot);

bool sbm_alloc(struct sbm *sbm, struct sbm_layout *layout,
	       const struct cpumask *span, gfp_t gfp);
void sbm_free(struct sbm *sbm);
size_t sbm_size(const struct sbm_layout *layout);

bool sbm_empty(const struct sbm *sbm);
unsigned int sbm_next(int n, const struct sbm *sbm);
void sbm_copy(struct cpumask *dst, const struct sbm *sbm);

/**
 * sbm_layout_slot() - Where a CPU is.
 * @layout: The layout.
 * @cpu: A CPU number below the layout's nr_cpus.
 *
 * Context: Any context.
 * Return: The CPU's slot, or SBM_NO_SLOT if it has none yet.
 */
static inline unsigned int sbm_layout_slot(const struct sbm_layout *layout,
					   unsigned int cpu)
{
	cpu_max_bits_warn(cpu, layout->nr_cpus);
	return READ_ONCE(layout->slot[cpu]);
}

/**
 * sbm_layout_cpu() - Whose a slot is.
 * @layout: The layout.
 * @slot: A slot in one of the leaves that the layout has so far.
 *
 * Context: Any context.
 * Return: The CPU that has @slot, or SBM_NO_CPU if it is free.
 */
static inline unsigned int sbm_layout_cpu(const struct sbm_layout *layout,
					  unsigned int slot)
{
	return READ_ONCE(layout->cpu[slot]);
}

/*
 * The byte of @cpu, or NULL if @sbm has none for it.  The unsigned difference
 * is too large for the leaf of SBM_NO_SLOT as well as for a leaf before the
 * first.
 */
static __always_inline u8 *sbm_byte(unsigned int cpu, const struct sbm *sbm)
{
	unsigned int slot = sbm_layout_slot(sbm->layout, cpu);
	unsigned int i = slot / SBM_LEAF_CPUS - sbm->first;
	union sbm_leaf *leaf;

	if (unlikely(i >= READ_ONCE(sbm->nr_leaves)))
		return NULL;

	leaf = READ_ONCE(sbm->leaf[i]);
	if (unlikely(!leaf))
		return NULL;

	return &leaf->byte[slot % SBM_LEAF_CPUS];
}

/**
 * sbm_set_cpu() - Add a CPU to a set.
 * @cpu: The CPU; it is in the set's span, and sbm_layout_add_cpu() has given it
 * its slot before, on this CPU or ordered by a lock.
 * @sbm: The set.
 *
 * A plain store: no atomic operation, and not ordered against anything else.
 * See struct sbm for the barriers that a user may need.
 *
 * Context: Any context.  For each CPU, calls of sbm_set_cpu() and
 * sbm_clear_cpu() on one set must not run at the same time.
 */
static __always_inline void sbm_set_cpu(unsigned int cpu, struct sbm *sbm)
{
	u8 *byte = sbm_byte(cpu, sbm);

	if (WARN_ON_ONCE(!byte))
		return;

	ASSERT_EXCLUSIVE_WRITER(*byte);
	WRITE_ONCE(*byte, 1);
}

/**
 * sbm_clear_cpu() - Remove a CPU from a set.
 * @cpu: The CPU.
 * @sbm: The set.
 *
 * A plain store, as in sbm_set_cpu().  Nothing happens if @cpu has no slot or
 * is outside the set's span.
 *
 * Context: Any context.  For each CPU, calls of sbm_set_cpu() and
 * sbm_clear_cpu() on one set must not run at the same time.
 */
static __always_inline void sbm_clear_cpu(unsigned int cpu, struct sbm *sbm)
{
	u8 *byte = sbm_byte(cpu, sbm);

	if (unlikely(!byte))
		return;

	ASSERT_EXCLUSIVE_WRITER(*byte);
	WRITE_ONCE(*byte, 0);
}

/**
 * sbm_test_cpu() - Test whether a CPU is in a set.
 * @cpu: The CPU.
 * @sbm: The set.
 *
 * Context: Any context.
 * Return: True if @cpu is in @sbm; false also if it has no slot or is outside
 * the set's span.
 */
static __always_inline bool sbm_test_cpu(unsigned int cpu,
					 const struct sbm *sbm)
{
	const u8 *byte = sbm_byte(cpu, sbm);

	return likely(byte) && READ_ONCE(*byte);
}

/**
 * smp_mb__after_sbm_set() - Full memory barrier after sbm_set_cpu().
 *
 * For users that need one whether or not CONFIG_SBM is set: a store needs all
 * of smp_mb(), whereas the fallback's atomic operation needs less.
 *
 * Context: Any context.
 */
#define smp_mb__after_sbm_set()	smp_mb()

/*
 * A walk over a set, which returns @end when it is over.  @mask holds what is
 * left of the leaf with index @i in @sbm, as the bits of that leaf rotated
 * right by @turn.  @todo leaves come after it, out of @nr.  @last is a slot
 * still to be visited after them all.
 */
struct sbm_iter {
	const struct sbm	*sbm;
	u64			mask;
	unsigned int		i;
	unsigned int		nr;
	unsigned int		todo;
	unsigned int		turn;
	unsigned int		last;
	unsigned int		end;
};

struct sbm_iter sbm_iter_wrap(const struct sbm *sbm, unsigned int start);
bool sbm_iter_leaf(struct sbm_iter *it);

static inline struct sbm_iter sbm_iter_all(const struct sbm *sbm)
{
	unsigned int nr = READ_ONCE(sbm->nr_leaves);

	return (struct sbm_iter){
		.sbm	= sbm,
		.i	= nr - 1,
		.nr	= nr,
		.todo	= nr,
		.last	= SBM_NO_SLOT,
		.end	= sbm->layout->nr_cpus,
	};
}

static inline unsigned int sbm_iter_next(struct sbm_iter *it)
{
	const struct sbm *sbm = it->sbm;
	unsigned int byte;

	if (!it->mask && !sbm_iter_leaf(it))
		return it->end;

	byte = (__ffs64(it->mask) + it->turn) % SBM_LEAF_CPUS;
	it->mask &= it->mask - 1;

	return sbm_layout_cpu(sbm->layout,
			      (sbm->first + it->i) * SBM_LEAF_CPUS + byte);
}

static inline unsigned int sbm_iter_next_and(struct sbm_iter *it,
					     const struct cpumask *mask)
{
	unsigned int cpu;

	do {
		cpu = sbm_iter_next(it);
	} while (cpu < it->end && !test_bit(cpu, cpumask_bits(mask)));

	return cpu;
}

/**
 * for_each_sbm() - Iterate over the CPUs of a set.
 * @cpu: The (optionally unsigned) integer iterator.
 * @sbm: The set.
 *
 * The order is that of the slots: leaf after leaf, whatever the CPU numbers.
 * Each leaf is read when the walk comes to it.
 *
 * After the loop, @cpu is >= nr_cpu_ids.
 *
 * Context: Any context.
 */
#define for_each_sbm(cpu, sbm)						\
	for (struct sbm_iter __sbm_it = sbm_iter_all(sbm);		\
	     ((cpu) = sbm_iter_next(&__sbm_it)) < __sbm_it.end;)

/**
 * for_each_sbm_wrap() - Iterate over the CPUs of a set, near ones first.
 * @cpu: The (optionally unsigned) integer iterator.
 * @sbm: The set.
 * @start: The CPU to start after.
 *
 * First comes the leaf that @start is in, from the slot after @start's on and
 * around to the slot before it; then the other leaves, from the next one on
 * and around; and @start itself, if it is in the set, after all the others.
 * Without a slot for @start, the order is that of for_each_sbm().
 *
 * After the loop, @cpu is >= nr_cpu_ids.
 *
 * Context: Any context.
 */
#define for_each_sbm_wrap(cpu, sbm, start)				\
	for (struct sbm_iter __sbm_it = sbm_iter_wrap(sbm, start);	\
	     ((cpu) = sbm_iter_next(&__sbm_it)) < __sbm_it.end;)

/**
 * for_each_sbm_and() - Iterate over the CPUs both in a set and in a cpumask.
 * @cpu: The (optionally unsigned) integer iterator.
 * @sbm: The set.
 * @mask: The cpumask.
 *
 * It is equivalent to for_each_sbm() with a body that skips CPUs which are not
 * in @mask at that time.
 *
 * After the loop, @cpu is >= nr_cpu_ids.
 *
 * Context: Any context.
 */
#define for_each_sbm_and(cpu, sbm, mask)				\
	for (struct sbm_iter __sbm_it = sbm_iter_all(sbm);		\
	     ((cpu) = sbm_iter_next_and(&__sbm_it, mask)) < __sbm_it.end;)

#else /* !CONFIG_SBM */

/*
 * The same on a cpumask.  Slots are the CPU numbers, so that order is that of
 * the CPU numbers; layout and span are ignored.
 */
struct sbm {
	cpumask_var_t cpus;
};

static __always_inline bool sbm_alloc(struct sbm *sbm,
				      struct sbm_layout *layout,
				      const struct cpumask *span, gfp_t gfp)
{
	return zalloc_cpumask_var(&sbm->cpus, gfp);
}

static __always_inline void sbm_free(struct sbm *sbm)
{
	free_cpumask_var(sbm->cpus);
}

static __always_inline void sbm_set_cpu(unsigned int cpu, struct sbm *sbm)
{
	cpumask_set_cpu(cpu, sbm->cpus);
}

static __always_inline void sbm_clear_cpu(unsigned int cpu, struct sbm *sbm)
{
	cpumask_clear_cpu(cpu, sbm->cpus);
}

static __always_inline bool sbm_test_cpu(unsigned int cpu,
					 const struct sbm *sbm)
{
	return cpumask_test_cpu(cpu, sbm->cpus);
}

/* The atomic operation is that of sbm_set_cpu(). */
#define smp_mb__after_sbm_set()	smp_mb__after_atomic()

static __always_inline bool sbm_empty(const struct sbm *sbm)
{
	return cpumask_empty(sbm->cpus);
}

static __always_inline unsigned int sbm_next(int n, const struct sbm *sbm)
{
	return cpumask_next(n, sbm->cpus);
}

static __always_inline void sbm_copy(struct cpumask *dst, const struct sbm *sbm)
{
	cpumask_copy(dst, sbm->cpus);
}

#define for_each_sbm(cpu, sbm)						\
	for_each_cpu(cpu, (sbm)->cpus)

#define for_each_sbm_wrap(cpu, sbm, start)				\
	for_each_cpu_wrap(cpu, (sbm)->cpus, (start) + 1)

#define for_each_sbm_and(cpu, sbm, mask)				\
	for_each_cpu_and(cpu, (sbm)->cpus, (mask))

#endif /* CONFIG_SBM */

#endif /* _LINUX_SBM_H */
