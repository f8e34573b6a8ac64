/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * Structures of the kernel, with only the fields that the programs read or write. The place of a
 * field is looked up by its name in the running kernel's types when a program is loaded (CO-RE), so
 * that one object serves all kernels from 6.0 on.
 */
#ifndef NARROWS_SOCKET_H
#define NARROWS_SOCKET_H

#include <stdbool.h>

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef signed short __s16;
typedef signed int __s32;
typedef signed long long __s64;
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

/* include/uapi/linux/bpf.h, include/linux/socket.h */
enum { BPF_F_NO_PREALLOC = 1U << 0, BPF_F_MMAPABLE = 1U << 10 };
enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LPM_TRIE = 11,
	BPF_MAP_TYPE_SK_STORAGE = 24,
	BPF_MAP_TYPE_RINGBUF = 27,
};
enum { BPF_RB_NO_WAKEUP = 1 << 0 };
enum { BPF_SK_STORAGE_GET_F_CREATE = 1 };
enum {
	BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB = 4,
	BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB = 5,
	BPF_SOCK_OPS_STATE_CB = 10,
	BPF_SOCK_OPS_RTT_CB = 12,
	BPF_SOCK_OPS_HDR_OPT_LEN_CB = 14,
	BPF_SOCK_OPS_WRITE_HDR_OPT_CB = 15,
};
enum {
	BPF_SOCK_OPS_STATE_CB_FLAG = 1 << 2,
	BPF_SOCK_OPS_RTT_CB_FLAG = 1 << 3,
	BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG = 1 << 6,
};
enum { BPF_TCP_CLOSE = 7 };
enum { AF_INET = 2 };
enum { SOL_TCP = 6, TCP_CONGESTION = 13, TCP_BPF_SOCK_OPS_CB_FLAGS = 1008 };

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define KERNEL __attribute__((preserve_access_index))

/* include/net/tcp.h */
enum tcp_ca_event { CA_EVENT_TX_START };
enum { TCP_CONG_NON_RESTRICTED = 1 << 0, TCP_CONG_NEEDS_ECN = 1 << 1 };
enum { TCP_ECN_MODE_RFC3168 = 1 << 0 };

/* include/net/sock.h */
enum { SK_PACING_NONE = 0, SK_PACING_NEEDED = 1, SK_PACING_FQ = 2 };

struct ns_common {
	u32 inum;
} KERNEL;

struct net {
	struct ns_common ns;
} KERNEL;

typedef struct {
	struct net *net;
} KERNEL possible_net_t;

struct sock_common {
	u16 skc_num;
	__be16 skc_dport;
	possible_net_t skc_net;
} KERNEL;

struct net_device {
	int ifindex;
} KERNEL;

struct dst_entry {
	struct net_device *dev;
} KERNEL;

struct sock {
	struct sock_common __sk_common;
	struct dst_entry *sk_dst_cache;
	u32 sk_priority;
	unsigned long sk_pacing_rate;
	unsigned long sk_max_pacing_rate;
	u32 sk_pacing_status;
} KERNEL;

struct inet_sock {
	struct sock sk;
} KERNEL;

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	const struct tcp_congestion_ops *icsk_ca_ops;
	u8 icsk_ca_state : 5;
	u8 icsk_ca_setsockopt : 1;
	u64 icsk_ca_priv[13];
} KERNEL;

struct minmax_sample {
	u32 v;
} KERNEL;

struct minmax {
	struct minmax_sample s[3];
} KERNEL;

struct tcp_rack {
	u32 rtt_us;
} KERNEL;

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	u64 tcp_mstamp;
	u64 bytes_acked;
	u64 bytes_sent;
	u64 bytes_retrans;
	u32 data_segs_out;
	u32 delivered;
	u32 lost;
	u32 packets_out;
	u32 sacked_out;
	u32 lost_out;
	u32 retrans_out;
	u32 max_packets_out;
	u32 srtt_us;
	u32 mss_cache;
	u32 snd_cwnd;
	u32 snd_ssthresh;
	u32 prior_cwnd;
	u32 snd_cwnd_clamp;
	u32 chrono_start;
	u32 chrono_stat[3];
	u8 chrono_type : 2;
	u16 total_rto;
	struct minmax rtt_min;
	u8 bpf_sock_ops_cb_flags;
	bool is_mptcp;
	u8 is_cwnd_limited : 1;
	u8 ecn_flags;
	u8 saw_accecn_opt : 2;
	u32 received_ecn_bytes[3];
	u32 delivered_ecn_bytes[3];
	u32 rate_delivered;
	u32 rate_interval_us;
	struct tcp_rack rack;
} KERNEL;

struct bpf_sock {
	u32 state;
} KERNEL;

struct bpf_sock_ops {
	u32 op;
	u32 args[4];
	u32 family;
	u32 remote_ip4;
	u32 local_ip4;
	u32 remote_ip6[4];
	u32 remote_port;
	u32 local_port;
	u32 bpf_sock_ops_cb_flags;
	struct bpf_sock *sk;
} KERNEL;

struct rate_sample {
	u64 prior_mstamp;
	u32 prior_delivered;
} KERNEL;

struct ack_sample {
	u32 pkts_acked;
	s32 rtt_us;
	u32 in_flight;
} KERNEL;

/*
 * The members of the kernel's table of callbacks are found by their names, so that their order here
 * is free. The name stands first, because it may be changed before loading.
 */
struct tcp_congestion_ops {
	char name[16];
	u32 flags;
	void (*init)(struct sock *);
	void (*release)(struct sock *);
	u32 (*ssthresh)(struct sock *);
	void (*cong_avoid)(struct sock *, u32, u32);
	void (*set_state)(struct sock *, u8);
	void (*cwnd_event)(struct sock *, enum tcp_ca_event);
	void (*pkts_acked)(struct sock *, const struct ack_sample *);
	void (*cong_control)(struct sock *);
	u32 (*undo_cwnd)(struct sock *);
	u32 (*min_tso_segs)(struct sock *);
};

#endif
