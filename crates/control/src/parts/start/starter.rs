//! The start of a connection as a window runs it: which start was chosen, how the window grows
//! while something else limits it, and whether it resumes.
//!
//! A controller that nobody gave another start keeps its own, without any state here.

use super::Start;
use super::cut::{Cut, CutEnd, CutKind, UnusedCut};
use super::hystart::Sample;
use super::rapid::RapidCut;
use super::resume::{Resume, ResumePhase, ResumeStep};
use super::search::Draining;
use crate::parts::growth::Growth;
use crate::parts::memory::PathMemory;
use crate::parts::mutated::{Mutated, Mutation};
use crate::{Congestion, Feedback, Saved, Sent};
use narrows_units::{Bytes, Rate, Span};

/// Fewest segments of the window after the first reduction of Rapid Start.
const LEAST: f64 = 2.0;

/// A start with all that was chosen beside it.
#[derive(Clone, Debug, Default)]
pub struct Starter {
    start: Start,
    chosen: Option<Box<Chosen>>,
}

/// The window as the start sees it, in segments.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Segments that may be in flight.
    pub cwnd: f64,
    /// Slow start ends here; infinite before the first reduction.
    pub threshold: f64,
}

/// Effect of an acknowledgement on the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// It grows by the controller's rule.
    Grow,
    /// It stays.
    Hold,
    /// It becomes this many segments.
    Set(f64),
    /// The start is over: window and threshold become this many segments.
    Exit(f64),
    /// Window and threshold become so many segments.
    Both(f64, f64),
}

/// Why a start is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It goes on.
    Running = 0,
    /// It found the path to be full.
    Heuristic = 1,
    /// A loss.
    Loss = 2,
    /// A mark.
    Mark = 3,
    /// The retransmission timer.
    Timeout = 4,
    /// The application or something else limited a jump (Careful Resume).
    Limited = 5,
}

/// Choices beside the controller's own start.
#[derive(Clone, Debug)]
pub struct Choices {
    /// The start.
    pub start: Start,
    /// Also after timeouts, not only at the start of a connection.
    pub again: bool,
    /// K of Rapid Start.
    pub rapid_k: f64,
    /// The rule of growth.
    pub growth: Growth,
    /// The connection may resume.
    pub resume: Option<Resume>,
    /// β of a safe retreat.
    pub resume_beta: f64,
    /// Segments of the initial window.
    pub initial: f64,
    /// A published fault put back.
    pub mutated: Mutated,
}

#[derive(Clone, Debug)]
struct Chosen {
    choices: Choices,
    memory: Option<PathMemory>,
    exit: Exit,
    draining: Option<Draining>,
    cut: Option<Cut>,
    /// Sixteenths of a segment of growth that a window of whole segments has not yet got.
    carry: u32,
    /// Smoothed round trip.
    srtt: Span,
    /// Something was acknowledged.
    answered: bool,
}

impl Starter {
    /// The controller's own start.
    pub fn own(start: Start) -> Starter {
        Starter { start, chosen: None }
    }

    /// A start that was chosen.
    pub fn chosen(choices: Choices) -> Starter {
        let memory = choices.resume.as_ref().map(|_| PathMemory::new(choices.initial));
        let chosen = Chosen {
            memory,
            exit: Exit::Running,
            draining: None,
            cut: None,
            carry: 0,
            srtt: Span::ZERO,
            answered: false,
            choices,
        };
        Starter { start: chosen.choices.start.clone(), chosen: Some(Box::new(chosen)) }
    }

    /// True if something was chosen.
    #[inline(always)]
    pub fn is_chosen(&self) -> bool {
        self.chosen.is_some()
    }

    /// True if the start has nothing to look for: classic slow start that nobody chose.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        self.chosen.is_none() && matches!(self.start, Start::Classic)
    }

    /// The connection is open, after a handshake of `rtt`.
    pub fn on_open(&mut self, rtt: Span) {
        if let Some(chosen) = &mut self.chosen {
            chosen.srtt = rtt;
        }
    }

    /// A segment leaves. Returns window and threshold in place of those in `view` if they decay.
    #[inline]
    pub fn on_sent(&mut self, sent: &Sent, view: View) -> Option<(f64, f64)> {
        self.start.on_sent(sent.number);
        self.chosen.as_mut()?.on_sent(sent, view)
    }

    /// The window restarts after idleness.
    pub fn on_idle(&mut self) {
        let Some(chosen) = &mut self.chosen else { return };
        self.start.on_idle();
        chosen.draining = None;
        if let Some(resume) = &mut chosen.choices.resume {
            resume.leave();
        }
    }

    /// True if a restart after idleness is to be left out.
    pub fn keeps_when_idle(&self) -> bool {
        matches!(&self.chosen, Some(chosen) if matches!(chosen.choices.growth, Growth::NewCwv(_)))
    }

    /// An acknowledgement without congestion, at this window, while no reduction of the start is in
    /// progress.
    pub fn on_feedback(&mut self, feedback: &Feedback<'_>, view: View) -> Step {
        let Some(chosen) = &mut self.chosen else {
            return self.start.observe(feedback, view);
        };
        chosen.srtt = feedback.srtt;
        chosen.answered |= !feedback.acked.is_empty();
        if let Some(memory) = &mut chosen.memory {
            memory.on_feedback(feedback, view.cwnd < view.threshold);
        }
        if let Growth::NewCwv(cwv) = &mut chosen.choices.growth {
            cwv.on_feedback(feedback);
            if let Some((cwnd, threshold)) = cwv.decay(feedback.now, view.cwnd, view.threshold) {
                return Step::Both(cwnd, threshold);
            }
        }
        if let Some(resume) = &mut chosen.choices.resume {
            let jumped = resume.is_jumping();
            let step = resume.on_feedback(feedback, view.cwnd);
            if jumped && !resume.is_jumping() {
                self.start = chosen.choices.start.clone();
            }
            match step {
                ResumeStep::Start => {}
                ResumeStep::Validate => return Step::Grow,
                ResumeStep::Hold => return Step::Hold,
                ResumeStep::Set(window) => return Step::Set(window),
                ResumeStep::Limited(window) => {
                    chosen.exit = Exit::Limited;
                    return Step::Set(window);
                }
            }
        }
        if let Some(draining) = &mut chosen.draining {
            let acked = feedback.acked.len() as f64;
            let window = draining.on_ack(view.cwnd, acked, f64::from(feedback.in_flight));
            if !draining.is_over(window) {
                return Step::Set(window);
            }
            chosen.draining = None;
            return Step::Exit(window);
        }
        if view.cwnd >= view.threshold {
            return Step::Grow;
        }
        let step = self.start.observe(feedback, view);
        let Step::Exit(target) = step else { return step };
        chosen.exit = Exit::Heuristic;
        let drain = match &self.start {
            Start::Search(search) => Draining::new(
                search.rule().drain,
                target.max(chosen.choices.initial).min(view.cwnd),
            ),
            _ => None,
        };
        self.start = Start::Classic;
        chosen.draining = drain;
        if drain.is_some() { Step::Hold } else { Step::Exit(view.cwnd) }
    }

    /// Congestion at this window, of which the controller leaves the part `beta`. True if the start
    /// makes the reduction itself: [`cut_window`](Starter::cut_window) is the window then.
    pub fn on_congestion(
        &mut self,
        feedback: &Feedback<'_>,
        why: Congestion,
        view: View,
        beta: f64,
    ) -> bool {
        let Some(chosen) = &mut self.chosen else { return false };
        chosen.draining = None;
        let first = chosen.exit == Exit::Running || chosen.exit == Exit::Limited;
        if first {
            chosen.exit = if why == Congestion::Mark { Exit::Mark } else { Exit::Loss };
        }
        let kind = chosen.cut_by(&self.start, feedback, view, beta);
        // The kernel's HyStart goes on, and looks only below the threshold.
        if !matches!(self.start, Start::HyStart(_)) {
            self.start = Start::Classic;
        }
        chosen.choices.growth.on_reduction();
        chosen.cut = kind.map(|kind| {
            let mut cut = Cut::new(kind, feedback.now);
            cut.on_feedback(feedback, true);
            cut
        });
        chosen.cut.is_some()
    }

    /// The window of a reduction in progress that the start makes itself.
    #[inline]
    pub fn cut_window(&self) -> Option<f64> {
        self.chosen.as_ref()?.cut.as_ref().map(Cut::window)
    }

    /// True while the window of such a reduction holds at every moment.
    pub fn cuts_at_once(&self) -> bool {
        self.chosen.as_ref().is_some_and(|chosen| {
            chosen.cut.as_ref().is_some_and(|cut| {
                !(cut.is_retreat() && chosen.choices.mutated.has(Mutation::SpreadRetreat))
            })
        })
    }

    /// An acknowledgement during such a reduction. Returns window and threshold if it is over.
    pub fn progress(&mut self, feedback: &Feedback<'_>) -> Option<CutEnd> {
        let chosen = self.chosen.as_mut()?;
        chosen.srtt = feedback.srtt;
        if let Some(memory) = &mut chosen.memory {
            memory.on_feedback(feedback, false);
        }
        let over = chosen.cut.as_mut()?.on_feedback(feedback, false);
        if over { self.abandon() } else { None }
    }

    /// Ends such a reduction as it stands.
    pub fn abandon(&mut self) -> Option<CutEnd> {
        self.chosen.as_mut()?.cut.take().map(|cut| cut.end())
    }

    /// A probe has repaired a loss, for which the controller makes its own reduction at once.
    pub fn on_repaired_loss(&mut self) {
        let Some(chosen) = &mut self.chosen else { return };
        chosen.draining = None;
        if chosen.exit == Exit::Running {
            chosen.exit = Exit::Loss;
        }
        chosen.choices.growth.on_reduction();
        if let Some(resume) = &mut chosen.choices.resume {
            resume.leave();
        }
        if !matches!(self.start, Start::HyStart(_)) {
            self.start = Start::Classic;
        }
    }

    /// The start is over.
    pub fn end(&mut self) {
        self.start = Start::Classic;
    }

    /// The reduction was for nothing.
    pub fn undo(&mut self) {
        if let Some(chosen) = &mut self.chosen {
            chosen.cut = None;
        }
    }

    /// The retransmission timer expired at this time and before this segment.
    pub fn on_timeout(&mut self) {
        let Some(chosen) = &mut self.chosen else { return };
        if chosen.exit == Exit::Running {
            chosen.exit = Exit::Timeout;
        }
        chosen.draining = None;
        chosen.carry = 0;
        if let Some(resume) = &mut chosen.choices.resume {
            resume.leave();
        }
        if let Growth::NewCwv(cwv) = &mut chosen.choices.growth {
            cwv.on_timeout();
        }
        chosen.choices.growth.on_reduction();
        if !matches!(self.start, Start::HyStart(_)) {
            let again = chosen.choices.again;
            self.start = if again { chosen.choices.start.clone() } else { Start::Classic };
        }
    }

    /// Slow start of the kernel's HyStart begins again at `now` (µs) with segment `next`.
    pub fn begin_again(&mut self, now: u64, next: u64) {
        self.start.begin_again(now, next);
    }

    /// A round trip of the kernel's connection. True if slow start ends now. `longest` is as
    /// [`HyStart::ends`](super::hystart::HyStart::ends) has it.
    #[inline]
    pub fn ends_at(&mut self, sample: Sample, longest: impl FnOnce() -> u32) -> bool {
        if let Some(chosen) = &mut self.chosen {
            if chosen.choices.resume.as_ref().is_some_and(Resume::is_jumping) {
                return false;
            }
            let ends = self.start.ends_at(sample, longest);
            if ends && chosen.exit == Exit::Running {
                chosen.exit = Exit::Heuristic;
            }
            return ends;
        }
        self.start.ends_at(sample, longest)
    }

    /// The segments by which a window in fractions grows for `acked` segments acknowledged at once;
    /// `None` if as many. True beside it: whatever the threshold.
    #[inline]
    pub fn growth(&self, acked: f64) -> Option<f64> {
        if self.chosen.as_ref().is_some_and(|chosen| chosen.is_validating()) {
            return None;
        }
        self.start.growth(acked)
    }

    /// The whole segments by which a window grows for `acked` segments acknowledged at once.
    #[inline]
    pub fn whole_growth(&mut self, acked: u32) -> u32 {
        let Some(chosen) = &mut self.chosen else { return acked };
        if chosen.is_validating() {
            return acked;
        }
        let Some(growth) = self.start.growth(f64::from(acked)) else { return acked };
        let sixteenths = chosen.carry + (growth * 16.0) as u32;
        chosen.carry = sixteenths % 16;
        sixteenths / 16
    }

    /// True if acknowledgements count for growth at a window of `window` segments, and false if
    /// not; `None` if the controller's own rule says so.
    #[inline]
    pub fn counts(&self, window: f64) -> Option<bool> {
        match &self.chosen.as_ref()?.choices.growth {
            Growth::Used => None,
            Growth::Free | Growth::RateLimited(_) => Some(true),
            Growth::NewCwv(cwv) => Some(cwv.is_validated(window)),
        }
    }

    /// The window up to which one of `before` may grow; `None` if growth has no limit. `avoidance`
    /// gives the window that one round trip of congestion avoidance makes of so many segments.
    pub fn limit(&self, before: View, avoidance: impl FnOnce(f64) -> f64) -> Option<f64> {
        let Growth::RateLimited(flight) = &self.chosen.as_ref()?.choices.growth else {
            return None;
        };
        let flight = flight.get();
        let limit = if before.cwnd < before.threshold {
            flight * self.start.per_round()
        } else {
            avoidance(flight)
        };
        Some(limit.max(before.cwnd))
    }

    /// The pacing rate of a start that paces by itself: Rapid Start, first over a round trip and
    /// then at three windows per round trip, and a jump over a round trip.
    pub fn pacing(&self, view: View, packet: Bytes) -> Option<Rate> {
        let chosen = self.chosen.as_ref()?;
        let over = |segments: f64, rtt: Span| {
            let bytes = segments * packet.get() as f64;
            (!rtt.is_zero())
                .then(|| Rate::from_bytes_per_sec(bytes / rtt.as_secs_f64()).max(Rate::from_bps(1)))
        };
        if let Some(ResumePhase::Unvalidated(jump)) =
            chosen.choices.resume.as_ref().map(|it| it.phase)
        {
            return over(jump.jump, jump.rtt);
        }
        let rapid = matches!(self.start, Start::Rapid(_)) && chosen.cut.is_none();
        let gain = if chosen.answered { 3.0 } else { 1.0 };
        if rapid { over(gain * view.cwnd, chosen.srtt) } else { None }
    }

    /// True while a window above half of its threshold is paced as below it: a drain.
    pub fn paces_as_below(&self) -> bool {
        self.chosen.as_ref().is_some_and(|chosen| chosen.draining.is_some())
    }

    /// State of the path for a later connection.
    pub fn saved(&self) -> Option<Saved> {
        let chosen = self.chosen.as_ref()?;
        let found = chosen.memory.as_ref()?.saved();
        found.or_else(|| chosen.choices.resume.as_ref().and_then(Resume::kept))
    }

    /// Names the start, its phase and why it is over. Nothing for a controller's own start.
    pub fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        let Some(chosen) = &self.chosen else { return };
        visit("start", chosen.choices.start.code());
        visit("start_phase", chosen.phase(&self.start));
        visit("start_exit", f64::from(chosen.exit as u8));
    }
}

impl Chosen {
    #[inline(never)]
    fn on_sent(&mut self, sent: &Sent, view: View) -> Option<(f64, f64)> {
        self.choices.growth.on_sent(sent);
        if let Some(resume) = &mut self.choices.resume {
            resume.on_sent(sent);
        }
        if let Some(memory) = &mut self.memory {
            memory.on_sent(sent);
        }
        if let Some(cut) = &mut self.cut {
            cut.on_sent(sent);
            return None;
        }
        match &mut self.choices.growth {
            Growth::NewCwv(cwv) => cwv.decay(sent.now, view.cwnd, view.threshold),
            Growth::Used | Growth::Free | Growth::RateLimited(_) => None,
        }
    }

    /// The reduction that `start` makes in place of the controller, if it makes one.
    fn cut_by(
        &mut self,
        start: &Start,
        feedback: &Feedback<'_>,
        view: View,
        beta: f64,
    ) -> Option<CutKind> {
        let retreat_beta = self.choices.resume_beta;
        let resume = self.choices.resume.as_mut();
        if let Some(retreat) = resume.and_then(|it| it.on_congestion(feedback, retreat_beta)) {
            if let Some(memory) = &mut self.memory {
                memory.forget();
            }
            return Some(CutKind::Retreat(retreat));
        }
        if matches!(start, Start::Rapid(_)) {
            let mut cut = RapidCut::new(view.cwnd, beta, self.choices.rapid_k, LEAST);
            if self.choices.mutated.has(Mutation::NoFloor) {
                cut.forget_floor();
            }
            return Some(CutKind::Rapid(cut));
        }
        let Growth::NewCwv(cwv) = &self.choices.growth else { return None };
        if cwv.is_validated(view.cwnd) {
            return None;
        }
        let flight = f64::from(feedback.in_flight_before);
        let used = cwv.pipe().unwrap_or(0.0).max(flight);
        Some(CutKind::Unused(UnusedCut { used, beta, resent: 0.0 }))
    }

    fn is_validating(&self) -> bool {
        self.choices.resume.as_ref().is_some_and(Resume::is_jumping)
    }

    /// 0 over, 1 slow start, 2 conservative slow start (HyStart++), 3 drain (SEARCH), 4
    /// reconnaissance, 5 unvalidated, 6 validating, 7 safe retreat (Careful Resume).
    fn phase(&self, start: &Start) -> f64 {
        if self.cut.as_ref().is_some_and(Cut::is_retreat) {
            return 7.0;
        }
        match self.choices.resume.as_ref().map(|resume| resume.phase) {
            Some(ResumePhase::Reconnaissance) => return 4.0,
            Some(ResumePhase::Unvalidated(_)) => return 5.0,
            Some(ResumePhase::Validating { .. }) => return 6.0,
            Some(ResumePhase::Normal) | None => {}
        }
        match start {
            _ if self.draining.is_some() => 3.0,
            Start::HyStartPlusPlus(start) if start.is_conservative() => 2.0,
            _ if matches!(self.exit, Exit::Running | Exit::Limited) => 1.0,
            _ => 0.0,
        }
    }
}
