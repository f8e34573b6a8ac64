//! The state of the faces of a node's forwarder at the sample times.

use super::looks::{Look, Looks};
use narrows_forward::{Daemon, FaceUri, Forwarder, Watcher};
use narrows_icn::FaceId;
use narrows_live::icn::{FaceReport, Interests, NodePlan, NodeReport};
use narrows_measure::Histogram;
use narrows_units::Time;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

/// Records the faces of a forwarder at each sample time of the run, at the end of its warm-up and
/// at its end.
pub struct Sampler {
    /// Start of the run in nanoseconds of the monotonic clock. Empty before the start.
    began: Arc<OnceLock<u64>>,
    /// Zero of the daemon's clock, in nanoseconds of the monotonic clock.
    zero: u64,
    /// Slots of the plan's faces in the forwarder. `None` if the face does not exist.
    faces: Vec<Option<FaceId>>,
    looks: Looks,
    late: Histogram,
    report: NodeReport,
}

impl Sampler {
    /// Creates the sampler for the faces of a plan.
    pub fn new(plan: &NodePlan, daemon: &Daemon, began: Arc<OnceLock<u64>>) -> Sampler {
        let face = |face: &narrows_live::icn::FacePlan| {
            daemon.forwarder().face_to(&FaceUri::Udp(SocketAddr::new(face.neighbour, plan.port)))
        };
        let faces: Vec<Option<FaceId>> = plan.faces.iter().map(face).collect();
        Sampler {
            began,
            zero: daemon.zero(),
            looks: Looks::new(plan),
            late: Histogram::new(),
            report: NodeReport {
                faces: vec![FaceReport::default(); faces.len()],
                ..NodeReport::default()
            },
            faces,
        }
    }

    /// Adds the records to `report` and the lateness of the forwarder to `late`.
    pub fn finish(self, report: &mut NodeReport, late: &mut Histogram) {
        late.merge(&self.late);
        let NodeReport { faces, pending, expired, cached, .. } = self.report;
        (report.faces, report.pending, report.expired, report.cached) =
            (faces, pending, expired, cached);
    }

    fn sample(&mut self, at: Time, forwarder: &Forwarder) {
        for (face, report) in self.faces.iter().zip(&mut self.report.faces) {
            let Some(face) = *face else { continue };
            // Series have link rates, which include the headers below NDN.
            let scaled = |bps: u64| (bps as f64 / forwarder.share_of_packets(face)) as u64;
            let state = forwarder.node().face(face);
            let (primary, secondary) = state
                .rates
                .map_or((0, 0), |rates| (rates.primary.as_bps(), rates.secondary.as_bps()));
            report.samples.push((
                at.as_nanos(),
                scaled(primary),
                scaled(secondary),
                state.waiting as u32,
            ));
        }
    }

    fn interests(&self, face: Option<FaceId>, forwarder: &Forwarder) -> Interests {
        let Some(face) = face else { return Interests::default() };
        let counters = forwarder.node().face(face).counters;
        let [refused_primary, refused_secondary] = counters.refused;
        Interests {
            sent: counters.interests_out,
            refused_primary,
            refused_secondary,
            evicted: counters.evicted,
        }
    }
}

impl Watcher for Sampler {
    fn due(&self) -> Time {
        match self.began.get() {
            Some(began) if self.looks.next() < Time::NEVER => {
                Time::from_nanos(self.looks.next().as_nanos() + began - self.zero)
            }
            _ => Time::NEVER,
        }
    }

    fn woken(&mut self, now: Time, forwarder: &Forwarder) {
        let Some(began) = self.began.get() else { return };
        if forwarder.due() <= now {
            self.late.record(now.since(forwarder.due()));
        }
        let now = Time::from_nanos((now.as_nanos() + self.zero).saturating_sub(*began));
        while let Some((at, look)) = self.looks.take(now) {
            if look == Look::Sample {
                self.sample(at, forwarder);
                continue;
            }
            let counts: Vec<Interests> =
                self.faces.iter().map(|face| self.interests(*face, forwarder)).collect();
            let faces = self.report.faces.iter_mut().zip(counts);
            if look == Look::Warmup {
                faces.for_each(|(report, counts)| report.at_warmup = counts);
            } else {
                faces.for_each(|(report, counts)| report.total = counts);
                let counters = forwarder.node().counters();
                (self.report.expired, self.report.cached) = (counters.expired, counters.cache_hits);
                self.report.pending = forwarder.node().pending() as u64;
            }
        }
    }
}
