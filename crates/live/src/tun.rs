//! TUN devices: where packets of a host's kernel come out and go in.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

/// The device's name in every host's namespace.
pub const DEVICE: &str = "narrows0";

/// A TUN device, which goes when this does.
#[derive(Debug)]
pub struct Tun(File);

impl Tun {
    /// Creates the device in the namespace of the calling thread. Needs `CAP_NET_ADMIN` and `/dev/net/tun`.
    pub fn create() -> io::Result<Tun> {
        let file = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC).open("/dev/net/tun")?;
        // SAFETY: all-zero bytes are a valid `ifreq`, which has integers, arrays and a null pointer.
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        for (to, from) in request.ifr_name.iter_mut().zip(DEVICE.bytes()) {
            *to = from as libc::c_char;
        }
        request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
        // SAFETY: TUNSETIFF reads and writes an `ifreq`, which lives through the call.
        let answer = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw mut request) };
        if answer < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Tun(file))
    }

    /// Reads one packet, if there is one.
    pub fn read(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match rustix::io::read(&self.0, buffer) {
            Ok(count) => Ok(Some(count)),
            Err(rustix::io::Errno::AGAIN) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Hands one packet to the kernel.
    pub fn write(&self, packet: &[u8]) -> io::Result<()> {
        rustix::io::write(&self.0, packet)?;
        Ok(())
    }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
