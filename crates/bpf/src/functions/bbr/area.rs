//! State that the kernel's BBR keeps of a connection (`struct bbr`).

use crate::functions::area::area;

area! {
    /// `struct bbr`: times in µs but for those in ticks, bandwidths in 2^-24 packets/µs.
    Bbr {
        min_rtt_us: u32,
        /// In ticks.
        min_rtt_stamp: u32,
        /// In ticks; 0 before it is known.
        probe_rtt_done_stamp: u32,
        /// The most of the latest rounds, then the two that succeed it: round and bandwidth.
        bw_round: u32,
        bw: u32,
        second_round: u32,
        second: u32,
        third_round: u32,
        third: u32,
        rtt_cnt: u32,
        next_rtt_delivered: u32,
        gap: u32,
        cycle_mstamp: u64,
        flags: u32,
        lt_bw: u32,
        lt_last_delivered: u32,
        /// In ms.
        lt_last_stamp: u32,
        lt_last_lost: u32,
        gains: u32,
        prior_cwnd: u32,
        full_bw: u32,
        ack_epoch_mstamp: u64,
        extra_acked_first: u16,
        extra_acked_second: u16,
        epoch: u32,
    }
}

const _: () = assert!(<Bbr as crate::functions::area::Area>::SIZE == 104);

/// A part of a word: the word, its lowest bit, its width.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bits(Word, u32, u32);

#[derive(Clone, Copy, Debug)]
enum Word {
    Flags,
    Gains,
    Epoch,
}

pub(super) const MODE: Bits = Bits(Word::Flags, 0, 3);
pub(super) const PREV_CA_STATE: Bits = Bits(Word::Flags, 3, 3);
pub(super) const PACKET_CONSERVATION: Bits = Bits(Word::Flags, 6, 1);
pub(super) const ROUND_START: Bits = Bits(Word::Flags, 7, 1);
pub(super) const IDLE_RESTART: Bits = Bits(Word::Flags, 8, 1);
pub(super) const PROBE_RTT_ROUND_DONE: Bits = Bits(Word::Flags, 9, 1);
pub(super) const LT_IS_SAMPLING: Bits = Bits(Word::Flags, 23, 1);
pub(super) const LT_RTT_CNT: Bits = Bits(Word::Flags, 24, 7);
pub(super) const LT_USE_BW: Bits = Bits(Word::Flags, 31, 1);
pub(super) const PACING_GAIN: Bits = Bits(Word::Gains, 0, 10);
pub(super) const CWND_GAIN: Bits = Bits(Word::Gains, 10, 10);
pub(super) const FULL_BW_REACHED: Bits = Bits(Word::Gains, 20, 1);
pub(super) const FULL_BW_CNT: Bits = Bits(Word::Gains, 21, 2);
pub(super) const CYCLE_IDX: Bits = Bits(Word::Gains, 23, 3);
pub(super) const HAS_SEEN_RTT: Bits = Bits(Word::Gains, 26, 1);
pub(super) const ACK_EPOCH_ACKED: Bits = Bits(Word::Epoch, 0, 20);
pub(super) const EXTRA_ACKED_WIN_RTTS: Bits = Bits(Word::Epoch, 20, 5);
pub(super) const EXTRA_ACKED_WIN_IDX: Bits = Bits(Word::Epoch, 25, 1);

/// `enum bbr_mode`.
pub(super) mod mode {
    pub const STARTUP: u32 = 0;
    pub const DRAIN: u32 = 1;
    pub const PROBE_BW: u32 = 2;
    pub const PROBE_RTT: u32 = 3;
}

impl Bbr {
    pub(super) fn bits(&self, Bits(word, shift, width): Bits) -> u32 {
        let word = match word {
            Word::Flags => self.flags,
            Word::Gains => self.gains,
            Word::Epoch => self.epoch,
        };
        word >> shift & ((1 << width) - 1)
    }

    /// Bits that do not fit are cut off, as in C.
    pub(super) fn set_bits(&mut self, Bits(word, shift, width): Bits, value: u32) {
        let word = match word {
            Word::Flags => &mut self.flags,
            Word::Gains => &mut self.gains,
            Word::Epoch => &mut self.epoch,
        };
        let mask = ((1 << width) - 1) << shift;
        *word = *word & !mask | value << shift & mask;
    }

    /// Whether a part of one bit is set.
    pub(super) fn is(&self, bits: Bits) -> bool {
        self.bits(bits) != 0
    }
}
