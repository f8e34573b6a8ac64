/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * HighSpeed TCP as Linux computes it, net/ipv4/tcp_highspeed.c.
 *
 * Differences from RFC 3649:
 *
 * - a(w) is a whole number from a table after the RFC's appendix;
 * - the window grows by a(w)/w per acknowledgement, however many segments it acknowledges;
 * - the row of the table, and with it b(w), moves in congestion avoidance only, so that the loss
 *   that ends slow start halves the window whatever its size.
 */
#ifndef NARROWS_HSTCP_H
#define NARROWS_HSTCP_H

#include "window.h"

#define HSTCP_ROWS 72

/* A row of the table. Its number, counted from 1, is a(w). */
struct hstcp_row {
	core_u32 window;   /* the largest window for which the row holds; the last row also holds
			    * for all larger windows */
	core_u32 decrease; /* b(w) in 1/256 */
};

static const struct hstcp_row hstcp_table[HSTCP_ROWS] = {
	{ 38, 128 }, { 118, 112 }, { 221, 104 }, { 347, 98 }, { 495, 93 }, { 663, 89 }, { 851, 86 }, { 1058, 83 },
	{ 1284, 81 }, { 1529, 78 }, { 1793, 76 }, { 2076, 74 }, { 2378, 72 }, { 2699, 71 }, { 3039, 69 }, { 3399, 68 },
	{ 3778, 66 }, { 4177, 65 }, { 4596, 64 }, { 5036, 62 }, { 5497, 61 }, { 5979, 60 }, { 6483, 59 }, { 7009, 58 },
	{ 7558, 57 }, { 8130, 56 }, { 8726, 55 }, { 9346, 54 }, { 9991, 53 }, { 10661, 52 }, { 11358, 52 }, { 12082, 51 },
	{ 12834, 50 }, { 13614, 49 }, { 14424, 48 }, { 15265, 48 }, { 16137, 47 }, { 17042, 46 }, { 17981, 45 }, { 18955, 45 },
	{ 19965, 44 }, { 21013, 43 }, { 22101, 43 }, { 23230, 42 }, { 24402, 41 }, { 25618, 41 }, { 26881, 40 }, { 28193, 39 },
	{ 29557, 39 }, { 30975, 38 }, { 32450, 38 }, { 33986, 37 }, { 35586, 36 }, { 37253, 36 }, { 38992, 35 }, { 40808, 35 },
	{ 42707, 34 }, { 44694, 33 }, { 46776, 33 }, { 48961, 32 }, { 51258, 32 }, { 53677, 31 }, { 56230, 30 }, { 58932, 30 },
	{ 61799, 29 }, { 64851, 28 }, { 68113, 28 }, { 71617, 27 }, { 75401, 26 }, { 79517, 26 }, { 84035, 25 }, { 89053, 24 },
};

/* Linux has no parameters. */
struct hstcp_constants {
	core_u64 reserved;
};

struct hstcp_state {
	core_u32 credit; /* progress towards the next segment of growth, in parts of the window */
	core_u32 row;
};

/* Finds the first row whose window is not below `cwnd`, by binary search. */
static inline core_u32 hstcp_row(core_u32 cwnd)
{
	core_u32 row = 0;

	for (core_u32 half = 64; half; half >>= 1)
		if (row + half < HSTCP_ROWS && hstcp_table[row + half - 1].window < cwnd)
			row += half;
	return row;
}

static inline void hstcp_avoid(struct hstcp_state *state, const struct core_input *in, struct core_output *out)
{
	if (!in->cwnd_limited)
		return;
	/* Acknowledged segments that slow start leaves over have no effect. */
	if (window_in_slow_start(out)) {
		window_slow_start(in, out, in->acked);
		return;
	}
	state->row = hstcp_row(out->cwnd);
	if (out->cwnd >= in->cwnd_clamp)
		return;
	state->credit += state->row + 1;
	if (state->credit >= out->cwnd) {
		state->credit -= out->cwnd;
		out->cwnd++;
	}
}

static inline core_u32 hstcp_left(const struct hstcp_state *state, core_u32 cwnd)
{
	core_u32 row = core_min(state->row, HSTCP_ROWS - 1);

	return core_max(cwnd - (core_u32)((core_u64)cwnd * hstcp_table[row].decrease >> 8), WINDOW_LEAST);
}

/* Handles one call of the kernel. */
static inline void hstcp_decide(const struct hstcp_constants *constants, struct hstcp_state *state, const struct core_input *in,
				struct core_output *out)
{
	(void)constants;
	if (window_begins(in))
		state->credit = 0;
	if (in->event == CORE_INIT)
		state->row = 0;
	else if (in->event == CORE_ACK)
		hstcp_avoid(state, in, out);
	else if (in->event == CORE_REDUCE)
		out->ssthresh = hstcp_left(state, in->cwnd);
	else if (in->event == CORE_UNDO)
		window_undo(in, out);
}

#endif
