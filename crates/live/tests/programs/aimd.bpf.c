/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Additive increase and multiplicative decrease with parameters. Counts the reductions of all its
 * connections in a global variable.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "GPL";

const volatile __u32 gain = 1000; /* thousandths of a segment per round trip */
const volatile __u32 keep = 700;  /* thousandths of the window that a loss leaves */

__u32 reductions; /* of all connections */

struct aimd { /* of each connection */
	__u32 losses;
	__u32 seen; /* reductions of all connections at the last loss of this one */
};

SEC("struct_ops")
void BPF_PROG(aimd_init, struct sock *sk)
{
	struct aimd *mine = (struct aimd *)((struct inet_connection_sock *)sk)->icsk_ca_priv;

	mine->losses = 0;
	mine->seen = reductions;
}

SEC("struct_ops")
void BPF_PROG(aimd_cong_avoid, struct tcp_sock *tp, __u32 ack, __u32 acked)
{
	__u32 whole = tp->snd_cwnd * 1000, sum = tp->snd_cwnd_cnt + acked * gain;

	if (!BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
		return;
	if (tp->snd_cwnd < tp->snd_ssthresh) {
		tp->snd_cwnd += acked;
		return;
	}
	tp->snd_cwnd += sum / whole;
	tp->snd_cwnd_cnt = sum % whole;
}

SEC("struct_ops")
__u32 BPF_PROG(aimd_ssthresh, struct tcp_sock *tp)
{
	struct aimd *mine = (struct aimd *)tp->inet_conn.icsk_ca_priv;

	mine->losses++;
	mine->seen = reductions++;
	return tp->snd_cwnd > 3 ? tp->snd_cwnd * keep / 1000 : 2;
}

SEC("struct_ops")
__u32 BPF_PROG(aimd_undo_cwnd, struct tcp_sock *tp)
{
	return tp->snd_cwnd > tp->prior_cwnd ? tp->snd_cwnd : tp->prior_cwnd;
}

SEC(".struct_ops.link")
struct tcp_congestion_ops aimd = {
	.init = (void *)aimd_init,
	.cong_avoid = (void *)aimd_cong_avoid,
	.ssthresh = (void *)aimd_ssthresh,
	.undo_cwnd = (void *)aimd_undo_cwnd,
	.flags = 2, /* TCP_CONG_NEEDS_ECN */
	.name = "kf_aimd",
};
