/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside the simulated machine: what vtime.c, line.c and cpu.c share
 */
#ifndef SIM_MODEL_H
#define SIM_MODEL_H

#include "sim.h"

#define MAX_STORES	128

struct vcpu;
struct line;

enum req_kind {
	REQ_LOAD,
	REQ_STORE,
	REQ_LOCKED,
};

/**
 * struct req - an access that the core's cache cannot serve at once
 * @cpu: whose
 * @line: to what
 * @kind: what for
 * @since: when it was made
 * @p: address, of a load or a locked operation
 * @size: its bytes
 * @op: the locked operation
 * @arg: its operand
 * @value: what was there
 * @next: the one behind it in the queue of the line
 */
struct req {
	struct vcpu	*cpu;
	struct line	*line;
	enum req_kind	kind;
	u64		since;
	void		*p;
	unsigned int	size;
	enum rmw	op;
	u64		arg;
	u64		value;
	struct req	*next;
};

struct store {
	void		*p;
	u64		value;
	unsigned int	size;
};

enum wait {
	WAIT_NONE,
	WAIT_LINE,		/* for the load or locked operation in @req */
	WAIT_DRAINED,		/* for an empty store buffer */
	WAIT_SPACE,		/* for an entry of it */
	WAIT_SLEEP,
};

/**
 * struct vcpu - a virtual CPU
 * @id: its number
 * @place: where it is
 * @now: its own time, never before that of the machine when it runs
 * @wait: what it waits for
 * @epoch: number of the sleep; an event of an earlier one is void
 * @woken: the sleep has been ended by another CPU
 * @req: its load or locked operation
 * @drain: the request for the line of its oldest store
 * @draining: there is such a request
 * @store: the store buffer, a ring
 * @first: its oldest entry
 * @nr: its number of entries
 * @counts: see there
 * @random: state of the random numbers
 * @fn: what it runs
 * @coroutine: its registers and stack
 */
struct vcpu {
	unsigned int	id;
	struct place	place;
	u64		now;
	enum wait	wait;
	u64		epoch;
	bool		woken;
	struct req	req;
	struct req	drain;
	bool		draining;
	struct store	store[MAX_STORES];
	unsigned int	first;
	unsigned int	nr;
	struct counts	counts;
	u64		random;
	void		(*fn)(unsigned int cpu);
	void		*coroutine;
};

enum event_kind {
	EVENT_CPU,		/* a CPU goes on */
	EVENT_LINE,		/* a line is free for the next request */
	EVENT_DONE,		/* a request is served */
};

extern struct machine sim_m;
extern struct vcpu *sim_vcpus;
extern struct vcpu *sim_current;
extern u64 sim_time;

/* vtime.c */
void vtime_begin(unsigned int cpus);
void vtime_end(void);
void vtime_post(u64 time, enum event_kind kind, void *what, u64 epoch);
bool vtime_first(u64 time);
void vtime_block(struct vcpu *cpu);
void vtime_resume(struct vcpu *cpu);

/* line.c */
void line_begin(void);
void line_end(void);
bool line_holds(const void *p, unsigned int size);
struct line *line_of(const void *p);
bool line_hit(struct line *line, struct vcpu *cpu, enum req_kind kind);
void line_request(struct req *req);
void line_event(struct line *line);
void line_done(struct req *req);
u64 line_locked(struct req *req);

/* cpu.c */
void cpu_done(struct req *req);
void cpu_drain(struct vcpu *cpu);

/* Host memory; the values of simulated memory are there. */
u64 peek(const void *p, unsigned int size);
void poke(void *p, u64 value, unsigned int size);

#endif
