/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * VCP sender as in the paper: the window grows by factors, grows by steps or falls, depending on
 * two bits from the routers (Xia, Subramanian, Stoica, Kalyanaraman, "One more bit is enough",
 * SIGCOMM 2005).
 *
 * The code of an acknowledgement is the highest code point of which the receiver has counted more
 * bytes (RFC 9768): ECT(0) low load, ECT(1) high load, CE overload. If no count grew, the last code
 * holds. The kernel's own response to CE (CWR) changes nothing.
 *
 * The window is in segments with 32 bits of fraction. Steps are computed for a round trip of at
 * most eight t_rho.
 */
#ifndef NARROWS_VCP_H
#define NARROWS_VCP_H

#include "core.h"

/* Largest window, in segments. */
#define VCP_MOST_SEGMENTS (1 << 23)
#define VCP_ONE ((core_u64)1 << 32)
/* Most segments of one acknowledgement that count. */
#define VCP_MOST_ACKED 32767
#define VCP_MOST_ROUNDS 8
/* ln 2 with 30 bits of fraction: the window at most doubles in a round trip. */
#define VCP_LN2 744261118
/* Terms of the series for the exponential function: the tenth is below 2^-30. */
#define VCP_TERMS 10

struct vcp_constants {
	core_u32 t_rho;	 /* period over which routers measure, in us */
	core_u32 growth; /* ln(1 + xi) with 30 bits of fraction */
	core_u32 alpha;	 /* segments per round trip, the flow's weight included, with 16 bits of
			  * fraction; below 1024 */
	core_u32 beta;	 /* part of the window that a decrease leaves, with 16 bits of fraction */
	core_u32 pacing; /* 1: paces a window per round trip */
	core_u32 reserved;
};

enum vcp_code { VCP_NONE, VCP_LOW, VCP_HIGH, VCP_OVERLOAD };

/*
 * Phases after a decrease: the routers need one measurement to see its effect; then the window
 * grows by steps for one round trip.
 */
enum vcp_rest { VCP_FREE, VCP_FREEZE, VCP_RECOVER };

struct vcp_state {
	core_u64 window;
	core_u64 prior; /* window before the latest loss, for undo */
	core_u64 until; /* the end of the rest */
	core_u64 heard; /* time of the newest acknowledgement */
	core_u32 rest;
	core_u32 code;
	core_u32 recovery;
	core_u32 delivered;
	core_u32 ect0_bytes;
	core_u32 ect1_bytes;
	core_u32 ce_bytes;
	core_u32 reserved;
};

static inline core_u64 vcp_least(core_u64 a, core_u64 b)
{
	return a < b ? a : b;
}

/*
 * Multiplicative increase for one acknowledged segment: (1 + xi)^(rtt/t_rho) - 1, at most 1,
 * computed as e^y - 1 = y (1 + y/2 (1 + y/3 (...))).
 */
static inline core_u64 vcp_multiplicative(const struct vcp_constants *constants, const struct core_input *in)
{
	core_u64 y = vcp_least(core_udiv((core_u64)in->srtt * constants->growth, constants->t_rho), VCP_LN2);
	core_u64 sum = 1 << 30;

	for (core_u32 term = VCP_TERMS; term > 1; term--)
		sum = (1 << 30) + (core_udiv(y * sum, term) >> 30);
	return vcp_least(y * sum >> 28, VCP_ONE);
}

/*
 * Additive increase for `acked` segments. The window grows by alpha (rtt/t_rho)^2 per round trip;
 * this is the part for these segments.
 */
static inline core_u64 vcp_additive(const struct vcp_constants *constants, const struct vcp_state *state, const struct core_input *in,
				    core_u64 acked)
{
	core_u64 rounds = vcp_least(core_udiv((core_u64)in->srtt << 24, constants->t_rho), VCP_MOST_ROUNDS << 24);
	core_u64 step = (rounds * rounds >> 16) * constants->alpha >> 16;

	return core_udiv(vcp_least(acked * step, (core_u64)1 << 45) << 18, state->window >> 14);
}

static inline core_u32 vcp_grew(core_u32 *before, core_u32 now)
{
	core_u32 growth = now - *before;

	*before = now;
	/* Counts wrap, and the kernel may take back an estimate. */
	return growth && growth < 0x80000000;
}

static inline void vcp_read(struct vcp_state *state, const struct core_input *in)
{
	core_u32 low = vcp_grew(&state->ect0_bytes, in->ect0_bytes);
	core_u32 high = vcp_grew(&state->ect1_bytes, in->ect1_bytes);
	core_u32 overload = vcp_grew(&state->ce_bytes, in->ce_bytes);

	if (overload)
		state->code = VCP_OVERLOAD;
	else if (high)
		state->code = VCP_HIGH;
	else if (low)
		state->code = VCP_LOW;
}

static inline core_u32 vcp_resting(struct vcp_state *state, const struct core_input *in)
{
	if (state->rest == VCP_FREEZE && in->now >= state->until) {
		state->rest = VCP_RECOVER;
		state->until += in->srtt;
	}
	if (state->rest == VCP_RECOVER && in->now >= state->until)
		state->rest = VCP_FREE;
	return state->rest;
}

/*
 * Acts on the newest code. A window that is not in use does not grow. A window that pacing holds
 * back is in use if half of it is in flight.
 */
static inline void vcp_follow(const struct vcp_constants *constants, struct vcp_state *state, const struct core_input *in, core_u64 acked)
{
	core_u32 rest = vcp_resting(state, in);
	core_u32 code = state->code && rest == VCP_RECOVER ? VCP_HIGH : state->code;
	core_u64 used = in->cwnd_limited || 2 * (in->in_flight + acked) >= state->window >> 32 ? acked : 0;

	if (rest == VCP_FREEZE)
		return;
	if (code == VCP_LOW) {
		state->window += used * vcp_multiplicative(constants, in);
	} else if (code == VCP_HIGH) {
		state->window += vcp_additive(constants, state, in, used);
	} else if (code == VCP_OVERLOAD) {
		state->window = (state->window >> 8) * constants->beta >> 8;
		state->rest = VCP_FREEZE;
		state->until = in->now + constants->t_rho;
	}
}

static inline void vcp_acknowledged(const struct vcp_constants *constants, struct vcp_state *state, const struct core_input *in)
{
	core_u64 acked = core_min(in->delivered - state->delivered, VCP_MOST_ACKED);

	state->delivered = in->delivered;
	state->heard = in->now;
	vcp_read(state, in);
	if (acked && in->recovery != CORE_RECOVERY)
		vcp_follow(constants, state, in, acked);
}

/*
 * Responds to losses like TCP: half of the window when loss recovery begins, one segment after a
 * timeout.
 */
static inline void vcp_recovery(struct vcp_state *state, core_u32 recovery)
{
	core_u32 before = state->recovery;

	state->recovery = recovery;
	if (recovery == CORE_RECOVERY && before < CORE_RECOVERY) {
		state->prior = state->window;
		state->window >>= 1;
	} else if (recovery == CORE_LOSS) {
		state->prior = state->window;
		state->window = VCP_ONE;
	}
}

/*
 * Sets the window, and with pacing the rate. The rate includes the fraction of a segment that the
 * window rounds up.
 */
static inline void vcp_answer(const struct vcp_constants *constants, struct vcp_state *state, const struct core_input *in,
			      struct core_output *out)
{
	core_u64 bytes, rate;

	if (state->window < VCP_ONE)
		state->window = VCP_ONE;
	state->window = vcp_least(state->window, (core_u64)core_min(in->cwnd_clamp, VCP_MOST_SEGMENTS) << 32);
	out->cwnd = state->window >> 32;
	if (!constants->pacing || !in->srtt)
		return;
	if (state->window & (VCP_ONE - 1))
		out->cwnd++;
	bytes = (state->window >> 16) * in->mss;
	if (bytes >> 43)
		rate = core_udiv(bytes, in->srtt) * CORE_SECOND;
	else
		rate = core_udiv(bytes * CORE_SECOND, in->srtt);
	rate >>= 16;
	out->pacing_rate = vcp_least(rate ? rate : 1, in->max_pacing_rate);
}

static inline void vcp_decide(const struct vcp_constants *constants, struct vcp_state *state, const struct core_input *in,
			      struct core_output *out)
{
	switch (in->event) {
	case CORE_INIT:
		state->window = (core_u64)core_max(in->cwnd, 1) << 32;
		state->prior = state->window;
		state->rest = VCP_FREE;
		state->code = VCP_NONE;
		state->recovery = in->recovery;
		state->heard = in->now;
		state->delivered = in->delivered;
		state->ect0_bytes = in->ect0_bytes;
		state->ect1_bytes = in->ect1_bytes;
		state->ce_bytes = in->ce_bytes;
		break;
	case CORE_STATE:
		vcp_recovery(state, in->recovery);
		break;
	case CORE_ACK:
		vcp_acknowledged(constants, state, in);
		break;
	case CORE_UNDO:
		if (state->window < state->prior)
			state->window = state->prior;
		break;
	case CORE_RESTART:
		if (in->now - state->heard > constants->t_rho)
			state->code = VCP_NONE;
		return;
	default:
		return;
	}
	vcp_answer(constants, state, in, out);
}

#endif
