//! TUN devices, which exchange packets with a host's kernel.

use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

/// Name of the device in every host's namespace.
pub const DEVICE: &str = "narrows0";

/// Work that the kernel may leave to the device: checksums, and splitting of TCP super-segments.
const OFFLOADS: u32 = libc::TUN_F_CSUM | libc::TUN_F_TSO4 | libc::TUN_F_TSO6 | libc::TUN_F_TSO_ECN;

/// Splitting of UDP super-segments, which devices support since Linux 6.2.
const UDP_OFFLOADS: u32 = libc::TUN_F_USO4 | libc::TUN_F_USO6;

/// A TUN device, which is removed when this is dropped. A virtio header precedes each packet.
#[derive(Debug)]
pub struct Tun(File);

impl Tun {
    /// Creates the device in the namespace of the calling thread. Needs `CAP_NET_ADMIN` and
    /// `/dev/net/tun`.
    pub fn create() -> io::Result<Tun> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC)
            .open("/dev/net/tun")?;
        // SAFETY: all-zero bytes are a valid `ifreq`, which has integers, arrays and a null
        // pointer.
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        for (to, from) in request.ifr_name.iter_mut().zip(DEVICE.bytes()) {
            *to = from as libc::c_char;
        }
        request.ifr_ifru.ifru_flags =
            (libc::IFF_TUN | libc::IFF_NO_PI | libc::IFF_VNET_HDR) as libc::c_short;
        // SAFETY: TUNSETIFF reads and writes an `ifreq`, which lives through the call.
        let answer = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw mut request) };
        if answer < 0 {
            return Err(io::Error::last_os_error());
        }
        let tun = Tun(file);
        tun.offload(OFFLOADS | UDP_OFFLOADS).or_else(|_| tun.offload(OFFLOADS))?;
        Ok(tun)
    }

    fn offload(&self, what: u32) -> io::Result<()> {
        // SAFETY: TUNSETOFFLOAD takes its argument by value.
        let answer = unsafe {
            libc::ioctl(self.0.as_raw_fd(), libc::TUNSETOFFLOAD, libc::c_ulong::from(what))
        };
        if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Reads a packet with its virtio header, if one is available. Returns its length.
    pub fn read(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match rustix::io::read(&self.0, buffer) {
            Ok(count) => Ok(Some(count)),
            Err(rustix::io::Errno::AGAIN) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Passes a packet to the kernel, in pieces; the first begins with the virtio header.
    pub fn write(&self, pieces: &[IoSlice<'_>]) -> io::Result<()> {
        rustix::io::writev(&self.0, pieces)?;
        Ok(())
    }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Returns the remedy for an error of creating a device.
pub fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        _ if rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::MFILE) => {
            "raise the limit of open files (ulimit -n)"
        }
        io::ErrorKind::NotFound => {
            "sudo modprobe tun; where it is still missing: sudo mkdir -p /dev/net && sudo mknod -m 666 /dev/net/tun c 10 200; in a container: --device /dev/net/tun"
        }
        io::ErrorKind::PermissionDenied => {
            "sudo chmod 666 /dev/net/tun, as most distributions have it"
        }
        _ => "sudo modprobe tun; in a container: --device /dev/net/tun",
    }
}
