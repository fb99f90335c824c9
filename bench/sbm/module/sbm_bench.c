// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two cores in one set, as a kernel module
 *
 * Measures what the user-space program of the same name does on two cores, with
 * the same source, pair.h, compiled by kbuild with the kernel's own flags and
 * the kernel's own headers.  The library is compiled in, as in user space, since
 * the kernel exports it to its own modules only.
 *
 * The two threads are bound to CPUs 0 and 1.  They let others run after each
 * block of operations and in each turn of a loop that waits, so that nothing
 * stalls if one of them gets no processor.  Interrupts stay on.
 *
 * Loading: all work is done in the init function, which then fails with
 * -EAGAIN, so that the module can be loaded again at once; with -ENODEV without
 * two CPUs, and -EINVAL if something is wrong.  Lines in the log begin with
 * "sbm_bench: "; the last one is "sbm_bench: done", or has begun with
 * "sbm_bench: error".
 */
#define pr_fmt(fmt) "sbm_bench: " fmt

#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/export.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sort.h>

/* What the kernel exports under these names is not what is used here. */
#undef EXPORT_SYMBOL_FOR_MODULES
#define EXPORT_SYMBOL_FOR_MODULES(sym, modules)

#include "../sbm.c"

#ifndef CONFIG_SBM
#error "a kernel with CONFIG_SBM=y is wanted"
#endif

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a;
	u64 y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static inline void pair_pause(void)
{
	cpu_relax();
	cond_resched();
}

#define pair_ns()	ktime_get_ns()
#define pair_relax()	cond_resched()
#define pair_div(a, b)	div64_u64(a, b)
#define pair_sort(v, n)	sort(v, n, sizeof(u64), compare_u64, NULL)
#define pair_out(...)	pr_info(__VA_ARGS__)

#include "../pair.h"

static unsigned int trials = 25;
module_param(trials, uint, 0444);
MODULE_PARM_DESC(trials, "trials of each form in each way");

static unsigned int ms = 5;
module_param(ms, uint, 0444);
MODULE_PARM_DESC(ms, "how long a trial is, about");

struct bench_thread {
	struct task_struct	*task;
	struct completion	done;
	unsigned int		me;
	bool			right;
};

static struct bench_thread threads[2];

static int bench_thread(void *data)
{
	struct bench_thread *t = data;

	t->right = pair_thread(t->me, trials, ms);
	complete(&t->done);

	while (!kthread_should_stop())
		schedule_timeout_idle(1);

	return 0;
}

/* Run both threads, each on its CPU, and wait for them. */
static int __init bench_threads(void)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < 2; i++) {
		threads[i].me = i;
		init_completion(&threads[i].done);
		threads[i].task = kthread_create_on_cpu(bench_thread, &threads[i],
							i, "sbm_bench/%u");
		if (IS_ERR(threads[i].task)) {
			pr_err("error: no thread for CPU %u\n", i);
			err = PTR_ERR(threads[i].task);
			if (i)
				kthread_stop(threads[0].task);
			return err;
		}
	}
	for (i = 0; i < 2; i++)
		wake_up_process(threads[i].task);
	for (i = 0; i < 2; i++) {
		/* A thread that has not begun would not begin after kthread_stop(). */
		wait_for_completion(&threads[i].done);
		kthread_stop(threads[i].task);
		if (!threads[i].right)
			err = -EINVAL;
	}

	return err;
}

static int __init sbm_bench_init(void)
{
	int err;

	if (!trials || trials > PAIR_MAX_TRIALS || !ms || ms > 1000) {
		pr_err("error: trials is 1 to %u, ms 1 to 1000\n", PAIR_MAX_TRIALS);
		return -EINVAL;
	}

	pr_info("# compiler %s\n", CONFIG_CC_VERSION_TEXT);
	cpus_read_lock();
	if (num_online_cpus() < 2 || !cpu_online(0) || !cpu_online(1)) {
		pr_err("error: CPUs 0 and 1 are wanted, %u online\n", num_online_cpus());
		err = -ENODEV;
	} else if (!pair_make()) {
		pr_err("error: no memory\n");
		err = -ENOMEM;
	} else {
		err = bench_threads();
	}
	cpus_read_unlock();

	if (!err) {
		pair_print();
		pr_info("done\n");
		err = -EAGAIN;
	}
	pair_free();

	return err;
}
module_init(sbm_bench_init);

MODULE_DESCRIPTION("What sbm costs on two cores");
MODULE_LICENSE("GPL");
