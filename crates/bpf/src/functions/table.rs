//! Every function of the kernel that a program can name: the helpers by their numbers, the kernel
//! functions by their names, and of each whether it works here.

use Standing::{Refused, Runs};

/// A function that the machine carries out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Service {
    MapLookup,
    MapUpdate,
    MapDelete,
    Uptime,
    Print,
    Random,
    Zero,
    SetOption,
    GetOption,
    ParseSigned,
    ParseUnsigned,
    StorageGet,
    StorageDelete,
    Probe,
    ProbeText,
    Jiffies,
    RingOutput,
    RingReserve,
    RingSubmit,
    RingQuery,
    PerCpu,
    CoarseUptime,
    ForEachElement,
    Format,
    PrintArray,
    Loop,
    Compare,
    Exchange,
    MapLookupPerCpu,
    DynamicFromMemory,
    RingReserveDynamic,
    RingSubmitDynamic,
    DynamicRead,
    DynamicWrite,
    DynamicData,
    SlowStart,
    AvoidAdditively,
    RenoThreshold,
    RenoUndo,
    RenoAvoid,
    CubicInit,
    CubicThreshold,
    CubicAvoid,
    CubicState,
    CubicEvent,
    CubicAcked,
    BbrInit,
    BbrMain,
    BbrBuffer,
    BbrUndo,
    BbrEvent,
    BbrThreshold,
    BbrLeastBurst,
    BbrState,
    DctcpInit,
    DctcpUpdateAlpha,
    DctcpEvent,
    DctcpThreshold,
    DctcpUndo,
    DctcpState,
    Same,
    NumbersNew,
    NumbersNext,
    NumbersDestroy,
}

impl Service {
    /// Whether it may change the congestion window.
    pub(crate) fn changes_window(self) -> bool {
        use Service::{AvoidAdditively, BbrEvent, BbrMain, CubicAvoid, RenoAvoid, SlowStart};
        matches!(self, SlowStart | AvoidAdditively | RenoAvoid | CubicAvoid | BbrMain | BbrEvent)
    }

    /// Whether it may look at those members of the socket that are kept only for programs that name
    /// them.
    pub(crate) fn reads_details(self) -> bool {
        use Service::{
            BbrBuffer, BbrEvent, BbrInit, BbrLeastBurst, BbrMain, BbrState, BbrThreshold, BbrUndo,
            Probe, ProbeText,
        };
        matches!(
            self,
            BbrInit
                | BbrMain
                | BbrBuffer
                | BbrUndo
                | BbrEvent
                | BbrThreshold
                | BbrLeastBurst
                | BbrState
                | Probe
                | ProbeText
        )
    }
}

/// Whether a function works here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It does.
    Runs(Service),
    /// A program that calls it is refused, because of this.
    Refused(&'static str),
}

const NOT_GIVEN: &str = "the kernel gives it to no congestion controller";
const TIMERS: &str = "a simulated controller has no timers of BPF: use the callbacks, which come with every acknowledgement";
const TAIL_CALLS: &str = "tail calls are not carried out: call a function";
const NO_TASK: &str =
    "an acknowledgement belongs to no task, process, user or group of the host that is simulated";
const NO_USER: &str = "a simulated host has nobody who would write into the ring";
const QUEUES: &str =
    "maps of the kinds queue, stack and Bloom filter are not carried out: use an array or a hash";
const NO_TYPES: &str = "a simulated host has no types of a kernel to print by: use bpf_snprintf";
const NO_EVENTS: &str = "a simulated host has no perf events: use a ring buffer";

/// The helpers: number, name (include/uapi/linux/bpf.h, `___BPF_FUNC_MAPPER`), standing. Helpers
/// that the kernel gives to congestion controllers: net/ipv4/bpf_tcp_ca.c
/// `bpf_tcp_ca_get_func_proto`, kernel/bpf/helpers.c `bpf_base_func_proto`.
#[rustfmt::skip]
pub const HELPERS: &[(u32, &str, Standing)] = &[
    (1, "bpf_map_lookup_elem", Runs(Service::MapLookup)),
    (2, "bpf_map_update_elem", Runs(Service::MapUpdate)),
    (3, "bpf_map_delete_elem", Runs(Service::MapDelete)),
    (4, "bpf_probe_read", Refused(NOT_GIVEN)),
    (5, "bpf_ktime_get_ns", Runs(Service::Uptime)),
    (6, "bpf_trace_printk", Runs(Service::Print)),
    (7, "bpf_get_prandom_u32", Runs(Service::Random)),
    (8, "bpf_get_smp_processor_id", Runs(Service::Zero)),
    (9, "bpf_skb_store_bytes", Refused(NOT_GIVEN)),
    (10, "bpf_l3_csum_replace", Refused(NOT_GIVEN)),
    (11, "bpf_l4_csum_replace", Refused(NOT_GIVEN)),
    (12, "bpf_tail_call", Refused(TAIL_CALLS)),
    (13, "bpf_clone_redirect", Refused(NOT_GIVEN)),
    (14, "bpf_get_current_pid_tgid", Refused(NO_TASK)),
    (15, "bpf_get_current_uid_gid", Refused(NO_TASK)),
    (16, "bpf_get_current_comm", Refused(NO_TASK)),
    (17, "bpf_get_cgroup_classid", Refused(NO_TASK)),
    (18, "bpf_skb_vlan_push", Refused(NOT_GIVEN)),
    (19, "bpf_skb_vlan_pop", Refused(NOT_GIVEN)),
    (20, "bpf_skb_get_tunnel_key", Refused(NOT_GIVEN)),
    (21, "bpf_skb_set_tunnel_key", Refused(NOT_GIVEN)),
    (22, "bpf_perf_event_read", Refused(NOT_GIVEN)),
    (23, "bpf_redirect", Refused(NOT_GIVEN)),
    (24, "bpf_get_route_realm", Refused(NOT_GIVEN)),
    (25, "bpf_perf_event_output", Refused(NO_EVENTS)),
    (26, "bpf_skb_load_bytes", Refused(NOT_GIVEN)),
    (27, "bpf_get_stackid", Refused(NOT_GIVEN)),
    (28, "bpf_csum_diff", Refused(NOT_GIVEN)),
    (29, "bpf_skb_get_tunnel_opt", Refused(NOT_GIVEN)),
    (30, "bpf_skb_set_tunnel_opt", Refused(NOT_GIVEN)),
    (31, "bpf_skb_change_proto", Refused(NOT_GIVEN)),
    (32, "bpf_skb_change_type", Refused(NOT_GIVEN)),
    (33, "bpf_skb_under_cgroup", Refused(NOT_GIVEN)),
    (34, "bpf_get_hash_recalc", Refused(NOT_GIVEN)),
    (35, "bpf_get_current_task", Refused(NO_TASK)),
    (36, "bpf_probe_write_user", Refused(NOT_GIVEN)),
    (37, "bpf_current_task_under_cgroup", Refused(NO_TASK)),
    (38, "bpf_skb_change_tail", Refused(NOT_GIVEN)),
    (39, "bpf_skb_pull_data", Refused(NOT_GIVEN)),
    (40, "bpf_csum_update", Refused(NOT_GIVEN)),
    (41, "bpf_set_hash_invalid", Refused(NOT_GIVEN)),
    (42, "bpf_get_numa_node_id", Runs(Service::Zero)),
    (43, "bpf_skb_change_head", Refused(NOT_GIVEN)),
    (44, "bpf_xdp_adjust_head", Refused(NOT_GIVEN)),
    (45, "bpf_probe_read_str", Refused(NOT_GIVEN)),
    (46, "bpf_get_socket_cookie", Refused(NOT_GIVEN)),
    (47, "bpf_get_socket_uid", Refused(NOT_GIVEN)),
    (48, "bpf_set_hash", Refused(NOT_GIVEN)),
    (49, "bpf_setsockopt", Runs(Service::SetOption)),
    (50, "bpf_skb_adjust_room", Refused(NOT_GIVEN)),
    (51, "bpf_redirect_map", Refused(NOT_GIVEN)),
    (52, "bpf_sk_redirect_map", Refused(NOT_GIVEN)),
    (53, "bpf_sock_map_update", Refused(NOT_GIVEN)),
    (54, "bpf_xdp_adjust_meta", Refused(NOT_GIVEN)),
    (55, "bpf_perf_event_read_value", Refused(NO_EVENTS)),
    (56, "bpf_perf_prog_read_value", Refused(NOT_GIVEN)),
    (57, "bpf_getsockopt", Runs(Service::GetOption)),
    (58, "bpf_override_return", Refused(NOT_GIVEN)),
    (59, "bpf_sock_ops_cb_flags_set", Refused(NOT_GIVEN)),
    (60, "bpf_msg_redirect_map", Refused(NOT_GIVEN)),
    (61, "bpf_msg_apply_bytes", Refused(NOT_GIVEN)),
    (62, "bpf_msg_cork_bytes", Refused(NOT_GIVEN)),
    (63, "bpf_msg_pull_data", Refused(NOT_GIVEN)),
    (64, "bpf_bind", Refused(NOT_GIVEN)),
    (65, "bpf_xdp_adjust_tail", Refused(NOT_GIVEN)),
    (66, "bpf_skb_get_xfrm_state", Refused(NOT_GIVEN)),
    (67, "bpf_get_stack", Refused(NOT_GIVEN)),
    (68, "bpf_skb_load_bytes_relative", Refused(NOT_GIVEN)),
    (69, "bpf_fib_lookup", Refused(NOT_GIVEN)),
    (70, "bpf_sock_hash_update", Refused(NOT_GIVEN)),
    (71, "bpf_msg_redirect_hash", Refused(NOT_GIVEN)),
    (72, "bpf_sk_redirect_hash", Refused(NOT_GIVEN)),
    (73, "bpf_lwt_push_encap", Refused(NOT_GIVEN)),
    (74, "bpf_lwt_seg6_store_bytes", Refused(NOT_GIVEN)),
    (75, "bpf_lwt_seg6_adjust_srh", Refused(NOT_GIVEN)),
    (76, "bpf_lwt_seg6_action", Refused(NOT_GIVEN)),
    (77, "bpf_rc_repeat", Refused(NOT_GIVEN)),
    (78, "bpf_rc_keydown", Refused(NOT_GIVEN)),
    (79, "bpf_skb_cgroup_id", Refused(NOT_GIVEN)),
    (80, "bpf_get_current_cgroup_id", Refused(NO_TASK)),
    (81, "bpf_get_local_storage", Refused(NOT_GIVEN)),
    (82, "bpf_sk_select_reuseport", Refused(NOT_GIVEN)),
    (83, "bpf_skb_ancestor_cgroup_id", Refused(NOT_GIVEN)),
    (84, "bpf_sk_lookup_tcp", Refused(NOT_GIVEN)),
    (85, "bpf_sk_lookup_udp", Refused(NOT_GIVEN)),
    (86, "bpf_sk_release", Refused(NOT_GIVEN)),
    (87, "bpf_map_push_elem", Refused(QUEUES)),
    (88, "bpf_map_pop_elem", Refused(QUEUES)),
    (89, "bpf_map_peek_elem", Refused(QUEUES)),
    (90, "bpf_msg_push_data", Refused(NOT_GIVEN)),
    (91, "bpf_msg_pop_data", Refused(NOT_GIVEN)),
    (92, "bpf_rc_pointer_rel", Refused(NOT_GIVEN)),
    (93, "bpf_spin_lock", Runs(Service::Zero)),
    (94, "bpf_spin_unlock", Runs(Service::Zero)),
    (95, "bpf_sk_fullsock", Refused(NOT_GIVEN)),
    (96, "bpf_tcp_sock", Refused(NOT_GIVEN)),
    (97, "bpf_skb_ecn_set_ce", Refused(NOT_GIVEN)),
    (98, "bpf_get_listener_sock", Refused(NOT_GIVEN)),
    (99, "bpf_skc_lookup_tcp", Refused(NOT_GIVEN)),
    (100, "bpf_tcp_check_syncookie", Refused(NOT_GIVEN)),
    (101, "bpf_sysctl_get_name", Refused(NOT_GIVEN)),
    (102, "bpf_sysctl_get_current_value", Refused(NOT_GIVEN)),
    (103, "bpf_sysctl_get_new_value", Refused(NOT_GIVEN)),
    (104, "bpf_sysctl_set_new_value", Refused(NOT_GIVEN)),
    (105, "bpf_strtol", Runs(Service::ParseSigned)),
    (106, "bpf_strtoul", Runs(Service::ParseUnsigned)),
    (107, "bpf_sk_storage_get", Runs(Service::StorageGet)),
    (108, "bpf_sk_storage_delete", Runs(Service::StorageDelete)),
    (109, "bpf_send_signal", Refused(NOT_GIVEN)),
    (110, "bpf_tcp_gen_syncookie", Refused(NOT_GIVEN)),
    (111, "bpf_skb_output", Refused(NOT_GIVEN)),
    (112, "bpf_probe_read_user", Refused(NO_TASK)),
    (113, "bpf_probe_read_kernel", Runs(Service::Probe)),
    (114, "bpf_probe_read_user_str", Refused(NO_TASK)),
    (115, "bpf_probe_read_kernel_str", Runs(Service::ProbeText)),
    (116, "bpf_tcp_send_ack", Runs(Service::Zero)),
    (117, "bpf_send_signal_thread", Refused(NOT_GIVEN)),
    (118, "bpf_jiffies64", Runs(Service::Jiffies)),
    (119, "bpf_read_branch_records", Refused(NOT_GIVEN)),
    (120, "bpf_get_ns_current_pid_tgid", Refused(NO_TASK)),
    (121, "bpf_xdp_output", Refused(NOT_GIVEN)),
    (122, "bpf_get_netns_cookie", Refused(NOT_GIVEN)),
    (123, "bpf_get_current_ancestor_cgroup_id", Refused(NO_TASK)),
    (124, "bpf_sk_assign", Refused(NOT_GIVEN)),
    (125, "bpf_ktime_get_boot_ns", Runs(Service::Uptime)),
    (126, "bpf_seq_printf", Refused(NOT_GIVEN)),
    (127, "bpf_seq_write", Refused(NOT_GIVEN)),
    (128, "bpf_sk_cgroup_id", Refused(NOT_GIVEN)),
    (129, "bpf_sk_ancestor_cgroup_id", Refused(NOT_GIVEN)),
    (130, "bpf_ringbuf_output", Runs(Service::RingOutput)),
    (131, "bpf_ringbuf_reserve", Runs(Service::RingReserve)),
    (132, "bpf_ringbuf_submit", Runs(Service::RingSubmit)),
    (133, "bpf_ringbuf_discard", Runs(Service::RingSubmit)),
    (134, "bpf_ringbuf_query", Runs(Service::RingQuery)),
    (135, "bpf_csum_level", Refused(NOT_GIVEN)),
    (136, "bpf_skc_to_tcp6_sock", Refused(NOT_GIVEN)),
    (137, "bpf_skc_to_tcp_sock", Refused(NOT_GIVEN)),
    (138, "bpf_skc_to_tcp_timewait_sock", Refused(NOT_GIVEN)),
    (139, "bpf_skc_to_tcp_request_sock", Refused(NOT_GIVEN)),
    (140, "bpf_skc_to_udp6_sock", Refused(NOT_GIVEN)),
    (141, "bpf_get_task_stack", Refused(NOT_GIVEN)),
    (142, "bpf_load_hdr_opt", Refused(NOT_GIVEN)),
    (143, "bpf_store_hdr_opt", Refused(NOT_GIVEN)),
    (144, "bpf_reserve_hdr_opt", Refused(NOT_GIVEN)),
    (145, "bpf_inode_storage_get", Refused(NOT_GIVEN)),
    (146, "bpf_inode_storage_delete", Refused(NOT_GIVEN)),
    (147, "bpf_d_path", Refused(NOT_GIVEN)),
    (148, "bpf_copy_from_user", Refused(NOT_GIVEN)),
    (149, "bpf_snprintf_btf", Refused(NO_TYPES)),
    (150, "bpf_seq_printf_btf", Refused(NOT_GIVEN)),
    (151, "bpf_skb_cgroup_classid", Refused(NOT_GIVEN)),
    (152, "bpf_redirect_neigh", Refused(NOT_GIVEN)),
    (153, "bpf_per_cpu_ptr", Runs(Service::PerCpu)),
    (154, "bpf_this_cpu_ptr", Runs(Service::Same)),
    (155, "bpf_redirect_peer", Refused(NOT_GIVEN)),
    (156, "bpf_task_storage_get", Refused(NO_TASK)),
    (157, "bpf_task_storage_delete", Refused(NO_TASK)),
    (158, "bpf_get_current_task_btf", Refused(NO_TASK)),
    (159, "bpf_bprm_opts_set", Refused(NOT_GIVEN)),
    (160, "bpf_ktime_get_coarse_ns", Runs(Service::CoarseUptime)),
    (161, "bpf_ima_inode_hash", Refused(NOT_GIVEN)),
    (162, "bpf_sock_from_file", Refused(NOT_GIVEN)),
    (163, "bpf_check_mtu", Refused(NOT_GIVEN)),
    (164, "bpf_for_each_map_elem", Runs(Service::ForEachElement)),
    (165, "bpf_snprintf", Runs(Service::Format)),
    (166, "bpf_sys_bpf", Refused(NOT_GIVEN)),
    (167, "bpf_btf_find_by_name_kind", Refused(NOT_GIVEN)),
    (168, "bpf_sys_close", Refused(NOT_GIVEN)),
    (169, "bpf_timer_init", Refused(TIMERS)),
    (170, "bpf_timer_set_callback", Refused(TIMERS)),
    (171, "bpf_timer_start", Refused(TIMERS)),
    (172, "bpf_timer_cancel", Refused(TIMERS)),
    (173, "bpf_get_func_ip", Refused(NOT_GIVEN)),
    (174, "bpf_get_attach_cookie", Refused(NOT_GIVEN)),
    (175, "bpf_task_pt_regs", Refused(NO_TASK)),
    (176, "bpf_get_branch_snapshot", Refused(NOT_GIVEN)),
    (177, "bpf_trace_vprintk", Runs(Service::PrintArray)),
    (178, "bpf_skc_to_unix_sock", Refused(NOT_GIVEN)),
    (179, "bpf_kallsyms_lookup_name", Refused(NOT_GIVEN)),
    (180, "bpf_find_vma", Refused(NOT_GIVEN)),
    (181, "bpf_loop", Runs(Service::Loop)),
    (182, "bpf_strncmp", Runs(Service::Compare)),
    (183, "bpf_get_func_arg", Refused(NOT_GIVEN)),
    (184, "bpf_get_func_ret", Refused(NOT_GIVEN)),
    (185, "bpf_get_func_arg_cnt", Refused(NOT_GIVEN)),
    (186, "bpf_get_retval", Refused(NOT_GIVEN)),
    (187, "bpf_set_retval", Refused(NOT_GIVEN)),
    (188, "bpf_xdp_get_buff_len", Refused(NOT_GIVEN)),
    (189, "bpf_xdp_load_bytes", Refused(NOT_GIVEN)),
    (190, "bpf_xdp_store_bytes", Refused(NOT_GIVEN)),
    (191, "bpf_copy_from_user_task", Refused(NOT_GIVEN)),
    (192, "bpf_skb_set_tstamp", Refused(NOT_GIVEN)),
    (193, "bpf_ima_file_hash", Refused(NOT_GIVEN)),
    (194, "bpf_kptr_xchg", Runs(Service::Exchange)),
    (195, "bpf_map_lookup_percpu_elem", Runs(Service::MapLookupPerCpu)),
    (196, "bpf_skc_to_mptcp_sock", Refused(NOT_GIVEN)),
    (197, "bpf_dynptr_from_mem", Runs(Service::DynamicFromMemory)),
    (198, "bpf_ringbuf_reserve_dynptr", Runs(Service::RingReserveDynamic)),
    (199, "bpf_ringbuf_submit_dynptr", Runs(Service::RingSubmitDynamic)),
    (200, "bpf_ringbuf_discard_dynptr", Runs(Service::RingSubmitDynamic)),
    (201, "bpf_dynptr_read", Runs(Service::DynamicRead)),
    (202, "bpf_dynptr_write", Runs(Service::DynamicWrite)),
    (203, "bpf_dynptr_data", Runs(Service::DynamicData)),
    (204, "bpf_tcp_raw_gen_syncookie_ipv4", Refused(NOT_GIVEN)),
    (205, "bpf_tcp_raw_gen_syncookie_ipv6", Refused(NOT_GIVEN)),
    (206, "bpf_tcp_raw_check_syncookie_ipv4", Refused(NOT_GIVEN)),
    (207, "bpf_tcp_raw_check_syncookie_ipv6", Refused(NOT_GIVEN)),
    (208, "bpf_ktime_get_tai_ns", Runs(Service::Uptime)),
    (209, "bpf_user_ringbuf_drain", Refused(NO_USER)),
    (210, "bpf_cgrp_storage_get", Refused(NO_TASK)),
    (211, "bpf_cgrp_storage_delete", Refused(NO_TASK)),
];

/// The functions of the kernel that congestion controllers may call by name: net/ipv4/bpf_tcp_ca.c
/// `bpf_tcp_ca_check_kfunc_ids`, and those of tcp_cubic.c, tcp_bbr.c, tcp_dctcp.c;
/// kernel/bpf/helpers.c `common_btf_ids`.
#[rustfmt::skip]
pub const FUNCTIONS: &[(&str, Standing)] = &[
    ("tcp_slow_start", Runs(Service::SlowStart)),
    ("tcp_cong_avoid_ai", Runs(Service::AvoidAdditively)),
    ("tcp_reno_ssthresh", Runs(Service::RenoThreshold)),
    ("tcp_reno_undo_cwnd", Runs(Service::RenoUndo)),
    ("tcp_reno_cong_avoid", Runs(Service::RenoAvoid)),
    ("bpf_rcu_read_lock", Runs(Service::Zero)),
    ("bpf_rcu_read_unlock", Runs(Service::Zero)),
    ("bpf_cast_to_kern_ctx", Runs(Service::Same)),
    ("bpf_rdonly_cast", Runs(Service::Same)),
    ("bpf_iter_num_new", Runs(Service::NumbersNew)),
    ("bpf_iter_num_next", Runs(Service::NumbersNext)),
    ("bpf_iter_num_destroy", Runs(Service::NumbersDestroy)),
    ("cubictcp_init", Runs(Service::CubicInit)),
    ("cubictcp_recalc_ssthresh", Runs(Service::CubicThreshold)),
    ("cubictcp_cong_avoid", Runs(Service::CubicAvoid)),
    ("cubictcp_state", Runs(Service::CubicState)),
    ("cubictcp_cwnd_event", Runs(Service::CubicEvent)),
    ("cubictcp_acked", Runs(Service::CubicAcked)),
    ("bbr_init", Runs(Service::BbrInit)),
    ("bbr_main", Runs(Service::BbrMain)),
    ("bbr_sndbuf_expand", Runs(Service::BbrBuffer)),
    ("bbr_undo_cwnd", Runs(Service::BbrUndo)),
    ("bbr_cwnd_event", Runs(Service::BbrEvent)),
    ("bbr_ssthresh", Runs(Service::BbrThreshold)),
    ("bbr_min_tso_segs", Runs(Service::BbrLeastBurst)),
    ("bbr_set_state", Runs(Service::BbrState)),
    ("dctcp_init", Runs(Service::DctcpInit)),
    ("dctcp_update_alpha", Runs(Service::DctcpUpdateAlpha)),
    ("dctcp_cwnd_event", Runs(Service::DctcpEvent)),
    ("dctcp_ssthresh", Runs(Service::DctcpThreshold)),
    ("dctcp_cwnd_undo", Runs(Service::DctcpUndo)),
    ("dctcp_state", Runs(Service::DctcpState)),
];

/// The name and standing of the helper with a number; `None` if no helper has it.
pub fn helper(number: u32) -> Option<(&'static str, Standing)> {
    let found = HELPERS.binary_search_by_key(&number, |(number, ..)| *number).ok()?;
    let (_, name, standing) = HELPERS[found];
    Some((name, standing))
}

/// The name and standing of a function of the kernel; `None` if controllers may call none of that
/// name.
pub fn function(name: &str) -> Option<(&'static str, Standing)> {
    FUNCTIONS.iter().find(|(known, _)| *known == name).copied()
}
