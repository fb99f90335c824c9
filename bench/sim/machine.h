/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine: its shape, its latencies, and who is how far from whom
 *
 * Cores are numbered LLC after LLC and socket after socket.  A socket is a NUMA
 * node.  The caches below the LLC belong to a core, so its threads share them.
 */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include "types.h"

/* Where a line comes from, nearest first. */
enum dist {
	DIST_OWN,		/* the core's own cache */
	DIST_LLC,		/* another core of the LLC */
	DIST_NODE,		/* another LLC of the node */
	DIST_SOCKET,		/* another node */
	DIST_MEMORY,
	NR_DIST
};

enum protocol {
	MESI,			/* a dirty line that is read becomes clean */
	MOESI			/* its owner keeps it, and supplies it */
};

/**
 * struct machine - what a machine file says
 * @name: the file's name without its folder and suffix
 * @sockets: number of sockets
 * @llcs: LLCs of a socket
 * @cores: cores of an LLC
 * @smt: threads of a core
 * @split_smt: threads are numbered N/2 apart, as on x86, and not side by side
 * @line: bytes of a cache line
 * @mhz: clock, to tell time in cycles
 * @protocol: MESI or MOESI
 * @lat: ps to get a line, by distance; DIST_OWN is a load that hits
 * @locked: a locked operation on a line that the core has
 * @sibling: the same when another thread of the core was the last to write it
 * @store: to put a store into the store buffer, and to take one out
 * @fence: a full barrier with an empty store buffer
 * @port: how long a supplier is busy with one of several readers
 * @stores: entries of the store buffer
 * @locked_orders: a locked operation is a full barrier, as on x86
 * @handoff: per cent of a latency that is left when the request was waiting
 * @near: how many requests from nearby may overtake one that waits; 0 is FIFO
 */
struct machine {
	char		name[32];
	unsigned int	sockets;
	unsigned int	llcs;
	unsigned int	cores;
	unsigned int	smt;
	unsigned int	split_smt;
	unsigned int	line;
	unsigned int	mhz;
	unsigned int	protocol;
	u64		lat[NR_DIST];
	u64		locked;
	u64		sibling;
	u64		store;
	u64		fence;
	u64		port;
	unsigned int	stores;
	unsigned int	locked_orders;
	unsigned int	handoff;
	unsigned int	near;
};

/* Where a CPU is. */
struct place {
	unsigned int	core;
	unsigned int	thread;
	unsigned int	llc;
	unsigned int	socket;
};

void machine_read(struct machine *m, const char *path);
struct place machine_place(const struct machine *m, unsigned int cpu);
unsigned int machine_cpu(const struct machine *m, unsigned int core,
			 unsigned int thread);

static inline unsigned int machine_llc_cpus(const struct machine *m)
{
	return m->cores * m->smt;
}

static inline unsigned int machine_llcs(const struct machine *m)
{
	return m->sockets * m->llcs;
}

static inline unsigned int machine_cores(const struct machine *m)
{
	return m->sockets * m->llcs * m->cores;
}

static inline unsigned int machine_cpus(const struct machine *m)
{
	return machine_cores(m) * m->smt;
}

static inline enum dist machine_dist(const struct machine *m, unsigned int a,
				     unsigned int b)
{
	if (a == b)
		return DIST_OWN;
	if (a / m->cores == b / m->cores)
		return DIST_LLC;
	if (a / (m->cores * m->llcs) == b / (m->cores * m->llcs))
		return DIST_NODE;
	return DIST_SOCKET;
}

#endif
