/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * Samples the state of a connection at each acknowledgement, whatever its controller. The
 * tracepoint tcp:tcp_probe is passed when a segment arrives on an established connection, before
 * the segment is processed.
 */
#include "socket.h"
#include "shared.h"

char _license[] SEC("license") = "GPL";

/* Inodes of the network namespaces that are watched. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, u32);
	__type(value, u32);
} networks SEC(".maps");

/* Range of the remote ports that are watched; `to` is not included. */
const volatile struct {
	u32 from, to;
} ports SEC(".rodata.ports");

/* Samples lost, because earlier ones had not been read. */
u64 lost SEC(".data.lost");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
} samples SEC(".maps");

SEC("tp_btf/tcp_probe")
int BPF_PROG(acknowledged, struct sock *sk)
{
	struct shared_acknowledgement *sample;
	struct tcp_sock *tp;
	u32 peer = bpf_ntohs(sk->__sk_common.skc_dport);
	u32 network = sk->__sk_common.skc_net.net->ns.inum;

	if (peer < ports.from || peer >= ports.to || !bpf_map_lookup_elem(&networks, &network))
		return 0;
	tp = bpf_skc_to_tcp_sock(sk);
	if (!tp)
		return 0;
	sample = bpf_ringbuf_reserve(&samples, sizeof(*sample), 0);
	if (!sample) {
		__sync_fetch_and_add(&lost, 1);
		return 0;
	}
	sample->at = bpf_ktime_get_ns();
	sample->pacing_rate = tp->inet_conn.icsk_inet.sk.sk_pacing_rate;
	sample->pacing_status = tp->inet_conn.icsk_inet.sk.sk_pacing_status;
	sample->port = sk->__sk_common.skc_num;
	sample->peer = peer;
	sample->cwnd = tp->snd_cwnd;
	sample->ssthresh = tp->snd_ssthresh;
	sample->in_flight = tp->packets_out - tp->sacked_out - tp->lost_out + tp->retrans_out;
	sample->srtt = tp->srtt_us >> 3;
	sample->rtt = tp->rack.rtt_us;
	sample->mss = tp->mss_cache;
	sample->rate_delivered = tp->rate_delivered;
	sample->rate_interval = tp->rate_interval_us;
	bpf_ringbuf_submit(sample, 0);
	return 0;
}
