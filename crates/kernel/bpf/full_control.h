/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/* Callbacks of controllers that alone control the window and the pacing rate, also in recovery. */
#ifndef NARROWS_BPF_FULL_CONTROL_H
#define NARROWS_BPF_FULL_CONTROL_H

/*
 * Linux 6.10 put two arguments before the rate sample. A core that does not ask for samples also
 * loads into older kernels: the verifier knows the constants and does not follow the branch.
 */
SEC("struct_ops")
void BPF_PROG(cong_control, struct sock *sk)
{
	struct core_input in;

	__sync_fetch_and_add(&stats.acknowledgements, 1);
	look(sk, (struct tcp_sock *)sk, &in);
#ifdef CORE_ASKS_SAMPLES
	if (CORE_ASKS_SAMPLES(constants)) {
		const struct rate_sample *sample = (const struct rate_sample *)ctx[3];

		in.sampled = sample->prior_mstamp != 0;
		in.prior_delivered = sample->prior_delivered;
	}
#endif
	told(sk, &in, CORE_ACK);
}

#endif
