// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scheduler's sparse CPU bitmaps, as debugfs shows them.
 *
 * There are two files in sched/sbm: layout tells which CPU has which slot, and
 * nohz_idle which CPUs are in the mask of those that are idle without a tick.
 * Three facts hold on any machine:
 *
 *  - A CPU has one slot, and keeps it when it goes offline.
 *  - A CPU leaves the mask on its first tick with a task to run, before it goes
 *    offline, and when it becomes isolated. It enters it when the tick stops,
 *    and when it is not isolated any more while the tick is stopped.
 *  - Whether the tick is stopped is told by /proc/timer_list, too. A CPU that
 *    is missing from the mask and has a tick proves nothing: the machine or
 *    its firmware keeps it awake.
 *
 * The mask lags behind, and the vCPUs of a slow guest do even more. So what has
 * to become true is polled for, and only what has to stay true is given a
 * fixed time. CPUs are picked from as many leaves as possible.
 *
 * The test runs pinned to one CPU that it leaves alone. CPUs that were isolated
 * or nohz_full before are left alone, too: the latter have no tick to leave the
 * mask on.
 */
#include <sys/mman.h>
#include <sys/resource.h>

#include "cpu_util.h"

/* For how long a CPU has to stay out of the mask. */
#define STAY		(500 * MSEC)

#define CHURN_TIME	(3 * SEC)

#define LEAF_CPUS	64

/* An LLC of fewer CPUs has no leaf of its own. */
#define LLC_MIN		4

/* Hotplug takes its time: all CPUs of a small machine, and some of a large. */
#define SMALL_MACHINE	16
#define MAX_OFFLINE	8

#define SBM_DIR		"/sys/kernel/debug/sched/sbm"
#define NODE_DIR	"/sys/devices/system/node"

/* The CPUs in the order of their slots, and the leaf of each of them. */
struct layout {
	char *text;
	int nr_leaves;
	struct cpus cpus;
	int leaf[MAX_CPUS];
};

static struct layout layout;

/* Why something cannot be tested here; NULL if it can. */
static const char *no_busy, *no_partition;

/* Whether a CPU has been isolated, and is expected to be again. */
static bool can_isolate;

/* What a task is to work on. It gets a copy. */
static struct cpus work;

/*
 * How often the tasks of the churn came around. They end when they are told to:
 * the kernel warns if one is killed while it makes a partition.
 */
enum { HOTPLUG, PARTITION, NR_CHURNS };

static struct churn {
	int rounds[NR_CHURNS];
	int nr_ended;
	bool stop;
} *churn;

/* The lines "LEAF node NODE cpus CPUS", of leaf 0, 1 and so on. */
static bool parse_layout(const char *text, struct layout *l)
{
	int leaf, node, len, i;
	struct cpus cpus;

	l->nr_leaves = 0;
	l->cpus.nr = 0;
	while (*text) {
		len = 0;
		if (sscanf(text, "%d node %d cpus%n", &leaf, &node, &len) != 2 || !len)
			return false;
		text += len;
		if (leaf != l->nr_leaves++)
			return false;

		/* The only leaf without a CPU is one in reserve. */
		if (*text == ' ')
			text++;
		if (!parse_cpus(text, &cpus) || l->cpus.nr + cpus.nr > MAX_CPUS)
			return false;
		for (i = 0; i < cpus.nr; i++) {
			l->leaf[l->cpus.nr] = leaf;
			add(&l->cpus, cpus.cpu[i]);
		}

		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return l->nr_leaves;
}

static void read_mask(struct cpus *mask)
{
	if (!read_cpus(mask, SBM_DIR "/nohz_idle"))
		ksft_exit_fail_msg(SBM_DIR "/nohz_idle is no list of CPUs\n");
}

static char *read_layout(void)
{
	char *text = read_file(SBM_DIR "/layout");

	if (!text)
		ksft_exit_fail_perror(SBM_DIR "/layout");
	return text;
}

static bool same_layout(void)
{
	char *text = read_layout();
	bool same = !strcmp(text, layout.text);

	if (!same)
		ksft_print_msg("the layout has changed\n");
	free(text);
	return same;
}

/* The first CPU of @cpus that is in the mask; -1 if there is none. */
static int in_mask(const struct cpus *cpus)
{
	struct cpus mask;

	read_mask(&mask);
	return first_in(cpus, &mask, true);
}

static bool leaves_mask(const struct cpus *cpus, const char *what)
{
	long long begin = now();
	int cpu;

	wait_for((cpu = in_mask(cpus)) < 0, SOON);
	if (cpu < 0)
		ksft_print_msg("no %s CPU in the mask after %lld ms\n", what,
			       (now() - begin) / MSEC);
	else
		ksft_print_msg("%s CPU %d is in the mask\n", what, cpu);
	return cpu < 0;
}

static bool stays_out(const struct cpus *cpus, const char *what)
{
	long long begin = now();
	bool last;
	int cpu;

	/* However late a look comes, there is one at the end. */
	do {
		last = now() - begin >= STAY;
		cpu = in_mask(cpus);
		if (cpu >= 0) {
			ksft_print_msg("%s CPU %d is in the mask after %lld ms\n",
				       what, cpu, (now() - begin) / MSEC);
			return false;
		}
		usleep(10 * MSEC);
	} while (!last);

	return true;
}

/* The CPUs whose tick is stopped, whatever for. */
static void read_stopped(struct cpus *stopped)
{
	int cpu = -1, value;
	char *line = NULL;
	size_t size = 0;
	FILE *f;

	stopped->nr = 0;
	f = fopen("/proc/timer_list", "r");
	if (!f)
		return;

	while (getline(&line, &size, f) > 0) {
		if (sscanf(line, "cpu: %d", &value) == 1)
			cpu = value;
		else if (sscanf(line, " .tick_stopped : %d", &value) == 1 && value)
			add(stopped, cpu);
	}
	free(line);
	fclose(f);
}

/*
 * A CPU that stopped its tick, but is not in the mask; -1 if there is none. Any
 * CPU can be found so for a moment, so they are looked at several times.
 */
static int lost_cpu(const struct cpus *cpus)
{
	struct cpus lost = *cpus, before, mask, after;
	int round, i, nr;

	for (round = 0; round < 5 && lost.nr; round++) {
		if (round)
			usleep(100 * MSEC);
		read_stopped(&before);
		read_mask(&mask);
		read_stopped(&after);

		nr = lost.nr;
		lost.nr = 0;
		for (i = 0; i < nr; i++) {
			int cpu = lost.cpu[i];

			if (!contains(&mask, cpu) && contains(&before, cpu) &&
			    contains(&after, cpu))
				add(&lost, cpu);
		}
	}
	return lost.nr ? lost.cpu[0] : -1;
}

/* Whether the mask has all of @left; what it has is taken away from there. */
static bool has_rest(struct cpus *left)
{
	int i, nr = left->nr;
	struct cpus mask;

	read_mask(&mask);
	left->nr = 0;
	for (i = 0; i < nr; i++) {
		if (!contains(&mask, left->cpu[i]))
			add(left, left->cpu[i]);
	}
	return !left->nr;
}

/*
 * CPUs enter the mask when they are idle, which all need not be. If none is,
 * @skip is set.
 */
static bool enters_mask(const struct cpus *cpus, const char **skip)
{
	struct cpus left = *cpus;
	int cpu;

	if (wait_for(has_rest(&left), SOON))
		return true;

	cpu = lost_cpu(&left);
	if (cpu >= 0) {
		ksft_print_msg("CPU %d has no tick, but is not in the mask\n", cpu);
		return false;
	}

	ksft_print_msg("%d CPUs do not become idle, such as %d\n", left.nr, left.cpu[0]);
	if (left.nr == cpus->nr)
		*skip = "no such CPU is idle without a tick";
	return true;
}

static bool go_offline(int cpu)
{
	if (!contains(&taken, cpu))
		add(&taken, cpu);
	return set_online(cpu, false);
}

static void cleanup(void)
{
	kill_tasks();
	undo_cpus();
}

static void spin(void)
{
	for (;;)
		__asm__ volatile("" : : : "memory");
}

/*
 * Sleep and wake on one CPU after the other, as far as they can be had. Some of
 * the sleeps are shorter than a tick and some are long enough to stop it.
 */
static void nap(void)
{
	int i;

	setpriority(PRIO_PROCESS, 0, 19);
	for (i = 0;; i++) {
		pin(0, work.cpu[i % work.nr]);
		usleep((2 + i % 4 * 7) * MSEC);
	}
}

static bool goes_on(void)
{
	return !__atomic_load_n(&churn->stop, __ATOMIC_RELAXED);
}

static void end_churn(void)
{
	__atomic_add_fetch(&churn->nr_ended, 1, __ATOMIC_RELEASE);
}

static void hotplug(void)
{
	bool done;

	while (goes_on()) {
		done = set_online(work.cpu[0], false);
		usleep(20 * MSEC);
		done &= set_online(work.cpu[0], true);
		usleep(20 * MSEC);
		churn->rounds[HOTPLUG] += done;
	}
	end_churn();
}

static void spin_on(const struct cpus *cpus)
{
	int i;

	for (i = 0; i < cpus->nr; i++) {
		if (!pin(spawn(spin), cpus->cpu[i]))
			ksft_exit_fail_perror("sched_setaffinity");
	}
}

/* A partition ends as a member, and then with its cgroup. */
static void repartition(void)
{
	bool done;

	while (goes_on()) {
		done = !make_partition(&work, "isolated");
		usleep(30 * MSEC);
		done &= end_partition();
		usleep(10 * MSEC);
		done &= !make_partition(&work, "isolated");
		drop_group();
		usleep(30 * MSEC);
		churn->rounds[PARTITION] += done;
	}
	end_churn();
}

/* Up to @max of @from, and one from each leaf before a second from any. */
static void spread(const struct cpus *from, int max, struct cpus *to)
{
	int rank, nth, i;

	to->nr = 0;
	for (rank = 0; rank < LEAF_CPUS; rank++) {
		nth = 0;
		for (i = 0; i < layout.cpus.nr && to->nr < max; i++) {
			if (i && layout.leaf[i] != layout.leaf[i - 1])
				nth = 0;
			if (contains(from, layout.cpus.cpu[i]) && nth++ == rank)
				add(to, layout.cpus.cpu[i]);
		}
	}
}

/* The same, out of the usable CPUs that are in the mask. */
static void spread_idle(int max, struct cpus *to)
{
	struct cpus mask, idle;
	int i;

	wait_for(in_mask(&usable) >= 0, SOON);
	read_mask(&mask);
	idle.nr = 0;
	for (i = 0; i < usable.nr; i++) {
		if (contains(&mask, usable.cpu[i]))
			add(&idle, usable.cpu[i]);
	}
	spread(&idle, max, to);
}

static void test_slots(void)
{
	bool once = true, fits = true;
	struct cpus online, possible;
	int i, j, n, nr;

	read_cpus(&online, CPU_DIR "/online");
	read_cpus(&possible, CPU_DIR "/possible");

	for (i = 0; i < online.nr; i++) {
		if (!contains(&layout.cpus, online.cpu[i])) {
			ksft_print_msg("CPU %d is in no leaf\n", online.cpu[i]);
			once = false;
		}
	}
	for (i = 0; i < layout.cpus.nr; i++) {
		n = layout.cpus.cpu[i];
		if (!contains(&possible, n)) {
			ksft_print_msg("CPU %d cannot be, but is in leaf %d\n", n, layout.leaf[i]);
			once = false;
		}
		for (j = 0; j < i; j++) {
			if (layout.cpus.cpu[j] != n)
				continue;
			ksft_print_msg("CPU %d is in leaf %d and in leaf %d\n", n,
				       layout.leaf[j], layout.leaf[i]);
			once = false;
		}
	}
	report(NULL, once, "each CPU that is online is in the layout once");

	for (i = 0; i < layout.cpus.nr; i += nr) {
		for (nr = 1; i + nr < layout.cpus.nr; nr++) {
			if (layout.leaf[i + nr] != layout.leaf[i])
				break;
		}
		if (nr > LEAF_CPUS) {
			ksft_print_msg("leaf %d has %d CPUs\n", layout.leaf[i], nr);
			fits = false;
		}
	}
	report(NULL, fits, "no leaf has more than %d CPUs", LEAF_CPUS);
}

/* Why CPUs need not be next to those with which they share hardware. */
static const char *placed_apart(void)
{
	char *cmdline = read_file("/proc/cmdline");
	const char *skip = NULL;

	if (!cmdline)
		skip = "no /proc/cmdline";
	else if (strstr(cmdline, "sched_sbm="))
		skip = "booted with sched_sbm=";
	else if (strstr(cmdline, "maxcpus=") || strstr(cmdline, "nosmt"))
		skip = "not all CPUs were up at boot";
	free(cmdline);

	return skip;
}

/* The CPUs of a CPU's L3, if this is its LLC, and is on one node. */
static bool read_l3(int cpu, struct cpus *l3)
{
	struct cpus nodes, cpus;
	char path[96];
	int i, first;

	snprintf(path, sizeof(path), CPU_DIR "/cpu%d/cache/index4", cpu);
	if (!access(path, F_OK) ||
	    !read_cpus(l3, CPU_DIR "/cpu%d/cache/index3/shared_cpu_list", cpu))
		return false;

	read_cpus(&nodes, NODE_DIR "/online");
	for (i = 0; i < nodes.nr; i++) {
		read_cpus(&cpus, NODE_DIR "/node%d/cpulist", nodes.cpu[i]);
		first = first_in(l3, &cpus, true);
		if (first >= 0 && first_in(l3, &cpus, false) >= 0)
			return false;
	}
	return true;
}

/* On powerpc, the LLC that the scheduler goes by is the L2. */
#ifdef __powerpc__
static const char *other_llc = "the LLC is not the L3 here";
#else
static const char *other_llc;
#endif

static void test_l3(void)
{
	static int leaf_of[MAX_CPUS], l3_of[MAX_CPUS], l3_in_leaf[MAX_CPUS];
	const char *skip = other_llc ?: placed_apart();
	struct cpus online, l3;
	int i, j, cpu, nr = 0;
	bool ok = true;

	read_cpus(&online, CPU_DIR "/online");
	for (i = 0; i < MAX_CPUS; i++) {
		leaf_of[i] = -1;
		l3_of[i] = -1;
		l3_in_leaf[i] = -1;
	}
	for (i = 0; i < layout.cpus.nr; i++)
		leaf_of[layout.cpus.cpu[i]] = layout.leaf[i];

	/* An L3 goes by the number of its first CPU. */
	for (i = 0; i < online.nr && !skip; i++) {
		cpu = online.cpu[i];
		if (l3_of[cpu] >= 0 || !read_l3(cpu, &l3) || l3.nr < LLC_MIN)
			continue;

		for (j = 0; j < l3.nr; j++) {
			l3_of[l3.cpu[j]] = cpu;
			if (l3.nr > LEAF_CPUS || leaf_of[l3.cpu[j]] == leaf_of[cpu])
				continue;
			ksft_print_msg("CPUs %d and %d of one L3 are in leaves %d and %d\n",
				       cpu, l3.cpu[j], leaf_of[cpu], leaf_of[l3.cpu[j]]);
			ok = false;
		}
		nr++;
	}

	for (i = 0; i < layout.cpus.nr; i++) {
		int *one = &l3_in_leaf[layout.leaf[i]];

		cpu = layout.cpus.cpu[i];
		if (l3_of[cpu] < 0 || l3_of[cpu] == *one)
			continue;
		if (*one < 0) {
			*one = l3_of[cpu];
			continue;
		}
		ksft_print_msg("leaf %d has CPU %d of CPU %d's L3 and some of CPU %d's\n",
			       layout.leaf[i], cpu, l3_of[cpu], *one);
		ok = false;
	}

	if (!skip && !nr)
		skip = "no L3 of enough CPUs is known";
	report(skip, ok, "the CPUs of an L3 share a leaf, and with those of no other");
}

/* A sibling that is offline may be in the middle. */
static void test_siblings(void)
{
	const char *skip = placed_apart();
	struct cpus online, siblings;
	int i, j, cpu, left, nr = 0;
	bool ok = true;

	read_cpus(&online, CPU_DIR "/online");
	for (i = 0; i < layout.cpus.nr && !skip; i++) {
		cpu = layout.cpus.cpu[i];
		read_cpus(&siblings, CPU_DIR "/cpu%d/topology/thread_siblings_list", cpu);
		if (!contains(&online, cpu) || siblings.nr < 2)
			continue;

		/* Begin with the first one in slot order. */
		for (j = 0; j < i; j++) {
			if (contains(&siblings, layout.cpus.cpu[j]))
				break;
		}
		if (j < i)
			continue;

		nr++;
		left = siblings.nr;
		for (j = i; j < layout.cpus.nr && left; j++) {
			if (contains(&siblings, layout.cpus.cpu[j]) &&
			    layout.leaf[j] == layout.leaf[i])
				left--;
			else if (contains(&online, layout.cpus.cpu[j]))
				break;
		}
		if (left) {
			ksft_print_msg("CPU %d and its siblings have others between them\n", cpu);
			ok = false;
		}
	}

	if (!skip && !nr)
		skip = "no CPU has a sibling";
	report(skip, ok, "SMT siblings have slots side by side");
}

static void test_idle(void)
{
	struct cpus online, isolated, mask;
	const char *skip = no_usable;
	bool ok = false;
	int cpu;

	if (!skip)
		ok = enters_mask(&usable, &skip);
	report(skip, ok, "CPUs that are idle without a tick are in the mask");

	read_cpus(&online, CPU_DIR "/online");
	read_cpus(&isolated, CPU_DIR "/isolated");
	read_mask(&mask);
	ok = true;
	cpu = first_in(&mask, &online, false);
	if (cpu >= 0) {
		ksft_print_msg("CPU %d is not online, but in the mask\n", cpu);
		ok = false;
	}
	cpu = first_in(&isolated, &mask, true);
	if (cpu >= 0) {
		ksft_print_msg("CPU %d is isolated, but in the mask\n", cpu);
		ok = false;
	}
	report(NULL, ok, "only CPUs that are online and not isolated are in the mask");
}

static void test_busy(void)
{
	const char *skip = no_busy, *skip_back;
	bool leaves = false, stays = false, back = false;
	struct cpus busy;

	if (!skip) {
		spread_idle(2, &busy);
		if (!busy.nr)
			skip = "no CPU is idle without a tick";
	}
	skip_back = skip;

	if (!skip) {
		spin_on(&busy);
		leaves = leaves_mask(&busy, "busy");
		stays = leaves && stays_out(&busy, "busy");
		kill_tasks();
		back = enters_mask(&busy, &skip_back);
	}

	report(skip, leaves, "a CPU that becomes busy leaves the mask");
	report(skip, stays, "a busy CPU stays out of the mask");
	report(skip_back, back, "a CPU that was busy is back in the mask");
}

static void test_offline(void)
{
	const char *skip = no_usable, *skip_mask, *skip_back;
	struct cpus online, plug, down = {}, mask;
	bool out = true, same = true, back = false;
	int i, cpu, max, was_in = 0;

	read_cpus(&online, CPU_DIR "/online");
	max = online.nr <= SMALL_MACHINE ? online.nr : MAX_OFFLINE;
	plug.nr = 0;
	for (i = 0; i < usable.nr; i++) {
		if (can_offline(usable.cpu[i]))
			add(&plug, usable.cpu[i]);
	}
	mask = plug;
	spread(&mask, max, &plug);

	for (i = 0; i < plug.nr; i++) {
		read_mask(&mask);
		if (!go_offline(plug.cpu[i])) {
			ksft_print_msg("CPU %d cannot go offline: %s\n", plug.cpu[i],
				       strerror(errno));
			continue;
		}
		was_in += contains(&mask, plug.cpu[i]);
		add(&down, plug.cpu[i]);

		cpu = in_mask(&down);
		if (cpu >= 0) {
			ksft_print_msg("CPU %d is offline, but in the mask\n", cpu);
			out = false;
		}
		same &= same_layout();
	}
	out &= !down.nr || stays_out(&down, "offline");
	ksft_print_msg("%d CPUs went offline, %d of them had been in the mask\n", down.nr, was_in);

	for (i = 0; i < down.nr; i++) {
		if (!set_online(down.cpu[i], true))
			ksft_exit_fail_perror("a CPU that went offline stays so");
		same &= same_layout();
	}
	taken.nr = 0;

	if (!skip && !down.nr)
		skip = "no CPU can be taken offline";
	skip_mask = skip;
	if (!skip && !was_in)
		skip_mask = "no CPU was idle without a tick";
	skip_back = skip_mask;
	if (!skip_back)
		back = enters_mask(&down, &skip_back);

	report(skip_mask, out, "a CPU that is offline is not in the mask");
	report(skip, same, "CPUs keep their slots when they go offline and come back");
	report(skip_back, back, "a CPU that was offline is back in the mask");
}

static void test_isolated(void)
{
	const char *skip = no_usable ?: no_partition, *skip_stays, *skip_back;
	bool leaves = false, stays = false, back = false;
	struct cpus isolated;
	int i;

	if (!skip) {
		spread_idle(usable.nr > 2 ? 2 : 1, &isolated);
		skip = isolated.nr ? make_partition(&isolated, "isolated") :
				     "no CPU is idle without a tick";
	}
	skip_stays = skip;
	skip_back = skip;

	if (!skip) {
		leaves = leaves_mask(&isolated, "isolated");
		work = isolated;
		stays = leaves;
		for (i = 0; i < 2; i++) {
			if (cg_enter(group, spawn(nap)))
				skip_stays = "a task cannot be moved";
		}
		stays = stays && stays_out(&isolated, "isolated");
		kill_tasks();
		stays = stays && stays_out(&isolated, "isolated");

		if (!end_partition())
			skip_back = "the CPU does not leave its partition";
	}
	if (!skip_back)
		back = enters_mask(&isolated, &skip_back);
	drop_group();

	can_isolate = !skip;
	report(skip, leaves, "a CPU that becomes isolated leaves the mask");
	report(skip_stays, stays, "an isolated CPU stays out of the mask while tasks come and go");
	report(skip_back, back, "a CPU that was isolated is back in the mask");
}

/*
 * Wakeups on all CPUs, while one goes offline and back, and one in and out of
 * an isolated partition. Then the same facts hold as in peace.
 */
static void test_churn(void)
{
	const char *skip_busy = no_busy, *skip_offline = no_usable;
	const char *skip_isolated = no_usable ?: no_partition, *skip_idle = no_usable;
	struct cpus busy = {}, offline = {}, isolated = {}, rest = {}, all;
	bool out[3] = {}, idle = false, not_again = false, same;
	int i, nr_churns = 0;

	/* Each gets a CPU of its own, as far as there are enough. */
	spread(&usable, usable.nr, &all);
	for (i = 0; i < all.nr; i++) {
		if (!offline.nr && can_offline(all.cpu[i]))
			add(&offline, all.cpu[i]);
		else if (!isolated.nr && !skip_isolated)
			add(&isolated, all.cpu[i]);
		else if (!busy.nr && !skip_busy)
			add(&busy, all.cpu[i]);
		else
			add(&rest, all.cpu[i]);
	}

	for (i = 0; i < all.nr; i++) {
		work.nr = 1;
		work.cpu[0] = all.cpu[i];
		spawn(nap);
	}
	if (offline.nr) {
		add(&taken, offline.cpu[0]);
		work = offline;
		spawn(hotplug);
		nr_churns++;
	}
	if (isolated.nr) {
		work = isolated;
		spawn(repartition);
		nr_churns++;
	}
	usleep(CHURN_TIME);
	wait_for((!offline.nr || churn->rounds[HOTPLUG]) &&
		 (!isolated.nr || churn->rounds[PARTITION]), SOON);
	__atomic_store_n(&churn->stop, true, __ATOMIC_RELAXED);
	wait_for(__atomic_load_n(&churn->nr_ended, __ATOMIC_ACQUIRE) == nr_churns, SOON);
	kill_tasks();
	drop_group();
	ksft_print_msg("%d times offline and back, %d times isolated and back\n",
		       churn->rounds[HOTPLUG], churn->rounds[PARTITION]);

	/* Where the CPU is that went offline and back is not known. */
	if (offline.nr && !churn->rounds[HOTPLUG])
		skip_offline = "the CPU was not offline and back in that time";
	else if (offline.nr)
		skip_offline = go_offline(offline.cpu[0]) ? NULL : "the CPU does not go offline";
	else if (!skip_offline)
		skip_offline = "no CPU can be taken offline";
	if (isolated.nr)
		skip_isolated = make_partition(&isolated, "isolated");
	else if (!skip_isolated)
		skip_isolated = "not enough CPUs";
	if (isolated.nr && skip_isolated && can_isolate) {
		ksft_print_msg("not after churn: %s\n", skip_isolated);
		not_again = true;
		skip_isolated = NULL;
	}
	if (busy.nr)
		spin_on(&busy);
	else if (!skip_busy)
		skip_busy = "not enough CPUs";

	if (!skip_busy)
		out[0] = leaves_mask(&busy, "busy") && stays_out(&busy, "busy");
	if (!skip_offline)
		out[1] = in_mask(&offline) < 0 && stays_out(&offline, "offline");
	if (!skip_isolated && !not_again)
		out[2] = leaves_mask(&isolated, "isolated") && stays_out(&isolated, "isolated");
	same = same_layout();
	if (!skip_idle && !rest.nr)
		skip_idle = "not enough CPUs";
	if (!skip_idle)
		idle = enters_mask(&rest, &skip_idle);
	cleanup();

	report(skip_busy, out[0], "after churn, a busy CPU is not in the mask");
	report(skip_offline, out[1], "after churn, a CPU that is offline is not in the mask");
	report(skip_isolated, out[2], "after churn, an isolated CPU is not in the mask");
	report(skip_idle, idle, "after churn, CPUs that are idle without a tick are in the mask");
	report(NULL, same, "after churn, CPUs have the slots that they had");
}

/* A scheduler of sched_ext has no use for the mask, and leaves it as it is. */
static const char *find_sched_ext(void)
{
	char *state = read_file("/sys/kernel/sched_ext/state");
	bool off = !state || !strncmp(state, "disabled", strlen("disabled"));

	free(state);
	return off ? NULL : "sched_ext is enabled";
}

static void setup(void)
{
	if (geteuid())
		ksft_exit_skip("needs root\n");
	if (access(SBM_DIR "/nohz_idle", R_OK))
		ksft_exit_skip("no %s: CONFIG_SBM is not set, or debugfs not mounted\n",
			       SBM_DIR "/nohz_idle");

	layout.text = read_layout();
	if (!parse_layout(layout.text, &layout))
		ksft_exit_fail_msg(SBM_DIR "/layout is no layout\n");
	ksft_print_msg("%d leaves, %d CPUs\n", layout.nr_leaves, layout.cpus.nr);

	churn = mmap(NULL, sizeof(*churn), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (churn == MAP_FAILED)
		ksft_exit_fail_perror("mmap");

	clean_up_at_exit();

	find_usable();
	no_partition = find_partition("sbm_test");
	no_busy = no_usable ?: find_sched_ext();
}

int main(void)
{
	ksft_print_header();

	setup();
	ksft_set_plan(20);

	test_slots();
	test_l3();
	test_siblings();
	test_idle();
	test_busy();
	test_offline();
	test_isolated();
	test_churn();

	ksft_finished();
}
