//! A link changes while packets are on it.

use super::crossing::pop_arrived;
use super::{Form, Link};
use crate::link::far_end::{Delivery, FarEnd, Jitter, Reorder};
use crate::link::loss::LossProcess;
use crate::link::service::Server;
use crate::{Discipline, EcnField, Limit, LossModel, Packet};
use narrows_units::{Bytes, Rate, Span, Time};

/// The changes of a link while it works.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinkChange {
    /// It sends at this rate from now on. The rest of the packet in transmission, to the bit,
    /// and all that wait go out at the new rate; at rate zero they wait until it changes again. Not
    /// for a link whose rate is recorded.
    Rate(Rate),
    /// An outage begins: it sends nothing, its queue fills, what has left goes on its way. Not for
    /// a link whose rate is recorded.
    Down,
    /// The outage is over: it goes on where it was, at the rate that holds now.
    Up,
    /// Packets that leave from now on take this long. None overtakes another: a packet that would
    /// arrives with the one before it.
    Delay(Span),
    /// Packets that have crossed from now on are delayed further by such a draw. The random draws
    /// go on.
    Jitter(Jitter),
    /// Of the packets that have crossed from now on so many are late.
    Reorder(Reorder),
    /// Packets that have crossed from now on come in bursts, one in each such time; zero for none.
    /// Those that wait for a burst of before keep it, and nobody overtakes them.
    Aggregate(Span),
    /// Packets that reach the far end after this have their ECN field treated so.
    Ecn(EcnField),
    /// Packets that are offered from now on are lost by this model. The random draws, the count of
    /// packets and the state of the model go on.
    Loss(LossModel),
    /// The queue holds so much from now on. Waiting packets stay; nothing is admitted until there
    /// is room.
    Limit(Limit),
}

impl<P: Packet> Link<P> {
    /// Changes the link at `t`, after everything that happens up to `t` without the change. Like
    /// [`offer`](Link::offer) it comes in time order; ask [`due`](Link::due) again afterwards.
    ///
    /// # Panics
    ///
    /// If the rate of a link whose rate is recorded changes, or such a link goes down or up.
    pub fn change(&mut self, t: Time, change: LinkChange) {
        self.settle(t);
        match change {
            LinkChange::Rate(rate) => {
                self.change_server(t, |server| server.set_rate(t, rate));
                if let Form::AtDequeue(chosen) = &mut self.form {
                    chosen.discipline.set_rate(t, Some(rate));
                }
            }
            LinkChange::Down => self.change_server(t, |server| server.set_down(t, true)),
            LinkChange::Up => self.change_server(t, |server| server.set_down(t, false)),
            LinkChange::Delay(delay) => {
                self.delay = delay;
                self.time_arrivals();
            }
            LinkChange::Jitter(jitter) => {
                self.change_delivery(t, |delivery| delivery.jitter = jitter)
            }
            LinkChange::Reorder(reorder) => {
                self.change_delivery(t, |delivery| delivery.reorder = reorder)
            }
            LinkChange::Aggregate(aggregate) => {
                self.change_delivery(t, |delivery| delivery.aggregate = aggregate)
            }
            LinkChange::Ecn(ecn) => self.change_delivery(t, |delivery| delivery.ecn = ecn),
            LinkChange::Loss(model) => match &mut self.loss {
                Some(loss) => loss.set_model(model),
                None => {
                    self.loss = Some(Box::new(LossProcess::new(model, self.origin.stream("loss"))))
                }
            },
            LinkChange::Limit(limit) => match &mut self.form {
                Form::Ahead(old) => *old = limit,
                Form::AtDequeue(chosen) => chosen.discipline.set_limit(limit),
            },
        }
    }

    /// Changes the transmitter, and with it the times of all that has not departed.
    fn change_server(&mut self, t: Time, change: impl FnOnce(&mut Server)) {
        let left = self.left(t);
        change(&mut self.server);
        let mut pending = self.transmissions.iter_mut();
        if let Some((first, _)) = pending.next() {
            (first.departure, first.spare) = (self.server.resume(t, left), self.server.spare());
        }
        for (waiting, size) in pending {
            waiting.departure = self.server.serve(waiting.arrived, Bytes::new(size));
            waiting.spare = self.server.spare();
        }
        self.time_arrivals();
    }

    /// Arrivals of packets that have not departed follow from their departures.
    fn time_arrivals(&mut self) {
        let departed = self.wire.len() - self.transmissions.len();
        self.latest_arrival =
            departed.checked_sub(1).map_or(Time::ZERO, |last| self.wire[last].arrival);
        for (pending, crossing) in
            self.transmissions.iter().zip(self.wire.iter_mut().skip(departed))
        {
            self.latest_arrival = self.latest_arrival.max(pending.departure + self.delay);
            crossing.arrival = self.latest_arrival;
        }
    }

    fn change_delivery(&mut self, t: Time, change: impl FnOnce(&mut Delivery)) {
        let plain = Delivery { burst_rate: self.origin.burst_rate, ..Delivery::default() };
        let new = || Box::new(FarEnd::new(plain, |what| self.origin.stream(what)));
        let far_end = self.far_end.get_or_insert_with(new);
        while let Some((arrival, packet)) = pop_arrived(&mut self.wire, t) {
            far_end.take(arrival, packet);
        }
        let mut delivery = far_end.delivery();
        change(&mut delivery);
        far_end.set_delivery(delivery);
    }
}
