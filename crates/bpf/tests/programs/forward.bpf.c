/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The kernel's CUBIC: each callback is passed on to the kernel's function. The second table has no HyStart, which pkts_acked looks for. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "GPL";

extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

extern void cubictcp_init(struct sock *sk) __ksym;
extern __u32 cubictcp_recalc_ssthresh(struct sock *sk) __ksym;
extern void cubictcp_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern void cubictcp_state(struct sock *sk, __u8 new_state) __ksym;
extern void cubictcp_cwnd_event(struct sock *sk, enum tcp_ca_event event) __ksym;
extern void cubictcp_acked(struct sock *sk, const struct ack_sample *sample) __ksym;

SEC("struct_ops") void BPF_PROG(c_init, struct sock *sk) { cubictcp_init(sk); }
SEC("struct_ops") __u32 BPF_PROG(c_ssthresh, struct sock *sk) { return cubictcp_recalc_ssthresh(sk); }
SEC("struct_ops") void BPF_PROG(c_avoid, struct sock *sk, __u32 ack, __u32 acked) { cubictcp_cong_avoid(sk, ack, acked); }
SEC("struct_ops") void BPF_PROG(c_state, struct sock *sk, __u8 new_state) { cubictcp_state(sk, new_state); }
SEC("struct_ops") void BPF_PROG(c_event, struct sock *sk, enum tcp_ca_event event) { cubictcp_cwnd_event(sk, event); }
SEC("struct_ops") void BPF_PROG(c_acked, struct sock *sk, const struct ack_sample *sample) { cubictcp_acked(sk, sample); }
SEC("struct_ops") __u32 BPF_PROG(c_undo, struct sock *sk) { return tcp_reno_undo_cwnd(sk); }

SEC(".struct_ops.link")
struct tcp_congestion_ops cubic_again = {
	.init = (void *)c_init,
	.ssthresh = (void *)c_ssthresh,
	.cong_avoid = (void *)c_avoid,
	.set_state = (void *)c_state,
	.cwnd_event = (void *)c_event,
	.pkts_acked = (void *)c_acked,
	.undo_cwnd = (void *)c_undo,
	.name = "bpf_cubic",
};

SEC(".struct_ops.link")
struct tcp_congestion_ops cubic_deaf = {
	.init = (void *)c_init,
	.ssthresh = (void *)c_ssthresh,
	.cong_avoid = (void *)c_avoid,
	.set_state = (void *)c_state,
	.cwnd_event = (void *)c_event,
	.undo_cwnd = (void *)c_undo,
	.name = "bpf_cubic_deaf",
};
