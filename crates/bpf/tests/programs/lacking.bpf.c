/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A controller with many defects, of which each has to be told. */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "Proprietary";

struct tcp_sock___other {
	__u32 gone;
} __attribute__((preserve_access_index));

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1000);
} ring SEC(".maps");

extern __u32 tcp_nowhere(struct sock *sk) __ksym;
extern const int CONFIG_NOWHERE __kconfig;

const volatile __u32 share = 128;

SEC("struct_ops")
__u32 BPF_PROG(lacking_ssthresh, struct tcp_sock *tp)
{
	bpf_ringbuf_query(&ring, 0);
	return tcp_nowhere((struct sock *)tp) * share / CONFIG_NOWHERE;
}

SEC("struct_ops")
void BPF_PROG(lacking_cong_avoid, struct tcp_sock *tp, __u32 ack, __u32 acked)
{
	if (bpf_core_field_exists(((struct tcp_sock___other *)tp)->gone))
		tp->snd_cwnd++;
	tp->snd_ssthresh = ((struct tcp_sock___other *)tp)->gone;
	bpf_tail_call(tp, &ring, 0);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops lacking = {
	.ssthresh = (void *)lacking_ssthresh,
	.cong_avoid = (void *)lacking_cong_avoid,
	.name = "lacking",
	.flags = 4,
};
