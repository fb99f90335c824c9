// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests for the task counts of psi. Included at the end of psi.c, since
 * what is tested is static and must stay inlined into the scheduler's hot path.
 *
 * The walk over the task count masks is compared with a reference that looks
 * at each bit in turn, for all masks. The underflow message is read back
 * through the console tracepoint, and is told from a real one by its CPU: the
 * tests pass one that cannot exist.
 */

#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/bits.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include <trace/events/printk.h>

#define PSI_TEST_CPU	-1
#define PSI_TEST_MASKS	BIT(NR_PSI_TASK_COUNTS)

/**
 * struct psi_test_console - what the console tracepoint has seen
 * @nr_lines: underflow messages of the tests, since the last reset
 * @line: the last of them, without the newline
 *
 * Written by the printk() of the test itself, so not in need of a lock.
 */
static struct psi_test_console {
	unsigned int	nr_lines;
	char		line[128];
} psi_test_console;

static void psi_test_probe_console(void *ignore, const char *text, size_t len)
{
	if (!strnstr(text, "psi: task underflow! cpu=-1 ", len))
		return;

	while (len && text[len - 1] == '\n')
		len--;
	len = min(len, sizeof(psi_test_console.line) - 1);

	memcpy(psi_test_console.line, text, len);
	psi_test_console.line[len] = '\0';
	psi_test_console.nr_lines++;
}

/* Mutes all messages after the first, and belongs to the running system. */
static int psi_test_saved_bug;

static int psi_test_init(struct kunit *test)
{
	psi_test_saved_bug = psi_bug;
	return 0;
}

static void psi_test_exit(struct kunit *test)
{
	psi_bug = psi_test_saved_bug;
}

static int psi_test_suite_init(struct kunit_suite *suite)
{
	return register_trace_console(psi_test_probe_console, NULL);
}

static void psi_test_suite_exit(struct kunit_suite *suite)
{
	unregister_trace_console(psi_test_probe_console, NULL);
	tracepoint_synchronize_unregister();
}

/* The masks, bit by bit. Returns the mask of the counts that underflowed. */
static unsigned int psi_test_reference(unsigned int *tasks, unsigned int clear,
				       unsigned int set)
{
	unsigned int t, underflow = 0;

	for (t = 0; t < NR_PSI_TASK_COUNTS; t++) {
		if (!(clear & BIT(t)))
			continue;
		if (tasks[t])
			tasks[t]--;
		else
			underflow |= BIT(t);
	}

	for (t = 0; t < NR_PSI_TASK_COUNTS; t++) {
		if (set & BIT(t))
			tasks[t]++;
	}

	return underflow;
}

/*
 * All masks on all combinations of counts that matter: none to take, the last
 * one to take, one to spare, and the highest.
 */
static void psi_test_all_masks(struct kunit *test)
{
	static const unsigned int counts[] = { 0, 1, 2, UINT_MAX };
	unsigned int tasks[NR_PSI_TASK_COUNTS], want[NR_PSI_TASK_COUNTS];
	unsigned int clear, set, combo, rest, t, underflow;
	struct psi_group_cpu *groupc;

	groupc = kunit_kzalloc(test, sizeof(*groupc), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, groupc);

	for (combo = 0; combo < 256; combo++) {
		for (t = 0, rest = combo; t < NR_PSI_TASK_COUNTS; t++, rest /= 4)
			tasks[t] = counts[rest % 4];

		for (clear = 0; clear < PSI_TEST_MASKS; clear++) {
			for (set = 0; set < PSI_TEST_MASKS; set++) {
				memcpy(want, tasks, sizeof(want));
				underflow = psi_test_reference(want, clear, set);

				memcpy(groupc->tasks, tasks, sizeof(tasks));
				groupc->state_mask = 0x5a5a5a5a;

				/*
				 * Let a walk without underflow try to print,
				 * and keep the log free of all the others.
				 */
				psi_bug = !!underflow;
				psi_update_tasks(groupc, PSI_TEST_CPU, clear, set);

				KUNIT_ASSERT_MEMEQ_MSG(test, groupc->tasks, want, sizeof(want),
						       "clear=%x set=%x tasks=[%u %u %u %u]",
						       clear, set, tasks[0], tasks[1],
						       tasks[2], tasks[3]);
				KUNIT_ASSERT_EQ_MSG(test, groupc->state_mask, 0x5a5a5a5a,
						    "clear=%x set=%x", clear, set);
				KUNIT_ASSERT_EQ_MSG(test, psi_bug, !!underflow,
						    "clear=%x set=%x tasks=[%u %u %u %u]",
						    clear, set, tasks[0], tasks[1],
						    tasks[2], tasks[3]);
			}
		}
	}
}

/*
 * The message names the count and both masks, whole: people search reports
 * for it. Of several underflows only the first is printed.
 */
static void psi_test_underflow_message(struct kunit *test)
{
	static const struct {
		unsigned int	tasks[NR_PSI_TASK_COUNTS];
		unsigned int	clear;
		unsigned int	set;
		const char	*line;
	} cases[] = {
		{ { 0, 0, 0, 0 }, 0x4, 0x0,
		  "psi: task underflow! cpu=-1 t=2 tasks=[0 0 0 0] clear=4 set=0" },
		{ { 0, 1, 2, 3 }, 0x1, 0xc,
		  "psi: task underflow! cpu=-1 t=0 tasks=[0 1 2 3] clear=1 set=c" },
		{ { 1, 1, 1, 0 }, 0xf, 0x5,
		  "psi: task underflow! cpu=-1 t=3 tasks=[0 0 0 0] clear=f set=5" },
		{ { 5, 0, 0, 7 }, 0xf, 0xf,
		  "psi: task underflow! cpu=-1 t=1 tasks=[4 0 0 7] clear=f set=f" },
		{ { 1, 2, 0, 0 }, 0xe, 0x2,
		  "psi: task underflow! cpu=-1 t=2 tasks=[1 1 0 0] clear=e set=2" },
	};
	struct psi_group_cpu *groupc;
	unsigned int i;

	groupc = kunit_kzalloc(test, sizeof(*groupc), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, groupc);

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(&psi_test_console, 0, sizeof(psi_test_console));
		memcpy(groupc->tasks, cases[i].tasks, sizeof(groupc->tasks));
		psi_bug = 0;

		psi_update_tasks(groupc, PSI_TEST_CPU, cases[i].clear, cases[i].set);

		KUNIT_EXPECT_EQ(test, psi_test_console.nr_lines, 1);
		KUNIT_EXPECT_STREQ(test, psi_test_console.line, cases[i].line);
		KUNIT_EXPECT_EQ(test, psi_bug, 1);
	}
}

/* Once something was printed, by whichever message, there is silence. */
static void psi_test_underflow_once(struct kunit *test)
{
	struct psi_group_cpu *groupc;

	groupc = kunit_kzalloc(test, sizeof(*groupc), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, groupc);

	memset(&psi_test_console, 0, sizeof(psi_test_console));
	psi_bug = 0;

	psi_update_tasks(groupc, PSI_TEST_CPU, TSK_RUNNING, 0);
	psi_update_tasks(groupc, PSI_TEST_CPU, TSK_RUNNING, 0);
	psi_update_tasks(groupc, PSI_TEST_CPU, TSK_IOWAIT | TSK_MEMSTALL, 0);
	KUNIT_EXPECT_EQ(test, psi_test_console.nr_lines, 1);

	memset(&psi_test_console, 0, sizeof(psi_test_console));
	psi_bug = 1;

	psi_update_tasks(groupc, PSI_TEST_CPU, TSK_RUNNING, 0);
	KUNIT_EXPECT_EQ(test, psi_test_console.nr_lines, 0);
}

static void psi_test_change(struct psi_group *group, unsigned int clear,
			    unsigned int set, u64 now)
{
	struct rq_flags rf;
	struct rq *rq;

	rq = this_rq_lock_irq(&rf);
	psi_group_change(group, cpu_of(rq), clear, set, now, false);
	rq_unlock_irq(rq, &rf);
}

static void psi_test_expect_times(struct kunit *test, struct psi_group_cpu *groupc,
				  u32 nonidle, u32 cpu_some)
{
	unsigned int s;

	for (s = 0; s < NR_PSI_STATES; s++) {
		u32 want = 0;

		if (s == PSI_NONIDLE)
			want = nonidle;
		else if (s == PSI_CPU_SOME)
			want = cpu_some;
		KUNIT_EXPECT_EQ_MSG(test, groupc->times[s], want, "state %u", s);
	}
}

/*
 * TSK_ONCPU is the bit behind the last count. Left in a mask, it would be
 * counted in the word that follows the counts, which is the state mask; and
 * there, in the states that the elapsed time is charged to.
 */
static void psi_test_oncpu(struct kunit *test, bool enabled)
{
	struct psi_group_cpu *groupc;
	struct psi_group *group;

	group = kunit_kzalloc(test, sizeof(*group), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, group);
	group->pcpu = alloc_percpu(struct psi_group_cpu);
	KUNIT_ASSERT_TRUE(test, !!group->pcpu);
	group->enabled = enabled;

	psi_bug = 0;
	migrate_disable();
	groupc = this_cpu_ptr(group->pcpu);

	/* After a time of idleness, a task wakes up and is picked. */
	psi_test_change(group, 0, TSK_RUNNING | TSK_ONCPU, 1000);
	KUNIT_EXPECT_EQ(test, groupc->tasks[NR_RUNNING], 1);
	KUNIT_EXPECT_TRUE(test, groupc->state_mask & PSI_ONCPU);
	psi_test_expect_times(test, groupc, 0, 0);

	/* Another one wakes up: the flag is carried. */
	psi_test_change(group, 0, TSK_RUNNING, 3000);
	KUNIT_EXPECT_EQ(test, groupc->tasks[NR_RUNNING], 2);
	KUNIT_EXPECT_TRUE(test, groupc->state_mask & PSI_ONCPU);
	psi_test_expect_times(test, groupc, enabled ? 2000 : 0, 0);

	/* The first one goes to sleep, after the other has waited for it. */
	psi_test_change(group, TSK_RUNNING | TSK_ONCPU, 0, 6000);
	KUNIT_EXPECT_EQ(test, groupc->tasks[NR_RUNNING], 1);
	KUNIT_EXPECT_FALSE(test, groupc->state_mask & PSI_ONCPU);
	psi_test_expect_times(test, groupc, enabled ? 5000 : 0, enabled ? 3000 : 0);

	/* Cleared where it was not set: there is no count to underflow. */
	memset(groupc, 0, sizeof(*groupc));
	psi_test_change(group, TSK_ONCPU, 0, 7000);
	KUNIT_EXPECT_EQ(test, groupc->state_mask, 0);
	KUNIT_EXPECT_EQ(test, psi_bug, 0);

	migrate_enable();
	free_percpu(group->pcpu);
}

static void psi_test_oncpu_enabled(struct kunit *test)
{
	psi_test_oncpu(test, true);
}

static void psi_test_oncpu_disabled(struct kunit *test)
{
	psi_test_oncpu(test, false);
}

static struct kunit_case psi_test_cases[] = {
	KUNIT_CASE(psi_test_all_masks),
	KUNIT_CASE(psi_test_underflow_message),
	KUNIT_CASE(psi_test_underflow_once),
	KUNIT_CASE(psi_test_oncpu_enabled),
	KUNIT_CASE(psi_test_oncpu_disabled),
	{}
};

static struct kunit_suite psi_test_suite = {
	.name = "psi",
	.suite_init = psi_test_suite_init,
	.suite_exit = psi_test_suite_exit,
	.init = psi_test_init,
	.exit = psi_test_exit,
	.test_cases = psi_test_cases,
};

kunit_test_suite(psi_test_suite);
