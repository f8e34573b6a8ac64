/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * A router of VCP at the egress of a device, before its queue (tcx): every packet counts, and those of VCP's senders leave with the code of the latest period, unless
 * a router before wrote a larger one.
 *
 * The queue is the one that these arrivals make in front of a link of the given capacity (vcp_router.h). That of the device could be looked up in some cases only: tbf
 * and htb count what waits in their root, but mq and pfifo_fast count per queue and per processor, and a device without a queue counts nothing.
 */
#include "socket.h"
#include "shared.h"
#include "vcp_router.h"

char _license[] SEC("license") = "GPL";

/* include/uapi/linux/pkt_cls.h: what comes after this program goes on. */
enum { TCX_NEXT = -1 };
/* include/uapi/linux/if_ether.h */
enum { ETH_P_IP = 0x0800, ETH_P_IPV6 = 0x86dd };
/* RFC 3168, section 5. */
enum { ECT1 = 1, ECT0 = 2, CE = 3, ECN_BITS = 3 };
/* Bytes of an IPv4 header, and those of an IPv6 header that are read. */
enum { IPV4_HEADER = 20, IPV6_BEGINNING = 4 };
/* Most bytes of a device's own header before that of IP. */
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

/* The kernel's own view of a packet: where the header of the device begins, and that of IP. */
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

/* What lies `offset` into a packet, if so many bytes from there on are in one piece. */
static __always_inline u8 *within(struct __sk_buff *skb, u32 offset, u32 bytes)
{
	u8 *place = (u8 *)(unsigned long)skb->data + offset;

	/* The verifier wants the pointer compared that is used. */
	asm volatile("" : "+r"(place));
	return place + bytes > (u8 *)(unsigned long)skb->data_end ? NULL : place;
}

/* The beginning of the IP header if so many bytes of it can be read and written. */
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

/* The code point of a load for accurate ECN: ECT(0) low, ECT(1) high, CE overload. */
static __always_inline u32 point_of(u32 code)
{
	return code == VCP_ROUTER_LOW ? ECT0 : code == VCP_ROUTER_HIGH ? ECT1 : CE;
}

/* The load that a code point tells; none for one of another transport. */
static __always_inline u32 code_of(u32 point)
{
	return point == ECT0 ? VCP_ROUTER_LOW : point == ECT1 ? VCP_ROUTER_HIGH : VCP_ROUTER_OVERLOAD;
}

/* Counts a packet that tells `present`; the code point that it leaves with. */
static __always_inline u32 passes(struct __sk_buff *skb, u32 present)
{
	const struct vcp_router_constants *values = (const struct vcp_router_constants *)&constants;
	u64 now = bpf_ktime_get_ns();
	u32 key = 0, code, bytes = skb->wire_len, packets = skb->gso_segs;
	struct router *it = bpf_map_lookup_elem(&router, &key);

	/* The compiler shall not take the values it sees here for those at run time. */
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
	/* RFC 1624, equation 3, of the word that has the code point; sums do not mind the order of bytes. */
	before = *(u16 *)ip;
	ip[1] = (ip[1] & ~ECN_BITS) | point;
	after = *(u16 *)ip;
	sum = (u16)~*(u16 *)(ip + 10) + (u16)~before + after;
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	*(u16 *)(ip + 10) = ~sum;
}

/* The traffic class lies across the first two bytes, the code point in the upper half of the second. */
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
