// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for the scheduler's layout of sparse CPU bitmaps
 *
 * The machines are made up, so that any kernel on any machine runs all of it.
 * What makes a layout a good one is checked from the machine's description, in
 * ways that have nothing in common with how the layout is made.
 *
 * sbm_place_all() is boot code, and so is this.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

/**
 * struct sbm_machine - a made-up machine
 * @name: what is special about it
 * @nr_cpus: number of CPUs
 * @smt: CPUs per core
 * @llc: CPUs per LLC, by its mask; may be less than there are per core
 * @node: CPUs per node; 0 if nodes are not known
 * @apart: siblings have numbers as far apart as there are cores; else they are
 *         neighbours
 * @step: node ids are multiples of it
 * @alone: so many of the last CPUs share nothing with anyone
 * @limit: CPUs per leaf
 * @leaves: how many leaves there are once all CPUs are placed together
 * @min: the fewest CPUs in one
 * @max: the most
 */
struct sbm_machine {
	const char	*name;
	unsigned int	nr_cpus;
	unsigned int	smt;
	unsigned int	llc;
	unsigned int	node;
	bool		apart;
	unsigned int	step;
	unsigned int	alone;
	unsigned int	limit;
	unsigned int	leaves;
	unsigned int	min;
	unsigned int	max;
};

static const struct sbm_machine sbm_machines[] = {
	{ "one CPU", 1, 1, 1, 1, false, 1, 0, 64, 1, 1, 1 },
	{ "one core", 2, 2, 2, 2, false, 1, 0, 64, 1, 2, 2 },
	{ "one small LLC", 3, 1, 3, 3, false, 1, 0, 64, 1, 3, 3 },
	{ "contiguous", 64, 2, 16, 32, false, 1, 0, 64, 4, 16, 16 },
	{ "siblings at +N/2", 256, 2, 16, 128, true, 1, 0, 64, 16, 16, 16 },
	{ "SMT8 apart", 256, 8, 32, 64, true, 1, 0, 64, 8, 32, 32 },
	{ "nothing known", 100, 1, 1, 0, false, 1, 0, 64, 2, 50, 50 },
	{ "nothing known, a CPU too many", 65, 1, 1, 0, false, 1, 0, 64, 2, 32, 33 },
	{ "nothing known, three leaves", 129, 1, 1, 0, false, 1, 0, 64, 3, 43, 43 },
	{ "SCHED_MC=n", 256, 2, 1, 64, true, 1, 0, 64, 4, 64, 64 },
	{ "SCHED_MC=n, uneven", 192, 2, 1, 96, true, 1, 0, 64, 4, 48, 48 },
	{ "LLC per core", 96, 2, 2, 48, true, 1, 0, 64, 2, 48, 48 },
	{ "LLCs of 3", 96, 1, 3, 96, false, 1, 0, 64, 2, 48, 48 },
	{ "LLCs of 4", 96, 1, 4, 96, false, 1, 0, 64, 24, 4, 4 },
	{ "hybrid", 22, 2, 20, 22, false, 1, 2, 64, 2, 2, 20 },
	{ "hybrid, two nodes", 40, 1, 16, 20, false, 1, 6, 64, 4, 4, 16 },
	{ "giant LLC", 240, 2, 240, 240, true, 1, 0, 64, 4, 60, 60 },
	{ "two giant LLCs", 448, 4, 224, 224, true, 1, 0, 64, 8, 56, 56 },
	{ "one core too many", 66, 2, 66, 66, false, 1, 0, 64, 2, 32, 34 },
	{ "full leaves", 128, 2, 64, 128, false, 1, 0, 64, 2, 64, 64 },
	{ "sparse node ids", 128, 2, 16, 32, true, 60, 0, 64, 8, 16, 16 },
	{ "LLC on two nodes", 96, 2, 48, 24, false, 1, 0, 64, 4, 24, 24 },
	{ "many LLCs", 2048, 2, 8, 256, true, 1, 0, 64, 256, 8, 8 },
	{ "limit 1", 12, 2, 12, 12, false, 1, 0, 1, 12, 1, 1 },
	{ "limit 7", 36, 2, 36, 36, true, 1, 0, 7, 6, 6, 6 },
	{ "limit 33", 100, 1, 100, 100, false, 1, 0, 33, 4, 25, 25 },
	{ "limit below a core", 16, 8, 16, 16, true, 1, 0, 3, 6, 2, 3 },
};

/* CPUs share a core, an LLC and a node with those that are near in this order. */
static unsigned int sbm_cpu_pos(const struct sbm_machine *m, unsigned int cpu)
{
	unsigned int cores = (m->nr_cpus - m->alone) / m->smt;

	return m->apart ? cpu % cores * m->smt + cpu / cores : cpu;
}

static unsigned int sbm_pos_cpu(const struct sbm_machine *m, unsigned int pos)
{
	unsigned int cores = (m->nr_cpus - m->alone) / m->smt;

	return m->apart ? pos % m->smt * cores + pos / m->smt : pos;
}

static struct sbm_topo sbm_machine_topo(const struct sbm_machine *m, unsigned int cpu)
{
	bool alone = cpu >= m->nr_cpus - m->alone;
	unsigned int pos = alone ? cpu : sbm_cpu_pos(m, cpu);

	return (struct sbm_topo){
		.node	= m->node ? pos / m->node * m->step : NUMA_NO_NODE,
		.llc	= alone ? cpu : sbm_pos_cpu(m, pos - pos % m->llc),
		.core	= alone ? cpu : sbm_pos_cpu(m, pos - pos % m->smt),
	};
}

/**
 * struct sbm_world - a machine and what has been made of it
 * @m: the machine
 * @topo: each CPU's topology, as if all were up
 * @up: the CPUs that are up
 * @group: per CPU, how many CPUs that are up at boot share its LLC and node
 * @uneven: whether some cores have fewer CPUs than others
 * @place: what is tested
 */
struct sbm_world {
	const struct sbm_machine	*m;
	struct sbm_topo			*topo;
	bool				*up;
	unsigned int			*group;
	bool				uneven;
	struct sbm_place		*place;
};

static void sbm_world_free(struct kunit *test, struct sbm_world *w)
{
	sbm_layout_free(w->place->layout);
	kfree(w->place);
	kunit_kfree(test, w->topo);
	kunit_kfree(test, w->up);
	kunit_kfree(test, w->group);
}

static void __init sbm_world_init(struct kunit *test, struct sbm_world *w,
				  const struct sbm_machine *m)
{
	unsigned int cpu;

	w->m = m;
	w->uneven = m->alone && m->smt > 1;
	w->topo = kunit_kcalloc(test, m->nr_cpus, sizeof(*w->topo), GFP_KERNEL);
	w->up = kunit_kcalloc(test, m->nr_cpus, sizeof(*w->up), GFP_KERNEL);
	w->group = kunit_kcalloc(test, m->nr_cpus, sizeof(*w->group), GFP_KERNEL);
	w->place = sbm_place_alloc(m->nr_cpus, m->limit);
	KUNIT_ASSERT_NOT_NULL(test, w->topo);
	KUNIT_ASSERT_NOT_NULL(test, w->up);
	KUNIT_ASSERT_NOT_NULL(test, w->group);
	KUNIT_ASSERT_NOT_NULL(test, w->place);

	for (cpu = 0; cpu < m->nr_cpus; cpu++)
		w->topo[cpu] = sbm_machine_topo(m, cpu);
}

static bool sbm_same_llc(const struct sbm_world *w, unsigned int a, unsigned int b)
{
	return w->topo[a].node == w->topo[b].node && w->topo[a].llc == w->topo[b].llc;
}

/* Place the CPUs that @w->up says are up. */
static void __init sbm_world_boot(struct kunit *test, struct sbm_world *w)
{
	unsigned int cpu, i;

	for (cpu = 0; cpu < w->m->nr_cpus; cpu++) {
		w->place->topo[cpu].node = w->topo[cpu].node;
		if (!w->up[cpu])
			continue;

		w->place->topo[cpu] = w->topo[cpu];
		for (i = 0; i < w->m->nr_cpus; i++) {
			if (w->up[i])
				w->group[cpu] += sbm_same_llc(w, i, cpu);
			else if (w->topo[i].core == w->topo[cpu].core)
				w->uneven = true;
		}
	}

	KUNIT_ASSERT_TRUE(test, sbm_place_all(w->place));
}

static unsigned int sbm_cpu_slot(const struct sbm_world *w, unsigned int cpu)
{
	return sbm_layout_slot(w->place->layout, cpu);
}

static unsigned int sbm_slot_cpu(const struct sbm_world *w, unsigned int leaf,
				 unsigned int byte)
{
	return sbm_layout_cpu(w->place->layout, leaf * SBM_LEAF_CPUS + byte);
}

/*
 * What must be true of a layout at all times: the CPUs that are up have a slot
 * each, the others do not, the low slots of a leaf come first, and there is
 * room for everyone.
 */
static void sbm_check(struct kunit *test, const struct sbm_world *w)
{
	const struct sbm_layout *layout = w->place->layout;
	unsigned int leaf, byte, cpu, used = 0, nr_up = 0;

	for (leaf = 0; leaf < layout->nr_leaves; leaf++) {
		bool free = false;

		for (byte = 0; byte < SBM_LEAF_CPUS; byte++) {
			cpu = sbm_slot_cpu(w, leaf, byte);
			if (cpu == SBM_NO_CPU) {
				free = true;
				continue;
			}

			used++;
			KUNIT_EXPECT_FALSE_MSG(test, free, "%s: a gap in leaf %u",
					       w->m->name, leaf);
			KUNIT_ASSERT_LT(test, cpu, w->m->nr_cpus);
			KUNIT_EXPECT_EQ_MSG(test, sbm_cpu_slot(w, cpu),
					    leaf * SBM_LEAF_CPUS + byte,
					    "%s: CPU %u", w->m->name, cpu);
		}
	}

	for (cpu = 0; cpu < w->m->nr_cpus; cpu++) {
		nr_up += w->up[cpu];
		KUNIT_EXPECT_EQ_MSG(test, sbm_cpu_slot(w, cpu) != SBM_NO_SLOT, w->up[cpu],
				    "%s: CPU %u", w->m->name, cpu);
	}

	KUNIT_EXPECT_EQ_MSG(test, used, nr_up, "%s", w->m->name);
	KUNIT_EXPECT_GE_MSG(test, layout->nr_leaves * SBM_LEAF_CPUS, w->m->nr_cpus,
			    "%s: not enough room", w->m->name);
}

/* The CPUs in one LLC, or if it is too small those of the node in such. */
static bool sbm_same_unit(const struct sbm_world *w, unsigned int a, unsigned int b)
{
	if (w->group[a] >= SBM_LLC_MIN || w->group[b] >= SBM_LLC_MIN)
		return sbm_same_llc(w, a, b);

	return w->topo[a].node == w->topo[b].node;
}

/* The leaves of one unit, from @leaf on: as few as can be, and as even. */
static unsigned int sbm_check_unit(struct kunit *test, const struct sbm_world *w,
				   unsigned int leaf)
{
	const struct sbm_layout *layout = w->place->layout;
	unsigned int limit = w->m->limit, smt = w->m->smt;
	unsigned int min = UINT_MAX, max = 0, sum = 0, nr = 0;
	unsigned int first = sbm_slot_cpu(w, leaf, 0);

	for (; leaf < layout->nr_leaves; leaf++) {
		unsigned int weight = sbm_leaf_weight(layout, leaf);

		if (!weight || !sbm_same_unit(w, first, sbm_slot_cpu(w, leaf, 0)))
			break;

		min = min(min, weight);
		max = max(max, weight);
		sum += weight;
		nr++;
	}

	KUNIT_EXPECT_LE_MSG(test, max, w->m->limit, "%s", w->m->name);

	if (w->uneven || smt > limit)
		return leaf;

	KUNIT_EXPECT_EQ_MSG(test, nr, DIV_ROUND_UP(sum, limit - limit % smt), "%s", w->m->name);
	KUNIT_EXPECT_LE_MSG(test, max - min, smt, "%s", w->m->name);

	return leaf;
}

/* By node; then LLCs by their lowest CPU, whether up or not; then the rest. */
static int sbm_order(const struct sbm_world *w, unsigned int a, unsigned int b)
{
	bool small_a = w->group[a] < SBM_LLC_MIN;
	bool small_b = w->group[b] < SBM_LLC_MIN;

	return cmp_int(w->topo[a].node, w->topo[b].node) ?:
	       cmp_int(small_a, small_b) ?:
	       (small_a ? 0 : cmp_int(w->topo[a].llc, w->topo[b].llc));
}

/* What must be true after sbm_place_all(). */
static void sbm_check_boot(struct kunit *test, const struct sbm_world *w)
{
	const struct sbm_layout *layout = w->place->layout;
	unsigned int leaf, byte, cpu, first, prev = SBM_NO_CPU;
	unsigned int empty = 0, room = 0, late = 0;

	sbm_check(test, w);

	for (leaf = 0; leaf < layout->nr_leaves; leaf++) {
		first = sbm_slot_cpu(w, leaf, 0);
		if (first == SBM_NO_CPU) {
			empty++;
			continue;
		}
		room += SBM_LEAF_CPUS - sbm_leaf_weight(layout, leaf);

		KUNIT_EXPECT_EQ_MSG(test, layout->node[leaf], w->topo[first].node,
				    "%s: leaf %u", w->m->name, leaf);

		for (byte = 0; byte < sbm_leaf_weight(layout, leaf); byte++) {
			cpu = sbm_slot_cpu(w, leaf, byte);
			KUNIT_EXPECT_TRUE_MSG(test, sbm_same_unit(w, first, cpu),
					      "%s: CPUs %u and %u in one leaf",
					      w->m->name, first, cpu);
		}

		if (prev != SBM_NO_CPU)
			KUNIT_EXPECT_LE_MSG(test, sbm_order(w, prev, first), 0,
					    "%s: CPU %u before %u", w->m->name, prev, first);
		prev = first;
	}

	/* No more is kept in reserve than needed. */
	for (cpu = 0; cpu < w->m->nr_cpus; cpu++)
		late += !w->up[cpu];
	late -= min(late, room);
	KUNIT_EXPECT_EQ_MSG(test, empty, DIV_ROUND_UP(late, SBM_LEAF_CPUS), "%s", w->m->name);

	for (leaf = 0; leaf < layout->nr_leaves - empty;)
		leaf = sbm_check_unit(test, w, leaf);

	/* Siblings are neighbours, in the order of their numbers. */
	for (cpu = 0; cpu < w->m->nr_cpus && w->m->smt <= w->m->limit; cpu++) {
		unsigned int i;

		for (i = cpu + 1; i < w->m->nr_cpus; i++) {
			if (w->up[i] && w->topo[i].core == w->topo[cpu].core)
				break;
		}
		if (!w->up[cpu] || i == w->m->nr_cpus)
			continue;

		KUNIT_EXPECT_EQ_MSG(test, sbm_cpu_slot(w, i), sbm_cpu_slot(w, cpu) + 1,
				    "%s: siblings %u and %u", w->m->name, cpu, i);
		KUNIT_EXPECT_NE_MSG(test, sbm_cpu_slot(w, i) % SBM_LEAF_CPUS, 0,
				    "%s: siblings %u and %u", w->m->name, cpu, i);
	}
}

/* All CPUs are up at boot. */
static void __init sbm_boot_test(struct kunit *test)
{
	const struct sbm_machine *m;
	struct sbm_world w = {};

	for (m = sbm_machines; m < sbm_machines + ARRAY_SIZE(sbm_machines); m++) {
		unsigned int leaf, weight, least = UINT_MAX, most = 0;

		sbm_world_init(test, &w, m);
		memset(w.up, true, m->nr_cpus);
		sbm_world_boot(test, &w);
		sbm_check_boot(test, &w);

		for (leaf = 0; leaf < w.place->layout->nr_leaves; leaf++) {
			weight = sbm_leaf_weight(w.place->layout, leaf);
			least = min(least, weight);
			most = max(most, weight);
		}

		KUNIT_EXPECT_EQ_MSG(test, w.place->layout->nr_leaves, m->leaves, "%s", m->name);
		KUNIT_EXPECT_EQ_MSG(test, least, m->min, "%s", m->name);
		KUNIT_EXPECT_EQ_MSG(test, most, m->max, "%s", m->name);

		sbm_world_free(test, &w);
	}
}

/* Every limit, on machines small enough. */
static void __init sbm_limit_test(struct kunit *test)
{
	struct sbm_machine m;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sbm_machines); i++) {
		m = sbm_machines[i];
		if (m.nr_cpus > 256)
			continue;

		for (m.limit = 1; m.limit <= SBM_LEAF_CPUS; m.limit++) {
			struct sbm_world w = {};

			sbm_world_init(test, &w, &m);
			memset(w.up, true, m.nr_cpus);
			sbm_world_boot(test, &w);
			sbm_check_boot(test, &w);
			sbm_world_free(test, &w);
		}
	}
}

/* A few layouts in full. */
static void __init sbm_exact_test(struct kunit *test)
{
	static const struct {
		struct sbm_machine	m;
		unsigned int		slot[12];
	} exact[] = {
		{ { "two LLCs", 8, 2, 4, 8, false, 1, 0, 64 },
		  { 0, 1, 2, 3, 64, 65, 66, 67 } },
		{ { "two LLCs, siblings apart", 8, 2, 4, 8, true, 1, 0, 64 },
		  { 0, 2, 64, 66, 1, 3, 65, 67 } },
		{ { "no LLCs, siblings apart", 8, 2, 1, 4, true, 1, 0, 64 },
		  { 0, 2, 64, 66, 1, 3, 65, 67 } },
		{ { "hybrid", 8, 2, 6, 8, false, 1, 2, 64 },
		  { 0, 1, 2, 3, 4, 5, 64, 65 } },
		{ { "split in three", 10, 2, 10, 10, false, 1, 0, 4 },
		  { 0, 1, 2, 3, 64, 65, 66, 67, 128, 129 } },
		{ { "split with siblings apart", 12, 2, 12, 12, true, 1, 0, 7 },
		  { 0, 2, 4, 64, 66, 68, 1, 3, 5, 65, 67, 69 } },
		{ { "LLC on two nodes", 8, 1, 8, 4, false, 3, 0, 64 },
		  { 0, 1, 2, 3, 64, 65, 66, 67 } },
	};
	struct sbm_world w = {};
	unsigned int i, cpu;

	for (i = 0; i < ARRAY_SIZE(exact); i++) {
		sbm_world_init(test, &w, &exact[i].m);
		memset(w.up, true, w.m->nr_cpus);
		sbm_world_boot(test, &w);

		for (cpu = 0; cpu < w.m->nr_cpus; cpu++)
			KUNIT_EXPECT_EQ_MSG(test, sbm_cpu_slot(&w, cpu), exact[i].slot[cpu],
					    "%s: CPU %u", w.m->name, cpu);

		sbm_world_free(test, &w);
	}
}

/* Nodes that are known for some CPUs only. */
static void __init sbm_some_nodes_test(struct kunit *test)
{
	static const struct sbm_machine m = { "some nodes", 16, 1, 4, 4, false, 7, 0, 64 };
	static const int nodes[] = { NUMA_NO_NODE, 0, 14, 21 };
	struct sbm_world w = {};
	unsigned int i;

	sbm_world_init(test, &w, &m);
	memset(w.up, true, m.nr_cpus);
	for (i = 4; i < 8; i++)
		w.topo[i].node = NUMA_NO_NODE;
	sbm_world_boot(test, &w);
	sbm_check_boot(test, &w);

	KUNIT_ASSERT_EQ(test, w.place->layout->nr_leaves, ARRAY_SIZE(nodes));
	for (i = 0; i < ARRAY_SIZE(nodes); i++)
		KUNIT_EXPECT_EQ(test, w.place->layout->node[i], nodes[i]);

	sbm_world_free(test, &w);
}

/* CPUs that are not there at boot find room prepared, on their node if known. */
static void __init sbm_absent_test(struct kunit *test)
{
	static const struct sbm_machine one = { "one of 256", 256, 2, 16, 64, false, 2, 0, 64 };
	const struct sbm_machine *m;
	struct sbm_world w = {};
	unsigned int cpu, i;

	sbm_world_init(test, &w, &one);
	w.up[0] = true;
	sbm_world_boot(test, &w);
	sbm_check_boot(test, &w);
	KUNIT_ASSERT_EQ(test, w.place->layout->nr_leaves, 4);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, w.place->layout->node[i], i * 2);
	sbm_world_free(test, &w);

	/* Every third number, or the second half, is not up. */
	for (i = 0; i < 2 * ARRAY_SIZE(sbm_machines); i++) {
		m = &sbm_machines[i / 2];
		sbm_world_init(test, &w, m);
		for (cpu = 0; cpu < m->nr_cpus; cpu++)
			w.up[cpu] = i % 2 ? cpu % 3 != 1 : cpu <= m->nr_cpus / 2;
		sbm_world_boot(test, &w);
		sbm_check_boot(test, &w);
		sbm_world_free(test, &w);
	}
}

/* @cpu comes up. */
static void sbm_arrive(struct kunit *test, struct sbm_world *w, unsigned int cpu)
{
	struct sbm_topo moved = { w->topo[cpu].node + 1, cpu, cpu };
	unsigned int slot, nr_leaves;

	sbm_place_cpu(w->place, cpu, w->topo[cpu]);
	w->up[cpu] = true;
	slot = sbm_cpu_slot(w, cpu);
	KUNIT_EXPECT_NE_MSG(test, slot, SBM_NO_SLOT, "%s: CPU %u", w->m->name, cpu);

	/* Once more, as if it were somewhere else. */
	nr_leaves = w->place->layout->nr_leaves;
	sbm_place_cpu(w->place, cpu, moved);
	KUNIT_EXPECT_EQ_MSG(test, sbm_cpu_slot(w, cpu), slot, "%s: CPU %u", w->m->name, cpu);
	KUNIT_EXPECT_EQ_MSG(test, w->place->layout->nr_leaves, nr_leaves, "%s: CPU %u",
			    w->m->name, cpu);
}

/*
 * A leaf has CPUs of one LLC.  The exceptions are those for LLCs that were too
 * small when their first CPUs were placed, and those of a machine that had no
 * others.
 */
static void sbm_check_late(struct kunit *test, const struct sbm_world *w, bool has_llcs)
{
	const struct sbm_layout *layout = w->place->layout;
	unsigned int leaf, byte, first, cpu;

	sbm_check(test, w);

	/* Once leaves have run out, anything goes. */
	if (layout->nr_leaves == layout->max_leaves)
		return;

	for (leaf = 0; leaf < layout->nr_leaves; leaf++) {
		first = sbm_slot_cpu(w, leaf, 0);
		KUNIT_EXPECT_LE_MSG(test, sbm_leaf_weight(layout, leaf), w->m->limit,
				    "%s: leaf %u", w->m->name, leaf);

		for (byte = 1; byte < sbm_leaf_weight(layout, leaf); byte++) {
			cpu = sbm_slot_cpu(w, leaf, byte);
			KUNIT_EXPECT_EQ_MSG(test, w->topo[first].node, w->topo[cpu].node,
					    "%s: CPUs %u and %u", w->m->name, first, cpu);

			if (has_llcs && !(w->group[first] && w->group[first] < SBM_LLC_MIN))
				KUNIT_EXPECT_TRUE_MSG(test, sbm_same_llc(w, first, cpu),
						      "%s: CPUs %u and %u", w->m->name, first, cpu);
		}
	}
}

/*
 * Any CPUs are up at boot and the others come in any order.  They all find a
 * slot even when no leaf can be added, and none loses it.
 */
static void __init sbm_late_order_test(struct kunit *test)
{
	const struct sbm_machine *m;
	struct sbm_world w = {};
	struct rnd_state rnd;
	unsigned int round;

	prandom_seed_state(&rnd, 1);

	for (m = sbm_machines; m < sbm_machines + ARRAY_SIZE(sbm_machines); m++) {
		unsigned int *slot, *order;

		slot = kunit_kcalloc(test, m->nr_cpus, sizeof(*slot), GFP_KERNEL);
		order = kunit_kcalloc(test, m->nr_cpus, sizeof(*order), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, slot);
		KUNIT_ASSERT_NOT_NULL(test, order);

		for (round = 0; round < (m->nr_cpus > 512 ? 2 : 16); round++) {
			unsigned int i, cpu, nr_boot;
			bool has_llcs = false;

			for (i = 0; i < m->nr_cpus; i++) {
				cpu = prandom_u32_state(&rnd) % (i + 1);
				order[i] = order[cpu];
				order[cpu] = i;
			}
			nr_boot = prandom_u32_state(&rnd) % m->nr_cpus + 1;

			sbm_world_init(test, &w, m);
			for (i = 0; i < nr_boot; i++)
				w.up[order[i]] = true;
			sbm_world_boot(test, &w);
			sbm_check_boot(test, &w);

			for (i = 0; i < nr_boot; i++) {
				cpu = order[i];
				slot[cpu] = sbm_cpu_slot(&w, cpu);
				has_llcs |= w.group[cpu] >= SBM_LLC_MIN;
			}

			/* As if there were no memory. */
			if (round % 2)
				w.place->layout->max_leaves = w.place->layout->nr_leaves;

			for (; i < m->nr_cpus; i++) {
				cpu = order[i];
				sbm_arrive(test, &w, cpu);
				slot[cpu] = sbm_cpu_slot(&w, cpu);
			}

			sbm_check_late(test, &w, has_llcs);

			for (cpu = 0; cpu < m->nr_cpus; cpu++)
				KUNIT_EXPECT_EQ_MSG(test, sbm_cpu_slot(&w, cpu), slot[cpu],
						    "%s: CPU %u", m->name, cpu);

			sbm_world_free(test, &w);
		}

		kunit_kfree(test, order);
		kunit_kfree(test, slot);
	}
}

/*
 * Where late CPUs go.  The first @boot CPUs are up at boot, but not @hole, and
 * those in @late come in this order.
 */
static void __init sbm_late_exact_test(struct kunit *test)
{
	static const struct {
		struct sbm_machine	m;
		unsigned int		boot;
		int			hole;
		bool			no_memory;
		struct {
			unsigned int	cpu;
			unsigned int	leaf;
		}			late[4];
	} cases[] = {
		{ { "into that of its LLC", 16, 1, 8, 16, false, 1, 0, 64 }, 14, -1, false,
		  { { 15, 1 }, { 14, 1 } } },
		{ { "into new leaves, in any order", 16, 1, 4, 16, false, 1, 0, 64 }, 8, -1, false,
		  { { 13, 2 }, { 8, 3 }, { 12, 2 }, { 11, 3 } } },
		{ { "into that of its core", 128, 2, 128, 128, true, 1, 0, 64 }, 128, 127, false,
		  { { 127, 1 } } },
		{ { "into that of its core, too", 32, 2, 32, 32, true, 1, 0, 20 }, 32, 31, false,
		  { { 31, 1 } } },
		{ { "into one shared by small LLCs", 24, 2, 6, 24, true, 1, 0, 64 }, 15, -1, false,
		  { { 23, 1 }, { 18, 1 } } },
		{ { "no memory, but room on the node", 16, 1, 4, 8, false, 1, 0, 64 }, 12, -1, true,
		  { { 13, 2 }, { 12, 2 } } },
		{ { "no room in the limit", 12, 1, 12, 12, false, 1, 0, 4 }, 8, -1, false,
		  { { 9, 2 }, { 10, 2 }, { 8, 2 }, { 11, 2 } } },
		{ { "no room in the limit, no memory", 12, 1, 12, 12, false, 1, 0, 4 }, 8, -1, true,
		  { { 9, 0 }, { 10, 0 } } },
		{ { "no LLCs", 8, 1, 1, 4, false, 1, 0, 64 }, 6, -1, false,
		  { { 7, 1 }, { 6, 1 } } },
		{ { "no LLCs, nor CPUs on the node", 8, 1, 1, 4, false, 1, 0, 64 }, 3, -1, false,
		  { { 7, 1 }, { 3, 0 }, { 4, 1 } } },
		{ { "no LLCs, a reserved leaf", 128, 1, 1, 64, false, 1, 0, 64 }, 64, -1, true,
		  { { 127, 1 }, { 64, 1 } } },
		{ { "no LLCs, leaf full", 72, 1, 1, 68, false, 1, 0, 64 }, 64, -1, false,
		  { { 64, 1 }, { 68, 2 }, { 65, 1 }, { 69, 2 } } },
		{ { "no LLCs, node full", 16, 1, 1, 10, false, 1, 0, 4 }, 8, -1, false,
		  { { 8, 2 }, { 10, 3 }, { 9, 2 }, { 11, 3 } } },
		{ { "reserved for its node", 192, 1, 64, 64, false, 1, 0, 64 }, 64, -1, false,
		  { { 128, 2 }, { 64, 1 } } },
		{ { "no LLC of its own, nor memory", 26, 1, 8, 26, false, 1, 2, 64 }, 25, 23, true,
		  { { 25, 0 }, { 23, 2 } } },
		{ { "no LLC of its own", 26, 1, 8, 26, false, 1, 2, 64 }, 24, -1, false,
		  { { 25, 3 }, { 24, 4 } } },
		{ { "an LLC that was too small", 16, 1, 8, 16, false, 1, 0, 64 }, 10, -1, false,
		  { { 15, 1 }, { 10, 1 } } },
		{ { "one CPU of an LLC that grows", 16, 1, 4, 16, false, 1, 0, 64 }, 1, -1, false,
		  { { 1, 0 }, { 2, 0 }, { 3, 0 }, { 4, 1 } } },
		{ { "parts of an LLC", 12, 1, 4, 6, false, 1, 0, 64 }, 5, 0, false,
		  { { 5, 0 }, { 6, 1 }, { 7, 1 }, { 8, 1 } } },
		{ { "nothing known", 80, 1, 1, 0, false, 1, 0, 64 }, 63, -1, false,
		  { { 70, 0 }, { 71, 1 } } },
	};
	unsigned int i, n, cpu;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sbm_world w = {};

		sbm_world_init(test, &w, &cases[i].m);
		for (cpu = 0; cpu < cases[i].boot; cpu++)
			w.up[cpu] = cpu != cases[i].hole;
		sbm_world_boot(test, &w);

		if (cases[i].no_memory)
			w.place->layout->max_leaves = w.place->layout->nr_leaves;

		for (n = 0; n < 4 && cases[i].late[n].cpu; n++) {
			unsigned int leaf = cases[i].late[n].leaf;

			cpu = cases[i].late[n].cpu;
			sbm_arrive(test, &w, cpu);
			KUNIT_EXPECT_EQ_MSG(test, sbm_cpu_slot(&w, cpu) / SBM_LEAF_CPUS, leaf,
					    "%s: CPU %u", w.m->name, cpu);
			if (!cases[i].no_memory)
				KUNIT_EXPECT_EQ_MSG(test, w.place->layout->node[leaf],
						    w.topo[cpu].node,
						    "%s: leaf %u", w.m->name, leaf);
		}

		sbm_check(test, &w);
		sbm_world_free(test, &w);
	}
}

static void __init sbm_flat_test(struct kunit *test)
{
	struct sbm_layout *layout = sbm_flat_layout();
	unsigned int cpu;

	KUNIT_ASSERT_NOT_NULL(test, layout);
	KUNIT_EXPECT_EQ(test, layout->nr_leaves, DIV_ROUND_UP(nr_cpu_ids, SBM_LEAF_CPUS));
	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_EQ(test, sbm_layout_slot(layout, cpu), cpu);

	sbm_layout_free(layout);
}

static void __init sbm_setup_test(struct kunit *test)
{
	static char * const bad[] = { "", "0", "65", "-1", "8 ", "flatter", "all" };
	unsigned int limit = sched_sbm_limit;
	bool flat = sched_sbm_flat;
	unsigned int i;

	sched_sbm_flat = false;
	sched_sbm_limit = 5;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		KUNIT_EXPECT_EQ(test, sched_sbm_setup(bad[i]), 1);
		KUNIT_EXPECT_EQ_MSG(test, sched_sbm_limit, 5, "'%s'", bad[i]);
		KUNIT_EXPECT_FALSE_MSG(test, sched_sbm_flat, "'%s'", bad[i]);
	}

	sched_sbm_setup("64");
	KUNIT_EXPECT_EQ(test, sched_sbm_limit, 64);
	sched_sbm_setup("1");
	KUNIT_EXPECT_EQ(test, sched_sbm_limit, 1);
	sched_sbm_setup("flat");
	KUNIT_EXPECT_TRUE(test, sched_sbm_flat);

	sched_sbm_flat = flat;
	sched_sbm_limit = limit;
}

/* This machine's own layout. */
static void __init sbm_own_test(struct kunit *test)
{
	unsigned int cpu, slot;

	KUNIT_ASSERT_NOT_NULL(test, sched_sbm_layout);
	KUNIT_EXPECT_GE(test, sched_sbm_layout->nr_leaves * SBM_LEAF_CPUS, num_possible_cpus());

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		slot = sbm_layout_slot(sched_sbm_layout, cpu);
		KUNIT_EXPECT_NE_MSG(test, slot, SBM_NO_SLOT, "CPU %u", cpu);
		if (slot != SBM_NO_SLOT)
			KUNIT_EXPECT_EQ(test, sbm_layout_cpu(sched_sbm_layout, slot), cpu);
	}
	cpus_read_unlock();
}

static struct kunit_case __refdata sched_sbm_test_cases[] = {
	KUNIT_CASE(sbm_boot_test),
	KUNIT_CASE(sbm_limit_test),
	KUNIT_CASE(sbm_exact_test),
	KUNIT_CASE(sbm_some_nodes_test),
	KUNIT_CASE(sbm_absent_test),
	KUNIT_CASE(sbm_late_order_test),
	KUNIT_CASE(sbm_late_exact_test),
	KUNIT_CASE(sbm_flat_test),
	KUNIT_CASE(sbm_setup_test),
	KUNIT_CASE(sbm_own_test),
	{}
};

static struct kunit_suite sched_sbm_test_suite = {
	.name = "sched_sbm",
	.test_cases = sched_sbm_test_cases,
};

kunit_test_init_section_suites(&sched_sbm_test_suite);
