/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * VCP router as in the paper: the load factor of a link over a period, in two bits (Xia,
 * Subramanian, Stoica, Kalyanaraman, "One more bit is enough", SIGCOMM 2005, section 3.1). The
 * arrivals of a period, and samples of the queue in it, make the code of the next period.
 *
 * A router that sees its queue passes the samples to `vcp_router_sample` and calls
 * `vcp_router_end`. A router that sees only arrivals, such as a program before the queue of a
 * device, passes them to `vcp_router_arrives`. That function computes the queue that they form in
 * front of a link of constant rate: a FIFO that drops packets that do not fit.
 *
 * Arrivals are in whole bytes. A queue is in bits times 10^9, so that the amount that a link sends,
 * bit/s times ns, is a product without a remainder.
 */
#ifndef NARROWS_VCP_ROUTER_H
#define NARROWS_VCP_ROUTER_H

#include "core.h"

/* One byte, in the unit of a queue. */
#define VCP_ROUTER_BYTE ((core_u64)8000000000)
/* Most bytes of a queue: 1 GiB, which fits 64 bits. */
#define VCP_ROUTER_MOST_QUEUE ((core_u64)1 << 30)
/*
 * Most steps that catch up after a time without packets. A step is one sample of a queue, or all
 * remaining samples of a period if the queue is empty. After a time that needs more steps, the
 * router starts anew.
 */
#define VCP_ROUTER_MOST_STEPS 64
/* Most bytes of a period that are distinguished. A larger load is overload, whatever the link. */
#define VCP_ROUTER_MOST_ARRIVED ((core_u64)1 << 40)

struct vcp_router_constants {
	core_u64 rate;	   /* bit/s */
	core_u64 capacity; /* bytes that the link carries in a period; below 2^38 */
	core_u64 t_q;	   /* ns between samples */
	core_u64 buffer;   /* largest queue, in bits times 10^9 */
	core_u64 drains;   /* ns in which a full buffer drains */
	core_u32 ticks;	   /* samples per period: t_rho / t_q; at most 32 */
	core_u32 gamma;	   /* target utilisation with 24 bits of fraction; at most 1 */
	core_u32 kappa_q;  /* weight of the persistent queue with 16 bits of fraction; at most 10 */
	core_u32 reserved;
};

enum vcp_router_code { VCP_ROUTER_LOW, VCP_ROUTER_HIGH, VCP_ROUTER_OVERLOAD };

struct vcp_router_state {
	core_u64 arrived;    /* bytes in this period */
	core_u64 samples;    /* sum of this period's samples, in bytes */
	core_u64 persistent; /* persistent queue in bytes, with 8 bits of fraction */
	core_u64 queue;	     /* the queue at time `at`, in bits times 10^9 */
	core_u64 at;	     /* time of `queue`, ns */
	core_u64 next;	     /* time of the next sample, ns; 0 before the first packet */
	core_u32 sampled;    /* samples in this period */
	core_u32 begun;	     /* 1 once the first period has begun */
	core_u32 code;	     /* enum vcp_router_code of the latest period */
	core_u32 load;	     /* load of the latest period in hundredths; at most 255 */
};

static inline void vcp_router_sample(struct vcp_router_state *state, core_u64 bytes)
{
	state->samples += bytes < VCP_ROUTER_MOST_QUEUE ? bytes : VCP_ROUTER_MOST_QUEUE;
	state->sampled++;
}

/* Forgets the arrivals and samples so far. */
static inline void vcp_router_begin(struct vcp_router_state *state)
{
	state->arrived = 0;
	state->samples = 0;
	state->sampled = 0;
	state->begun = 1;
}

/*
 * Ends a period in which the link could carry `capacity` bytes. The load factor is (arrived +
 * kappa_q persistent) / (gamma capacity): below 80 % low, below 100 % high. Loads and target have
 * 16 bits of fraction.
 */
static inline void vcp_router_end(const struct vcp_router_constants *constants, struct vcp_router_state *state, core_u64 capacity)
{
	core_u64 mean = core_udiv(state->samples << 8, state->sampled);
	core_u64 target = capacity * constants->gamma >> 8;
	core_u64 arrived = state->arrived < VCP_ROUTER_MOST_ARRIVED ? state->arrived : VCP_ROUTER_MOST_ARRIVED;
	core_u64 load, hundredths;

	/* Moves a quarter of the way to the mean. */
	state->persistent = (3 * state->persistent + mean) >> 2;
	load = (arrived << 16) + (state->persistent * constants->kappa_q >> 8);
	if (load >= target)
		state->code = VCP_ROUTER_OVERLOAD;
	else if (5 * load >= 4 * target)
		state->code = VCP_ROUTER_HIGH;
	else
		state->code = VCP_ROUTER_LOW;
	hundredths = target ? core_udiv(100 * load + (target >> 1), target) : 255;
	state->load = hundredths < 255 ? hundredths : 255;
	vcp_router_begin(state);
}

/* Returns the rest of a queue after `span` ns without an arrival. */
static inline core_u64 vcp_router_drained(const struct vcp_router_constants *constants, core_u64 queue, core_u64 span)
{
	core_u64 sent = span < constants->drains ? constants->rate * span : constants->buffer;

	return queue > sent ? queue - sent : 0;
}

/* Takes the sample that is due at `state->next`. The first sample begins the first period. */
static inline void vcp_router_tick(const struct vcp_router_constants *constants, struct vcp_router_state *state)
{
	state->queue = vcp_router_drained(constants, state->queue, state->next - state->at);
	state->at = state->next;
	state->next += constants->t_q;
	if (state->begun)
		vcp_router_sample(state, core_udiv(state->queue, VCP_ROUTER_BYTE));
	else
		vcp_router_begin(state);
}

/* Takes the samples of an empty queue that were due up to `now` in this period. */
static inline void vcp_router_skip(const struct vcp_router_constants *constants, struct vcp_router_state *state, core_u64 now)
{
	core_u64 due = now < state->next ? 0 : core_udiv(now - state->next, constants->t_q) + 1;
	core_u64 left = constants->ticks - state->sampled;
	core_u64 skipped = due < left ? due : left;

	state->sampled += skipped;
	state->next += skipped * constants->t_q;
}

/*
 * Takes the samples that were due up to `now`. Packets of several processors may be a little out of
 * order, but time does not go back.
 */
static inline void vcp_router_advance(const struct vcp_router_constants *constants, struct vcp_router_state *state, core_u64 now)
{
	if (!state->next) {
		state->next = now;
		state->at = now;
	}
	for (core_u32 step = 0; step < VCP_ROUTER_MOST_STEPS && state->next <= now; step++) {
		vcp_router_tick(constants, state);
		if (!state->queue && state->sampled < constants->ticks)
			vcp_router_skip(constants, state, now);
		if (state->sampled >= constants->ticks)
			vcp_router_end(constants, state, constants->capacity);
	}
	if (state->next <= now) {
		vcp_router_begin(state);
		state->next = now + constants->t_q;
		state->persistent = 0;
		state->code = VCP_ROUTER_LOW;
		state->load = 0;
	}
}

/*
 * Handles a packet of `bytes` that arrives at `now`, in ns. It leaves with `state->code` or a
 * higher code.
 */
static inline void vcp_router_arrives(const struct vcp_router_constants *constants, struct vcp_router_state *state, core_u64 now, core_u32 bytes)
{
	core_u64 size = bytes * VCP_ROUTER_BYTE;

	if (state->next <= now)
		vcp_router_advance(constants, state, now);
	if (now > state->at) {
		state->queue = vcp_router_drained(constants, state->queue, now - state->at);
		state->at = now;
	}
	if (bytes <= VCP_ROUTER_MOST_QUEUE && state->queue + size <= constants->buffer)
		state->queue += size;
	state->arrived += bytes;
}

#endif
