/* The kernel's cores for the simulator: each function under a name that can be linked. */
#include "pcc_allegro.h"
#include "pcc_vivace.h"

_Static_assert(sizeof(struct pcc_state) == 72, "layout of the state");
_Static_assert(sizeof(struct pcc_vivace_constants) == 64, "layout of Vivace's constants");
_Static_assert(sizeof(struct pcc_allegro_constants) == 32, "layout of Allegro's constants");

#define ENTRY(variant, call)                                                                                                        \
	void narrows_pcc_##variant##_##call(const struct pcc_##variant##_constants *constants, struct pcc_state *state,             \
					    struct pcc_interval *intervals, const struct pcc_input *in, struct pcc_output *out)     \
	{                                                                                                                           \
		pcc_##variant##_##call(constants, state, intervals, in, out);                                                       \
	}

ENTRY(vivace, init)
ENTRY(vivace, set_state)
ENTRY(vivace, step)
ENTRY(allegro, init)
ENTRY(allegro, set_state)
ENTRY(allegro, step)

/* For tests of single equations. */
pcc_s64 narrows_pcc_vivace_utility(const struct pcc_vivace_constants *constants, const struct pcc_interval *interval, pcc_u32 starting,
				   pcc_u32 mss)
{
	return pcc_vivace_utility(constants, interval, starting != 0, mss);
}

pcc_s64 narrows_pcc_allegro_utility(const struct pcc_allegro_constants *constants, const struct pcc_interval *interval)
{
	return pcc_allegro_utility(constants, interval);
}

pcc_u32 narrows_pcc_exp(pcc_s32 x)
{
	return pcc_exp(x);
}
