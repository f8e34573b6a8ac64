//! What is computed from a record: one table of metrics, each with its definition beside its code.

mod completion;
mod contest;
mod convergence;
mod delay;
mod delivery;
mod fairness;
mod icn;
mod queue;
mod share;
mod starvation;
mod steadiness;
mod summary;
mod window;

#[cfg(test)]
pub(crate) mod fixture;

pub use delivery::{bottleneck, flow_goodput};
pub use summary::Summary;

use crate::Record;

/// Which way a metric is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// Neither is better in itself.
    Neither,
}

/// A number computed from the record of a run.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// The name by which files, claims and options call it.
    pub name: &'static str,
    /// Its unit; empty for a pure number.
    pub unit: &'static str,
    /// Which way is better.
    pub better: Better,
    /// What it is, in one sentence.
    pub summary: &'static str,
    /// How it is computed.
    pub formula: &'static str,
    /// Where the definition comes from.
    pub source: &'static str,
    /// Computes it; `None` where it is not defined.
    pub compute: fn(&Record) -> Option<f64>,
}

/// The metric called `name`.
pub fn metric(name: &str) -> Option<&'static Metric> {
    METRICS.iter().find(|metric| metric.name == name)
}

/// All metrics, in the order of tables and files.
pub const METRICS: &[Metric] = &[
    Metric {
        name: "utilisation",
        unit: "%",
        better: Better::Higher,
        summary: "The share of the bottleneck's capacity that was used.",
        formula: "wire bytes that departed from the bottleneck since warm-up / bytes it could have sent in that time (for a trace, what its own \
                  opportunities could carry). The bottleneck is the link that carries data of some flow, has finite capacity and the highest such share.",
        source: "RFC 5166, section 2.1; Winstein, Sivaraman and Balakrishnan, Stochastic Forecasts Achieve High Throughput and Low Delay over Cellular \
                 Networks, NSDI 2013, for traces",
        compute: delivery::utilisation,
    },
    Metric {
        name: "utilisation_min",
        unit: "%",
        better: Better::Higher,
        summary: "The smallest share of the bottleneck's capacity that was used in any second.",
        formula: "smallest share, over windows of 1 s that begin at any sample since warm-up (or of one interval between samples, where that is longer), of the bytes that the bottleneck could have sent in it",
        source: "the utilisation over time that papers plot; window and minimum are ours",
        compute: steadiness::utilisation_min,
    },
    Metric {
        name: "utilisation_swing",
        unit: "%",
        better: Better::Lower,
        summary: "How much what the bottleneck sends varies from one second to the next.",
        formula: "standard deviation of the wire bytes that departed from it in consecutive intervals of 1 s since warm-up (or of one interval between samples, where that is longer), with m - 1 of m / their mean",
        source: "the steadiness of links that MIRCC (Mahdian, Arianfar, Gibson and Oran, ACM ICN 2016), figure 7, shows; the number is ours",
        compute: steadiness::utilisation_swing,
    },
    Metric {
        name: "goodput",
        unit: "Mbit/s",
        better: Better::Higher,
        summary: "Payload delivered in order to the applications, all flows together.",
        formula: "sum over flows of payload delivered in order since warm-up / time since warm-up. Headers, duplicates and data still waiting for a gap to be \
                  filled do not count.",
        source: "RFC 5166, section 2.1",
        compute: delivery::goodput,
    },
    Metric {
        name: "capacity_share",
        unit: "%",
        better: Better::Higher,
        summary: "The share of the bottleneck's capacity that the flows had.",
        formula: "wire bytes of the flows' data packets that arrived since warm-up / bytes that the bottleneck could have sent in that time. Of all flows it is close to utilisation; asked of some of them, as a claim can, it is their part",
        source: "the share of bandwidth of RFC 5166, section 2.3",
        compute: delivery::capacity_share,
    },
    Metric {
        name: "loss",
        unit: "%",
        better: Better::Lower,
        summary: "The share of data packets dropped on the way, for whatever reason.",
        formula: "data packets dropped since warm-up / data packets sent since warm-up, retransmissions included in both, all flows together",
        source: "RFC 5166, section 2.1",
        compute: delivery::loss,
    },
    Metric {
        name: "retransmitted",
        unit: "%",
        better: Better::Lower,
        summary: "The share of data packets that were retransmissions, needed or not.",
        formula: "retransmissions since warm-up / data packets sent since warm-up, all flows together",
        source: "the sender's counterpart of loss; the difference shows needless retransmissions",
        compute: delivery::retransmitted,
    },
    Metric {
        name: "rtt_p50",
        unit: "ms",
        better: Better::Lower,
        summary: "The median round trip.",
        formula: "median of all round trips that senders measured since warm-up, pooled over flows; to within 1.6 % (histogram buckets)",
        source: "RFC 5166, section 2.1",
        compute: delay::rtt_p50,
    },
    Metric {
        name: "rtt_p95",
        unit: "ms",
        better: Better::Lower,
        summary: "The round trip that 95 % of round trips do not exceed.",
        formula: "95th percentile of the same round trips as rtt_p50",
        source: "RFC 5166, section 2.1; the 95th percentile as in Winstein et al., NSDI 2013, and Yan et al., Pantheon, USENIX ATC 2018 (there of one-way \
                 delay)",
        compute: delay::rtt_p95,
    },
    Metric {
        name: "rtt_p99",
        unit: "ms",
        better: Better::Lower,
        summary: "The round trip that 99 % of round trips do not exceed.",
        formula: "99th percentile of the same round trips as rtt_p50",
        source: "RFC 5166, section 2.1",
        compute: delay::rtt_p99,
    },
    Metric {
        name: "delay_p95",
        unit: "ms",
        better: Better::Lower,
        summary: "The one-way delay that 95 % of data packets do not exceed.",
        formula: "95th percentile of the delays of data packets since warm-up, from leaving the sending host to arriving, pooled over flows",
        source: "Yan et al., Pantheon, USENIX ATC 2018",
        compute: delay::delay_p95,
    },
    Metric {
        name: "self_inflicted",
        unit: "ms",
        better: Better::Lower,
        summary: "The delay that flows add to that of propagation, for 95 % of packets.",
        formula: "95th percentile over data packets since warm-up, pooled over flows, of one-way delay - the propagation delays of the links of the flow's route at the start of the run. Transmission times and other flows' queues are part of it; to within 1.6 % of the whole delay",
        source: "the self-inflicted delay of Winstein, Sivaraman and Balakrishnan, NSDI 2013, section 5, as Yan et al., Pantheon, USENIX ATC 2018, show it against a constant rate",
        compute: delay::self_inflicted,
    },
    Metric {
        name: "standing_queue",
        unit: "ms",
        better: Better::Lower,
        summary: "The part of the bottleneck's queue that does not drain within a round trip.",
        formula: "mean over time since warm-up of the smallest queue in each window, divided by the rate the link had. Windows follow each other and last the \
                  longest base round trip of the flows through the link, or four samples where that is longer; the rate is the capacity offered in the second \
                  before the window's end, or since warm-up where that was none.",
        source: "the standing queue of Nichols and Jacobson, Controlling Queue Delay, ACM Queue 2012: the minimum over a round trip; window and mean are ours",
        compute: delay::standing_queue,
    },
    Metric {
        name: "queueing_p50",
        unit: "ms",
        better: Better::Lower,
        summary: "The median time packets waited in the bottleneck's queue.",
        formula: "median of the times since warm-up from a packet's arrival in the bottleneck's queue to the start of its transmission",
        source: "RFC 7928, section 2",
        compute: delay::queueing_p50,
    },
    Metric {
        name: "queueing_p95",
        unit: "ms",
        better: Better::Lower,
        summary: "The time in the bottleneck's queue that 95 % of packets do not exceed.",
        formula: "95th percentile of the same times as queueing_p50",
        source: "RFC 7928, section 2",
        compute: delay::queueing_p95,
    },
    Metric {
        name: "queue_mean",
        unit: "packets",
        better: Better::Lower,
        summary: "The mean queue of the bottleneck.",
        formula: "mean of the packets in the bottleneck's queue, with the packet in transmission, at the samples since warm-up",
        source: "RFC 5166, section 2.2",
        compute: queue::queue_mean,
    },
    Metric {
        name: "queue_max",
        unit: "packets",
        better: Better::Lower,
        summary: "The largest queue of the bottleneck.",
        formula: "largest number of packets in the bottleneck's queue, with the packet in transmission, at the samples since warm-up; what lies between samples is not seen",
        source: "RFC 5166, section 2.2",
        compute: queue::queue_max,
    },
    Metric {
        name: "buffer_mean",
        unit: "%",
        better: Better::Lower,
        summary: "The mean part of the bottleneck's buffer that is filled.",
        formula: "mean of the filled part of the buffer, in packets or bytes as it is limited, at the samples since warm-up. Not defined without a limit, or if it changes",
        source: "Xia et al., VCP, SIGCOMM 2005, section 4",
        compute: queue::buffer_mean,
    },
    Metric {
        name: "buffer_p95",
        unit: "%",
        better: Better::Lower,
        summary: "The part of the bottleneck's buffer that is filled for 95 % of the time at most.",
        formula: "95th percentile of the same parts as buffer_mean",
        source: "as buffer_mean",
        compute: queue::buffer_p95,
    },
    Metric {
        name: "buffer_max",
        unit: "%",
        better: Better::Lower,
        summary: "The largest part of the bottleneck's buffer that is filled.",
        formula: "largest of the same parts as buffer_mean; what lies between samples is not seen",
        source: "as buffer_mean",
        compute: queue::buffer_max,
    },
    Metric {
        name: "jain",
        unit: "",
        better: Better::Higher,
        summary: "Jain's fairness index of the flows' goodput: 1 if all are equal, 1/n if one has everything.",
        formula: "(sum x)^2 / (n sum x^2), x being each flow's goodput while all n ran: from the last start (or the end of warm-up, if later) to the first end. \
                  Flows that make transfers are left out if any flow does not, and so are flows that ended before the last began. Not defined for one flow.",
        source: "Jain, Chiu and Hawe, DEC TR-301, 1984; RFC 5166, section 2.3",
        compute: fairness::jain,
    },
    Metric {
        name: "rate_deviation",
        unit: "%",
        better: Better::Lower,
        summary: "The largest deviation of a flow's goodput from the mean of all.",
        formula: "largest |x - mean| / mean, x being each flow's goodput as in jain",
        source: "the largest of the differences that jain averages",
        compute: fairness::rate_deviation,
    },
    Metric {
        name: "fair_after",
        unit: "s",
        better: Better::Lower,
        summary: "The time from the last flow's start until rates are nearly equal and stay so.",
        formula: "the smallest t such that Jain's index of the flows' throughputs (wire bytes arrived) is 0.9 or more in every window within five windows' time from t on. Windows begin at any sample and last as those of convergence do; the flows are those of jain. Not defined if it never happens",
        source: "convergence to fairness as Xia et al., VCP, SIGCOMM 2005, section 4, show it; the index, its bound and the five windows are ours",
        compute: fairness::fair_after,
    },
    Metric {
        name: "convergence",
        unit: "s",
        better: Better::Lower,
        summary: "The time from the last flow's start until every flow has its fair share and keeps it.",
        formula: "the smallest t such that in every window (starting at any sample) within five windows' time from t on, every flow's throughput (wire bytes \
                  arrived) is within 25 % of its max-min fair share of what the links could carry in that window. A window lasts 1 s, or 10 of the longest base \
                  round trips where that is longer. For one flow, its share is its own mean throughput over the second half of its time. The flows are those of \
                  jain. Not defined if it never happens.",
        source: "Dong et al., PCC, NSDI 2015, section 4.2.2 (ideal equal rate, 25 %, five seconds); RFC 5166, section 2.3, for max-min shares",
        compute: convergence::convergence,
    },
    Metric {
        name: "starved",
        unit: "s",
        better: Better::Lower,
        summary: "The longest time at a stretch that a flow had less than a tenth of its fair share.",
        formula: "over windows as convergence has them, starting at every sample after warm-up: the longest run of windows in which one flow's throughput (wire \
                  bytes arrived) was below 10 % of its max-min fair share, from the start of the first window to the end of the last. The flows are those of \
                  jain, two or more; one that offers less than that counts as well. Five seconds and more are starvation.",
        source: "RFC 9743, section 5.2, which sets no threshold; Arun, Alizadeh and Balakrishnan, Starvation in End-to-End Congestion Control, SIGCOMM 2022; \
                 the tenth and the five seconds are ours",
        compute: starvation::starved,
    },
    Metric {
        name: "stability",
        unit: "",
        better: Better::Lower,
        summary: "How much flows' rates vary from one five seconds to the next.",
        formula: "mean over flows of (standard deviation of x over k, with m - 1) / mean of x, x(k) being the flow's goodput in the k-th of m intervals of 5 s since warm-up, or since its start if that is later, while it ran. Flows with fewer than two such intervals or nothing delivered are left out",
        source: "Jin, Wei and Low, FAST TCP: Motivation, Architecture, Algorithms, Performance, INFOCOM 2004, section V (stability)",
        compute: steadiness::stability,
    },
    Metric {
        name: "variation",
        unit: "%",
        better: Better::Lower,
        summary: "How much flows' rates vary from one second to the next.",
        formula: "the same as stability over intervals of 1 s",
        source: "Dong et al., PCC, NSDI 2015, section 4.2.2 (standard deviation of throughputs of one second), relative to the mean",
        compute: steadiness::variation,
    },
    Metric {
        name: "responsiveness",
        unit: "s",
        better: Better::Lower,
        summary: "The time after which the mean rate so far stays close to that of the whole run.",
        formula: "k * 5 s, k being the last interval of 5 s such that the mean of x(1) ... x(k) differs by more than 10 % from that of all intervals, x(k) being all flows' goodput in the k-th interval since the run began; 0 s if there is none",
        source: "Jin, Wei and Low, FAST TCP: Motivation, Architecture, Algorithms, Performance, INFOCOM 2004, section V (responsiveness, running average)",
        compute: steadiness::responsiveness,
    },
    Metric {
        name: "responsiveness_instant",
        unit: "s",
        better: Better::Lower,
        summary: "The time after which the rate stays close to that of the whole run.",
        formula: "k * 5 s, k being the last interval of 5 s such that x(k) differs by more than 10 % from the mean of all intervals, x as in responsiveness; 0 s if there is none",
        source: "Jin, Wei and Low, FAST TCP: Motivation, Architecture, Algorithms, Performance, INFOCOM 2004, section V (responsiveness, instantaneous)",
        compute: steadiness::responsiveness_instant,
    },
    Metric {
        name: "cwnd_mean",
        unit: "segments",
        better: Better::Neither,
        summary: "The mean congestion window.",
        formula: "mean over flows of the mean of their windows at the samples since warm-up while they ran",
        source: "the congestion window of RFC 5681; the means are ours",
        compute: window::cwnd_mean,
    },
    Metric {
        name: "ecn_marked",
        unit: "%",
        better: Better::Neither,
        summary: "The share of data packets that arrived with a congestion mark.",
        formula: "data packets that arrived with CE since warm-up / data packets that arrived since warm-up, all flows together. Not defined if no packet was \
                  ECN-capable.",
        source: "RFC 3168",
        compute: delivery::ecn_marked,
    },
    Metric {
        name: "timeouts",
        unit: "",
        better: Better::Lower,
        summary: "Retransmission timeouts.",
        formula: "sum over flows of retransmission timeouts since warm-up",
        source: "RFC 6298",
        compute: delivery::timeouts,
    },
    Metric {
        name: "spurious",
        unit: "",
        better: Better::Lower,
        summary: "Reductions that the sender undid because nothing had been lost.",
        formula: "sum over flows of reductions undone since warm-up",
        source: "RFC 4015; RFC 3708",
        compute: delivery::spurious,
    },
    Metric {
        name: "fct_p50",
        unit: "s",
        better: Better::Lower,
        summary: "The median completion time of transfers.",
        formula: "median over the transfers (files, bursts, frames, responses) of all flows that began after warm-up and were completed, of the time from the transfer's start \
                  until its last byte was delivered in order to the application at its far end",
        source: "RFC 7928, section 2.1",
        compute: completion::fct_p50,
    },
    Metric {
        name: "fct_p95",
        unit: "s",
        better: Better::Lower,
        summary: "The completion time that 95 % of transfers do not exceed.",
        formula: "95th percentile of the same times as fct_p50",
        source: "RFC 7928, section 2.1",
        compute: completion::fct_p95,
    },
    Metric {
        name: "fct_p99",
        unit: "s",
        better: Better::Lower,
        summary: "The completion time that 99 % of transfers do not exceed.",
        formula: "99th percentile of the same times as fct_p50",
        source: "RFC 7928, section 2.1",
        compute: completion::fct_p99,
    },
    Metric {
        name: "fct_mean",
        unit: "s",
        better: Better::Lower,
        summary: "The mean completion time of transfers.",
        formula: "mean of the same times as fct_p50",
        source: "RFC 7928, section 2.1",
        compute: completion::fct_mean,
    },
    Metric {
        name: "slowdown_p50",
        unit: "",
        better: Better::Lower,
        summary: "The median slowdown of transfers: how many times as long as alone on their path they took.",
        formula: "median over the same transfers as fct_p50 of completion time / ideal time. The ideal time is propagation along the path + the transfer with its headers at \
                  the rate of the slowest link + its first packet at each link before that one + its last packet at each link after it. For a response, the \
                  request's way to the server is counted in both times. Slow start is not part of the ideal, so a transfer alone on its path has a slowdown above 1",
        source: "Montazeri et al., Homa, SIGCOMM 2018, section 5.2 (slowdown against an unloaded network); Alizadeh et al., pFabric, SIGCOMM 2013, section 5, for the sizes",
        compute: completion::slowdown_p50,
    },
    Metric {
        name: "slowdown_p95",
        unit: "",
        better: Better::Lower,
        summary: "The slowdown that 95 % of transfers do not exceed.",
        formula: "95th percentile of the same ratios as slowdown_p50",
        source: "Montazeri et al., Homa, SIGCOMM 2018, section 5.2 (slowdown against an unloaded network); Alizadeh et al., pFabric, SIGCOMM 2013, section 5, for the sizes",
        compute: completion::slowdown_p95,
    },
    Metric {
        name: "slowdown_p99",
        unit: "",
        better: Better::Lower,
        summary: "The slowdown that 99 % of transfers do not exceed.",
        formula: "99th percentile of the same ratios as slowdown_p50",
        source: "Montazeri et al., Homa, SIGCOMM 2018, section 5.2 (slowdown against an unloaded network); Alizadeh et al., pFabric, SIGCOMM 2013, section 5, for the sizes",
        compute: completion::slowdown_p99,
    },
    Metric {
        name: "short_slowdown_p50",
        unit: "",
        better: Better::Lower,
        summary: "The median of the slowdown of transfers below 100 kB.",
        formula: "median of the same ratios as slowdown_p50, of transfers below 100 kB",
        source: "Montazeri et al., Homa, SIGCOMM 2018, section 5.2 (slowdown against an unloaded network); Alizadeh et al., pFabric, SIGCOMM 2013, section 5, for the sizes",
        compute: completion::short_slowdown_p50,
    },
    Metric {
        name: "short_slowdown_p99",
        unit: "",
        better: Better::Lower,
        summary: "The 99th percentile of the slowdown of transfers below 100 kB.",
        formula: "99th percentile of the same ratios as slowdown_p50, of transfers below 100 kB",
        source: "Montazeri et al., Homa, SIGCOMM 2018, section 5.2 (slowdown against an unloaded network); Alizadeh et al., pFabric, SIGCOMM 2013, section 5, for the sizes",
        compute: completion::short_slowdown_p99,
    },
    Metric {
        name: "medium_slowdown_p50",
        unit: "",
        better: Better::Lower,
        summary: "The median of the slowdown of transfers from 100 kB to below 10 MB.",
        formula: "median of the same ratios as slowdown_p50, of transfers from 100 kB to below 10 MB",
        source: "Montazeri et al., Homa, SIGCOMM 2018, section 5.2 (slowdown against an unloaded network); Alizadeh et al., pFabric, SIGCOMM 2013, section 5, for the sizes",
        compute: completion::medium_slowdown_p50,
    },
    Metric {
        name: "medium_slowdown_p99",
        unit: "",
        better: Better::Lower,
        summary: "The 99th percentile of the slowdown of transfers from 100 kB to below 10 MB.",
        formula: "99th percentile of the same ratios as slowdown_p50, of transfers from 100 kB to below 10 MB",
        source: "Montazeri et al., Homa, SIGCOMM 2018, section 5.2 (slowdown against an unloaded network); Alizadeh et al., pFabric, SIGCOMM 2013, section 5, for the sizes",
        compute: completion::medium_slowdown_p99,
    },
    Metric {
        name: "long_slowdown_p50",
        unit: "",
        better: Better::Lower,
        summary: "The median of the slowdown of transfers of 10 MB and more.",
        formula: "median of the same ratios as slowdown_p50, of transfers of 10 MB and more",
        source: "Montazeri et al., Homa, SIGCOMM 2018, section 5.2 (slowdown against an unloaded network); Alizadeh et al., pFabric, SIGCOMM 2013, section 5, for the sizes",
        compute: completion::long_slowdown_p50,
    },
    Metric {
        name: "long_slowdown_p99",
        unit: "",
        better: Better::Lower,
        summary: "The 99th percentile of the slowdown of transfers of 10 MB and more.",
        formula: "99th percentile of the same ratios as slowdown_p50, of transfers of 10 MB and more",
        source: "Montazeri et al., Homa, SIGCOMM 2018, section 5.2 (slowdown against an unloaded network); Alizadeh et al., pFabric, SIGCOMM 2013, section 5, for the sizes",
        compute: completion::long_slowdown_p99,
    },
    Metric {
        name: "frame_delay_p95",
        unit: "ms",
        better: Better::Lower,
        summary: "The delay that 95 % of media frames do not exceed.",
        formula: "95th percentile of the completion times of frames that began after warm-up and arrived whole, all flows of frames together",
        source: "RFC 8868, section 3",
        compute: completion::frame_delay_p95,
    },
    Metric {
        name: "late_frames",
        unit: "%",
        better: Better::Lower,
        summary: "The share of media frames that came later than their deadline, or not at all.",
        formula: "frames whose completion time exceeds their flow's deadline, that lost a packet for ever, or that were still missing at the end of the run \
                  when their deadline had passed / frames that began after warm-up",
        source: "ITU-T G.114 for the default deadline of 150 ms",
        compute: completion::late_frames,
    },
    Metric {
        name: "active_connections",
        unit: "",
        better: Better::Neither,
        summary: "How many connections of flows that make transfers exist at a time.",
        formula: "sum over these flows of the mean of their samples since warm-up",
        source: "RFC 7928, section 8.2, for loads in numbers of flows",
        compute: completion::active_connections,
    },
    Metric {
        name: "primary_goodput",
        unit: "Mbit/s",
        better: Better::Higher,
        summary: "Data that primary Interests brought, all consumers together.",
        formula: "bytes of Data that primary Interests brought since warm-up / time since warm-up. Of information-centric networks only, as all that follow",
        source: "the primary class of Mahdian, Arianfar, Gibson and Oran, MIRCC, ACM ICN 2016, section 3.3",
        compute: icn::primary_goodput,
    },
    Metric {
        name: "secondary_goodput",
        unit: "Mbit/s",
        better: Better::Higher,
        summary: "Data that secondary Interests brought, all consumers together.",
        formula: "the same of secondary Interests",
        source: "as primary_goodput",
        compute: icn::secondary_goodput,
    },
    Metric {
        name: "nacks",
        unit: "%",
        better: Better::Lower,
        summary: "The share of Interests that came back refused.",
        formula: "refusals that consumers received since warm-up / Interests that they sent since warm-up, those sent again included",
        source: "refused Interests of Wang, Rozhnova, Narayanan, Oran and Rhee, An Improved Hop-by-hop Interest Shaper, ACM ICN 2013",
        compute: icn::nacks,
    },
    Metric {
        name: "shaper_max",
        unit: "Interests",
        better: Better::Lower,
        summary: "The largest queue of Interests that any shaper held.",
        formula: "largest number of Interests in a shaper at the samples since warm-up; what lies between samples is not seen",
        source: "as nacks",
        compute: icn::shaper_max,
    },
    Metric {
        name: "subflow_balance",
        unit: "%",
        better: Better::Higher,
        summary: "How equal the paths of a consumer are used: 100 if all bring the same.",
        formula: "mean over consumers with two paths or more of Data that the path used least brought since warm-up / Data that the path used most brought",
        source: "ours, for the equal paths of MIRCC, section 4.3.4",
        compute: icn::subflow_balance,
    },
    Metric {
        name: "stamped_rate",
        unit: "Mbit/s",
        better: Better::Neither,
        summary: "The primary rate that the bottleneck's receiving end writes into Data.",
        formula: "mean of its samples since warm-up",
        source: "R(t) of MIRCC, section 3; its slide 23",
        compute: icn::stamped_rate,
    },
    Metric {
        name: "rate_settling",
        unit: "s",
        better: Better::Lower,
        summary: "The time from the last start until the rate that links say has nearly come to where it stays.",
        formula: "where links say rates, from the last consumer's start, or the end of warm-up if later, to the end of the last bin of 250 ms in which the mean primary rate that consumers follow is more than 20 % away from its mean over the last 10 s, or the last half of the bins if they are fewer. If that is one of these, the rate has not settled, and all the time observed counts",
        source: "the settling that MIRCC, section 3.2, figure 3 shows; bins and bounds are ours",
        compute: icn::rate_settling,
    },
    Metric {
        name: "rate_dip",
        unit: "%",
        better: Better::Higher,
        summary: "The lowest rate that links said on the way, as a part of what it came to.",
        formula: "smallest of the bins of rate_settling / the mean that it compares with",
        source: "as rate_settling",
        compute: icn::rate_dip,
    },
    Metric {
        name: "rate_swing",
        unit: "%",
        better: Better::Lower,
        summary: "How much the rate that links say varies once it should have settled.",
        formula: "standard deviation of the bins of rate_settling over the last 10 s / their mean",
        source: "as rate_settling",
        compute: icn::rate_swing,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for (i, one) in METRICS.iter().enumerate() {
            assert!(METRICS[i + 1..].iter().all(|other| other.name != one.name), "{}", one.name);
            assert_eq!(metric(one.name).map(|m| m.name), Some(one.name));
        }
    }

    #[test]
    fn an_empty_record_defines_only_counts() {
        let record = fixture::record(vec![], vec![]);
        for metric in METRICS {
            assert!((metric.compute)(&record).is_none_or(|value| value == 0.0), "{}", metric.name);
        }
    }
}
