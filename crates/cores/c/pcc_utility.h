/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * Utility of PCC Allegro in the kernel module (branch master):
 * rate * (1 - L) / (1 + e^(100 (L - margin))) - rate * L, with the nominal rate in place of the
 * throughput.
 */
#ifndef NARROWS_PCC_UTILITY_H
#define NARROWS_PCC_UTILITY_H

#include "pcc.h"

/* Losses are in thousandths of a percent. */
#define PCC_ALLEGRO_WHOLE (100 * PCC_SCALE)
/* Distance beyond the margin from which on the sigmoid is taken as 0. */
#define PCC_ALLEGRO_BEYOND (10 * PCC_SCALE)
/* Most terms of the series: for smaller exponents, terms vanish before this one. */
#define PCC_ALLEGRO_TERMS 64

/*
 * Returns e^(x/1000) in thousandths, for x of at most 10000 in magnitude: the Taylor series until a
 * term vanishes.
 */
static inline core_u32 pcc_exp(core_s32 x)
{
	core_s64 term = PCC_SCALE;
	core_s64 sum = PCC_SCALE;

	for (core_s32 i = 1; i < PCC_ALLEGRO_TERMS && term; i++) {
		term = core_div(core_div(term * x, i), PCC_SCALE);
		sum += term;
	}
	return (core_u32)sum;
}

/*
 * Returns the utility, which only losses lower. Losses are tolerated up to about `margin` percent.
 */
static inline core_s64 pcc_allegro_utility(const struct pcc_interval *interval, core_u32 margin)
{
	core_s64 lost = interval->lost, delivered = interval->delivered, rate = (core_s64)interval->rate;
	core_s64 loss, beyond, kept = 0;

	if (!(lost + delivered))
		return CORE_S64_MIN;
	loss = core_div(lost * PCC_ALLEGRO_WHOLE, lost + delivered);
	beyond = loss - (core_s64)margin * PCC_SCALE;
	if (beyond < PCC_ALLEGRO_BEYOND)
		kept = core_div(core_mul(rate, PCC_SCALE), (core_s64)(pcc_exp((core_s32)beyond) + PCC_SCALE));
	kept = core_div(core_mul(kept, PCC_ALLEGRO_WHOLE - loss), PCC_ALLEGRO_WHOLE);
	return core_sub(kept, core_div(core_mul(rate, loss), PCC_ALLEGRO_WHOLE));
}

#endif
