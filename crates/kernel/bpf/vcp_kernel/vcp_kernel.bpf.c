/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
#define CORE vcp
#define CORE_REMEMBERS struct vcp_state
#include "vcp.h"
#include "../controller.h"
#include "../full_control.h"
#include "../accurate_ecn.h"

SEC("struct_ops")
void BPF_PROG(init, struct sock *sk)
{
	if (constants.pacing)
		paced(sk);
	accurate_ecn(sk);
	happened(sk, CORE_INIT);
}

SEC("struct_ops")
void BPF_PROG(cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	if (event == CA_EVENT_TX_START)
		happened(sk, CORE_RESTART);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops controller = {
	.name = "vcp_kernel",
	.flags = TCP_CONG_NON_RESTRICTED | TCP_CONG_NEEDS_ECN,
	.init = (void *)init,
	.release = (void *)release,
	.ssthresh = (void *)ssthresh,
	.set_state = (void *)set_state,
	.cwnd_event = (void *)cwnd_event,
	.cong_control = (void *)cong_control,
	.undo_cwnd = (void *)undo_cwnd,
};
