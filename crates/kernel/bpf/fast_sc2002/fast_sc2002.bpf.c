/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
#define CORE fast
#define CORE_REMEMBERS struct fast_state
#include "fast.h"
#include "../controller.h"
#define WINDOW_PACED constants.packet_pacing
#include "../window.h"
#include "../measuring.h"

SEC(".struct_ops.link")
struct tcp_congestion_ops controller = MEASURING_CONTROLLER("fast_sc2002");
