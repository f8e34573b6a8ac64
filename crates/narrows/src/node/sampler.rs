//! What a node's forwarder says of its faces, at the moments of samples.

use narrows_forward::{Daemon, FaceUri, Forwarder, Watcher};
use narrows_icn::FaceId;
use narrows_live::icn::{FaceReport, Interests, NodePlan, NodeReport};
use narrows_measure::Histogram;
use narrows_units::{Span, Time};
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

/// Looks at the faces of a forwarder at each sample of the run, at the end of its warm-up and at its end.
pub struct Sampler {
    /// When the run began, in nanoseconds of the monotonic clock, once it has.
    began: Arc<OnceLock<u64>>,
    /// The same of the daemon's clock.
    zero: u64,
    /// Their places in the node. One that is missing was not made.
    faces: Vec<Option<FaceId>>,
    interval: Span,
    sample_at: Time,
    warmup: Time,
    end: Time,
    late: Histogram,
    report: NodeReport,
}

impl Sampler {
    /// For the faces of a plan.
    pub fn new(plan: &NodePlan, daemon: &Daemon, began: Arc<OnceLock<u64>>) -> Sampler {
        let face =
            |face: &narrows_live::icn::FacePlan| daemon.forwarder().face_to(&FaceUri::Udp(SocketAddr::new(face.neighbour, plan.port)));
        let faces: Vec<Option<FaceId>> = plan.faces.iter().map(face).collect();
        Sampler {
            began,
            zero: daemon.zero(),
            interval: Span::from_nanos(plan.interval),
            sample_at: Time::from_nanos(plan.interval),
            warmup: Time::from_nanos(plan.warmup),
            end: Time::from_nanos(plan.duration),
            late: Histogram::new(),
            report: NodeReport { faces: vec![FaceReport::default(); faces.len()], ..NodeReport::default() },
            faces,
        }
    }

    /// When it wants to look next, by the run's clock.
    fn next(&self) -> Time {
        self.sample_at.min(self.warmup).min(self.end)
    }

    /// Adds what it has seen to the report and to how late the node was.
    pub fn finish(self, report: &mut NodeReport, late: &mut Histogram) {
        late.merge(&self.late);
        let NodeReport { faces, pending, expired, cached, .. } = self.report;
        (report.faces, report.pending, report.expired, report.cached) = (faces, pending, expired, cached);
    }

    fn sample(&mut self, at: Time, forwarder: &Forwarder) {
        for (face, report) in self.faces.iter().zip(&mut self.report.faces) {
            let Some(face) = *face else { continue };
            // Tables have the rates of links, headers included.
            let scaled = |bps: u64| (bps as f64 / forwarder.share_of_packets(face)) as u64;
            let state = forwarder.node().face(face);
            let (primary, secondary) = state.rates.map_or((0, 0), |rates| (rates.primary.as_bps(), rates.secondary.as_bps()));
            report.samples.push((at.as_nanos(), scaled(primary), scaled(secondary), state.waiting as u32));
        }
    }

    fn interests(&self, face: Option<FaceId>, forwarder: &Forwarder) -> Interests {
        let Some(face) = face else { return Interests::default() };
        let counters = forwarder.node().face(face).counters;
        let [refused_primary, refused_secondary] = counters.refused;
        Interests { sent: counters.interests_out, refused_primary, refused_secondary, evicted: counters.evicted }
    }
}

impl Watcher for Sampler {
    fn due(&self) -> Time {
        match self.began.get() {
            Some(began) if self.next() < Time::NEVER => Time::from_nanos(self.next().as_nanos() + began - self.zero),
            _ => Time::NEVER,
        }
    }

    fn woken(&mut self, now: Time, forwarder: &Forwarder) {
        let Some(began) = self.began.get() else { return };
        if forwarder.due() <= now {
            self.late.record(now.since(forwarder.due()));
        }
        let now = Time::from_nanos((now.as_nanos() + self.zero).saturating_sub(*began));
        while self.next() <= now {
            if self.sample_at <= self.warmup.min(self.end) {
                self.sample(self.sample_at, forwarder);
                self.sample_at += self.interval;
            } else if self.warmup <= self.end {
                let counts: Vec<Interests> = self.faces.iter().map(|face| self.interests(*face, forwarder)).collect();
                self.report.faces.iter_mut().zip(counts).for_each(|(report, counts)| report.at_warmup = counts);
                self.warmup = Time::NEVER;
            } else {
                let counts: Vec<Interests> = self.faces.iter().map(|face| self.interests(*face, forwarder)).collect();
                self.report.faces.iter_mut().zip(counts).for_each(|(report, counts)| report.total = counts);
                let counters = forwarder.node().counters();
                (self.report.expired, self.report.cached) = (counters.expired, counters.cache_hits);
                self.report.pending = forwarder.node().pending() as u64;
                (self.sample_at, self.warmup, self.end) = (Time::NEVER, Time::NEVER, Time::NEVER);
            }
        }
    }
}
