/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/* Callback of window controllers that measure round trips. Include it after window.h. */
#ifndef NARROWS_BPF_MEASURING_H
#define NARROWS_BPF_MEASURING_H

SEC("struct_ops")
void BPF_PROG(pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct core_input in;

	look(sk, (struct tcp_sock *)sk, &in);
	in.acked = sample->pkts_acked;
	if (sample->rtt_us > 0) {
		in.rtt = sample->rtt_us;
		/*
		 * The kernel knows this number only for acknowledgements that measure a round trip.
		 */
		in.flight_when_sent = sample->in_flight / in.mss;
	}
	told(sk, &in, CORE_RTT);
}

#define MEASURING_CONTROLLER(text) WINDOW_CONTROLLER(text, .pkts_acked = (void *)pkts_acked)

#endif
