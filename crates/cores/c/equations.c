/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/* Single equations of the cores, each under a name that can be linked, for tests. */
#include "pcc_allegro.h"
#include "pcc_vivace.h"

core_s64 narrows_pcc_vivace_utility(const struct pcc_vivace_constants *constants, const struct pcc_interval *interval, core_u32 starting,
				    core_u32 mss)
{
	const struct core_input in = { .mss = mss };

	return pcc_vivace_utility(constants, interval, starting != 0, &in);
}

core_s64 narrows_pcc_allegro_utility(const struct pcc_allegro_constants *constants, const struct pcc_interval *interval)
{
	return pcc_allegro_utility(interval, constants->loss_margin);
}

core_u32 narrows_pcc_exp(core_s32 x)
{
	return pcc_exp(x);
}
