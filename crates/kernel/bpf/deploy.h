/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * Data that the program of deployments (deploy.bpf.c) and the agent share. The Rust declarations
 * are generated from this header (build.rs).
 */
#ifndef NARROWS_DEPLOY_H
#define NARROWS_DEPLOY_H

#include "core.h"

/* Most periods of a policy. */
#define DEPLOY_PERIODS 1024
/* Classes of round trips: eight to the octave, from 16 us. */
#define DEPLOY_CLASSES 160
/* Arms: control, treated, and the rest, which is neither. */
#define DEPLOY_ARMS 3
/* Ends of connections that take part. */
#define DEPLOY_ACCEPTED 1
#define DEPLOY_OPENED 2
/* Bit of a threshold: connections that are drawn as treated get the control, too. */
#define DEPLOY_BESIDE 0x80000000
/* Room for records that have not been read yet. */
#define DEPLOY_RECORDS_BYTES (8 << 20)

/*
 * Assignment of controllers to connections. The agent writes the policy that is not in force, then
 * switches.
 */
struct deploy_policy {
	core_u64 start_ns;	  /* beginning of the first period (CLOCK_MONOTONIC), in ns */
	core_u64 period_ns;	  /* length of a period in ns; 0 for one endless period */
	core_u64 control[2];	  /* name of the control's controller; 0 for what a connection has */
	core_u64 treatment[2];	  /* name of the treatment's controller */
	core_u32 on;		  /* 1 if connections are assigned */
	core_u32 roll_back;	  /* 1 if open treated connections get back what they had */
	core_u32 salt;		  /* seed of the draw */
	core_u32 epoch;		  /* number of the policy */
	core_u32 periods;	  /* number of periods */
	core_u32 ends;		  /* 1 for accepted connections, 2 for opened ones, 3 for both */
	core_u32 respect;	  /* 1 to leave connections alone whose program chose */
	core_u32 by_client;	  /* 1 to draw by the peer's address alone */
	core_u32 have_ports;	  /* 1 if only some ports take part */
	core_u32 have_prefixes;	  /* 1 if only some networks take part */
	core_u32 have_interfaces; /* 1 if only some interfaces take part */
	core_u32 mptcp;		  /* 1 if subflows of Multipath TCP take part */
	core_u32 loopback;	  /* 1 if connections over loopback take part */
	core_u32 reserved;
};

/* The policy and the lease in force. */
struct deploy_live {
	core_u64 lease_until_ns; /* time after which nobody is treated (CLOCK_MONOTONIC), in ns */
	core_u32 which;		 /* index of the policy in force */
	core_u32 reserved;
};

/* A connection that takes part. */
struct deploy_connection {
	core_u64 born;	    /* when it was assigned, in ns */
	core_u64 acked;	    /* bytes acknowledged at the latest round trip */
	core_u64 sent;	    /* bytes sent until then */
	core_u64 again;	    /* bytes sent again until then */
	core_u64 rtt_sum;   /* sum of its round trips in us */
	core_u64 before[2]; /* name of the controller that it had */
	core_u64 age_ns;    /* when it was assigned, from the beginning of its period, in ns */
	core_u32 epoch;	    /* number of the policy that assigned it */
	core_u32 period;    /* period in which it was assigned */
	core_u32 rtts;	    /* number of its round trips */
	core_u32 rtt_max;   /* largest of them in us */
	core_u32 arm;	    /* its arm */
	core_u32 role;	    /* 4 if this host opened it, 5 if it accepted it */
	core_u32 state;	    /* 0 as assigned, 1 put back, 2 could not be put back, 3 refused,
			     * 4 drawn as treated with the control */
	core_u32 seen;	    /* 1 when the program has seen its end */
};

/* A connection at its end. It has no address. */
struct deploy_record {
	core_u64 at;		/* when it was closed, in ns */
	core_u64 born;		/* when it was assigned, in ns */
	core_u64 cookie;	/* number of its socket (SO_COOKIE) */
	core_u64 bytes_acked;	/* bytes acknowledged */
	core_u64 bytes_sent;	/* bytes sent */
	core_u64 bytes_retrans; /* bytes sent again */
	core_u64 rtt_sum;	/* sum of its round trips in us */
	core_u64 name[2];	/* name of its controller */
	core_u64 busy_us;	/* time with something to send (tcpi_busy_time), in us; 0 if the
				 * kernel does not tell its CONFIG_HZ */
	core_u64 age_ns;	/* when it was assigned, from the beginning of its period, in ns */
	core_u32 period;	/* period in which it was assigned */
	core_u32 epoch;		/* number of the policy that assigned it */
	core_u32 rtts;		/* number of its round trips */
	core_u32 rtt_max;	/* largest of them in us */
	core_u32 rtt_min;	/* the kernel's least round trip in us */
	core_u32 srtt;		/* smoothed round trip in us */
	core_u32 timeouts;	/* retransmission timeouts */
	core_u32 delivered;	/* segments delivered */
	core_u32 lost;		/* segments declared lost */
	core_u32 cwnd;		/* its congestion window in segments */
	core_u32 arm;		/* its arm */
	core_u32 role;		/* 4 if this host opened it, 5 if it accepted it */
	core_u32 state;		/* as in deploy_connection */
	core_u32 port;		/* own port */
	core_u32 family;	/* address family: 2 for IPv4, 10 for IPv6 */
	core_u32 reserved;
};

/* Counts of an arm, which only grow. */
struct deploy_counts {
	core_u64 assigned;     /* connections of this arm */
	core_u64 refused;      /* of these, those to which the kernel did not give the controller */
	core_u64 unknown;      /* of the refused, those whose controller is missing (ENOENT) */
	core_u64 not_permitted; /* of the refused, those that a route forbids (EPERM) */
	core_u64 left_alone;   /* connections whose program chose */
	core_u64 mptcp;	       /* connections that were left alone as subflows of Multipath TCP */
	core_u64 lapsed;       /* connections that began after the lease */
	core_u64 closed;       /* connections that ended */
	core_u64 restored;     /* treated connections that were put back */
	core_u64 not_restored; /* treated connections that could not be put back */
	core_u64 overridden;   /* treated connections that ended with another controller */
	core_u64 timeouts;     /* retransmission timeouts of connections that ended */
	core_u64 unrecorded;   /* records lost, because earlier ones had not been read */
	core_u64 acked;	       /* bytes acknowledged */
	core_u64 sent;	       /* bytes sent */
	core_u64 again;	       /* bytes sent again */
};

#endif
