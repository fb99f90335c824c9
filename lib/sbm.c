// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sparse CPU bitmap
 *
 * See include/linux/sbm.h for the words, the contract and what writers do.
 * This file has what is not a single store or load: memory, and the readers
 * that scan.
 *
 * All scans come down to sbm_leaf_mask(), which turns the bytes of a leaf into
 * a mask with one bit per slot.  A scan touches, beside the leaves themselves,
 * the set's table of leaves and the layout's array of word counts, both of
 * which are written only when something is added to the layout.
 */

#include <linux/cache.h>
#include <linux/cleanup.h>
#include <linux/export.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/sbm.h>
#include <linux/slab.h>
#include <linux/string.h>

/* Serialises additions to layouts, and to and from their lists of sets. */
static DEFINE_MUTEX(sbm_mutex);

/*
 * The memory that a leaf takes, so that writes by others do not take its line
 * away.  At least 128 bytes: x86 has prefetchers that fetch lines in pairs, and
 * arm64 is built for 64-byte lines but runs on larger ones, of which it knows
 * only at run time.  s390 has 256 at compile time.  kmalloc() aligns a power of
 * two to itself.
 */
static size_t sbm_stride(void)
{
	size_t line = max_t(size_t, cache_line_size(), 1 << INTERNODE_CACHE_SHIFT);

	return roundup_pow_of_two(max3(line, 128, sizeof(union sbm_leaf)));
}

/* Memory that is mostly read, kept off the lines of what is written. */
static void *sbm_zalloc_quiet(size_t size, gfp_t gfp)
{
	return kvzalloc(round_up(size, sbm_stride()), gfp);
}

/**
 * sbm_layout_alloc() - Allocate a layout.
 * @nr_cpus: One more than the highest CPU number.
 * @max_leaves: The number of leaves that may be added.
 * @gfp: Allocation flags.
 *
 * The layout has no leaf and no CPU.
 *
 * Context: As @gfp allows.
 * Return: The layout, or NULL if there is no memory for it or it would be
 * larger than a layout can be.
 */
struct sbm_layout *sbm_layout_alloc(unsigned int nr_cpus,
				    unsigned int max_leaves, gfp_t gfp)
{
	struct sbm_layout *layout;

	nr_cpus = max(nr_cpus, nr_cpu_ids);
	if (nr_cpus > SBM_NO_CPU || max_leaves > nr_cpus)
		return NULL;

	layout = sbm_zalloc_quiet(struct_size(layout, slot, nr_cpus), gfp);
	if (!layout)
		return NULL;

	INIT_LIST_HEAD(&layout->sbms);
	layout->nr_cpus = nr_cpus;
	layout->max_leaves = max_leaves;
	memset32(layout->slot, SBM_NO_SLOT, nr_cpus);

	layout->node = sbm_zalloc_quiet(max_leaves * sizeof(*layout->node), gfp);
	layout->words = sbm_zalloc_quiet(max_leaves * sizeof(*layout->words), gfp);
	layout->cpu = sbm_zalloc_quiet(max_leaves * SBM_LEAF_CPUS * sizeof(*layout->cpu), gfp);
	if (!layout->node || !layout->words || !layout->cpu) {
		sbm_layout_free(layout);
		return NULL;
	}

	memset16(layout->cpu, SBM_NO_CPU, max_leaves * SBM_LEAF_CPUS);

	return layout;
}
EXPORT_SYMBOL_FOR_MODULES(sbm_layout_alloc, "sbm_kunit,test_sbm");

/**
 * sbm_layout_free() - Free a layout.
 * @layout: The layout, or NULL.  No set uses it any more.
 *
 * Context: As kvfree().
 */
void sbm_layout_free(struct sbm_layout *layout)
{
	if (!layout)
		return;

	WARN_ON_ONCE(!list_empty(&layout->sbms));
	kvfree(layout->cpu);
	kvfree(layout->words);
	kvfree(layout->node);
	kvfree(layout);
}
EXPORT_SYMBOL_FOR_MODULES(sbm_layout_free, "sbm_kunit,test_sbm");

static bool sbm_alloc_leaf(struct sbm *sbm, unsigned int leaf, gfp_t gfp)
{
	union sbm_leaf *p;

	p = kzalloc_node(sbm_stride(), gfp, sbm->layout->node[leaf]);
	/*
	 * Pairs with the address dependency in sbm_leaf_mask(): who sees the
	 * leaf sees it empty, and not what its memory was used for before.
	 */
	smp_store_release(&sbm->leaf[leaf - sbm->first], p);

	return p;
}

static void sbm_free_leaf(struct sbm *sbm, unsigned int leaf)
{
	kfree(sbm->leaf[leaf - sbm->first]);
	sbm->leaf[leaf - sbm->first] = NULL;
}

/**
 * sbm_layout_add_leaf() - Make room for 64 more CPUs.
 * @layout: The layout.
 * @node: The NUMA node that the leaf's CPUs are on, or NUMA_NO_NODE.
 * @gfp: Allocation flags.
 *
 * The sets that grow with the layout get memory for the leaf.
 *
 * Context: Process context.  Takes and releases a mutex.
 * Return: The number of the leaf, its slots starting at 64 times that; -ENOSPC
 * if the layout has all the leaves that it may have; -ENOMEM.
 */
int sbm_layout_add_leaf(struct sbm_layout *layout, int node, gfp_t gfp)
{
	unsigned int leaf;
	struct sbm *sbm;

	guard(mutex)(&sbm_mutex);

	leaf = layout->nr_leaves;
	if (leaf == layout->max_leaves)
		return -ENOSPC;

	layout->node[leaf] = node;

	list_for_each_entry(sbm, &layout->sbms, list) {
		if (!sbm_alloc_leaf(sbm, leaf, gfp))
			goto undo;
	}

	list_for_each_entry(sbm, &layout->sbms, list)
		WRITE_ONCE(sbm->nr_leaves, leaf + 1);

	WRITE_ONCE(layout->nr_leaves, leaf + 1);

	/* Pairs as the one in sbm_layout_add_cpu() does. */
	smp_mb();

	return leaf;

undo:
	list_for_each_entry_continue_reverse(sbm, &layout->sbms, list)
		sbm_free_leaf(sbm, leaf);

	return -ENOMEM;
}
EXPORT_SYMBOL_FOR_MODULES(sbm_layout_add_leaf, "sbm_kunit,test_sbm");

/**
 * sbm_layout_add_cpu() - Give a CPU its slot.
 * @layout: The layout.
 * @cpu: A CPU number below the layout's nr_cpus.
 * @slot: A slot in one of the leaves that the layout has so far.
 *
 * Low slots of a leaf are best used first: readers load a leaf up to the last
 * slot that has ever been given.  To ask again for the slot that @cpu has is
 * not an error.
 *
 * Context: Process context.  Takes and releases a mutex.
 * Return: 0; -EINVAL if there is no such CPU or slot; -EBUSY if @cpu has another
 * slot, or @slot another CPU.
 */
int sbm_layout_add_cpu(struct sbm_layout *layout, unsigned int cpu,
		       unsigned int slot)
{
	unsigned int leaf = slot / SBM_LEAF_CPUS;
	unsigned int words;

	guard(mutex)(&sbm_mutex);

	if (cpu >= layout->nr_cpus || leaf >= layout->nr_leaves)
		return -EINVAL;

	if (layout->slot[cpu] == slot)
		return 0;

	if (layout->slot[cpu] != SBM_NO_SLOT || layout->cpu[slot] != SBM_NO_CPU)
		return -EBUSY;

	words = slot % SBM_LEAF_CPUS / sizeof(unsigned long) + 1;

	WRITE_ONCE(layout->cpu[slot], cpu);
	WRITE_ONCE(layout->words[leaf], max(layout->words[leaf], words));
	WRITE_ONCE(layout->slot[cpu], slot);

	/*
	 * Whoever sets the byte comes after this, and so does a reader that the
	 * writer's barrier, if only an smp_wmb(), lets see it: by the address
	 * that it computes from the byte, or by its own barrier.  Without a full
	 * barrier here, that reader could see the byte and not what is above,
	 * unless the byte is set on the CPU that runs this.
	 */
	smp_mb();

	return 0;
}
EXPORT_SYMBOL_FOR_MODULES(sbm_layout_add_cpu, "sbm_kunit,test_sbm");

/* Room for @nr leaves from @first on. */
static bool sbm_alloc_table(struct sbm *sbm, unsigned int first,
			    unsigned int nr, gfp_t gfp)
{
	sbm->leaf = sbm_zalloc_quiet(nr * sizeof(*sbm->leaf), gfp);
	sbm->first = first;

	return sbm->leaf;
}

/* A set that has, or will have, every leaf of its layout. */
static bool sbm_alloc_all(struct sbm *sbm, gfp_t gfp)
{
	struct sbm_layout *layout = sbm->layout;

	if (!sbm_alloc_table(sbm, 0, layout->max_leaves, gfp))
		return false;

	while (sbm->nr_leaves < layout->nr_leaves) {
		if (!sbm_alloc_leaf(sbm, sbm->nr_leaves, gfp))
			return false;
		sbm->nr_leaves++;
	}

	list_add_tail(&sbm->list, &layout->sbms);

	return true;
}

/* A set that has the leaves of the CPUs in @span. */
static bool sbm_alloc_span(struct sbm *sbm, const struct cpumask *span,
			   gfp_t gfp)
{
	struct sbm_layout *layout = sbm->layout;
	unsigned int first = layout->nr_leaves;
	unsigned int end = 0;
	unsigned int cpu, leaf;

	for_each_set_bit(cpu, cpumask_bits(span), layout->nr_cpus) {
		leaf = layout->slot[cpu] / SBM_LEAF_CPUS;
		if (leaf >= layout->nr_leaves)
			continue;

		first = min(first, leaf);
		end = max(end, leaf + 1);
	}
	end = max(end, first);

	if (!sbm_alloc_table(sbm, first, end - first, gfp))
		return false;

	sbm->nr_leaves = end - first;

	for_each_set_bit(cpu, cpumask_bits(span), layout->nr_cpus) {
		leaf = layout->slot[cpu] / SBM_LEAF_CPUS;
		if (leaf >= layout->nr_leaves || sbm->leaf[leaf - first])
			continue;

		if (!sbm_alloc_leaf(sbm, leaf, gfp))
			return false;
	}

	return true;
}

/**
 * sbm_alloc() - Allocate an empty set.
 * @sbm: The set.
 * @layout: The layout that it is over; it must outlive the set.
 * @span: The CPUs that the set may hold, or NULL for all CPUs of the layout.
 * @gfp: Allocation flags.
 *
 * With @span, CPUs that have no slot yet are left out for ever, and scans look
 * at the leaves from the first to the last one in @span only.  Without, the set
 * grows with the layout and may be allocated before the layout has any CPU.
 *
 * Context: Process context.  Takes and releases a mutex.
 * Return: True, or false if there is no memory; sbm_free() of @sbm is then
 * allowed, but not needed.
 */
bool sbm_alloc(struct sbm *sbm, struct sbm_layout *layout,
	       const struct cpumask *span, gfp_t gfp)
{
	bool ret;

	*sbm = (struct sbm){ .layout = layout };
	INIT_LIST_HEAD(&sbm->list);

	guard(mutex)(&sbm_mutex);

	if (span)
		ret = sbm_alloc_span(sbm, span, gfp);
	else
		ret = sbm_alloc_all(sbm, gfp);

	if (!ret)
		sbm_free(sbm);

	return ret;
}
EXPORT_SYMBOL_FOR_MODULES(sbm_alloc, "sbm_kunit,test_sbm");

/**
 * sbm_free() - Free the memory of a set.
 * @sbm: The set, which sbm_alloc() has been called for.
 *
 * Context: As kvfree() for a set that has been allocated with a span.  Process
 * context for one that grows; takes and releases a mutex.
 */
void sbm_free(struct sbm *sbm)
{
	unsigned int i;

	if (!list_empty(&sbm->list)) {
		guard(mutex)(&sbm_mutex);
		list_del_init(&sbm->list);
	}

	for (i = 0; i < sbm->nr_leaves; i++)
		kfree(sbm->leaf[i]);

	kvfree(sbm->leaf);
	sbm->leaf = NULL;
	sbm->nr_leaves = 0;
}
EXPORT_SYMBOL_FOR_MODULES(sbm_free, "sbm_kunit,test_sbm");

/**
 * sbm_size() - How much memory a set takes.
 * @layout: The layout.
 *
 * Context: Any context.
 * Return: The bytes asked for to allocate a set that grows with @layout, as far
 * as that has grown.
 */
size_t sbm_size(const struct sbm_layout *layout)
{
	size_t table = layout->max_leaves * sizeof(union sbm_leaf *);

	return layout->nr_leaves * sbm_stride() + round_up(table, sbm_stride());
}

/*
 * Eight bytes, or four, of 0 and 1 to as many bits.  The byte at offset i in
 * memory is multiplied to bit i of the highest byte of the product, or highest
 * nibble; the other products all have a bit of their own below that or beyond
 * the end, so that nothing carries into it.
 */
static __always_inline u64 sbm_gather(unsigned long word)
{
#if BITS_PER_LONG == 64
	return word * (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? 0x8040201008040201UL :
							   0x0102040810204080UL) >> 56;
#else
	return word * (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? 0x80402010UL :
							   0x10204080UL) >> 28;
#endif
}

/* The leaf with index @i in @sbm as a mask, each word of it loaded once. */
static u64 sbm_leaf_mask(const struct sbm *sbm, unsigned int i)
{
	const union sbm_leaf *leaf = READ_ONCE(sbm->leaf[i]);
	unsigned int words, w;
	u64 mask = 0;

	if (!leaf)
		return 0;

	words = READ_ONCE(sbm->layout->words[sbm->first + i]);
	for (w = 0; w < words; w++)
		mask |= sbm_gather(READ_ONCE(leaf->word[w])) << (w * sizeof(long));

	return mask;
}

/**
 * sbm_empty() - Test whether a set is empty.
 * @sbm: The set.
 *
 * Context: Any context.
 * Return: False if a CPU has been seen in @sbm.
 */
bool sbm_empty(const struct sbm *sbm)
{
	unsigned int nr = READ_ONCE(sbm->nr_leaves);
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (sbm_leaf_mask(sbm, i))
			return false;
	}

	return true;
}
EXPORT_SYMBOL_FOR_MODULES(sbm_empty, "sbm_kunit,test_sbm");

/**
 * sbm_next() - The next CPU of a set.
 * @n: The CPU whose slot to start after, or -1 for the first CPU.
 * @sbm: The set.
 *
 * The order is that of the slots, not of the CPU numbers.  It is a total one
 * and does not change, so that repeated calls which pass on the CPU come to an
 * end.  @n itself need not be in the set, nor in its span.
 *
 * Context: Any context.
 * Return: The CPU of @sbm with the lowest slot above @n's, or at least
 * nr_cpu_ids if there is none or @n has no slot.
 */
unsigned int sbm_next(int n, const struct sbm *sbm)
{
	struct sbm_iter it = sbm_iter_all(sbm);
	unsigned int slot, i;

	if (n == -1)
		return sbm_iter_next(&it);

	if ((unsigned int)n >= it.end)
		return it.end;

	slot = sbm_layout_slot(sbm->layout, n);
	if (slot / SBM_LEAF_CPUS < sbm->first)
		return sbm_iter_next(&it);

	i = slot / SBM_LEAF_CPUS - sbm->first;
	if (i >= it.nr)
		return it.end;

	it.i = i;
	it.todo = it.nr - i - 1;
	it.mask = sbm_leaf_mask(sbm, i);
	/* Two shifts: one by 64 would be undefined. */
	it.mask &= (~0ULL << slot % SBM_LEAF_CPUS) << 1;

	return sbm_iter_next(&it);
}
EXPORT_SYMBOL_FOR_MODULES(sbm_next, "sbm_kunit,test_sbm");

/*
 * Start a walk in the leaf of @start.  Bit 0 of the turned mask is the slot
 * after @start's, and bit 63 that of @start, which is kept for the end.
 */
struct sbm_iter sbm_iter_wrap(const struct sbm *sbm, unsigned int start)
{
	struct sbm_iter it = sbm_iter_all(sbm);
	unsigned int slot, i;

	if (start >= it.end)
		return it;

	slot = sbm_layout_slot(sbm->layout, start);
	i = slot / SBM_LEAF_CPUS - sbm->first;
	if (i >= it.nr)
		return it;

	it.i = i;
	it.todo = it.nr - 1;
	it.turn = slot % SBM_LEAF_CPUS + 1;
	it.mask = ror64(sbm_leaf_mask(sbm, i), it.turn);
	if (it.mask & BIT_ULL(63))
		it.last = slot;
	it.mask &= ~BIT_ULL(63);

	return it;
}
EXPORT_SYMBOL_FOR_MODULES(sbm_iter_wrap, "sbm_kunit,test_sbm");

/* Go on to the next leaf that has a CPU, unless the walk is at its end. */
bool sbm_iter_leaf(struct sbm_iter *it)
{
	it->turn = 0;

	while (it->todo) {
		it->todo--;
		if (++it->i >= it->nr)
			it->i = 0;

		it->mask = sbm_leaf_mask(it->sbm, it->i);
		if (it->mask)
			return true;
	}

	if (it->last == SBM_NO_SLOT)
		return false;

	it->i = it->last / SBM_LEAF_CPUS - it->sbm->first;
	it->mask = BIT_ULL(it->last % SBM_LEAF_CPUS);
	it->last = SBM_NO_SLOT;

	return true;
}
EXPORT_SYMBOL_FOR_MODULES(sbm_iter_leaf, "sbm_kunit,test_sbm");

/**
 * sbm_copy() - Copy a set to a cpumask.
 * @dst: The cpumask, or a bitmap as large as the layout if that is larger.
 * @sbm: The set.
 *
 * Context: Any context.
 */
void sbm_copy(struct cpumask *dst, const struct sbm *sbm)
{
	unsigned int nr = max(sbm->layout->nr_cpus, large_cpumask_bits);
	unsigned int cpu;

	bitmap_zero(cpumask_bits(dst), nr);
	for_each_sbm(cpu, sbm)
		__set_bit(cpu, cpumask_bits(dst));
}
EXPORT_SYMBOL_FOR_MODULES(sbm_copy, "sbm_kunit,test_sbm");
