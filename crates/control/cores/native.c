/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/* The kernel's cores for the simulator: each under a name that can be linked. */
#include "fast.h"
#include "hstcp.h"
#include "pcc_allegro.h"
#include "pcc_vivace.h"
#include "scalable.h"
#include "vcp.h"

_Static_assert(sizeof(struct pcc_vivace_constants) == 64, "layout of Vivace's constants");
_Static_assert(sizeof(struct pcc_allegro_constants) == 32, "layout of Allegro's constants");
_Static_assert(sizeof(struct hstcp_constants) == 8 && sizeof(struct hstcp_state) == 8, "layout of HighSpeed TCP");
_Static_assert(sizeof(struct scalable_constants) == 8 && sizeof(struct scalable_state) == 8, "layout of Scalable TCP");
_Static_assert(sizeof(struct fast_constants) == 48 && sizeof(struct fast_state) == 88, "layout of FAST TCP");
_Static_assert(sizeof(struct vcp_constants) == 24 && sizeof(struct vcp_state) == 64, "layout of VCP's constants and state");

#define CORE(name, remembered)                                                                                                      \
	void narrows_##name(const struct name##_constants *constants, struct remembered *state, const struct core_input *in,        \
			    struct core_output *out)                                                                                \
	{                                                                                                                           \
		name##_decide(constants, state, in, out);                                                                           \
	}

CORE(pcc_vivace, pcc_state)
CORE(pcc_allegro, pcc_state)
CORE(hstcp, hstcp_state)
CORE(scalable, scalable_state)
CORE(fast, fast_state)
CORE(vcp, vcp_state)

/* For tests of single equations. */
core_s64 narrows_pcc_vivace_utility(const struct pcc_vivace_constants *constants, const struct pcc_interval *interval, core_u32 starting,
				    core_u32 mss)
{
	return pcc_vivace_utility(constants, interval, starting != 0, mss);
}

core_s64 narrows_pcc_allegro_utility(const struct pcc_allegro_constants *constants, const struct pcc_interval *interval)
{
	return pcc_allegro_utility(constants, interval);
}

core_u32 narrows_pcc_exp(core_s32 x)
{
	return pcc_exp(x);
}
