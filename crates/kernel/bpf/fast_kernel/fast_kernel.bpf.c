/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
#define CORE fast
#define CORE_REMEMBERS struct fast_state
#include "fast.h"
#include "../controller.h"
#define WINDOW_PACED constants.packet_pacing
#include "../window.h"

SEC("struct_ops")
void BPF_PROG(pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct core_input in;

	look(sk, (struct tcp_sock *)sk, &in);
	in.acked = sample->pkts_acked;
	if (sample->rtt_us > 0) {
		in.rtt = sample->rtt_us;
		/* Of an acknowledgement without a measurement this says nothing. */
		in.flight_when_sent = sample->in_flight / in.mss;
	}
	told(sk, &in, CORE_RTT);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops controller = WINDOW_CONTROLLER("fast_kernel", .pkts_acked = (void *)pkts_acked);
