// SPDX-License-Identifier: GPL-2.0-only
/*
 * Machine files
 *
 * A line of such a file is a key, a value, and where the value comes from.  All
 * keys must be there.  Times are nanoseconds, with a fraction.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

enum key_type {
	KEY_COUNT,
	KEY_TIME,
	KEY_PROTOCOL,
};

static const struct key {
	const char	*name;
	enum key_type	type;
	size_t		offset;
	double		min, max;
} keys[] = {
	{ "sockets", KEY_COUNT, offsetof(struct machine, sockets), 1, 1024 },
	{ "llcs", KEY_COUNT, offsetof(struct machine, llcs), 1, 1024 },
	{ "cores", KEY_COUNT, offsetof(struct machine, cores), 1, 1024 },
	{ "smt", KEY_COUNT, offsetof(struct machine, smt), 1, 8 },
	{ "split_smt", KEY_COUNT, offsetof(struct machine, split_smt), 0, 1 },
	{ "line", KEY_COUNT, offsetof(struct machine, line), 16, 256 },
	{ "mhz", KEY_COUNT, offsetof(struct machine, mhz), 1, 10000 },
	{ "protocol", KEY_PROTOCOL, offsetof(struct machine, protocol), 0, 0 },
	{ "own", KEY_TIME, offsetof(struct machine, lat[DIST_OWN]), 0.001, 1e6 },
	{ "locked", KEY_TIME, offsetof(struct machine, locked), 0.001, 1e6 },
	{ "sibling", KEY_TIME, offsetof(struct machine, sibling), 0.001, 1e6 },
	{ "llc", KEY_TIME, offsetof(struct machine, lat[DIST_LLC]), 0.001, 1e6 },
	{ "node", KEY_TIME, offsetof(struct machine, lat[DIST_NODE]), 0.001, 1e6 },
	{ "socket", KEY_TIME, offsetof(struct machine, lat[DIST_SOCKET]), 0.001, 1e6 },
	{ "memory", KEY_TIME, offsetof(struct machine, lat[DIST_MEMORY]), 0.001, 1e6 },
	{ "store", KEY_TIME, offsetof(struct machine, store), 0.001, 1e6 },
	{ "fence", KEY_TIME, offsetof(struct machine, fence), 0.001, 1e6 },
	{ "port", KEY_TIME, offsetof(struct machine, port), 0.001, 1e6 },
	{ "stores", KEY_COUNT, offsetof(struct machine, stores), 1, 128 },
	{ "locked_orders", KEY_COUNT, offsetof(struct machine, locked_orders), 0, 1 },
	{ "handoff", KEY_COUNT, offsetof(struct machine, handoff), 1, 100 },
	{ "near", KEY_COUNT, offsetof(struct machine, near), 0, 1000 },
};

#define NR_KEYS		ARRAY_SIZE(keys)

static void fail(const char *path, unsigned int line, const char *what,
		 const char *word)
{
	fprintf(stderr, "%s:%u: %s: %s\n", path, line, what, word);
	exit(2);
}

/* Returns false if @value is not one that @key can have. */
static bool set(struct machine *m, const struct key *key, const char *value)
{
	void *field = (char *)m + key->offset;
	char *end;
	double n;

	if (key->type == KEY_PROTOCOL) {
		if (strcmp(value, "mesi") && strcmp(value, "moesi"))
			return false;
		*(unsigned int *)field = strcmp(value, "moesi") ? MESI : MOESI;
		return true;
	}

	n = strtod(value, &end);
	if (end == value || *end || !(n >= key->min && n <= key->max))
		return false;

	if (key->type == KEY_TIME)
		*(u64 *)field = n * NS + 0.5;
	else
		*(unsigned int *)field = n;
	return true;
}

void machine_read(struct machine *m, const char *path)
{
	const char *base = strrchr(path, '/');
	bool seen[NR_KEYS] = { false };
	char text[512], name[64], value[64];
	unsigned int line = 0;
	size_t i;
	FILE *f;

	memset(m, 0, sizeof(*m));
	base = base ? base + 1 : path;
	snprintf(m->name, sizeof(m->name), "%.*s", (int)strcspn(base, "."), base);

	f = fopen(path, "r");
	if (!f) {
		perror(path);
		exit(2);
	}

	while (fgets(text, sizeof(text), f)) {
		line++;
		if (text[0] == '#' || text[0] == '\n')
			continue;
		if (sscanf(text, "%63s %63s", name, value) != 2)
			fail(path, line, "no value", text);

		for (i = 0; i < NR_KEYS && strcmp(keys[i].name, name); i++)
			;
		if (i == NR_KEYS)
			fail(path, line, "unknown key", name);
		if (seen[i])
			fail(path, line, "given twice", name);
		if (!set(m, &keys[i], value))
			fail(path, line, "bad value", value);
		seen[i] = true;
	}
	fclose(f);

	for (i = 0; i < NR_KEYS; i++) {
		if (!seen[i])
			fail(path, line, "missing", keys[i].name);
	}
	if (m->line & (m->line - 1))
		fail(path, line, "not a power of two", "line");
}

unsigned int machine_cpu(const struct machine *m, unsigned int core,
			 unsigned int thread)
{
	if (m->split_smt)
		return thread * machine_cores(m) + core;
	return core * m->smt + thread;
}

struct place machine_place(const struct machine *m, unsigned int cpu)
{
	struct place p;

	if (m->split_smt) {
		p.thread = cpu / machine_cores(m);
		p.core = cpu % machine_cores(m);
	} else {
		p.thread = cpu % m->smt;
		p.core = cpu / m->smt;
	}
	p.llc = p.core / m->cores;
	p.socket = p.llc / m->llcs;
	return p;
}
