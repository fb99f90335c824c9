/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of pressure stall information share: loads that stall, the
 * cgroups to put them into, and reading the stall times.
 */
#ifndef PSI_UTIL_H
#define PSI_UTIL_H

#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "sched_util.h"
#include "cgroup_util.h"

/* A deadline for what takes a moment: ample for a slow guest. */
#define SOON		(10 * SEC)

/* Long enough for any task that is still counted to show in the totals. */
#define QUIET_WINDOW	(200 * MSEC)

#define MAX_DEPTH	8

/* The allocator touches twice as much. */
#define MEMORY_HIGH	(16UL << 20)
#define DISK_BLOCK	4096

enum res { CPU, MEMORY, IO, NR_RES };

static const char * const res_name[NR_RES] = { "cpu", "memory", "io" };

struct stall {
	long long some;
	long long full;
	double avg10;
};

/* The CPU for pinned tasks, and the group that all others are made in. */
static int cpu;
static char *top;

/* Why a kind of load is missing here; NULL if it is not. */
static const char *no_group, *no_memory, *no_disk;

/* What there is to clean up. */
static char root[PATH_MAX - 64];
static char groups[MAX_DEPTH + 2][PATH_MAX];
static int nr_groups;
static bool memory_enabled_here;

static int *nr_ready;
static int disk;

/* A task that was reaped can hold its group for a moment more. */
static void drop_groups(int keep)
{
	for (; nr_groups > keep; nr_groups--)
		wait_for(!rmdir(groups[nr_groups - 1]) || errno != EBUSY, SOON);
}

static void cleanup(void)
{
	kill_tasks();
	drop_groups(0);
	if (memory_enabled_here)
		cg_write(root, "cgroup.subtree_control", "-memory");
	memory_enabled_here = false;
}

static bool try_stall(const char *group, enum res res, struct stall *stall)
{
	char name[32], buf[BUF_SIZE];

	snprintf(name, sizeof(name), "%s%s", res_name[res], group ? ".pressure" : "");
	if (cg_read(group ?: "/proc/pressure", name, buf, sizeof(buf)))
		return false;

	return sscanf(buf,
		      "some avg10=%lf avg60=%*f avg300=%*f total=%lld full avg10=%*f avg60=%*f avg300=%*f total=%lld",
		      &stall->avg10, &stall->some, &stall->full) == 3;
}

static struct stall get_stall(const char *group, enum res res)
{
	struct stall stall;

	if (!try_stall(group, res, &stall))
		ksft_exit_fail_msg("no %s pressure in %s\n", res_name[res],
				   group ?: "the system");
	return stall;
}

static long long sum_of_stalls(char *const group[], int n)
{
	struct stall stall;
	long long sum = 0;
	int i, r;

	for (i = 0; i < n; i++) {
		for (r = 0; r < NR_RES; r++) {
			stall = get_stall(group[i], r);
			sum += stall.some + stall.full;
		}
	}
	return sum;
}

static bool is_quiet(char *const group[], int n)
{
	long long sum = sum_of_stalls(group, n);

	usleep(QUIET_WINDOW);
	return sum_of_stalls(group, n) == sum;
}

static char *new_group(const char *parent, const char *name)
{
	char *path = groups[nr_groups++];

	snprintf(path, PATH_MAX, "%s/%s", parent, name);
	if (cg_create(path))
		ksft_exit_fail_perror(path);
	return path;
}

/* What a task does next, and where. It gets a copy. */
static struct {
	void (*fn)(void);
	const char *group;
	bool pinned;
} load;

/*
 * A pinned task goes to its CPU first: its group has never seen it on another
 * one, whose non-idle time would then have a weight.
 */
static void run_load(void)
{
	if (load.pinned && !pin(0, cpu))
		return;
	if (load.group && cg_enter_current(load.group))
		return;
	__atomic_add_fetch(nr_ready, 1, __ATOMIC_SEQ_CST);
	load.fn();
}

/* Start @fn in @group, or where we are if that is NULL. */
static void start_load(void (*fn)(void), const char *group, bool pinned)
{
	int ready = __atomic_load_n(nr_ready, __ATOMIC_SEQ_CST);

	load.fn = fn;
	load.group = group;
	load.pinned = pinned;
	spawn(run_load);

	if (!wait_for(__atomic_load_n(nr_ready, __ATOMIC_SEQ_CST) > ready, SOON))
		ksft_exit_fail_msg("a task of the load did not start\n");
}

/* Nice, so that the test itself gets on where there is one CPU only. */
static void hog(void)
{
	setpriority(PRIO_PROCESS, 0, 19);
	for (;;)
		__asm__ volatile("" : : : "memory");
}

/* The kernel makes it wait when it is over the limit: a memory stall. */
static void allocator(void)
{
	for (;;) {
		char *mem = mmap(NULL, 2 * MEMORY_HIGH, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (mem == MAP_FAILED)
			return;
		memset(mem, 1, 2 * MEMORY_HIGH);
		munmap(mem, 2 * MEMORY_HIGH);
	}
}

static void reader(void)
{
	void *buf;

	if (posix_memalign(&buf, DISK_BLOCK, DISK_BLOCK))
		return;
	while (pread(disk, buf, DISK_BLOCK, 0) > 0)
		;
}

/* Of the kinds that let a reader wait: no loop, RAM or optical device. */
static const char *open_disk(void)
{
	static const char disks[] = "/dev/{vd?,sd?,xvd?,nvme*n1,mmcblk?,dasd?}";
	unsigned int i;
	void *buf;
	glob_t g;

	if (posix_memalign(&buf, DISK_BLOCK, DISK_BLOCK) || glob(disks, GLOB_BRACE, NULL, &g))
		return "no disk";

	for (i = 0; i < g.gl_pathc; i++) {
		disk = open(g.gl_pathv[i], O_RDONLY | O_DIRECT);
		if (disk >= 0 && pread(disk, buf, DISK_BLOCK, 0) == DISK_BLOCK)
			return NULL;
		close(disk);
	}
	return "no disk that can be read with O_DIRECT";
}

static const char *make_top_group(void)
{
	struct stall stall;
	char name[32];

	if (cg_find_unified_root(root, sizeof(root), NULL))
		return "cgroup v2 is not mounted";
	if (access(root, W_OK))
		return "cgroup v2 is read-only";

	snprintf(name, sizeof(name), "psi_test.%d", getpid());
	top = new_group(root, name);
	return try_stall(top, CPU, &stall) ? NULL : "cgroups have no pressure files";
}

static const char *limit_memory(void)
{
	char limit[32];

	snprintf(limit, sizeof(limit), "%lu", MEMORY_HIGH);
	if (!cg_write(top, "memory.high", limit))
		return NULL;

	memory_enabled_here = !cg_write(root, "cgroup.subtree_control", "+memory");
	if (!cg_write(top, "memory.high", limit))
		return NULL;
	return "cgroup v2 has no memory controller";
}

/* To be called first: says what there is, or skips the whole program. */
static void psi_setup(void)
{
	struct stall stall;

	ksft_print_header();
	if (geteuid())
		ksft_exit_skip("needs root\n");
	if (!try_stall(NULL, CPU, &stall))
		ksft_exit_skip("no PSI: CONFIG_PSI is not set, or psi=1 is needed\n");

	nr_ready = mmap(NULL, sizeof(*nr_ready), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (nr_ready == MAP_FAILED)
		ksft_exit_fail_perror("mmap");

	clean_up_at_exit();

	/* One that we may use; not an isolated one, unless we were put there. */
	cpu = sched_getcpu();
	no_group = make_top_group();
	no_memory = no_group ?: limit_memory();
	no_disk = no_group ?: open_disk();
}

#endif /* PSI_UTIL_H */
