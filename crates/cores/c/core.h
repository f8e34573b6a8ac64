/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * A core is the arithmetic of one controller as the kernel runs it. It is one function that takes
 * an event of a connection and the state of its socket, and decides a window, a threshold and a
 * rate.
 *
 *	void NAME_decide(const struct NAME_constants *, struct STATE *,
 *			 const struct core_input *, struct core_output *)
 *
 * A core is freestanding integer C for any compiler, also for BPF. It has no system header, no
 * libc, no floating point, no 128-bit type and only unsigned division, and every loop has a
 * constant bound. Counts are 32 bits wide and wrap, like the counts of the socket. 64-bit
 * arithmetic wraps as well, and a division by zero gives zero, as in BPF.
 *
 * Constants and states have no padding. Their members have the types below, or are structures and
 * arrays of these types, because the Rust declarations are generated from them.
 *
 * The state of a new connection is all zero. Rates are in bytes/s, times in µs, counts and windows
 * in segments.
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

/*
 * An event of a connection, with the callback of struct tcp_congestion_ops that reports it in
 * parentheses.
 */
enum core_event {
	CORE_INIT,   /* the connection begins, or chooses this controller (init) */
	CORE_STATE,  /* the recovery state changed (set_state) */
	CORE_RTT,    /* an acknowledgement, before the decision about the window (pkts_acked): it
		      * may have measured a round trip */
	CORE_ACK,    /* an acknowledgement: the window may move (cong_control, cong_avoid) */
	CORE_REDUCE, /* the kernel asks for the threshold after a loss or mark (ssthresh) */
	CORE_UNDO,   /* the reduction was spurious: the kernel asks for the window to restore
		      * (undo_cwnd) */
	CORE_RESTART /* sending restarts after nothing was in flight (cwnd_event,
		      * CA_EVENT_TX_START) */
};

/* The recovery state (TCP_CA_Open ... TCP_CA_Loss). */
enum core_recovery { CORE_OPEN, CORE_DISORDER, CORE_CWR, CORE_RECOVERY, CORE_LOSS };

/*
 * The state of a socket that its controller sees: rates in bytes/s, times in us, counts and windows
 * in segments.
 */
struct core_input {
	core_u64 now;		   /* the time (tcp_mstamp) */
	core_u64 pacing_rate;	   /* the rate in force (sk_pacing_rate) */
	core_u64 max_pacing_rate;  /* the largest rate allowed (sk_max_pacing_rate) */
	core_u32 event;		   /* enum core_event */
	core_u32 random;	   /* a random number, new with each call */
	core_u32 sent;		   /* segments sent, retransmissions included (data_segs_out) */
	core_u32 delivered;	   /* segments delivered */
	core_u32 lost;		   /* segments lost */
	core_u32 in_flight;	   /* segments in flight */
	core_u32 srtt;		   /* smoothed round trip; 0 before the first sample */
	core_u32 rtt;		   /* round trip measured by this acknowledgement, of a segment sent
				    * once; 0 for none */
	core_u32 flight_when_sent; /* segments in flight when the segment of `rtt` was sent */
	core_u32 acked;		   /* segments newly acknowledged */
	core_u32 cwnd;		   /* the window in force (snd_cwnd) */
	core_u32 ssthresh;	   /* the threshold in force (snd_ssthresh) */
	core_u32 prior_cwnd;	   /* the window before the latest reduction (prior_cwnd) */
	core_u32 cwnd_clamp;	   /* the largest window allowed (snd_cwnd_clamp) */
	core_u32 cwnd_limited;	   /* 1 if the window limited sending (tcp_is_cwnd_limited) */
	core_u32 recovery;	   /* enum core_recovery */
	core_u32 mss;		   /* largest payload of a segment, at least 1 (mss_cache) */
	core_u32 ect0_bytes;	   /* bytes of payload that arrived with ECT(0), as AccECN reports
				    * (delivered_ecn_bytes) */
	core_u32 ect1_bytes;	   /* bytes of payload that arrived with ECT(1) */
	core_u32 ce_bytes;	   /* bytes of payload that arrived with CE */
	core_u32 priority;	   /* the socket's priority (SO_PRIORITY) */
	core_u32 priced;	   /* 1 if the connection has its own prices instead of the
				    * controller's */
	core_u32 price_of_loss;	   /* its price of loss, in the controller's unit */
	core_u32 price_of_latency; /* its price of latency, in the controller's unit */
	core_u32 sampled;	   /* 1 if the sending time of a segment that this acknowledgement
				    * reports is known (rate_sample.prior_mstamp) */
	core_u32 prior_delivered;  /* segments delivered when the latest of the segments that this
				    * acknowledgement reports was sent
				    * (rate_sample.prior_delivered) */
};

/* A controller's decision. Before the call it holds the values in force. */
struct core_output {
	core_u64 pacing_rate; /* bytes of payload per second */
	core_u32 cwnd;	      /* segments that may be in flight */
	core_u32 ssthresh;    /* slow start threshold, in segments */
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

/* The only division: of unsigned numbers. */
static inline core_u64 core_udiv(core_u64 a, core_u64 b)
{
	return b ? a / b : 0;
}

static inline core_u64 core_magnitude(core_s64 a)
{
	return a < 0 ? 0 - (core_u64)a : (core_u64)a;
}

/* Divides, and truncates toward zero. */
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
