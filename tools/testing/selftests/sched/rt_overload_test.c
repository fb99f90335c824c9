// SPDX-License-Identifier: GPL-2.0-only
/*
 * RT and deadline tasks that wait, and the CPUs they wait on.
 *
 * A CPU is overloaded when a task waits on it that may run on others. It is in
 * a mask of its root domain then, which a CPU that becomes free looks at: it
 * pulls tasks from there, or asks for them to be pushed (RT_PUSH_IPI). In
 * debugfs, sched/sbm/rto and sched/sbm/dlo show the masks.
 *
 * A hog keeps each CPU busy that takes part. Tasks of lower, distinct ranks
 * wait behind some of them, each placed by its affinity, which is widened only
 * then. So it is known how many tasks wait on which CPU. A CPU becomes free when
 * its hog goes to sleep; the highest one of the waiting tasks has to get it. For
 * a moment, lower ones can run there. So it is polled for that the right tasks
 * run and no others.
 *
 * What is true while CPUs go offline or change their root domain is less: a
 * CPU can become free, and see no task that waits in another domain. That is
 * made up for the next time. So CPUs become free in the meantime, but it is
 * when all is quiet again that each of them has to get the highest one.
 *
 * When a CPU goes back to its hog from something else, it pushes tasks that
 * wait, and a CPU on which an RT task went to sleep asks others to. Both hide
 * that a CPU got no task when it became free. Therefore fair servers and the
 * soft lockup detector are off then, and the test is no RT task. It is pinned
 * to a CPU that it leaves alone. RT throttling and the admission of deadline
 * tasks are off, too. Without the latter, deadline tasks can be pinned.
 */
#include <linux/types.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "cpu_util.h"

#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE	6
#endif

/* A deadline for tasks to move: ample for a slow guest. */
#define BOUND		(10 * SEC)

/* For how long to look at which tasks run. */
#define LOOK		(200 * MSEC)

#define CHURN_TIME	(2 * SEC)
#define ALONE_TIME	(3 * SEC)

/* What a case takes that fails in every way. */
#define WORST_CASE	(50 * SEC)

#define MAX_HOGS	16
#define MAX_WAITERS	6
#define MAX_SLOTS	512

/* Tasks that sleep and wake: not too many on a CPU, or it is never idle. */
#define MAX_NAPPERS	190
#define NAPPERS_PER_CPU	8

#define HOG_PRIO	40
#define NAPPER_PRIO	20

/* Deadlines, in ns. Those of waiting tasks are after the end of the test. */
#define HOG_DEADLINE	5000000000ULL
#define FIRST_DEADLINE	200000000000ULL
#define DEADLINE_STEP	20000000000ULL
#define PERIOD_MAX_US	"400000000"

#define SCHED_DIR	"/sys/kernel/debug/sched"
#define SYSCTL_DIR	"/proc/sys/kernel"
#define RCU_DIR		"/sys/module/rcutree/parameters"

enum policy { RT, DL };

static char * const mask_name[] = { "rto", "dlo" };

enum churn { HOTPLUG, PARTITION };

/* What a task and the test share. Those of two tasks are on different lines. */
struct slot {
	unsigned long count;
	int cpu;
	bool stop;
	bool stopped;
	char apart[112];
};

struct task {
	pid_t pid;
	int cpu;
	struct slot *slot;
};

struct dl_attr {
	__u32 size;
	__u32 policy;
	__u64 flags;
	__s32 nice;
	__u32 priority;
	__u64 runtime;
	__u64 deadline;
	__u64 period;
};

/* A file that is written, and what has to be written to it at the end. */
struct setting {
	char *dir;
	char *file;
	char old[32];
	bool changed;
};

static struct setting features = { .dir = SCHED_DIR, .file = "features" };
static struct setting rt_runtime = { .dir = SYSCTL_DIR, .file = "sched_rt_runtime_us" };
static struct setting watchdog = { .dir = SYSCTL_DIR, .file = "soft_watchdog" };
static struct setting period_max = { .dir = SYSCTL_DIR, .file = "sched_deadline_period_max_us" };

/* The fair servers that are off, and what they had. */
static struct {
	int cpu;
	char runtime[32];
} off[MAX_HOGS];
static int nr_off;

/* Why something cannot be tested here; NULL if it can. */
static const char *no_mask[2], *no_churn, *no_partition, *no_pin;

static struct slot *slots;
static int nr_slots;

/* The slot of a task, and what it is to work on. It gets a copy. */
static struct slot *self;
static struct cpus work;

/* A hog for each CPU of @arena. Tasks wait that may run on those of @allowed. */
static struct cpus arena, allowed;
static struct task hogs[MAX_HOGS], waiters[MAX_WAITERS];
static int nr_hogs, nr_waiters;

/* A mask has been seen that can never be. */
static bool mask_broken;

static long long begin;

static bool change(struct setting *s, char *value)
{
	if (!*s->old && cg_read(s->dir, s->file, s->old, sizeof(s->old)))
		return false;

	s->changed = true;
	return !cg_write(s->dir, s->file, value);
}

/* The bandwidth of a deadline task can be taken for a moment after its end. */
static void restore(struct setting *s)
{
	if (s->changed)
		wait_for(cg_write(s->dir, s->file, s->old) != -EBUSY, SOON);
	s->changed = false;
}

static int set_fair_server(int cpu, char *runtime)
{
	char dir[64];

	snprintf(dir, sizeof(dir), SCHED_DIR "/fair_server/cpu%d", cpu);
	return cg_write(dir, "runtime", runtime);
}

static bool fair_servers_off(void)
{
	char dir[64];
	int i;

	for (i = 0; i < arena.nr; i++) {
		snprintf(dir, sizeof(dir), SCHED_DIR "/fair_server/cpu%d", arena.cpu[i]);
		if (cg_read(dir, "runtime", off[nr_off].runtime, sizeof(off[nr_off].runtime)))
			continue;
		off[nr_off++].cpu = arena.cpu[i];
		if (set_fair_server(arena.cpu[i], "0")) {
			ksft_print_msg("CPU %d keeps its fair server\n", arena.cpu[i]);
			return false;
		}
	}
	return true;
}

static void fair_servers_on(void)
{
	for (; nr_off; nr_off--)
		set_fair_server(off[nr_off - 1].cpu, off[nr_off - 1].runtime);
}

/*
 * The kernel lets go of a task before that gives its bandwidth back. Sched domains
 * that are rebuilt in between do not count it, and end up with less than none.
 */
static void demote_tasks(void)
{
	struct sched_param param = {};
	int i;

	for (i = 0; i < nr_tasks; i++)
		sched_setscheduler(tasks[i], SCHED_OTHER, &param);
}

static void cleanup(void)
{
	demote_tasks();
	kill_tasks();
	undo_cpus();
	fair_servers_on();
	restore(&watchdog);
	restore(&features);
	restore(&rt_runtime);
	restore(&period_max);
}

static unsigned long count_of(const struct task *task)
{
	return __atomic_load_n(&task->slot->count, __ATOMIC_RELAXED);
}

/* Where it was when it last came around. */
static int last_cpu(const struct task *task)
{
	return __atomic_load_n(&task->slot->cpu, __ATOMIC_RELAXED);
}

static bool is_stopping(const struct slot *slot)
{
	return __atomic_load_n(&slot->stop, __ATOMIC_RELAXED);
}

static void stop(const struct task *task)
{
	__atomic_store_n(&task->slot->stop, true, __ATOMIC_RELAXED);
}

static bool has_stopped(const struct task *task)
{
	return __atomic_load_n(&task->slot->stopped, __ATOMIC_ACQUIRE);
}

/* It stays as it is until it is killed with all others. */
static void sleep_on(void)
{
	__atomic_store_n(&self->stopped, true, __ATOMIC_RELEASE);
	for (;;)
		pause();
}

static void came_around(void)
{
	__atomic_store_n(&self->cpu, sched_getcpu(), __ATOMIC_RELAXED);
	__atomic_store_n(&self->count, self->count + 1, __ATOMIC_RELAXED);
}

static void spin(void)
{
	while (!is_stopping(self))
		came_around();
	sleep_on();
}

/* Each sleep lowers the priority of the CPU. */
static void nap(void)
{
	for (;;) {
		usleep(50);
		came_around();
	}
}

static void hotplug(void)
{
	bool done;
	int i;

	while (!is_stopping(self)) {
		done = true;
		for (i = 0; i < work.nr; i++)
			done &= set_online(work.cpu[i], false);
		usleep(20 * MSEC);
		for (i = 0; i < work.nr; i++)
			done &= set_online(work.cpu[i], true);
		usleep(20 * MSEC);
		if (done)
			came_around();
	}
	sleep_on();
}

/* With a root domain of its own, and in the one of isolated CPUs, by turns. */
static void repartition(void)
{
	bool done, isolate;

	for (isolate = false; !is_stopping(self); isolate = !isolate) {
		done = !make_partition(&work, isolate ? "isolated" : "root");
		usleep(20 * MSEC);
		done &= end_partition();
		usleep(20 * MSEC);
		if (done)
			came_around();
	}
	sleep_on();
}

/* A task starts on the test's CPU. It goes to @cpu unless that is -1. */
static struct task start(void (*fn)(void), int cpu)
{
	struct task task = { .cpu = cpu };

	if (nr_slots == MAX_SLOTS)
		ksft_exit_fail_msg("too many tasks\n");
	task.slot = &slots[nr_slots++];
	memset(task.slot, 0, sizeof(*task.slot));

	self = task.slot;
	task.pid = spawn(fn);
	if (cpu >= 0 && !pin(task.pid, cpu))
		ksft_exit_fail_perror("sched_setaffinity");
	return task;
}

static void end_tasks(void)
{
	demote_tasks();
	kill_tasks();
	nr_slots = 0;
	nr_hogs = 0;
	nr_waiters = 0;
}

/* Whether each task has come around on the CPU that it was started for. */
static bool all_ran(const struct task *task, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		if (!count_of(&task[i]) || last_cpu(&task[i]) != task[i].cpu)
			return false;
	}
	return true;
}

static bool allow(pid_t pid, const struct cpus *cpus)
{
	cpu_set_t *set = CPU_ALLOC(MAX_CPUS);
	size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
	bool ok;
	int i;

	CPU_ZERO_S(size, set);
	for (i = 0; i < cpus->nr; i++)
		CPU_SET_S(cpus->cpu[i], size, set);
	ok = !sched_setaffinity(pid, size, set);
	CPU_FREE(set);

	return ok;
}

/*
 * The hogs are of rank 0. Higher numbers are lower ranks, with a lower priority
 * or a later deadline. A deadline task gets all of its CPU's time: it does not
 * have to stop until its period ends, and leaves no bandwidth behind.
 */
static bool set_rank(pid_t pid, enum policy policy, int rank)
{
	struct sched_param param = { .sched_priority = HOG_PRIO - rank };
	struct dl_attr attr = {
		.size = sizeof(attr),
		.policy = SCHED_DEADLINE,
	};

	if (policy == RT)
		return !sched_setscheduler(pid, SCHED_FIFO, &param);

	attr.deadline = rank ? FIRST_DEADLINE + rank * DEADLINE_STEP : HOG_DEADLINE;
	attr.runtime = attr.deadline;
	attr.period = attr.deadline;
	return !syscall(SYS_sched_setattr, pid, &attr, 0);
}

/*
 * Start the hogs, and @nr tasks that wait behind some of them. A task has to
 * run before others of higher rank keep it from that. Returns why tasks cannot
 * have this policy, or NULL.
 */
static const char *fill(enum policy policy, int nr)
{
	/* Two wait on the same CPU if there are enough of them. */
	int i, places = nr > 2 ? (nr + 2) / 2 : nr;
	struct task *task;

	if (places > arena.nr)
		places = arena.nr;

	for (i = nr - 1; i >= 0; i--) {
		task = &waiters[i];
		*task = start(spin, arena.cpu[arena.nr - 1 - (nr - 1 - i) % places]);
		if (!set_rank(task->pid, policy, i + 1)) {
			ksft_print_msg("no %s task: %s\n", policy == RT ? "RT" : "deadline",
				       strerror(errno));
			end_tasks();
			return policy == RT ? "SCHED_FIFO is refused" :
					      "SCHED_DEADLINE is not admitted";
		}
		if (!wait_for(all_ran(task, 1), BOUND))
			ksft_exit_fail_msg("no task runs on CPU %d\n", task->cpu);
	}
	nr_waiters = nr;

	for (i = 0; i < arena.nr; i++) {
		hogs[i] = start(spin, arena.cpu[i]);
		if (!set_rank(hogs[i].pid, policy, 0))
			ksft_exit_fail_perror("the rank of a hog");
	}
	nr_hogs = arena.nr;
	if (!wait_for(all_ran(hogs, nr_hogs), BOUND))
		ksft_exit_fail_msg("not all of the hogs run\n");

	for (i = 0; i < nr; i++) {
		if (!allow(waiters[i].pid, &allowed))
			ksft_exit_fail_perror("sched_setaffinity");
	}
	return NULL;
}

/* Rather no more results than to be stopped and lose those that there are. */
static const char *out_of_time(void)
{
	return now() - begin < TEST_TIMEOUT * SEC - WORST_CASE ? NULL :
	       "what failed before took too long";
}

/* The first hogs to go are in turn one from each end of the arena. */
static void free_cpu(int nth)
{
	stop(&hogs[nth % 2 ? nr_hogs - 1 - nth / 2 : nth / 2]);
}

static const struct task *hog_on(int cpu)
{
	int i;

	for (i = 0; i < nr_hogs; i++) {
		if (hogs[i].cpu == cpu && !has_stopped(&hogs[i]))
			return &hogs[i];
	}
	return NULL;
}

/* The CPU that a task runs or waits on; -1 if it is gone. */
static int cpu_of(pid_t pid)
{
	char path[32], *text, *s;
	int field, cpu = -1;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	text = read_file(path);
	s = text ? strrchr(text, ')') : NULL;
	for (field = 2; s && field < 39; field++)
		s = strchr(s + 1, ' ');
	if (s)
		cpu = atoi(s + 1);
	free(text);

	return cpu;
}

/*
 * Whether the first @nr waiting tasks run, each on a CPU that is free for it.
 * If @only is set, no other may.
 */
static bool first_run(int nr, bool only)
{
	unsigned long before[MAX_WAITERS];
	const struct task *task;
	int i, cpu;

	for (i = 0; i < nr_waiters; i++)
		before[i] = count_of(&waiters[i]);
	usleep(LOOK);

	for (i = 0; i < nr_waiters; i++) {
		task = &waiters[i];
		cpu = last_cpu(task);
		if (count_of(task) == before[i]) {
			if (i < nr)
				return false;
		} else if ((i >= nr && only) || hog_on(cpu) || !contains(&allowed, cpu)) {
			return false;
		}
	}
	return true;
}

static void print_tasks(const char *what)
{
	int i;

	ksft_print_msg("%s:\n", what);
	for (i = 0; i < nr_waiters; i++)
		ksft_print_msg("rank %d: on CPU %d, last ran on %d, came around %lu times\n",
			       i + 1, cpu_of(waiters[i].pid), last_cpu(&waiters[i]),
			       count_of(&waiters[i]));
	for (i = 0; i < nr_hogs; i++) {
		if (has_stopped(&hogs[i]))
			ksft_print_msg("CPU %d is free\n", hogs[i].cpu);
	}
}

/*
 * All CPUs in the mask of any root domain. A line is "CPUs of the domain: CPUs in
 * the mask". None of the latter can be from elsewhere at any time.
 */
static void read_mask(enum policy policy, struct cpus *mask)
{
	struct cpus span, cpus;
	char *text, *line, *colon, *end;
	char path[64];
	int i;

	mask->nr = 0;
	snprintf(path, sizeof(path), SCHED_DIR "/sbm/%s", mask_name[policy]);
	text = read_file(path);
	if (!text)
		ksft_exit_fail_perror(path);

	for (line = text; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		colon = strstr(line, ": ");
		if (colon)
			*colon = '\0';
		if (!colon || !parse_cpus(line, &span) || !parse_cpus(colon + 2, &cpus))
			ksft_exit_fail_msg("%s has a line that is no mask\n", path);

		i = first_in(&cpus, &span, false);
		if (i >= 0 && !mask_broken) {
			ksft_print_msg("CPU %d is in %s of CPUs %s\n", i,
				       mask_name[policy], line);
			mask_broken = true;
		}
		for (i = 0; i < cpus.nr; i++)
			add(mask, cpus.cpu[i]);
	}
	free(text);
}

/* A CPU that has to be in the mask and is not, or the other way round, or -1. */
static int wrong_in_mask(enum policy policy)
{
	int i, j, cpu, nr, at[MAX_WAITERS];
	struct cpus mask;
	bool waits;

	for (i = 0; i < nr_waiters; i++)
		at[i] = cpu_of(waiters[i].pid);
	read_mask(policy, &mask);

	/* One of the tasks on a CPU runs. It is not the hog that could move. */
	for (i = 0; i < usable.nr; i++) {
		cpu = usable.cpu[i];
		nr = !!hog_on(cpu);
		for (j = 0; j < nr_waiters; j++)
			nr += at[j] == cpu;
		waits = nr > 1;
		if (contains(&mask, cpu) != waits)
			return cpu;
	}
	return -1;
}

static bool mask_is_right(enum policy policy, const char *when)
{
	int cpu;

	if (no_mask[policy])
		return true;

	wait_for((cpu = wrong_in_mask(policy)) < 0, BOUND);
	if (cpu >= 0)
		ksft_print_msg("%s, CPU %d is wrong in %s\n", when, cpu, mask_name[policy]);
	return cpu < 0 && !mask_broken;
}

/*
 * Free as many CPUs as tasks wait. The first one to go is the @nth. The n-th time,
 * the n highest tasks have to run: none of them gives way to a lower one.
 */
static bool all_move(enum policy policy, int nth, bool only, bool *mask_ok)
{
	int nr;

	for (nr = 1; nr <= nr_waiters; nr++) {
		free_cpu(nth++);
		if (!wait_for(first_run(nr, only), BOUND)) {
			print_tasks("not the highest tasks run");
			return false;
		}
		*mask_ok = *mask_ok && mask_is_right(policy, "with a CPU free");
	}
	return true;
}

static void test_order(enum policy policy, const char *mode, const char *skip)
{
	bool moves = false, mask_ok = false, empty = false;
	const char *skip_mask;
	int i, max = usable.nr;

	/* RT tasks of the kernel have a lower rank than deadline tasks. */
	if (policy == DL)
		max = max > 2 ? max * 2 / 3 : max;
	arena.nr = 0;
	for (i = 0; i < max && i < MAX_HOGS; i++)
		add(&arena, usable.cpu[i]);
	allowed = arena;

	mask_broken = false;
	if (!skip)
		skip = out_of_time();
	if (!skip)
		skip = fill(policy, arena.nr < MAX_WAITERS ? arena.nr : MAX_WAITERS);
	skip_mask = skip ?: no_mask[policy];

	if (!skip) {
		moves = fair_servers_off();
		if (moves && !wait_for(first_run(0, true), BOUND)) {
			print_tasks("tasks run where hogs have to");
			moves = false;
		}
		mask_ok = mask_is_right(policy, "with no CPU free");
		moves = moves && all_move(policy, 0, true, &mask_ok);
		end_tasks();
		fair_servers_on();
		empty = mask_is_right(policy, "with no tasks");
	}

	report(skip, moves, "%s: the highest task moves to a CPU that becomes free", mode);
	report(skip_mask, mask_ok, "%s: %s has the CPUs on which tasks wait", mode,
	       mask_name[policy]);
	report(skip_mask, empty, "%s: %s has none of the CPUs when the tasks are gone", mode,
	       mask_name[policy]);
}

/* Find CPUs to come and go, and others to be kept busy; leave some idle. */
static const char *share_cpus(enum churn churn)
{
	int max, i, cpu, nr = usable.nr < 6 ? 1 : 2;

	max = (usable.nr - nr) * 2 / 3;
	if (max < 2)
		max = 2;
	if (max > MAX_HOGS)
		max = MAX_HOGS;

	work.nr = 0;
	arena.nr = 0;
	for (i = 0; i < usable.nr; i++) {
		cpu = usable.cpu[i];
		if (work.nr < nr && (churn == PARTITION || can_offline(cpu)))
			add(&work, cpu);
		else if (arena.nr < max)
			add(&arena, cpu);
	}
	if (!work.nr)
		return "no CPU can be taken offline";
	if (arena.nr < 2)
		return "not enough CPUs";

	/* The fair server lets a CPU go offline that has an RT task to run. */
	allowed = arena;
	if (!access(SCHED_DIR "/fair_server", F_OK))
		add(&allowed, work.cpu[0]);
	return NULL;
}

/* Free @nr CPUs meanwhile. Returns whether it came around and ended well. */
static bool churn_for_a_while(const struct task *task, int nr)
{
	long long from = now(), passed;
	struct cpus mask;
	int nth = 0;

	do {
		usleep(50 * MSEC);
		passed = now() - from;
		if (nth < nr && passed > (nth + 1) * CHURN_TIME / (nr + 1))
			free_cpu(nth++);
		if (!no_mask[RT])
			read_mask(RT, &mask);
	} while (passed < CHURN_TIME || (!count_of(task) && passed < CHURN_TIME + BOUND));

	while (nth < nr)
		free_cpu(nth++);

	stop(task);
	return wait_for(has_stopped(task), 3 * BOUND);
}

static bool hogs_in_place(void)
{
	int i, cpu;

	for (i = 0; i < nr_hogs; i++) {
		cpu = cpu_of(hogs[i].pid);
		if (!is_stopping(hogs[i].slot) && cpu != hogs[i].cpu) {
			ksft_print_msg("a task pinned to CPU %d is on %d\n", hogs[i].cpu, cpu);
			return false;
		}
	}
	return true;
}

static bool some_wait(void)
{
	if (!first_run(nr_waiters, false))
		return true;

	print_tasks("more tasks run than CPUs are free");
	return false;
}

/*
 * One of the CPUs that come and go is free for the tasks that wait: the one that
 * runs there has to leave when the CPU goes. There are more of them than CPUs
 * become free meanwhile, so some still wait afterwards.
 */
static void test_churn(enum churn churn, const char *mode, const char *skip)
{
	static const char * const name[] = { "CPU hotplug", "partition changes" };
	bool moves = false, mask_ok = false;
	const char *skip_mask;
	int i, early = 0, nr = 0;
	struct task task;

	if (!skip)
		skip = out_of_time();
	if (!skip)
		skip = no_churn;
	if (!skip && churn == PARTITION)
		skip = no_partition;
	if (!skip)
		skip = share_cpus(churn);
	if (!skip && churn == PARTITION) {
		skip = make_partition(&work, "isolated");
		end_partition();
	}

	mask_broken = false;
	if (!skip) {
		early = arena.nr < 8 ? arena.nr / 4 : 2;
		nr = arena.nr - early < MAX_WAITERS ? arena.nr - early : MAX_WAITERS;
		skip = fill(RT, nr);
	}

	if (!skip) {
		if (churn == HOTPLUG)
			taken = work;
		task = start(churn == HOTPLUG ? hotplug : repartition, -1);
		moves = churn_for_a_while(&task, early);
		ksft_print_msg("%lu times of %s, %s\n", count_of(&task), name[churn],
			       first_run(early, false) ? "the highest tasks run" :
							 "not all of the highest tasks run");
		if (!moves)
			ksft_print_msg("%s did not end\n", name[churn]);
		else if (!count_of(&task))
			skip = "none was complete in that time";

		for (i = 0; moves && i < taken.nr; i++) {
			if (!set_online(taken.cpu[i], true))
				ksft_exit_fail_perror("a CPU that went offline stays so");
		}
		moves = moves && fair_servers_off() && hogs_in_place() && some_wait();
		mask_ok = moves && mask_is_right(RT, "after the churn");
		moves = moves && all_move(RT, early, false, &mask_ok);
		end_tasks();
		fair_servers_on();
		mask_ok = mask_ok && mask_is_right(RT, "with no tasks");
		drop_group();
		while (taken.nr)
			set_online(taken.cpu[--taken.nr], true);
	}
	skip_mask = skip ?: no_mask[RT];

	report(skip, moves, "%s: after %s, no task is left waiting", mode, name[churn]);
	report(skip_mask, mask_ok, "%s: after %s, rto has the CPUs on which tasks wait", mode,
	       name[churn]);
}

/*
 * One CPU alone is overloaded, all the time. Others lower their priority all the
 * time and ask it to push, but there is nowhere to push to. Once, such a CPU did
 * nothing but send interrupts to itself.
 */
static void test_alone(const char *mode, const char *skip)
{
	unsigned long before[2], naps = 0, count;
	bool gets_on = false, all_run = false;
	static struct task nappers[MAX_SLOTS];
	int i, per_cpu, nr = 0;
	long long from;

	if (!skip && usable.nr < 3)
		skip = "not enough CPUs";

	/* The last one of the two has the task that waits. */
	arena.nr = 0;
	add(&arena, usable.cpu[0]);
	add(&arena, usable.cpu[1]);
	allowed = arena;

	mask_broken = false;
	if (!skip)
		skip = out_of_time();
	if (!skip)
		skip = fill(RT, 1);

	if (!skip) {
		per_cpu = MAX_NAPPERS / (usable.nr - 2);
		if (per_cpu > NAPPERS_PER_CPU)
			per_cpu = NAPPERS_PER_CPU;
		if (!per_cpu)
			per_cpu = 1;
		for (i = 0; i < per_cpu * (usable.nr - 2) && nr < MAX_NAPPERS; i++) {
			nappers[nr] = start(nap, usable.cpu[2 + i % (usable.nr - 2)]);
			set_rank(nappers[nr].pid, RT, HOG_PRIO - NAPPER_PRIO);
			nr++;
		}
		gets_on = wait_for(all_ran(nappers, nr), BOUND);
		if (!gets_on)
			ksft_print_msg("not all of the tasks that sleep run\n");
		gets_on = gets_on && mask_is_right(RT, "with one CPU overloaded");

		for (i = 0; i < nr; i++)
			naps -= count_of(&nappers[i]);
		before[0] = count_of(&hogs[0]);
		before[1] = count_of(&hogs[1]);
		from = now();
		while (gets_on && now() - from < ALONE_TIME) {
			count = count_of(&hogs[1]);
			usleep(500 * MSEC);
			gets_on = wait_for(count_of(&hogs[1]) != count, BOUND);
			if (!gets_on)
				ksft_print_msg("nothing runs on CPU %d\n", hogs[1].cpu);
		}
		for (i = 0; i < nr; i++)
			naps += count_of(&nappers[i]);
		ksft_print_msg("%lu naps of %d tasks; %lu turns on the CPU, %lu on another one\n",
			       naps, nr, count_of(&hogs[1]) - before[1],
			       count_of(&hogs[0]) - before[0]);
		end_tasks();

		for (nr = 0; nr < usable.nr && nr < MAX_SLOTS; nr++)
			nappers[nr] = start(spin, usable.cpu[nr]);
		all_run = wait_for(all_ran(nappers, nr), BOUND);
		for (i = 0; i < nr; i++) {
			if (!all_ran(&nappers[i], 1))
				ksft_print_msg("no task runs on CPU %d\n", nappers[i].cpu);
		}
		end_tasks();
	}

	report(skip, gets_on, "%s: a CPU gets on that alone is overloaded", mode);
	report(skip, all_run, "%s: after that, each CPU runs a task", mode);
}

/* Returns why the kernel cannot work in that mode, or NULL. */
static const char *set_mode(char *mode)
{
	/* Without the feature, it works as with the feature off. */
	if (!*features.old)
		return strcmp(mode, "RT_PUSH_IPI") ? NULL : "there is no such feature";

	return change(&features, mode) ? NULL : "the features cannot be changed";
}

static int llc_of(int cpu)
{
	struct cpus cpus;
	int level;

	for (level = 4; level >= 0; level--) {
		if (read_cpus(&cpus, CPU_DIR "/cpu%d/cache/index%d/shared_cpu_list", cpu,
			      level) && cpus.nr)
			return cpus.cpu[0];
	}
	return 0;
}

/* One CPU from each LLC before a second from any. */
static void spread_usable(void)
{
	static int llc[MAX_CPUS], nth[MAX_CPUS];
	struct cpus from = usable;
	int round, i, j;

	for (i = 0; i < from.nr; i++) {
		llc[i] = llc_of(from.cpu[i]);
		for (j = 0; j < i; j++)
			nth[i] += llc[j] == llc[i];
	}

	usable.nr = 0;
	for (round = 0; usable.nr < from.nr; round++) {
		for (i = 0; i < from.nr; i++) {
			if (nth[i] == round)
				add(&usable, from.cpu[i]);
		}
	}
}

/* Hotplug waits for RCU, and that for each CPU. */
static const char *find_churn(void)
{
	long prio;

	if (!cg_read_strstr(RCU_DIR, "use_softirq", "Y"))
		return NULL;

	prio = cg_read_long(RCU_DIR, "kthread_prio");
	return prio > 0 && prio <= HOG_PRIO ? "rcutree.kthread_prio is too low" : NULL;
}

static void setup(void)
{
	struct sched_param fifo = { .sched_priority = 1 }, other = {};
	char path[64], *text;
	int i;

	if (geteuid())
		ksft_exit_skip("needs root\n");
	text = read_file(SCHED_DIR "/features");
	if (!text)
		ksft_exit_skip("no %s: debugfs is not mounted\n", SCHED_DIR "/features");
	if (strstr(text, "RT_PUSH_IPI"))
		snprintf(features.old, sizeof(features.old), "%sRT_PUSH_IPI",
			 strstr(text, "NO_RT_PUSH_IPI") ? "NO_" : "");
	free(text);

	slots = mmap(NULL, MAX_SLOTS * sizeof(*slots), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (slots == MAP_FAILED)
		ksft_exit_fail_perror("mmap");

	clean_up_at_exit();

	find_usable();
	if (no_usable)
		ksft_exit_skip("%s\n", no_usable);
	if (usable.nr < 2)
		ksft_exit_skip("there is one CPU only besides the test's own\n");
	spread_usable();

	change(&watchdog, "0");
	if (!change(&rt_runtime, "-1") || !change(&period_max, PERIOD_MAX_US))
		no_pin = "the limits of deadline tasks cannot be changed";
	if (sched_setscheduler(0, SCHED_FIFO, &fifo) ||
	    sched_setscheduler(0, SCHED_OTHER, &other))
		ksft_exit_skip("SCHED_FIFO is refused: %s\n", strerror(errno));

	/* Other tasks come to the CPU of the test when the rest are busy. */
	setpriority(PRIO_PROCESS, 0, -20);

	for (i = RT; i <= DL; i++) {
		snprintf(path, sizeof(path), SCHED_DIR "/sbm/%s", mask_name[i]);
		if (access(path, R_OK))
			no_mask[i] = "no such file in sched/sbm: CONFIG_SBM is not set";
	}
	no_churn = find_churn();
	no_partition = find_partition("rt_overload_test");
}

int main(void)
{
	static char * const modes[] = { "RT_PUSH_IPI", "NO_RT_PUSH_IPI" };
	const char *skip;
	unsigned int i;

	ksft_print_header();

	begin = now();
	setup();
	ksft_set_plan(21);

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		skip = set_mode(modes[i]);
		test_order(RT, modes[i], skip);
		test_churn(HOTPLUG, modes[i], skip);
		test_churn(PARTITION, modes[i], skip);
		test_alone(modes[i], skip);
	}
	/* The feature is of no concern to deadline tasks. */
	test_order(DL, "deadline", no_pin);

	ksft_finished();
}
