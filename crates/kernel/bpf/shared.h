/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/* What programs in the kernel and the loader tell each other. Rust's side is generated from it (build.rs). */
#ifndef NARROWS_SHARED_H
#define NARROWS_SHARED_H

#include "core.h"

/* Room for records that were not yet read. */
#define SHARED_RECORDS_BYTES (1 << 20)

/* What a controller has seen so far, on all connections. */
struct shared_stats {
	core_u64 opened;	   /* connections that took the controller */
	core_u64 closed;	   /* of these, ended or with another controller now */
	core_u64 acknowledgements; /* acknowledgements processed */
	core_u64 decisions;	   /* decisions that changed a window or a rate */
	core_u64 timeouts;	   /* retransmission timeouts */
	core_u64 without_memory;   /* connections that the kernel had no memory for: they keep their window */
	core_u64 unrecorded;	   /* records lost, because nobody read those before */
};

/* What the loader sets at any time. */
struct shared_control {
	core_u64 record_until; /* each call of a core before this time is recorded (tcp_mstamp, us) */
};

/* Priorities of sockets (SO_PRIORITY) that can have prices: 0 to 15. */
#define SHARED_PRIORITIES 16

/* The prices of connections of a priority, in the place of the controller's constants. */
struct shared_price {
	core_u32 is_set;  /* 1 if there are any */
	core_u32 loss;	  /* in the controller's unit */
	core_u32 latency;
};

/* What each record begins with; the core's input and output and its state follow. */
struct shared_record_head {
	core_u64 connection; /* numbers connections in the order in which they took the controller */
	core_u64 sequence;   /* of the calls on this connection, from 0 when it took the controller */
	core_u16 port;	     /* the socket's own port */
	core_u16 peer;	     /* the port of the other end */
	core_u32 reserved;
};

/* What an acknowledgement finds of a connection (acknowledgements.bpf.c). */
struct shared_acknowledgement {
	core_u64 at;		 /* when, by CLOCK_MONOTONIC, in ns */
	core_u64 pacing_rate;	 /* bytes of payload per second */
	core_u32 pacing_status;	 /* 0 if the connection is not paced */
	core_u16 port;		 /* the socket's own port */
	core_u16 peer;		 /* the port of the other end */
	core_u32 cwnd;		 /* the window, in segments */
	core_u32 ssthresh;	 /* the slow start threshold, in segments */
	core_u32 in_flight;	 /* segments in flight */
	core_u32 srtt;		 /* the smoothed round trip in us; 0 before the first sample */
	core_u32 rtt;		 /* the latest round trip in us */
	core_u32 mss;		 /* payload of a segment */
	core_u32 rate_delivered; /* segments of the latest sample of the delivery rate */
	core_u32 rate_interval;	 /* its length in us; 0 if there is none */
};

/* What a router has done (router.bpf.c). Packets are those on the wire: what a device cuts up later counts as its pieces. */
struct shared_router_counts {
	core_u64 packets;	/* packets that arrived */
	core_u64 bytes;		/* their bytes, with the header of the device */
	core_u64 without_code;	/* of these, packets of senders that do not speak VCP, which are left alone */
	core_u64 told_high;	/* packets raised to high load */
	core_u64 told_overload; /* packets raised to overload */
};

#endif
