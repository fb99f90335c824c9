/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests that use many CPUs share: lists of CPUs, those that may be
 * used, taking them offline, and partitions of them.
 */
#ifndef CPU_UTIL_H
#define CPU_UTIL_H

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "sched_util.h"
#include "cgroup_util.h"

/* A deadline for what takes a tick or a moment: ample for a slow guest. */
#define SOON		(5 * SEC)

#define CPU_DIR		"/sys/devices/system/cpu"

/* A list of CPUs, in the order in which it was read. */
struct cpus {
	int nr;
	int cpu[MAX_CPUS];
};

/* The CPUs that the test may use, but for its own. */
static struct cpus usable;

/* Why there is none of them; NULL if there is one. */
static const char *no_usable;

/* What there is to clean up. */
static char root[PATH_MAX - 64];
static char group[PATH_MAX];
static bool cpuset_enabled_here;
static struct cpus taken;

static bool contains(const struct cpus *cpus, int cpu)
{
	int i;

	for (i = 0; i < cpus->nr; i++) {
		if (cpus->cpu[i] == cpu)
			return true;
	}
	return false;
}

static void add(struct cpus *cpus, int cpu)
{
	if (cpus->nr < MAX_CPUS)
		cpus->cpu[cpus->nr++] = cpu;
}

/* The first CPU of @cpus that @others has, or has not; -1 if there is none. */
static int first_in(const struct cpus *cpus, const struct cpus *others, bool in)
{
	int i;

	for (i = 0; i < cpus->nr; i++) {
		if (contains(others, cpus->cpu[i]) == in)
			return cpus->cpu[i];
	}
	return -1;
}

/* A number and nothing else that strtol() would take for one. */
static int parse_cpu(const char **s)
{
	char *end;
	long cpu;

	if (!isdigit((unsigned char)**s))
		return -1;

	cpu = strtol(*s, &end, 10);
	*s = end;
	return cpu < MAX_CPUS ? cpu : -1;
}

/* CPUs and ranges of CPUs, with commas between them, up to the end of line. */
static bool parse_cpus(const char *s, struct cpus *cpus)
{
	int first, last;

	cpus->nr = 0;
	while (*s && *s != '\n') {
		if (cpus->nr && *s++ != ',')
			return false;

		first = parse_cpu(&s);
		last = first;
		if (*s == '-') {
			s++;
			last = parse_cpu(&s);
		}
		if (first < 0 || last < first || cpus->nr + last - first >= MAX_CPUS)
			return false;

		while (first <= last)
			add(cpus, first++);
	}
	return true;
}

/* All of a file, in memory of its own; NULL if it cannot be read. */
static char *read_file(const char *path)
{
	char *text = NULL;
	size_t size = 0;
	bool failed;
	FILE *f;

	f = fopen(path, "r");
	if (!f)
		return NULL;

	failed = getdelim(&text, &size, '\0', f) < 0;
	if (failed && !ferror(f)) {
		free(text);
		text = strdup("");
		failed = false;
	}
	fclose(f);
	if (failed) {
		free(text);
		return NULL;
	}
	return text;
}

static __printf(2, 3) bool read_cpus(struct cpus *cpus, const char *fmt, ...)
{
	char path[PATH_MAX], *text;
	va_list args;
	bool ok;

	va_start(args, fmt);
	vsnprintf(path, sizeof(path), fmt, args);
	va_end(args);

	cpus->nr = 0;
	text = read_file(path);
	ok = text && parse_cpus(text, cpus);
	free(text);
	/* That is no CPU, as in a nohz_full that holds "(null)". */
	if (!ok)
		cpus->nr = 0;
	return ok;
}

/*
 * It is no error if the CPU is online or offline already. Hotplug is disabled
 * now and then, for a moment.
 */
static bool set_online(int cpu, bool online)
{
	char path[64];
	bool done;
	int fd;

	snprintf(path, sizeof(path), CPU_DIR "/cpu%d/online", cpu);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return false;
	wait_for((done = write(fd, online ? "1" : "0", 1) == 1) || errno != EBUSY, SEC);
	close(fd);

	return done;
}

static bool can_offline(int cpu)
{
	char path[64];

	snprintf(path, sizeof(path), CPU_DIR "/cpu%d/online", cpu);
	return !access(path, W_OK);
}

/* A task that was reaped can hold its group for a moment more. */
static void drop_group(void)
{
	if (*group)
		wait_for(!rmdir(group) || errno != EBUSY, SOON);
}

/* What is to be undone of this file when the test ends. It has no tasks then. */
static void undo_cpus(void)
{
	drop_group();
	while (taken.nr)
		set_online(taken.cpu[--taken.nr], true);
	if (cpuset_enabled_here)
		cg_write(root, "cgroup.subtree_control", "-cpuset");
	cpuset_enabled_here = false;
}

/*
 * Make the test's group a partition of CPUs, of type "root" or "isolated";
 * returns why it is none, or NULL.
 */
static const char *make_partition(const struct cpus *cpus, char *type)
{
	static char state[256];
	char list[32];

	if (cpus->nr > 1)
		snprintf(list, sizeof(list), "%d,%d", cpus->cpu[0], cpus->cpu[1]);
	else
		snprintf(list, sizeof(list), "%d", cpus->cpu[0]);

	if (cg_create(group) && errno != EEXIST)
		return "no cgroup can be made";
	if (cg_write(group, "cpuset.cpus", list))
		return "a cgroup does not get these CPUs";
	if (cg_write(group, "cpuset.cpus.partition", type) ||
	    cg_read(group, "cpuset.cpus.partition", state, sizeof(state)))
		return "the CPUs cannot be made a partition";

	state[strcspn(state, "\n")] = '\0';
	return strcmp(state, type) ? state : NULL;
}

static bool end_partition(void)
{
	return !cg_write(group, "cpuset.cpus.partition", "member");
}

/* Any other CPU than the test's own that has nothing special about it. */
static void find_usable(void)
{
	struct cpus online, isolated, in_partition = {}, nohz_full, plain = {};
	cpu_set_t *allowed = CPU_ALLOC(MAX_CPUS);
	size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
	int i, cpu;

	if (sched_getaffinity(0, size, allowed))
		ksft_exit_fail_perror("sched_getaffinity");
	if (!read_cpus(&online, CPU_DIR "/online") || !online.nr)
		ksft_exit_skip("no sysfs\n");
	read_cpus(&isolated, CPU_DIR "/isolated");
	read_cpus(&nohz_full, CPU_DIR "/nohz_full");
	if (!cg_find_unified_root(root, sizeof(root), NULL))
		read_cpus(&in_partition, "%s/cpuset.cpus.isolated", root);

	for (i = 0; i < online.nr; i++) {
		cpu = online.cpu[i];
		if (CPU_ISSET_S(cpu, size, allowed) && !contains(&isolated, cpu) &&
		    !contains(&in_partition, cpu) && !contains(&nohz_full, cpu))
			add(&plain, cpu);
	}
	CPU_FREE(allowed);

	if (!pin(0, plain.nr ? plain.cpu[0] : sched_getcpu()))
		ksft_exit_fail_perror("sched_setaffinity");
	for (i = 1; i < plain.nr; i++)
		add(&usable, plain.cpu[i]);

	if (!usable.nr)
		no_usable = "there is one CPU only that is not isolated or nohz_full";
}

static const char *find_partition(const char *test)
{
	if (!*root)
		return "cgroup v2 is not mounted";
	if (cg_read_strstr(root, "cgroup.controllers", "cpuset"))
		return "cgroup v2 has no cpuset controller";

	if (cg_read_strstr(root, "cgroup.subtree_control", "cpuset")) {
		cpuset_enabled_here = true;
		if (cg_write(root, "cgroup.subtree_control", "+cpuset"))
			return "the cpuset controller cannot be enabled";
	}

	snprintf(group, sizeof(group), "%s/%s.%d", root, test, getpid());
	if (cg_create(group))
		return "no cgroup can be made";
	if (cg_read_strstr(group, "cpuset.cpus.partition", ""))
		return "cpusets have no partitions";
	drop_group();
	return NULL;
}

#endif /* CPU_UTIL_H */
