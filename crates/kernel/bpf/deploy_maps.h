/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/* Maps that the programs of an experiment share, and the values in them. */
#ifndef NARROWS_DEPLOY_MAPS_H
#define NARROWS_DEPLOY_MAPS_H

/* Arms of connections, and the states of their assignment. */
enum { CONTROL, TREATED, REST };
enum { AS_ASSIGNED, PUT_BACK, NOT_PUT_BACK, REFUSED, BESIDE };

/* Connections with an arm. */
struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct deploy_connection);
} connections SEC(".maps");

/* Counts of each arm. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, DEPLOY_ARMS);
	__type(key, u32);
	__type(value, struct deploy_counts);
} counts SEC(".maps");

#endif
