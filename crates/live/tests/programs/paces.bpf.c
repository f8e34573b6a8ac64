/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Paces at a gain times the largest recent delivery rate, and keeps two bandwidth-delay products in
 * flight.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "GPL";

const volatile __u32 lowest = 64; /* segments per second */

struct paces {
	__u64 now;    /* the largest rate of this round, in segments per 2^20 us */
	__u64 before; /* the largest rate of the previous round */
	__u64 marks;
	__u32 least; /* round trip in us */
	__u32 end;   /* of the round, in segments delivered */
	__u32 round;
	__s32 losses;
};

static struct paces *mine_of(const struct sock *sk)
{
	return (struct paces *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

SEC("struct_ops")
void BPF_PROG(paces_init, struct sock *sk)
{
	struct paces *mine = mine_of(sk);

	mine->now = mine->before = 0;
	mine->least = ~0U;
	mine->end = ((struct tcp_sock *)sk)->delivered;
	mine->round = 0;
	mine->marks = 0;
	mine->losses = 0;
	if (sk->sk_pacing_status == SK_PACING_NONE)
		sk->sk_pacing_status = SK_PACING_NEEDED;
}

SEC("struct_ops")
void BPF_PROG(paces_control, struct sock *sk, __u32 ack, int flag, const struct rate_sample *rs)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct paces *mine = mine_of(sk);
	__u64 rate = 0, most = lowest, window;

	if (rs->rtt_us > 0 && rs->rtt_us < mine->least)
		mine->least = rs->rtt_us;
	if (rs->losses > 0)
		mine->losses += rs->losses;
	if (rs->delivered_ce > 0)
		mine->marks += rs->delivered_ce;
	if (rs->delivered > 0 && rs->interval_us > 0 && !rs->is_app_limited)
		rate = ((__u64)rs->delivered << 20) / rs->interval_us;
	if ((__s32)(rs->prior_delivered - mine->end) >= 0) {
		mine->end = tp->delivered;
		mine->round++;
		mine->before = mine->now;
		mine->now = 0;
	}
	if (rate > mine->now)
		mine->now = rate;
	if (mine->now > most)
		most = mine->now;
	if (mine->before > most)
		most = mine->before;
	/* A quarter more every eighth round, a quarter less after it. */
	rate = most;
	if ((mine->round & 7) == 0)
		rate += rate / 4;
	else if ((mine->round & 7) == 1)
		rate -= rate / 4;
	sk->sk_pacing_rate = (rate * tp->mss_cache * 1000000) >> 20;
	if (mine->least == ~0U)
		return;
	window = (most * mine->least >> 20) * 2 + 4;
	if (tp->packets_out == 0)
		tp->app_limited = 1;
	tp->snd_cwnd = window > tp->snd_cwnd_clamp ? tp->snd_cwnd_clamp : window;
}

SEC("struct_ops")
__u32 BPF_PROG(paces_ssthresh, struct sock *sk)
{
	return ((struct tcp_sock *)sk)->snd_ssthresh;
}

SEC("struct_ops")
__u32 BPF_PROG(paces_undo_cwnd, struct sock *sk)
{
	return ((struct tcp_sock *)sk)->snd_cwnd;
}

SEC("struct_ops")
__u32 BPF_PROG(paces_min_tso_segs, struct sock *sk)
{
	return sk->sk_pacing_rate < 150000 ? 1 : 2;
}

SEC(".struct_ops.link")
struct tcp_congestion_ops paces = {
	.init = (void *)paces_init,
	.cong_control = (void *)paces_control,
	.ssthresh = (void *)paces_ssthresh,
	.undo_cwnd = (void *)paces_undo_cwnd,
	.min_tso_segs = (void *)paces_min_tso_segs,
	.flags = 2, /* TCP_CONG_NEEDS_ECN */
	.name = "kf_paces",
};
