// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs: accesses in program order, and a store buffer
 *
 * A load blocks until it has its value, so that misses of one CPU do not
 * overlap.  A store goes to the buffer, which is emptied in order, one line at a
 * time (TSO).  A CPU sees its own stores at once.  A locked operation and a
 * fence wait for the buffer to be empty.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

struct vcpu *sim_vcpus;

u64 peek(const void *p, unsigned int size)
{
	u64 value = 0;

	memcpy(&value, p, size);
	return value;
}

void poke(void *p, u64 value, unsigned int size)
{
	memcpy(p, &value, size);
}

void sim_begin(const struct machine *m, u64 seed)
{
	unsigned int cpus = machine_cpus(m);
	unsigned int i;

	sim_m = *m;
	sim_vcpus = calloc(cpus, sizeof(*sim_vcpus));
	if (!sim_vcpus || m->stores > MAX_STORES) {
		fprintf(stderr, "no memory for %u CPUs\n", cpus);
		exit(2);
	}
	for (i = 0; i < cpus; i++) {
		sim_vcpus[i].id = i;
		sim_vcpus[i].place = machine_place(m, i);
		sim_vcpus[i].random = (seed * 4099 + i + 1) * 0x9e3779b97f4a7c15ULL;
	}
	vtime_begin(cpus);
	line_begin();
}

void sim_end(void)
{
	line_end();
	vtime_end();
	free(sim_vcpus);
	sim_vcpus = NULL;
}

void sim_start(unsigned int cpu, void (*fn)(unsigned int cpu))
{
	sim_vcpus[cpu].fn = fn;
	vtime_post(0, EVENT_CPU, &sim_vcpus[cpu], 0);
}

/* Let everything happen that comes before @cpu's own time. */
static void catch_up(struct vcpu *cpu)
{
	if (vtime_first(cpu->now)) {
		sim_time = cpu->now;
		return;
	}
	vtime_post(cpu->now, EVENT_CPU, cpu, cpu->epoch);
	vtime_block(cpu);
}

static void check(const void *p, unsigned int size)
{
	const struct machine *m = &sim_m;

	if (!line_holds(p, size) ||
	    (uintptr_t)p / m->line != ((uintptr_t)p + size - 1) / m->line) {
		fprintf(stderr, "CPU %u: access to %p, not simulated memory\n",
			sim_current->id, p);
		abort();
	}
}

static void wait_for(struct vcpu *cpu, enum wait wait)
{
	cpu->wait = wait;
	vtime_block(cpu);
}

/* A line for the oldest store that does not have it. */
void cpu_drain(struct vcpu *cpu)
{
	struct store *s;
	struct line *line;

	while (cpu->nr) {
		s = &cpu->store[cpu->first];
		line = line_of(s->p);
		if (!line_hit(line, cpu, REQ_STORE)) {
			cpu->draining = true;
			cpu->drain.cpu = cpu;
			cpu->drain.kind = REQ_STORE;
			cpu->drain.line = line;
			line_request(&cpu->drain);
			return;
		}
		if (sim_fault != FAULT_LOST_STORE || cpu->first % 4 != 3)
			poke(s->p, s->value, s->size);
		cpu->first = (cpu->first + 1) % MAX_STORES;
		cpu->nr--;
	}
}

/* A request has been served. */
void cpu_done(struct req *req)
{
	struct vcpu *cpu = req->cpu;

	if (req->kind == REQ_STORE) {
		cpu->draining = false;
		cpu_drain(cpu);
		if (!(cpu->wait == WAIT_SPACE && cpu->nr < sim_m.stores) &&
		    !(cpu->wait == WAIT_DRAINED && !cpu->nr))
			return;
	}

	cpu->wait = WAIT_NONE;
	if (cpu->now < sim_time)
		cpu->now = sim_time;
	vtime_resume(cpu);
}

static void wait_drained(struct vcpu *cpu)
{
	if (cpu->nr)
		wait_for(cpu, WAIT_DRAINED);
}

/*
 * What @cpu's newest store that touches the bytes at @p has put there.  Returns
 * 0 if there is none, 1 if it has all of them, and -1 if it has a part.
 */
static int forward(struct vcpu *cpu, const void *p, unsigned int size, u64 *value)
{
	const char *c = p, *q;
	struct store *s;
	unsigned int i;

	for (i = cpu->nr; i--;) {
		s = &cpu->store[(cpu->first + i) % MAX_STORES];
		q = s->p;
		if (c + size <= q || q + s->size <= c)
			continue;
		if (c < q || c + size > q + s->size)
			return -1;
		*value = s->value >> 8 * (c - q);
		if (size < 8)
			*value &= (1ULL << 8 * size) - 1;
		return 1;
	}
	return 0;
}

u64 sim_load(const void *p, unsigned int size)
{
	struct vcpu *cpu = sim_current;
	struct line *line;
	u64 value;
	int own;

	if (!cpu)
		return peek(p, size);

	check(p, size);
	catch_up(cpu);

	own = sim_fault == FAULT_NO_FORWARD ? 0 : forward(cpu, p, size, &value);
	if (own > 0) {
		cpu->now += sim_m.lat[DIST_OWN];
		cpu->counts.hits++;
		return value;
	}
	if (own < 0)
		wait_drained(cpu);

	line = line_of(p);
	if (line_hit(line, cpu, REQ_LOAD)) {
		value = peek(p, size);
		cpu->now += sim_m.lat[DIST_OWN];
		return value;
	}

	cpu->req = (struct req){
		.cpu	= cpu,
		.line	= line,
		.kind	= REQ_LOAD,
		.p	= (void *)p,
		.size	= size,
	};
	line_request(&cpu->req);
	wait_for(cpu, WAIT_LINE);
	return cpu->req.value;
}

void sim_store(void *p, u64 value, unsigned int size)
{
	struct vcpu *cpu = sim_current;

	if (!cpu) {
		poke(p, value, size);
		return;
	}

	check(p, size);
	catch_up(cpu);
	if (cpu->nr >= sim_m.stores)
		wait_for(cpu, WAIT_SPACE);

	cpu->store[(cpu->first + cpu->nr) % MAX_STORES] = (struct store){ p, value, size };
	cpu->nr++;
	if (!cpu->draining)
		cpu_drain(cpu);
	cpu->now += sim_m.store;
}

void sim_fence(void)
{
	struct vcpu *cpu = sim_current;

	if (!cpu)
		return;

	catch_up(cpu);
	if (sim_fault != FAULT_NO_FENCE)
		wait_drained(cpu);
	cpu->now += sim_m.fence;
}

u64 sim_locked(void *p, enum rmw op, u64 arg, unsigned int size)
{
	struct vcpu *cpu = sim_current;
	u64 value;

	if (!cpu) {
		value = peek(p, size);
		poke(p, op == RMW_OR ? value | arg : op == RMW_AND ? value & arg :
			op == RMW_ADD ? value + arg : arg, size);
		return value;
	}

	check(p, size);
	catch_up(cpu);
	if (sim_m.locked_orders || forward(cpu, p, size, &value))
		wait_drained(cpu);

	cpu->req = (struct req){
		.cpu	= cpu,
		.line	= line_of(p),
		.kind	= REQ_LOCKED,
		.p	= p,
		.size	= size,
		.op	= op,
		.arg	= arg,
	};
	line_request(&cpu->req);
	wait_for(cpu, WAIT_LINE);
	return cpu->req.value;
}

void sim_fence_after_locked(void)
{
	if (!sim_m.locked_orders)
		sim_fence();
}

unsigned int sim_cpu(void)
{
	return sim_current->id;
}

u64 sim_now(void)
{
	return sim_current->now;
}

u64 sim_random(void)
{
	u64 x = sim_current->random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	sim_current->random = x;
	return x * 0x2545f4914f6cdd1dULL >> 16;
}

/* Work that touches nothing shared. */
void sim_delay(u64 ps)
{
	sim_current->now += ps;
}

bool sim_sleep(u64 until)
{
	struct vcpu *cpu = sim_current;

	if (sim_fault == FAULT_EARLY_WAKE)
		until -= (until - cpu->now) / 8;
	if (until <= cpu->now)
		return false;

	cpu->woken = false;
	cpu->epoch++;
	vtime_post(until, EVENT_CPU, cpu, cpu->epoch);
	wait_for(cpu, WAIT_SLEEP);
	return cpu->woken;
}

/* End the sleep of @id, if it sleeps. */
void sim_wake(unsigned int id)
{
	struct vcpu *cpu = &sim_vcpus[id];

	catch_up(sim_current);
	if (cpu->wait != WAIT_SLEEP)
		return;
	cpu->woken = true;
	cpu->epoch++;
	cpu->wait = WAIT_NONE;
	vtime_post(sim_time, EVENT_CPU, cpu, cpu->epoch);
}

const struct machine *sim_machine(void)
{
	return &sim_m;
}

struct counts *sim_counts(unsigned int cpu)
{
	return &sim_vcpus[cpu].counts;
}

struct counts sim_total(void)
{
	struct counts sum = { 0 };
	struct counts *c;
	unsigned int i, d;

	for (i = 0; i < machine_cpus(&sim_m); i++) {
		c = &sim_vcpus[i].counts;
		sum.hits += c->hits;
		sum.waited += c->waited;
		sum.stale += c->stale;
		for (d = 0; d < NR_DIST; d++) {
			sum.fetched[d] += c->fetched[d];
			sum.loaded[d] += c->loaded[d];
		}
	}
	return sum;
}

void sim_clear_counts(void)
{
	unsigned int i;

	for (i = 0; i < machine_cpus(&sim_m); i++)
		memset(&sim_vcpus[i].counts, 0, sizeof(sim_vcpus[i].counts));
}
