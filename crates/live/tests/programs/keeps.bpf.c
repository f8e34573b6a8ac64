/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Keeps its state in maps: acknowledged segments in socket storage, and reductions by the
 * connection's port. Has two tables.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "GPL";

struct credit {
	__u32 acked;
	__u32 grown;
};

struct {
	__uint(type, 24);     /* BPF_MAP_TYPE_SK_STORAGE */
	__uint(map_flags, 1); /* BPF_F_NO_PREALLOC */
	__type(key, int);
	__type(value, struct credit);
} credits SEC(".maps");

struct {
	__uint(type, 1); /* BPF_MAP_TYPE_HASH */
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, __u32);
} reductions SEC(".maps");

SEC("struct_ops")
void BPF_PROG(keeps_init, struct sock *sk)
{
	struct credit none = {};

	bpf_sk_storage_get(&credits, sk, &none, 1 /* BPF_LOCAL_STORAGE_GET_F_CREATE */);
}

SEC("struct_ops")
void BPF_PROG(keeps_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct credit *credit = bpf_sk_storage_get(&credits, sk, 0, 0);

	if (!credit || !BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
		return;
	if (tp->snd_cwnd < tp->snd_ssthresh) {
		tp->snd_cwnd += acked;
		return;
	}
	credit->acked += acked;
	if (credit->acked >= tp->snd_cwnd) {
		credit->acked = 0;
		credit->grown++;
		tp->snd_cwnd += 1 + credit->grown % 2;
	}
}

SEC("struct_ops")
__u32 BPF_PROG(keeps_ssthresh, struct sock *sk)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	__u32 port = sk->__sk_common.skc_num, one = 1, part = 2;
	__u32 *count = bpf_map_lookup_elem(&reductions, &port);

	if (count)
		part = 2 + ++*count % 3; /* each connection has its own: no other processor writes it */
	else
		bpf_map_update_elem(&reductions, &port, &one, 0);
	return tp->snd_cwnd > 2 * part ? tp->snd_cwnd - tp->snd_cwnd / part : 4;
}

SEC("struct_ops")
__u32 BPF_PROG(keeps_undo_cwnd, struct tcp_sock *tp)
{
	return tp->snd_cwnd > tp->prior_cwnd ? tp->snd_cwnd : tp->prior_cwnd;
}

SEC("struct_ops")
__u32 BPF_PROG(halves_ssthresh, struct tcp_sock *tp)
{
	return tp->snd_cwnd > 8 ? tp->snd_cwnd / 2 : 4;
}

SEC(".struct_ops.link")
struct tcp_congestion_ops keeps = {
	.init = (void *)keeps_init,
	.cong_avoid = (void *)keeps_cong_avoid,
	.ssthresh = (void *)keeps_ssthresh,
	.undo_cwnd = (void *)keeps_undo_cwnd,
	.flags = 2, /* TCP_CONG_NEEDS_ECN */
	.name = "kf_keeps",
};

SEC(".struct_ops.link")
struct tcp_congestion_ops halves = {
	.init = (void *)keeps_init,
	.cong_avoid = (void *)keeps_cong_avoid,
	.ssthresh = (void *)halves_ssthresh,
	.undo_cwnd = (void *)keeps_undo_cwnd,
	.name = "kf_halves",
};
