/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * Assigns connections of a control group to the arms of an experiment when they are established,
 * gives treated ones their controller, measures them, and puts them back when the experiment ends
 * or the agent's lease lapses.
 */
#include "socket.h"
#include "deploy.h"
#include "deploy_maps.h"

char _license[] SEC("license") = "GPL";

/* Ticks in a second, from the kernel's configuration; 0 if that cannot be read. */
extern unsigned long CONFIG_HZ __kconfig __weak;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, u32);
	__type(value, struct deploy_policy);
} policies SEC(".maps");

/* Share of connections that each period of each policy treats, in 65536ths. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2 * DEPLOY_PERIODS);
	__type(key, u32);
	__type(value, u32);
} thresholds SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct deploy_live);
} live SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, DEPLOY_RECORDS_BYTES);
} records SEC(".maps");

/* Round trips of each arm, by class. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, DEPLOY_ARMS * DEPLOY_CLASSES);
	__type(key, u32);
	__type(value, u64);
} round_trips SEC(".maps");

/* Bits of ports that take part. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1024);
	__type(key, u32);
	__type(value, u64);
} ports SEC(".maps");

/* Networks of peers: 1 if they take part. IPv4 is mapped to IPv6. */
struct prefix {
	u32 length;
	u32 address[4];
};
struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 4096);
	__type(key, struct prefix);
	__type(value, u32);
} prefixes SEC(".maps");

/* Indices of interfaces that take part. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, u32);
	__type(value, u32);
} interfaces SEC(".maps");

enum { LOOPBACK = 1, MAPPED = 0xffff };
enum { EPERM = 1, ENOENT = 2 };

struct tuple {
	u32 remote[4], local, local_port, remote_port;
};

static __always_inline u32 mix(u32 h)
{
	h ^= h >> 16;
	h *= 0x7feb352d;
	h ^= h >> 15;
	h *= 0x846ca68b;
	return h ^ h >> 16;
}

/*
 * Reads a member of the context into a register. Without the barrier clang 14 joins the reads of
 * both address families, which the verifier refuses ("dereference of modified ctx ptr").
 */
#define READ(member)                          \
	({                                    \
		u32 value_ = ops->member;     \
		asm volatile("" : "+r"(value_)); \
		value_;                       \
	})

static __always_inline void read_tuple(struct bpf_sock_ops *ops, struct tuple *tuple)
{
	u32 family = READ(family), remote = READ(remote_ip4), local = READ(local_ip4);

	tuple->remote[0] = READ(remote_ip6[0]);
	tuple->remote[1] = READ(remote_ip6[1]);
	tuple->remote[2] = READ(remote_ip6[2]);
	tuple->remote[3] = READ(remote_ip6[3]);
	if (family == AF_INET) {
		tuple->remote[0] = tuple->remote[1] = 0;
		tuple->remote[2] = bpf_htonl(MAPPED);
		tuple->remote[3] = remote;
	}
	/* Linux gives sockets of IPv6 an IPv4 address of its own, 127.0.0.6. */
	tuple->local = family == AF_INET ? local : 0;
	tuple->local_port = READ(local_port);
	tuple->remote_port = bpf_ntohl(READ(remote_port));
}

/*
 * Draws a number below 65536 for a connection, or for its client. The time of its birth is drawn
 * with a connection: a client that uses its ports again would otherwise get the same arms again,
 * and few clients would have arms of unequal sizes for ever.
 */
static __always_inline u32 draw(const struct tuple *tuple, u64 born,
				const struct deploy_policy *policy)
{
	u32 h = mix(policy->salt);

	h = mix(h ^ tuple->remote[0]);
	h = mix(h ^ tuple->remote[1]);
	/* The clients of IPv6 are their first 64 bits. */
	if (!policy->by_client || tuple->remote[2] == bpf_htonl(MAPPED)) {
		h = mix(h ^ tuple->remote[2]);
		h = mix(h ^ tuple->remote[3]);
	}
	if (!policy->by_client) {
		h = mix(h ^ tuple->local);
		h = mix(h ^ (tuple->local_port << 16 | tuple->remote_port));
		h = mix(h ^ (u32)born);
	}
	return h & 0xffff;
}

static __always_inline bool takes_part(const struct tuple *tuple,
				       const struct deploy_policy *policy, bool accepted)
{
	if (policy->have_ports) {
		u32 port = accepted ? tuple->local_port : tuple->remote_port;
		u32 word = port >> 6;
		u64 *bits = bpf_map_lookup_elem(&ports, &word);

		if (!bits || !(*bits >> (port & 63) & 1))
			return false;
	}
	if (policy->have_prefixes) {
		struct prefix whole = { .length = 128 };
		u32 *in;

		whole.address[0] = tuple->remote[0];
		whole.address[1] = tuple->remote[1];
		whole.address[2] = tuple->remote[2];
		whole.address[3] = tuple->remote[3];
		in = bpf_map_lookup_elem(&prefixes, &whole);
		if (!in || !*in)
			return false;
	}
	return true;
}

static __always_inline bool over_interface(struct tcp_sock *tp, const struct deploy_policy *policy)
{
	struct dst_entry *route = tp->inet_conn.icsk_inet.sk.sk_dst_cache;
	u32 index = route ? route->dev->ifindex : 0;

	if (index == LOOPBACK && !policy->loopback)
		return false;
	return !policy->have_interfaces || bpf_map_lookup_elem(&interfaces, &index);
}

static __always_inline void name_of(struct tcp_sock *tp, u64 *name)
{
	const struct tcp_congestion_ops *own = tp->inet_conn.icsk_ca_ops;

	name[0] = name[1] = 0;
	if (own)
		bpf_probe_read_kernel(name, sizeof(own->name), &own->name);
}

static __always_inline bool is_same(const u64 *one, const u64 *other)
{
	return one[0] == other[0] && one[1] == other[1];
}

/* The class of a round trip in us. */
static __always_inline u32 class_of(u32 us)
{
	u32 value = us < 16 ? 16 : us, rest = value, octave = 0, class;

	if (rest >= 1 << 16)
		rest >>= 16, octave += 16;
	if (rest >= 1 << 8)
		rest >>= 8, octave += 8;
	if (rest >= 1 << 4)
		rest >>= 4, octave += 4;
	if (rest >= 1 << 2)
		rest >>= 2, octave += 2;
	if (rest >= 1 << 1)
		octave += 1;
	class = ((octave - 4) << 3) + (value >> (octave - 3) & 7);
	return class < DEPLOY_CLASSES ? class : DEPLOY_CLASSES - 1;
}

static __always_inline void count_bytes(struct tcp_sock *tp, struct deploy_connection *own,
					struct deploy_counts *arm)
{
	u64 acked = tp->bytes_acked, sent = tp->bytes_sent, again = tp->bytes_retrans;

	arm->acked += acked - own->acked;
	arm->sent += sent - own->sent;
	arm->again += again - own->again;
	own->acked = acked;
	own->sent = sent;
	own->again = again;
}

static __always_inline int on_round_trip(struct bpf_sock_ops *ops, struct bpf_sock *sk,
					 const struct deploy_live *now_live,
					 const struct deploy_policy *policy)
{
	struct deploy_connection *own = bpf_sk_storage_get(&connections, sk, 0, 0);
	struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	u32 rtt = ops->args[0], arm, class;
	struct deploy_counts *count;
	u64 *trips;

	if (!own || !tp)
		return 1;
	arm = own->arm;
	count = bpf_map_lookup_elem(&counts, &arm);
	if (!count)
		return 1;
	count_bytes(tp, own, count);
	own->rtts++;
	own->rtt_sum += rtt;
	if (rtt > own->rtt_max)
		own->rtt_max = rtt;
	class = arm * DEPLOY_CLASSES + class_of(rtt);
	trips = bpf_map_lookup_elem(&round_trips, &class);
	if (trips)
		++*trips;
	if (arm == TREATED && own->state == AS_ASSIGNED &&
	    (policy->roll_back || bpf_ktime_get_ns() > now_live->lease_until_ns)) {
		if (bpf_setsockopt(ops, SOL_TCP, TCP_CONGESTION, own->before, sizeof(own->before))) {
			count->not_restored++;
			own->state = NOT_PUT_BACK;
		} else {
			count->restored++;
			own->state = PUT_BACK;
		}
	}
	return 1;
}

/* Time in which a connection had something to send (tcp_get_info_chrono_stats), in us. */
static __always_inline u64 busy_us(struct tcp_sock *tp)
{
	u64 ticks = (u64)tp->chrono_stat[0] + tp->chrono_stat[1] + tp->chrono_stat[2];

	/* After a reset the clock is still running. */
	if (BPF_CORE_READ_BITFIELD(tp, chrono_type))
		ticks += (u32)bpf_jiffies64() - tp->chrono_start;
	return CONFIG_HZ ? ticks * 1000000 / CONFIG_HZ : 0;
}

static __always_inline int on_close(struct bpf_sock_ops *ops, struct bpf_sock *sk,
				    const struct deploy_policy *policy)
{
	struct deploy_connection *own = bpf_sk_storage_get(&connections, sk, 0, 0);
	struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	struct deploy_record *record;
	struct deploy_counts *count;
	u32 arm, timeouts;

	if (!own || !tp)
		return 1;
	arm = own->arm;
	count = bpf_map_lookup_elem(&counts, &arm);
	if (!count)
		return 1;
	count->closed++;
	count_bytes(tp, own, count);
	/* Linux 6.7 and later. */
	timeouts = bpf_core_field_exists(tp->total_rto) ? tp->total_rto : 0;
	count->timeouts += timeouts;
	/* Its program may keep the socket, which is no open connection any more (deploy_open.bpf.c). */
	own->seen = 1;
	record = bpf_ringbuf_reserve(&records, sizeof(*record), 0);
	if (!record) {
		count->unrecorded++;
		return 1;
	}
	record->at = bpf_ktime_get_ns();
	record->born = own->born;
	record->cookie = bpf_get_socket_cookie(ops);
	record->bytes_acked = tp->bytes_acked;
	record->bytes_sent = tp->bytes_sent;
	record->bytes_retrans = tp->bytes_retrans;
	record->rtt_sum = own->rtt_sum;
	name_of(tp, record->name);
	record->period = own->period;
	record->epoch = own->epoch;
	record->rtts = own->rtts;
	record->rtt_max = own->rtt_max;
	record->rtt_min = tp->rtt_min.s[0].v;
	record->srtt = tp->srtt_us >> 3;
	record->busy_us = busy_us(tp);
	record->age_ns = own->age_ns;
	record->timeouts = timeouts;
	record->delivered = tp->delivered;
	record->lost = tp->lost;
	record->cwnd = tp->snd_cwnd;
	record->arm = arm;
	record->role = own->role;
	record->state = own->state;
	record->port = ops->local_port;
	record->family = ops->family;
	record->reserved = 0;
	if (arm == TREATED && own->state == AS_ASSIGNED && own->epoch == policy->epoch &&
	    !is_same(record->name, policy->treatment))
		count->overridden++;
	/* A wake-up for each record would cost more than all the rest: the agent looks regularly. */
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
	return 1;
}

static __always_inline int on_established(struct bpf_sock_ops *ops, struct bpf_sock *sk,
					  const struct deploy_live *now_live,
					  const struct deploy_policy *policy)
{
	bool accepted = ops->op == BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB;
	u64 now = bpf_ktime_get_ns();
	u64 period = policy->period_ns ? (now - policy->start_ns) / policy->period_ns : 0;
	u32 rest = REST, arm, drawn, place, treated, beside;
	struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	struct deploy_connection *own;
	struct deploy_counts *count;
	struct tuple tuple;
	u32 *threshold;
	char name[16];
	long error;

	if (!policy->on || !(policy->ends & (accepted ? DEPLOY_ACCEPTED : DEPLOY_OPENED)) || !tp)
		return 1;
	read_tuple(ops, &tuple);
	count = bpf_map_lookup_elem(&counts, &rest);
	if (!count || !takes_part(&tuple, policy, accepted) || !over_interface(tp, policy))
		return 1;
	if (now > now_live->lease_until_ns) {
		count->lapsed++;
		return 1;
	}
	if (!policy->mptcp && bpf_core_field_exists(tp->is_mptcp) && tp->is_mptcp) {
		count->mptcp++;
		return 1;
	}
	if (policy->respect && BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_setsockopt)) {
		count->left_alone++;
		return 1;
	}
	if (now < policy->start_ns || period >= policy->periods || period >= DEPLOY_PERIODS)
		return 1;
	place = (now_live->which & 1) * DEPLOY_PERIODS + period;
	threshold = bpf_map_lookup_elem(&thresholds, &place);
	if (!threshold)
		return 1;
	treated = *threshold & ~DEPLOY_BESIDE;
	beside = *threshold & DEPLOY_BESIDE;
	drawn = draw(&tuple, now, policy);
	/* Up to a half, both arms are equally large, so that they can be exchanged. */
	if (drawn < treated)
		arm = TREATED;
	else if (treated && treated <= 0x8000 && drawn >= 2 * treated)
		arm = REST;
	else
		arm = CONTROL;
	own = bpf_sk_storage_get(&connections, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	count = bpf_map_lookup_elem(&counts, &arm);
	if (!own || !count)
		return 1;
	own->born = now;
	/* A socket can connect again after its end. */
	own->acked = own->sent = own->again = own->rtt_sum = 0;
	own->rtts = own->rtt_max = own->seen = 0;
	own->state = AS_ASSIGNED;
	own->epoch = policy->epoch;
	own->period = period;
	own->age_ns = now - policy->start_ns - period * policy->period_ns;
	own->arm = arm;
	own->role = ops->op;
	count->assigned++;
	if (arm == TREATED && beside)
		own->state = BESIDE;
	__builtin_memcpy(name, arm == TREATED && !beside ? policy->treatment : policy->control,
			 sizeof(name));
	if (name[0])
		name_of(tp, own->before);
	if (name[0] && !is_same((u64 *)name, own->before)) {
		error = bpf_setsockopt(ops, SOL_TCP, TCP_CONGESTION, name, sizeof(name));
		if (error) {
			count->refused++;
			count->unknown += error == -ENOENT;
			count->not_permitted += error == -EPERM;
			own->state = REFUSED;
		}
	}
	/* Another program may want other calls. */
	bpf_sock_ops_cb_flags_set(ops, ops->bpf_sock_ops_cb_flags | BPF_SOCK_OPS_STATE_CB_FLAG |
					       BPF_SOCK_OPS_RTT_CB_FLAG);
	return 1;
}

SEC("sockops")
int deploy(struct bpf_sock_ops *ops)
{
	u32 op = ops->op, first = 0, which;
	struct bpf_sock *sk = ops->sk;
	struct deploy_policy *policy;
	struct deploy_live *own;

	/* Most calls are for states on the way to the end. */
	if (op == BPF_SOCK_OPS_STATE_CB) {
		if (ops->args[1] != BPF_TCP_CLOSE)
			return 1;
	} else if (op != BPF_SOCK_OPS_RTT_CB && op != BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB &&
		   op != BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB) {
		return 1;
	}
	own = bpf_map_lookup_elem(&live, &first);
	if (!own || !sk)
		return 1;
	which = own->which & 1;
	policy = bpf_map_lookup_elem(&policies, &which);
	if (!policy)
		return 1;
	if (op == BPF_SOCK_OPS_RTT_CB)
		return on_round_trip(ops, sk, own, policy);
	if (op == BPF_SOCK_OPS_STATE_CB)
		return on_close(ops, sk, policy);
	return on_established(ops, sk, own, policy);
}
