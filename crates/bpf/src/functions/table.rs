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
    Same,
    NumbersNew,
    NumbersNext,
    NumbersDestroy,
}

impl Service {
    /// Whether it may change the congestion window.
    pub(crate) fn changes_window(self) -> bool {
        use Service::{AvoidAdditively, CubicAvoid, RenoAvoid, SlowStart};
        matches!(self, SlowStart | AvoidAdditively | RenoAvoid | CubicAvoid)
    }

    /// Whether it may look at those members of the socket that are kept only for programs that name
    /// them.
    pub(crate) fn reads_details(self) -> bool {
        matches!(self, Service::Probe | Service::ProbeText)
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
const BBR: &str = "the simulator has the kernel's BBR as the controller bbr alone";
const DCTCP: &str = "the simulator has DCTCP as the controller dctcp alone";
const NO_EVENTS: &str = "a simulated host has no perf events: use a ring buffer";

/// The names of the helpers in the order of their numbers, from 1 (include/uapi/linux/bpf.h,
/// `___BPF_FUNC_MAPPER`).
const NAMES: &str = "\
    bpf_map_lookup_elem bpf_map_update_elem bpf_map_delete_elem bpf_probe_read bpf_ktime_get_ns \
    bpf_trace_printk bpf_get_prandom_u32 bpf_get_smp_processor_id bpf_skb_store_bytes \
    bpf_l3_csum_replace bpf_l4_csum_replace bpf_tail_call bpf_clone_redirect \
    bpf_get_current_pid_tgid bpf_get_current_uid_gid bpf_get_current_comm bpf_get_cgroup_classid \
    bpf_skb_vlan_push bpf_skb_vlan_pop bpf_skb_get_tunnel_key bpf_skb_set_tunnel_key \
    bpf_perf_event_read bpf_redirect bpf_get_route_realm bpf_perf_event_output \
    bpf_skb_load_bytes bpf_get_stackid bpf_csum_diff bpf_skb_get_tunnel_opt \
    bpf_skb_set_tunnel_opt bpf_skb_change_proto bpf_skb_change_type bpf_skb_under_cgroup \
    bpf_get_hash_recalc bpf_get_current_task bpf_probe_write_user bpf_current_task_under_cgroup \
    bpf_skb_change_tail bpf_skb_pull_data bpf_csum_update bpf_set_hash_invalid \
    bpf_get_numa_node_id bpf_skb_change_head bpf_xdp_adjust_head bpf_probe_read_str \
    bpf_get_socket_cookie bpf_get_socket_uid bpf_set_hash bpf_setsockopt bpf_skb_adjust_room \
    bpf_redirect_map bpf_sk_redirect_map bpf_sock_map_update bpf_xdp_adjust_meta \
    bpf_perf_event_read_value bpf_perf_prog_read_value bpf_getsockopt bpf_override_return \
    bpf_sock_ops_cb_flags_set bpf_msg_redirect_map bpf_msg_apply_bytes bpf_msg_cork_bytes \
    bpf_msg_pull_data bpf_bind bpf_xdp_adjust_tail bpf_skb_get_xfrm_state bpf_get_stack \
    bpf_skb_load_bytes_relative bpf_fib_lookup bpf_sock_hash_update bpf_msg_redirect_hash \
    bpf_sk_redirect_hash bpf_lwt_push_encap bpf_lwt_seg6_store_bytes bpf_lwt_seg6_adjust_srh \
    bpf_lwt_seg6_action bpf_rc_repeat bpf_rc_keydown bpf_skb_cgroup_id bpf_get_current_cgroup_id \
    bpf_get_local_storage bpf_sk_select_reuseport bpf_skb_ancestor_cgroup_id bpf_sk_lookup_tcp \
    bpf_sk_lookup_udp bpf_sk_release bpf_map_push_elem bpf_map_pop_elem bpf_map_peek_elem \
    bpf_msg_push_data bpf_msg_pop_data bpf_rc_pointer_rel bpf_spin_lock bpf_spin_unlock \
    bpf_sk_fullsock bpf_tcp_sock bpf_skb_ecn_set_ce bpf_get_listener_sock bpf_skc_lookup_tcp \
    bpf_tcp_check_syncookie bpf_sysctl_get_name bpf_sysctl_get_current_value \
    bpf_sysctl_get_new_value bpf_sysctl_set_new_value bpf_strtol bpf_strtoul bpf_sk_storage_get \
    bpf_sk_storage_delete bpf_send_signal bpf_tcp_gen_syncookie bpf_skb_output \
    bpf_probe_read_user bpf_probe_read_kernel bpf_probe_read_user_str bpf_probe_read_kernel_str \
    bpf_tcp_send_ack bpf_send_signal_thread bpf_jiffies64 bpf_read_branch_records \
    bpf_get_ns_current_pid_tgid bpf_xdp_output bpf_get_netns_cookie \
    bpf_get_current_ancestor_cgroup_id bpf_sk_assign bpf_ktime_get_boot_ns bpf_seq_printf \
    bpf_seq_write bpf_sk_cgroup_id bpf_sk_ancestor_cgroup_id bpf_ringbuf_output \
    bpf_ringbuf_reserve bpf_ringbuf_submit bpf_ringbuf_discard bpf_ringbuf_query bpf_csum_level \
    bpf_skc_to_tcp6_sock bpf_skc_to_tcp_sock bpf_skc_to_tcp_timewait_sock \
    bpf_skc_to_tcp_request_sock bpf_skc_to_udp6_sock bpf_get_task_stack bpf_load_hdr_opt \
    bpf_store_hdr_opt bpf_reserve_hdr_opt bpf_inode_storage_get bpf_inode_storage_delete \
    bpf_d_path bpf_copy_from_user bpf_snprintf_btf bpf_seq_printf_btf bpf_skb_cgroup_classid \
    bpf_redirect_neigh bpf_per_cpu_ptr bpf_this_cpu_ptr bpf_redirect_peer bpf_task_storage_get \
    bpf_task_storage_delete bpf_get_current_task_btf bpf_bprm_opts_set bpf_ktime_get_coarse_ns \
    bpf_ima_inode_hash bpf_sock_from_file bpf_check_mtu bpf_for_each_map_elem bpf_snprintf \
    bpf_sys_bpf bpf_btf_find_by_name_kind bpf_sys_close bpf_timer_init bpf_timer_set_callback \
    bpf_timer_start bpf_timer_cancel bpf_get_func_ip bpf_get_attach_cookie bpf_task_pt_regs \
    bpf_get_branch_snapshot bpf_trace_vprintk bpf_skc_to_unix_sock bpf_kallsyms_lookup_name \
    bpf_find_vma bpf_loop bpf_strncmp bpf_get_func_arg bpf_get_func_ret bpf_get_func_arg_cnt \
    bpf_get_retval bpf_set_retval bpf_xdp_get_buff_len bpf_xdp_load_bytes bpf_xdp_store_bytes \
    bpf_copy_from_user_task bpf_skb_set_tstamp bpf_ima_file_hash bpf_kptr_xchg \
    bpf_map_lookup_percpu_elem bpf_skc_to_mptcp_sock bpf_dynptr_from_mem \
    bpf_ringbuf_reserve_dynptr bpf_ringbuf_submit_dynptr bpf_ringbuf_discard_dynptr \
    bpf_dynptr_read bpf_dynptr_write bpf_dynptr_data bpf_tcp_raw_gen_syncookie_ipv4 \
    bpf_tcp_raw_gen_syncookie_ipv6 bpf_tcp_raw_check_syncookie_ipv4 \
    bpf_tcp_raw_check_syncookie_ipv6 bpf_ktime_get_tai_ns bpf_user_ringbuf_drain \
    bpf_cgrp_storage_get bpf_cgrp_storage_delete";

/// The helpers that run here.
#[rustfmt::skip]
const RUNS: &[(&str, Service)] = &[
    ("bpf_map_lookup_elem", Service::MapLookup),
    ("bpf_map_update_elem", Service::MapUpdate),
    ("bpf_map_delete_elem", Service::MapDelete),
    ("bpf_ktime_get_ns", Service::Uptime),
    ("bpf_trace_printk", Service::Print),
    ("bpf_get_prandom_u32", Service::Random),
    ("bpf_get_smp_processor_id", Service::Zero),
    ("bpf_get_numa_node_id", Service::Zero),
    ("bpf_setsockopt", Service::SetOption),
    ("bpf_getsockopt", Service::GetOption),
    ("bpf_spin_lock", Service::Zero),
    ("bpf_spin_unlock", Service::Zero),
    ("bpf_strtol", Service::ParseSigned),
    ("bpf_strtoul", Service::ParseUnsigned),
    ("bpf_sk_storage_get", Service::StorageGet),
    ("bpf_sk_storage_delete", Service::StorageDelete),
    ("bpf_probe_read_kernel", Service::Probe),
    ("bpf_probe_read_kernel_str", Service::ProbeText),
    ("bpf_tcp_send_ack", Service::Zero),
    ("bpf_jiffies64", Service::Jiffies),
    ("bpf_ktime_get_boot_ns", Service::Uptime),
    ("bpf_ringbuf_output", Service::RingOutput),
    ("bpf_ringbuf_reserve", Service::RingReserve),
    ("bpf_ringbuf_submit", Service::RingSubmit),
    ("bpf_ringbuf_discard", Service::RingSubmit),
    ("bpf_ringbuf_query", Service::RingQuery),
    ("bpf_per_cpu_ptr", Service::PerCpu),
    ("bpf_this_cpu_ptr", Service::Same),
    ("bpf_ktime_get_coarse_ns", Service::CoarseUptime),
    ("bpf_for_each_map_elem", Service::ForEachElement),
    ("bpf_snprintf", Service::Format),
    ("bpf_trace_vprintk", Service::PrintArray),
    ("bpf_loop", Service::Loop),
    ("bpf_strncmp", Service::Compare),
    ("bpf_kptr_xchg", Service::Exchange),
    ("bpf_map_lookup_percpu_elem", Service::MapLookupPerCpu),
    ("bpf_dynptr_from_mem", Service::DynamicFromMemory),
    ("bpf_ringbuf_reserve_dynptr", Service::RingReserveDynamic),
    ("bpf_ringbuf_submit_dynptr", Service::RingSubmitDynamic),
    ("bpf_ringbuf_discard_dynptr", Service::RingSubmitDynamic),
    ("bpf_dynptr_read", Service::DynamicRead),
    ("bpf_dynptr_write", Service::DynamicWrite),
    ("bpf_dynptr_data", Service::DynamicData),
    ("bpf_ktime_get_tai_ns", Service::Uptime),
];

/// The helpers that Linux gives to congestion controllers (net/ipv4/bpf_tcp_ca.c
/// `bpf_tcp_ca_get_func_proto`, kernel/bpf/helpers.c `bpf_base_func_proto`) and that a simulated
/// host cannot carry out: the reason, and their names.
const CANNOT: &[(&str, &str)] = &[
    (TAIL_CALLS, "bpf_tail_call"),
    (
        NO_TASK,
        "bpf_get_current_pid_tgid bpf_get_current_uid_gid bpf_get_current_comm \
         bpf_get_cgroup_classid bpf_get_current_task bpf_current_task_under_cgroup \
         bpf_get_current_cgroup_id bpf_probe_read_user bpf_probe_read_user_str \
         bpf_get_ns_current_pid_tgid bpf_get_current_ancestor_cgroup_id bpf_task_storage_get \
         bpf_task_storage_delete bpf_get_current_task_btf bpf_task_pt_regs \
         bpf_cgrp_storage_get bpf_cgrp_storage_delete",
    ),
    (NO_EVENTS, "bpf_perf_event_output bpf_perf_event_read_value"),
    (QUEUES, "bpf_map_push_elem bpf_map_pop_elem bpf_map_peek_elem"),
    (NO_TYPES, "bpf_snprintf_btf"),
    (TIMERS, "bpf_timer_init bpf_timer_set_callback bpf_timer_start bpf_timer_cancel"),
    (NO_USER, "bpf_user_ringbuf_drain"),
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
    ("bbr_init", Refused(BBR)),
    ("bbr_main", Refused(BBR)),
    ("bbr_sndbuf_expand", Refused(BBR)),
    ("bbr_undo_cwnd", Refused(BBR)),
    ("bbr_cwnd_event", Refused(BBR)),
    ("bbr_ssthresh", Refused(BBR)),
    ("bbr_min_tso_segs", Refused(BBR)),
    ("bbr_set_state", Refused(BBR)),
    ("dctcp_init", Refused(DCTCP)),
    ("dctcp_update_alpha", Refused(DCTCP)),
    ("dctcp_cwnd_event", Refused(DCTCP)),
    ("dctcp_ssthresh", Refused(DCTCP)),
    ("dctcp_cwnd_undo", Refused(DCTCP)),
    ("dctcp_state", Refused(DCTCP)),
];

/// The standing of the helper of this name.
fn standing(name: &str) -> Standing {
    if let Some((_, service)) = RUNS.iter().find(|(known, _)| *known == name) {
        return Runs(*service);
    }
    let named = |(_, names): &&(&str, &str)| names.split(' ').any(|known| known == name);
    Refused(CANNOT.iter().find(named).map_or(NOT_GIVEN, |(why, _)| why))
}

/// The name and standing of the helper with a number; `None` if no helper has it.
pub fn helper(number: u32) -> Option<(&'static str, Standing)> {
    let name = NAMES.split(' ').nth(number.checked_sub(1)? as usize)?;
    Some((name, standing(name)))
}

/// The name and standing of a function of the kernel; `None` if controllers may call none of that
/// name.
pub fn function(name: &str) -> Option<(&'static str, Standing)> {
    FUNCTIONS.iter().find(|(known, _)| *known == name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_helper_with_a_standing_of_its_own_has_a_number() {
        let told = RUNS.iter().map(|(name, _)| *name);
        let told = told.chain(CANNOT.iter().flat_map(|(_, names)| names.split(' ')));
        for name in told {
            assert!(NAMES.split(' ').any(|known| known == name), "{name}");
        }
    }
}
