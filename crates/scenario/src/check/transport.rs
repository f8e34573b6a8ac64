//! Checks the settings of the transport.

use crate::error::{Checked, Problem};
use crate::raw::transport::{
    RawAcks, RawLossDetection, RawPreset, RawRecovery, RawRto, RawRttSamples, RawTransport, RawTso,
    RawTsoWord,
};
use crate::text::{At, Quantity};
use narrows_transport::{
    AckFormat, LossDetection, MAX_ACK_PIECES, MAX_DUPTHRESH, MAX_OFFLOAD, RecoveryAlgorithm,
    RtoRule, RttSamples, Transport, Tso,
};
use narrows_units::{Bytes, Span};
use std::ops::Range;

/// Greatest size of an IP packet.
const GREATEST_PACKET: Bytes = Bytes::new(65_535);

/// Longest time for which a receiver gathers segments.
const MAX_GRO: Span = Span::from_millis(10);

/// Returns `inherited` settings, or those of the preset that the table names, with the keys of the
/// table. `adapt` runs before the keys are set. Without a table, errors are at `place`.
pub(super) fn check(
    raw: Option<&At<RawTransport>>,
    place: &Range<usize>,
    inherited: &Transport,
    adapt: impl FnOnce(&mut Transport),
) -> Checked<Transport> {
    let absent = At { span: place.clone(), value: RawTransport::default() };
    let raw = raw.unwrap_or(&absent);
    let mut transport = match raw.value.preset {
        None => inherited.clone(),
        Some(RawPreset::Linux) => Transport::default(),
        Some(RawPreset::Linux24) => Transport::linux_2_4(),
        Some(RawPreset::Ns2) => Transport::ns2_2005(),
    };
    adapt(&mut transport);
    set_all(&mut transport, &raw.value);
    if transport.acks == AckFormat::Numbered {
        transport.loss_detection = LossDetection::Rack;
    }
    let table = Table { span: &raw.span, keys: &raw.value, transport: &transport };
    table.segments()?;
    table.receiver()?;
    table.numbered()?;
    table.misbehaviour()?;
    table.recovery()?;
    table.timeouts()?;
    Ok(transport)
}

/// Sets the keys that the table has.
fn set_all(transport: &mut Transport, keys: &RawTransport) {
    set_quantity(&mut transport.mss, &keys.mss);
    set_quantity(&mut transport.headers, &keys.headers);
    set(&mut transport.handshake, keys.handshake);
    set(&mut transport.initial_window, keys.initial_window.as_ref().map(|key| key.value));
    set_quantity(&mut transport.min_rto, &keys.min_rto);
    set_quantity(&mut transport.initial_rto, &keys.initial_rto);
    set_quantity(&mut transport.max_rto, &keys.max_rto);
    set(&mut transport.acks, keys.acks.as_ref().map(|key| acks(key.value)));
    set(&mut transport.ack_every, keys.ack_every.as_ref().map(|key| key.value));
    set_quantity(&mut transport.ack_delay, &keys.ack_delay);
    set(&mut transport.quick_acks, keys.quick_acks);
    set(&mut transport.receive_autotuning, keys.receive_autotuning);
    set(&mut transport.receive_window, keys.receive_window.as_ref().map(|key| key.value.0));
    set_quantity(&mut transport.gro, &keys.gro);
    set(&mut transport.tso, keys.tso.as_ref().map(|key| tso(&key.value)));
    set(&mut transport.unpaced_start, keys.unpaced_start);
    set(&mut transport.sack, keys.sack.as_ref().map(|key| key.value));
    set(&mut transport.timestamps, keys.timestamps);
    set(&mut transport.rto, keys.rto.map(rto));
    set(&mut transport.rtt_samples, keys.rtt_samples.map(rtt_samples));
    set_quantity(&mut transport.tick, &keys.tick);
    set(
        &mut transport.loss_detection,
        keys.loss_detection.as_ref().map(|key| loss_detection(key.value)),
    );
    set(&mut transport.dupthresh, keys.dupthresh.as_ref().map(|key| key.value));
    set(&mut transport.recovery, keys.recovery.as_ref().map(|key| recovery(key.value)));
    set(&mut transport.tail_loss_probe, keys.tail_loss_probe);
    set(&mut transport.frto, keys.frto);
    set(&mut transport.undo, keys.undo);
    set(&mut transport.ack_pieces, keys.ack_pieces.as_ref().map(|key| key.value));
    set(&mut transport.ack_ahead, keys.ack_ahead.as_ref().map(|key| key.value));
}

/// The keys of a table, and the resulting settings.
struct Table<'a> {
    span: &'a Range<usize>,
    keys: &'a RawTransport,
    transport: &'a Transport,
}

impl Table<'_> {
    /// Refuses a key, or the whole table.
    fn refuse(
        &self,
        key: Option<&Range<usize>>,
        message: impl Into<String>,
        help: &str,
    ) -> Checked<()> {
        Err(Problem::at(key.unwrap_or(self.span), message, help))
    }

    /// Checks the sizes of segments, and of bursts to the network card.
    fn segments(&self) -> Checked<()> {
        let Table { keys, transport, .. } = self;
        let (mss, headers) = (transport.mss, transport.headers);
        if mss == Bytes::ZERO {
            return self.refuse(
                span(&keys.mss),
                "mss must be at least 1 B",
                "give an mss of at least \"1 B\"",
            );
        }
        if mss + headers > GREATEST_PACKET {
            let message = format!(
                "segments of {mss} with {headers} of headers are longer than an IP packet can be ({GREATEST_PACKET})"
            );
            return self.refuse(
                span(&keys.mss).or(span(&keys.headers)),
                message,
                "make mss and headers smaller",
            );
        }
        if transport.initial_window == 0 {
            return self.refuse(
                span(&keys.initial_window),
                "initial_window must be at least 1 segment",
                "give 1 or more",
            );
        }
        if let Tso::Fixed(size) = transport.tso
            && !(mss..=MAX_OFFLOAD).contains(&size)
        {
            let message = format!(
                "{size} at once is not between a segment ({mss}) and what offload takes ({MAX_OFFLOAD})"
            );
            return self.refuse(
                span(&keys.tso).or(span(&keys.mss)),
                message,
                "give for example \"64 kB\", \"auto\" or \"off\"",
            );
        }
        Ok(())
    }

    /// Checks acknowledgements, and the receiver's memory.
    fn receiver(&self) -> Checked<()> {
        let Table { keys, transport, .. } = self;
        if transport.ack_every == 0 {
            return self.refuse(
                span(&keys.ack_every),
                "ack_every must be at least 1",
                "give 1 or more",
            );
        }
        if transport.gro > MAX_GRO {
            let message = format!(
                "a receiver that gathers segments for {} holds up every acknowledgement",
                transport.gro
            );
            return self.refuse(
                span(&keys.gro),
                message,
                "give at most \"10 ms\"; network cards wait for 10 to 100 us",
            );
        }
        if let Some(window) = transport.receive_window.filter(|window| *window < transport.mss) {
            let message = format!(
                "a receive window of {window} does not hold a segment of {}",
                transport.mss
            );
            return self.refuse(
                span(&keys.receive_window),
                message,
                "give at least one mss, or \"unlimited\"",
            );
        }
        Ok(())
    }

    /// Checks keys that concern numbered acknowledgements.
    fn numbered(&self) -> Checked<()> {
        let Table { keys, transport, .. } = self;
        if transport.acks != AckFormat::Numbered {
            return Ok(());
        }
        if let Some(key) = &keys.loss_detection {
            let message = "numbered transmissions are found lost by their numbers and by time, whatever loss_detection says";
            return self.refuse(
                Some(&key.span),
                message,
                "leave loss_detection out; dupthresh says how many numbers",
            );
        }
        if !transport.sack || transport.recovery == RecoveryAlgorithm::Reno {
            let message =
                "numbered transmissions are acknowledged each by itself, which is more than SACK";
            let key = span(&keys.sack).or(span(&keys.recovery)).or(span(&keys.acks));
            return self.refuse(
                key,
                message,
                "leave sack and recovery = \"reno\" out, or add acks = \"cumulative\"",
            );
        }
        if transport.ack_pieces > 1 || transport.ack_ahead > 0 {
            let message =
                "numbered transmissions are acknowledged one by one, neither in pieces nor ahead";
            let key = span(&keys.ack_pieces).or(span(&keys.ack_ahead)).or(span(&keys.acks));
            return self.refuse(
                key,
                message,
                "leave ack_pieces and ack_ahead out, or add acks = \"cumulative\"",
            );
        }
        Ok(())
    }

    /// Checks misbehaving receivers.
    fn misbehaviour(&self) -> Checked<()> {
        let Table { keys, transport, .. } = self;
        if !(1..=MAX_ACK_PIECES).contains(&transport.ack_pieces) {
            let message =
                format!("a receiver cannot send {} acknowledgements for one", transport.ack_pieces);
            return self.refuse(
                span(&keys.ack_pieces),
                message,
                "give ack_pieces from 1 to 100; an honest receiver has 1",
            );
        }
        if transport.ack_ahead > 0 && transport.receive_window.is_none() {
            let message =
                "nothing keeps a sender from sending ever more that is not told of losses";
            let key = span(&keys.ack_ahead).or(span(&keys.receive_window));
            return self.refuse(key, message, "add for example receive_window = \"1 MB\"");
        }
        Ok(())
    }

    /// Checks loss recovery.
    fn recovery(&self) -> Checked<()> {
        let Table { keys, transport, .. } = self;
        if transport.recovery == RecoveryAlgorithm::Reno && transport.sack {
            let message = "recovery that ends with the first new data needs a sender that does not know what is missing";
            return self.refuse(
                span(&keys.recovery),
                message,
                "add sack = false, or take recovery = \"pipe\"",
            );
        }
        if transport.dupthresh == 0 || transport.dupthresh > MAX_DUPTHRESH {
            let message =
                format!("a segment cannot count as lost after {} later ones", transport.dupthresh);
            return self.refuse(
                span(&keys.dupthresh),
                message,
                "give a dupthresh from 1 to 127; TCP has 3",
            );
        }
        Ok(())
    }

    /// Checks the range of the retransmission timeout.
    fn timeouts(&self) -> Checked<()> {
        let Table { keys, transport, .. } = self;
        let (min_rto, initial_rto, max_rto) =
            (transport.min_rto, transport.initial_rto, transport.max_rto);
        if min_rto.is_zero() {
            let message = "the least retransmission timeout cannot be zero";
            return self.refuse(span(&keys.min_rto), message, "give for example \"200 ms\"");
        }
        if min_rto > max_rto {
            let message = format!(
                "the least retransmission timeout, {min_rto}, is longer than the longest, {max_rto}"
            );
            return self.refuse(
                span(&keys.min_rto).or(span(&keys.max_rto)),
                message,
                "make min_rto at most max_rto",
            );
        }
        if initial_rto.is_zero() || initial_rto > max_rto {
            let message = format!(
                "the first retransmission timeout, {initial_rto}, is not between zero and the longest, {max_rto}"
            );
            return self.refuse(
                span(&keys.initial_rto).or(span(&keys.max_rto)),
                message,
                "make initial_rto at most max_rto",
            );
        }
        Ok(())
    }
}

fn acks(raw: RawAcks) -> AckFormat {
    match raw {
        RawAcks::Cumulative => AckFormat::Cumulative,
        RawAcks::Numbered => AckFormat::Numbered,
    }
}

fn tso(raw: &RawTso) -> Tso {
    match raw {
        RawTso::Word(RawTsoWord::Off) => Tso::Off,
        RawTso::Word(RawTsoWord::Auto) => Tso::Auto,
        RawTso::Size(size) => Tso::Fixed(size.0),
    }
}

fn rto(raw: RawRto) -> RtoRule {
    match raw {
        RawRto::Linux => RtoRule::Linux,
        RawRto::Rfc6298 => RtoRule::Rfc6298,
    }
}

fn rtt_samples(raw: RawRttSamples) -> RttSamples {
    match raw {
        RawRttSamples::Every => RttSamples::Every,
        RawRttSamples::OncePerWindow => RttSamples::OncePerWindow,
    }
}

fn loss_detection(raw: RawLossDetection) -> LossDetection {
    match raw {
        RawLossDetection::Rack => LossDetection::Rack,
        RawLossDetection::Dupack => LossDetection::Dupack,
        RawLossDetection::Fack => LossDetection::Fack,
    }
}

fn recovery(raw: RawRecovery) -> RecoveryAlgorithm {
    match raw {
        RawRecovery::Prr => RecoveryAlgorithm::Prr,
        RawRecovery::Rfc9937 => RecoveryAlgorithm::Rfc9937,
        RawRecovery::RateHalving => RecoveryAlgorithm::RateHalving,
        RawRecovery::Pipe => RecoveryAlgorithm::Pipe,
        RawRecovery::Reno => RecoveryAlgorithm::Reno,
    }
}

fn set<T>(setting: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *setting = value;
    }
}

fn set_quantity<T: Copy>(setting: &mut T, key: &Option<At<Quantity<T>>>) {
    set(setting, key.as_ref().map(|key| key.value.0));
}

fn span<T>(key: &Option<At<T>>) -> Option<&Range<usize>> {
    key.as_ref().map(|key| &key.span)
}
