/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * PCC Allegro as the kernel module computes it (branch master): steps of a few percent toward the
 * rate with the better utility.
 *
 * utility = rate * (1 - L) / (1 + e^(100 (L - 5 %))) - rate * L, with the nominal rate in place of
 * the throughput.
 *
 * The start continues while 0.75 * utility / rate rises strictly. The slack of 0.75 was meant for
 * the older interval only. Since the module applies it to both intervals, a start without loss ends
 * with the second interval. The rate grows by the bytes delivered, and at most doubles. With
 * `fixed` it doubles while the utility rises, as in the paper.
 */
#ifndef NARROWS_PCC_ALLEGRO_H
#define NARROWS_PCC_ALLEGRO_H

#include "pcc_utility.h"

struct pcc_allegro_constants {
	core_u32 first_rate;	  /* 524288 */
	core_u32 interval_packets; /* 40; a lone interval needs `ignore` packets less */
	core_u32 ignore;		  /* 5 */
	core_u32 epsilon_min;	  /* 1 % */
	core_u32 epsilon_max;	  /* 5 % */
	core_u32 loss_margin;	  /* 5 % */
	core_u32 fixed;
	core_u32 association;	  /* enum pcc_association */
};

/* Part of the utility per rate that counts in the start, in thousandths. */
#define PCC_ALLEGRO_SLACK 750

/* Utility in thousandths of the rate, which is truncated to 32 bits. */
static inline core_s64 pcc_allegro_per_rate(core_s64 utility, core_s64 rate, core_s64 scale)
{
	if (utility == CORE_S64_MIN)
		return CORE_S64_MIN;
	return core_div(core_mul(utility, scale), (core_s64)(core_u32)rate);
}

static inline int pcc_allegro_rises(const struct pcc_allegro_constants *constants, const struct pcc_state *state, core_s64 utility,
				    core_s64 last_utility)
{
	core_s64 scale = utility < 0 ? PCC_SCALE : PCC_ALLEGRO_SLACK;
	core_s64 last_scale = last_utility < 0 ? PCC_SCALE : PCC_ALLEGRO_SLACK;

	if (constants->fixed)
		return utility > last_utility;
	return pcc_allegro_per_rate(utility, state->rate, scale) > pcc_allegro_per_rate(last_utility, state->last_rate, last_scale);
}

static inline void pcc_allegro_decide_start(const struct pcc_allegro_constants *constants, struct pcc_state *state, const struct core_input *in)
{
	core_s64 last_utility = state->intervals[0].utility;
	core_u64 rate = (core_u64)state->rate;

	state->intervals[0].utility = pcc_allegro_utility(&state->intervals[0], constants->loss_margin);
	if (pcc_allegro_rises(constants, state, state->intervals[0].utility, last_utility)) {
		core_u64 more = (core_u32)(state->intervals[0].delivered * in->mss);

		state->last_rate = state->rate;
		state->rate = (core_s64)(rate + (constants->fixed || more > rate ? rate : more));
	} else {
		state->rate = state->last_rate;
		state->phase = PCC_PROBING;
	}
}

static inline void pcc_allegro_widen(const struct pcc_allegro_constants *constants, struct pcc_state *state)
{
	if (state->epsilon < constants->epsilon_max)
		state->epsilon++;
}

/*
 * Decides by whether the pairs agree. A repeated decision widens the next probe, even if the
 * decision is that they do not agree.
 */
static inline void pcc_allegro_decide_probing(const struct pcc_allegro_constants *constants, struct pcc_state *state)
{
	core_s64 rate = state->rate;
	core_u32 decision;

	for (core_u32 i = 0; i < PCC_INTERVALS; i++)
		state->intervals[i].utility = pcc_allegro_utility(&state->intervals[i], constants->loss_margin);
	if (pcc_pairs_agree(state->intervals)) {
		state->phase = PCC_MOVING;
		rate = (core_s64)state->intervals[pcc_first_is_better(state->intervals) ? 0 : 1].rate;
	}
	decision = pcc_decided(state->rate, rate);
	if (decision == state->last_decision)
		pcc_allegro_widen(constants, state);
	else
		state->epsilon = constants->epsilon_min;
	state->last_decision = decision;
	if (state->phase == PCC_MOVING) {
		core_s64 step = (core_s64)pcc_percent((core_u64)rate, state->epsilon);

		state->last_rate = rate;
		state->rate = decision == PCC_DOWN ? core_sub(rate, step) : core_add(rate, step);
	}
}

/*
 * Continues by ever larger steps while the utility rises; otherwise goes back to the rate at which
 * it last rose.
 */
static inline void pcc_allegro_decide_moving(const struct pcc_allegro_constants *constants, struct pcc_state *state)
{
	core_s64 before = state->intervals[0].utility;

	state->intervals[0].utility = pcc_allegro_utility(&state->intervals[0], constants->loss_margin);
	if (state->intervals[0].utility > before) {
		core_s64 step;

		pcc_allegro_widen(constants, state);
		step = (core_s64)pcc_percent((core_u64)state->rate, state->epsilon);
		state->last_rate = state->rate;
		state->rate = state->last_decision == PCC_UP ? core_add(state->rate, step) : core_sub(state->rate, step);
	} else {
		state->rate = state->last_rate;
		state->epsilon = constants->epsilon_min;
		state->phase = PCC_PROBING;
	}
}

static inline void pcc_allegro_next(struct pcc_state *state, const struct core_input *in,
				    struct core_output *out)
{
	if (state->phase == PCC_PROBING)
		pcc_plan_probes(state, state->epsilon, in->random);
	else
		pcc_plan_one(state);
	pcc_start_interval(state, in, out);
}

/* Begins a connection. */
static inline void pcc_allegro_init(const struct pcc_allegro_constants *constants, struct pcc_state *state,
				    const struct core_input *in, struct core_output *out)
{
	pcc_init(state, constants->first_rate);
	state->epsilon = constants->epsilon_min;
	pcc_allegro_next(state, in, out);
}

/* Handles a change of the recovery state (set_state). After a timeout, probing begins again. */
static inline void pcc_allegro_set_state(const struct pcc_allegro_constants *constants, struct pcc_state *state, const struct core_input *in, struct core_output *out)
{
	(void)constants;
	if (!state->in_loss && in->recovery == CORE_LOSS) {
		pcc_enter_loss(state, in, out);
	} else if (state->in_loss && in->recovery != CORE_LOSS) {
		pcc_leave_loss(state, in);
		state->phase = PCC_PROBING;
		pcc_allegro_next(state, in, out);
	}
}

/* Handles an acknowledgement (cong_control). */
static inline void pcc_allegro_step(const struct pcc_allegro_constants *constants, struct pcc_state *state,
				    const struct core_input *in, struct core_output *out)
{
	core_u32 enough = constants->interval_packets - (state->phase == PCC_PROBING ? 0 : constants->ignore);

	pcc_set_cwnd(in, out);
	if (!state->in_loss && pcc_account(state, in, out, constants->ignore, enough, constants->association) &&
	    (state->phase != PCC_PROBING || state->receiving == PCC_INTERVALS)) {
		if (state->phase == PCC_START)
			pcc_allegro_decide_start(constants, state, in);
		else if (state->phase == PCC_PROBING)
			pcc_allegro_decide_probing(constants, state);
		else
			pcc_allegro_decide_moving(constants, state);
		pcc_allegro_next(state, in, out);
	}
	pcc_remember(state, in);
}

/* Handles one call of the kernel. */
static inline void pcc_allegro_decide(const struct pcc_allegro_constants *constants, struct pcc_state *state, const struct core_input *in,
				  struct core_output *out)
{
	if (in->event == CORE_INIT)
		pcc_allegro_init(constants, state, in, out);
	else if (in->event == CORE_STATE)
		pcc_allegro_set_state(constants, state, in, out);
	else if (in->event == CORE_ACK)
		pcc_allegro_step(constants, state, in, out);
	else if (in->event == CORE_REDUCE)
		out->ssthresh = CORE_NO_THRESHOLD;
}

#endif
