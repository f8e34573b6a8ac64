//! The series of a run, and the counts at the end of its warm-up.

use narrows_measure::{
    ConsumerCounters, ConsumerRecord, FlowCounters, FlowSample, InterestCounters, RatesRecord,
};
use narrows_scenario::Scenario;

/// The series and the counts at the end of the warm-up.
pub(crate) struct Probes {
    pub(super) flows: Vec<Vec<FlowSample>>,
    pub(super) consumers: Vec<ConsumerRecord>,
    pub(super) rates: Vec<RatesRecord>,
    pub(super) flows_at_warmup: Vec<FlowCounters>,
    pub(super) consumers_at_warmup: Vec<ConsumerCounters>,
    pub(super) rates_at_warmup: Vec<InterestCounters>,
}

impl Probes {
    pub(crate) fn new(scenario: &Scenario, flows: usize) -> Probes {
        let expected = scenario.samples();
        Probes {
            flows: (0..flows).map(|_| Vec::with_capacity(expected)).collect(),
            consumers: vec![ConsumerRecord::default(); flows],
            rates: vec![RatesRecord::default(); scenario.links.len()],
            flows_at_warmup: vec![FlowCounters::default(); flows],
            consumers_at_warmup: vec![ConsumerCounters::default(); flows],
            rates_at_warmup: vec![InterestCounters::default(); scenario.links.len()],
        }
    }
}
