//! The pcapng file.

use super::frame::{self, Segment, Socket};
use narrows_units::Time;
use narrows_wire::Ecn;
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::{DataLink, Endianness, PcapError};
use std::borrow::Cow;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::time::Duration;

/// A capture file being written. The first error ends the writing; [`finish`](File::finish) returns
/// it.
pub(super) struct File {
    out: PcapNgWriter<BufWriter<fs::File>>,
    snaplen: usize,
    failed: Option<io::Error>,
}

impl File {
    /// Begins a file that keeps `snaplen` bytes of each packet.
    pub fn new(out: fs::File, snaplen: u32) -> io::Result<File> {
        let section = SectionHeaderBlock {
            endianness: Endianness::Little,
            options: vec![SectionHeaderOption::UserApplication(
                concat!("narrows ", env!("CARGO_PKG_VERSION")).into(),
            )],
            ..SectionHeaderBlock::default()
        };
        let out =
            PcapNgWriter::with_section_header(BufWriter::new(out), section).map_err(io_error)?;
        Ok(File { out, snaplen: snaplen as usize, failed: None })
    }

    /// Describes the next interface. They are numbered from 0.
    pub fn interface(&mut self, name: &str, description: String) -> io::Result<()> {
        let options = vec![
            InterfaceDescriptionOption::IfName(name.into()),
            InterfaceDescriptionOption::IfDescription(description.into()),
            // Times are in units of 10^-9 s.
            InterfaceDescriptionOption::IfTsResol(9),
        ];
        let block = InterfaceDescriptionBlock {
            linktype: DataLink::RAW,
            snaplen: self.snaplen as u32,
            options,
        };
        self.out.write_pcapng_block(block).map(drop).map_err(io_error)
    }

    /// Writes a packet.
    pub fn packet(
        &mut self,
        interface: u32,
        at: Time,
        bytes: &[u8],
        comment: Option<&'static str>,
    ) {
        if self.failed.is_some() {
            return;
        }
        let block = EnhancedPacketBlock {
            interface_id: interface,
            timestamp: Duration::from_nanos(at.since(Time::ZERO).as_nanos()),
            original_len: bytes.len() as u32,
            data: Cow::Borrowed(&bytes[..bytes.len().min(self.snaplen)]),
            options: comment
                .map(|text| EnhancedPacketOption::Comment(text.into()))
                .into_iter()
                .collect(),
        };
        self.failed = self.out.write_pcapng_block(block).err().map(io_error);
    }

    /// Writes the three segments that begin or end a connection, with their times: from the sender,
    /// from the receiver, and from the sender again.
    pub fn exchange(
        &mut self,
        interface: u32,
        [sender, receiver]: [Socket; 2],
        segments: &[(Time, Segment); 3],
        comment: &'static str,
    ) {
        for ((at, segment), [from, to]) in
            segments.iter().zip([[sender, receiver], [receiver, sender], [sender, receiver]])
        {
            self.packet(interface, *at, &frame::tcp(from, to, Ecn::NotEct, segment), Some(comment));
        }
    }

    /// Ends the file.
    pub fn finish(self) -> io::Result<()> {
        self.failed.map_or(Ok(()), Err)?;
        self.out.into_inner().flush()
    }
}

fn io_error(error: PcapError) -> io::Error {
    match error {
        PcapError::IoError(error) => error,
        other => io::Error::other(other),
    }
}
