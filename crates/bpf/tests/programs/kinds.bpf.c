/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Every kind of relocation, of name and of memory that a linker meets. The structures are laid out otherwise than ours and the kernel's, and some do not exist. */
#include <stdbool.h>

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

enum { BPF_F_NO_PREALLOC = 1, BPF_MAP_TYPE_HASH = 1, BPF_MAP_TYPE_ARRAY = 2, BPF_MAP_TYPE_SK_STORAGE = 24 };

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define KERNEL __attribute__((preserve_access_index))

char _license[] SEC("license") = "Dual MIT/GPL";

struct sock_common {
	__u64 before;
	union {
		struct {
			__be32 skc_daddr;
			__be32 skc_rcv_saddr;
		};
	};
	__u16 skc_num;
} KERNEL;

struct sock {
	struct sock_common __sk_common;
	unsigned long sk_pacing_rate;
	__u32 sk_pacing_status;
} KERNEL;

struct inet_sock {
	struct sock sk;
} KERNEL;

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	__u64 icsk_ca_priv[13];
	__u8 icsk_ca_state : 5;
	__u8 icsk_ca_initialized : 1;
	struct {
		__u8 pending;
	} icsk_ack;
} KERNEL;

struct minmax_sample {
	__u32 v;
	__u32 t;
} KERNEL;

struct minmax {
	struct minmax_sample s[3];
} KERNEL;

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u64 snd_cwnd;	   /* 32 bits in truth */
	__u16 mss_cache;   /* 32 bits in truth */
	__u8 is_cwnd_limited : 1;
	struct minmax rtt_min;
	__u32 delivered_ecn_bytes[3];
	struct {
		__u32 rtt_us;
		__u64 never;
	} rcv_rtt_est;
} KERNEL;

/* Flavours. */
struct tcp_sock___old {
	__u32 snd_ssthresh;
	__u32 srtt;
} KERNEL;

struct tcp_sock___nowhere {
	__u32 gone;
} KERNEL;

struct nowhere {
	__u32 gone;
} KERNEL;

enum tcp_ca_state {
	TCP_CA_Loss = 17, /* 4 in truth */
	TCP_CA_Gone = 18,
};

enum tcp_ca_event { CA_EVENT_TX_START };

struct ack_sample {
	__s32 rtt_us;
} KERNEL;

struct tcp_congestion_ops {
	char name[16];
	__u32 flags;
	__u32 (*ssthresh)(struct sock *);
	void (*cong_control)(struct sock *, __u32, int, const void *);
	__u32 (*undo_cwnd)(struct sock *);
	void (*init)(struct sock *);
	void (*pkts_acked)(struct sock *, const struct ack_sample *);
};

/* Memory. */
const volatile __u32 parameters[4] = { 1, 2, 3, 4 };
static const volatile __s32 hidden = -7;
const volatile __u8 table_of_primes[] = { 2, 3, 5, 7, 11 };
__u32 counted;
__u64 set = 0x1122334455667788ULL;
__u32 aside SEC(".data.aside") = 5;
enum colour { RED = 1, BLUE = -2 } colour = BLUE;

extern const int CONFIG_HZ __kconfig;
extern const bool CONFIG_SOMETHING __kconfig __weak;
extern const __u32 LINUX_KERNEL_VERSION __kconfig;
extern void tcp_nowhere(void) __ksym __weak;
extern __u32 tcp_reno_ssthresh(struct sock *sk) __ksym;

struct value {
	__u64 sum;
	__u32 count;
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct value);
} storage SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__uint(key_size, 4);
	__uint(value_size, 8);
} never_named SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16);
	__type(key, __u16);
	__type(value, struct value);
} by_port SEC(".maps");

/* What is found, in the order of finding. */
struct found {
	__u32 cwnd;
	__u32 mss;
	__u32 limited;
	__u32 state;
	__u32 rtt;
	__u32 offset;
	__u32 size;
	__u32 exists;
	__u32 hz;
	__u32 loss;
	__u32 port;
	__u32 sum;
};

static int one_turn(__u32 index, void *context)
{
	*(__u32 *)context += index;
	return 0;
}

__attribute__((noinline)) int for_all(int x)
{
	return x + table_of_primes[x & 3];
}

static __attribute__((noinline)) int within(int x)
{
	return for_all(x) * parameters[x & 3];
}

SEC("struct_ops")
void BPF_PROG(kinds_init, struct sock *sk)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct found *found = (struct found *)tp->inet_conn.icsk_ca_priv;
	__u32 sum = 0, exists = 0;

	found->cwnd = tp->snd_cwnd;
	found->mss = tp->mss_cache;
	found->limited = BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited);
	found->state = BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_state);
	found->rtt = tp->rtt_min.s[1].v;
	found->offset = bpf_core_field_offset(tp->rtt_min.s[2].t);
	found->size = bpf_core_field_size(tp->delivered_ecn_bytes) + bpf_core_type_size(struct minmax);
	exists |= bpf_core_field_exists(tp->rcv_rtt_est) << 0;
	exists |= bpf_core_field_exists(tp->delivered_ecn_bytes) << 1;
	exists |= bpf_core_type_exists(struct nowhere) << 2;
	exists |= bpf_core_type_exists(struct minmax_sample) << 3;
	exists |= bpf_core_enum_value_exists(enum tcp_ca_state, TCP_CA_Gone) << 4;
	exists |= bpf_core_enum_value_exists(enum tcp_ca_state, TCP_CA_Loss) << 5;
	exists |= bpf_core_field_exists(((struct tcp_sock___nowhere *)tp)->gone) << 6;
	exists |= bpf_core_field_exists(((struct tcp_sock___old *)tp)->snd_ssthresh) << 7;
	found->exists = exists;
	if (bpf_core_field_exists(tp->rcv_rtt_est))
		found->rtt += tp->rcv_rtt_est.rtt_us;
	found->hz = CONFIG_HZ + CONFIG_SOMETHING + LINUX_KERNEL_VERSION;
	found->loss = bpf_core_enum_value(enum tcp_ca_state, TCP_CA_Loss);
	found->port = sk->__sk_common.skc_num + sk->__sk_common.skc_rcv_saddr;
	bpf_loop(4, one_turn, &sum, 0);
	found->sum = sum + within(sum);
	if (tcp_nowhere)
		tcp_nowhere();
}

SEC("struct_ops")
__u32 BPF_PROG(kinds_ssthresh, struct sock *sk)
{
	struct value *value = bpf_sk_storage_get(&storage, sk, 0, 1);
	struct value fresh = { .sum = set, .count = hidden };
	__u16 port = sk->__sk_common.skc_num;

	if (value)
		__sync_fetch_and_add(&value->sum, set);
	bpf_map_update_elem(&by_port, &port, &fresh, 0);
	counted += aside + colour;
	return tcp_reno_ssthresh(sk);
}

SEC("struct_ops")
void BPF_PROG(kinds_cong_control, struct sock *sk, __u32 ack, int flag, const void *sample)
{
	sk->sk_pacing_rate = 1000;
	((struct tcp_sock___old *)sk)->snd_ssthresh = 7;
}

SEC("struct_ops")
void BPF_PROG(kinds_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	counted += sample->rtt_us;
}

SEC("struct_ops")
__u32 BPF_PROG(kinds_undo_cwnd, struct sock *sk)
{
	/* The second does not exist: 0. */
	counted += bpf_core_type_id_kernel(struct minmax) + bpf_core_type_id_kernel(struct nowhere);
	return bpf_core_type_id_local(struct minmax);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops kinds = {
	.name = "own_kinds",
	.flags = 2,
	.init = (void *)kinds_init,
	.ssthresh = (void *)kinds_ssthresh,
	.cong_control = (void *)kinds_cong_control,
	.pkts_acked = (void *)kinds_pkts_acked,
	.undo_cwnd = (void *)kinds_undo_cwnd,
};

SEC("syscall")
int not_of_the_table(void *context)
{
	counted = ((struct nowhere *)context)->gone;
	return 0;
}
