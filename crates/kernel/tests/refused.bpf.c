/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/* A controller that the verifier refuses: it writes where none may. */
#define CORE pcc_vivace
#define CORE_REMEMBERS struct pcc_state
#define CORE_IS_LONG
#include "pcc_vivace.h"
#include "controller.h"

SEC("struct_ops")
void BPF_PROG(cong_control, struct sock *sk)
{
	((struct tcp_sock *)sk)->srtt_us = 1;
}

SEC(".struct_ops.link")
struct tcp_congestion_ops controller = {
	.name = "refused",
	.release = (void *)release,
	.ssthresh = (void *)ssthresh,
	.set_state = (void *)set_state,
	.cong_control = (void *)cong_control,
	.undo_cwnd = (void *)undo_cwnd,
};
