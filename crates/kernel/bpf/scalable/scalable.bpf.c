/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
#define CORE scalable
#define CORE_REMEMBERS struct scalable_state
#include "scalable.h"
#include "../controller.h"
#include "../window.h"

SEC(".struct_ops.link")
struct tcp_congestion_ops controller = WINDOW_CONTROLLER("scalable");
