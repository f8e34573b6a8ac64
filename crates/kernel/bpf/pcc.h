/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/* The callbacks of both PCC controllers: they have the window and the pacing rate to themselves. */
#ifndef NARROWS_BPF_PCC_H
#define NARROWS_BPF_PCC_H

SEC("struct_ops")
void BPF_PROG(init, struct sock *sk)
{
	if (sk->sk_pacing_status == SK_PACING_NONE)
		sk->sk_pacing_status = SK_PACING_NEEDED;
	happened(sk, CORE_INIT);
}

/* Linux 6.10 put two arguments before the rate sample; none but the socket is used. */
SEC("struct_ops")
void BPF_PROG(cong_control, struct sock *sk)
{
	__sync_fetch_and_add(&stats.acknowledgements, 1);
	happened(sk, CORE_ACK);
}

#define PCC_CONTROLLER(text)                          \
	{                                             \
		.name = text,                         \
		.flags = TCP_CONG_NON_RESTRICTED,     \
		.init = (void *)init,                 \
		.release = (void *)release,           \
		.ssthresh = (void *)ssthresh,         \
		.set_state = (void *)set_state,       \
		.cong_control = (void *)cong_control, \
		.undo_cwnd = (void *)undo_cwnd,       \
	}

#endif
