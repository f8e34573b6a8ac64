/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * Visits the open connections of an experiment: counts them, puts treated ones back, or resets them.
 * Each writes a byte for each connection, its arm.
 */
#include "socket.h"
#include "deploy.h"
#include "deploy_maps.h"

char _license[] SEC("license") = "GPL";

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
} KERNEL;

struct bpf_iter__bpf_sk_storage_map {
	struct bpf_iter_meta *meta;
	void *value;
} KERNEL;

struct bpf_iter__tcp {
	struct bpf_iter_meta *meta;
	struct sock_common *sk_common;
} KERNEL;

/* Linux 6.5 and later. */
extern int bpf_sock_destroy(struct sock_common *sock) __ksym __weak;

/* Visits the connections of all network namespaces, in the map itself. */
SEC("iter/bpf_sk_storage_map")
int count(struct bpf_iter__bpf_sk_storage_map *ctx)
{
	struct seq_file *seq = ctx->meta->seq;
	struct deploy_connection *own = ctx->value;
	u8 arm;

	if (!own || own->seen)
		return 0;
	arm = own->arm;
	bpf_seq_write(seq, &arm, sizeof(arm));
	return 0;
}

/*
 * The connections of the reader's network namespace, each with its lock held. Those that send are put
 * back with their next acknowledgement (deploy.bpf.c); here the others are, too.
 */
SEC("iter/tcp")
int put_back(struct bpf_iter__tcp *ctx)
{
	struct sock_common *common = ctx->sk_common;
	struct seq_file *seq = ctx->meta->seq;
	struct deploy_connection *own;
	struct deploy_counts *count;
	u32 treated = TREATED;
	struct tcp_sock *tp;
	u8 arm = TREATED;

	if (!common)
		return 0;
	tp = bpf_skc_to_tcp_sock(common);
	count = bpf_map_lookup_elem(&counts, &treated);
	if (!tp || !count)
		return 0;
	own = bpf_sk_storage_get(&connections, tp, 0, 0);
	if (!own || own->seen || own->arm != TREATED || own->state != AS_ASSIGNED)
		return 0;
	/* A full buffer brings the connection here again. */
	if (bpf_seq_write(seq, &arm, sizeof(arm)))
		return 0;
	if (bpf_setsockopt(tp, SOL_TCP, TCP_CONGESTION, own->before, sizeof(own->before))) {
		own->state = NOT_PUT_BACK;
		__sync_fetch_and_add(&count->not_restored, 1);
	} else {
		own->state = PUT_BACK;
		__sync_fetch_and_add(&count->restored, 1);
	}
	return 0;
}

/* Resets the connections of the reader's network namespace. */
SEC("iter/tcp")
int reset(struct bpf_iter__tcp *ctx)
{
	struct sock_common *common = ctx->sk_common;
	struct seq_file *seq = ctx->meta->seq;
	struct deploy_connection *own;
	struct tcp_sock *tp;
	u8 arm = TREATED;

	/*
	 * Listeners have no peer. Without a read of a member clang does not describe the structure, and
	 * libbpf takes the function's type for another one.
	 */
	if (!common || !common->skc_dport || !bpf_ksym_exists(bpf_sock_destroy))
		return 0;
	tp = bpf_skc_to_tcp_sock(common);
	if (!tp)
		return 0;
	own = bpf_sk_storage_get(&connections, tp, 0, 0);
	if (!own || own->seen || own->arm != TREATED)
		return 0;
	if (own->state != AS_ASSIGNED && own->state != NOT_PUT_BACK)
		return 0;
	/* A full buffer brings the connection here again. */
	if (bpf_seq_write(seq, &arm, sizeof(arm)))
		return 0;
	bpf_sock_destroy(common);
	return 0;
}
