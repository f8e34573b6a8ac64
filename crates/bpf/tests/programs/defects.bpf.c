/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A controller with one defect, which a macro names. Without a macro it has none. */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#ifdef NO_GPL
char _license[] SEC("license") = "Proprietary";
#else
char _license[] SEC("license") = "GPL";
#endif

struct tcp_sock___other {
	__u32 gone;
	__s64 undo_retrans; /* 32 bits in truth: no load is right */
} __attribute__((preserve_access_index));

struct own {
	__u32 member;
} __attribute__((preserve_access_index));

extern __u32 tcp_nowhere(struct sock *sk) __ksym;
extern const int CONFIG_NOWHERE __kconfig;

int zero;

static __attribute__((noinline)) int deep(int x)
{
	char large[300] = {};

	bpf_trace_printk(large, sizeof(large), x);
	return large[x & 255];
}

static __attribute__((noinline)) int endless(int x);
static __attribute__((noinline)) int to_and_fro(int x)
{
	return x > 3 ? x : endless(x + zero) + 1;
}
static __attribute__((noinline)) int endless(int x)
{
	return x > 5 ? x : to_and_fro(x - zero) + 2;
}

SEC("struct_ops")
__u32 BPF_PROG(ssthresh, struct sock *sk)
{
#ifdef MISSING_FIELD
	return ((struct tcp_sock___other *)sk)->gone;
#elif defined(WIDER_FIELD)
	return ((struct tcp_sock___other *)sk)->undo_retrans;
#elif defined(OWN_STRUCTURE)
	return ((struct own *)((struct inet_connection_sock *)sk)->icsk_ca_priv)->member;
#elif defined(GUARDED_FIELD)
	/* Answered with no: what follows is never reached. */
	if (bpf_core_field_exists(((struct tcp_sock___other *)sk)->gone))
		return ((struct tcp_sock___other *)sk)->gone;
#elif defined(DOUBTFUL_FIELD)
	/* The answer depends on a variable as well. */
	if (bpf_core_field_exists(((struct tcp_sock___other *)sk)->gone) | zero)
		return ((struct tcp_sock___other *)sk)->gone;
#elif defined(OLD_VERSION)
	extern const __u32 LINUX_KERNEL_VERSION __kconfig;

	if (LINUX_KERNEL_VERSION < 0x050000)
		return ((struct tcp_sock___other *)sk)->gone;
#elif defined(MISSING_KFUNC)
	return tcp_nowhere(sk);
#elif defined(MISSING_CONFIGURATION)
	return CONFIG_NOWHERE;
#elif defined(REFUSED_HELPER)
	bpf_tail_call(sk, 0, 0);
#elif defined(DEEP_STACK)
	char large[300] = {};

	bpf_trace_printk(large, sizeof(large), zero);
	return deep(zero);
#elif defined(RECURSION)
	return endless(zero);
#endif
	return 2;
}

SEC("struct_ops")
void BPF_PROG(cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
}

SEC("struct_ops")
__u32 BPF_PROG(undo_cwnd, struct sock *sk)
{
	return ((struct tcp_sock *)sk)->snd_cwnd;
}

#ifdef GET_INFO
SEC("struct_ops")
size_t BPF_PROG(get_info, struct sock *sk, u32 ext, int *attr, union tcp_cc_info *info)
{
	return 0;
}
#endif

SEC(".struct_ops")
struct tcp_congestion_ops defects = {
	.ssthresh = (void *)ssthresh,
	.cong_avoid = (void *)cong_avoid,
#ifndef NO_UNDO
	.undo_cwnd = (void *)undo_cwnd,
#endif
#ifdef GET_INFO
	.get_info = (void *)get_info,
#endif
#ifdef BAD_FLAGS
	.flags = 6,
#endif
#ifdef BAD_NAME
	.name = "a b",
#else
	.name = "defects",
#endif
};

#if defined(TWO_TABLES) || defined(UNUSED_TABLE)
SEC(".struct_ops")
struct tcp_congestion_ops second = {
	.ssthresh = (void *)ssthresh,
	.cong_avoid = (void *)cong_avoid,
#ifdef TWO_TABLES
	.undo_cwnd = (void *)undo_cwnd,
#endif
	.name = "second",
};
#endif
