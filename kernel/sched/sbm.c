// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scheduler's layout of sparse CPU bitmaps
 *
 * See include/linux/sbm.h for what a layout is.  This file decides which CPUs
 * are in one leaf.  Writers want it to be those of one last-level cache (LLC):
 * a line that only they write need not leave it.  Readers want few leaves: each
 * is a line to fetch.
 *
 * Nothing is known of a CPU until it is up.  x86 clears the masks of one that
 * goes offline, and others fill them in only when it comes up.  CPUs are
 * therefore placed at two times.  Those that are up in sched_init_smp(), nearly
 * always all, are sorted and placed together by sbm_place_all().  Any other is
 * placed by sbm_place_cpu() when it is up for the first time, and must do with
 * what is left.  Either way it keeps the slot.
 *
 * These two know no cpumasks, only the numbers in struct sbm_topo, so that the
 * tests can place the CPUs of any machine on any other.
 *
 * The masks of def_root_domain are allocated before either time, and are over a
 * layout of their own, the early one, in the order of the CPU numbers.
 */

#include <linux/sbm.h>
#include <linux/sort.h>

/*
 * An LLC of fewer CPUs gets no leaf of its own, as readers would then fetch a
 * line for hardly more than one CPU each.  It need not be an LLC, either: the
 * mask is the CPU alone without SCHED_MC, and where the cache is not known, as
 * in some guests.
 */
#define SBM_LLC_MIN	4

/* The LLC of a CPU that has not been up.  Sorts after all others. */
#define SBM_NO_LLC	UINT_MAX

/**
 * struct sbm_topo - what placing a CPU takes into account
 * @node: its NUMA node, or NUMA_NO_NODE
 * @llc: a number that the CPUs of its LLC have in common, or SBM_NO_LLC
 * @core: a number that the CPUs of its core have in common
 *
 * The part of an LLC that is on another node counts as an LLC of its own.
 */
struct sbm_topo {
	int		node;
	unsigned int	llc;
	unsigned int	core;
};

/**
 * struct sbm_item - a CPU on its way to a slot
 * @topo: what it is sorted by
 * @cpu: the CPU
 * @slot: its slot
 */
struct sbm_item {
	struct sbm_topo	topo;
	unsigned int	cpu;
	unsigned int	slot;
};

/**
 * struct sbm_place - a layout, and what CPUs are placed by
 * @layout: the layout
 * @has_llcs: whether an LLC has been seen that is large enough for a leaf
 * @limit: number of CPUs that a leaf should not exceed
 * @nr_cpus: number of CPUs, including numbers that no CPU has
 * @topo: per CPU, its topology when it was placed; only the node before
 */
struct sbm_place {
	struct sbm_layout	*layout;
	bool			has_llcs;
	unsigned int		limit;
	unsigned int		nr_cpus;
	struct sbm_topo		topo[] __counted_by(nr_cpus);
};

static struct sbm_place * __init sbm_place_alloc(unsigned int nr_cpus,
						 unsigned int limit)
{
	struct sbm_place *place;
	unsigned int cpu;

	place = kzalloc_flex(*place, topo, nr_cpus);
	if (!place)
		return NULL;

	place->limit = limit;
	place->nr_cpus = nr_cpus;

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		place->topo[cpu].node = NUMA_NO_NODE;
		place->topo[cpu].llc = SBM_NO_LLC;
	}

	return place;
}

static int __init sbm_item_cmp(const void *a, const void *b)
{
	const struct sbm_item *x = a, *y = b;

	return cmp_int(x->topo.node, y->topo.node) ?:
	       cmp_int(x->topo.llc, y->topo.llc) ?:
	       cmp_int(x->topo.core, y->topo.core) ?:
	       cmp_int(x->cpu, y->cpu);
}

/* How many of @nr sorted items are on the node and in the LLC of the first. */
static unsigned int __init sbm_run(const struct sbm_item *item, unsigned int nr)
{
	unsigned int i;

	for (i = 1; i < nr; i++) {
		if (item[i].topo.node != item->topo.node ||
		    item[i].topo.llc != item->topo.llc)
			break;
	}

	return i;
}

/*
 * Slots for a run of items, in as few leaves from @leaf on as @limit allows.
 * A core goes where its first CPU falls when the run is cut into equal parts,
 * of which there must be more if one turns out too large.  Only a core with
 * more CPUs than the limit is broken up.  Returns the leaf after the last.
 */
static unsigned int __init sbm_split(struct sbm_item *item, unsigned int nr,
				     unsigned int limit, unsigned int leaf)
{
	unsigned int parts = DIV_ROUND_UP(nr, limit);
	unsigned int i, core, part, end, fill;

	do {
		end = leaf;
		core = 0;
		part = 0;
		fill = 0;

		for (i = 0; i < nr; i++) {
			if (item[i].topo.core != item[core].topo.core ||
			    i - core == limit)
				core = i;

			if (core * parts / nr != part) {
				part = core * parts / nr;
				fill = 0;
				end++;
			}

			if (fill == limit)
				break;

			item[i].slot = end * SBM_LEAF_CPUS + fill++;
		}
		parts++;
	} while (i < nr);

	return end + 1;
}

/*
 * Sort the items by node, LLC and core, and give them slots in this order.  On
 * each node, the LLCs that are too small for a leaf of their own are taken for
 * one, which comes last.  Returns the number of leaves.
 */
static unsigned int __init sbm_plan(struct sbm_item *item, unsigned int nr,
				    unsigned int limit)
{
	unsigned int leaf = 0;
	unsigned int i, n;

	sort(item, nr, sizeof(*item), sbm_item_cmp, NULL);

	for (i = 0; i < nr; i += n) {
		n = sbm_run(item + i, nr - i);
		if (n >= SBM_LLC_MIN)
			continue;

		for (unsigned int j = i; j < i + n; j++)
			item[j].topo.llc = SBM_NO_LLC;
	}

	sort(item, nr, sizeof(*item), sbm_item_cmp, NULL);

	for (i = 0; i < nr; i += n) {
		n = sbm_run(item + i, nr - i);
		leaf = sbm_split(item + i, n, limit, leaf);
	}

	return leaf;
}

/*
 * Make the layout, with slots for the CPUs whose LLC is known.  There are
 * enough leaves for each of the others to find a slot some day, if not the best
 * one, should there be no memory for more.  Returns false if there is none now.
 */
static bool __init sbm_place_all(struct sbm_place *place)
{
	struct sbm_item *item __free(kfree) = kzalloc_objs(*item, place->nr_cpus);
	unsigned int cpu, i, leaves, spare, nr = 0;
	struct sbm_layout *layout;

	if (!item)
		return false;

	for (cpu = 0; cpu < place->nr_cpus; cpu++) {
		if (place->topo[cpu].llc == SBM_NO_LLC)
			continue;

		item[nr].topo = place->topo[cpu];
		item[nr].cpu = cpu;
		nr++;
	}

	leaves = sbm_plan(item, nr, place->limit);

	/* At worst, each of the other CPUs turns out to have its own LLC. */
	layout = sbm_layout_alloc(place->nr_cpus, leaves + place->nr_cpus - nr,
				  GFP_KERNEL);
	if (!layout)
		return false;

	/* Adding to a layout takes memory only if there are sets. */
	for (i = 0; i < nr; i++) {
		if (item[i].slot / SBM_LEAF_CPUS == layout->nr_leaves)
			sbm_layout_add_leaf(layout, item[i].topo.node, GFP_KERNEL);

		if (item[i].topo.llc != SBM_NO_LLC)
			place->has_llcs = true;

		sbm_layout_add_cpu(layout, item[i].cpu, item[i].slot);
	}

	spare = leaves * SBM_LEAF_CPUS - nr;

	for (cpu = 0; cpu < place->nr_cpus; cpu++) {
		if (place->topo[cpu].llc != SBM_NO_LLC)
			continue;

		if (!spare) {
			sbm_layout_add_leaf(layout, place->topo[cpu].node, GFP_KERNEL);
			spare = SBM_LEAF_CPUS;
		}
		spare--;
	}

	place->layout = layout;

	return true;
}

static unsigned int sbm_leaf_weight(const struct sbm_layout *layout,
				    unsigned int leaf)
{
	unsigned int slot = leaf * SBM_LEAF_CPUS;
	unsigned int nr = 0;
	unsigned int i;

	for (i = 0; i < SBM_LEAF_CPUS; i++)
		nr += sbm_layout_cpu(layout, slot + i) != SBM_NO_CPU;

	return nr;
}

/*
 * What a leaf is to a CPU that is to be placed, best first.  The last two are
 * for when no leaf can be added.
 */
enum sbm_fit {
	/* A sibling from the same core is in it. */
	SBM_FIT_CORE,
	/* A sibling from the same LLC is in it. */
	SBM_FIT_LLC,
	/* It is on the CPU's node, and empty if LLCs have leaves of their own. */
	SBM_FIT_NODE,
	/* It is on the CPU's node. */
	SBM_FIT_NEAR,
	/* It is not full. */
	SBM_FIT_ROOM,
	SBM_FIT_NONE,
};

static enum sbm_fit sbm_leaf_fit(const struct sbm_place *place,
				 unsigned int leaf, unsigned int cpu)
{
	unsigned int nr = sbm_leaf_weight(place->layout, leaf);
	const struct sbm_topo *other, *topo = &place->topo[cpu];
	enum sbm_fit fit = SBM_FIT_ROOM;
	unsigned int i;

	if (nr == SBM_LEAF_CPUS)
		return SBM_FIT_NONE;

	if (nr >= place->limit)
		return SBM_FIT_ROOM;

	if (place->layout->node[leaf] == topo->node)
		fit = nr && place->has_llcs ? SBM_FIT_NEAR : SBM_FIT_NODE;

	for (i = 0; i < nr; i++) {
		other = &place->topo[sbm_layout_cpu(place->layout, leaf * SBM_LEAF_CPUS + i)];
		if (other->node != topo->node)
			continue;

		if (other->core == topo->core)
			return SBM_FIT_CORE;

		if (other->llc == topo->llc)
			fit = SBM_FIT_LLC;
	}

	return fit;
}

/* How many CPUs of the LLC of @cpu have been placed. */
static unsigned int sbm_llc_weight(const struct sbm_place *place, unsigned int cpu)
{
	const struct sbm_topo *other, *topo = &place->topo[cpu];
	unsigned int nr = 0;

	for (other = place->topo; other < place->topo + place->nr_cpus; other++)
		nr += other->node == topo->node && other->llc == topo->llc;

	return nr;
}

/* Give a CPU a slot, unless it has one. */
static void sbm_place_cpu(struct sbm_place *place, unsigned int cpu,
			  struct sbm_topo topo)
{
	struct sbm_layout *layout = place->layout;
	enum sbm_fit fit, best = SBM_FIT_NONE;
	unsigned int i, leaf = 0;
	int new;

	if (sbm_layout_slot(layout, cpu) != SBM_NO_SLOT)
		return;

	place->topo[cpu] = topo;

	for (i = 0; i < layout->nr_leaves; i++) {
		fit = sbm_leaf_fit(place, i, cpu);
		if (fit < best) {
			best = fit;
			leaf = i;
		}
	}

	if (best > SBM_FIT_NODE) {
		new = sbm_layout_add_leaf(layout, topo.node, GFP_KERNEL);
		if (new >= 0)
			leaf = new;
	}

	i = leaf * SBM_LEAF_CPUS + sbm_leaf_weight(layout, leaf);
	WARN_ON_ONCE(sbm_layout_add_cpu(layout, cpu, i));

	/* A machine may come up with a CPU or two, and show its LLCs later. */
	if (sbm_llc_weight(place, cpu) >= SBM_LLC_MIN)
		place->has_llcs = true;
}

/* Slots equal to the CPU numbers, and for all possible CPUs at once. */
static struct sbm_layout * __init sbm_flat_layout(void)
{
	unsigned int leaves = DIV_ROUND_UP(nr_cpu_ids, SBM_LEAF_CPUS);
	struct sbm_layout *layout;
	unsigned int i;

	layout = sbm_layout_alloc(nr_cpu_ids, leaves, GFP_KERNEL);
	if (!layout)
		return NULL;

	for (i = 0; i < leaves; i++)
		sbm_layout_add_leaf(layout, NUMA_NO_NODE, GFP_KERNEL);

	for_each_possible_cpu(i)
		sbm_layout_add_cpu(layout, i, i);

	return layout;
}

/*
 * What the sets of def_root_domain are over.  It is there before any topology,
 * and for good: offline CPUs and those that no sched domain spans are in it.
 */
struct sbm_layout *sched_sbm_early_layout __ro_after_init;

/* What all other sets are over.  NULL until sched_init_smp(). */
struct sbm_layout *sched_sbm_layout __ro_after_init;

/* How CPUs get into it.  NULL also if all are there from the start. */
static struct sbm_place *sched_sbm_place __ro_after_init;

static unsigned int sched_sbm_limit __initdata = SBM_LEAF_CPUS;
static bool sched_sbm_flat __initdata;

static int __init sched_sbm_setup(char *str)
{
	unsigned int limit;

	if (!strcmp(str, "flat"))
		sched_sbm_flat = true;
	else if (!kstrtouint(str, 10, &limit) && limit && limit <= SBM_LEAF_CPUS)
		sched_sbm_limit = limit;
	else
		pr_warn("sched_sbm: ignoring '%s', which is neither 'flat' nor 1 to %u\n",
			str, SBM_LEAF_CPUS);

	return 1;
}
__setup("sched_sbm=", sched_sbm_setup);

/*
 * The topology of a CPU that is up: only of such are the masks valid.  They may
 * contain CPUs that have not been up.  The first CPU of an LLC to be up gives
 * it the number.
 */
static struct sbm_topo sbm_read_topo(const struct sbm_place *place,
				     unsigned int cpu)
{
	struct sbm_topo topo = {
		.node	= cpu_to_node(cpu),
		.llc	= cpu,
		.core	= cpu,
	};
	unsigned int i;

	for_each_cpu(i, llc_mask(cpu)) {
		if (place->topo[i].llc != SBM_NO_LLC) {
			topo.llc = place->topo[i].llc;
			break;
		}
	}

	for_each_cpu(i, cpu_smt_mask(cpu)) {
		if (place->topo[i].llc != SBM_NO_LLC) {
			topo.core = place->topo[i].core;
			break;
		}
	}

	return topo;
}

static void __init sched_sbm_place_online(void)
{
	struct sbm_place *place;
	unsigned int cpu;

	place = sbm_place_alloc(nr_cpu_ids, sched_sbm_limit);
	if (!place)
		return;

	for_each_possible_cpu(cpu)
		place->topo[cpu].node = cpu_to_node(cpu);

	for_each_online_cpu(cpu)
		place->topo[cpu] = sbm_read_topo(place, cpu);

	if (!sbm_place_all(place))
		return;

	sched_sbm_place = place;
	sched_sbm_layout = place->layout;
}

void __init sched_sbm_early(void)
{
	sched_sbm_early_layout = sbm_flat_layout();
	if (!sched_sbm_early_layout)
		panic("sched_sbm: no memory for the early layout\n");
}

/* No CPU comes or goes before the end of sched_init_smp(). */
void __init sched_sbm_init_smp(void)
{
	unsigned int nr, least = SBM_LEAF_CPUS, most = 0;
	unsigned int leaf, used = 0;

	if (sched_sbm_flat)
		sched_sbm_layout = sched_sbm_early_layout;
	else
		sched_sbm_place_online();

	if (!sched_sbm_layout)
		panic("sched_sbm: no memory for the layout\n");

	for (leaf = 0; leaf < sched_sbm_layout->nr_leaves; leaf++) {
		nr = sbm_leaf_weight(sched_sbm_layout, leaf);
		if (!nr)
			continue;

		least = min(least, nr);
		most = max(most, nr);
		used++;
	}

	pr_info("sched_sbm: %u leaves of %u to %u CPUs, %u more in reserve, %zu bytes per mask\n",
		used, least, most, sched_sbm_layout->nr_leaves - used,
		sbm_size(sched_sbm_layout));
}

/*
 * A CPU is up, for the first time or again.  It is neither active nor is its rq
 * online, so nothing puts it into a set before this has been done.
 */
void sched_sbm_add_cpu(unsigned int cpu)
{
	lockdep_assert_cpus_held();

	if (sched_sbm_place)
		sbm_place_cpu(sched_sbm_place, cpu, sbm_read_topo(sched_sbm_place, cpu));
}

static struct dentry *debugfs_sbm;

/* Leaf, node, and CPUs in the order of their slots. */
static int sbm_layout_show(struct seq_file *m, void *v)
{
	const struct sbm_layout *layout = sched_sbm_layout;
	unsigned int leaf, i, cpu;

	/* Leaves and CPUs are added under the write side. */
	guard(cpus_read_lock)();

	for (leaf = 0; leaf < layout->nr_leaves; leaf++) {
		char sep = ' ';

		seq_printf(m, "%u node %d cpus", leaf, layout->node[leaf]);

		for (i = 0; i < SBM_LEAF_CPUS; i++) {
			cpu = sbm_layout_cpu(layout, leaf * SBM_LEAF_CPUS + i);
			if (cpu == SBM_NO_CPU)
				continue;

			seq_printf(m, "%c%u", sep, cpu);
			sep = ',';
		}

		seq_putc(m, '\n');
	}

	return 0;
}
DEFINE_SHOW_ATTRIBUTE(sbm_layout);

/**
 * sched_sbm_show() - Print the CPUs of a set on a line of their own.
 * @m: The file.
 * @sbm: The set.
 *
 * Return: 0, or -ENOMEM.
 */
int sched_sbm_show(struct seq_file *m, const struct sbm *sbm)
{
	cpumask_var_t cpus;

	if (!alloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;

	sbm_copy(cpus, sbm);
	seq_printf(m, "%*pbl\n", cpumask_pr_args(cpus));
	free_cpumask_var(cpus);

	return 0;
}

/**
 * sched_sbm_debugfs() - Add a file to the directory sched/sbm.
 * @name: Its name.
 * @fops: As DEFINE_SHOW_ATTRIBUTE() makes them.
 *
 * Context: late_initcall_sync() or later, when there is the directory.
 */
void __init sched_sbm_debugfs(const char *name, const struct file_operations *fops)
{
	debugfs_create_file(name, 0444, debugfs_sbm, NULL, fops);
}

void __init sched_sbm_init_debug(struct dentry *parent)
{
	debugfs_sbm = debugfs_create_dir("sbm", parent);
	sched_sbm_debugfs("layout", &sbm_layout_fops);
}

#ifdef CONFIG_SCHED_SBM_KUNIT_TEST
#include "tests/sbm_kunit.c"
#endif
