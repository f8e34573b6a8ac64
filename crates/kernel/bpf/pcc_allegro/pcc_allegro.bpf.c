/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
#define CORE pcc_allegro
#define CORE_REMEMBERS struct pcc_state
#define CORE_IS_LONG
#define CORE_ASKS_SAMPLES(constants) ((constants).association == PCC_BY_DELIVERED)
#include "pcc_allegro.h"
#include "../controller.h"
#include "../pcc.h"

SEC(".struct_ops.link")
struct tcp_congestion_ops controller = PCC_CONTROLLER("pcc_allegro");
