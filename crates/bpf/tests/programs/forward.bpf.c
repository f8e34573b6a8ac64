/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The kernel's own controllers, each callback of which is passed on to the kernel's function: three complete tables. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "GPL";

extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;
extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;

extern void cubictcp_init(struct sock *sk) __ksym;
extern __u32 cubictcp_recalc_ssthresh(struct sock *sk) __ksym;
extern void cubictcp_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern void cubictcp_state(struct sock *sk, __u8 new_state) __ksym;
extern void cubictcp_cwnd_event(struct sock *sk, enum tcp_ca_event event) __ksym;
extern void cubictcp_acked(struct sock *sk, const struct ack_sample *sample) __ksym;

extern void bbr_init(struct sock *sk) __ksym;
extern void bbr_main(struct sock *sk, __u32 ack, int flag, const struct rate_sample *rs) __ksym;
extern __u32 bbr_sndbuf_expand(struct sock *sk) __ksym;
extern __u32 bbr_undo_cwnd(struct sock *sk) __ksym;
extern void bbr_cwnd_event(struct sock *sk, enum tcp_ca_event event) __ksym;
extern __u32 bbr_ssthresh(struct sock *sk) __ksym;
extern __u32 bbr_min_tso_segs(struct sock *sk) __ksym;
extern void bbr_set_state(struct sock *sk, __u8 new_state) __ksym;

extern void dctcp_init(struct sock *sk) __ksym;
extern void dctcp_update_alpha(struct sock *sk, __u32 flags) __ksym;
extern void dctcp_cwnd_event(struct sock *sk, enum tcp_ca_event event) __ksym;
extern __u32 dctcp_ssthresh(struct sock *sk) __ksym;
extern __u32 dctcp_cwnd_undo(struct sock *sk) __ksym;
extern void dctcp_state(struct sock *sk, __u8 new_state) __ksym;

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

SEC("struct_ops") void BPF_PROG(b_init, struct sock *sk) { bbr_init(sk); }
SEC("struct_ops") void BPF_PROG(b_main, struct sock *sk, __u32 ack, int flag, const struct rate_sample *rs) { bbr_main(sk, ack, flag, rs); }
SEC("struct_ops") __u32 BPF_PROG(b_expand, struct sock *sk) { return bbr_sndbuf_expand(sk); }
SEC("struct_ops") __u32 BPF_PROG(b_undo, struct sock *sk) { return bbr_undo_cwnd(sk); }
SEC("struct_ops") void BPF_PROG(b_event, struct sock *sk, enum tcp_ca_event event) { bbr_cwnd_event(sk, event); }
SEC("struct_ops") __u32 BPF_PROG(b_ssthresh, struct sock *sk) { return bbr_ssthresh(sk); }
SEC("struct_ops") __u32 BPF_PROG(b_segments, struct sock *sk) { return bbr_min_tso_segs(sk); }
SEC("struct_ops") void BPF_PROG(b_state, struct sock *sk, __u8 new_state) { bbr_set_state(sk, new_state); }

SEC(".struct_ops.link")
struct tcp_congestion_ops bbr_again = {
	.init = (void *)b_init,
	.cong_control = (void *)b_main,
	.sndbuf_expand = (void *)b_expand,
	.undo_cwnd = (void *)b_undo,
	.cwnd_event = (void *)b_event,
	.ssthresh = (void *)b_ssthresh,
	.min_tso_segs = (void *)b_segments,
	.set_state = (void *)b_state,
	.name = "bpf_bbr",
};

SEC("struct_ops") void BPF_PROG(d_init, struct sock *sk) { dctcp_init(sk); }
SEC("struct_ops") void BPF_PROG(d_ack, struct sock *sk, __u32 flags) { dctcp_update_alpha(sk, flags); }
SEC("struct_ops") void BPF_PROG(d_event, struct sock *sk, enum tcp_ca_event event) { dctcp_cwnd_event(sk, event); }
SEC("struct_ops") __u32 BPF_PROG(d_ssthresh, struct sock *sk) { return dctcp_ssthresh(sk); }
SEC("struct_ops") __u32 BPF_PROG(d_undo, struct sock *sk) { return dctcp_cwnd_undo(sk); }
SEC("struct_ops") void BPF_PROG(d_state, struct sock *sk, __u8 new_state) { dctcp_state(sk, new_state); }
SEC("struct_ops") void BPF_PROG(d_avoid, struct sock *sk, __u32 ack, __u32 acked) { tcp_reno_cong_avoid(sk, ack, acked); }

SEC(".struct_ops.link")
struct tcp_congestion_ops dctcp_again = {
	.init = (void *)d_init,
	.in_ack_event = (void *)d_ack,
	.cwnd_event = (void *)d_event,
	.ssthresh = (void *)d_ssthresh,
	.undo_cwnd = (void *)d_undo,
	.set_state = (void *)d_state,
	.cong_avoid = (void *)d_avoid,
	.flags = 2,
	.name = "bpf_dctcp",
};
