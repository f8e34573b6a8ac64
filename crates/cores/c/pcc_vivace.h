/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * PCC Vivace as the kernel module computes it (branch vivace): the rate climbs the gradient of a
 * utility that is linear in the rate.
 *
 * utility = rate - rate * (latency * dRTT/dT + loss * L), with dRTT/dT and L in thousandths. A
 * connection can have its own prices instead of the constants `latency` and `loss`. The utility of
 * Allegro can be chosen instead (pcc_utility.h), because the module has both.
 *
 * The module's defects are kept unless `fixed` is set:
 *
 * - the start grows the rate by a half instead of doubling it;
 * - the last decision is read but never written, so that a downward move always ends in probing;
 * - the first interval after probing runs at the old rate and is compared with itself.
 */
#ifndef NARROWS_PCC_VIVACE_H
#define NARROWS_PCC_VIVACE_H

#include "pcc_utility.h"

struct pcc_vivace_constants {
	core_u32 first_rate;	  /* 524288 */
	core_u32 interval_packets; /* 50 */
	core_u32 ignore;		  /* 10 */
	core_u32 probe;		  /* 5 % */
	core_u32 latency;	  /* 900 */
	core_u32 loss;		  /* 11 */
	core_s32 latency_filter;	  /* 30 */
	core_s32 min_difference;	  /* 20: rates closer than this give no gradient */
	core_u32 step;		  /* 25 */
	core_s32 amplifier;	  /* 2 */
	core_s32 swing_buffer;	  /* 2 */
	core_s32 change_bound;	  /* 100 */
	core_s32 change_step;	  /* 70 */
	core_u32 floor_packets;	  /* 2 per round trip */
	core_u32 fixed;
	core_u32 pair_bug; /* before 29 November 2018: the first pair's verdict chooses among the
			    * second pair's rates */
	core_u32 utility;	  /* enum pcc_vivace_utility_choice */
	core_u32 loss_margin;	  /* 5 %, in the utility of Allegro */
	core_u32 association;	  /* enum pcc_association */
	core_u32 reserved;
};

/* Utility whose gradient the rate follows. */
enum pcc_vivace_utility_choice { PCC_VIVACE_OWN_UTILITY, PCC_VIVACE_ALLEGRO_UTILITY };

static inline int pcc_within(core_s64 value, core_s64 limit)
{
	return value < limit && value > -limit;
}

/*
 * Returns the growth of the round trip per time spent sending. Growth that two packets would
 * explain is noise, and so is growth below the filter.
 */
static inline core_s64 pcc_vivace_latency(const struct pcc_vivace_constants *constants, const struct pcc_interval *interval, int starting,
					 core_u32 mss)
{
	core_s64 risen = (core_s64)interval->rtt_end - (core_s64)interval->rtt_start;
	core_s64 sending = (core_s64)(interval->send_end - interval->send_start);
	core_s64 receiving = (core_s64)(interval->recv_end - interval->recv_start);
	core_s64 throughput = 0, noise = 0, latency = 0;

	if (receiving > 0)
		throughput = core_div(core_mul(core_mul(CORE_SECOND, interval->delivered), mss), receiving);
	if (throughput > 0)
		noise = core_div(core_mul(2 * CORE_SECOND, mss), throughput);
	if (sending > 0)
		latency = core_div(core_mul(PCC_SCALE, risen), sending);
	if (pcc_within(risen, noise) || pcc_within(latency, constants->latency_filter))
		return 0;
	return latency < 0 && starting ? 0 : latency;
}

static inline core_s64 pcc_vivace_utility(const struct pcc_vivace_constants *constants, const struct pcc_interval *interval, int starting,
					 const struct core_input *in)
{
	core_u32 price_of_latency = in->priced ? in->price_of_latency : constants->latency;
	core_u32 price_of_loss = in->priced ? in->price_of_loss : constants->loss;
	core_s64 lost = interval->lost, delivered = interval->delivered, rate = (core_s64)interval->rate;
	core_s64 latency, loss, penalty;

	if (!delivered)
		return 0;
	if (constants->utility == PCC_VIVACE_ALLEGRO_UTILITY)
		return pcc_allegro_utility(interval, constants->loss_margin);
	latency = pcc_vivace_latency(constants, interval, starting, in->mss);
	loss = core_div(lost * PCC_SCALE, lost + delivered);
	if (starting && loss < 100)
		loss = 0;
	penalty = core_add(core_mul(price_of_latency, latency), core_mul(price_of_loss, loss));
	return core_sub(rate, core_div(core_mul(rate, penalty), PCC_SCALE));
}

/*
 * Returns the gradient of the utility over the rate, in millionths; 0 if the rates are too close
 * for the noise.
 */
static inline core_s64 pcc_vivace_gradient(const struct pcc_vivace_constants *constants, core_s64 rate, core_s64 utility, core_s64 last_rate,
					  core_s64 last_utility)
{
	core_s64 difference = core_sub(last_rate, rate);

	if (pcc_within(core_div(core_mul(PCC_SCALE, difference), rate), constants->min_difference))
		return 0;
	return core_div(core_mul(PCC_SCALE * PCC_SCALE, core_sub(last_utility, utility)), difference);
}

/*
 * Adapts the amplifier of steps. Steps grow while they keep their direction, after as many steps as
 * there were recent reversals.
 */
static inline void pcc_vivace_adapt(const struct pcc_vivace_constants *constants, struct pcc_state *state, core_s64 step)
{
	if ((step > 0) != (state->rate > state->last_rate)) {
		if (state->swing_buffer < constants->swing_buffer)
			state->swing_buffer++;
		state->amplifier = constants->amplifier;
		state->change_bound = constants->change_bound;
	} else if (state->swing_buffer > 0) {
		state->swing_buffer--;
	} else {
		state->amplifier++;
	}
}

/* Bounds a step to a part of the rate. The bound widens while steps reach it. */
static inline core_s64 pcc_vivace_bound(const struct pcc_vivace_constants *constants, struct pcc_state *state, core_s64 step)
{
	core_s64 size = step > 0 ? step : core_sub(0, step);

	if (!state->rate)
		return step;
	if (core_div(core_mul(PCC_SCALE, size), state->rate) > state->change_bound) {
		size = core_div(core_mul(state->rate, state->change_bound), PCC_SCALE);
		state->change_bound += constants->change_step;
	} else {
		state->change_bound = constants->change_bound;
	}
	return step > 0 ? size : core_sub(0, size);
}

/* Makes a step at least 1.1 times the smallest difference that gives a gradient. */
static inline core_s64 pcc_vivace_at_least(const struct pcc_vivace_constants *constants, core_s64 rate, core_s64 step)
{
	core_s64 least = core_div(core_mul(core_div(core_mul(rate, constants->min_difference), PCC_SCALE), 11), 10);

	if (step >= 0)
		return step < least ? least : step;
	return step > core_sub(0, least) ? core_sub(0, least) : step;
}

static inline void pcc_vivace_decide_start(const struct pcc_vivace_constants *constants, struct pcc_state *state, const struct core_input *in)
{
	core_s64 before = state->intervals[0].utility;
	core_s64 rate = state->rate;

	state->intervals[0].utility = pcc_vivace_utility(constants, &state->intervals[0], 1, in);
	if (state->intervals[0].utility > before) {
		state->rate = core_add(rate, constants->fixed ? rate : core_div(rate, 2));
		state->last_rate = rate;
		pcc_plan_one(state);
	} else {
		state->rate = state->last_rate;
		state->last_rate = rate;
		state->phase = PCC_PROBING;
		pcc_plan_probes(state, constants->probe, in->random);
	}
}

static inline void pcc_vivace_decide_probing(const struct pcc_vivace_constants *constants, struct pcc_state *state, const struct core_input *in)
{
	core_s64 old = state->rate;
	core_s64 rate = (core_u32)old;

	for (core_u32 i = 0; i < PCC_INTERVALS; i++)
		state->intervals[i].utility = pcc_vivace_utility(constants, &state->intervals[i], 0, in);
	if (pcc_pairs_agree(state->intervals)) {
		int first = pcc_first_is_better(constants->pair_bug ? state->intervals : state->intervals + 2);
		const struct pcc_interval *winner = first ? &state->intervals[2] : &state->intervals[3];
		const struct pcc_interval *loser = first ? &state->intervals[3] : &state->intervals[2];
		const struct pcc_interval *last = constants->fixed ? loser : winner;

		rate = (core_u32)winner->rate;
		state->last_rate = (core_s64)last->rate;
		state->intervals[0].utility = last->utility;
	}
	if (rate == old) {
		pcc_plan_probes(state, constants->probe, in->random);
		return;
	}
	state->phase = PCC_MOVING;
	if (constants->fixed) {
		state->last_decision = pcc_decided(old, rate);
		state->rate = rate;
		pcc_plan_one(state);
	} else {
		pcc_plan_one(state);
		state->rate = rate;
	}
}

static inline void pcc_vivace_decide_moving(const struct pcc_vivace_constants *constants, struct pcc_state *state, const struct core_input *in)
{
	core_s64 least = core_div(core_mul((core_s64)CORE_SECOND * constants->floor_packets, in->mss), pcc_rtt(in));
	core_s64 before = state->intervals[0].utility;
	core_s64 step, rate;
	core_u32 decision;

	state->intervals[0].utility = pcc_vivace_utility(constants, &state->intervals[0], 0, in);
	step = core_mul(pcc_vivace_gradient(constants, state->rate, state->intervals[0].utility, state->last_rate, before), constants->step);
	pcc_vivace_adapt(constants, state, step);
	step = core_div(core_mul(step, state->amplifier), PCC_SCALE);
	step = pcc_vivace_bound(constants, state, step);
	rate = (core_u32)core_add(state->rate, pcc_vivace_at_least(constants, state->rate, step));

	decision = pcc_decided(state->rate, rate);
	state->last_rate = state->rate;
	state->rate = rate > least ? rate : least;
	if (decision == state->last_decision) {
		pcc_plan_one(state);
	} else {
		state->phase = PCC_PROBING;
		pcc_plan_probes(state, constants->probe, in->random);
	}
	if (constants->fixed)
		state->last_decision = decision;
}

/* Begins a connection. */
static inline void pcc_vivace_init(const struct pcc_vivace_constants *constants, struct pcc_state *state,
				   const struct core_input *in, struct core_output *out)
{
	pcc_init(state, constants->first_rate);
	state->amplifier = constants->amplifier;
	state->change_bound = constants->change_bound;
	/* The first interval of the start is also a probe, so its rate is a little off. */
	pcc_plan_probes(state, constants->probe, in->random);
	pcc_start_interval(state, in, out);
}

/*
 * Handles a change of the recovery state (set_state). After a timeout, intervals are planned as for
 * probing, but a start or a move continues.
 */
static inline void pcc_vivace_set_state(const struct pcc_vivace_constants *constants, struct pcc_state *state, const struct core_input *in, struct core_output *out)
{
	if (!state->in_loss && in->recovery == CORE_LOSS) {
		pcc_enter_loss(state, in, out);
	} else if (state->in_loss && in->recovery != CORE_LOSS) {
		pcc_leave_loss(state, in);
		pcc_plan_probes(state, constants->probe, in->random);
		pcc_start_interval(state, in, out);
	}
}

/* Handles an acknowledgement (cong_control). */
static inline void pcc_vivace_step(const struct pcc_vivace_constants *constants, struct pcc_state *state,
				   const struct core_input *in, struct core_output *out)
{
	pcc_set_cwnd(in, out);
	if (!state->in_loss && pcc_account(state, in, out, constants->ignore, constants->interval_packets, constants->association) &&
	    (state->phase != PCC_PROBING || state->receiving == PCC_INTERVALS)) {
		if (state->phase == PCC_START)
			pcc_vivace_decide_start(constants, state, in);
		else if (state->phase == PCC_PROBING)
			pcc_vivace_decide_probing(constants, state, in);
		else
			pcc_vivace_decide_moving(constants, state, in);
		pcc_start_interval(state, in, out);
	}
	pcc_remember(state, in);
}

/* Handles one call of the kernel. */
static inline void pcc_vivace_decide(const struct pcc_vivace_constants *constants, struct pcc_state *state, const struct core_input *in,
				  struct core_output *out)
{
	if (in->event == CORE_INIT)
		pcc_vivace_init(constants, state, in, out);
	else if (in->event == CORE_STATE)
		pcc_vivace_set_state(constants, state, in, out);
	else if (in->event == CORE_ACK)
		pcc_vivace_step(constants, state, in, out);
	else if (in->event == CORE_REDUCE)
		out->ssthresh = CORE_NO_THRESHOLD;
}

#endif
