//! C4, worked by hand.

mod machine;
mod output;
mod vectors;

use super::*;
use crate::parts::mutated::Mutated;
use crate::testing::{at, inspect, near, setup};
use crate::{Acked, Choice, EcnDelta, Lost, RateSample};
use crate::{Saved, Setup};
use initial::Initial;
use profile::PROBING;
use rate::Samples;
use rtts::Rtts;
use signals::{LossRate, MarkRate};

const DRAFT: &str = "c4";
const PICOQUIC: &str = "c4?profile=picoquic";

/// Segments of 1000 bytes with 40 of headers, an initial window of ten.
fn c4(text: &str) -> C4 {
    let setup = Setup { mss: Bytes::new(1000), headers: Bytes::new(40), ..setup(10.0) };
    C4::mutant(&setup, &text.parse::<Choice>().unwrap().params(), Mutated::default())
}

/// A flow whose acknowledgements the tests write.
struct Flow {
    c4: C4,
    ms: u64,
}

/// One acknowledgement: of one packet, the newest of those that left so far.
#[derive(Clone, Copy)]
struct Step {
    after: u64,
    rtt: u64,
    /// Packets delivered in that round trip.
    delivered: u32,
    acked: u64,
    app_limited: bool,
    ce: u32,
    in_flight: u32,
}

const STEP: Step =
    Step { after: 1, rtt: 40, delivered: 50, acked: 1, app_limited: false, ce: 0, in_flight: 50 };

impl Flow {
    fn new(text: &str) -> Flow {
        Flow { c4: c4(text), ms: 1000 }
    }

    /// A flow at 1.25 MB/s with round trips of 40 ms, in `state`, in an era in which packets sent
    /// at `alpha_before` are acknowledged.
    fn reach(text: &str, state: C4State, alpha_before: f64) -> Flow {
        let mut flow = Flow::new(text);
        flow.send(100);
        flow.c4.begin_era();
        flow.c4.rate.set(1_250_000.0);
        flow.c4.rtts.open(Span::from_millis(40));
        flow.c4.srtt = Span::from_millis(40);
        flow.c4.cycle.rate = 1_250_000.0;
        let path: &[C4State] = match state {
            C4State::Initial => &[],
            C4State::Recovery => &[C4State::Recovery],
            C4State::Cruising => &[C4State::Recovery, C4State::Cruising],
            C4State::Probing => &[C4State::Recovery, C4State::Cruising, C4State::Probing],
            C4State::Pushing => &[C4State::Recovery, C4State::Pushing],
            C4State::Resuming => &[C4State::Resuming],
        };
        path.iter().for_each(|state| flow.c4.enter(*state));
        flow.c4.era.alpha_before = alpha_before;
        flow
    }

    fn send(&mut self, packets: u64) {
        for number in 0..packets {
            self.c4.on_sent(&Sent::new(at(self.ms), number, Bytes::new(1000), 1));
        }
    }

    /// Acknowledges packets that left before the era began, or in it.
    fn ack_of(&mut self, newest: u32, step: Step) {
        self.ms += step.after;
        let rtt = Span::from_millis(step.rtt);
        let acked: Vec<Acked> = (0..step.acked)
            .map(|number| Acked {
                number,
                bytes: Bytes::new(1000),
                sent_at: at(self.ms - step.rtt),
                rtt,
                tag: Tag(newest.saturating_sub((step.acked - 1 - number) as u32)),
                app_limited: step.app_limited,
                window_limited: true,
            })
            .collect();
        let rate = Some(RateSample {
            app_limited: step.app_limited,
            ..RateSample::over(step.delivered, rtt, 0)
        });
        let ecn =
            EcnDelta { ce: step.ce, ect1: step.acked as u32 - step.ce, ..EcnDelta::default() };
        self.c4.on_feedback(&Feedback {
            acked: &acked,
            rtt: Some(rtt),
            rate,
            ecn,
            in_flight: step.in_flight,
            srtt: rtt,
            ..Feedback::at(at(self.ms))
        });
    }

    /// Acknowledges a packet of the era before.
    fn ack(&mut self, step: Step) {
        self.ack_of(self.c4.era.first.saturating_sub(1), step);
    }

    /// Sends a packet and acknowledges it: the era ends.
    fn end_era(&mut self, step: Step) {
        self.send(1);
        self.ack_of(self.c4.sent - 1, step);
    }

    fn lose(&mut self, tag: u32) {
        let lost =
            [Lost { number: 0, bytes: Bytes::new(1000), sent_at: at(self.ms), tag: Tag(tag) }];
        self.c4.on_feedback(&Feedback {
            lost: &lost,
            srtt: Span::from_millis(40),
            ..Feedback::at(at(self.ms))
        });
    }

    /// Nominal rate in MB/s.
    fn rate(&self) -> f64 {
        self.c4.rate.get() / 1e6
    }
}
