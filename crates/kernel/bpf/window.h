/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * Callbacks of controllers that decide only the window. The kernel keeps pacing and the spreading
 * of reductions.
 */
#ifndef NARROWS_BPF_WINDOW_H
#define NARROWS_BPF_WINDOW_H

/* True if the kernel shall pace, at its own rate. */
#ifndef WINDOW_PACED
#define WINDOW_PACED 0
#endif

SEC("struct_ops")
void BPF_PROG(init, struct sock *sk)
{
	if (WINDOW_PACED)
		paced(sk);
	happened(sk, CORE_INIT);
}

SEC("struct_ops")
void BPF_PROG(cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	struct core_input in;

	__sync_fetch_and_add(&stats.acknowledgements, 1);
	look(sk, (struct tcp_sock *)sk, &in);
	in.acked = acked;
	told(sk, &in, CORE_ACK);
}

#define WINDOW_CONTROLLER(text, ...)              \
	{                                         \
		.name = text,                     \
		.flags = TCP_CONG_NON_RESTRICTED, \
		.init = (void *)init,             \
		.release = (void *)release,       \
		.ssthresh = (void *)ssthresh,     \
		.set_state = (void *)set_state,   \
		.cong_avoid = (void *)cong_avoid, \
		.undo_cwnd = (void *)undo_cwnd,   \
		__VA_ARGS__                       \
	}

#endif
