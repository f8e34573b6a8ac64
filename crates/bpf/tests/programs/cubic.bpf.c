/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* CUBIC after RFC 9438 with the fixed point of Linux: time in 1/1024 s from ticks, C = 410/1024, beta = 717/1024, and HyStart. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "GPL";

#define BETA 717
#define CURVE 410
/* 2^40 / CURVE: segments to (1/1024 s)^3. */
#define CUBE 2681735677ULL
/* 8 (1 + beta) / 3 (1 - beta). */
#define RENO 15
#define LOW_WINDOW 16
#define TRAIN_GAP 2000
#define SAMPLES 8
#define RISE_LEAST 4000
#define RISE_MOST 16000

extern int CONFIG_HZ __kconfig;
extern __u32 tcp_slow_start(struct tcp_sock *tp, __u32 acked) __ksym;
extern void tcp_cong_avoid_ai(struct tcp_sock *tp, __u32 w, __u32 acked) __ksym;

struct cubic {
	__u32 count, last_max, last_window, last_tick;
	__u32 origin, k, epoch, min_rtt;
	__u32 acked, reno;
	__u32 began, train, end, least;
	__u32 samples, found;
};

static inline struct tcp_sock *tcp_sk(const struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

static inline struct cubic *cubic(const struct sock *sk)
{
	return (struct cubic *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

static inline __u32 tick(void)
{
	return (__u32)bpf_jiffies64();
}

static inline int in_slow_start(const struct tcp_sock *tp)
{
	return tp->snd_cwnd < tp->snd_ssthresh;
}

static inline int is_limited(const struct tcp_sock *tp)
{
	return tp->is_cwnd_limited || (in_slow_start(tp) && tp->snd_cwnd < 2 * tp->max_packets_out);
}

/* Of the leading six bits, in 1/64 and less 10. */
static const __u8 roots[64] = {
	0,   54,  54,  54,  118, 118, 118, 118, 123, 129, 134, 138, 143, 147, 151, 156, 157, 161, 164, 168, 170, 173,
	176, 179, 181, 185, 187, 190, 192, 194, 197, 199, 200, 202, 204, 206, 209, 211, 213, 215, 217, 219, 221, 222,
	224, 225, 227, 229, 231, 232, 234, 236, 237, 239, 240, 242, 244, 245, 246, 248, 250, 251, 252, 254,
};

/* A look at the table and one step after Newton. */
static __attribute__((noinline)) __u32 cube_root(__u64 a)
{
	__u32 bits = 0, third;
	__u64 x;

	for (__u32 half = 32; half; half >>= 1)
		if (a >> (bits + half))
			bits += half;
	bits += a != 0;
	if (bits < 7)
		return (roots[a & 63] + 35) >> 6;
	third = (bits * 84 >> 8) - 1;
	x = ((__u64)(roots[(a >> (third * 3)) & 63] + 10) << third) >> 6;
	x = 2 * x + a / (x * (x - 1));
	return x * 341 >> 10;
}

static inline void begin_round(struct cubic *mine, const struct tcp_sock *tp)
{
	mine->began = mine->train = (__u32)tp->tcp_mstamp;
	mine->end = tp->snd_nxt;
	mine->least = ~0U;
	mine->samples = 0;
}

static inline void begin(struct sock *sk)
{
	struct cubic *mine = cubic(sk);

	__builtin_memset(mine, 0, sizeof(*mine));
	begin_round(mine, tcp_sk(sk));
}

SEC("struct_ops")
void BPF_PROG(cubic_init, struct sock *sk)
{
	begin(sk);
}

SEC("struct_ops")
void BPF_PROG(cubic_set_state, struct sock *sk, __u8 state)
{
	if (state == 4)
		begin(sk);
}

SEC("struct_ops")
__u32 BPF_PROG(cubic_ssthresh, struct sock *sk)
{
	struct cubic *mine = cubic(sk);
	__u32 window = tcp_sk(sk)->snd_cwnd, left = window * BETA / 1024;

	mine->epoch = 0;
	mine->last_max = window < mine->last_max ? window * (1024 + BETA) / 2048 : window;
	return left < 2 ? 2 : left;
}

SEC("struct_ops")
__u32 BPF_PROG(cubic_undo_cwnd, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);

	return tp->snd_cwnd > tp->prior_cwnd ? tp->snd_cwnd : tp->prior_cwnd;
}

/* The time of idleness is not on the curve. */
SEC("struct_ops")
void BPF_PROG(cubic_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	struct cubic *mine = cubic(sk);
	__u32 now = tick();
	__s32 idle = now - tcp_sk(sk)->lsndtime;

	if (event != CA_EVENT_TX_START || !mine->epoch || idle <= 0)
		return;
	mine->epoch += idle;
	if ((__s32)(mine->epoch - now) > 0)
		mine->epoch = now;
}

/* Segments to acknowledge for one of growth. */
static inline void follow_curve(struct cubic *mine, __u32 window, __u32 acked, __u32 now)
{
	__u32 hz = CONFIG_HZ;
	__u64 t, off, delta;
	__u32 target;

	mine->last_window = window;
	mine->last_tick = now;
	if (!mine->epoch) {
		mine->epoch = now;
		mine->acked = acked;
		mine->reno = window;
		mine->origin = mine->last_max > window ? mine->last_max : window;
		mine->k = cube_root(CUBE * (mine->origin - window));
	}
	t = now - mine->epoch + ((__u64)mine->min_rtt * hz + 999999) / 1000000;
	t = (t << 10) / hz;
	off = t < mine->k ? mine->k - t : t - mine->k;
	delta = CURVE * off * off * off >> 40;
	target = t < mine->k ? mine->origin - delta : mine->origin + delta;
	mine->count = target > window ? window / (target - window) : 100 * window;
	if (!mine->last_max && mine->count > 20)
		mine->count = 20;
}

static inline void follow_reno(struct cubic *mine, __u32 window)
{
	__u32 step = window * RENO >> 3;

	if (mine->acked > step && step) {
		__u32 steps = (mine->acked - 1) / step;

		mine->acked -= steps * step;
		mine->reno += steps;
	}
	if (mine->reno > window) {
		__u32 most = window / (mine->reno - window);

		if (mine->count > most)
			mine->count = most;
	}
}

SEC("struct_ops")
void BPF_PROG(cubic_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct cubic *mine = cubic(sk);
	__u32 now = tick(), window;

	if (!is_limited(tp))
		return;
	if (in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	window = tp->snd_cwnd;
	mine->acked += acked;
	if (mine->last_window != window || now - mine->last_tick > (__u32)CONFIG_HZ / 32) {
		if (!mine->epoch || now != mine->last_tick)
			follow_curve(mine, window, acked, now);
		follow_reno(mine, window);
		if (mine->count < 2)
			mine->count = 2;
	}
	tcp_cong_avoid_ai(tp, mine->count, acked);
}

/* By how much batches of hosts lengthen a train, in us: four of them at the rate at which the kernel would pace. */
static inline __u32 batching(const struct sock *sk)
{
	__u64 rate = sk->sk_pacing_rate, time;

	if (!rate)
		return 0;
	time = (__u64)sk->sk_gso_max_size * 4 * 1000000 / rate;
	return time < 1000 ? time : 1000;
}

static inline void look_for_the_end(struct sock *sk, __u32 rtt)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct cubic *mine = cubic(sk);
	__u32 now = (__u32)tp->tcp_mstamp, rise = mine->min_rtt >> 3;

	if ((__s32)(tp->snd_una - mine->end) > 0)
		begin_round(mine, tp);
	if (tp->snd_cwnd < LOW_WINDOW)
		return;
	if ((__s32)(now - mine->train) <= TRAIN_GAP) {
		__u32 longest = mine->min_rtt + batching(sk);

		mine->train = now;
		/* The device does not pace. */
		if ((__s32)(now - mine->began) > (__s32)(longest >> 1))
			mine->found = 1;
	}
	if (mine->least > rtt)
		mine->least = rtt;
	rise = rise < RISE_LEAST ? RISE_LEAST : rise > RISE_MOST ? RISE_MOST : rise;
	if (mine->samples < SAMPLES)
		mine->samples++;
	else if (mine->least > mine->min_rtt + rise)
		mine->found = 1;
	if (mine->found)
		tp->snd_ssthresh = tp->snd_cwnd;
}

SEC("struct_ops")
void BPF_PROG(cubic_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct cubic *mine = cubic(sk);
	__s32 rtt = sample->rtt_us;

	if (rtt < 0 || (mine->epoch && (__s32)(tick() - mine->epoch) < CONFIG_HZ))
		return;
	if (!rtt)
		rtt = 1;
	if (!mine->min_rtt || mine->min_rtt > (__u32)rtt)
		mine->min_rtt = rtt;
	if (!mine->found && in_slow_start(tcp_sk(sk)))
		look_for_the_end(sk, rtt);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops own_cubic = {
	.init = (void *)cubic_init,
	.ssthresh = (void *)cubic_ssthresh,
	.cong_avoid = (void *)cubic_cong_avoid,
	.set_state = (void *)cubic_set_state,
	.cwnd_event = (void *)cubic_cwnd_event,
	.pkts_acked = (void *)cubic_pkts_acked,
	.undo_cwnd = (void *)cubic_undo_cwnd,
	.name = "own_cubic",
};
