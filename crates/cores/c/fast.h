/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * FAST TCP in integers: each flow keeps alpha packets in the queue of the bottleneck. There are two
 * laws, both applied in every other round trip:
 *
 * - The later law: w <- min{2w, (1 - gamma) w + gamma (w_old baseRTT / RTT + alpha)}. Jin, Wei and
 *   Low, INFOCOM 2004, equation 6; ns-2.35 tcp/tcp-fast.cc.
 * - The law of 2002: one packet towards the target of the later law with each packet acknowledged.
 *   Jin, Wei and Low, "FAST II: Algorithms and Performance", slides 10 to 15.
 *
 * The simulator's `fast` and `fast-sc2002` (crates/control/src/controllers/fast) are the same laws
 * in floating point. This file deviates from them where a socket gives less information:
 *
 * - packets carry no tag: a round ends when as many packets have left the network as had been sent
 *   when it began, and the number in flight when a packet was sent is known only for packets that
 *   measure a round trip;
 * - a round trip is measured in whole microseconds;
 * - if alpha follows the rate, a packet is a segment and 52 bytes of headers (TCP over IPv4 with
 *   timestamps);
 * - whether the window limits sending is judged when an acknowledgement arrives, not when its
 *   packet was sent;
 * - the kernel spreads a reduction, paces packets on request, and has its own rule for idle
 *   connections;
 * - there is no timer: an increase that is spread over time takes effect with the next
 *   acknowledgement.
 */
#ifndef NARROWS_FAST_H
#define NARROWS_FAST_H

#include "window.h"

/* Windows and fractions have 16 binary places. */
#define FAST_PLACES 16
#define FAST_ONE (1ULL << FAST_PLACES)
/* Largest window in packets, and longest round trip in us, so that no product overflows. */
#define FAST_CWND_MAX (1U << 22)
#define FAST_RTT_MAX ((1U << 26) - 1)
/* Least time between two updates of the later law, in us. */
#define FAST_PERIOD 10000
/* An increase of a window of up to 4 packets, or on a path of less than 4 ms, is not spread. */
#define FAST_SMALL_WINDOW 4
#define FAST_SHORT_PATH 4000
#define FAST_HEADERS 52
/* Windows above this have a different weight in the mean of ns-2. */
#define FAST_NS2_WINDOW 768

struct fast_constants {
	core_u64 alpha;	       /* packets in the queue; 0: from the rate, by the prototype's
			        * table */
	core_u32 gamma;	       /* 1/2 */
	core_u32 loss_beta;    /* 1/2 */
	core_u32 free_queue;   /* 1/4: a queue below this part of alpha counts as none */
	core_u32 free_share;   /* 1/4: without a queue, alpha is at least this part of the window */
	core_u32 mi_threshold; /* 750 us: a shorter queueing delay counts as no queue */
	core_u32 base_window;  /* ms for which a round trip counts for the base round trip; all
			        * ones: for ever */
	core_u32 rule;	       /* enum fast_rule */
	core_u32 ns2_weight;
	core_u32 spread; /* enum fast_spread */
	core_u32 packet_pacing;
};

/*
 * Laws: the later law, doubling at the start only; the later law, doubling whenever the mean round
 * trip shows no queue; the law of 2002.
 */
enum fast_rule { FAST_START, FAST_PUBLISHED, FAST_STEPWISE };

/* Spreading of an increase over a round trip: not at all, with acknowledgements, over time. */
enum fast_spread { FAST_AT_ONCE, FAST_BY_ACKS, FAST_BY_TIME };

struct fast_sample {
	core_u32 at; /* ms */
	core_u32 rtt;
};

/*
 * State of a connection. With the number of the connection and the number of its calls, it just
 * fits the private area of a socket.
 */
struct fast_state {
	core_u64 mean;		    /* mean round trip in 2^-16 us; 0 before the first sample */
	core_u64 increase;	    /* in 2^-16 packets: the increase in progress; in the law of
				     * 2002 the window at the start of the round */
	struct fast_sample base[3]; /* the least round trip, and the samples that will succeed it */
	core_u32 fraction;	    /* fraction of a packet, beyond the window in force */
	core_u32 least;		    /* least round trip of this round; 0 before the first sample */
	core_u32 least_before;
	core_u32 flight;    /* w_old */
	core_u32 first;	    /* packets sent when the round began */
	core_u32 delivered; /* packets delivered when the round began */
	core_u32 began;	    /* time when the round began, us */
	core_u32 packets;   /* packets over which the increase is spread */
	core_u32 counted;   /* packets acknowledged of those over which the increase is spread */
	core_u32 updated;   /* time of the latest update, us */
	core_u32 line;	    /* line of the table of alpha */
	core_u32 flags;
};

/*
 * Flags: a round began; the next acknowledgement updates; the present round follows an update; a
 * reduction or loss recovery is in progress; the round that moved the window just ended, and the
 * rest of its increase is due (law of 2002).
 */
enum fast_flag { FAST_BEGAN = 1, FAST_DUE = 2, FAST_ACTIVE = 4, FAST_SUSPENDED = 8, FAST_REST = 16 };

static inline core_u64 fast_min(core_u64 a, core_u64 b)
{
	return a < b ? a : b;
}

static inline core_u64 fast_max(core_u64 a, core_u64 b)
{
	return a > b ? a : b;
}

static inline core_u64 fast_window(const struct fast_state *state, core_u32 cwnd)
{
	return (core_u64)core_min(cwnd, FAST_CWND_MAX) << FAST_PLACES | (state->fraction & (FAST_ONE - 1));
}

static inline void fast_set_window(struct fast_state *state, const struct core_input *in, struct core_output *out, core_u64 window)
{
	core_u64 most = (core_u64)core_min(in->cwnd_clamp, FAST_CWND_MAX) << FAST_PLACES;

	window = fast_min(window, most);
	out->cwnd = (core_u32)(window >> FAST_PLACES);
	state->fraction = (core_u32)(window & (FAST_ONE - 1));
}

/* Alpha of a rate: 8 packets up to 10 Mbit/s, 20 up to 100 Mbit/s, 200 above. */
static inline core_u64 fast_alpha(const struct fast_constants *constants, const struct fast_state *state)
{
	if (constants->alpha)
		return constants->alpha;
	return (state->line == 0 ? 8 : state->line == 1 ? 20 : 200) * FAST_ONE;
}

/*
 * Returns the line of the table of alpha after `packets` of `size` bytes arrived in `took` us.
 * Hysteresis keeps a rate at the edge of a line from moving alpha to and fro.
 */
static inline core_u32 fast_line(core_u32 line, core_u32 packets, core_u32 size, core_u32 took)
{
	core_u64 kbps = core_udiv((core_u64)packets * size * 8000, took);

	if (kbps > 120000)
		return 2;
	if (kbps < 10000)
		return 0;
	if (line == 0)
		return kbps > 12000;
	return line == 1 || kbps < 100000 ? 1 : 2;
}

/* Tracks the least round trip of the last `window` ms, in constant space (lib/win_minmax.c). */
static inline void fast_base(struct fast_sample *base, core_u32 window, core_u32 at, core_u32 rtt)
{
	struct fast_sample sample = { at, rtt };
	core_u32 age;

	if (!base[0].rtt || rtt <= base[0].rtt || at - base[2].at > window) {
		base[0] = sample;
		base[1] = sample;
		base[2] = sample;
		return;
	}
	if (rtt <= base[1].rtt) {
		base[1] = sample;
		base[2] = sample;
	} else if (rtt <= base[2].rtt) {
		base[2] = sample;
	}
	age = at - base[0].at;
	if (age > window) {
		base[0] = base[1];
		base[1] = base[2];
		base[2] = sample;
		if (at - base[0].at > window) {
			base[0] = base[1];
			base[1] = sample;
		}
	} else if (base[1].at == base[0].at && age > window >> 2) {
		base[1] = sample;
		base[2] = sample;
	} else if (base[2].at == base[1].at && age > window >> 1) {
		base[2] = sample;
	}
}

/*
 * Mean round trip. A sample has a weight of 3/w, at most a quarter; in ns-2, 3/w for large windows
 * and 1/256 for others.
 */
static inline core_u64 fast_mean(const struct fast_constants *constants, core_u64 mean, core_u32 rtt, core_u64 window)
{
	core_u64 sample = (core_u64)rtt << FAST_PLACES;
	core_u64 distance = sample > mean ? sample - mean : mean - sample;
	core_u64 step = core_udiv(3 * distance << FAST_PLACES, window);

	if (!mean)
		return sample;
	if (!constants->ns2_weight)
		step = fast_min(step, distance >> 2);
	else if (window <= FAST_NS2_WINDOW * FAST_ONE)
		step = distance >> 8;
	return sample > mean ? mean + step : mean - step;
}

/* True if a round trip of `rtt` means that there is almost no queue. */
static inline int fast_is_short(const struct fast_constants *constants, const struct fast_state *state, core_u32 rtt)
{
	core_u32 base = state->base[0].rtt;
	core_u32 queueing = rtt > base ? rtt - base : 0;
	core_u64 alpha = fast_alpha(constants, state);
	core_u64 queued = state->flight * core_udiv((core_u64)queueing << 36, rtt) >> 20;

	if (!constants->mi_threshold)
		return 0;
	return queued < (alpha * constants->free_queue >> FAST_PLACES) || (queueing < constants->mi_threshold && queued < alpha >> 1);
}

static inline int fast_is_free(const struct fast_constants *constants, const struct fast_state *state)
{
	core_u64 base = (core_u64)state->base[0].rtt << FAST_PLACES;

	if (constants->rule == FAST_PUBLISHED)
		return state->mean && state->mean < base + ((core_u64)constants->mi_threshold << FAST_PLACES);
	return state->least && fast_is_short(constants, state, state->least);
}

/* Drops earlier decisions, because something else moves the window. */
static inline void fast_suspend(struct fast_state *state)
{
	state->increase = 0;
	state->flags &= ~(core_u32)(FAST_DUE | FAST_ACTIVE | FAST_REST);
}

/* Packets delivered before this acknowledgement. */
static inline core_u32 fast_delivered(const struct core_input *in)
{
	return in->delivered - (in->event == CORE_RTT ? in->acked : 0);
}

static inline void fast_begin_round(struct fast_state *state, const struct core_input *in)
{
	state->first = in->sent;
	state->delivered = fast_delivered(in);
	state->began = (core_u32)in->now;
	state->flags |= FAST_BEGAN;
}

/*
 * True if the start ends: two rounds show a queue. A single round can consist of one
 * acknowledgement that the receiver delayed.
 */
static inline int fast_start_ends(const struct fast_constants *constants, const struct fast_state *state)
{
	core_u32 least = state->least;

	if (!least || (state->least_before && state->least_before < least))
		least = state->least_before;
	return constants->rule != FAST_PUBLISHED && least && !fast_is_short(constants, state, least);
}

static inline void fast_end_round(const struct fast_constants *constants, struct fast_state *state, const struct core_input *in,
				  struct core_output *out)
{
	core_u32 packets = core_min(fast_delivered(in) - state->delivered, FAST_CWND_MAX);
	core_u32 took = (core_u32)in->now - state->began;

	if (fast_start_ends(constants, state))
		out->ssthresh = core_min(out->ssthresh, core_max(out->cwnd, WINDOW_LEAST));
	if (state->flags & FAST_BEGAN && took)
		state->line = fast_line(state->line, packets, in->mss + FAST_HEADERS, took);
	if (state->flags & FAST_ACTIVE || (constants->rule != FAST_STEPWISE && (core_u32)in->now - state->updated < FAST_PERIOD)) {
		if (constants->rule == FAST_STEPWISE && constants->spread == FAST_BY_TIME)
			state->flags |= FAST_REST;
		state->flags &= ~(core_u32)FAST_ACTIVE;
	} else {
		state->flags |= FAST_DUE;
		state->increase = 0;
		state->packets = packets;
	}
	state->least_before = state->least;
	state->least = 0;
	fast_begin_round(state, in);
}

static inline void fast_measure(const struct fast_constants *constants, struct fast_state *state, const struct core_input *in, struct core_output *out)
{
	core_u32 rtt = core_min(in->rtt, FAST_RTT_MAX);

	if (rtt)
		state->flight = core_min(in->flight_when_sent, FAST_CWND_MAX);
	if (!(state->flags & FAST_SUSPENDED) && (core_s32)(in->sent - in->in_flight - state->first) > 0)
		fast_end_round(constants, state, in, out);
	if (!rtt)
		return;
	fast_base(state->base, constants->base_window, (core_u32)core_udiv(in->now, 1000), rtt);
	state->mean = fast_mean(constants, state->mean, rtt, fast_window(state, out->cwnd));
	if (!state->least || rtt < state->least)
		state->least = rtt;
}

/* Begins an increase. Returns the window that holds at once. */
static inline core_u64 fast_begin_increase(const struct fast_constants *constants, struct fast_state *state, core_u64 window, core_u64 target)
{
	if (constants->spread == FAST_AT_ONCE || window <= FAST_SMALL_WINDOW * FAST_ONE || state->base[0].rtt < FAST_SHORT_PATH || !state->packets)
		return target;
	state->increase = target - window;
	state->counted = 0;
	return window;
}

/* Part of the increase for this number of packets. */
static inline core_u64 fast_part(const struct fast_state *state, core_u32 packets)
{
	return core_udiv(state->increase * packets, state->packets);
}

/*
 * Part of `whole` that is due if `whole` is spread evenly over the round trip after the latest
 * update.
 */
static inline core_u64 fast_due(const struct fast_state *state, const struct core_input *in, core_u64 whole)
{
	core_u64 rtt = fast_max(state->mean >> FAST_PLACES, 1);
	core_u64 elapsed = fast_min((core_u32)in->now - state->updated, rtt);

	return whole * core_udiv(elapsed << FAST_PLACES, rtt) >> FAST_PLACES;
}

static inline core_u64 fast_grown(const struct fast_constants *constants, struct fast_state *state, const struct core_input *in, core_u32 acked)
{
	core_u32 counted = core_min(state->counted + core_min(acked, FAST_CWND_MAX), state->packets);
	core_u64 grown;

	if (constants->spread == FAST_BY_TIME)
		counted = acked ? core_max(state->counted, (core_u32)fast_due(state, in, state->packets)) : state->counted;
	grown = fast_part(state, counted) - fast_part(state, state->counted);
	state->counted = counted;
	return grown;
}

/*
 * Target for a window of `window` packets, of which `flight` were in flight when the round trip was
 * measured. All have 16 binary places. The target is at most twice the window, and at least two
 * packets.
 */
static inline core_u64 fast_target(const struct fast_constants *constants, const struct fast_state *state, core_u64 window, core_u64 flight,
				   core_u64 alpha)
{
	core_u64 base = state->base[0].rtt;
	core_u64 rtt = fast_max(state->mean, base << FAST_PLACES);
	core_u64 on_the_way = flight * core_udiv(base << 38, rtt) >> 22;
	core_u64 target = ((FAST_ONE - constants->gamma) * window + constants->gamma * (on_the_way + alpha)) >> FAST_PLACES;

	return fast_max(fast_min(target, 2 * window), WINDOW_LEAST * FAST_ONE);
}

/* The law of 2002. */
static inline core_u64 fast_step(const struct fast_constants *constants, struct fast_state *state, const struct core_input *in, core_u64 window,
				 core_u64 alpha)
{
	core_u64 acked = (core_u64)core_min(in->acked, FAST_CWND_MAX) << FAST_PLACES;
	core_u64 start, target;

	if (state->flags & FAST_DUE) {
		state->flags = (state->flags & ~(core_u32)FAST_DUE) | FAST_ACTIVE;
		state->increase = window;
		state->updated = (core_u32)in->now;
	}
	start = state->increase;
	if (!(state->flags & (FAST_ACTIVE | FAST_REST)) || !state->mean)
		return window;
	state->flags &= ~(core_u32)FAST_REST;
	/* The window falls no faster than with rate halving. */
	target = fast_max(fast_target(constants, state, start, start, alpha), start >> 1);
	if (window >= target)
		return window - fast_min(acked, window - target);
	if (!in->cwnd_limited)
		return window;
	/*
	 * If something else lowered the window below its value at the start of the round, it grows
	 * by one packet at a time.
	 */
	if (constants->spread == FAST_BY_TIME && window >= start)
		return target > start ? fast_max(window, start + fast_due(state, in, target - start)) : window;
	return fast_min(window + acked, target);
}

static inline core_u64 fast_update(const struct fast_constants *constants, struct fast_state *state, const struct core_input *in, core_u64 window,
				   core_u64 alpha)
{
	core_u64 target;

	if (!state->mean)
		return window;
	target = fast_target(constants, state, window, (core_u64)state->flight << FAST_PLACES, alpha);
	state->flags |= FAST_ACTIVE;
	state->updated = (core_u32)in->now;
	if (target <= window)
		return target;
	/* A window that is not used does not grow. */
	return in->cwnd_limited ? fast_begin_increase(constants, state, window, target) : window;
}

static inline void fast_acknowledged(const struct fast_constants *constants, struct fast_state *state, const struct core_input *in,
				     struct core_output *out)
{
	core_u32 limited = in->cwnd_limited ? in->acked : 0;
	core_u64 window = fast_window(state, out->cwnd);
	core_u64 alpha = fast_alpha(constants, state);
	int is_free = fast_is_free(constants, state);

	if (constants->rule == FAST_STEPWISE) {
		window = fast_step(constants, state, in, window, alpha);
	} else if (is_free && (constants->rule == FAST_PUBLISHED || window_in_slow_start(out))) {
		fast_suspend(state);
		window += (core_u64)limited << FAST_PLACES;
	} else if (state->flags & FAST_DUE) {
		state->flags &= ~(core_u32)FAST_DUE;
		if (is_free)
			alpha = fast_max(alpha, window * constants->free_share >> FAST_PLACES);
		window = fast_update(constants, state, in, window, alpha);
	} else if (state->increase) {
		window += fast_grown(constants, state, in, limited);
	}
	fast_set_window(state, in, out, window);
}

/*
 * Handles a change of the recovery state. Once a reduction or loss recovery begins, there is no
 * update until a round trip after its end.
 */
static inline void fast_set_state(struct fast_state *state, const struct core_input *in, struct core_output *out)
{
	if (in->recovery >= CORE_CWR) {
		fast_suspend(state);
		state->flags |= FAST_SUSPENDED;
	} else if (state->flags & FAST_SUSPENDED) {
		state->flags &= ~(core_u32)FAST_SUSPENDED;
		fast_begin_round(state, in);
	}
	if (in->recovery == CORE_LOSS) {
		/* Earlier measurements of the queue no longer hold. */
		state->mean = 0;
		state->least = 0;
		state->least_before = 0;
		out->cwnd = core_max(in->cwnd, WINDOW_LEAST);
	}
}

static inline void fast_init(struct fast_state *state, const struct core_input *in)
{
	for (core_u32 i = 0; i < 3; i++) {
		state->base[i].at = 0;
		state->base[i].rtt = 0;
	}
	state->mean = 0;
	state->increase = 0;
	state->fraction = 0;
	state->least = 0;
	state->least_before = 0;
	state->flight = 0;
	state->packets = 0;
	state->counted = 0;
	state->updated = (core_u32)in->now - FAST_PERIOD;
	state->line = 0;
	fast_begin_round(state, in);
	state->flags = 0;
}

/* Handles one call of the kernel. */
static inline void fast_decide(const struct fast_constants *constants, struct fast_state *state, const struct core_input *in, struct core_output *out)
{
	if (in->event == CORE_INIT) {
		fast_init(state, in);
	} else if (in->event == CORE_STATE) {
		fast_set_state(state, in, out);
	} else if (in->event == CORE_RTT) {
		fast_measure(constants, state, in, out);
	} else if (in->event == CORE_ACK && in->recovery == CORE_LOSS) {
		if (in->cwnd_limited && window_in_slow_start(out))
			window_slow_start(in, out, in->acked);
	} else if (in->event == CORE_ACK) {
		fast_acknowledged(constants, state, in, out);
	} else if (in->event == CORE_REDUCE) {
		out->ssthresh = (core_u32)(fast_window(state, in->cwnd) * constants->loss_beta >> 2 * FAST_PLACES);
		out->ssthresh = core_max(out->ssthresh, WINDOW_LEAST);
		state->fraction = 0;
	} else if (in->event == CORE_UNDO) {
		window_undo(in, out);
	}
}

#endif
