/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's names of the integer types, and what else all files need. */
#ifndef SIM_TYPES_H
#define SIM_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#endif

/* Virtual time is counted in picoseconds, so that sums are exact. */
#define NS		1000ULL
#define US		(1000 * NS)
#define MS		(1000 * US)

#endif
