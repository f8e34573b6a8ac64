//! Careful Resume: a connection that knows what an earlier one found on its path jumps to half of
//! it, and takes the jump back if it was too much.
//!
//! Source: RFC 9959 by draft-ietf-tsvwg-careful-resume-24 (the text of the RFC was not read).
//!
//! Ambiguities, and the choice made here:
//! * "the volume acknowledged" that adds to the pipe is that of segments of the jump: those in
//!   flight before it are in the pipe already, as in the appendix;
//! * an example in the appendix ends with a pipe of 120 segments where the rules give 149: the
//!   rules;
//! * "the window is the limit" is true if the window limited what is acknowledged;
//! * a jump that is not above the window is no jump: the connection goes on as any other.
//!
//! Deviations:
//! * the start that was chosen observes nothing from the jump until what it sent is acknowledged,
//!   since the burst would mislead it, and begins anew then;
//! * the path has no address here: a change of path is seen by its round trip only.

use narrows_contract::{Feedback, Saved, Sent};
use narrows_units::{Span, Time};

/// For so long what was saved is of use.
const LIFETIME: Span = Span::from_secs(600);
/// At most so many times the saved round trip; and more than half of it.
const LONGER: u64 = 10;

/// True if a path with this least round trip may be the one that was saved, not too long ago.
pub fn fits(saved: &Saved, min_rtt: Span) -> bool {
    saved.age <= LIFETIME
        && min_rtt.as_nanos() * 2 > saved.rtt.as_nanos()
        && min_rtt.as_nanos() <= saved.rtt.as_nanos().saturating_mul(LONGER)
}

/// The phase of a connection that resumes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ResumePhase {
    /// The initial window is not acknowledged yet.
    Reconnaissance,
    /// The jump is being sent.
    Unvalidated(Unvalidated),
    /// The jump is being acknowledged, from the segment `first` up to `end`.
    Validating {
        /// First segment of the jump.
        first: u64,
        /// First segment sent after the jump.
        end: u64,
    },
    /// As any connection.
    Normal,
}

/// The jump while it is being sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unvalidated {
    /// Segments that may be in flight.
    pub jump: f64,
    /// The round trip over which it is paced.
    pub rtt: Span,
    /// When it began.
    began: Time,
    /// First segment of it.
    first: u64,
}

/// Effect of an acknowledgement on the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ResumeStep {
    /// As the start says.
    Start,
    /// It grows as in slow start, and the start observes nothing.
    Validate,
    /// It stays.
    Hold,
    /// It becomes this many segments.
    Set(f64),
    /// It becomes this many segments, and the connection goes on as any other.
    Limited(f64),
}

/// The state of a connection that may resume.
#[derive(Clone, Debug)]
pub struct Resume {
    /// Phase.
    pub phase: ResumePhase,
    saved: Option<Saved>,
    initial: f64,
    most: f64,
    min_rtt: Span,
    /// Segments that the path is known to have held (PipeSize).
    pipe: f64,
    /// First segment never sent.
    next: u64,
    /// When the first segment left, and when the latest acknowledgement came.
    times: Option<(Time, Time)>,
    /// True without the rule that halves what was saved: a published fault put back for tests.
    whole: bool,
}

impl Resume {
    /// A connection with an initial window of `initial` segments that jumps to `most` at most.
    pub fn new(saved: Option<Saved>, initial: f64, most: f64) -> Resume {
        let saved = saved.filter(|saved| saved.age <= LIFETIME);
        Resume {
            phase: if saved.is_some() { ResumePhase::Reconnaissance } else { ResumePhase::Normal },
            saved,
            initial,
            most,
            min_rtt: Span::MAX,
            pipe: 0.0,
            next: 0,
            times: None,
            whole: false,
        }
    }

    /// Returns the connection with a jump to all that was saved, if `whole`.
    pub fn without_halving(self, whole: bool) -> Resume {
        Resume { whole, ..self }
    }

    /// A segment leaves. A flight that fills the jump ends it.
    pub fn on_sent(&mut self, sent: &Sent) {
        self.next = self.next.max(sent.number + 1);
        self.times.get_or_insert((sent.now, sent.now));
        if let ResumePhase::Unvalidated(jump) = self.phase
            && f64::from(sent.in_flight + 1) >= jump.jump.floor()
        {
            self.phase = ResumePhase::Validating { first: jump.first, end: self.next };
        }
    }

    /// An acknowledgement without congestion, at a window of `window` segments.
    pub fn on_feedback(&mut self, feedback: &Feedback<'_>, window: f64) -> ResumeStep {
        if let Some((_, latest)) = &mut self.times {
            *latest = feedback.now;
        }
        if let Some(rtt) = feedback.rtt {
            self.min_rtt = self.min_rtt.min(rtt);
        }
        match self.phase {
            ResumePhase::Normal => ResumeStep::Start,
            ResumePhase::Reconnaissance => self.reconnoitre(feedback, window),
            ResumePhase::Unvalidated(jump) => {
                self.pipe += of_jump(feedback, jump.first);
                let sent = reaches(feedback, jump.first);
                if !sent && feedback.now.since(jump.began) < jump.rtt {
                    return ResumeStep::Hold;
                }
                let flight = f64::from(feedback.in_flight);
                if flight < self.initial || flight <= self.pipe {
                    self.leave();
                    return ResumeStep::Limited(self.pipe.max(self.initial));
                }
                self.phase = ResumePhase::Validating { first: jump.first, end: self.next };
                ResumeStep::Set(flight)
            }
            ResumePhase::Validating { first, end } => {
                self.pipe += of_jump(feedback, first);
                if reaches(feedback, end.saturating_sub(1)) {
                    self.leave();
                }
                ResumeStep::Validate
            }
        }
    }

    fn reconnoitre(&mut self, feedback: &Feedback<'_>, window: f64) -> ResumeStep {
        let Some(saved) = self.saved else { return ResumeStep::Start };
        if (feedback.totals.delivered as f64) < self.initial || self.min_rtt == Span::MAX {
            return ResumeStep::Start;
        }
        let fits = fits(&saved, self.min_rtt);
        let part = if self.whole { 1.0 } else { 0.5 };
        let jump = (saved.window.get() * part).min(self.most);
        if !fits || jump <= window {
            self.leave();
            return ResumeStep::Start;
        }
        if !feedback.acked.iter().any(|acked| acked.window_limited) {
            return ResumeStep::Start;
        }
        self.pipe = f64::from(feedback.in_flight);
        self.phase = ResumePhase::Unvalidated(Unvalidated {
            jump,
            rtt: feedback.rtt.unwrap_or(self.min_rtt),
            began: feedback.now,
            first: self.next,
        });
        ResumeStep::Set(jump)
    }

    /// Congestion: what was saved is of no use. Returns the retreat from a jump.
    pub fn on_congestion(&mut self, feedback: &Feedback<'_>, beta: f64) -> Option<Retreat> {
        let phase = self.phase;
        self.leave();
        let (first, last) = match phase {
            ResumePhase::Unvalidated(jump) => (jump.first, self.next.saturating_sub(1)),
            ResumePhase::Validating { first, end } => (first, end.saturating_sub(1)),
            ResumePhase::Reconnaissance | ResumePhase::Normal => return None,
        };
        self.saved = None;
        self.pipe += of_jump(feedback, first);
        let window = self.initial.max(self.pipe / 2.0);
        Some(Retreat { window, pipe: self.pipe, beta, first, last, done: false })
    }

    /// For good: the connection is as any other.
    pub fn leave(&mut self) {
        self.phase = ResumePhase::Normal;
    }

    /// True from the jump until it is acknowledged.
    pub fn is_jumping(&self) -> bool {
        matches!(self.phase, ResumePhase::Unvalidated(_) | ResumePhase::Validating { .. })
    }

    /// The saved path that was given to this connection, for the next one; `None` after a retreat.
    pub fn kept(&self) -> Option<Saved> {
        let saved = self.saved?;
        let passed = self.times.map_or(Span::ZERO, |(first, latest)| latest.since(first));
        Some(Saved { age: saved.age + passed, ..saved })
    }
}

/// Segments from `first` on that are acknowledged.
fn of_jump(feedback: &Feedback<'_>, first: u64) -> f64 {
    feedback.acked.iter().filter(|acked| acked.number >= first).count() as f64
}

/// True if the acknowledgement is for segment `number` or a later one.
fn reaches(feedback: &Feedback<'_>, number: u64) -> bool {
    feedback.una > number || feedback.acked.iter().any(|acked| acked.number >= number)
}

/// The reduction after a jump that was too much (Safe Retreat).
#[derive(Clone, Copy, Debug)]
pub struct Retreat {
    /// Segments that may be in flight.
    pub window: f64,
    /// Segments delivered of the flight at the jump and since.
    pub pipe: f64,
    beta: f64,
    /// The first segment of the jump.
    first: u64,
    /// The last segment of the jump.
    last: u64,
    /// It is acknowledged.
    done: bool,
}

impl Retreat {
    /// An acknowledgement. True once the last segment of the jump is acknowledged.
    pub fn on_feedback(&mut self, feedback: &Feedback<'_>) -> bool {
        if !self.done {
            self.pipe += of_jump(feedback, self.first);
            self.done = reaches(feedback, self.last);
        }
        self.done
    }

    /// The threshold of the slow start that follows.
    pub fn threshold(&self) -> f64 {
        self.pipe * self.beta
    }
}
