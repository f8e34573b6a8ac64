//! An observer of a run sees everything that it counts, and changes nothing.

use crate::common::{one_link, scenario};
use narrows_transport::{Content, Observer, Point, Seen, Sender};
use narrows_units::Time;

/// Counts what a run's record counts too.
#[derive(Default)]
struct Counts {
    latest: Time,
    sent: u64,
    retransmitted: u64,
    dropped: u64,
    entered: u64,
    crossed: u64,
    arrived: u64,
    acks: u64,
    acks_arrived: u64,
    acks_dropped: u64,
    newly_lost: u64,
    handed_over: u64,
}

impl Observer for Counts {
    fn on_packet(&mut self, seen: &Seen) {
        assert!(seen.at >= self.latest, "time runs forwards");
        self.latest = seen.at;
        match (seen.point, seen.content) {
            (Point::Sender, Content::Data(data)) => {
                self.sent += 1;
                self.retransmitted += data.retransmission as u64;
            }
            (Point::Receiver, Content::Data(_)) => self.arrived += 1,
            (Point::Leaving(_), Content::Data(_)) => self.crossed += 1,
            (Point::Dropped(_), Content::Data(_)) => self.dropped += 1,
            (Point::Receiver, Content::Ack(..)) => self.acks += 1,
            (Point::Sender, Content::Ack(..)) => self.acks_arrived += 1,
            (Point::Dropped(_), Content::Ack(..)) => self.acks_dropped += 1,
            (Point::Entering(_), Content::Data(_)) => self.entered += 1,
            (Point::Entering(_) | Point::Leaving(_), Content::Ack(..)) => {}
            (_, Content::Datagram(_)) => {}
        }
    }

    fn on_sender(&mut self, _: Time, _: usize, sender: &Sender) {
        self.newly_lost += sender.newly_lost().len() as u64;
    }

    fn on_sent(&mut self, at: Time, _: usize, sender: &Sender) {
        assert!(at >= self.latest && sender.in_flight() > 0, "one packet more is on its way");
        self.handed_over += 1;
        assert_eq!(self.handed_over, self.sent + 1, "before the packet is seen");
    }
}

#[test]
fn a_watched_run_is_the_same_and_all_that_it_counts_is_seen() {
    let link = "rate = \"10 Mbit/s\"\ndelay = \"15 ms\"\nbuffer = \"20 packets\"\nloss = \"8 %\"\nback = { loss = \"2 %\" }";
    let mut timeouts = 0;
    for controller in ["newreno", "cubic", "bbr"] {
        let plan = scenario(&one_link(controller, 20, 2, link, ""));
        let alone = narrows_sim::run(&plan).expect("a run");
        let mut counts = Counts::default();
        let watched = narrows_sim::run_observed(
            &plan,
            narrows_sim::Progress::heard_by(&mut |_| true),
            &mut counts,
        )
        .expect("a run");
        assert_eq!(format!("{alone:?}"), format!("{watched:?}"));
        let total = watched.flows[0].total;
        assert_eq!((counts.sent, counts.retransmitted), (total.sent, total.retransmitted));
        assert_eq!(counts.handed_over, total.sent);
        assert!(total.retransmitted > 100, "{controller}: {total:?}");
        timeouts += total.timeouts;
        assert_eq!(
            (counts.arrived, counts.crossed, counts.dropped),
            (total.arrived, total.arrived, total.dropped)
        );
        assert_eq!(counts.entered, total.sent);
        assert_eq!(counts.acks, total.acks);
        assert!(
            counts.acks_dropped > 10 && counts.acks_arrived + counts.acks_dropped <= counts.acks
        );
        assert_eq!(counts.newly_lost, total.declared_lost, "{controller}");
    }
    assert!(timeouts > 0, "losses by timeout were not tried");
}
