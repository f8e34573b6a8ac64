/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/* What programs in the kernel and the loader tell each other; src/shared.rs has the same in Rust. */
#ifndef NARROWS_SHARED_H
#define NARROWS_SHARED_H

/* Room for records that were not yet read. */
#define SHARED_RECORDS_BYTES (1 << 20)

struct shared_stats {
	unsigned long long opened;	   /* connections that took the controller */
	unsigned long long closed;	   /* of these, ended or with another one now */
	unsigned long long acknowledgements;
	unsigned long long decisions;	   /* that changed a window or a rate */
	unsigned long long timeouts;	   /* retransmission timeouts */
	unsigned long long without_memory; /* connections that the kernel had no memory for: they keep their window */
	unsigned long long unrecorded;	   /* records lost, because nobody read those before */
};

struct shared_control {
	unsigned long long record_until; /* each call of a core before this time (tcp_mstamp) is recorded */
};

/* What each record begins with. */
struct shared_record {
	unsigned long long connection; /* numbers connections in the order in which they took the controller */
	unsigned long long sequence;   /* of the calls on this connection, from 0 when it took the controller */
	unsigned short port;	       /* the socket's own */
	unsigned short peer;	       /* the other end's */
	unsigned int reserved;
};

/* What an acknowledgement finds of a connection (acknowledgements.bpf.c). */
struct shared_acknowledgement {
	unsigned long long at;		/* CLOCK_MONOTONIC, ns */
	unsigned long long pacing_rate; /* bytes of payload per second */
	unsigned int pacing_status;	/* 0: not paced */
	unsigned short port;		/* the socket's own */
	unsigned short peer;		/* the other end's */
	unsigned int cwnd, ssthresh, in_flight;
	unsigned int srtt, rtt; /* us */
	unsigned int mss;
	unsigned int rate_delivered, rate_interval; /* segments, us: the latest sample of the delivery rate */
};

#endif
