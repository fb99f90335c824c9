// SPDX-License-Identifier: GPL-2.0-only
/*
 * Virtual time: a heap of events, and a coroutine for each CPU
 *
 * Events of the same time are served in the order in which they were posted, so
 * that nothing depends on the host.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "context.h"
#include "model.h"

#define STACK_SIZE	(32 * 1024)

struct event {
	u64		time;
	u64		order;
	u64		epoch;
	void		*what;
	enum event_kind	kind;
};

struct coroutine {
	struct context	context;
	bool		started;
	bool		finished;
};

struct vcpu *sim_current;
u64 sim_time;

static struct event *heap;
static size_t heap_nr, heap_size;
static u64 posted, served;
static struct coroutine *coroutines;
static char *stacks;
static size_t stacks_size;
static struct context main_context;
static bool stopping;

void vtime_begin(unsigned int cpus)
{
	unsigned int i;

	sim_time = 0;
	sim_current = NULL;
	heap_nr = 0;
	posted = 0;
	served = 0;
	stopping = false;

	coroutines = calloc(cpus, sizeof(*coroutines));
	stacks_size = (size_t)cpus * STACK_SIZE;
	stacks = mmap(NULL, stacks_size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!coroutines || stacks == MAP_FAILED) {
		perror("stacks");
		exit(2);
	}
	for (i = 0; i < cpus; i++)
		sim_vcpus[i].coroutine = &coroutines[i];
}

void vtime_end(void)
{
	munmap(stacks, stacks_size);
	free(coroutines);
}

static bool before(const struct event *a, const struct event *b)
{
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

void vtime_post(u64 time, enum event_kind kind, void *what, u64 epoch)
{
	struct event e = { time, posted++, epoch, what, kind };
	size_t i, up;

	if (sim_fault == FAULT_RANDOM) {
		struct timespec ts;

		clock_gettime(CLOCK_MONOTONIC, &ts);
		e.time += ts.tv_nsec % 7 * NS;
	}

	if (heap_nr == heap_size) {
		heap_size = heap_size ? 2 * heap_size : 1024;
		heap = realloc(heap, heap_size * sizeof(*heap));
		if (!heap) {
			perror("events");
			exit(2);
		}
	}
	for (i = heap_nr++; i; i = up) {
		up = (i - 1) / 2;
		if (!before(&e, &heap[up]))
			break;
		heap[i] = heap[up];
	}
	heap[i] = e;
}

static struct event take(void)
{
	struct event first = heap[0];
	struct event last = heap[--heap_nr];
	size_t i = 0, down;

	for (; (down = 2 * i + 1) < heap_nr; i = down) {
		if (down + 1 < heap_nr && before(&heap[down + 1], &heap[down]))
			down++;
		if (!before(&heap[down], &last))
			break;
		heap[i] = heap[down];
	}
	heap[i] = last;
	return first;
}

/* Is there nothing to be done up to @time? */
bool vtime_first(u64 time)
{
	return !heap_nr || heap[0].time > time;
}

static void entry(void)
{
	struct vcpu *cpu = sim_current;
	struct coroutine *c = cpu->coroutine;

	cpu->fn(cpu->id);
	c->finished = true;
	vtime_block(cpu);
}

/* Leave @cpu, until it is resumed. */
void vtime_block(struct vcpu *cpu)
{
	struct coroutine *c = cpu->coroutine;

	sim_current = NULL;
	context_switch(&c->context, &main_context);
	sim_current = cpu;
}

/* Run @cpu until it blocks. */
void vtime_resume(struct vcpu *cpu)
{
	struct coroutine *c = cpu->coroutine;

	if (c->finished)
		return;

	if (!c->started) {
		c->started = true;
		context_make(&c->context, stacks + (size_t)cpu->id * STACK_SIZE,
			     STACK_SIZE, entry);
	}
	sim_current = cpu;
	context_switch(&main_context, &c->context);
}

void sim_run(void)
{
	struct vcpu *cpu;
	struct event e;

	while (heap_nr && !stopping) {
		e = take();
		sim_time = e.time;
		served++;

		switch (e.kind) {
		case EVENT_CPU:
			cpu = e.what;
			if (cpu->epoch != e.epoch)
				break;
			cpu->wait = WAIT_NONE;
			if (cpu->now < e.time)
				cpu->now = e.time;
			vtime_resume(cpu);
			break;
		case EVENT_LINE:
			line_event(e.what);
			break;
		case EVENT_DONE:
			line_done(e.what);
			break;
		}
	}
}

void sim_stop(void)
{
	stopping = true;
}

u64 sim_events(void)
{
	return served;
}

/* The machine's time. */
u64 sim_elapsed(void)
{
	return sim_time;
}
