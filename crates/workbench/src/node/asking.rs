//! A consumer of the plan with a connection to the node's forwarder.

use super::clock::RunClock;
use narrows_forward::{Client, MirccSupport, Request, RequestLoop, Segments};
use narrows_icn::{ConsumerSetup, HintForm, Method, Packet};
use narrows_live::icn::{ConsumerPlan, NodePlan};
use narrows_measure::{ConsumerCounters, FlowCounters, Histogram};
use narrows_ndn::Name;
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Rates;
use std::error::Error;

/// A running consumer. It counts Data with the sizes that they have on links.
pub struct Asking {
    asker: RequestLoop,
    data: Bytes,
    most: Rates,
}

impl Asking {
    /// Creates the consumer that the plan describes.
    ///
    /// # Errors
    /// If a method or a name of the plan does not parse, or the consumer cannot be created.
    pub fn new(
        plan: &NodePlan,
        consumer: &ConsumerPlan,
        client: Client,
    ) -> Result<Asking, Box<dyn Error + Send + Sync>> {
        let understands = if consumer.by_proxy { MirccSupport::Off } else { MirccSupport::On };
        let asker = RequestLoop::new(client, understands, request(plan, consumer)?)?;
        Ok(Asking { asker, data: Bytes::new(consumer.data), most: most(consumer) })
    }

    /// Starts another consumer on the same connection. The new consumer uses the same MIRCC support
    /// as the first.
    ///
    /// # Errors
    /// If a method or a name of the plan does not parse, or the consumer cannot be created.
    pub fn begin(
        &mut self,
        plan: &NodePlan,
        consumer: &ConsumerPlan,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.asker.begin(request(plan, consumer)?)?;
        (self.data, self.most) = (Bytes::new(consumer.data), most(consumer));
        Ok(())
    }

    /// Returns the application that sends the Interests.
    pub fn asker(&self) -> &RequestLoop {
        &self.asker
    }

    /// Stops sending new Interests.
    pub fn stop(&mut self) {
        self.asker.stop();
    }

    /// Returns the next time at which the consumer must act, or [`Time::NEVER`].
    pub fn due(&self) -> Time {
        self.asker.consumer().due().unwrap_or(Time::NEVER)
    }

    /// Sends what is allowed to leave, waits for a packet or a deadline (at most until `until`),
    /// and passes received packets to the consumer. Adds round-trip times to `rtt`. Returns true if
    /// a packet arrived, because there may be more to send.
    ///
    /// # Errors
    /// If the forwarder has closed the connection or the consumer's controller fails.
    pub fn serve(
        &mut self,
        clock: RunClock,
        until: Time,
        rtt: &mut Histogram,
    ) -> Result<bool, Box<dyn Error + Send + Sync>> {
        self.asker.wait(|| clock.now(), until)?;
        let mut came = false;
        while let Some(mut packet) = self.asker.packet(clock.now()) {
            came = true;
            match &mut packet {
                Packet::Data(data) => data.rates = data.rates.min(self.most),
                Packet::Nack(nack) => nack.rates = nack.rates.min(self.most),
                Packet::Interest(_) => {}
            }
            self.asker.handle(clock.now(), packet);
            self.asker.take_rtt().into_iter().for_each(|span| rtt.record(span));
        }
        Ok(came)
    }

    /// Returns the received bytes of Data, without duplicates.
    pub fn goodput(&self) -> u64 {
        let data = self.asker.consumer().counters().data;
        (data.primary + data.secondary) * self.data.get()
    }

    /// Adds the consumer's counters to `flow` and `consumer`.
    pub fn add_to(&self, flow: &mut FlowCounters, consumer: &mut ConsumerCounters) {
        let counters = narrows_icn::ConsumerCounters {
            goodput: Bytes::new(self.goodput()),
            ..self.asker.consumer().counters()
        };
        counters.add_to(self.data, flow, consumer);
    }

    /// Returns the ratio of Data sizes on links to Data sizes that the consumer sees (without IP
    /// and UDP headers).
    pub fn scale(&self) -> f64 {
        let seen = self.asker.consumer().counters().goodput.get();
        if seen == 0 { 1.0 } else { self.goodput() as f64 / seen as f64 }
    }
}

fn request(
    plan: &NodePlan,
    consumer: &ConsumerPlan,
) -> Result<Request, Box<dyn Error + Send + Sync>> {
    let method = match consumer.by_rates {
        true => Method::Rates(consumer.method.parse()?),
        false => Method::Window(consumer.method.parse()?),
    };
    let setup = ConsumerSetup {
        seed: consumer.seed,
        interest: Bytes::new(plan.interest),
        data: Bytes::new(consumer.data),
        lifetime: Span::from_nanos(plan.lifetime),
        form: HintForm::Labels,
        catch_up: Request::CATCH_UP,
    };
    let base: Name = consumer.content.parse()?;
    let start = Time::from_nanos(consumer.start);
    Ok(Request {
        content: Segments::new(base, 0),
        segments: consumer.segments,
        method,
        setup,
        start,
    })
}

fn most(consumer: &ConsumerPlan) -> Rates {
    let most = Rate::from_bps(consumer.most);
    Rates { primary: most, secondary: most }
}
