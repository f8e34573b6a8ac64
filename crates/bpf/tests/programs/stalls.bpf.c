/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A controller with a mistake: after some growth it leaves no window. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "GPL";

static inline struct tcp_sock *tcp_sk(const struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

SEC("struct_ops")
__u32 BPF_PROG(stalls_ssthresh, struct sock *sk)
{
	return tcp_sk(sk)->snd_cwnd / 2;
}

SEC("struct_ops")
void BPF_PROG(stalls_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	tcp_sk(sk)->snd_cwnd = tcp_sk(sk)->snd_cwnd < 40 ? tcp_sk(sk)->snd_cwnd + acked : 0;
}

SEC("struct_ops")
__u32 BPF_PROG(stalls_undo_cwnd, struct sock *sk)
{
	return tcp_sk(sk)->snd_cwnd;
}

SEC(".struct_ops.link")
struct tcp_congestion_ops stalls = {
	.ssthresh = (void *)stalls_ssthresh,
	.cong_avoid = (void *)stalls_cong_avoid,
	.undo_cwnd = (void *)stalls_undo_cwnd,
	.name = "stalls",
};
