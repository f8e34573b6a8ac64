/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * Common part of both controllers of the PCC kernel module: monitor intervals, and the accounting
 * of packets to them.
 *
 * Follows github.com/PCCproject/PCC-Kernel, src/tcp_pcc.c (branches vivace and master, 2018 and
 * 2019, for Linux 4.15).
 */
#ifndef NARROWS_PCC_H
#define NARROWS_PCC_H

#include "core.h"

/* Number of intervals: two pairs of probes. */
#define PCC_INTERVALS 4
/* Least rate of the module, whatever it decides. */
#define PCC_RATE_MIN 1024
#define PCC_CWND_MIN 4
/* Round trip before the first sample, as in BBR. */
#define PCC_NOMINAL_RTT 1000
/* Fractions are in thousandths. */
#define PCC_SCALE 1000

/* A monitor interval: the packets sent at `rate`, and their fate. */
struct pcc_interval {
	core_u64 rate;
	core_s64 utility;
	core_u64 send_start, send_end;
	core_u64 recv_start, recv_end;
	core_u32 rtt_start, rtt_end;
	core_u32 base; /* packets sent before the interval; 0 if it has not begun */
	core_u32 end;  /* packets sent when the interval ended; 0 before */
	core_u32 from, to; /* packets delivered when the interval began and when it ended */
	core_u32 lost, delivered;
};

enum pcc_phase { PCC_START, PCC_PROBING, PCC_MOVING };
enum pcc_decision { PCC_UP, PCC_DOWN, PCC_STAY };

/* Method by which packets are accounted to intervals. */
enum pcc_association {
	PCC_BY_COUNT,	 /* packets are assumed to be delivered or lost in the order sent, as in the
			  * module */
	PCC_BY_DELIVERED /* by the number of packets delivered when a packet was sent, from rate
			  * samples */
};

/* State of a connection. */
struct pcc_state {
	core_s64 rate;
	core_s64 last_rate;
	core_u32 accounted; /* delivered + lost - spare: number of packets delivered or lost, in the
			     * order sent as far as is known */
	core_u32 spare;	   /* packets counted twice around timeouts */
	core_u32 delivered_base, lost_base; /* totals at the previous acknowledgement */
	core_u32 prior; /* packets delivered when the latest packet with a known fate was sent */
	core_u32 reserved;
	core_u32 sending, receiving;	   /* indices of intervals */
	core_u32 waiting; /* 1 if sending is paced at `rate` and belongs to no interval */
	core_u32 in_loss;
	core_u32 phase;
	core_u32 last_decision;
	core_s32 amplifier, swing_buffer, change_bound; /* Vivace only */
	core_u32 epsilon;			       /* Allegro only, in percent */
	struct pcc_interval intervals[PCC_INTERVALS];
};

static inline struct pcc_interval *pcc_interval_at(struct pcc_state *state, core_u32 index)
{
	return &state->intervals[index % PCC_INTERVALS];
}

static inline core_u64 pcc_percent(core_u64 rate, core_u32 percent)
{
	return core_udiv(rate * percent, 100);
}

static inline core_u32 pcc_rtt(const struct core_input *in)
{
	return in->srtt ? in->srtt : PCC_NOMINAL_RTT;
}

/* Sets the window to two round trips at the pacing rate. */
static inline void pcc_set_cwnd(const struct core_input *in, struct core_output *out)
{
	core_u64 cwnd = 2 * core_udiv(core_udiv(out->pacing_rate * pcc_rtt(in), in->mss), CORE_SECOND);
	core_u32 least = (core_u32)(cwnd > PCC_CWND_MIN ? cwnd : PCC_CWND_MIN);

	out->cwnd = least < in->cwnd_clamp ? least : in->cwnd_clamp;
}

static inline core_u32 pcc_decided(core_s64 old, core_s64 rate)
{
	if (rate == old)
		return PCC_STAY;
	return rate > old ? PCC_UP : PCC_DOWN;
}

/* Begins the interval whose turn it is, unless waiting, and sets the pacing rate accordingly. */
static inline void pcc_start_interval(struct pcc_state *state, const struct core_input *in,
				      struct core_output *out)
{
	core_u64 rate = (core_u64)state->rate;

	if (!state->waiting) {
		struct pcc_interval *interval = pcc_interval_at(state, state->sending);

		interval->base = in->sent ? in->sent : 1;
		interval->from = in->delivered;
		interval->end = 0;
		interval->lost = 0;
		interval->delivered = 0;
		interval->send_start = in->now;
		rate = interval->rate;
	}
	if (rate < PCC_RATE_MIN)
		rate = PCC_RATE_MIN;
	out->pacing_rate = rate < in->max_pacing_rate ? rate : in->max_pacing_rate;
	pcc_set_cwnd(in, out);
}

static inline void pcc_from_first(struct pcc_state *state)
{
	state->sending = 0;
	state->receiving = 0;
	state->waiting = 0;
}

/* Plans one interval at the rate. */
static inline void pcc_plan_one(struct pcc_state *state)
{
	state->intervals[0].rate = (core_u64)state->rate;
	state->intervals[0].base = 0;
	pcc_from_first(state);
}

/*
 * Plans two pairs of intervals, `percent` above and below the rate. The order within each pair is
 * random.
 */
static inline void pcc_plan_probes(struct pcc_state *state, core_u32 percent, core_u32 random)
{
	core_u64 high = pcc_percent((core_u64)state->rate, 100 + percent);
	core_u64 low = pcc_percent((core_u64)state->rate, 100 - percent);

	for (core_u32 i = 0; i < PCC_INTERVALS; i++) {
		core_u32 low_first = random >> i / 2 & 1;

		state->intervals[i].rate = low_first == (i & 1) ? high : low;
		state->intervals[i].base = 0;
	}
	pcc_from_first(state);
}

static inline int pcc_first_is_better(const struct pcc_interval *pair)
{
	return pair[0].utility > pair[1].utility;
}

static inline int pcc_pairs_agree(const struct pcc_interval *intervals)
{
	int same_verdict = pcc_first_is_better(intervals) == pcc_first_is_better(intervals + 2);
	int same_order = intervals[0].rate == intervals[2].rate;

	return same_verdict == same_order;
}

/*
 * Handles a retransmission timeout: until loss recovery ends, counts cannot be trusted and no
 * interval runs.
 */
static inline void pcc_enter_loss(struct pcc_state *state, const struct core_input *in, struct core_output *out)
{
	state->in_loss = 1;
	state->waiting = 1;
	pcc_start_interval(state, in, out);
}

/* Handles the end of loss recovery: the excess of the counts over the packets sent is spare. */
static inline void pcc_leave_loss(struct pcc_state *state, const struct core_input *in)
{
	state->in_loss = 0;
	state->spare = in->delivered + in->lost + in->in_flight - in->sent;
}

/*
 * True if the latest packet with a known fate was sent when `delivered` packets were delivered, or
 * later.
 */
static inline int pcc_left_since(const struct pcc_state *state, core_u32 delivered)
{
	return (core_s32)(state->prior - delivered) >= 0;
}

/*
 * True if an interval has sent `enough` packets and the first of them is accounted for, which takes
 * about a round trip.
 */
static inline int pcc_has_sent(const struct pcc_state *state, const struct pcc_interval *interval, core_u32 sent, core_u32 enough,
			       core_u32 association)
{
	int known = association == PCC_BY_DELIVERED ? pcc_left_since(state, interval->from) : state->accounted > interval->base;

	return (core_s32)(sent - interval->base) >= (core_s32)enough && known;
}

static inline void pcc_collect(const struct pcc_state *state, struct pcc_interval *interval, const struct core_input *in)
{
	if (!(interval->lost + interval->delivered)) {
		interval->recv_start = in->now;
		interval->rtt_start = in->srtt;
	}
	interval->recv_end = in->now;
	interval->rtt_end = in->srtt;
	interval->lost += in->lost - state->lost_base;
	interval->delivered += in->delivered - state->delivered_base;
}

/*
 * Accounts an acknowledgement by counts. True if an interval has become complete. Packets carry no
 * mark, so they are assumed to be delivered or lost in the order sent. The first and the last
 * `ignore` packets of an interval may belong to its neighbours and are left out.
 */
static inline int pcc_account_by_count(struct pcc_state *state, const struct core_input *in, core_u32 ignore, core_u32 before)
{
	struct pcc_interval *receiving = pcc_interval_at(state, state->receiving);

	if (!receiving->base)
		return 0;
	if (before > receiving->base + ignore)
		pcc_collect(state, receiving, in);
	if (!receiving->end || state->accounted <= receiving->end - ignore)
		return 0;
	state->receiving++;
	return 1;
}

/*
 * Accounts an acknowledgement by the number of packets delivered when its packets were sent. True
 * if an interval has become complete. Intervals begin and end with an acknowledgement, which has
 * moved that number, so each packet belongs to one interval and none is left out. Losses count in
 * the interval of the acknowledgement that revealed them.
 */
static inline int pcc_account_by_delivered(struct pcc_state *state, const struct core_input *in)
{
	struct pcc_interval *receiving = pcc_interval_at(state, state->receiving);
	int complete = receiving->base && receiving->end && pcc_left_since(state, receiving->to);

	if (complete) {
		state->receiving++;
		if (state->phase != PCC_PROBING || state->receiving == PCC_INTERVALS)
			return 1;
		receiving = pcc_interval_at(state, state->receiving);
	}
	if (receiving->base && pcc_left_since(state, receiving->from))
		pcc_collect(state, receiving, in);
	return complete;
}

/* Accounts an acknowledgement to the intervals. True if an interval has become complete. */
static inline int pcc_account(struct pcc_state *state, const struct core_input *in, struct core_output *out,
			      core_u32 ignore, core_u32 enough, core_u32 association)
{
	struct pcc_interval *sending = pcc_interval_at(state, state->sending);
	core_u32 before = state->accounted;

	if (association == PCC_BY_DELIVERED && in->sampled && (core_s32)(in->prior_delivered - state->prior) > 0)
		state->prior = in->prior_delivered;
	if (!state->waiting && pcc_has_sent(state, sending, in->sent, enough, association)) {
		sending->end = in->sent;
		sending->to = in->delivered;
		sending->send_end = in->now;
		state->sending++;
		state->waiting = state->sending == PCC_INTERVALS || state->phase != PCC_PROBING;
		pcc_start_interval(state, in, out);
	}
	state->accounted = in->delivered + in->lost - state->spare;
	if (association == PCC_BY_DELIVERED)
		return pcc_account_by_delivered(state, in);
	return pcc_account_by_count(state, in, ignore, before);
}

/* Stores the totals at the end of every acknowledgement. */
static inline void pcc_remember(struct pcc_state *state, const struct core_input *in)
{
	state->delivered_base = in->delivered;
	state->lost_base = in->lost;
}

static inline void pcc_init(struct pcc_state *state, core_u32 first_rate)
{
	for (core_u32 i = 0; i < PCC_INTERVALS; i++)
		state->intervals[i] = (struct pcc_interval){ 0 };
	state->intervals[0].utility = CORE_S64_MIN;
	state->rate = first_rate;
	state->last_rate = first_rate;
	state->accounted = 0;
	state->spare = 0;
	state->prior = 0;
	state->reserved = 0;
	state->delivered_base = 0;
	state->lost_base = 0;
	state->in_loss = 0;
	state->phase = PCC_START;
	state->last_decision = PCC_UP;
	state->amplifier = 0;
	state->swing_buffer = 0;
	state->change_bound = 0;
	state->epsilon = 0;
	pcc_from_first(state);
}

#endif
