// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lines: who has a copy, who waits, and what it costs to get one
 *
 * A line is invalid everywhere, shared, exclusive to a core (clean or dirty), or,
 * with MOESI, owned dirty by one core and shared by others.  A transaction that
 * takes away a core's right to the line has the line for itself until it is
 * done.  Loads of a line that no core must give up overlap; each keeps the
 * supplier busy for a moment.  Requests wait in the order in which they come.
 *
 * A cache has room for everything, and nothing but a line is ever busy.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "model.h"

#define ARENA_SIZE	(16UL << 20)
#define NO_CORE		(~0U)

/**
 * struct line - a cache line
 * @copies: a bit for each core that has it
 * @nr: number of these
 * @owner: the core that has it dirty, or exclusively, or NO_CORE
 * @exclusive: nobody but the owner may have it
 * @dirty: memory is not up to date
 * @writer: the CPU that wrote it last, plus one
 * @last: the core that was served last
 * @overtaken: how often the first in the queue has been overtaken
 * @busy: until when it takes no other request
 * @alone: until when a request has it for itself
 * @loading: until when loads are under way
 * @moves: how often it was got from beyond the LLC
 * @event: an EVENT_LINE is posted
 * @head: the queue of requests
 * @tail: its last
 */
struct line {
	u64		*copies;
	unsigned int	nr;
	unsigned int	owner;
	bool		exclusive;
	bool		dirty;
	unsigned int	writer;
	unsigned int	last;
	unsigned int	overtaken;
	u64		busy;
	u64		alone;
	u64		loading;
	u64		moves;
	bool		event;
	struct req	*head;
	struct req	**tail;
};

enum fault sim_fault;
struct machine sim_m;

static char *arena;
static size_t arena_used;
static struct line *lines;
static u64 *bits;
static unsigned int words;

void line_begin(void)
{
	size_t nr = ARENA_SIZE / sim_m.line;

	words = (machine_cores(&sim_m) + 63) / 64;
	arena = mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	lines = mmap(NULL, nr * sizeof(*lines), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	bits = mmap(NULL, nr * words * sizeof(*bits), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (arena == MAP_FAILED || lines == MAP_FAILED || bits == MAP_FAILED) {
		perror("arena");
		exit(2);
	}
	arena_used = 0;
}

void line_end(void)
{
	size_t nr = ARENA_SIZE / sim_m.line;

	munmap(arena, ARENA_SIZE);
	munmap(lines, nr * sizeof(*lines));
	munmap(bits, nr * words * sizeof(*bits));
}

void *sim_alloc(size_t size, size_t align)
{
	void *p;

	if (align < sim_m.line)
		align = sim_m.line;
	arena_used = (arena_used + align - 1) / align * align;
	p = arena + arena_used;
	arena_used += (size + align - 1) / align * align;
	if (arena_used > ARENA_SIZE) {
		fprintf(stderr, "no simulated memory left\n");
		exit(2);
	}
	return p;
}

bool line_holds(const void *p, unsigned int size)
{
	const char *c = p;

	return c >= arena && c + size <= arena + arena_used;
}

struct line *line_of(const void *p)
{
	size_t i = ((const char *)p - arena) / sim_m.line;
	struct line *line = &lines[i];

	if (!line->copies) {
		line->copies = bits + i * words;
		line->owner = NO_CORE;
		line->tail = &line->head;
	}
	return line;
}

u64 sim_moves(const void *p)
{
	return line_of(p)->moves;
}

static bool has(const struct line *line, unsigned int core)
{
	return line->copies[core / 64] >> core % 64 & 1;
}

static void give(struct line *line, unsigned int core)
{
	if (!has(line, core)) {
		line->copies[core / 64] |= 1ULL << core % 64;
		line->nr++;
	}
}

/* Does a core from @from on and before @to have a copy? */
static bool any(const struct line *line, unsigned int from, unsigned int to)
{
	u64 mask;

	while (from < to) {
		mask = ~0ULL << from % 64;
		if (from / 64 == (to - 1) / 64)
			mask &= ~0ULL >> (63 - (to - 1) % 64);
		if (line->copies[from / 64] & mask)
			return true;
		from = (from / 64 + 1) * 64;
	}
	return false;
}

static enum dist dist(unsigned int a, unsigned int b)
{
	enum dist d = machine_dist(&sim_m, a, b);

	if (sim_fault == FAULT_NO_DISTANCE && d > DIST_LLC)
		return DIST_LLC;
	return d;
}

/* How far the data is. */
static enum dist source(const struct line *line, const struct vcpu *cpu)
{
	unsigned int core = cpu->place.core;
	unsigned int llc = cpu->place.llc * sim_m.cores;

	if (has(line, core))
		return DIST_OWN;
	if (any(line, llc, llc + sim_m.cores))
		return DIST_LLC;
	if (line->owner != NO_CORE)
		return dist(core, line->owner);
	return DIST_MEMORY;
}

/* How far the farthest other copy is. */
static enum dist farthest(const struct line *line, const struct vcpu *cpu)
{
	unsigned int core = cpu->place.core;
	unsigned int llc = cpu->place.llc * sim_m.cores;
	unsigned int per = sim_m.llcs * sim_m.cores;
	unsigned int socket = cpu->place.socket * per;

	if (line->nr == has(line, core))
		return DIST_OWN;
	if (any(line, 0, socket) || any(line, socket + per, machine_cores(&sim_m)))
		return sim_fault == FAULT_NO_DISTANCE ? DIST_LLC : DIST_SOCKET;
	if (any(line, socket, llc) ||
	    any(line, llc + sim_m.cores, socket + per))
		return sim_fault == FAULT_NO_DISTANCE ? DIST_LLC : DIST_NODE;
	return DIST_LLC;
}

/* May the core do it without asking anybody? */
static bool allowed(const struct line *line, const struct vcpu *cpu,
		    enum req_kind kind)
{
	if (kind == REQ_LOAD)
		return has(line, cpu->place.core);
	if (kind == REQ_LOCKED && sim_fault == FAULT_LOCAL_LOCK)
		return has(line, cpu->place.core);
	return line->exclusive && line->owner == cpu->place.core;
}

/* The same, and it can be done now. */
bool line_hit(struct line *line, struct vcpu *cpu, enum req_kind kind)
{
	if (!allowed(line, cpu, kind))
		return false;

	if (sim_fault != FAULT_NO_QUEUE) {
		if (line->alone > sim_time)
			return false;
		if (kind != REQ_LOAD && (line->loading > sim_time || line->head))
			return false;
	}

	cpu->counts.hits++;
	if (line->exclusive && line->owner != cpu->place.core)
		cpu->counts.stale++;
	if (kind != REQ_LOAD) {
		line->dirty = true;
		line->writer = cpu->id + 1;
	}
	return true;
}

/* Make the changes that @req is for, and return how long it takes. */
static u64 transfer(struct line *line, struct req *req)
{
	struct vcpu *cpu = req->cpu;
	unsigned int core = cpu->place.core;
	enum dist d = source(line, cpu);
	enum dist other = DIST_OWN;
	u64 lat;

	if (allowed(line, cpu, req->kind)) {
		cpu->counts.hits++;
		lat = sim_m.lat[DIST_OWN];
		if (req->kind == REQ_STORE)
			lat = sim_m.store;
		if (req->kind == REQ_LOCKED)
			lat = line_locked(req);
	} else {
		if (req->kind != REQ_LOAD)
			other = farthest(line, cpu);
		if (sim_m.lat[other] > sim_m.lat[d] && other != DIST_OWN)
			d = other;
		/* Nobody else has it, but the core may not write it yet. */
		if (d == DIST_OWN)
			lat = sim_m.store;
		else
			lat = sim_m.lat[d];
		if (req->since < sim_time)
			lat = lat * sim_m.handoff / 100;
		cpu->counts.fetched[d]++;
		line->moves += d >= DIST_NODE;
		if (req->kind == REQ_LOAD)
			cpu->counts.loaded[d]++;
	}
	cpu->counts.waited += sim_time - req->since;
	line->last = core;

	if (req->kind == REQ_LOAD) {
		if (!line->nr) {
			line->owner = core;
			line->exclusive = true;
		} else if (line->owner != core) {
			line->exclusive = false;
			if (sim_m.protocol == MESI || !line->dirty) {
				line->owner = NO_CORE;
				line->dirty = false;
			}
		}
		return lat;
	}

	if (sim_fault != FAULT_NO_INVALIDATE) {
		memset(line->copies, 0, words * sizeof(*line->copies));
		line->nr = 0;
	}
	give(line, core);
	line->owner = core;
	line->exclusive = true;
	line->dirty = true;
	line->writer = cpu->id + 1;
	return lat;
}

/* What a locked operation takes whose line the core has. */
u64 line_locked(struct req *req)
{
	struct line *line = req->line;

	if (!line->writer || line->writer == req->cpu->id + 1)
		return sim_m.locked;
	return sim_m.sibling;
}

/* The request to be served next: the first, or one from nearby before it. */
static struct req **pick(struct line *line)
{
	struct req **best = &line->head;
	enum dist d, nearest;
	struct req **p;

	if (line->overtaken >= sim_m.near)
		return best;

	nearest = machine_dist(&sim_m, line->last, (*best)->cpu->place.core);
	for (p = &(*best)->next; *p; p = &(*p)->next) {
		d = machine_dist(&sim_m, line->last, (*p)->cpu->place.core);
		if (d < nearest) {
			nearest = d;
			best = p;
		}
	}
	return best;
}

static void unlink_req(struct line *line, struct req **p)
{
	struct req *req = *p;

	if (p == &line->head)
		line->overtaken = 0;
	else
		line->overtaken++;
	*p = req->next;
	if (!req->next)
		line->tail = p;
}

static void post_event(struct line *line, u64 time)
{
	if (!line->event) {
		line->event = true;
		vtime_post(time, EVENT_LINE, line, 0);
	}
}

/* Start what can be started. */
static void serve(struct line *line)
{
	bool queue = sim_fault != FAULT_NO_QUEUE;
	struct req **p, *req;
	bool alone;
	u64 lat;

	while (line->head) {
		if (queue && line->busy > sim_time) {
			post_event(line, line->busy);
			return;
		}

		p = pick(line);
		req = *p;
		alone = req->kind != REQ_LOAD ||
			(line->exclusive && line->owner != req->cpu->place.core);
		if (queue && alone && line->loading > sim_time) {
			post_event(line, line->loading);
			return;
		}

		unlink_req(line, p);
		lat = transfer(line, req);
		if (alone) {
			line->busy = sim_time + lat;
			line->alone = line->busy;
		} else {
			line->busy = sim_time + sim_m.port;
			if (line->loading < sim_time + lat)
				line->loading = sim_time + lat;
		}
		vtime_post(sim_time + lat, EVENT_DONE, req, 0);
	}
}

void line_event(struct line *line)
{
	line->event = false;
	serve(line);
}

void line_request(struct req *req)
{
	struct line *line = req->line;

	req->since = sim_time;
	req->next = NULL;
	*line->tail = req;
	line->tail = &req->next;
	serve(line);
}

static u64 apply(enum rmw op, u64 old, u64 arg)
{
	switch (op) {
	case RMW_OR:
		return old | arg;
	case RMW_AND:
		return old & arg;
	case RMW_ADD:
		return old + arg;
	default:
		return arg;
	}
}

/* @req has its line. */
void line_done(struct req *req)
{
	struct line *line = req->line;
	struct vcpu *cpu = req->cpu;
	struct store *s;
	u64 new;

	switch (req->kind) {
	case REQ_LOAD:
		give(line, cpu->place.core);
		req->value = peek(req->p, req->size);
		break;
	case REQ_LOCKED:
		req->value = peek(req->p, req->size);
		new = apply(req->op, req->value, req->arg);
		poke(req->p, new, req->size);
		if (sim_fault == FAULT_OLD_VALUE)
			req->value = new;
		break;
	case REQ_STORE:
		/* With it, those behind it that go to the same line. */
		do {
			s = &cpu->store[cpu->first];
			if (sim_fault != FAULT_LOST_STORE || cpu->first % 4 != 3)
				poke(s->p, s->value, s->size);
			cpu->first = (cpu->first + 1) % MAX_STORES;
			cpu->nr--;
			s = &cpu->store[cpu->first];
			if (!cpu->nr || line_of(s->p) != line)
				break;
			line->busy += sim_m.store;
			line->alone = line->busy;
		} while (true);
		break;
	}

	serve(line);
	cpu_done(req);
}
