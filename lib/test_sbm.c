// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stress test and benchmark of the sparse CPU bitmap
 *
 * For kernels without KUnit, production ones too.  Loading it runs everything
 * and fails if something is wrong; it can be unloaded and loaded again.
 *
 * The stress test has a thread on each online CPU, which changes the CPU's own
 * bytes, scans, and checks what the type's contract promises.  It tells memory
 * ordering from chance better than a unit test does, on the machine at hand.
 *
 * The benchmark measures each operation on one CPU, in a set of "cpus" CPUs of
 * which "percent" are members, for LLCs of several sizes, against the same
 * operation on a bitmap as cpumasks have it.  The layout is made up: CPU numbers
 * that follow each other share a leaf.  What it does not measure this way is
 * several CPUs writing to one set, which is what the sparse one is for; so
 * there is another one in which each online CPU sets and clears itself for a
 * while.  Hypervisors, idle states and other load make figures vary: trust the
 * smallest, and look at how far the median is from it.
 *
 * Figures go to the log as lines of "name=value" pairs that begin with
 * "bench:".
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitmap.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sbm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/timex.h>

#include "../tools/testing/selftests/kselftest_module.h"

KSTM_MODULE_GLOBALS();

static unsigned int stress_ms = 2000;
module_param(stress_ms, uint, 0444);
MODULE_PARM_DESC(stress_ms, "How long to stress, in ms; 0 to leave it out");

static unsigned int loops = 20000;
module_param(loops, uint, 0444);
MODULE_PARM_DESC(loops, "Operations in a trial; 0 to leave out the benchmark");

static unsigned int cpus = 256;
module_param(cpus, uint, 0444);
MODULE_PARM_DESC(cpus, "CPUs in the benchmark's sets");

static unsigned int percent = 25;
module_param(percent, uint, 0444);
MODULE_PARM_DESC(percent, "How many of them are members");

#ifdef CONFIG_SBM
/* A set of @nr CPUs over a layout with @llc CPUs in a leaf. */
static bool __init make_set(struct sbm *sbm, unsigned int nr, unsigned int llc)
{
	struct sbm_layout *layout;
	unsigned int cpu;

	layout = sbm_layout_alloc(nr, DIV_ROUND_UP(nr, llc), GFP_KERNEL);
	if (!layout)
		return false;

	for (cpu = 0; cpu < nr; cpu++) {
		if (cpu % llc == 0 &&
		    sbm_layout_add_leaf(layout, NUMA_NO_NODE, GFP_KERNEL) < 0)
			goto free;
		if (sbm_layout_add_cpu(layout, cpu, cpu / llc * SBM_LEAF_CPUS +
						    cpu % llc))
			goto free;
	}

	if (sbm_alloc(sbm, layout, NULL, GFP_KERNEL))
		return true;
free:
	sbm_layout_free(layout);
	return false;
}

static void __init free_set(struct sbm *sbm)
{
	struct sbm_layout *layout = sbm->layout;

	sbm_free(sbm);
	sbm_layout_free(layout);
}
#else
static bool __init make_set(struct sbm *sbm, unsigned int nr, unsigned int llc)
{
	return sbm_alloc(sbm, NULL, NULL, GFP_KERNEL);
}

static void __init free_set(struct sbm *sbm)
{
	sbm_free(sbm);
}
#endif

/*
 * The threads meet before and after each round.  In a round each one adds its
 * CPU to the set and raises its flag, and lowers its neighbour's flag and
 * scans, one after the other as the round's number has it.  When all have done
 * so, a CPU has been found or its flag is up.
 */
struct stress {
	struct sbm	*sbm;
	unsigned int	nr;
	unsigned long	end;
	atomic_t	arrived;
	atomic_t	lost;
	atomic_t	wrong;
	bool		stop;
};

struct stress_thread {
	struct stress		*all;
	struct stress_thread	*next;
	struct task_struct	*task;
	struct completion	done;
	unsigned int		cpu;
	bool			first;
	unsigned int		flag ____cacheline_aligned;
	unsigned int		rounds;
};

/*
 * Wait for the others to come here for the nth time.  Spin at first, to be at
 * it again at the same moment; but there may be more virtual CPUs than real
 * ones, and then it is better to let go of this one.
 */
static void stress_meet(struct stress_thread *t, unsigned int nth)
{
	struct stress *all = t->all;
	unsigned int spins = 0;

	atomic_inc(&all->arrived);
	while ((int)(atomic_read_acquire(&all->arrived) - nth * all->nr) < 0) {
		if (++spins < 1000)
			cpu_relax();
		else
			usleep_range(50, 100);
	}
}

static void stress_write(struct stress_thread *t)
{
	sbm_set_cpu(t->cpu, t->all->sbm);
	/* Pairs with the one in stress_read(). */
	smp_mb__after_sbm_set();
	WRITE_ONCE(t->flag, 1);
}

/* True if the neighbour is found. */
static bool stress_read(struct stress_thread *t)
{
	bool found = false;
	unsigned int cpu;
	int last = -1;

	WRITE_ONCE(t->next->flag, 0);
	/* Pairs with the one in stress_write(). */
	smp_mb();
	for_each_sbm(cpu, t->all->sbm) {
		/* Here the slots are in the order of the CPU numbers. */
		if ((int)cpu <= last)
			atomic_inc(&t->all->wrong);
		last = cpu;
		if (cpu == t->next->cpu)
			found = true;
	}

	return found;
}

static unsigned int stress_count(struct stress *all)
{
	unsigned int nr = 0;
	unsigned int cpu;

	for_each_sbm(cpu, all->sbm)
		nr++;

	return nr;
}

static int stress_thread(void *data)
{
	struct stress_thread *t = data;
	struct stress *all = t->all;
	unsigned int nth = 0;
	bool found;

	for (;;) {
		/*
		 * One thread decides, before all others meet it, and not again
		 * before all others have read what it decided.
		 */
		if (t->first && time_after(jiffies, all->end))
			WRITE_ONCE(all->stop, true);
		stress_meet(t, ++nth);
		if (READ_ONCE(all->stop))
			break;

		if (t->rounds & 1) {
			found = stress_read(t);
			stress_write(t);
		} else {
			stress_write(t);
			found = stress_read(t);
		}
		if (!sbm_test_cpu(t->cpu, all->sbm) || sbm_empty(all->sbm))
			atomic_inc(&all->wrong);

		stress_meet(t, ++nth);
		if (!found && !READ_ONCE(t->next->flag))
			atomic_inc(&all->lost);

		/* A CPU that all can see in the set, or not. */
		stress_meet(t, ++nth);
		if (!sbm_test_cpu(t->next->cpu, all->sbm) ||
		    stress_count(all) != all->nr)
			atomic_inc(&all->wrong);

		stress_meet(t, ++nth);
		sbm_clear_cpu(t->cpu, all->sbm);
		WRITE_ONCE(t->flag, 0);

		stress_meet(t, ++nth);
		if (!sbm_empty(all->sbm) || sbm_next(-1, all->sbm) < nr_cpu_ids)
			atomic_inc(&all->wrong);
		t->rounds++;
	}
	complete(&t->done);

	while (!kthread_should_stop())
		schedule_timeout_idle(1);

	return 0;
}

static void __init run_stress(unsigned int llc)
{
	struct stress_thread *threads;
	struct stress all = {};
	struct sbm sbm;
	unsigned int cpu, online;
	unsigned int i = 0;

	threads = kcalloc(nr_cpu_ids, sizeof(*threads), GFP_KERNEL);
	if (!threads || !make_set(&sbm, nr_cpu_ids, llc)) {
		pr_warn("no memory\n");
		kfree(threads);
		failed_tests++;
		return;
	}

	cpus_read_lock();
	all.sbm = &sbm;
	all.end = jiffies + msecs_to_jiffies(stress_ms);
	for_each_online_cpu(cpu) {
		struct stress_thread *t = &threads[i];

		t->task = kthread_create_on_cpu(stress_thread, t, cpu, "test_sbm/%u");
		if (IS_ERR(t->task))
			break;
		t->all = &all;
		t->cpu = cpu;
		t->next = t + 1;
		t->first = !i++;
		init_completion(&t->done);
	}

	all.nr = i;
	if (i) {
		threads[i - 1].next = threads;
		while (i--)
			wake_up_process(threads[i].task);
		for (i = 0; i < all.nr; i++) {
			wait_for_completion(&threads[i].done);
			kthread_stop(threads[i].task);
		}
	}
	online = num_online_cpus();
	cpus_read_unlock();

	KSTM_CHECK_ZERO(all.nr != online);
	KSTM_CHECK_ZERO(!threads[0].rounds);
	KSTM_CHECK_ZERO(atomic_read(&all.lost));
	KSTM_CHECK_ZERO(atomic_read(&all.wrong));
	pr_info("stress: threads=%u llc=%u rounds=%u lost=%d wrong=%d\n", all.nr,
		llc, threads[0].rounds, atomic_read(&all.lost),
		atomic_read(&all.wrong));

	free_set(&sbm);
	kfree(threads);
}

/* What the benchmark's loops work on, and where their results go. */
static struct sbm bench_sbm;
static unsigned long *bench_map;
static unsigned int bench_sink;

static unsigned int bench_walk_sbm(void)
{
	unsigned int sum = 0;
	unsigned int cpu;

	for_each_sbm(cpu, &bench_sbm)
		sum += cpu;

	return sum;
}

static unsigned int bench_walk_map(void)
{
	unsigned int sum = 0;
	unsigned int cpu;

	for_each_set_bit(cpu, bench_map, cpus)
		sum += cpu;

	return sum;
}

/*
 * A loop for each operation and each kind of set.  i runs over the CPUs, so
 * that branches and addresses are not always the same ones.
 */
#define BENCH_LOOP(name, statement)					\
static void bench_##name(unsigned int nr)				\
{									\
	unsigned int sink = 0;						\
	unsigned int i;							\
									\
	for (i = 0; nr--; i = i + 1 < cpus ? i + 1 : 0)			\
		statement;						\
									\
	WRITE_ONCE(bench_sink, sink);					\
}

BENCH_LOOP(sbm_set, sbm_set_cpu(i, &bench_sbm))
BENCH_LOOP(map_set, set_bit(i, bench_map))
BENCH_LOOP(sbm_clear, sbm_clear_cpu(i, &bench_sbm))
BENCH_LOOP(map_clear, clear_bit(i, bench_map))
BENCH_LOOP(sbm_test, sink += sbm_test_cpu(i, &bench_sbm))
BENCH_LOOP(map_test, sink += test_bit(i, bench_map))
BENCH_LOOP(sbm_empty, sink += sbm_empty(&bench_sbm))
BENCH_LOOP(map_empty, sink += bitmap_empty(bench_map, cpus))
BENCH_LOOP(sbm_scan, sink += bench_walk_sbm())
BENCH_LOOP(map_scan, sink += bench_walk_map())

/* An operation, and whether the set has its members when it is measured. */
struct bench_op {
	const char	*name;
	void		(*sbm)(unsigned int nr);
	void		(*map)(unsigned int nr);
	bool		filled;
};

static const struct bench_op bench_ops[] __initconst = {
	{ "set", bench_sbm_set, bench_map_set },
	{ "clear", bench_sbm_clear, bench_map_clear },
	{ "empty", bench_sbm_empty, bench_map_empty },
	{ "test", bench_sbm_test, bench_map_test, true },
	{ "scan", bench_sbm_scan, bench_map_scan, true },
};

#define BENCH_TRIALS	15

struct bench_result {
	u64	ps[BENCH_TRIALS];
	u64	cycles[BENCH_TRIALS];
};

static int __init cmp_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a;
	u64 y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Sorted, per operation. */
static void __init bench_run(struct bench_result *result,
			     void (*loop)(unsigned int nr), unsigned int nr)
{
	cycles_t cycles;
	unsigned int i;
	ktime_t time;

	loop(nr);
	for (i = 0; i < BENCH_TRIALS; i++) {
		preempt_disable();
		time = ktime_get();
		cycles = get_cycles();
		loop(nr);
		cycles = get_cycles() - cycles;
		time = ktime_sub(ktime_get(), time);
		preempt_enable();
		cond_resched();

		result->ps[i] = div_u64(ktime_to_ns(time) * 1000, nr);
		result->cycles[i] = div_u64((u64)cycles, nr);
	}
	sort(result->ps, BENCH_TRIALS, sizeof(u64), cmp_u64, NULL);
	sort(result->cycles, BENCH_TRIALS, sizeof(u64), cmp_u64, NULL);
}

static void __init bench_report(const char *op, const char *type,
				unsigned int llc, const struct bench_result *r)
{
	pr_info("bench: op=%s type=%s cpus=%u llc=%u percent=%u ps_min=%llu ps_median=%llu cycles_min=%llu cycles_median=%llu\n",
		op, type, cpus, llc, percent, r->ps[0], r->ps[BENCH_TRIALS / 2],
		r->cycles[0], r->cycles[BENCH_TRIALS / 2]);
}

static void __init bench_fill(bool filled)
{
	unsigned int cpu;

	for (cpu = 0; cpu < cpus; cpu++) {
		/* Spread evenly, over the machine and in each leaf. */
		if (filled && (cpu + 1) * percent / 100 > cpu * percent / 100) {
			sbm_set_cpu(cpu, &bench_sbm);
			__set_bit(cpu, bench_map);
		} else {
			sbm_clear_cpu(cpu, &bench_sbm);
			__clear_bit(cpu, bench_map);
		}
	}
}

static void __init bench_llc(unsigned int llc)
{
	struct bench_result *result;
	unsigned int nr, i;

	result = kmalloc_obj(*result);
	bench_map = bitmap_zalloc(cpus, GFP_KERNEL);
	if (!result || !bench_map || !make_set(&bench_sbm, cpus, llc)) {
		pr_warn("no memory\n");
		failed_tests++;
		goto free;
	}

	for (i = 0; i < ARRAY_SIZE(bench_ops); i++) {
		bench_fill(bench_ops[i].filled);
		/* A scan is as much work as many of the others. */
		nr = max(loops / (bench_ops[i].sbm == bench_sbm_scan ? 16 : 1), 1U);
		bench_run(result, bench_ops[i].sbm, nr);
		bench_report(bench_ops[i].name, "sbm", llc, result);
		bench_run(result, bench_ops[i].map, nr);
		bench_report(bench_ops[i].name, "cpumask", llc, result);
	}
	total_tests++;

	free_set(&bench_sbm);
free:
	bitmap_free(bench_map);
	kfree(result);
}

/* Set and clear pairs by all online CPUs at once, each for its own CPU. */
struct pairs {
	struct task_struct	*task;
	struct completion	done;
	atomic_t		*ready;
	unsigned int		nr;
	unsigned int		cpu;
	bool			sparse;
	u64			ps;
};

static int pairs_thread(void *data)
{
	struct pairs *p = data;
	unsigned int i;
	ktime_t time;

	atomic_dec(p->ready);
	while (atomic_read(p->ready)) {
		cpu_relax();
		cond_resched();
	}

	time = ktime_get();
	for (i = 0; i < p->nr; i++) {
		if (p->sparse) {
			sbm_set_cpu(p->cpu, &bench_sbm);
			barrier();
			sbm_clear_cpu(p->cpu, &bench_sbm);
		} else {
			set_bit(p->cpu, bench_map);
			clear_bit(p->cpu, bench_map);
		}
		if (i % 1024 == 0)
			cond_resched();
	}
	p->ps = div_u64(ktime_to_ns(ktime_sub(ktime_get(), time)) * 1000, p->nr);
	complete(&p->done);

	while (!kthread_should_stop())
		schedule_timeout_idle(1);

	return 0;
}

static void __init bench_pairs(struct pairs *pairs, bool sparse,
			       unsigned int llc)
{
	unsigned int nr = 0;
	atomic_t ready;
	unsigned int cpu, i;
	u64 sum = 0;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		pairs[nr] = (struct pairs){
			.ready	= &ready,
			.nr	= loops * 10,
			.cpu	= cpu,
			.sparse	= sparse,
		};
		init_completion(&pairs[nr].done);
		pairs[nr].task = kthread_create_on_cpu(pairs_thread, &pairs[nr],
						       cpu, "test_sbm/%u");
		if (IS_ERR(pairs[nr].task))
			break;
		nr++;
	}
	atomic_set(&ready, nr);
	for (i = 0; i < nr; i++)
		wake_up_process(pairs[i].task);
	for (i = 0; i < nr; i++) {
		/* A thread that has not begun would not begin after kthread_stop(). */
		wait_for_completion(&pairs[i].done);
		kthread_stop(pairs[i].task);
		sum += pairs[i].ps;
	}
	cpus_read_unlock();

	pr_info("bench: op=pair type=%s threads=%u llc=%u ps_mean=%llu\n",
		sparse ? "sbm" : "cpumask", nr, llc, nr ? div_u64(sum, nr) : 0);
}

static void __init bench_contended(unsigned int llc)
{
	struct pairs *pairs;

	pairs = kcalloc(nr_cpu_ids, sizeof(*pairs), GFP_KERNEL);
	bench_map = bitmap_zalloc(nr_cpu_ids, GFP_KERNEL);
	if (!pairs || !bench_map || !make_set(&bench_sbm, nr_cpu_ids, llc)) {
		pr_warn("no memory\n");
		failed_tests++;
		goto free;
	}

	bench_pairs(pairs, false, llc);
	bench_pairs(pairs, true, llc);
	total_tests++;

	free_set(&bench_sbm);
free:
	bitmap_free(bench_map);
	kfree(pairs);
}

static void __init selftest(void)
{
	static const unsigned int llcs[] __initconst = { 1, 4, 8, 16, 32, 64 };
	unsigned int i;

	if (stress_ms) {
		run_stress(1);
		run_stress(64);
	}

	if (!loops || !cpus)
		return;

	loops = min(loops, 1U << 24);
	percent = min(percent, 100U);
	/* A cpumask has no more. */
	if (!IS_ENABLED(CONFIG_SBM))
		cpus = min(cpus, nr_cpu_ids);
	for (i = 0; i < ARRAY_SIZE(llcs); i++)
		bench_llc(llcs[i]);
	bench_contended(1);
	bench_contended(64);
}

KSTM_MODULE_LOADERS(test_sbm);
MODULE_DESCRIPTION("Stress test and benchmark of the sparse CPU bitmap");
MODULE_LICENSE("GPL");
