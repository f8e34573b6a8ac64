//! Messages, each on a stream of its own; transfers that arrive, each on a connection of its own;
//! requests and their responses.

use crate::common::{flow, head, link, run};
use narrows_measure::{FlowRecord, Transfer};

const STACKS: [&str; 2] = ["noq:cubic", "quinn:cubic"];

const HARD: &str = "loss = \"2 %\"\nreorder = { share = \"1 %\", delay = \"3 ms\" }";

/// The transfers of the first flow of a run, and the flow.
fn transfers(text: &str) -> (Vec<Transfer>, FlowRecord) {
    let mut record = run(text);
    let flow = record.flows.remove(0);
    (flow.transfers.clone().expect("transfers").list, flow)
}

fn workload(what: &str) -> String {
    format!("workload = {{ {what} }}")
}

/// Each message is read whole, once and right: contents are compared byte for byte, and nothing
/// comes after a message's end (see `application.rs`).
#[test]
fn messages_of_a_connection_arrive_whole_under_loss_and_reordering() {
    const { assert!(cfg!(debug_assertions)) };
    for controller in STACKS {
        let bursts = workload("on = \"20 kB\", off = \"5 ms\", draw = \"exponential\"");
        let text = head(20, 3) + &link(HARD) + &flow(controller, &(bursts + "\nstop = \"18 s\""));
        let (list, flow) = transfers(&text);
        let bytes: u64 = list.iter().map(|transfer| transfer.size.get()).sum();
        assert!(list.len() > 100, "{controller}: {} messages", list.len());
        assert!(flow.total.goodput.get() - bytes < 500_000, "{controller}: the last is under way");
        assert!(flow.total.declared_lost > 0, "{controller}");
    }
}

/// A message is complete although a message before it is not: what TCP cannot do. Frames of 2.5 kB
/// leave every 2 ms on a link that loses packets, so many are under way at once.
#[test]
fn a_message_does_not_wait_for_messages_before_it() {
    let frames = workload("frame = \"2 ms\", rate = \"10 Mbit/s\"");
    let overtaken = |controller: &str| {
        let text = head(6, 1) + &link("loss = \"0.3 %\"") + &flow(controller, &frames);
        let (list, _) = transfers(&text);
        assert!(list.len() > 1_000, "{controller}: {} frames", list.len());
        list.windows(2).filter(|pair| pair[0].start > pair[1].start).count()
    };
    assert_eq!(overtaken("cubic"), 0);
    for controller in STACKS {
        let count = overtaken(controller);
        assert!(count > 5, "{controller}: {count} frames are complete before an earlier one");
    }
}

/// Each transfer has a connection of its own with a handshake: on an empty link one of 1 kB takes
/// three ways of 15 ms with quinn, and waits for noq's pacer.
#[test]
fn arrivals_open_a_connection_each() {
    for (controller, fastest) in [("quinn:cubic", 45.0), ("noq:cubic", 71.6)] {
        let arrivals = workload("arrivals = \"20/s\", sizes = \"1 kB\"");
        let (list, flow) = transfers(&(head(12, 1) + &link("") + &flow(controller, &arrivals)));
        assert!((200..280).contains(&list.len()), "{controller}: {} transfers", list.len());
        for transfer in &list {
            let took = transfer.took.as_millis_f64();
            assert!((fastest..fastest + 4.0).contains(&took), "{controller}: {took:.2} ms");
        }
        let bytes = flow.total.goodput.get();
        assert!(bytes - 1_000 * list.len() as u64 <= 5_000, "{controller}: {bytes} B");
        // Connections that are complete are gone.
        assert!(flow.samples.iter().all(|sample| sample.connections <= 12), "{controller}");
    }
}

#[test]
fn arrivals_complete_under_loss_and_reordering() {
    for controller in STACKS {
        let arrivals = workload("arrivals = \"10/s\", sizes = \"30 kB\"");
        let text = head(12, 5) + &link(HARD) + &flow(controller, &(arrivals + "\nstop = \"9 s\""));
        let (list, flow) = transfers(&text);
        let begun = flow.transfers.as_ref().expect("transfers").begun;
        assert!(list.iter().all(|transfer| transfer.size.get() == 30_000), "{controller}");
        assert!(list.len() as u64 >= begun && begun > 50, "{controller}: {begun} begun");
        assert_eq!(flow.total.goodput.get(), 30_000 * list.len() as u64, "{controller}");
    }
}

/// The client opens the connection with its first request, so the first response takes two round
/// trips, and with noq the time that its pacer holds up the server's flights. The others take one,
/// and with noq up to 16 ms more, since it paces 10 kB, too.
#[test]
fn responses_take_a_round_trip_on_an_open_connection() {
    for (controller, slowest) in [("quinn:cubic", 36.0), ("noq:cubic", 48.0)] {
        let requests = workload("request = \"500 B\", response = \"10 kB\", think = \"50 ms\"");
        let (list, _) = transfers(&(head(6, 1) + &link("") + &flow(controller, &requests)));
        let took: Vec<f64> = list.iter().map(|transfer| transfer.took.as_millis_f64()).collect();
        assert!(took.len() > 60, "{controller}: {} responses", took.len());
        assert!((60.0..120.0).contains(&took[0]), "{controller}: {:.2} ms", took[0]);
        let late = took[1..].iter().filter(|took| !(30.0..slowest).contains(*took)).count();
        assert!(late <= 2, "{controller}: {late} of {:?}", &took[..10]);
    }
}

/// Each response on a connection of its own takes what the first one takes on a connection that
/// stays, from which the next ones differ: it has the handshake and the initial window.
#[test]
fn each_response_on_a_new_connection_takes_the_time_of_a_first_one() {
    for controller in STACKS {
        let took = |connections: &str| -> Vec<u64> {
            let requests = format!("response = \"10 kB\", think = \"50 ms\"{connections}");
            let text = head(6, 1) + &link("") + &flow(controller, &workload(&requests));
            transfers(&text).0.iter().map(|own| own.took.as_micros()).collect()
        };
        let (kept, anew) = (took(""), took(", connections = \"new\""));
        assert!(anew.len() > 30 && kept.len() > anew.len(), "{controller}: {}", anew.len());
        assert!(kept[1..].iter().all(|own| *own + 20_000 < kept[0]), "{controller}: {kept:?}");
        let far = anew.iter().filter(|own| own.abs_diff(kept[0]) > 2_000).count();
        assert_eq!(far, 0, "{controller}: {anew:?}, not {}", kept[0]);
    }
}

#[test]
fn responses_arrive_under_loss() {
    for controller in STACKS {
        for connections in ["one", "new"] {
            let requests = workload(&format!(
                "request = \"2 kB\", response = \"50 kB\", think = \"1 ms\", connections = \"{connections}\""
            ));
            let text = head(12, 2) + &link(HARD) + &flow(controller, &requests);
            let (list, flow) = transfers(&text);
            assert!(list.len() > 40, "{controller}: {} responses", list.len());
            let rest = flow.total.goodput.get() - 50_000 * list.len() as u64;
            assert!(rest <= 50_000, "{controller}: {rest} B beside responses");
        }
    }
}

/// A transfer's numbers are in the columns of TCP's, and near to them: 5 MB over an empty link.
#[test]
fn transfers_compare_with_those_of_tcp() {
    let took = |controller: &str| {
        let text = head(10, 1) + &link("") + &flow(controller, &workload("size = \"5 MB\""));
        let (list, flow) = transfers(&text);
        assert!(flow.completed, "{controller}");
        let [transfer] = list[..] else { panic!("{controller}: {} transfers", list.len()) };
        assert!(transfer.ideal < transfer.took);
        transfer.took.as_secs_f64()
    };
    let ours = took("cubic");
    for controller in STACKS {
        let ratio = took(controller) / ours;
        assert!((0.8..1.6).contains(&ratio), "{controller}: {ratio:.2} times cubic");
    }
}
