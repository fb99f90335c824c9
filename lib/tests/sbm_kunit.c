// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for the sparse CPU bitmap
 *
 * Each test compares a set with a plain bitmap that went through the same
 * operations.  The machine's own topology plays no part: layouts are made from
 * the table of shapes below, with CPU numbers far above nr_cpu_ids in most, so
 * that one CPU is enough to run them all.  Masks are bitmaps with room for the
 * shape's CPUs.
 *
 * With CONFIG_SBM=n there is one shape, which has the machine's CPUs.
 */
#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/sbm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#define NONE	UINT_MAX

/* How the CPU numbers of a shape are dealt out to its LLCs. */
enum sbm_deal {
	/* Neighbours share an LLC. */
	NEXT,
	/* So do siblings, which are half of all CPUs apart. */
	HALF,
	/* The LLCs take turns. */
	TURN,
};

/**
 * struct sbm_shape - the layout of a made-up machine
 * @name: what is special about it
 * @nr_cpus: number of CPU numbers
 * @llc: number of CPUs in an LLC
 * @deal: which CPUs these are
 * @hole: every so many-th CPU number has no CPU, if not 0
 * @from_top: CPUs come up from the highest number down, and a leaf is filled
 *            from its last byte down
 */
struct sbm_shape {
	const char	*name;
	unsigned int	nr_cpus;
	unsigned int	llc;
	enum sbm_deal	deal;
	unsigned int	hole;
	bool		from_top;
};

#ifdef CONFIG_SBM
static const struct sbm_shape sbm_shapes[] = {
	{ "one CPU", 1, 64, NEXT },
	{ "one CPU in the last slot", 1, 64, NEXT, 0, true },
	{ "two CPUs", 2, 2, NEXT },
	{ "two LLCs of one CPU", 2, 1, NEXT },
	{ "a leaf all but full", 63, 64, NEXT },
	{ "a full leaf", 64, 64, NEXT },
	{ "one CPU in a second leaf", 65, 128, NEXT },
	{ "two leaves all but full", 127, 128, NEXT },
	{ "two full leaves", 128, 64, NEXT },
	{ "a full leaf of siblings", 64, 64, HALF },
	{ "LLCs of 16 with siblings", 128, 16, HALF },
	{ "LLCs of 6, some numbers missing", 96, 6, NEXT, 5 },
	{ "few leaves' last slots", 12, 4, NEXT, 0, true },
	{ "an LLC per CPU", 256, 1, NEXT },
	{ "an LLC of 240", 240, 240, HALF },
	{ "two LLCs of 112", 224, 112, HALF },
	{ "two LLCs of 240", 480, 240, NEXT },
	{ "LLCs of 16, CPUs in turns", 1024, 16, TURN },
	{ "LLCs of 8, many", 2048, 8, NEXT },
	{ "LLCs of 64, many", 4096, 64, NEXT },
	{ "LLCs of 16, many", 4096, 16, HALF, 0, true },
};
#else
static const struct sbm_shape sbm_shapes[] = {
	{ "this machine" },
};
#endif

KUNIT_ARRAY_PARAM_DESC(sbm_shape, sbm_shapes, name);

/**
 * struct sbm_machine - a shape made real, and the bitmaps to compare with
 * @shape: the shape
 * @layout: its layout
 * @sbm: the set under test
 * @nr_cpus: number of CPU numbers
 * @nr: number of CPUs
 * @cpu: the CPUs in the order of their slots
 * @leaf: the leaf of each CPU in @cpu
 * @pos: per CPU, its index in @cpu, or NONE
 * @walk: the CPUs in the order in which a walk should come to them
 * @got: the CPUs in the order in which it did
 * @nr_got: number of CPUs in @got
 * @want: the CPUs that should be in @sbm
 * @mask: any other set of CPUs
 * @dst: what a set is copied to
 * @rnd: where random numbers come from
 */
struct sbm_machine {
	const struct sbm_shape	*shape;
	struct sbm_layout	*layout;
	struct sbm		sbm;
	unsigned int		nr_cpus;
	unsigned int		nr;
	unsigned int		*cpu;
	unsigned int		*leaf;
	unsigned int		*pos;
	unsigned int		*walk;
	unsigned int		*got;
	unsigned int		nr_got;
	unsigned long		*want;
	unsigned long		*mask;
	unsigned long		*dst;
	struct rnd_state	rnd;
};

static unsigned int sbm_random(struct sbm_machine *m, unsigned int below)
{
	return prandom_u32_state(&m->rnd) % below;
}

static void *sbm_array(struct kunit *test, unsigned int nr, size_t size)
{
	void *p = kunit_kcalloc(test, nr, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);

	return p;
}

static unsigned long *sbm_bits(struct kunit *test, struct sbm_machine *m)
{
	unsigned int nr = max(m->nr_cpus, nr_cpu_ids);

	return sbm_array(test, BITS_TO_LONGS(nr), sizeof(long));
}

/* A machine without layout and set, for at most @nr_cpus CPUs. */
static struct sbm_machine *sbm_machine_alloc(struct kunit *test,
					     unsigned int nr_cpus)
{
	struct sbm_machine *m = test->priv;
	unsigned int i;

	m->nr_cpus = nr_cpus;
	m->cpu = sbm_array(test, nr_cpus, sizeof(*m->cpu));
	m->leaf = sbm_array(test, nr_cpus, sizeof(*m->leaf));
	m->pos = sbm_array(test, nr_cpus, sizeof(*m->pos));
	m->walk = sbm_array(test, nr_cpus, sizeof(*m->walk));
	m->got = sbm_array(test, nr_cpus + 1, sizeof(*m->got));
	m->want = sbm_bits(test, m);
	m->mask = sbm_bits(test, m);
	m->dst = sbm_bits(test, m);

	for (i = 0; i < nr_cpus; i++)
		m->pos[i] = NONE;

	return m;
}

/* Put @cpu, which has just been given a slot in @leaf, at index @at. */
static void sbm_machine_insert(struct sbm_machine *m, unsigned int cpu,
			       unsigned int leaf, unsigned int at)
{
	unsigned int i;

	for (i = m->nr++; i > at; i--) {
		m->cpu[i] = m->cpu[i - 1];
		m->leaf[i] = m->leaf[i - 1];
		m->pos[m->cpu[i]] = i;
	}

	m->cpu[at] = cpu;
	m->leaf[at] = leaf;
	m->pos[cpu] = at;
}

#ifdef CONFIG_SBM
/* The @i-th CPU to come up on the machine, or NONE for a hole. */
static unsigned int sbm_shape_cpu(const struct sbm_shape *shape, unsigned int i)
{
	unsigned int cpu = shape->from_top ? shape->nr_cpus - 1 - i : i;

	if (shape->hole && cpu % shape->hole == shape->hole - 1)
		return NONE;

	return cpu;
}

static unsigned int sbm_shape_llc(const struct sbm_shape *shape,
				  unsigned int cpu)
{
	unsigned int llcs = DIV_ROUND_UP(shape->nr_cpus, shape->llc);

	switch (shape->deal) {
	case HALF:
		return cpu % (shape->nr_cpus / 2) * 2 / shape->llc;
	case TURN:
		return cpu % llcs;
	default:
		return cpu / shape->llc;
	}
}

/*
 * Give the @i-th CPU its slot: in the newest leaf of its LLC, or in another
 * leaf if that one is full or there is none.
 */
static void sbm_machine_add(struct kunit *test, struct sbm_machine *m,
			    unsigned int i)
{
	unsigned int cpu = sbm_shape_cpu(m->shape, i);
	unsigned int llc, at, j;
	unsigned int used = 0;
	int leaf = -1;
	int ret;

	if (cpu == NONE)
		return;

	llc = sbm_shape_llc(m->shape, cpu);
	for (j = 0; j < m->nr; j++) {
		if (sbm_shape_llc(m->shape, m->cpu[j]) != llc)
			continue;

		if ((int)m->leaf[j] > leaf)
			used = 0;
		leaf = m->leaf[j];
		used++;
	}

	if (leaf < 0 || used == SBM_LEAF_CPUS) {
		leaf = sbm_layout_add_leaf(m->layout, NUMA_NO_NODE, GFP_KERNEL);
		KUNIT_ASSERT_GE(test, leaf, 0);
		used = 0;
	}

	for (at = 0; at < m->nr && m->leaf[at] < leaf; at++)
		;
	if (m->shape->from_top) {
		j = SBM_LEAF_CPUS - 1 - used;
	} else {
		j = used;
		at += used;
	}

	ret = sbm_layout_add_cpu(m->layout, cpu, leaf * SBM_LEAF_CPUS + j);
	KUNIT_ASSERT_EQ(test, ret, 0);
	sbm_machine_insert(m, cpu, leaf, at);
}

static struct sbm_machine *sbm_machine_empty(struct kunit *test,
					     const struct sbm_shape *shape)
{
	struct sbm_machine *m = sbm_machine_alloc(test, shape->nr_cpus);

	m->shape = shape;
	m->layout = sbm_layout_alloc(m->nr_cpus, m->nr_cpus, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m->layout);

	return m;
}

static struct sbm_machine *sbm_machine(struct kunit *test,
				       const struct sbm_shape *shape)
{
	struct sbm_machine *m = sbm_machine_empty(test, shape);
	unsigned int i;

	for (i = 0; i < m->nr_cpus; i++)
		sbm_machine_add(test, m, i);

	KUNIT_ASSERT_TRUE(test, sbm_alloc(&m->sbm, m->layout, NULL, GFP_KERNEL));

	return m;
}

static void sbm_machine_free(struct sbm_machine *m)
{
	if (m->sbm.layout)
		sbm_free(&m->sbm);
	sbm_layout_free(m->layout);
}
#else
static struct sbm_machine *sbm_machine(struct kunit *test,
				       const struct sbm_shape *shape)
{
	struct sbm_machine *m = sbm_machine_alloc(test, nr_cpu_ids);
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		sbm_machine_insert(m, cpu, 0, cpu);

	KUNIT_ASSERT_TRUE(test, sbm_alloc(&m->sbm, NULL, NULL, GFP_KERNEL));

	return m;
}

static void sbm_machine_free(struct sbm_machine *m)
{
	if (m->nr)
		sbm_free(&m->sbm);
}
#endif

static int sbm_test_init(struct kunit *test)
{
	struct sbm_machine *m;

	m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	if (!m)
		return -ENOMEM;

	prandom_seed_state(&m->rnd, 3);
	test->priv = m;

	return 0;
}

static void sbm_test_exit(struct kunit *test)
{
	if (test->priv)
		sbm_machine_free(test->priv);
}

static void sbm_do_set(struct sbm_machine *m, unsigned int cpu)
{
	sbm_set_cpu(cpu, &m->sbm);
	__set_bit(cpu, m->want);
}

static void sbm_do_clear(struct sbm_machine *m, unsigned int cpu)
{
	sbm_clear_cpu(cpu, &m->sbm);
	__clear_bit(cpu, m->want);
}

/* Make each CPU a member with a probability of @percent. */
static void sbm_do_fill(struct sbm_machine *m, unsigned int percent)
{
	unsigned int i;

	for (i = 0; i < m->nr; i++) {
		if (sbm_random(m, 100) < percent)
			sbm_do_set(m, m->cpu[i]);
		else
			sbm_do_clear(m, m->cpu[i]);
	}
}

/* Note that a walk has come to @cpu.  True if that makes too many of them. */
static bool sbm_came_to(struct sbm_machine *m, unsigned int cpu)
{
	m->got[m->nr_got++] = cpu;

	return m->nr_got > m->nr;
}

/*
 * Compare the CPUs that a walk came to with those that it should have come to:
 * @m->walk without the CPUs that are not in @m->want and @mask.  @end is what
 * the walk's variable is after it.
 */
static void sbm_check_walk(struct kunit *test, struct sbm_machine *m,
			   const unsigned long *mask, unsigned int end,
			   const char *what, int arg)
{
	unsigned int nr = m->nr_got;
	unsigned int want = 0;
	unsigned int cpu, i;

	m->nr_got = 0;

	for (i = 0; i < m->nr; i++) {
		cpu = m->walk[i];
		if (!test_bit(cpu, m->want) || (mask && !test_bit(cpu, mask)))
			continue;

		if (want >= nr)
			break;

		KUNIT_ASSERT_EQ_MSG(test, m->got[want], cpu,
				    "%s(%d) at step %u over %*pbl",
				    what, arg, want, m->nr_cpus, m->want);
		want++;
	}

	KUNIT_ASSERT_EQ_MSG(test, want, nr, "%s(%d) goes on over %*pbl",
			    what, arg, m->nr_cpus, m->want);
	KUNIT_ASSERT_EQ_MSG(test, i, m->nr, "%s(%d) ends early over %*pbl",
			    what, arg, m->nr_cpus, m->want);
	KUNIT_ASSERT_GE_MSG(test, end, nr_cpu_ids, "%s(%d)", what, arg);
}

static unsigned int sbm_count(const struct sbm *sbm)
{
	unsigned int nr = 0;
	unsigned int cpu;

	for_each_sbm(cpu, sbm)
		nr++;

	return nr;
}

static void sbm_check_all(struct kunit *test, struct sbm_machine *m)
{
	unsigned int cpu;
	int i;

	memcpy(m->walk, m->cpu, m->nr * sizeof(*m->walk));

	for_each_sbm(cpu, &m->sbm) {
		if (sbm_came_to(m, cpu))
			break;
	}
	sbm_check_walk(test, m, NULL, cpu, "for_each_sbm", -1);

	/* The same with a signed variable, and by single steps. */
	for_each_sbm(i, &m->sbm) {
		if (sbm_came_to(m, i))
			break;
	}
	KUNIT_ASSERT_GT(test, i, 0);
	sbm_check_walk(test, m, NULL, i, "for_each_sbm", -1);

	cpu = sbm_next(-1, &m->sbm);
	while (cpu < max(nr_cpu_ids, m->nr_cpus) && !sbm_came_to(m, cpu))
		cpu = sbm_next(cpu, &m->sbm);
	sbm_check_walk(test, m, NULL, cpu, "sbm_next", -1);
}

static void sbm_check_wrap(struct kunit *test, struct sbm_machine *m,
			   unsigned int start)
{
	unsigned int pos = start < m->nr_cpus ? m->pos[start] : NONE;
	unsigned int nr = 0;
	unsigned int cpu, i;

	/* First the rest of the own leaf, then the others, then the CPU. */
	for (i = 1; pos != NONE && i < m->nr; i++) {
		if (m->leaf[(pos + i) % m->nr] == m->leaf[pos] && pos + i < m->nr)
			m->walk[nr++] = m->cpu[pos + i];
	}
	for (i = 0; pos != NONE && i < pos; i++) {
		if (m->leaf[i] == m->leaf[pos])
			m->walk[nr++] = m->cpu[i];
	}
	for (i = 1; pos != NONE && i < m->nr; i++) {
		if (m->leaf[(pos + i) % m->nr] != m->leaf[pos])
			m->walk[nr++] = m->cpu[(pos + i) % m->nr];
	}
	if (pos != NONE)
		m->walk[nr++] = start;
	else
		memcpy(m->walk, m->cpu, m->nr * sizeof(*m->walk));

	for_each_sbm_wrap(cpu, &m->sbm, start) {
		if (sbm_came_to(m, cpu))
			break;
	}
	sbm_check_walk(test, m, NULL, cpu, "for_each_sbm_wrap", start);
}

static void sbm_check_next(struct kunit *test, struct sbm_machine *m, int n)
{
	unsigned int pos = NONE;
	unsigned int cpu, i;

	if (n == -1)
		pos = 0;
	else if (n < m->nr_cpus && m->pos[n] != NONE)
		pos = m->pos[n] + 1;

	cpu = sbm_next(n, &m->sbm);
	for (i = pos; i < m->nr; i++) {
		if (test_bit(m->cpu[i], m->want))
			break;
	}

	if (i < m->nr)
		KUNIT_ASSERT_EQ_MSG(test, cpu, m->cpu[i],
				    "sbm_next(%d) over %*pbl", n, m->nr_cpus,
				    m->want);
	else
		KUNIT_ASSERT_GE_MSG(test, cpu, nr_cpu_ids,
				    "sbm_next(%d) over %*pbl", n, m->nr_cpus,
				    m->want);
}

static void sbm_check_mask(struct kunit *test, struct sbm_machine *m)
{
	const struct cpumask *mask = to_cpumask(m->mask);
	unsigned int cpu;

	memcpy(m->walk, m->cpu, m->nr * sizeof(*m->walk));
	for_each_sbm_and(cpu, &m->sbm, mask) {
		if (sbm_came_to(m, cpu))
			break;
	}
	sbm_check_walk(test, m, m->mask, cpu, "for_each_sbm_and", -1);
}

static void sbm_check(struct kunit *test, struct sbm_machine *m)
{
	struct cpumask *dst = to_cpumask(m->dst);
	unsigned int cpu;

	for (cpu = 0; cpu < m->nr_cpus; cpu++)
		KUNIT_ASSERT_EQ_MSG(test, sbm_test_cpu(cpu, &m->sbm),
				    test_bit(cpu, m->want), "CPU %u", cpu);

	KUNIT_ASSERT_EQ(test, sbm_empty(&m->sbm),
			bitmap_empty(m->want, m->nr_cpus));

	bitmap_fill(m->dst, m->nr_cpus);
	sbm_copy(dst, &m->sbm);
	KUNIT_ASSERT_TRUE_MSG(test, bitmap_equal(m->dst, m->want, m->nr_cpus),
			      "sbm_copy() gives %*pbl for %*pbl", m->nr_cpus,
			      m->dst, m->nr_cpus, m->want);

	sbm_check_all(test, m);

	cpu = sbm_random(m, m->nr_cpus);
	sbm_check_wrap(test, m, cpu);
	sbm_check_next(test, m, cpu);

	__change_bit(cpu, m->mask);
	sbm_check_mask(test, m);
}

/* Random operations, everything compared after each. */
static void sbm_random_test(struct kunit *test)
{
	struct sbm_machine *m = sbm_machine(test, test->param_value);
	unsigned int steps = clamp(100000 / m->nr_cpus, 50, 1000);
	unsigned int cpu, i;

	sbm_check(test, m);

	for (i = 0; i < steps; i++) {
		cpu = m->cpu[sbm_random(m, m->nr)];

		switch (sbm_random(m, 16)) {
		case 0:
			sbm_do_fill(m, sbm_random(m, 101));
			break;
		case 1:
			sbm_do_fill(m, 0);
			break;
		case 2 ... 8:
			sbm_do_set(m, cpu);
			break;
		default:
			sbm_do_clear(m, cpu);
			break;
		}

		sbm_check(test, m);
	}
}

/* Each CPU alone in the set, and each CPU alone missing from it. */
static void sbm_single_test(struct kunit *test)
{
	struct sbm_machine *m = sbm_machine(test, test->param_value);
	unsigned int i, n;

	for (n = 0; n < m->nr; n++) {
		sbm_do_set(m, m->cpu[n]);
		KUNIT_ASSERT_EQ(test, sbm_next(-1, &m->sbm), m->cpu[n]);
		KUNIT_ASSERT_EQ(test, sbm_count(&m->sbm), 1);
		KUNIT_ASSERT_FALSE(test, sbm_empty(&m->sbm));
		for (i = max(n, 1) - 1; i < min(n + 2, m->nr); i++) {
			sbm_check_next(test, m, m->cpu[i]);
			sbm_check_wrap(test, m, m->cpu[i]);
		}
		sbm_do_clear(m, m->cpu[n]);
	}
	KUNIT_ASSERT_TRUE(test, sbm_empty(&m->sbm));

	sbm_do_fill(m, 100);
	for (n = 0; n < m->nr; n++) {
		sbm_do_clear(m, m->cpu[n]);
		KUNIT_ASSERT_EQ(test, sbm_count(&m->sbm), m->nr - 1);
		sbm_check_next(test, m, -1);
		for (i = max(n, 1) - 1; i < min(n + 2, m->nr); i++)
			sbm_check_next(test, m, m->cpu[i]);
		sbm_do_set(m, m->cpu[n]);
	}
}

/* Each CPU number, and some that are none, as the place to start from. */
static void sbm_start_test(struct kunit *test)
{
	struct sbm_machine *m = sbm_machine(test, test->param_value);
	static const unsigned int percent[] = { 0, 2, 50, 100 };
	unsigned int cpu, i;

	for (i = 0; i < ARRAY_SIZE(percent); i++) {
		/* Half of a large machine makes for a long test. */
		if (percent[i] > 10 && m->nr_cpus > 500)
			continue;

		sbm_do_fill(m, percent[i]);
		sbm_check_next(test, m, -1);
		for (cpu = 0; cpu < m->nr_cpus; cpu++) {
			sbm_check_next(test, m, cpu);
			sbm_check_wrap(test, m, cpu);
		}

#ifdef CONFIG_SBM
		cpu = max(nr_cpu_ids, m->nr_cpus);
		sbm_check_next(test, m, cpu);
		sbm_check_next(test, m, cpu + 1);
		sbm_check_next(test, m, INT_MAX);
		sbm_check_wrap(test, m, cpu);
		sbm_check_wrap(test, m, cpu + 1);
		sbm_check_wrap(test, m, UINT_MAX);
#endif
	}
}

/* What a loop's body may do: leave, and walk the set again. */
static void sbm_body_test(struct kunit *test)
{
	struct sbm_machine *m = sbm_machine(test, test->param_value);
	unsigned int last, cpu, nr;
	unsigned int other = 0;
	unsigned int pairs = 0;

	sbm_do_fill(m, m->nr > 100 ? 5 : 100);
	sbm_do_set(m, m->cpu[0]);
	nr = bitmap_weight(m->want, m->nr_cpus);

	for_each_sbm(cpu, &m->sbm)
		break;
	KUNIT_EXPECT_EQ(test, cpu, m->cpu[0]);

	for_each_sbm(cpu, &m->sbm) {
		for_each_sbm_wrap(last, &m->sbm, cpu) {
			other = last;
			pairs++;
		}
		KUNIT_ASSERT_EQ(test, other, cpu);
	}
	KUNIT_EXPECT_EQ(test, pairs, nr * nr);

	/* Each CPU goes when its turn comes. */
	nr = 0;
	for_each_sbm(cpu, &m->sbm) {
		sbm_do_clear(m, cpu);
		nr++;
	}
	KUNIT_EXPECT_EQ(test, nr * nr, pairs);
	KUNIT_EXPECT_TRUE(test, sbm_empty(&m->sbm));
}

#ifdef CONFIG_SBM
static const struct sbm_shape sbm_small = { "small", 24, 6, NEXT };

/* A leaf is read once, when the walk comes to it. */
static void sbm_snapshot_test(struct kunit *test)
{
	struct sbm_machine *m = sbm_machine(test, &sbm_small);
	unsigned int nr = 0;
	unsigned int cpu;

	sbm_set_cpu(0, &m->sbm);
	sbm_set_cpu(1, &m->sbm);
	sbm_set_cpu(6, &m->sbm);

	for_each_sbm(cpu, &m->sbm) {
		m->got[nr++] = cpu;
		if (cpu)
			continue;

		/* Too late for this leaf, in time for the next one. */
		sbm_clear_cpu(1, &m->sbm);
		sbm_set_cpu(2, &m->sbm);
		sbm_clear_cpu(6, &m->sbm);
		sbm_set_cpu(7, &m->sbm);
	}
	KUNIT_ASSERT_EQ(test, nr, 3);
	KUNIT_EXPECT_EQ(test, m->got[0], 0);
	KUNIT_EXPECT_EQ(test, m->got[1], 1);
	KUNIT_EXPECT_EQ(test, m->got[2], 7);

	/* 0 2 7, as the start CPU belongs to the first leaf's snapshot. */
	nr = 0;
	for_each_sbm_wrap(cpu, &m->sbm, 0) {
		m->got[nr++] = cpu;
		sbm_clear_cpu(0, &m->sbm);
		sbm_set_cpu(1, &m->sbm);
	}
	KUNIT_ASSERT_EQ(test, nr, 3);
	KUNIT_EXPECT_EQ(test, m->got[0], 2);
	KUNIT_EXPECT_EQ(test, m->got[1], 7);
	KUNIT_EXPECT_EQ(test, m->got[2], 0);
}

/* CPUs come up one by one while there is a set already. */
static void sbm_late_test(struct kunit *test)
{
	struct sbm_machine *m = sbm_machine_empty(test, test->param_value);
	unsigned int every = DIV_ROUND_UP(m->nr_cpus, 64);
	unsigned int cpu, i;

	KUNIT_ASSERT_TRUE(test, sbm_alloc(&m->sbm, m->layout, NULL, GFP_KERNEL));
	sbm_check(test, m);

	for (i = 0; i < m->nr_cpus; i++) {
		sbm_machine_add(test, m, i);

		cpu = sbm_shape_cpu(m->shape, i);
		if (cpu == NONE)
			continue;

		KUNIT_ASSERT_FALSE(test, sbm_test_cpu(cpu, &m->sbm));
		sbm_do_set(m, cpu);
		if (i % every)
			continue;

		sbm_check(test, m);
		sbm_check_wrap(test, m, cpu);
		if (i / every % 2)
			sbm_do_clear(m, cpu);
	}
	sbm_check(test, m);
}

/* A leaf and its CPU are added in the middle of a walk. */
static void sbm_late_walk_test(struct kunit *test)
{
	struct sbm_machine *m = sbm_machine_empty(test, &sbm_small);
	unsigned int nr = 0;
	unsigned int cpu, i;

	KUNIT_ASSERT_TRUE(test, sbm_alloc(&m->sbm, m->layout, NULL, GFP_KERNEL));
	for (i = 0; i < 18; i++)
		sbm_machine_add(test, m, i);
	sbm_set_cpu(2, &m->sbm);
	sbm_set_cpu(8, &m->sbm);
	sbm_set_cpu(14, &m->sbm);

	for_each_sbm_wrap(cpu, &m->sbm, 8) {
		KUNIT_ASSERT_LT(test, nr, 4);
		m->got[nr++] = cpu;
		if (cpu != 14)
			continue;

		for (; i < 24; i++)
			sbm_machine_add(test, m, i);
		sbm_set_cpu(20, &m->sbm);
	}
	KUNIT_ASSERT_EQ(test, nr, 3);
	KUNIT_EXPECT_EQ(test, m->got[0], 14);
	KUNIT_EXPECT_EQ(test, m->got[1], 2);
	KUNIT_EXPECT_EQ(test, m->got[2], 8);
	KUNIT_EXPECT_EQ(test, sbm_next(14, &m->sbm), 20);
}

/* A CPU without a slot is in no set, and is not taken for CPU 0. */
static void sbm_no_slot_test(struct kunit *test)
{
	struct sbm_machine *m = sbm_machine_empty(test, &sbm_small);
	unsigned int i;

	for (i = 0; i < 12; i++)
		sbm_machine_add(test, m, i);
	KUNIT_ASSERT_TRUE(test, sbm_alloc(&m->sbm, m->layout, NULL, GFP_KERNEL));

	KUNIT_EXPECT_EQ(test, sbm_layout_slot(m->layout, 12), SBM_NO_SLOT);
	KUNIT_EXPECT_EQ(test, sbm_layout_slot(m->layout, 11), SBM_LEAF_CPUS + 5);
	KUNIT_EXPECT_EQ(test, sbm_layout_cpu(m->layout, 6), SBM_NO_CPU);
	KUNIT_EXPECT_EQ(test, sbm_layout_cpu(m->layout, 5), 5);

	sbm_do_set(m, 0);
	sbm_do_set(m, 11);

	kunit_warning_suppress(test) {
		sbm_set_cpu(12, &m->sbm);
	}
	sbm_check(test, m);

	sbm_clear_cpu(12, &m->sbm);
	sbm_check(test, m);

	KUNIT_EXPECT_FALSE(test, sbm_test_cpu(12, &m->sbm));
	sbm_check_next(test, m, 12);
	sbm_check_next(test, m, 23);
	sbm_check_wrap(test, m, 12);
	sbm_check_wrap(test, m, 23);
}

/* A set of some CPUs has the leaves of these CPUs. */
static void sbm_span_test(struct kunit *test)
{
	struct sbm_machine *m = sbm_machine_empty(test, &sbm_small);
	const struct cpumask *span = to_cpumask(m->mask);
	unsigned int cpu, i;

	for (i = 0; i < 18; i++)
		sbm_machine_add(test, m, i);

	/* The second and the third leaf, and a CPU that has none. */
	__set_bit(8, m->mask);
	__set_bit(9, m->mask);
	__set_bit(12, m->mask);
	__set_bit(20, m->mask);
	KUNIT_ASSERT_TRUE(test, sbm_alloc(&m->sbm, m->layout, span, GFP_KERNEL));
	KUNIT_EXPECT_EQ(test, m->sbm.first, 1);
	KUNIT_EXPECT_EQ(test, m->sbm.nr_leaves, 2);

	sbm_do_set(m, 8);
	sbm_do_set(m, 12);
	sbm_check(test, m);

	/* The others are before, after, and in no leaf of the layout. */
	for (cpu = 0; cpu < 24; cpu++) {
		sbm_check_next(test, m, cpu);
		sbm_check_wrap(test, m, cpu);
		if (cpu >= 6 && cpu < 18)
			continue;

		sbm_clear_cpu(cpu, &m->sbm);
		KUNIT_EXPECT_FALSE(test, sbm_test_cpu(cpu, &m->sbm));
	}

	for (; i < 24; i++)
		sbm_machine_add(test, m, i);
	sbm_clear_cpu(20, &m->sbm);
	KUNIT_EXPECT_FALSE(test, sbm_test_cpu(20, &m->sbm));
	KUNIT_EXPECT_EQ(test, m->sbm.nr_leaves, 2);
	sbm_check(test, m);
	sbm_free(&m->sbm);
	bitmap_zero(m->want, m->nr_cpus);

	/* The outer leaves only. */
	bitmap_zero(m->mask, m->nr_cpus);
	__set_bit(5, m->mask);
	__set_bit(18, m->mask);
	KUNIT_ASSERT_TRUE(test, sbm_alloc(&m->sbm, m->layout, span, GFP_KERNEL));
	KUNIT_EXPECT_EQ(test, m->sbm.first, 0);
	KUNIT_EXPECT_EQ(test, m->sbm.nr_leaves, 4);
	KUNIT_EXPECT_NOT_NULL(test, m->sbm.leaf[0]);
	KUNIT_EXPECT_NULL(test, m->sbm.leaf[1]);
	KUNIT_EXPECT_NULL(test, m->sbm.leaf[2]);
	KUNIT_EXPECT_NOT_NULL(test, m->sbm.leaf[3]);

	sbm_do_set(m, 5);
	sbm_do_set(m, 18);
	sbm_clear_cpu(8, &m->sbm);
	KUNIT_EXPECT_FALSE(test, sbm_test_cpu(8, &m->sbm));
	kunit_warning_suppress(test) {
		sbm_set_cpu(8, &m->sbm);
	}
	sbm_check(test, m);
	for (cpu = 0; cpu < 24; cpu++) {
		sbm_check_next(test, m, cpu);
		sbm_check_wrap(test, m, cpu);
	}
	sbm_free(&m->sbm);
	bitmap_zero(m->want, m->nr_cpus);

	/* No leaf at all. */
	bitmap_zero(m->mask, m->nr_cpus);
	KUNIT_ASSERT_TRUE(test, sbm_alloc(&m->sbm, m->layout, span, GFP_KERNEL));
	KUNIT_EXPECT_EQ(test, m->sbm.nr_leaves, 0);
	KUNIT_EXPECT_FALSE(test, sbm_test_cpu(5, &m->sbm));
	KUNIT_EXPECT_GE(test, sbm_next(-1, &m->sbm), nr_cpu_ids);
	KUNIT_EXPECT_GE(test, sbm_next(5, &m->sbm), nr_cpu_ids);
	sbm_check(test, m);
}

/* What a layout refuses. */
static void sbm_layout_test(struct kunit *test)
{
	struct sbm_machine *m = sbm_machine_alloc(test, 128);
	struct sbm_layout *layout;
	unsigned int cpu;

	layout = sbm_layout_alloc(128, 2, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, layout);
	m->layout = layout;

	KUNIT_EXPECT_EQ(test, sbm_layout_add_cpu(layout, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, sbm_layout_add_leaf(layout, NUMA_NO_NODE, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, sbm_layout_add_leaf(layout, 0, GFP_KERNEL), 1);
	KUNIT_EXPECT_EQ(test, layout->node[1], 0);
	KUNIT_EXPECT_EQ(test, sbm_layout_add_leaf(layout, 0, GFP_KERNEL), -ENOSPC);
	KUNIT_EXPECT_EQ(test, layout->nr_leaves, 2);

	cpu = max(128, nr_cpu_ids);
	KUNIT_EXPECT_EQ(test, sbm_layout_add_cpu(layout, cpu, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, sbm_layout_add_cpu(layout, 127, 2 * SBM_LEAF_CPUS), -EINVAL);
	KUNIT_EXPECT_EQ(test, sbm_layout_add_cpu(layout, 127, SBM_NO_SLOT), -EINVAL);
	KUNIT_EXPECT_EQ(test, sbm_layout_slot(layout, 127), SBM_NO_SLOT);

	KUNIT_EXPECT_EQ(test, sbm_layout_add_cpu(layout, 127, 2 * SBM_LEAF_CPUS - 1), 0);
	KUNIT_EXPECT_EQ(test, sbm_layout_add_cpu(layout, 127, 2 * SBM_LEAF_CPUS - 1), 0);
	KUNIT_EXPECT_EQ(test, sbm_layout_add_cpu(layout, 127, 0), -EBUSY);
	KUNIT_EXPECT_EQ(test, sbm_layout_add_cpu(layout, 0, 2 * SBM_LEAF_CPUS - 1), -EBUSY);
	KUNIT_EXPECT_EQ(test, sbm_layout_slot(layout, 127), 2 * SBM_LEAF_CPUS - 1);
	KUNIT_EXPECT_EQ(test, sbm_layout_slot(layout, 0), SBM_NO_SLOT);
	KUNIT_EXPECT_EQ(test, sbm_layout_cpu(layout, 0), SBM_NO_CPU);

	/* A low slot given late does not hide a high one. */
	KUNIT_ASSERT_TRUE(test, sbm_alloc(&m->sbm, layout, NULL, GFP_KERNEL));
	sbm_set_cpu(127, &m->sbm);
	KUNIT_EXPECT_EQ(test, sbm_layout_add_cpu(layout, 3, SBM_LEAF_CPUS), 0);
	KUNIT_EXPECT_EQ(test, sbm_next(-1, &m->sbm), 127);
	sbm_set_cpu(3, &m->sbm);
	KUNIT_EXPECT_EQ(test, sbm_next(-1, &m->sbm), 3);
	KUNIT_EXPECT_EQ(test, sbm_count(&m->sbm), 2);

	KUNIT_EXPECT_NULL(test, sbm_layout_alloc(SBM_NO_CPU + 1, 1, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, sbm_layout_alloc(1, max(1, nr_cpu_ids) + 1, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, sbm_layout_alloc(64, UINT_MAX, GFP_KERNEL));
	sbm_layout_free(NULL);
}

/* No two leaves share a line, of this set or another one. */
static void sbm_line_test(struct kunit *test)
{
	struct sbm_machine *m = sbm_machine(test, &sbm_small);
	size_t line = max_t(size_t, 128, cache_line_size());
	struct sbm other;
	unsigned int i;

	KUNIT_ASSERT_TRUE(test, sbm_alloc(&other, m->layout, NULL, GFP_KERNEL));

	for (i = 0; i < m->sbm.nr_leaves; i++) {
		KUNIT_EXPECT_EQ(test, (unsigned long)m->sbm.leaf[i] % line, 0);
		KUNIT_EXPECT_GE(test, ksize(m->sbm.leaf[i]), line);
		KUNIT_EXPECT_PTR_NE(test, m->sbm.leaf[i], other.leaf[i]);
	}

	/* And the sets have nothing else in common either. */
	for (i = 0; i < m->nr; i += 2)
		sbm_do_set(m, m->cpu[i]);
	KUNIT_EXPECT_TRUE(test, sbm_empty(&other));
	for (i = 1; i < m->nr; i += 2)
		sbm_set_cpu(m->cpu[i], &other);
	sbm_check(test, m);
	KUNIT_EXPECT_EQ(test, sbm_count(&other), m->nr / 2);

	sbm_free(&other);
	sbm_check(test, m);
}

/*
 * Each allocation fails in turn.  What has been allocated before it is freed,
 * for which it takes a leak checker such as user space has, and what was there
 * before is as it was.
 */
static void sbm_nomem_test(struct kunit *test)
{
/* The leak detector has allocations of its own, which would be counted. */
#if defined(CONFIG_FAILSLAB) && !defined(CONFIG_DEBUG_KMEMLEAK)
	struct sbm_machine *m = sbm_machine_alloc(test, 24);
	struct sbm_layout *layout;
	unsigned int nth, i;
	struct sbm sbm;
	int leaf;

	/* GFP_NOWAIT, as failslab spares allocations that may sleep. */
	for (nth = 1, layout = NULL; !layout; nth++) {
		KUNIT_ASSERT_LT(test, nth, 10);
		current->fail_nth = nth;
		layout = sbm_layout_alloc(24, 24, GFP_NOWAIT);
		current->fail_nth = 0;
	}
	KUNIT_EXPECT_EQ(test, nth, 6);
	m->layout = layout;
	m->shape = &sbm_small;
	for (i = 0; i < 18; i++)
		sbm_machine_add(test, m, i);

	/* The table and three leaves, for both kinds. */
	for (nth = 1; ; nth++) {
		KUNIT_ASSERT_LT(test, nth, 10);
		current->fail_nth = nth;
		if (sbm_alloc(&m->sbm, layout, NULL, GFP_NOWAIT))
			break;
		KUNIT_EXPECT_TRUE(test, list_empty(&layout->sbms));
		sbm_free(&m->sbm);
	}
	current->fail_nth = 0;
	KUNIT_EXPECT_EQ(test, nth, 5);

	bitmap_fill(m->mask, 24);
	for (nth = 1; ; nth++) {
		KUNIT_ASSERT_LT(test, nth, 10);
		current->fail_nth = nth;
		if (sbm_alloc(&sbm, layout, to_cpumask(m->mask), GFP_NOWAIT))
			break;
	}
	current->fail_nth = 0;
	KUNIT_EXPECT_EQ(test, nth, 5);
	sbm_free(&sbm);

	/* One more leaf for each of two sets that grow. */
	KUNIT_ASSERT_TRUE(test, sbm_alloc(&sbm, layout, NULL, GFP_KERNEL));
	sbm_do_set(m, 17);
	for (nth = 1, leaf = -ENOMEM; leaf == -ENOMEM; nth++) {
		KUNIT_ASSERT_LT(test, nth, 10);
		KUNIT_EXPECT_EQ(test, layout->nr_leaves, 3);
		KUNIT_EXPECT_EQ(test, sbm.nr_leaves, 3);
		KUNIT_EXPECT_EQ(test, m->sbm.nr_leaves, 3);
		KUNIT_EXPECT_NULL(test, sbm.leaf[3]);
		KUNIT_EXPECT_NULL(test, m->sbm.leaf[3]);
		sbm_check(test, m);
		current->fail_nth = nth;
		leaf = sbm_layout_add_leaf(layout, NUMA_NO_NODE, GFP_NOWAIT);
		current->fail_nth = 0;
	}
	KUNIT_EXPECT_EQ(test, nth, 4);
	KUNIT_EXPECT_EQ(test, leaf, 3);
	KUNIT_EXPECT_EQ(test, sbm.nr_leaves, 4);
	KUNIT_EXPECT_EQ(test, m->sbm.nr_leaves, 4);
	sbm_check(test, m);
	sbm_free(&sbm);
#else
	kunit_skip(test, "needs CONFIG_FAILSLAB, and no CONFIG_DEBUG_KMEMLEAK");
#endif
}
#endif /* CONFIG_SBM */

/*
 * Threads.  CPU numbers are dealt out to them in turn.  Of those that a thread
 * has, one third is in the set all the time, one third never, and one third
 * comes and goes from round to round, except that a CPU below the thread's mark
 * stays in once the mark has moved past it: this is how the barriers are tried.
 * The marks get as far as the middle.  After it has written, each thread scans
 * what all of them have written.
 */
struct sbm_threads {
	struct sbm_machine	*m;
	struct sbm_thread	*threads;
	unsigned int		nr;
	unsigned int		rounds;
	atomic_t		changes;
	bool			go;
};

struct sbm_thread {
	struct sbm_threads	*all;
	struct task_struct	*task;
	unsigned long		*seen;
	unsigned int		*up;
	struct completion	done;
	unsigned int		first;
	unsigned int		mark;
	unsigned int		others;
	unsigned int		failed;
};

static void sbm_thread_write(struct sbm_thread *t, unsigned int round)
{
	struct sbm_machine *m = t->all->m;
	unsigned int nr = t->all->nr;
	unsigned int cpu, mark;

	for (cpu = t->first; cpu < m->nr_cpus; cpu += nr) {
		if (cpu / nr % 3 != 2 || cpu < t->mark)
			continue;
		if (round & 1)
			sbm_set_cpu(cpu, &m->sbm);
		else
			sbm_clear_cpu(cpu, &m->sbm);
	}

	mark = min(round, t->all->rounds) * (m->nr_cpus / 2) / t->all->rounds;
	if ((round & 1) && t->mark < mark) {
		/* All of them are in the set now. */
		smp_wmb();
		WRITE_ONCE(t->mark, t->mark + 3 * nr);
	}
}

/* Whether what has been seen is right.  @others counts what comes and goes. */
static bool sbm_thread_ok(struct sbm_thread *t, unsigned int nr_seen)
{
	struct sbm_machine *m = t->all->m;
	unsigned int nr = t->all->nr;
	unsigned int cpu;

	t->others = 0;
	for (cpu = 0; cpu < m->nr_cpus; cpu++) {
		bool seen = test_bit(cpu, t->seen);
		bool in = sbm_test_cpu(cpu, &m->sbm);

		switch (cpu / nr % 3) {
		case 0:
			if (!seen || !in)
				return false;
			break;
		case 1:
			if (seen || in)
				return false;
			break;
		default:
			if ((!seen || !in) && cpu < t->up[cpu % nr])
				return false;
			if (cpu % nr != t->first)
				t->others += seen;
			break;
		}
	}

	return nr_seen == bitmap_weight(t->seen, m->nr_cpus);
}

static void sbm_thread_read(struct sbm_thread *t, unsigned int round)
{
	struct sbm_machine *m = t->all->m;
	unsigned int last = t->others;
	unsigned int nr_seen = 0;
	unsigned int i, cpu;

	bitmap_zero(t->seen, m->nr_cpus);

	for (i = 0; i < t->all->nr; i++)
		t->up[i] = READ_ONCE(t->all->threads[i].mark);
	/* Pairs with the one in sbm_thread_write(). */
	smp_rmb();

	if (round % 4 < 2) {
		for_each_sbm(cpu, &m->sbm) {
			__set_bit(cpu, t->seen);
			nr_seen++;
		}
	} else {
		for_each_sbm_wrap(cpu, &m->sbm, round % m->nr_cpus) {
			__set_bit(cpu, t->seen);
			nr_seen++;
		}
	}

	if (!sbm_thread_ok(t, nr_seen) || sbm_empty(&m->sbm))
		t->failed++;
	if (t->others != last)
		atomic_inc(&t->all->changes);
}

/* More rounds if the threads have run one after the other, up to a point. */
static bool sbm_thread_goes_on(struct sbm_threads *all, unsigned int round)
{
	if (round < all->rounds)
		return true;

	return round < 100 * all->rounds && all->nr > 1 &&
	       atomic_read(&all->changes) <= 2 * all->nr;
}

static int sbm_thread(void *data)
{
	struct sbm_thread *t = data;
	unsigned int round;

	while (!READ_ONCE(t->all->go))
		cond_resched();

	for (round = 0; sbm_thread_goes_on(t->all, round); round++) {
		sbm_thread_write(t, round);
		sbm_thread_read(t, round);
		cond_resched();
	}
	complete(&t->done);

	while (!kthread_should_stop())
		schedule_timeout_idle(1);

	return 0;
}

static void sbm_threads_test(struct kunit *test)
{
	struct sbm_threads all = { .rounds = 2000 };
	struct sbm_machine *m = sbm_machine(test, test->param_value);
	struct sbm_thread *t;
	unsigned int cpu, i;

	all.m = m;
	all.threads = sbm_array(test, nr_cpu_ids, sizeof(*t));
	for (i = 0; i < nr_cpu_ids; i++) {
		all.threads[i].seen = sbm_bits(test, m);
		all.threads[i].up = sbm_array(test, nr_cpu_ids, sizeof(*t->up));
	}

	/* From here on, nothing that ends the test at once. */
	cpus_read_lock();
	/* Each thread has CPUs of all three kinds, if there are that many. */
	all.nr = clamp(m->nr_cpus / 3, 1, num_online_cpus());

	for (cpu = 0; cpu < m->nr_cpus; cpu++) {
		if (cpu / all.nr % 3 == 0)
			sbm_set_cpu(cpu, &m->sbm);
	}

	i = 0;
	for_each_online_cpu(cpu) {
		if (i == all.nr)
			break;

		t = &all.threads[i];
		t->all = &all;
		t->first = i;
		init_completion(&t->done);

		t->task = kthread_run_on_cpu(sbm_thread, t, cpu, "sbm_test/%u");
		KUNIT_EXPECT_FALSE(test, IS_ERR(t->task));
		if (IS_ERR(t->task))
			break;
		i++;
	}

	WRITE_ONCE(all.go, true);
	while (i--) {
		t = &all.threads[i];
		wait_for_completion(&t->done);
		kthread_stop(t->task);
		KUNIT_EXPECT_EQ(test, t->failed, 0);
	}

	cpus_read_unlock();

	if (all.nr > 1)
		KUNIT_EXPECT_GT(test, atomic_read(&all.changes), 2 * all.nr);
}

static const struct sbm_shape sbm_thread_shapes[] = {
#ifdef CONFIG_SBM
	{ "a full leaf", 64, 64, NEXT },
	{ "LLCs of 16", 256, 16, TURN },
	{ "an LLC of 240", 240, 240, HALF },
#else
	{ "this machine" },
#endif
};

KUNIT_ARRAY_PARAM_DESC(sbm_thread_shape, sbm_thread_shapes, name);

static struct kunit_case sbm_test_cases[] = {
	KUNIT_CASE_PARAM(sbm_random_test, sbm_shape_gen_params),
	KUNIT_CASE_PARAM(sbm_single_test, sbm_shape_gen_params),
	KUNIT_CASE_PARAM(sbm_start_test, sbm_shape_gen_params),
	KUNIT_CASE_PARAM(sbm_body_test, sbm_shape_gen_params),
#ifdef CONFIG_SBM
	KUNIT_CASE_PARAM(sbm_late_test, sbm_shape_gen_params),
	KUNIT_CASE(sbm_snapshot_test),
	KUNIT_CASE(sbm_late_walk_test),
	KUNIT_CASE(sbm_no_slot_test),
	KUNIT_CASE(sbm_span_test),
	KUNIT_CASE(sbm_layout_test),
	KUNIT_CASE(sbm_line_test),
	KUNIT_CASE(sbm_nomem_test),
#endif
	KUNIT_CASE_PARAM(sbm_threads_test, sbm_thread_shape_gen_params),
	{}
};

static struct kunit_suite sbm_test_suite = {
	.name		= "sbm",
	.init		= sbm_test_init,
	.exit		= sbm_test_exit,
	.test_cases	= sbm_test_cases,
};

kunit_test_suites(&sbm_test_suite);

MODULE_DESCRIPTION("KUnit tests for the sparse CPU bitmap");
MODULE_LICENSE("GPL");
