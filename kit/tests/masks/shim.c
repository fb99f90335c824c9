// SPDX-License-Identifier: GPL-2.0-only
/*
 * A made-up machine for sbm_test, linked into it
 *
 * The machine is a directory, MACHINE: every path of the test is looked up in
 * there.  What the test writes are files: which CPUs are online, and which are
 * isolated.  What it reads of their state is made from these files when it is
 * read: the list of online CPUs, the mask, and /proc/timer_list.  Nothing of the
 * real machine is touched, and no root is needed.  The linker's --wrap leads the
 * test's calls to here, so that there is no test without the shim.
 *
 * A task that the test pins to a CPU makes it busy.  It is stopped at once, for
 * it need not burn a real one.
 *
 * FAULT is what is wrong with the machine.  "NAME" is wrong from the start, and
 * "NAME@churn" after the churn has begun.  The names are below, with what they do.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAX_CPUS	128
#define MAX_PINS	64
#define CPU_DIR		"/sys/devices/system/cpu"
#define CGROUP_DIR	"/sys/fs/cgroup/"

int __real_access(const char *path, int mode);
FILE *__real_fopen(const char *path, const char *mode);
int __real_mkdir(const char *path, mode_t mode);
int __real_open(const char *path, int flags, ...);
int __real_rmdir(const char *path);
int __real_usleep(useconds_t time);
ssize_t __real_write(int fd, const void *data, size_t size);

struct cpu {
	/* Its file "online", if it has one. */
	int fd;
	/* As the files say.  "Apart" is isolated since boot. */
	bool online, isolated, apart;
	/* A task is pinned to it, since then. */
	bool busy;
	long long since;
	/* What it has been before. */
	bool was_offline, was_busy, was_isolated;
	/* Whether it should be in the mask, since when, and whether it is. */
	bool wanted, shown;
	long long changed;
};

/* What the test's tasks tell each other. */
static struct {
	bool churned;
	/* Something has run there since it was looked at last. */
	bool visited[MAX_CPUS];
} *shared;

static const char *machine;
static const char *the_fault;
static pid_t first;
static struct cpu cpus[MAX_CPUS];
static int nr_cpus;
static struct pin { pid_t pid; int cpu; long long since; } pins[MAX_PINS];
static int nr_pins;
static bool tasks_isolated;
static char group[PATH_MAX];
static bool naps;

static long long ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

static bool fault(const char *name)
{
	size_t len = strlen(name);

	if (strncmp(the_fault, name, len))
		return false;
	return !the_fault[len] || (!strcmp(the_fault + len, "@churn") && shared->churned);
}

static const char *__attribute__((format(printf, 2, 3)))
in_machine(char path[PATH_MAX], const char *fmt, ...)
{
	int len = snprintf(path, PATH_MAX, "%s", machine);
	va_list args;

	va_start(args, fmt);
	vsnprintf(path + len, PATH_MAX - len, fmt, args);
	va_end(args);
	return path;
}

/* The beginning of a file; nothing, if there is none. */
static const char *contents(const char *path, char *text, size_t size)
{
	int fd = __real_open(path, O_RDONLY);
	ssize_t len = fd < 0 ? 0 : read(fd, text, size - 1);

	text[len > 0 ? len : 0] = '\0';
	if (fd >= 0)
		close(fd);
	return text;
}

static bool in_list(const char *list, int cpu)
{
	while (*list >= '0' && *list <= '9') {
		char *end;
		long from = strtol(list, &end, 10);
		long to = *end == '-' ? strtol(end + 1, &end, 10) : from;

		if (from <= cpu && cpu <= to)
			return true;
		list = end + (*end == ',');
	}
	return false;
}

__attribute__((constructor)) static void boot(void)
{
	char path[PATH_MAX], text[256];
	int i;

	machine = getenv("MACHINE");
	the_fault = getenv("FAULT") ?: "";
	first = getpid();
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!machine || shared == MAP_FAILED)
		abort();

	while (nr_cpus < MAX_CPUS &&
	       !__real_access(in_machine(path, CPU_DIR "/cpu%d", nr_cpus), F_OK))
		nr_cpus++;
	contents(in_machine(path, CPU_DIR "/isolated"), text, sizeof(text));
	for (i = 0; i < nr_cpus; i++) {
		in_machine(path, CPU_DIR "/cpu%d/online", i);
		cpus[i].fd = __real_open(path, O_RDONLY | O_CLOEXEC);
		cpus[i].apart = in_list(text, i);
	}
}

static bool is_online(int cpu)
{
	char text;

	return cpus[cpu].fd < 0 || pread(cpus[cpu].fd, &text, 1, 0) != 1 || text != '0';
}

/* The mask's own lag is the one of "slow". */
static void update(int n)
{
	struct cpu *cpu = &cpus[n];
	bool in = cpu->online && !cpu->busy && !cpu->isolated && !cpu->apart;

	/* CPUs that do not leave, or come back too early. */
	in |= cpu->busy && fault("busy-stays");
	in |= cpu->busy && fault("busy-returns") && ms() - cpu->since > 250;
	in |= !cpu->online && fault("offline-stays");
	in |= cpu->isolated && fault("isolated-stays");
	in |= cpu->isolated && tasks_isolated && fault("isolated-returns");
	in |= cpu->apart && fault("apart-in");

	/* CPUs that do not enter. */
	if (!cpu->busy && cpu->was_busy && fault("busy-lost"))
		in = false;
	if (cpu->online && cpu->was_offline && fault("offline-lost"))
		in = false;
	if (!cpu->isolated && cpu->was_isolated && fault("isolated-lost"))
		in = false;
	/* It takes a task to make them enter. */
	if (!cpu->isolated && cpu->was_isolated && !shared->visited[n] && fault("not-rejoining"))
		in = false;
	if (n == 5 && fault("idle-lost"))
		in = false;

	/* No faults: CPU 5, or all of them, keep their ticks. */
	if ((n == 5 && fault("idle-awake")) || fault("nohz-off"))
		in = false;

	/* No fault either: it takes most of a second. */
	if (in != cpu->wanted) {
		cpu->wanted = in;
		cpu->changed = ms();
	}
	if (!cpu->online || !fault("slow") || ms() - cpu->changed > 800)
		cpu->shown = cpu->wanted;
}

static void look(void)
{
	char path[PATH_MAX + 32], list[64], state[64], procs[64];
	int i;

	*list = *state = *procs = '\0';
	if (*group) {
		snprintf(path, sizeof(path), "%s/cpuset.cpus.partition", group);
		contents(path, state, sizeof(state));
		snprintf(path, sizeof(path), "%s/cpuset.cpus", group);
		contents(path, list, sizeof(list));
		snprintf(path, sizeof(path), "%s/cgroup.procs", group);
		contents(path, procs, sizeof(procs));
	}
	tasks_isolated = *procs;

	for (i = 0; i < nr_cpus; i++) {
		cpus[i].online = is_online(i);
		cpus[i].isolated = !strcmp(state, "isolated") && in_list(list, i);
		cpus[i].busy = false;
	}
	for (i = 0; i < nr_pins; i++) {
		if (kill(pins[i].pid, 0))
			continue;
		cpus[pins[i].cpu].busy = true;
		cpus[pins[i].cpu].since = pins[i].since;
	}
	for (i = 0; i < nr_cpus; i++) {
		cpus[i].was_offline |= !cpus[i].online;
		cpus[i].was_busy |= cpus[i].busy;
		cpus[i].was_isolated |= cpus[i].isolated;
		if (cpus[i].isolated)
			shared->visited[i] = false;
		update(i);
	}
}

static void print_cpus(FILE *f, bool mask)
{
	const char *comma = "";
	int i;

	for (i = 0; i < nr_cpus; i++) {
		if (mask ? !cpus[i].shown : !cpus[i].online)
			continue;
		fprintf(f, "%s%d", comma, i);
		comma = ",";
	}
	fprintf(f, "\n");
}

static void print_timers(FILE *f)
{
	int i;

	for (i = 0; i < nr_cpus; i++) {
		bool tick = cpus[i].busy || fault("nohz-off") || (i == 5 && fault("idle-awake"));

		if (cpus[i].online)
			fprintf(f, "cpu: %d\n clock 0:\n  .nohz           : 1\n"
				   "  .tick_stopped   : %d\n", i, !tick);
	}
}

/* "slot-moves": from the first time that a CPU is offline, slots are others. */
static bool slots_moved(void)
{
	static bool moved;
	int i;

	moved |= fault("slot-moves@churn");
	for (i = 0; i < nr_cpus && !moved; i++)
		moved = !is_online(i);
	return moved && fault("slot-moves");
}

/* What is made when it is read; "as-is": there is a file for the mask as well. */
FILE *__wrap_fopen(const char *name, const char *mode)
{
	bool mask = strstr(name, "/sched/sbm/nohz_idle") && !fault("as-is");
	bool timers = !strcmp(name, "/proc/timer_list");
	bool online = !strcmp(name, CPU_DIR "/online");
	char path[PATH_MAX];
	FILE *f;

	if (!mask && !timers && !online) {
		const char *moved = strstr(name, "/sched/sbm/layout") && slots_moved() ? ".moved" : "";

		return __real_fopen(in_machine(path, "%s%s", name, moved), mode);
	}

	f = fdopen(memfd_create("made", MFD_CLOEXEC), "w+");
	if (!f)
		abort();
	look();
	if (timers)
		print_timers(f);
	else
		print_cpus(f, mask);
	rewind(f);
	return f;
}

/* "die-..." and "timeout-...": a signal comes in the middle of something. */
static void die_at(const char *where)
{
	char name[32];

	snprintf(name, sizeof(name), "die-%s", where);
	if (fault(name))
		kill(first, SIGTERM);
	snprintf(name, sizeof(name), "timeout-%s", where);
	if (fault(name))
		kill(first, SIGALRM);
}

/* "ebusy": two times out of three, CPUs are not plugged, nor groups removed. */
static bool ebusy(void)
{
	static int n;

	if (!fault("ebusy") || ++n % 3 == 0)
		return false;
	errno = EBUSY;
	return true;
}

static int online_fd = -1;

int __wrap_open(const char *name, int flags, ...)
{
	bool writes = (flags & O_ACCMODE) == O_WRONLY;
	static int plugged, churned;
	char path[PATH_MAX];
	int fd;

	in_machine(path, "%s", name);
	if (!strncmp(name, CPU_DIR, strlen(CPU_DIR)) && writes) {
		shared->churned |= getpid() != first;
		if (getpid() == first && ++plugged == 5)
			die_at("offline");
		if (getpid() != first && ++churned == 5)
			die_at("churn");
		if (fault("no-offline")) {
			errno = EPERM;
			return -1;
		}
		online_fd = __real_open(path, flags);
		return online_fd;
	}

	online_fd = -1;
	if (!strncmp(name, CGROUP_DIR, strlen(CGROUP_DIR)) && writes) {
		if (strstr(name, "/cgroup.procs"))
			die_at("isolated");
		/* What is written replaces what was there. */
		flags = (flags & ~O_APPEND) | O_TRUNC;
	}
	/* "invalid": CPUs are refused, with a reason. */
	if (strstr(name, "/cpuset.cpus.partition") && !writes && fault("invalid")) {
		fd = __real_open(path, O_WRONLY | O_TRUNC);
		dprintf(fd, "isolated invalid (made up)\n");
		close(fd);
	}
	return __real_open(path, flags);
}

ssize_t __wrap_write(int fd, const void *data, size_t size)
{
	return fd == online_fd && ebusy() ? -1 : __real_write(fd, data, size);
}

int __wrap_access(const char *name, int mode)
{
	char path[PATH_MAX];

	return __real_access(in_machine(path, "%s", name), mode);
}

/* A group is made, and goes, with its files.  Tasks are killed in between. */
static const char * const files[] = { "cgroup.procs", "cpuset.cpus", "cpuset.cpus.partition" };

int __wrap_mkdir(const char *name, mode_t mode)
{
	char path[PATH_MAX], made[PATH_MAX], file[PATH_MAX + 32];
	unsigned int i;
	int fd;

	in_machine(path, "%s", name);
	if (!__real_access(path, F_OK)) {
		errno = EEXIST;
		return -1;
	}
	in_machine(made, "/made.%d", getpid());
	if (__real_mkdir(made, mode) && errno != EEXIST)
		return -1;
	for (i = 0; i < 3; i++) {
		if (i == 2 && fault("no-partitions"))
			continue;
		snprintf(file, sizeof(file), "%s/%s", made, files[i]);
		fd = __real_open(file, O_CREAT | O_TRUNC | O_WRONLY, 0644);
		if (fd < 0 || (i == 2 && __real_write(fd, "member\n", 7) != 7))
			abort();
		close(fd);
	}
	strcpy(group, path);
	return rename(made, path);
}

int __wrap_rmdir(const char *name)
{
	char path[PATH_MAX], gone[PATH_MAX], file[PATH_MAX + 32], procs[64];
	unsigned int i;
	pid_t pid;

	in_machine(path, "%s", name);
	snprintf(file, sizeof(file), "%s/%s", path, files[0]);
	pid = atoi(contents(file, procs, sizeof(procs)));
	if (pid > 0 && !kill(pid, 0)) {
		errno = EBUSY;
		return -1;
	}
	in_machine(gone, "/gone.%d.%lld", getpid(), ms());
	if (ebusy() || rename(path, gone))
		return -1;
	for (i = 0; i < 3; i++) {
		snprintf(file, sizeof(file), "%s/%s", gone, files[i]);
		unlink(file);
	}
	return __real_rmdir(gone);
}

uid_t __wrap_geteuid(void)
{
	return 0;
}

int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	int i;

	(void)pid;
	CPU_ZERO_S(size, set);
	for (i = 0; i < nr_cpus; i++)
		CPU_SET_S(i, size, set);
	return 0;
}

/* The test pins itself, to its home; a nap does it, and it pins what spins. */
int __wrap_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	int cpu = 0;

	while (cpu < nr_cpus && !CPU_ISSET_S(cpu, size, set))
		cpu++;
	if (cpu == nr_cpus) {
		errno = EINVAL;
		return -1;
	}

	if (pid) {
		kill(pid, SIGSTOP);
		if (nr_pins == MAX_PINS)
			abort();
		pins[nr_pins++] = (struct pin){ pid, cpu, ms() };
		die_at("busy");
	} else {
		naps = getpid() != first;
		shared->visited[cpu] = true;
	}
	return 0;
}

/* Many machines share the real one, and nothing depends on how often they nap. */
int __wrap_usleep(useconds_t time)
{
	return __real_usleep(naps ? time * 20 : time);
}
