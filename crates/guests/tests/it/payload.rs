//! Every byte is delivered once, in order and right: the reading application compares the content
//! with the content written, byte for byte, in builds with debug assertions.

use crate::common::{flow, head, link, run};

/// Messages of 1 B to 1 MB, over a network that loses 2 % and reorders. Each is a transfer of its
/// own, in a flow that follows the flow before.
fn messages_arrive(sizes: impl Iterator<Item = u64>, seed: u64) {
    for (controller, size) in
        ["noq:cubic", "quinn:cubic", "noq:bbr3"].into_iter().cycle().zip(sizes)
    {
        let hard = "loss = \"2 %\"\nreorder = { share = \"1 %\", delay = \"3 ms\" }";
        let message = format!("workload = {{ size = \"{size} B\" }}");
        let record = run(&(head(29, seed + size) + &link(hard) + &flow(controller, &message)));
        let flow = &record.flows[0];
        assert!(flow.completed, "{controller}: {size} B are not complete");
        assert_eq!(flow.total.goodput.get(), size, "{controller}");
    }
}

#[test]
fn messages_of_all_sizes_arrive_whole() {
    // Contents are compared in such builds alone.
    const { assert!(cfg!(debug_assertions)) };
    messages_arrive((0..=20).flat_map(|power| [1u64 << power, (1 << power) + 7]), 1);
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: make long"]
    fn ten_thousand_messages_arrive_whole() {
        let sizes = (0..10_000u64).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44);
        messages_arrive(sizes.map(|size| size.max(1)), 2);
    }
}

/// A flow of messages at a rate delivers what was offered.
#[test]
fn a_rate_is_kept() {
    for controller in ["noq:cubic", "quinn:newreno"] {
        let record = run(&(head(12, 1)
            + &link("")
            + &flow(controller, "workload = { rate = \"5 Mbit/s\" }")));
        let rate = crate::common::goodput(&record, 0);
        assert!((4.95..5.05).contains(&rate), "{controller}: {rate:.3} Mbit/s");
    }
}

/// After its stop a flow sends nothing but the reset of its stream, and the run goes on although
/// the connection times out later.
#[test]
fn a_stopped_flow_is_silent() {
    for controller in ["noq:cubic", "quinn:cubic"] {
        let text = head(50, 1) + &link("") + &flow(controller, "stop = \"5 s\"");
        let flow = &run(&text).flows[0];
        let after = flow.samples.iter().filter(|sample| sample.at.as_secs_f64() > 5.5);
        let sent: Vec<u64> = after.map(|sample| sample.sent).collect();
        assert!(sent[sent.len() - 1] - sent[0] < 10, "{controller}: {:?}", &sent[..5]);
    }
}
