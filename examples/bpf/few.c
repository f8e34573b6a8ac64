#include "core.h"

struct few_constants {
	core_u32 gain; /* thousandths of a segment per round trip */
	core_u32 keep; /* thousandths of the window that a loss leaves */
};
#define CORE_DEFAULTS { .gain = 1000, .keep = 700 }

struct few_state { /* of each connection, all zero at first */
	core_u32 credit; /* thousandths of a segment */
};

static void few_decide(const struct few_constants *constants, struct few_state *state,
		       const struct core_input *in, struct core_output *out)
{
	if (in->event == CORE_ACK && in->cwnd_limited && in->cwnd < in->ssthresh) {
		out->cwnd = core_min(in->cwnd + in->acked, in->ssthresh);
	} else if (in->event == CORE_ACK && in->cwnd_limited) {
		state->credit += in->acked * constants->gain;
		out->cwnd += state->credit / (1000 * in->cwnd);
		state->credit %= 1000 * in->cwnd;
	} else if (in->event == CORE_REDUCE) {
		out->ssthresh = core_max(in->cwnd * constants->keep / 1000, 2);
	} else if (in->event == CORE_UNDO) {
		out->cwnd = core_max(in->cwnd, in->prior_cwnd);
	}
}
