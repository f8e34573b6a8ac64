/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * Accurate ECN (RFC 9768) on kernels that have it but do not negotiate it. Both ends of a
 * connection need a controller with this header.
 *
 * Such a controller has the flag TCP_CONG_NEEDS_ECN, so the handshake agrees on classic ECN
 * (RFC 3168). When the connection is established, and before any data, each end switches to
 * accurate ECN: controllers may write `ecn_flags`, and the counters already have the values that
 * they have after a negotiation. A kernel sends AccECN options only once it has seen one, which
 * would be in the handshake. Here a second program writes the first options, on all packets until
 * an option of the other end has arrived.
 */
#ifndef NARROWS_BPF_ACCURATE_ECN_H
#define NARROWS_BPF_ACCURATE_ECN_H

/* TCP_ECN_MODE_ACCECN of this kernel; 0 if the kernel negotiates by itself. Set before loading. */
const volatile u32 accurate_mode SEC(".rodata.accurate_mode");

/*
 * RFC 9768 section 3.2.3: the option of order 1, which begins with ECT(1), and the initial value of
 * the counters of ECT(0) and ECT(1).
 */
enum { ACCURATE_KIND = 174, ACCURATE_LENGTH = 11, ACCURATE_FIRST = 1 };

static __always_inline void accurate_ecn(struct sock *sk)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	int wanted = BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG;
	u8 flags = tp->ecn_flags;

	if (!accurate_mode || !(flags & TCP_ECN_MODE_RFC3168))
		return;
	/* Other programs may want other calls. The simulator has no programs for sockets. */
	if (bpf_core_field_exists(tp->bpf_sock_ops_cb_flags))
		wanted |= tp->bpf_sock_ops_cb_flags;
	tp->ecn_flags = (flags & ~TCP_ECN_MODE_RFC3168) | accurate_mode;
	bpf_setsockopt(sk, SOL_TCP, TCP_BPF_SOCK_OPS_CB_FLAGS, &wanted, sizeof(wanted));
}

static __always_inline void put_count(u8 *bytes, u32 count)
{
	bytes[0] = count >> 16;
	bytes[1] = count >> 8;
	bytes[2] = count;
}

/*
 * Reserves room for the options of the next packet, and writes them. The kernel calls it for
 * sockets on which `accurate_ecn` has set the flag.
 */
SEC("sockops")
int first_options(struct bpf_sock_ops *ops)
{
	struct bpf_sock *sk = ops->sk;
	u8 option[ACCURATE_LENGTH] = { ACCURATE_KIND, ACCURATE_LENGTH };
	struct tcp_sock *tp;

	if (ops->op != BPF_SOCK_OPS_HDR_OPT_LEN_CB && ops->op != BPF_SOCK_OPS_WRITE_HDR_OPT_CB)
		return 1;
	tp = sk ? bpf_skc_to_tcp_sock(sk) : NULL;
	if (!tp || !bpf_core_field_exists(tp->saw_accecn_opt))
		return 1;
	if (ops->op == BPF_SOCK_OPS_WRITE_HDR_OPT_CB) {
		put_count(option + 2, tp->received_ecn_bytes[0] + ACCURATE_FIRST);
		put_count(option + 5, tp->received_ecn_bytes[2]);
		put_count(option + 8, tp->received_ecn_bytes[1] + ACCURATE_FIRST);
		bpf_store_hdr_opt(ops, option, sizeof(option), 0);
	} else if (BPF_CORE_READ_BITFIELD(tp, saw_accecn_opt)) {
		bpf_sock_ops_cb_flags_set(ops, ops->bpf_sock_ops_cb_flags &
						       ~BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG);
	} else {
		bpf_reserve_hdr_opt(ops, sizeof(option), 0);
	}
	return 1;
}

#endif
