/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * A core is the arithmetic of one controller as the kernel runs it, one function that is told what happened to a connection and what its socket shows, and
 * answers with a window, a threshold and a rate.
 *
 *	void NAME_decide(const struct NAME_constants *, struct STATE *, const struct core_input *, struct core_output *)
 *
 * Freestanding integer C for any compiler, that for BPF included: no header, no libc, no floating point, no 128-bit type, only unsigned division, and every loop has a
 * constant bound. Counts are 32 bits wide and wrap, as the socket's do; 64-bit arithmetic wraps as well, and a division by zero gives zero, as in BPF.
 *
 * Constants and states have no padding, and members of the types below or of structures and arrays of them: Rust's side is generated from these declarations.
 *
 * The state of a new connection is all zero. Rates are bytes/s, times µs, counts and windows segments.
 */
#ifndef NARROWS_CORE_H
#define NARROWS_CORE_H

typedef unsigned short core_u16;
typedef unsigned int core_u32;
typedef signed int core_s32;
typedef unsigned long long core_u64;
typedef signed long long core_s64;

_Static_assert(sizeof(core_u16) == 2 && sizeof(core_u32) == 4 && sizeof(core_u64) == 8, "sizes of integers");

#define CORE_S64_MIN ((core_s64)0x8000000000000000ULL)
#define CORE_SECOND 1000000
/* No slow start threshold (TCP_INFINITE_SSTHRESH). */
#define CORE_NO_THRESHOLD 0x7fffffff

/* An event of a connection; in parentheses the callback of struct tcp_congestion_ops that tells it. */
enum core_event {
	CORE_INIT,   /* it begins, or takes this controller (init) */
	CORE_STATE,  /* its recovery state changed (set_state) */
	CORE_RTT,    /* an acknowledgement, before the window is looked at (pkts_acked): a round trip may have been measured */
	CORE_ACK,    /* an acknowledgement: the window may move (cong_control, cong_avoid) */
	CORE_REDUCE, /* the kernel asks for the threshold after a loss or mark (ssthresh) */
	CORE_UNDO,   /* the reduction was needless: the window to go back to (undo_cwnd) */
	CORE_RESTART /* sending begins again after nothing was in flight (cwnd_event, CA_EVENT_TX_START) */
};

/* The recovery state (TCP_CA_Open ... TCP_CA_Loss). */
enum core_recovery { CORE_OPEN, CORE_DISORDER, CORE_CWR, CORE_RECOVERY, CORE_LOSS };

/* The members of a socket that its controller sees: rates in bytes/s, times in us, counts and windows in segments. */
struct core_input {
	core_u64 now;		   /* the time (tcp_mstamp) */
	core_u64 pacing_rate;	   /* the rate in force (sk_pacing_rate) */
	core_u64 max_pacing_rate;  /* the most that is allowed (sk_max_pacing_rate) */
	core_u32 event;		   /* enum core_event */
	core_u32 random;	   /* fresh with each call */
	core_u32 sent;		   /* segments sent, retransmissions included (data_segs_out) */
	core_u32 delivered;	   /* segments delivered */
	core_u32 lost;		   /* segments lost */
	core_u32 in_flight;	   /* segments in flight */
	core_u32 srtt;		   /* smoothed round trip; 0 before the first sample */
	core_u32 rtt;		   /* measured by this acknowledgement, of a segment sent once; 0 for none */
	core_u32 flight_when_sent; /* segments in flight when the segment of that measurement was sent */
	core_u32 acked;		   /* segments newly acknowledged */
	core_u32 cwnd;		   /* the window in force (snd_cwnd) */
	core_u32 ssthresh;	   /* the threshold in force (snd_ssthresh) */
	core_u32 prior_cwnd;	   /* the window before the latest reduction (prior_cwnd) */
	core_u32 cwnd_clamp;	   /* the largest window allowed (snd_cwnd_clamp) */
	core_u32 cwnd_limited;	   /* 1 if the window was what held sending back (tcp_is_cwnd_limited) */
	core_u32 recovery;	   /* enum core_recovery */
	core_u32 mss;		   /* largest payload of a segment, at least 1 (mss_cache) */
	core_u32 ect0_bytes;	   /* payload that arrived with ECT(0), as AccECN tells (delivered_ecn_bytes) */
	core_u32 ect1_bytes;	   /* with ECT(1) */
	core_u32 ce_bytes;	   /* with CE */
	core_u32 priority;	   /* the socket's priority (SO_PRIORITY) */
	core_u32 priced;	   /* 1 if the connection has prices of its own instead of the controller's */
	core_u32 price_of_loss;	   /* these prices, in the controller's unit */
	core_u32 price_of_latency;
	core_u32 sampled;	   /* 1 if the departure of a segment that this acknowledgement reports is known (rate_sample.prior_mstamp) */
	core_u32 prior_delivered;  /* segments delivered when the latest sent of those left (rate_sample.prior_delivered) */
};

/* A controller's decision. Before the call it holds the values in force. */
struct core_output {
	core_u64 pacing_rate; /* bytes of payload per second */
	core_u32 cwnd;	      /* segments that may be in flight */
	core_u32 ssthresh;    /* slow start ends here */
};

static inline core_s64 core_add(core_s64 a, core_s64 b)
{
	return (core_s64)((core_u64)a + (core_u64)b);
}

static inline core_s64 core_sub(core_s64 a, core_s64 b)
{
	return (core_s64)((core_u64)a - (core_u64)b);
}

static inline core_s64 core_mul(core_s64 a, core_s64 b)
{
	return (core_s64)((core_u64)a * (core_u64)b);
}

/* The only division: of magnitudes. */
static inline core_u64 core_udiv(core_u64 a, core_u64 b)
{
	return b ? a / b : 0;
}

static inline core_u64 core_magnitude(core_s64 a)
{
	return a < 0 ? 0 - (core_u64)a : (core_u64)a;
}

/* Truncates toward zero. */
static inline core_s64 core_div(core_s64 a, core_s64 b)
{
	core_u64 quotient = core_udiv(core_magnitude(a), core_magnitude(b));

	return (core_s64)((a < 0) == (b < 0) ? quotient : 0 - quotient);
}

static inline core_u32 core_min(core_u32 a, core_u32 b)
{
	return a < b ? a : b;
}

static inline core_u32 core_max(core_u32 a, core_u32 b)
{
	return a > b ? a : b;
}

#endif
