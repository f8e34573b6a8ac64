/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/* Callbacks of both PCC controllers. */
#ifndef NARROWS_BPF_PCC_H
#define NARROWS_BPF_PCC_H

#include "full_control.h"

SEC("struct_ops")
void BPF_PROG(init, struct sock *sk)
{
	paced(sk);
	happened(sk, CORE_INIT);
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
