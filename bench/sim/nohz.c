// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs that idle and work, with the accesses of the nohz code at its own rates
 *
 * Written after what the series makes of kernel/sched/fair.c, and keeping of it
 * only the accesses to what CPUs share: the set, the line or lines of nohz, and a
 * line of each run queue.  A CPU enters the set when it goes idle and leaves it in
 * the first tick that finds it busy, so that it changes at most once a jiffy.  A
 * busy tick that finds next_balance due looks whether the set is empty, looks for
 * an idle CPU, and kicks that; it walks the set.  Balancing for a CPU is a locked
 * operation on its run queue, and BALANCE_TIME.
 */
#include "hook.h"
#include "nohz.h"

#define BALANCE_TIME	(500 * NS)
#define WARM_TICKS	2

/* What each CPU has that others look at. */
struct rq {
	u8	idle;
	u8	has_blocked_load;
	u32	kicked;
	u64	lock;
} __attribute__((__aligned__(128)));

/* On one line in the base, the address on another one in the series. */
static u64 *set_address;
static u64 *next_balance;
static u64 *looked;		/* a line for each LLC */
static u8 *has_blocked_load, *needs_update;

const char *const act_names[NR_ACTS] = {
	"enter", "flags", "exit", "tick", "empty", "find", "walk",
};

static const struct nohz *conf;
static struct nohz_result result;
static struct rq *rqs;
static u8 *tick_stopped;
static unsigned int cpus;
static u64 end, nr_ticks;

/* Of the activity under way on each CPU. */
static struct mark {
	u64	time;
	u64	far;
} *marks;

static void begin(void)
{
	struct mark *m = &marks[sim_cpu()];

	m->time = sim_now();
	m->far = sim_far(sim_cpu());
}

static void finish(enum act act)
{
	struct mark *m = &marks[sim_cpu()];
	struct act_stat *s = &result.act[act];
	u64 time = sim_now() - m->time;

	if (m->time < WARM_TICKS * TICK)
		return;
	s->nr++;
	s->ps += time;
	s->far += sim_far(sim_cpu()) - m->far;
	if (s->worst < time)
		s->worst = time;
}

static void write_flag(u8 *flag)
{
	if (conf->flags == FLAGS_STORE || !READ_ONCE(*flag))
		WRITE_ONCE(*flag, 1);
}

/* nohz_balance_enter_idle() */
static void enter_idle(unsigned int cpu)
{
	struct rq *rq = &rqs[cpu];

	if (tick_stopped[cpu]) {
		begin();
		if (conf->flags == FLAGS_STORE) {
			WRITE_ONCE(rq->has_blocked_load, 1);
			WRITE_ONCE(*has_blocked_load, 1);
		} else if (!READ_ONCE(rq->has_blocked_load)) {
			WRITE_ONCE(rq->has_blocked_load, 1);
			smp_mb();
			write_flag(has_blocked_load);
		}
		finish(ACT_FLAGS);
		return;
	}

	WRITE_ONCE(rq->has_blocked_load, 1);
	tick_stopped[cpu] = 1;

	begin();
	(void)READ_ONCE(*set_address);
	conf->form->set(cpu);
	form_barrier(conf->form);
	finish(ACT_ENTER);

	begin();
	write_flag(needs_update);
	write_flag(has_blocked_load);
	finish(ACT_FLAGS);
}

/* nohz_balance_exit_idle() */
static void exit_idle(unsigned int cpu)
{
	if (!tick_stopped[cpu])
		return;

	tick_stopped[cpu] = 0;
	begin();
	(void)READ_ONCE(*set_address);
	conf->form->clear(cpu);
	finish(ACT_EXIT);
}

/* The set as find_new_ilb() copies it, private to each CPU. */
static u8 *copies;

static bool copy_one(unsigned int cpu)
{
	copies[(size_t)sim_cpu() * cpus + cpu] = 1;
	return true;
}

static int find_new_ilb(void)
{
	u8 *copy = copies + (size_t)sim_cpu() * cpus;
	unsigned int i;

	memset(copy, 0, cpus);
	conf->form->walk(cpus - 1, copy_one);
	for (i = 0; i < cpus; i++) {
		if (copy[i] && READ_ONCE(rqs[i].idle))
			return i;
	}
	return -1;
}

/* Has another CPU taken care of it since @jiffies was found due? */
static bool done_by_other(u64 jiffies)
{
	return READ_ONCE(*next_balance) > jiffies;
}

static u64 *looked_at(unsigned int cpu)
{
	return looked + machine_place(conf->machine, cpu).llc * 16;
}

/* nohz_balancer_kick() */
static void tick(unsigned int cpu)
{
	u64 jiffies = sim_now() / TICK;
	bool due;
	int ilb;

	exit_idle(cpu);
	if (conf->no_ilb)
		return;

	begin();
	(void)READ_ONCE(*has_blocked_load);
	due = READ_ONCE(*next_balance) <= jiffies;
	if (!due)
		(void)READ_ONCE(*needs_update);
	finish(ACT_TICK);
	if (!due)
		return;

	if (conf->once == ONCE_LLC && READ_ONCE(*looked_at(cpu)) == jiffies)
		return;

	begin();
	if (conf->form->empty()) {
		if (conf->once == ONCE_LLC)
			WRITE_ONCE(*looked_at(cpu), jiffies);
		if (conf->once == ONCE_GLOBAL_STORE ||
		    (conf->once == ONCE_GLOBAL && !done_by_other(jiffies)))
			WRITE_ONCE(*next_balance, jiffies + 1);
		finish(ACT_EMPTY);
		return;
	}
	finish(ACT_EMPTY);
	if (conf->look_again && done_by_other(jiffies))
		return;

	(void)READ_ONCE(*needs_update);
	WRITE_ONCE(*next_balance, jiffies + 1);

	begin();
	ilb = find_new_ilb();
	finish(ACT_FIND);
	if (ilb < 0 || sim_locked(&rqs[ilb].kicked, RMW_OR, 1, sizeof(rqs->kicked)))
		return;
	sim_wake(ilb);
}

/* When the CPU of the walk has work to do, and what it did not wait for. */
static u64 *idle_until;
static u64 *balancing, *balancing_far;

static bool balance_one(unsigned int cpu)
{
	unsigned int me = sim_cpu();
	u64 time = sim_now(), far = sim_far(me);

	if (READ_ONCE(rqs[cpu].idle)) {
		if (time >= idle_until[me])
			return false;
		(void)READ_ONCE(rqs[cpu].has_blocked_load);
		sim_locked(&rqs[cpu].lock, RMW_ADD, 1, sizeof(u64));
		sim_delay(BALANCE_TIME);
		result.served++;
	}
	balancing[me] += sim_now() - time;
	balancing_far[me] += sim_far(me) - far;
	return true;
}

/* _nohz_idle_balance() */
static void balance(unsigned int cpu)
{
	struct mark *m = &marks[cpu];

	sim_locked(&rqs[cpu].kicked, RMW_AND, 0, sizeof(rqs->kicked));
	WRITE_ONCE(*has_blocked_load, 0);
	WRITE_ONCE(*needs_update, 0);
	smp_mb();

	balancing[cpu] = 0;
	balancing_far[cpu] = 0;
	begin();
	conf->form->walk(cpu, balance_one);
	m->time += balancing[cpu];
	m->far += balancing_far[cpu];
	finish(ACT_WALK);

	WRITE_ONCE(*next_balance, sim_now() / TICK + 1);
	WRITE_ONCE(*has_blocked_load, 1);
}

/* Sleep, and balance if kicked. */
static void be_idle(unsigned int cpu, u64 until)
{
	idle_until[cpu] = until;
	while (sim_now() < until) {
		if (READ_ONCE(rqs[cpu].kicked))
			balance(cpu);
		if (!sim_sleep(until))
			break;
	}
}

/* A kick that comes now is for nothing. */
static void be_busy(unsigned int cpu, u64 until)
{
	while (sim_sleep(until)) {
		if (READ_ONCE(rqs[cpu].kicked))
			sim_locked(&rqs[cpu].kicked, RMW_AND, 0, sizeof(rqs->kicked));
	}
}

static u64 about(u64 mean)
{
	return mean / 2 + sim_random() % mean;
}

static void timed_tick(unsigned int cpu)
{
	u64 start = sim_now(), time;

	tick(cpu);
	time = sim_now() - start;
	if (start < WARM_TICKS * TICK)
		return;
	nr_ticks++;
	result.tick_mean += time;
	if (result.tick_worst < time)
		result.tick_worst = time;
}

static void cpu_main(unsigned int cpu)
{
	u64 jitter = conf->jitter ? conf->jitter : TICK_JITTER;
	u64 skew = conf->skewed ? TICK * cpu / cpus : 0;
	bool idles = conf->idle && cpu % conf->idlers == 0;
	u64 next = skew, until;

	be_busy(cpu, sim_random() % TICK);
	while (sim_now() < end) {
		until = idles ? sim_now() + about(conf->busy) : end;
		while (next < sim_now())
			next += TICK;
		for (; next < until; next += TICK) {
			be_busy(cpu, next + sim_random() % jitter);
			timed_tick(cpu);
		}
		be_busy(cpu, until);
		if (!idles)
			break;

		WRITE_ONCE(rqs[cpu].idle, 1);
		enter_idle(cpu);
		be_idle(cpu, sim_now() + about(conf->idle));
		WRITE_ONCE(rqs[cpu].idle, 0);
	}
}

static void make_lines(void)
{
	bool apart = conf->flags == FLAGS_APART || conf->flags == FLAGS_LINES;
	u8 *p = sim_alloc(3 * 128, 128);

	set_address = (u64 *)p;
	next_balance = (u64 *)(p + (apart ? 128 : 16));
	has_blocked_load = p + (conf->flags == FLAGS_LINES ? 256 : apart ? 144 : 32);
	needs_update = has_blocked_load + 4;
}

static void *allocate(size_t nr, size_t size)
{
	void *p = calloc(nr, size);

	if (!p) {
		perror("nohz");
		exit(2);
	}
	return p;
}

struct nohz_result nohz_run(const struct nohz *n)
{
	unsigned int i;

	conf = n;
	result = (struct nohz_result){ 0 };
	nr_ticks = 0;
	cpus = machine_cpus(n->machine);
	end = (WARM_TICKS + n->ticks) * TICK;

	sim_begin(n->machine, n->seed);
	n->form->make(0);
	make_lines();
	rqs = sim_alloc(cpus * sizeof(*rqs), 128);
	looked = sim_alloc(machine_llcs(n->machine) * 128, 128);
	tick_stopped = allocate(cpus, 1);
	marks = allocate(cpus, sizeof(*marks));
	copies = allocate((size_t)cpus * cpus, 1);
	idle_until = allocate(cpus, sizeof(u64));
	balancing = allocate(cpus, sizeof(u64));
	balancing_far = allocate(cpus, sizeof(u64));

	for (i = 0; i < cpus; i++)
		sim_start(i, cpu_main);
	sim_run();

	result.flag_moves = sim_moves(has_blocked_load);
	result.time_moves = sim_moves(next_balance);
	result.address_moves = sim_moves(set_address);
	result.tick_mean /= nr_ticks ? nr_ticks : 1;
	result.total = sim_total();
	result.events = sim_events();
	sim_end();
	free(tick_stopped);
	free(marks);
	free(copies);
	free(idle_until);
	free(balancing);
	free(balancing_far);
	return result;
}
