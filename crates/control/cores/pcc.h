/*
 * What both controllers of the PCC kernel module share: monitor intervals, and which packets are accounted to which of them.
 *
 * Follows github.com/PCCproject/PCC-Kernel, src/tcp_pcc.c (branches vivace and master, 2018 and 2019, for Linux 4.15). Freestanding integer C for any compiler, that
 * for BPF included: no header, no libc, no floating point, no 128-bit type, only unsigned division, and every loop has a constant bound.
 *
 * Rates are bytes/s, times µs, counts segments. Counts are 32 bits wide and wrap, as the socket's do; 64-bit arithmetic wraps as well, and a division by zero
 * gives zero, as in BPF.
 */
#ifndef NARROWS_PCC_H
#define NARROWS_PCC_H

typedef unsigned int pcc_u32;
typedef signed int pcc_s32;
typedef unsigned long long pcc_u64;
typedef signed long long pcc_s64;

_Static_assert(sizeof(pcc_u32) == 4 && sizeof(pcc_u64) == 8, "sizes of integers");

/* Two pairs of probes. */
#define PCC_INTERVALS 4
#define PCC_S64_MIN ((pcc_s64)0x8000000000000000ULL)
/* The module's least rate, whatever is decided. */
#define PCC_RATE_MIN 1024
#define PCC_CWND_MIN 4
/* The round trip before any is known, as BBR has it. */
#define PCC_NOMINAL_RTT 1000
#define PCC_SECOND 1000000
/* Fractions are in thousandths. */
#define PCC_SCALE 1000

/* What a socket shows its controller. */
struct pcc_input {
	pcc_u64 now;		 /* tcp_mstamp */
	pcc_u64 max_pacing_rate; /* sk_max_pacing_rate */
	pcc_u32 sent;		 /* data_segs_out: retransmissions count */
	pcc_u32 delivered;
	pcc_u32 lost;
	pcc_u32 in_flight;
	pcc_u32 srtt;	    /* smoothed round trip; 0 before the first sample */
	pcc_u32 mss;	    /* mss_cache, at least 1 */
	pcc_u32 cwnd_clamp; /* snd_cwnd_clamp */
	pcc_u32 in_loss;    /* the state is TCP_CA_Loss */
	pcc_u32 random;	    /* fresh with each call; two bits are used */
	pcc_u32 reserved;
};

/* What a controller writes into its socket. */
struct pcc_output {
	pcc_u64 pacing_rate;
	pcc_u32 cwnd;
	pcc_u32 reserved;
};

/* One experiment: what was sent at `rate`, and what became of it. */
struct pcc_interval {
	pcc_u64 rate;
	pcc_s64 utility;
	pcc_u64 send_start, send_end;
	pcc_u64 recv_start, recv_end;
	pcc_u32 rtt_start, rtt_end;
	pcc_u32 base; /* packets sent before it; 0 if it has not begun */
	pcc_u32 end;  /* packets sent when it ended; 0 before */
	pcc_u32 lost, delivered;
};

enum pcc_phase { PCC_START, PCC_PROBING, PCC_MOVING };
enum pcc_decision { PCC_UP, PCC_DOWN, PCC_STAY };

/* What fits the private area of a socket (13 u64). Intervals go elsewhere: in BPF into storage of the socket. */
struct pcc_state {
	pcc_s64 rate;
	pcc_s64 last_rate;
	pcc_u32 accounted; /* delivered + lost - spare: this many packets have met their fate, in the order sent as far as is known */
	pcc_u32 spare;	   /* counted twice around timeouts */
	pcc_u32 delivered_base, lost_base; /* the totals at the acknowledgement before */
	pcc_u32 sending, receiving;	   /* indices of intervals */
	pcc_u32 waiting; /* paces at `rate`, belongs to no interval */
	pcc_u32 in_loss;
	pcc_u32 phase;
	pcc_u32 last_decision;
	pcc_s32 amplifier, swing_buffer, change_bound; /* of Vivace */
	pcc_u32 epsilon;			       /* of Allegro, in percent */
};

_Static_assert(sizeof(struct pcc_input) == 56, "layout of the input");
_Static_assert(sizeof(struct pcc_output) == 16, "layout of the output");
_Static_assert(sizeof(struct pcc_interval) == 72, "layout of an interval");
_Static_assert(sizeof(struct pcc_state) <= 104, "the private area of a socket has 104 bytes");

static inline pcc_s64 pcc_add(pcc_s64 a, pcc_s64 b)
{
	return (pcc_s64)((pcc_u64)a + (pcc_u64)b);
}

static inline pcc_s64 pcc_sub(pcc_s64 a, pcc_s64 b)
{
	return (pcc_s64)((pcc_u64)a - (pcc_u64)b);
}

static inline pcc_s64 pcc_mul(pcc_s64 a, pcc_s64 b)
{
	return (pcc_s64)((pcc_u64)a * (pcc_u64)b);
}

/* The only division: of magnitudes. */
static inline pcc_u64 pcc_udiv(pcc_u64 a, pcc_u64 b)
{
	return b ? a / b : 0;
}

static inline pcc_u64 pcc_magnitude(pcc_s64 a)
{
	return a < 0 ? 0 - (pcc_u64)a : (pcc_u64)a;
}

/* Truncates toward zero. */
static inline pcc_s64 pcc_div(pcc_s64 a, pcc_s64 b)
{
	pcc_u64 quotient = pcc_udiv(pcc_magnitude(a), pcc_magnitude(b));

	return (pcc_s64)((a < 0) == (b < 0) ? quotient : 0 - quotient);
}

static inline pcc_u64 pcc_percent(pcc_u64 rate, pcc_u32 percent)
{
	return pcc_udiv(rate * percent, 100);
}

static inline pcc_u32 pcc_rtt(const struct pcc_input *in)
{
	return in->srtt ? in->srtt : PCC_NOMINAL_RTT;
}

/* Room for two round trips at the pacing rate. */
static inline void pcc_set_cwnd(const struct pcc_input *in, struct pcc_output *out)
{
	pcc_u64 cwnd = 2 * pcc_udiv(pcc_udiv(out->pacing_rate * pcc_rtt(in), in->mss), PCC_SECOND);
	pcc_u32 least = (pcc_u32)(cwnd > PCC_CWND_MIN ? cwnd : PCC_CWND_MIN);

	out->cwnd = least < in->cwnd_clamp ? least : in->cwnd_clamp;
}

static inline pcc_u32 pcc_decided(pcc_s64 old, pcc_s64 rate)
{
	if (rate == old)
		return PCC_STAY;
	return rate > old ? PCC_UP : PCC_DOWN;
}

/* Opens the interval whose turn it is, unless waiting, and paces accordingly. */
static inline void pcc_start_interval(struct pcc_state *state, struct pcc_interval *intervals, const struct pcc_input *in,
				      struct pcc_output *out)
{
	pcc_u64 rate = (pcc_u64)state->rate;

	if (!state->waiting) {
		struct pcc_interval *interval = &intervals[state->sending % PCC_INTERVALS];

		interval->base = in->sent ? in->sent : 1;
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

/* One interval at the rate. */
static inline void pcc_plan_one(struct pcc_state *state, struct pcc_interval *intervals)
{
	intervals[0].rate = (pcc_u64)state->rate;
	intervals[0].base = 0;
	pcc_from_first(state);
}

/* Two pairs of intervals, a part of the rate above and below it, the order of each pair drawn. */
static inline void pcc_plan_probes(struct pcc_state *state, struct pcc_interval *intervals, pcc_u32 percent, pcc_u32 random)
{
	pcc_u64 high = pcc_percent((pcc_u64)state->rate, 100 + percent);
	pcc_u64 low = pcc_percent((pcc_u64)state->rate, 100 - percent);

	for (pcc_u32 i = 0; i < PCC_INTERVALS; i++) {
		pcc_u32 low_first = random >> i / 2 & 1;

		intervals[i].rate = low_first == (i & 1) ? high : low;
		intervals[i].base = 0;
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

/* The retransmission timer expired: until that is repaired counts cannot be trusted, and no interval runs. */
static inline void pcc_enter_loss(struct pcc_state *state, struct pcc_interval *intervals, const struct pcc_input *in, struct pcc_output *out)
{
	state->in_loss = 1;
	state->waiting = 1;
	pcc_start_interval(state, intervals, in, out);
}

/* It is repaired: what the counts now say beyond what was sent is spare. */
static inline void pcc_leave_loss(struct pcc_state *state, const struct pcc_input *in)
{
	state->in_loss = 0;
	state->spare = in->delivered + in->lost + in->in_flight - in->sent;
}

/* Sending stops at `enough` packets, once the first of them is accounted for: after about a round trip. */
static inline int pcc_has_sent(const struct pcc_interval *interval, pcc_u32 accounted, pcc_u32 sent, pcc_u32 enough)
{
	return (pcc_s32)(sent - interval->base) >= (pcc_s32)enough && accounted > interval->base;
}

static inline void pcc_collect(const struct pcc_state *state, struct pcc_interval *interval, const struct pcc_input *in)
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
 * Accounts an acknowledgement to the intervals; answers whether one has become complete. Packets carry no mark: they are taken to meet their fates in the order
 * sent, and the first and last `ignore` of an interval, which may belong to its neighbours, are left out.
 */
static inline int pcc_account(struct pcc_state *state, struct pcc_interval *intervals, const struct pcc_input *in, struct pcc_output *out,
			      pcc_u32 ignore, pcc_u32 enough)
{
	struct pcc_interval *sending = &intervals[state->sending % PCC_INTERVALS];
	struct pcc_interval *receiving;
	pcc_u32 before = state->accounted;

	if (!state->waiting && pcc_has_sent(sending, state->accounted, in->sent, enough)) {
		sending->end = in->sent;
		sending->send_end = in->now;
		state->sending++;
		state->waiting = state->sending == PCC_INTERVALS || state->phase != PCC_PROBING;
		pcc_start_interval(state, intervals, in, out);
	}
	state->accounted = in->delivered + in->lost - state->spare;
	receiving = &intervals[state->receiving % PCC_INTERVALS];
	if (!receiving->base)
		return 0;
	if (before > receiving->base + ignore)
		pcc_collect(state, receiving, in);
	if (!receiving->end || state->accounted <= receiving->end - ignore)
		return 0;
	state->receiving++;
	return 1;
}

/* What every acknowledgement ends with. */
static inline void pcc_remember(struct pcc_state *state, const struct pcc_input *in)
{
	state->delivered_base = in->delivered;
	state->lost_base = in->lost;
}

static inline void pcc_init(struct pcc_state *state, struct pcc_interval *intervals, pcc_u32 first_rate)
{
	*state = (struct pcc_state){ 0 };
	for (pcc_u32 i = 0; i < PCC_INTERVALS; i++)
		intervals[i] = (struct pcc_interval){ 0 };
	intervals[0].utility = PCC_S64_MIN;
	state->rate = first_rate;
	state->last_rate = first_rate;
	state->phase = PCC_START;
	state->last_decision = PCC_UP;
}

#endif
