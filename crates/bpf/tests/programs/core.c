/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A controller of one function: a window that grows by a gain per round trip and keeps a part of itself after a loss. */
#include "core.h"

struct own_constants {
	core_u32 gain; /* thousandths of a segment per round trip */
	core_u32 keep; /* thousandths of the window that a loss leaves */
};
#define CORE_DEFAULTS { .gain = 1000, .keep = 700 }

struct own_state {
	core_u32 credit; /* thousandths of a segment, gathered towards the next */
	core_u32 losses;
};

static void own_decide(const struct own_constants *constants, struct own_state *state, const struct core_input *in,
			struct core_output *out)
{
	if (in->event == CORE_ACK && in->cwnd_limited && in->cwnd < in->ssthresh) {
		out->cwnd = core_min(in->cwnd + in->acked, in->ssthresh); /* slow start */
	} else if (in->event == CORE_ACK && in->cwnd_limited) {
		state->credit += in->acked * constants->gain;
		out->cwnd += state->credit / (1000 * in->cwnd);
		state->credit %= 1000 * in->cwnd;
	} else if (in->event == CORE_REDUCE) {
		state->losses++;
		out->ssthresh = core_max(in->cwnd * constants->keep / 1000, 2);
	} else if (in->event == CORE_UNDO) {
		out->cwnd = core_max(in->cwnd, in->prior_cwnd);
	}
}
