/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/* The callbacks of controllers that have the window and the pacing rate to themselves, in recovery too. */
#ifndef NARROWS_BPF_FULL_CONTROL_H
#define NARROWS_BPF_FULL_CONTROL_H

/* Linux 6.10 put two arguments before the rate sample; none but the socket is used. */
SEC("struct_ops")
void BPF_PROG(cong_control, struct sock *sk)
{
	__sync_fetch_and_add(&stats.acknowledgements, 1);
	happened(sk, CORE_ACK);
}

#endif
