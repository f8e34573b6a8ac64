/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * What Linux gives to controllers that say only how a window grows beyond slow start and what a loss leaves of it: tcp_slow_start, tcp_cong_avoid_ai and
 * tcp_reno_undo_cwnd of net/ipv4/tcp_cong.c. Pacing, and how a reduction is spread over the acknowledgements (PRR), stay with the kernel.
 */
#ifndef NARROWS_WINDOW_H
#define NARROWS_WINDOW_H

#include "core.h"

/* Fewest segments that a reduction leaves. */
#define WINDOW_LEAST 2

static inline int window_in_slow_start(const struct core_output *out)
{
	return out->cwnd < out->ssthresh;
}

/* Up to the threshold one segment for each that is acknowledged. Answers how many are left over for avoidance. */
static inline core_u32 window_slow_start(const struct core_input *in, struct core_output *out, core_u32 acked)
{
	core_u32 step = core_min(acked, out->ssthresh - out->cwnd);

	out->cwnd = core_min(out->cwnd + step, in->cwnd_clamp);
	return acked - step;
}

/* One segment per `count` acknowledged. Credit gathered at a higher count gives at most one. */
static inline void window_step(const struct core_input *in, struct core_output *out, core_u32 *credit, core_u32 count, core_u32 acked)
{
	core_u32 cwnd = out->cwnd;

	if (*credit >= count) {
		*credit = 0;
		cwnd++;
	}
	*credit += acked;
	if (*credit >= count) {
		core_u32 steps = (core_u32)core_udiv(*credit, count);

		*credit -= steps * count;
		cwnd += steps;
	}
	out->cwnd = core_min(cwnd, in->cwnd_clamp);
}

/* A connection begins, or a reduction: credit is forgotten (tcp_init_cwnd_reduction, tcp_enter_loss). */
static inline int window_begins(const struct core_input *in)
{
	return in->event == CORE_INIT || in->event == CORE_REDUCE || (in->event == CORE_STATE && in->recovery == CORE_LOSS);
}

static inline void window_undo(const struct core_input *in, struct core_output *out)
{
	out->cwnd = core_max(in->cwnd, in->prior_cwnd);
}

#endif
