/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * VCP router at the egress of a device, before its queue (tcx). All packets count as arrivals.
 * Packets of VCP senders leave with the code of the latest period, unless an earlier router wrote a
 * larger one.
 *
 * The queue is computed: it is the queue that these arrivals form in front of a link of the given
 * capacity (vcp_router.h). The queue of the device itself can be read only in some cases: tbf and
 * htb count the waiting packets in their root, but mq and pfifo_fast count per queue and per
 * processor, and a device without a queue counts nothing.
 */
#include "socket.h"
#include "shared.h"
#include "vcp_router.h"

char _license[] SEC("license") = "GPL";

/* include/uapi/linux/pkt_cls.h: continues with the next program. */
enum { TCX_NEXT = -1 };
/* include/uapi/linux/if_ether.h */
enum { ETH_P_IP = 0x0800, ETH_P_IPV6 = 0x86dd };
/* RFC 3168, section 5. */
enum { ECT1 = 1, ECT0 = 2, CE = 3, ECN_BITS = 3 };
/* Bytes of an IPv4 header, and the number of bytes of an IPv6 header that are read. */
enum { IPV4_HEADER = 20, IPV6_BEGINNING = 4 };
/* Most bytes of the device's own header before the IP header. */
enum { MOST_LINK_HEADER = 255 };

struct __sk_buff {
	u32 len;
	u32 protocol;
	u32 data;
	u32 data_end;
	u32 wire_len;
	u32 gso_segs;
} KERNEL;

struct bpf_spin_lock {
	u32 val;
};

/* The kernel's own view of a packet: the places of the IP header and of the device's header. */
struct sk_buff {
	u16 network_header;
	u16 mac_header;
} KERNEL;

extern void *bpf_cast_to_kern_ctx(void *) __ksym;

/* Set before loading. */
const volatile struct vcp_router_constants constants SEC(".rodata.constants");

struct router {
	struct bpf_spin_lock lock;
	u32 reserved;
	struct vcp_router_state state;
	struct shared_router_counts counts;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct router);
} router SEC(".maps");

/*
 * Returns the place at `offset` in a packet, or NULL unless `bytes` from there on are contiguous.
 */
static __always_inline u8 *within(struct __sk_buff *skb, u32 offset, u32 bytes)
{
	u8 *place = (u8 *)(unsigned long)skb->data + offset;

	/* The verifier requires that the pointer that is used is also the one that is compared. */
	asm volatile("" : "+r"(place));
	return place + bytes > (u8 *)(unsigned long)skb->data_end ? NULL : place;
}

/* Returns the beginning of the IP header, or NULL unless `bytes` of it can be read and written. */
static __always_inline u8 *header(struct __sk_buff *skb, u32 bytes)
{
	const struct sk_buff *packet = bpf_cast_to_kern_ctx(skb);
	u32 offset = (u16)(packet->network_header - packet->mac_header);
	u8 *ip;

	if (offset > MOST_LINK_HEADER)
		return NULL;
	ip = within(skb, offset, bytes);
	if (!ip && !bpf_skb_pull_data((void *)skb, offset + bytes))
		ip = within(skb, offset, bytes);
	return ip;
}

/* Returns the code point of a load for accurate ECN: ECT(0) low, ECT(1) high, CE overload. */
static __always_inline u32 point_of(u32 code)
{
	return code == VCP_ROUTER_LOW ? ECT0 : code == VCP_ROUTER_HIGH ? ECT1 : CE;
}

/* Returns the load of a code point: ECT(0) low, ECT(1) high, any other overload. */
static __always_inline u32 code_of(u32 point)
{
	return point == ECT0 ? VCP_ROUTER_LOW : point == ECT1 ? VCP_ROUTER_HIGH : VCP_ROUTER_OVERLOAD;
}

/* Counts a packet with the code point `present`. Returns the code point with which it leaves. */
static __always_inline u32 passes(struct __sk_buff *skb, u32 present)
{
	const struct vcp_router_constants *values = (const struct vcp_router_constants *)&constants;
	u64 now = bpf_ktime_get_ns();
	u32 key = 0, code, bytes = skb->wire_len, packets = skb->gso_segs;
	struct router *it = bpf_map_lookup_elem(&router, &key);

	/* The compiler must not use the values that it sees here: they change before loading. */
	asm volatile("" : "+r"(values));
	if (!it)
		return present;
	bpf_spin_lock(&it->lock);
	vcp_router_arrives(values, &it->state, now, bytes);
	it->counts.packets += packets ? packets : 1;
	it->counts.bytes += bytes;
	code = it->state.code;
	if (!present)
		it->counts.without_code += packets ? packets : 1;
	else if (code > code_of(present))
		*(code == VCP_ROUTER_HIGH ? &it->counts.told_high : &it->counts.told_overload) += packets ? packets : 1;
	else
		code = VCP_ROUTER_LOW;
	bpf_spin_unlock(&it->lock);
	return present && code > code_of(present) ? point_of(code) : present;
}

static __always_inline void ipv4(struct __sk_buff *skb)
{
	u8 *ip = header(skb, IPV4_HEADER);
	u32 present = ip ? ip[1] & ECN_BITS : 0, point = passes(skb, present), sum;
	u16 before, after;

	if (!ip || point == present)
		return;
	/*
	 * RFC 1624, equation 3, for the word with the code point. The sums do not depend on the
	 * byte order.
	 */
	before = *(u16 *)ip;
	ip[1] = (ip[1] & ~ECN_BITS) | point;
	after = *(u16 *)ip;
	sum = (u16)~*(u16 *)(ip + 10) + (u16)~before + after;
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	*(u16 *)(ip + 10) = ~sum;
}

/*
 * The traffic class spans the first two bytes. The code point is in the upper half of the second
 * byte.
 */
static __always_inline void ipv6(struct __sk_buff *skb)
{
	u8 *ip = header(skb, IPV6_BEGINNING);
	u32 present = ip ? ip[1] >> 4 & ECN_BITS : 0, point = passes(skb, present);

	if (ip && point != present)
		ip[1] = (ip[1] & ~(ECN_BITS << 4)) | point << 4;
}

SEC("tcx/egress")
int vcp_router(struct __sk_buff *skb)
{
	if (skb->protocol == bpf_htons(ETH_P_IP))
		ipv4(skb);
	else if (skb->protocol == bpf_htons(ETH_P_IPV6))
		ipv6(skb);
	else
		passes(skb, 0);
	return TCX_NEXT;
}
