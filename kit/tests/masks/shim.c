// Tests of the test only: a made-up machine of 16 CPUs under $FAKE.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define N 16
static const char *fake;
static pid_t first;
static FILE *(*rfopen)(const char *, const char *);
static int (*ropen)(const char *, int, ...);
static int (*raccess)(const char *, int);
static int (*rmkdir)(const char *, mode_t);
static int (*rrmdir)(const char *);

__attribute__((constructor)) static void init(void)
{
	fake = getenv("FAKE");
	first = getpid();
	rfopen = dlsym(RTLD_NEXT, "fopen");
	ropen = dlsym(RTLD_NEXT, "open");
	raccess = dlsym(RTLD_NEXT, "access");
	rmkdir = dlsym(RTLD_NEXT, "mkdir");
	rrmdir = dlsym(RTLD_NEXT, "rmdir");
}

static const char *map(const char *path, char *buf)
{
	static const char * const pre[] = { "/sys/devices/system/", "/proc/cmdline", "/proc/timer_list",
		"/proc/self/mounts", "/sys/kernel/sched_ext/" };
	for (unsigned int i = 0; i < 5; i++)
		if (!strncmp(path, pre[i], strlen(pre[i]))) {
			snprintf(buf, 4096, "%s%s", fake, path);
			return buf;
		}
	return path;
}

static bool exists(const char *name)
{
	char p[4096];
	snprintf(p, sizeof(p), "%s/%s", fake, name);
	return !raccess(p, F_OK);
}
static void touch(const char *fmt, int n)
{
	char p[4096], q[4200];
	snprintf(p, sizeof(p), fmt, n);
	snprintf(q, sizeof(q), "%s/%s", fake, p);
	close(ropen(q, O_CREAT | O_WRONLY, 0644));
}
static bool marked(const char *fmt, int n)
{
	char p[256];
	snprintf(p, sizeof(p), fmt, n);
	return exists(p);
}
static void slurp(const char *path, char *buf, int n)
{
	int fd = ropen(path, O_RDONLY), r = fd < 0 ? 0 : read(fd, buf, n - 1);
	buf[r > 0 ? r : 0] = 0;
	if (fd >= 0) close(fd);
}
/* FAULT="x" is on from the start, FAULT="x@churn" only after churn */
static bool fault(const char *name)
{
	const char *f = getenv("FAULT");
	size_t l = strlen(name);
	if (!f || strncmp(f, name, l)) return false;
	if (!f[l]) return true;
	return !strcmp(f + l, "@churn") && exists("churned");
}

static bool online(int c)
{
	char p[4096], b[8];
	snprintf(p, sizeof(p), "%s/sys/devices/system/cpu/cpu%d/online", fake, c);
	if (raccess(p, F_OK)) return true;	/* CPU 0 has no such file */
	slurp(p, b, sizeof(b));
	return b[0] == '1';
}
static long long ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}
static bool busy(int c, long long *since)
{
	char p[4096], b[64];
	struct dirent *d;
	bool yes = false;
	snprintf(p, sizeof(p), "%s/pin", fake);
	DIR *dir = opendir(p);
	while ((d = readdir(dir))) {
		int pid = atoi(d->d_name), cpu;
		long long t;
		if (pid <= 0 || kill(pid, 0)) continue;
		snprintf(p, sizeof(p), "%s/pin/%d", fake, pid);
		slurp(p, b, sizeof(b));
		if (sscanf(b, "%d %lld", &cpu, &t) == 2 && cpu == c) { yes = true; *since = t; }
	}
	closedir(dir);
	return yes;
}
static bool isolated(int c, bool *entered)
{
	char p[4096], b[64];
	struct dirent *d;
	bool yes = false;
	snprintf(p, sizeof(p), "%s/cg", fake);
	DIR *dir = opendir(p);
	while ((d = readdir(dir))) {
		int x = -1, y = -1;
		if (strncmp(d->d_name, "sbm", 3)) continue;
		snprintf(p, sizeof(p), "%s/cg/%s/cpuset.cpus.partition", fake, d->d_name);
		slurp(p, b, sizeof(b));
		if (strcmp(b, "isolated")) continue;
		snprintf(p, sizeof(p), "%s/cg/%s/cpuset.cpus", fake, d->d_name);
		slurp(p, b, sizeof(b));
		sscanf(b, "%d,%d", &x, &y);
		if (x != c && y != c) continue;
		yes = true;
		snprintf(p, sizeof(p), "%s/cg/%s/cgroup.procs", fake, d->d_name);
		slurp(p, b, sizeof(b));
		*entered = b[0];
	}
	closedir(dir);
	return yes;
}
static void put(const char *path, const char *text)
{
	char tmp[4200];
	snprintf(tmp, sizeof(tmp), "%s.%d", path, getpid());
	int fd = ropen(tmp, O_CREAT | O_TRUNC | O_WRONLY, 0644);
	if (write(fd, text, strlen(text)) < 0) abort();
	close(fd);
	rename(tmp, path);
}
static void generate(const char *path)
{
	char b[65536] = "", *e = b;
	const char *base = strrchr(path, '/') + 1;
	if (!strcmp(base, "nohz_idle") && !fault("static")) {
		bool comma = false;
		for (int c = 0; c < N; c++) {
			long long t = 0;
			bool in, ent = false, on = online(c), bs = busy(c, &t), is = isolated(c, &ent);
			if (!on) touch("was_off.%d", c);
			if (bs) touch("was_busy.%d", c);
			if (is) touch("was_iso.%d", c);
			in = on && !bs && !is;
			if (bs && fault("busy-stays")) in = true;
			if (bs && fault("busy-returns") && ms() - t > 250) in = true;
			if (fault("busy-lost") && marked("was_busy.%d", c)) in = false;
			if (!on && fault("offline-stays")) in = true;
			if (on && fault("offline-lost") && marked("was_off.%d", c)) in = false;
			if (is && fault("isolated-stays")) in = true;
			if (is && ent && fault("isolated-returns")) in = true;
			if (!is && fault("isolated-lost") && marked("was_iso.%d", c)) in = false;
			if (c == 5 && fault("idle-lost")) in = false;
			if (c == 5 && fault("idle-awake")) in = false;	/* with a tick: no fault */
			if (fault("nohz-off")) in = false;
			if (c == 15 && getenv("BOOT_ISOLATED")) in = fault("boot-isolated-in");
			if (in) { e += sprintf(e, "%s%d", comma ? "," : "", c); comma = true; }
		}
		sprintf(e, "\n");
		put(path, b);
	} else if (!strcmp(base, "timer_list")) {
		for (int c = 0; c < N; c++) {
			long long t;
			if (!online(c)) continue;
			bool st = !busy(c, &t) && !fault("nohz-off") && !(c == 5 && fault("idle-awake"));
			e += sprintf(e, "cpu: %d\n clock 0:\n  .nohz           : 1\n  .tick_stopped   : %d\n", c, st);
		}
		put(path, b);
	} else if (strstr(path, "/sys/devices/system/cpu/online")) {
		bool comma = false;
		for (int c = 0; c < N; c++)
			if (online(c)) { e += sprintf(e, "%s%d", comma ? "," : "", c); comma = true; }
		sprintf(e, "\n");
		put(path, b);
	} else if (!strcmp(base, "layout") && fault("slot-moves")) {
		bool any = fault("slot-moves@churn");
		for (int c = 0; c < N; c++) any |= !online(c);
		char alt[4096];
		snprintf(alt, sizeof(alt), "%s/alt", fake);
		slurp(alt, b, sizeof(b));
		if (any) put(path, b);
	}
}
FILE *fopen(const char *path, const char *mode)
{
	char b[4096];
	path = map(path, b);
	generate(path);
	return rfopen(path, mode);
}
FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }
int open(const char *path, int flags, ...)
{
	char b[4096];
	path = map(path, b);
	if (strstr(path, "/cg/")) { if (flags & O_APPEND) flags = (flags & ~O_APPEND) | O_TRUNC; }
	if ((flags & O_ACCMODE) == O_WRONLY && strstr(path, "/online")) {
		if (getpid() != first) touch("churned", 0);
		const char *f = getenv("FAULT");
		if (f && !strcmp(f, "no-offline")) { errno = EPERM; return -1; }
	}
	return ropen(path, flags, 0644);
}
int open64(const char *path, int flags, ...) { return open(path, flags); }
int access(const char *path, int mode)
{
	char b[4096];
	return raccess(map(path, b), mode);
}
int mkdir(const char *path, mode_t mode)
{
	static const char * const f[] = { "cpuset.cpus", "cpuset.cpus.partition", "cgroup.procs" };
	char p[4200];
	int r = rmkdir(path, mode);
	for (int i = 0; i < 3 && !r; i++) {
		snprintf(p, sizeof(p), "%s/%s", path, f[i]);
		put(p, i == 1 ? "member" : "");
	}
	return r;
}
int rmdir(const char *path)
{
	static const char * const f[] = { "cpuset.cpus", "cpuset.cpus.partition", "cgroup.procs" };
	char p[4200];
	for (int i = 0; i < 3; i++) {
		snprintf(p, sizeof(p), "%s/%s", path, f[i]);
		unlink(p);
	}
	return rrmdir(path);
}
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	(void)pid;
	CPU_ZERO_S(size, set);
	for (int c = 0; c < N; c++) CPU_SET_S(c, size, set);
	return 0;
}
/* Only spinning tasks are pinned from outside; they need not burn our CPUs. */
int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	char p[4200], b[64];
	if (!pid) return 0;
	kill(pid, SIGSTOP);
	for (int c = 0; c < N; c++)
		if (CPU_ISSET_S(c, size, set)) {
			snprintf(p, sizeof(p), "%s/pin/%d", fake, pid);
			snprintf(b, sizeof(b), "%d %lld", c, ms());
			put(p, b);
		}
	return 0;
}
