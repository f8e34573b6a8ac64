#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "GPL";

const volatile __u32 gain = 1000; /* thousandths of a segment per round trip */
const volatile __u32 keep = 700;  /* thousandths of the window that a loss leaves */

struct mine { /* of each connection, in the socket's private area */
	__u32 losses;
};
struct mine *const shown = 0; /* keeps the structure in the object, for traces */

SEC("struct_ops")
void BPF_PROG(mine_cong_avoid, struct tcp_sock *tp, __u32 ack, __u32 acked)
{
	__u32 whole = tp->snd_cwnd * 1000, sum = tp->snd_cwnd_cnt + acked * gain;

	if (!BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
		return; /* a window that is not used says nothing of the path */
	if (tp->snd_cwnd < tp->snd_ssthresh) {
		tp->snd_cwnd += acked; /* slow start */
		return;
	}
	tp->snd_cwnd += sum / whole;
	tp->snd_cwnd_cnt = sum % whole;
}

SEC("struct_ops")
__u32 BPF_PROG(mine_ssthresh, struct tcp_sock *tp)
{
	((struct mine *)tp->inet_conn.icsk_ca_priv)->losses++;
	return tp->snd_cwnd > 3 ? tp->snd_cwnd * keep / 1000 : 2;
}

SEC("struct_ops")
__u32 BPF_PROG(mine_undo_cwnd, struct tcp_sock *tp)
{
	return tp->snd_cwnd > tp->prior_cwnd ? tp->snd_cwnd : tp->prior_cwnd;
}

SEC(".struct_ops.link")
struct tcp_congestion_ops mine = {
	.cong_avoid = (void *)mine_cong_avoid,
	.ssthresh = (void *)mine_ssthresh,
	.undo_cwnd = (void *)mine_undo_cwnd,
	.name = "mine",
};
