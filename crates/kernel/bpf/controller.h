/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * Common part of all controllers in the kernel: it passes the state of a socket to the core,
 * carries out the core's decision, and records both on request.
 *
 * A controller's file names its core before it includes this header:
 *
 *	#define CORE pcc_vivace			functions and constants of the core
 *	#define CORE_REMEMBERS struct pcc_state	state of a connection
 *	#define CORE_IS_LONG			the state does not fit the private area of a socket
 *	#define CORE_IS_PRICED			connections can have prices of their own
 *	#define CORE_ASKS_SAMPLES(constants)	true if the core asks for rate samples
 *	#include "pcc_vivace.h"
 *	#include "controller.h"
 *
 * Then it defines its callbacks with `told` and a macro such as `WINDOW_CONTROLLER`.
 */
#ifndef NARROWS_CONTROLLER_H
#define NARROWS_CONTROLLER_H

#include "socket.h"
#include "shared.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define CORE_CONSTANTS struct JOIN(CORE, _constants)
#define CORE_DECIDE JOIN(CORE, _decide)

char _license[] SEC("license") = "GPL";

/* Set before loading. */
const volatile CORE_CONSTANTS constants SEC(".rodata.constants");

/* Counters over all connections so far; read from outside. */
struct shared_stats stats SEC(".data.stats");

/*
 * End of the recording; set from outside at any time. It is a time, so that the recording soon ends
 * by itself if its reader is killed.
 */
struct shared_control control SEC(".data.control");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, SHARED_RECORDS_BYTES);
} records SEC(".maps");

#ifdef CORE_IS_PRICED
/* Prices by the socket's priority; set from outside at any time. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SHARED_PRIORITIES);
	__type(key, u32);
	__type(value, struct shared_price);
} prices SEC(".maps");
#endif

/* State of a connection. */
struct remembered {
	CORE_REMEMBERS state;
	u64 connection; /* number of the connection */
	u64 sequence;	/* number of its calls so far */
};

#ifdef CORE_IS_LONG
struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct remembered);
} connections SEC(".maps");

static __always_inline struct remembered *remembered(struct sock *sk, u32 event)
{
	return bpf_sk_storage_get(&connections, sk, NULL, event == CORE_INIT ? BPF_SK_STORAGE_GET_F_CREATE : 0);
}

/* Deletes the state. True if there was one. */
static __always_inline bool forget(struct sock *sk)
{
	return !bpf_sk_storage_delete(&connections, sk);
}
#else
_Static_assert(sizeof(struct remembered) <= sizeof(((struct inet_connection_sock *)0)->icsk_ca_priv), "define CORE_IS_LONG");

/*
 * Returns NULL before the connection begins, because the acknowledgement of the SYN comes earlier
 * (tcp_rcv_synsent_state_process). The first call with a state is CORE_INIT.
 */
static __always_inline struct remembered *remembered(struct sock *sk, u32 event)
{
	struct remembered *mine = (struct remembered *)((struct inet_connection_sock *)sk)->icsk_ca_priv;

	if (event == CORE_INIT)
		mine->sequence = 0;
	else if (!mine->sequence)
		return NULL;
	return mine;
}

/*
 * Deletes the state. True if there was one: the kernel clears the area when a socket chooses a
 * controller, and the first call makes `sequence` nonzero.
 */
static __always_inline bool forget(struct sock *sk)
{
	struct remembered *mine = (struct remembered *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
	bool any = mine->sequence != 0;

	mine->sequence = 0;
	return any;
}
#endif

struct decision {
	struct shared_record_head head;
	struct core_input in;
	struct core_output out;
	CORE_REMEMBERS state;
};

static __always_inline u32 limited_by_window(const struct tcp_sock *tp)
{
	if (BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
		return 1;
	return tp->snd_cwnd < tp->snd_ssthresh && tp->snd_cwnd < 2 * tp->max_packets_out;
}

/* Reads the prices of a connection: the prices of its priority, if there are any. */
static __always_inline void look_at_prices(struct sock *sk, struct core_input *in)
{
	in->priority = sk->sk_priority;
	in->priced = 0;
	in->price_of_loss = 0;
	in->price_of_latency = 0;
	in->sampled = 0;
	in->prior_delivered = 0;
#ifdef CORE_IS_PRICED
	const struct shared_price *price = bpf_map_lookup_elem(&prices, &in->priority);

	if (price && price->is_set) {
		in->priced = 1;
		in->price_of_loss = price->loss;
		in->price_of_latency = price->latency;
	}
#endif
}

static __always_inline void look(struct sock *sk, const struct tcp_sock *tp, struct core_input *in)
{
	look_at_prices(sk, in);
	in->now = tp->tcp_mstamp;
	in->pacing_rate = sk->sk_pacing_rate;
	in->max_pacing_rate = sk->sk_max_pacing_rate;
	in->random = bpf_get_prandom_u32();
	in->sent = tp->data_segs_out;
	in->delivered = tp->delivered;
	in->lost = tp->lost;
	in->in_flight = tp->packets_out - tp->sacked_out - tp->lost_out + tp->retrans_out;
	in->srtt = tp->srtt_us >> 3;
	in->rtt = 0;
	in->flight_when_sent = 0;
	in->acked = 0;
	in->cwnd = tp->snd_cwnd;
	in->ssthresh = tp->snd_ssthresh;
	in->prior_cwnd = tp->prior_cwnd;
	in->cwnd_clamp = tp->snd_cwnd_clamp;
	in->cwnd_limited = limited_by_window(tp);
	in->recovery = BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_state);
	in->mss = tp->mss_cache ? tp->mss_cache : 1;
	in->ect0_bytes = 0;
	in->ect1_bytes = 0;
	in->ce_bytes = 0;
	/*
	 * Since Linux 6.18. The index is the code point less one: ECT(1), ECT(0), CE
	 * (include/net/tcp_ecn.h).
	 */
	if (bpf_core_field_exists(tp->delivered_ecn_bytes)) {
		in->ect1_bytes = tp->delivered_ecn_bytes[0];
		in->ect0_bytes = tp->delivered_ecn_bytes[1];
		in->ce_bytes = tp->delivered_ecn_bytes[2];
	}
}

static __always_inline void record(struct sock *sk, struct remembered *mine, const struct core_input *in, const struct core_output *out)
{
	struct decision *decision;
	u64 sequence = mine->sequence++;

	if (control.record_until <= in->now)
		return;
	decision = bpf_ringbuf_reserve(&records, sizeof(*decision), 0);
	if (!decision) {
		__sync_fetch_and_add(&stats.unrecorded, 1);
		return;
	}
	decision->head.connection = mine->connection;
	decision->head.sequence = sequence;
	decision->head.port = sk->__sk_common.skc_num;
	decision->head.peer = bpf_ntohs(sk->__sk_common.skc_dport);
	decision->head.reserved = 0;
	decision->in = *in;
	decision->out = *out;
	__builtin_memcpy(&decision->state, &mine->state, sizeof(decision->state));
	bpf_ringbuf_submit(decision, 0);
}

/*
 * Runs one step of the core; returns 0. The verifier refuses a function that returns with an
 * address of the stack in R0, which happens to functions without a result. So this function has a
 * result that the compiler does not know and the callers use.
 */
static __noinline int step(CORE_REMEMBERS *state, const struct core_input *in, struct core_output *out)
{
	const CORE_CONSTANTS *values = (const CORE_CONSTANTS *)&constants;
	int result = 0;

	/* The compiler must not use the values that it sees here: they change before loading. */
	asm volatile("" : "+r"(values));
	CORE_DECIDE(values, state, in, out);
	asm volatile("" : "+r"(result));
	return result;
}

/*
 * Calls the core for an event, and stores its decision in `out`. False if the kernel had no memory
 * for the connection, which then stays as it is.
 */
static __always_inline bool decide(struct sock *sk, struct tcp_sock *tp, struct core_input *in, struct core_output *out)
{
	struct remembered *mine = remembered(sk, in->event);
	out->pacing_rate = in->pacing_rate;
	out->cwnd = in->cwnd;
	out->ssthresh = in->ssthresh;
	if (in->event == CORE_INIT) {
		if (!mine)
			__sync_fetch_and_add(&stats.without_memory, 1);
		else
			mine->connection = __sync_fetch_and_add(&stats.opened, 1);
	}
	if (!mine || step(&mine->state, in, out))
		return false;
	record(sk, mine, in, out);
	return true;
}

static __always_inline void carry_out(struct sock *sk, struct tcp_sock *tp, const struct core_input *in, const struct core_output *out)
{
	bool changed = false;

	if (out->cwnd != in->cwnd) {
		tp->snd_cwnd = out->cwnd ? out->cwnd : 1;
		changed = true;
	}
	if (out->ssthresh != in->ssthresh)
		tp->snd_ssthresh = out->ssthresh;
	if (out->pacing_rate != in->pacing_rate) {
		sk->sk_pacing_rate = out->pacing_rate;
		changed = true;
	}
	if (changed)
		__sync_fetch_and_add(&stats.decisions, 1);
}

/* Handles an event of a connection: calls the core, and carries out its decision. */
static __always_inline void told(struct sock *sk, struct core_input *in, u32 event)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct core_output out;

	in->event = event;
	if (decide(sk, tp, in, &out))
		carry_out(sk, tp, in, &out);
}

static __always_inline void happened(struct sock *sk, u32 event)
{
	struct core_input in;

	look(sk, (struct tcp_sock *)sk, &in);
	told(sk, &in, event);
}

/* Lets TCP pace by itself if the device does not. */
static __always_inline void paced(struct sock *sk)
{
	if (sk->sk_pacing_status == SK_PACING_NONE)
		sk->sk_pacing_status = SK_PACING_NEEDED;
}

/* Callbacks that all controllers share. */

SEC("struct_ops")
u32 BPF_PROG(ssthresh, struct sock *sk)
{
	struct core_input in;
	struct core_output out;

	look(sk, (struct tcp_sock *)sk, &in);
	in.event = CORE_REDUCE;
	decide(sk, (struct tcp_sock *)sk, &in, &out);
	return out.ssthresh;
}

SEC("struct_ops")
u32 BPF_PROG(undo_cwnd, struct sock *sk)
{
	struct core_input in;
	struct core_output out;

	look(sk, (struct tcp_sock *)sk, &in);
	in.event = CORE_UNDO;
	decide(sk, (struct tcp_sock *)sk, &in, &out);
	return out.cwnd;
}

SEC("struct_ops")
void BPF_PROG(set_state, struct sock *sk, u8 state)
{
	struct core_input in;

	if (state == CORE_LOSS)
		__sync_fetch_and_add(&stats.timeouts, 1);
	look(sk, (struct tcp_sock *)sk, &in);
	/* The socket still has the previous state. */
	in.recovery = state;
	told(sk, &in, CORE_STATE);
}

/*
 * Deletes the state, so that a socket that chooses the controller again begins anew. Older kernels
 * also release sockets that chose the controller and never connected; these have no state.
 */
SEC("struct_ops")
void BPF_PROG(release, struct sock *sk)
{
	if (forget(sk))
		__sync_fetch_and_add(&stats.closed, 1);
}

/* A single step of the core, for tests: bpf(2), BPF_PROG_TEST_RUN. */
struct {
	CORE_REMEMBERS state;
	struct core_input in;
	struct core_output out;
} trial SEC(".data.trial");

SEC("syscall")
int try_core(void *context)
{
	return step(&trial.state, &trial.in, &trial.out);
}

#endif
