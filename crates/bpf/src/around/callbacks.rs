//! The callbacks that a program has.

use crate::machine::{Callback, Code};

/// One place for each member of `struct tcp_congestion_ops` that is called here.
#[derive(Clone, Debug)]
pub(super) struct Callbacks {
    pub init: Option<Callback>,
    pub release: Option<Callback>,
    pub ssthresh: Option<Callback>,
    pub cong_avoid: Option<Callback>,
    pub cong_control: Option<Callback>,
    pub set_state: Option<Callback>,
    pub cwnd_event: Option<Callback>,
    pub cwnd_event_tx_start: Option<Callback>,
    pub in_ack_event: Option<Callback>,
    pub pkts_acked: Option<Callback>,
    pub undo_cwnd: Option<Callback>,
    pub min_tso_segs: Option<Callback>,
}

impl Callbacks {
    pub fn of(code: &Code) -> Callbacks {
        let find = |name: &str| {
            code.program().callbacks.contains_key(name).then(|| code.callback(name)).flatten()
        };
        Callbacks {
            init: find("init"),
            release: find("release"),
            ssthresh: find("ssthresh"),
            cong_avoid: find("cong_avoid"),
            cong_control: find("cong_control"),
            set_state: find("set_state"),
            cwnd_event: find("cwnd_event"),
            cwnd_event_tx_start: find("cwnd_event_tx_start"),
            in_ack_event: find("in_ack_event"),
            pkts_acked: find("pkts_acked"),
            undo_cwnd: find("undo_cwnd"),
            min_tso_segs: find("min_tso_segs"),
        }
    }
}

/// `enum tcp_ca_event`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    TxStart = 0,
    CwndRestart = 1,
    CompleteCwr = 2,
    Loss = 3,
}
