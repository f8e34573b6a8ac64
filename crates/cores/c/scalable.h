/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * Scalable TCP as Linux computes it, net/ipv4/tcp_scalable.c. The window grows by one segment for
 * each hundred acknowledged, or for each window if that is less. After a loss it is an eighth
 * smaller.
 */
#ifndef NARROWS_SCALABLE_H
#define NARROWS_SCALABLE_H

#include "window.h"

struct scalable_constants {
	core_u32 ai_count; /* 100 segments; 50 acknowledgements before Linux 5.6 */
	core_u32 reserved;
};

struct scalable_state {
	core_u32 credit; /* segments acknowledged towards the next segment of growth */
	core_u32 reserved;
};

/* A reduction takes 1/2^3 of the window. */
#define SCALABLE_SHIFT 3

static inline void scalable_avoid(const struct scalable_constants *constants, struct scalable_state *state, const struct core_input *in,
				  struct core_output *out)
{
	core_u32 acked = in->acked;

	if (!in->cwnd_limited)
		return;
	if (window_in_slow_start(out)) {
		acked = window_slow_start(in, out, acked);
		if (!acked)
			return;
	}
	window_step(in, out, &state->credit, core_min(out->cwnd, constants->ai_count), acked);
}

/* Handles one call of the kernel. */
static inline void scalable_decide(const struct scalable_constants *constants, struct scalable_state *state, const struct core_input *in,
				   struct core_output *out)
{
	if (window_begins(in))
		state->credit = 0;
	if (in->event == CORE_ACK)
		scalable_avoid(constants, state, in, out);
	else if (in->event == CORE_REDUCE)
		out->ssthresh = core_max(in->cwnd - (in->cwnd >> SCALABLE_SHIFT), WINDOW_LEAST);
	else if (in->event == CORE_UNDO)
		window_undo(in, out);
}

#endif
