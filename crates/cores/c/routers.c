/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/* The arithmetic of routers, under names that can be linked. */
#include "vcp_router.h"

void narrows_vcp_router_sample(struct vcp_router_state *state, core_u64 bytes)
{
	vcp_router_sample(state, bytes);
}

void narrows_vcp_router_begin(struct vcp_router_state *state)
{
	vcp_router_begin(state);
}

void narrows_vcp_router_end(const struct vcp_router_constants *constants, struct vcp_router_state *state, core_u64 capacity)
{
	vcp_router_end(constants, state, capacity);
}

void narrows_vcp_router_arrives(const struct vcp_router_constants *constants, struct vcp_router_state *state, core_u64 now, core_u32 bytes)
{
	vcp_router_arrives(constants, state, now, bytes);
}
