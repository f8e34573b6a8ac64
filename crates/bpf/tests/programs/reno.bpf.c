/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A small controller, as a user would write it: Reno whose step and share are parameters. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "GPL";

/* Parameters. */
const volatile int gain = 100;	     /* percent of Reno's step */
const volatile __u8 share = 128;     /* of 256, what a reduction leaves */
volatile __s64 offset = -3;

/* Counted over all calls. */
__u64 calls;

struct remembered {
	__u32 losses;
	__u32 largest;
	struct {
		__u16 low;
		__s16 high;
	} pair[2];
	__u64 flag : 1;
};

extern __u32 tcp_slow_start(struct tcp_sock *tp, __u32 acked) __ksym;
extern void tcp_cong_avoid_ai(struct tcp_sock *tp, __u32 w, __u32 acked) __ksym;

static inline struct tcp_sock *tcp_sk(const struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

static inline struct remembered *remembered(const struct sock *sk)
{
	return (struct remembered *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

static __attribute__((noinline)) __u32 reduced(__u32 window)
{
	window = window * share / 256;
	return window < 2 ? 2 : window;
}

SEC("struct_ops")
void BPF_PROG(reno_init, struct sock *sk)
{
	struct remembered *mine = remembered(sk);

	mine->losses = 0;
	mine->largest = tcp_sk(sk)->snd_cwnd;
	mine->pair[1].high = -1;
	mine->flag = 1;
}

SEC("struct_ops")
__u32 BPF_PROG(reno_ssthresh, struct sock *sk)
{
	remembered(sk)->losses++;
	return reduced(tcp_sk(sk)->snd_cwnd);
}

SEC("struct_ops")
void BPF_PROG(reno_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);

	calls++;
	if (!tp->is_cwnd_limited)
		return;
	if (tp->snd_cwnd < tp->snd_ssthresh) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	tcp_cong_avoid_ai(tp, tp->snd_cwnd * 100 / (gain > 0 ? gain : 1) + offset + 3, acked);
	if (tp->snd_cwnd > remembered(sk)->largest)
		remembered(sk)->largest = tp->snd_cwnd;
}

SEC("struct_ops")
__u32 BPF_PROG(reno_undo_cwnd, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);

	return tp->snd_cwnd > tp->prior_cwnd ? tp->snd_cwnd : tp->prior_cwnd;
}

SEC(".struct_ops.link")
struct tcp_congestion_ops reno = {
	.init = (void *)reno_init,
	.ssthresh = (void *)reno_ssthresh,
	.cong_avoid = (void *)reno_cong_avoid,
	.undo_cwnd = (void *)reno_undo_cwnd,
	.name = "own_reno",
};
