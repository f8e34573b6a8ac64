//! `TCP_INFO`: the kernel's counts for a connection.

use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::fd::{AsFd, AsRawFd};

/// `struct tcp_info` of `include/uapi/linux/tcp.h`, with the fields up to Linux 6.7. Times are in
/// microseconds, except `last_*` in milliseconds.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct TcpInfo {
    pub state: u8,
    pub ca_state: u8,
    pub retransmits: u8,
    pub probes: u8,
    pub backoff: u8,
    pub options: u8,
    pub wscale: u8,
    pub delivery_rate_app_limited: u8,
    pub rto: u32,
    pub ato: u32,
    pub snd_mss: u32,
    pub rcv_mss: u32,
    pub unacked: u32,
    pub sacked: u32,
    pub lost: u32,
    pub retrans: u32,
    pub fackets: u32,
    pub last_data_sent: u32,
    pub last_ack_sent: u32,
    pub last_data_recv: u32,
    pub last_ack_recv: u32,
    pub pmtu: u32,
    pub rcv_ssthresh: u32,
    pub rtt: u32,
    pub rttvar: u32,
    pub snd_ssthresh: u32,
    pub snd_cwnd: u32,
    pub advmss: u32,
    pub reordering: u32,
    pub rcv_rtt: u32,
    pub rcv_space: u32,
    pub total_retrans: u32,
    pub pacing_rate: u64,
    pub max_pacing_rate: u64,
    pub bytes_acked: u64,
    pub bytes_received: u64,
    pub segs_out: u32,
    pub segs_in: u32,
    pub notsent_bytes: u32,
    pub min_rtt: u32,
    pub data_segs_in: u32,
    pub data_segs_out: u32,
    pub delivery_rate: u64,
    pub busy_time: u64,
    pub rwnd_limited: u64,
    pub sndbuf_limited: u64,
    pub delivered: u32,
    pub delivered_ce: u32,
    pub bytes_sent: u64,
    pub bytes_retrans: u64,
    pub dsack_dups: u32,
    pub reord_seen: u32,
    pub rcv_ooopack: u32,
    pub snd_wnd: u32,
    pub rcv_wnd: u32,
    pub rehash: u32,
    pub total_rto: u16,
    pub total_rto_recoveries: u16,
    pub total_rto_time: u32,
}

/// `TCP_INFINITE_SSTHRESH`: no threshold yet.
pub const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;

impl TcpInfo {
    /// Reads the bytes from the kernel. Fields that an older kernel lacks are zero.
    pub fn from_bytes(bytes: &[u8]) -> TcpInfo {
        let mut info = MaybeUninit::<TcpInfo>::zeroed();
        let length = bytes.len().min(size_of::<TcpInfo>());
        // SAFETY: `info` has at least `length` bytes, and does not overlap `bytes`. All fields are
        // integers, and zero where nothing was written.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), info.as_mut_ptr().cast(), length);
            info.assume_init()
        }
    }

    /// Queries a socket. Fields that an older kernel lacks are zero.
    pub fn of(socket: impl AsFd) -> io::Result<TcpInfo> {
        let mut info = MaybeUninit::<TcpInfo>::zeroed();
        let mut length = size_of::<TcpInfo>() as libc::socklen_t;
        let fd = socket.as_fd().as_raw_fd();
        // SAFETY: the kernel writes at most `length` bytes to `info`, which has that size.
        let answer = unsafe {
            libc::getsockopt(
                fd,
                libc::IPPROTO_TCP,
                libc::TCP_INFO,
                info.as_mut_ptr().cast(),
                &raw mut length,
            )
        };
        if answer < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: all fields are integers, and zero where the kernel wrote nothing.
        Ok(unsafe { info.assume_init() })
    }
}
