/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * Linux functions for controllers that decide only the growth of the window beyond slow start and
 * the window after a loss: tcp_slow_start, tcp_cong_avoid_ai and tcp_reno_undo_cwnd of
 * net/ipv4/tcp_cong.c. The kernel keeps pacing and the spreading of a reduction over the
 * acknowledgements (PRR).
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

/*
 * Grows the window up to the threshold, by one segment for each acknowledged segment. Returns the
 * number of acknowledged segments that are left over for congestion avoidance.
 */
static inline core_u32 window_slow_start(const struct core_input *in, struct core_output *out, core_u32 acked)
{
	core_u32 step = core_min(acked, out->ssthresh - out->cwnd);

	out->cwnd = core_min(out->cwnd + step, in->cwnd_clamp);
	return acked - step;
}

/*
 * Grows the window by one segment per `count` acknowledged segments. Credit gathered at a higher
 * count gives at most one segment.
 */
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

/*
 * True if a connection or a reduction begins, which resets the credit (tcp_init_cwnd_reduction,
 * tcp_enter_loss).
 */
static inline int window_begins(const struct core_input *in)
{
	return in->event == CORE_INIT || in->event == CORE_REDUCE || (in->event == CORE_STATE && in->recovery == CORE_LOSS);
}

static inline void window_undo(const struct core_input *in, struct core_output *out)
{
	out->cwnd = core_max(in->cwnd, in->prior_cwnd);
}

#endif
