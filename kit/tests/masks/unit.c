#define main sbm_main
#include "sbm_test.c"
#undef main
#include <assert.h>
static struct layout L; static struct cpus c, o;
static int bad;
#define T(x) do { if (!(x)) { printf("FAILED %d: %s\n", __LINE__, #x); bad++; } } while (0)
int main(void)
{
	static const struct { const char *s; int nr, last; } ok[] = {
		{ "", 0, 0 }, { "\n", 0, 0 }, { "0\n", 1, 0 }, { "0-3,5,7-8\n", 7, 8 }, { "3,1,2", 3, 2 },
		{ "0-8191\n", 8192, 8191 }, { "8191", 1, 8191 }, { "5-5", 1, 5 },
	};
	static const char * const no[] = { "x", "0-", "-1", "0,", ",0", "0,,1", "0 1", "0-x", "3-1", "8192", "0-8192",
		"99999999999999999999999", "0--1", "0-1-2", "(null)\n", " 0", "+1", "0-8191,0", "0,\n" };
	for (unsigned int i = 0; i < ARRAY_SIZE(ok); i++) {
		T(parse_cpus(ok[i].s, &c)); T(c.nr == ok[i].nr);
		T(!c.nr || c.cpu[c.nr - 1] == ok[i].last);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(no); i++)
		if (parse_cpus(no[i], &c)) { printf("taken: '%s'\n", no[i]); bad++; }
	T(parse_layout("0 node 0 cpus 0,2\n1 node -1 cpus 1\n2 node 3 cpus\n", &L));
	T(L.nr_leaves == 3 && L.cpus.nr == 3 && L.cpus.cpu[1] == 2 && L.leaf[1] == 0 && L.leaf[2] == 1);
	T(parse_layout("0 node 0 cpus 0,2", &L) && L.cpus.nr == 2);
	T(!parse_layout("", &L)); T(!parse_layout("\n", &L)); T(!parse_layout("0 node 0 cpu 1\n", &L));
	T(!parse_layout("1 node 0 cpus 1\n", &L)); T(!parse_layout("0 node 0 cpus 1\n0 node 0 cpus 2\n", &L));
	T(!parse_layout("0 node 0 cpus 1\n\n", &L)); T(!parse_layout("0 node 0 cpus1x\n", &L));
	T(!parse_layout("0 node 0 cpus 0-8191\n1 node 0 cpus 5\n", &L));
	T(!parse_layout("0 node 0 cpus 1 2\n", &L));
	/* spread: 512 CPUs in leaves of 16, siblings at +256 */
	char *t = malloc(1 << 20), *e = t;
	for (int l = 0; l < 32; l++) {
		e += sprintf(e, "%d node %d cpus ", l, l / 16);
		for (int i = 0; i < 8; i++)
			e += sprintf(e, "%s%d,%d", i ? "," : "", l * 8 + i, l * 8 + i + 256);
		e += sprintf(e, "\n");
	}
	T(parse_layout(t, &layout) && layout.cpus.nr == 512);
	c.nr = 0;
	for (int i = 1; i < 512; i++) add(&c, i);
	spread(&c, 8, &o);
	T(o.nr == 8); for (int i = 0; i < 8; i++) T(o.cpu[i] == (i ? i * 8 : 256));
	spread(&c, 512, &o); T(o.nr == 511);
	for (int i = 0; i < o.nr; i++) for (int j = 0; j < i; j++) T(o.cpu[i] != o.cpu[j]);
	c.nr = 3; c.cpu[0] = 8; c.cpu[1] = 9; c.cpu[2] = 0; spread(&c, 8, &o);
	T(o.nr == 3 && o.cpu[0] == 0 && o.cpu[1] == 8 && o.cpu[2] == 9);
	/* the largest machine, in time */
	e = t;
	for (int l = 0; l < 2048; l++)
		e += sprintf(e, "%d node %d cpus %d,%d,%d,%d\n", l, l, l * 4, l * 4 + 1, l * 4 + 2, l * 4 + 3);
	long long b = now(); T(parse_layout(t, &layout)); spread(&layout.cpus, 8192, &o); T(o.nr == 8192);
	printf("8192 CPUs: %lld ms\n", (now() - b) / 1000);
	/* this host's own files */
	FILE *f = popen("grep -c 'tick_stopped *: 1' /proc/timer_list", "r"); int n = -1; T(fscanf(f, "%d", &n) == 1);
	read_stopped(&c); printf("timer_list here: %d stopped (grep a moment before: %d)\n", c.nr, n);
	T(read_cpus(&c, CPU_DIR "/online") && c.nr == 2);
	T(!read_cpus(&c, "/nonexistent/%d", 1) && !c.nr);
	T(!read_file("/proc")); /* a directory: open works, read fails */
	char *x = read_file("/dev/null"); T(x && !*x);
	printf("read_l3 here: %d, placed_apart: %s\n", read_l3(0, &c), placed_apart() ?: "no");
	printf("%s\n", bad ? "FAILED" : "unit ok");
	return bad;
}
