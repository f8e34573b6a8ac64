/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * What makes a controller of one function: `NAME_decide` of core.h is told what happened to a connection and what its socket shows, and what it answers is carried
 * out. CORE is NAME. With CORE_PACES it has the window and the pacing rate to itself, in recovery too; else Linux spreads its reductions, and paces or not.
 */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)
#define CONSTANTS struct JOIN(CORE, _constants)
#define STATE struct JOIN(CORE, _state)

#ifndef CORE_DEFAULTS
#define CORE_DEFAULTS {}
#endif

char _license[] SEC("license") = "GPL";

const volatile CONSTANTS constants SEC(".rodata.constants") = CORE_DEFAULTS;

/* Points nowhere: compilers leave the types of variables in an object, and traces show what a connection remembers by its type. */
const STATE *const shown SEC(".rodata.shown") = 0;

_Static_assert(sizeof(STATE) <= sizeof(((struct inet_connection_sock *)0)->icsk_ca_priv),
	       "the state of a connection has more than 104 bytes, which is all that a socket has for it: remember less");

static __always_inline __u32 limited(const struct tcp_sock *tp)
{
	if (BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
		return 1;
	return tp->snd_cwnd < tp->snd_ssthresh && tp->snd_cwnd < 2 * tp->max_packets_out;
}

static __always_inline void look(struct tcp_sock *tp, struct core_input *in, __u32 event)
{
	struct sock *sk = (struct sock *)tp;

	in->now = tp->tcp_mstamp;
	in->pacing_rate = sk->sk_pacing_rate;
	in->max_pacing_rate = sk->sk_max_pacing_rate;
	in->event = event;
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
	in->cwnd_limited = limited(tp);
	in->recovery = BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_state);
	in->mss = tp->mss_cache ? tp->mss_cache : 1;
	in->priority = sk->sk_priority;
	in->priced = 0;
	in->price_of_loss = 0;
	in->price_of_latency = 0;
	in->sampled = 0;
	in->prior_delivered = 0;
	in->ect0_bytes = 0;
	in->ect1_bytes = 0;
	in->ce_bytes = 0;
	/* Linux 6.18. */
	if (bpf_core_field_exists(tp->delivered_ecn_bytes)) {
		in->ect1_bytes = tp->delivered_ecn_bytes[0];
		in->ect0_bytes = tp->delivered_ecn_bytes[1];
		in->ce_bytes = tp->delivered_ecn_bytes[2];
	}
}

static __always_inline void decide(struct tcp_sock *tp, struct core_input *in, struct core_output *out)
{
	const CONSTANTS *values = (const CONSTANTS *)&constants;

	/* The compiler shall not take the values it sees here for those at run time. */
	asm volatile("" : "+r"(values));
	out->pacing_rate = in->pacing_rate;
	out->cwnd = in->cwnd;
	out->ssthresh = in->ssthresh;
	JOIN(CORE, _decide)(values, (STATE *)tp->inet_conn.icsk_ca_priv, in, out);
}

static __always_inline void told(struct tcp_sock *tp, struct core_input *in)
{
	struct core_output out;

	/* The acknowledgement of the SYN comes before the connection begins. */
	if (in->event != CORE_INIT && !BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_initialized))
		return;
	decide(tp, in, &out);
	if (out.cwnd != in->cwnd)
		tp->snd_cwnd = out.cwnd ? core_min(out.cwnd, in->cwnd_clamp) : 1;
	if (out.ssthresh != in->ssthresh)
		tp->snd_ssthresh = out.ssthresh;
#ifdef CORE_PACES
	if (out.pacing_rate != in->pacing_rate)
		((struct sock *)tp)->sk_pacing_rate = out.pacing_rate;
#endif
}

SEC("struct_ops")
void BPF_PROG(init, struct tcp_sock *tp)
{
	struct core_input in;

#ifdef CORE_PACES
	struct sock *sk = (struct sock *)tp;

	if (sk->sk_pacing_status == SK_PACING_NONE)
		sk->sk_pacing_status = SK_PACING_NEEDED;
#endif
	look(tp, &in, CORE_INIT);
	told(tp, &in);
}

SEC("struct_ops")
void BPF_PROG(set_state, struct tcp_sock *tp, __u8 state)
{
	struct core_input in;

	look(tp, &in, CORE_STATE);
	/* The socket still has the state before. */
	in.recovery = state;
	told(tp, &in);
}

SEC("struct_ops")
void BPF_PROG(cwnd_event, struct tcp_sock *tp, enum tcp_ca_event event)
{
	struct core_input in;

	if (event != CA_EVENT_TX_START)
		return;
	look(tp, &in, CORE_RESTART);
	told(tp, &in);
}

SEC("struct_ops")
void BPF_PROG(pkts_acked, struct tcp_sock *tp, const struct ack_sample *sample)
{
	struct core_input in;

	look(tp, &in, CORE_RTT);
	in.acked = sample->pkts_acked;
	if (sample->rtt_us > 0) {
		in.rtt = sample->rtt_us;
		/* Of an acknowledgement without a measurement this says nothing. */
		in.flight_when_sent = sample->in_flight / in.mss;
	}
	told(tp, &in);
}

SEC("struct_ops")
__u32 BPF_PROG(ssthresh, struct tcp_sock *tp)
{
	struct core_input in;
	struct core_output out;

	look(tp, &in, CORE_REDUCE);
	decide(tp, &in, &out);
	return out.ssthresh;
}

SEC("struct_ops")
__u32 BPF_PROG(undo_cwnd, struct tcp_sock *tp)
{
	struct core_input in;
	struct core_output out;

	look(tp, &in, CORE_UNDO);
	decide(tp, &in, &out);
	return out.cwnd;
}

#ifdef CORE_PACES
/* Arguments as of Linux 6.10. */
SEC("struct_ops")
void BPF_PROG(cong_control, struct tcp_sock *tp, __u32 ack, int flag, const struct rate_sample *sample)
{
	struct core_input in;

	look(tp, &in, CORE_ACK);
	in.acked = sample->acked_sacked;
	in.sampled = sample->prior_mstamp != 0;
	in.prior_delivered = sample->prior_delivered;
	told(tp, &in);
}
#else
SEC("struct_ops")
void BPF_PROG(cong_avoid, struct tcp_sock *tp, __u32 ack, __u32 acked)
{
	struct core_input in;

	look(tp, &in, CORE_ACK);
	in.acked = acked;
	told(tp, &in);
}
#endif

SEC(".struct_ops.link")
struct tcp_congestion_ops controller = {
	.name = TEXT(CORE),
	.flags = 1, /* TCP_CONG_NON_RESTRICTED */
	.init = (void *)init,
	.ssthresh = (void *)ssthresh,
	.undo_cwnd = (void *)undo_cwnd,
	.set_state = (void *)set_state,
	.cwnd_event = (void *)cwnd_event,
	.pkts_acked = (void *)pkts_acked,
#ifdef CORE_PACES
	.cong_control = (void *)cong_control,
#else
	.cong_avoid = (void *)cong_avoid,
#endif
};
