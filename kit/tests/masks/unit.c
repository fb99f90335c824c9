// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions of sbm_test.c that read and pick CPUs, on made-up text
 *
 * Prints the checks that fail.  A file of the list below has the text that is
 * given there, by the linker's --wrap.
 */
#define main sbm_main
#include "sbm_test.c"
#undef main

FILE *__real_fopen(const char *path, const char *mode);

static struct file { const char *path, *text; } files[16];
static int checks, failed;

static struct layout l;
static struct cpus c, o;
static char text[1 << 20];

#define check(x)						\
do {								\
	checks++;						\
	if (!(x)) {						\
		printf("unit.c:%d: not so: %s\n", __LINE__, #x);\
		failed++;					\
	}							\
} while (0)

static void file(const char *path, const char *holds)
{
	struct file *f = files;

	while (f->path && strcmp(f->path, path))
		f++;
	*f = (struct file){ path, holds };
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	struct file *f;

	for (f = files; f->path; f++) {
		if (!strcmp(f->path, path))
			return fmemopen((char *)f->text, strlen(f->text), "r");
	}
	return __real_fopen(path, mode);
}

int __wrap_access(const char *path, int mode)
{
	struct file *f;

	(void)mode;
	for (f = files; f->path; f++) {
		if (!strcmp(f->path, path))
			return 0;
	}
	return -1;
}

static void range(struct cpus *cpus, int from, int to)
{
	cpus->nr = 0;
	while (from <= to)
		add(cpus, from++);
}

static void test_parse_cpus(void)
{
	static const struct { const char *text; int nr, last; } good[] = {
		{ "", 0, 0 }, { "\n", 0, 0 }, { "0\n", 1, 0 }, { "0-3,5,7-8\n", 7, 8 },
		{ "3,1,2", 3, 2 }, { "0-8191\n", 8192, 8191 }, { "8191", 1, 8191 },
		{ "5-5", 1, 5 }, { "1\nx", 1, 1 },
	};
	static const char * const bad[] = {
		"x", "0-", "-1", "0,", ",0", "0,,1", "0 1", "0-x", "3-1", "8192", "0-8192",
		"99999999999999999999999", "0-99999999999999999999999", "0--1", "0-1-2",
		"(null)\n", " 0", "+1", "0-8191,0", "0,\n",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		check(parse_cpus(good[i].text, &c));
		check(c.nr == good[i].nr);
		check(!c.nr || c.cpu[c.nr - 1] == good[i].last);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		check(!parse_cpus(bad[i], &c));
		if (parse_cpus(bad[i], &c))
			printf("taken for a list: '%s'\n", bad[i]);
	}
}

static void test_parse_layout(void)
{
	static const char * const bad[] = {
		"", "\n", "0 node 0 cpu 1\n", "1 node 0 cpus 1\n", "0 node 0 cpus 1\n0 node 0 cpus 2\n",
		"0 node 0 cpus 1\n\n", "0 node 0 cpus1x\n", "0 node 0 cpus 1 2\n",
		"0 node 0 cpus 0-8191\n1 node 0 cpus 5\n",
	};
	unsigned int i;

	check(parse_layout("0 node 0 cpus 0,2\n1 node -1 cpus 1\n2 node 3 cpus\n", &l));
	check(l.nr_leaves == 3 && l.cpus.nr == 3);
	check(l.cpus.cpu[1] == 2 && l.leaf[1] == 0 && l.cpus.cpu[2] == 1 && l.leaf[2] == 1);
	check(parse_layout("0 node 0 cpus 0,2", &l) && l.cpus.nr == 2);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		check(!parse_layout(bad[i], &l));
		if (parse_layout(bad[i], &l))
			printf("taken for a layout: '%s'\n", bad[i]);
	}
}

/* 512 CPUs in leaves of 16, with siblings 256 apart. */
static void test_spread(void)
{
	char *end = text;
	int i, j;

	for (i = 0; i < 32; i++) {
		end += sprintf(end, "%d node %d cpus ", i, i / 16);
		for (j = 0; j < 8; j++)
			end += sprintf(end, "%s%d,%d", j ? "," : "", i * 8 + j, i * 8 + j + 256);
		end += sprintf(end, "\n");
	}
	check(parse_layout(text, &layout) && layout.cpus.nr == 512);

	/* One from each leaf.  Without CPU 0, its sibling is the first. */
	range(&c, 1, 511);
	spread(&c, 8, &o);
	check(o.nr == 8);
	for (i = 0; i < o.nr; i++)
		check(o.cpu[i] == (i ? i * 8 : 256));

	spread(&c, 512, &o);
	check(o.nr == 511);
	for (i = 0; i < o.nr; i++) {
		for (j = 0; j < i; j++)
			check(o.cpu[i] != o.cpu[j]);
	}

	c.nr = 0;
	add(&c, 8);
	add(&c, 9);
	add(&c, 0);
	spread(&c, 8, &o);
	check(o.nr == 3 && o.cpu[0] == 0 && o.cpu[1] == 8 && o.cpu[2] == 9);
}

static void test_largest(void)
{
	char *end = text;
	int i;

	for (i = 0; i < MAX_CPUS; i += 4)
		end += sprintf(end, "%d node 0 cpus %d,%d,%d,%d\n", i / 4, i, i + 1, i + 2, i + 3);
	check(parse_layout(text, &layout) && layout.nr_leaves == MAX_CPUS / 4);
	spread(&layout.cpus, MAX_CPUS, &o);
	check(o.nr == MAX_CPUS && o.cpu[1] == 4 && o.cpu[MAX_CPUS - 1] == MAX_CPUS - 1);
}

static void test_read(void)
{
	char *is;

	check(!read_cpus(&c, "/nonexistent/%d", 1) && !c.nr);
	file("/list", "0-3\n");
	check(read_cpus(&c, "/%s", "list") && c.nr == 4);
	file("/list", "(null)\n");
	check(!read_cpus(&c, "/list") && !c.nr);

	/* A directory can be opened, but not read. */
	check(!read_file("/proc"));
	is = read_file("/dev/null");
	check(is && !*is);
	free(is);
}

static void test_placed_apart(void)
{
	file("/proc/cmdline", "root=/dev/root quiet\n");
	check(!placed_apart());
	file("/proc/cmdline", "quiet maxcpus=1\n");
	check(placed_apart());
	file("/proc/cmdline", "quiet nosmt=force\n");
	check(placed_apart());
	file("/proc/cmdline", "sched_sbm=2\n");
	check(placed_apart());
}

static void test_l3_on_nodes(void)
{
	check(!read_l3(2, &c));
	file(CPU_DIR "/cpu2/cache/index3/shared_cpu_list", "0-3\n");
	file(NODE_DIR "/online", "0-1\n");
	file(NODE_DIR "/node0/cpulist", "0-3\n");
	file(NODE_DIR "/node1/cpulist", "4-7\n");
	check(read_l3(2, &c) && c.nr == 4);
	file(NODE_DIR "/node0/cpulist", "0-1\n");
	file(NODE_DIR "/node1/cpulist", "2-7\n");
	check(!read_l3(2, &c));
	file(NODE_DIR "/node0/cpulist", "\n");
	file(NODE_DIR "/node1/cpulist", "0-7\n");
	check(read_l3(2, &c));
	file(CPU_DIR "/cpu2/cache/index4", "");
	check(!read_l3(2, &c));
}

static void test_stopped(void)
{
	/* CPU 1 is in the mask, 2 has a tick, and 3 is missing. */
	file("/proc/timer_list", "Timer List Version: v0.9\nnow at 1 nsecs\n\n"
		"cpu: 1\n clock 0:\n  .tick_stopped   : 1\n  .idle_jiffies   : 5\n"
		"cpu: 2\n clock 0:\n  .tick_stopped   : 0\n"
		"cpu: 3\n clock 0:\n  .tick_stopped   : 1\n\nTick Device: mode:     1\n");
	read_stopped(&o);
	check(o.nr == 2 && o.cpu[0] == 1 && o.cpu[1] == 3);

	file(SBM_DIR "/nohz_idle", "1\n");
	range(&c, 1, 2);
	check(lost_cpu(&c) == -1);
	range(&c, 1, 3);
	check(lost_cpu(&c) == 3);
	check(in_mask(&c) == 1);
	check(!has_rest(&c) && c.nr == 2);
	file(SBM_DIR "/nohz_idle", "1-3\n");
	check(has_rest(&c) && !c.nr);
}

int main(void)
{
	test_parse_cpus();
	test_parse_layout();
	test_spread();
	test_largest();
	test_read();
	test_placed_apart();
	test_l3_on_nodes();
	test_stopped();
	printf("%d checks, %d failed\n", checks, failed);
	return failed ? KSFT_FAIL : KSFT_PASS;
}
