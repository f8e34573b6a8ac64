/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * Data that the programs in the kernel and the loader share. The Rust declarations are generated
 * from this header (build.rs).
 */
#ifndef NARROWS_SHARED_H
#define NARROWS_SHARED_H

#include "core.h"

/* Room for records that have not been read yet. */
#define SHARED_RECORDS_BYTES (1 << 20)

/* Counters of a controller, over all connections so far. */
struct shared_stats {
	core_u64 opened;	   /* connections that chose the controller */
	core_u64 closed;	   /* connections that ended or changed to another controller */
	core_u64 acknowledgements; /* acknowledgements processed */
	core_u64 decisions;	   /* decisions that changed a window or a rate */
	core_u64 timeouts;	   /* retransmission timeouts */
	core_u64 without_memory;   /* connections for which the kernel had no memory: they keep
				    * their window */
	core_u64 unrecorded;	   /* records lost, because earlier ones had not been read */
};

/* Settings that the loader can change at any time. */
struct shared_control {
	core_u64 record_until; /* calls of the core before this time are recorded (tcp_mstamp,
			        * us) */
};

/* Number of socket priorities (SO_PRIORITY) that can have prices: 0 to 15. */
#define SHARED_PRIORITIES 16

/* Prices for the connections of one priority, instead of the controller's constants. */
struct shared_price {
	core_u32 is_set;  /* 1 if the priority has prices */
	core_u32 loss;	  /* price of loss, in the controller's unit */
	core_u32 latency; /* price of latency, in the controller's unit */
};

/* Head of each record. The core's input, its output and its state follow. */
struct shared_record_head {
	core_u64 connection; /* number of the connection, in the order in which connections chose
			      * the controller */
	core_u64 sequence;   /* number of the call on this connection, from 0 when it chose the
			      * controller */
	core_u16 port;	     /* local port of the socket */
	core_u16 peer;	     /* remote port */
	core_u32 reserved;
};

/* State of a connection when an acknowledgement arrives (acknowledgements.bpf.c). */
struct shared_acknowledgement {
	core_u64 at;		 /* time of arrival (CLOCK_MONOTONIC), in ns */
	core_u64 pacing_rate;	 /* bytes of payload per second */
	core_u32 pacing_status;	 /* 0 if the connection is not paced */
	core_u16 port;		 /* local port of the socket */
	core_u16 peer;		 /* remote port */
	core_u32 cwnd;		 /* the congestion window, in segments */
	core_u32 ssthresh;	 /* the slow start threshold, in segments */
	core_u32 in_flight;	 /* segments in flight */
	core_u32 srtt;		 /* the smoothed round trip in us; 0 before the first sample */
	core_u32 rtt;		 /* the latest round trip in us */
	core_u32 mss;		 /* payload of a segment */
	core_u32 rate_delivered; /* segments delivered in the latest sample of the delivery rate */
	core_u32 rate_interval;	 /* length of the latest sample of the delivery rate in us; 0 if
				  * there was no sample */
};

/*
 * Counters of a router (router.bpf.c). They count packets on the wire: a packet that the device
 * segments later counts as its segments.
 */
struct shared_router_counts {
	core_u64 packets;	/* packets that arrived */
	core_u64 bytes;		/* bytes that arrived, with the header of the device */
	core_u64 without_code;	/* packets of senders that do not use VCP, which are left alone */
	core_u64 told_high;	/* packets raised to high load */
	core_u64 told_overload; /* packets raised to overload */
};

#endif
