/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The window is a cubic function of the time since the latest reduction, in ticks. Detects round
 * trips by itself. The table is in the older section, which registers without a link.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "GPL";

extern unsigned long CONFIG_HZ __kconfig;
extern __u32 tcp_slow_start(struct tcp_sock *tp, __u32 acked) __ksym;
extern void tcp_cong_avoid_ai(struct tcp_sock *tp, __u32 w, __u32 acked) __ksym;

const volatile __u32 steepness = 410; /* 1024ths of C = 0.4 */

struct cubical {
	__u32 began; /* the tick of the latest reduction */
	__u32 top;   /* the window before it */
	__u32 flat;  /* ms from it to the flat part of the curve */
	__u32 round; /* the sequence number that ends this round */
	__u32 least; /* the least round trip of the round in us */
	__u32 events;
};

static struct cubical *mine_of(const struct sock *sk)
{
	return (struct cubical *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

/* Cube root by Newton's method, without branches, because the verifier would follow each. */
static __u32 root(__u64 of)
{
	__u64 root = 1 << 14;

	for (int step = 0; step < 24; step++)
		root = (2 * root + of / (root * root + 1)) / 3;
	return root;
}

SEC("struct_ops")
void BPF_PROG(cubical_init, struct sock *sk)
{
	struct cubical *mine = mine_of(sk);

	mine->began = bpf_jiffies64();
	mine->top = 0;
	mine->flat = 0;
	mine->round = ((struct tcp_sock *)sk)->snd_nxt;
	mine->least = ~0U;
}

SEC("struct_ops")
__u32 BPF_PROG(cubical_ssthresh, struct sock *sk)
{
	const struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct cubical *mine = mine_of(sk);
	__u32 window = tp->snd_cwnd;

	mine->began = bpf_jiffies64();
	mine->top = window;
	/* ms: the cube root of 0.3 W / C seconds, times 1000. */
	mine->flat = root((__u64)window * 300 * 1024 / steepness * 1000000);
	window = window * 7 / 10;
	return window < 2 ? 2 : window;
}

SEC("struct_ops")
void BPF_PROG(cubical_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct cubical *mine = mine_of(sk);
	__u32 count;
	__s64 ms, aim;

	if (!BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
		return;
	if (tp->snd_cwnd < tp->snd_ssthresh) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	ms = (__u64)((__u32)bpf_jiffies64() - mine->began) * 1000 / CONFIG_HZ;
	if (ms > 100000)
		ms = 100000;
	ms -= mine->flat;
	/*
	 * C is in windows per second cubed. Both signs are computed with positive numbers, because
	 * signed division needs version 4 of the instruction set.
	 */
	if (ms < 0)
		aim = (__s64)mine->top - (__s64)((__u64)(-ms) * (__u64)(-ms) / 1000 * (__u64)(-ms) / 1000 * steepness / 1024 / 1000);
	else
		aim = (__s64)mine->top + (__s64)((__u64)ms * (__u64)ms / 1000 * (__u64)ms / 1000 * steepness / 1024 / 1000);
	if (aim > tp->snd_cwnd)
		count = tp->snd_cwnd / (__u32)(aim - tp->snd_cwnd);
	else
		count = 100 * tp->snd_cwnd;
	tcp_cong_avoid_ai(tp, count < 2 ? 2 : count, acked);
}

SEC("struct_ops")
void BPF_PROG(cubical_acked, struct sock *sk, const struct ack_sample *sample)
{
	const struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct cubical *mine = mine_of(sk);

	if (sample->rtt_us > 0 && (__u32)sample->rtt_us < mine->least)
		mine->least = sample->rtt_us;
	if ((__s32)(tp->snd_una - mine->round) >= 0) {
		mine->round = tp->snd_nxt;
		mine->least = ~0U;
	}
}

SEC("struct_ops")
void BPF_PROG(cubical_state, struct sock *sk, __u8 state)
{
	if (state == TCP_CA_Loss)
		mine_of(sk)->top = 0;
}

SEC("struct_ops")
void BPF_PROG(cubical_event, struct sock *sk, enum tcp_ca_event event)
{
	if (event == CA_EVENT_TX_START)
		mine_of(sk)->events++;
}

SEC("struct_ops")
__u32 BPF_PROG(cubical_undo, struct sock *sk)
{
	const struct tcp_sock *tp = (struct tcp_sock *)sk;

	return tp->snd_cwnd > tp->prior_cwnd ? tp->snd_cwnd : tp->prior_cwnd;
}

SEC(".struct_ops")
struct tcp_congestion_ops cubical = {
	.init = (void *)cubical_init,
	.ssthresh = (void *)cubical_ssthresh,
	.cong_avoid = (void *)cubical_avoid,
	.pkts_acked = (void *)cubical_acked,
	.set_state = (void *)cubical_state,
	.cwnd_event = (void *)cubical_event,
	.undo_cwnd = (void *)cubical_undo,
	.name = "kf_cubical",
};
