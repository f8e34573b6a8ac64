//! A controller that cannot go on ends the run, with an error that says where.

use crate::common::{one_link, scenario};
use crate::faulty::ENTRY;
use narrows_control::{Entered, Fault, Session};
use narrows_sim::SimError;
use narrows_units::Span;

/// Lets this thread choose the controller.
fn enter() -> Entered {
    let session = Session::default();
    session.register(&ENTRY).unwrap();
    session.enter()
}

/// The error of a run.
fn error(text: &str) -> SimError {
    let _session = enter();
    narrows_sim::run(&scenario(text)).map(drop).unwrap_err()
}

fn fault(flow: &str, controller: &str, micros: u64) -> SimError {
    let flow = flow.to_owned();
    let controller = controller.to_owned();
    let at = Span::from_micros(micros);
    SimError::Fault {
        flow,
        controller,
        at,
        fault: Fault::new("line 3: a window of 0; return at least 1"),
    }
}

/// A packet of 1500 B takes 1.5 ms, one of 60 B 60 us, one of 52 B 52 us.
const LINK: &str = "rate = \"8 Mbit/s\"\ndelay = \"10 ms\"";

fn text(controller: &str, link: &str, flow: &str) -> String {
    format!("send_overhead = false\n{}", one_link(controller, 20, 0, link, flow))
}

#[test]
fn it_names_flow_time_controller_and_what_is_wrong() {
    // SYN and answer take 20.12 ms.
    assert_eq!(error(&text("faulty?at=open", LINK, "")), fault("flow", "faulty?at=open", 20_120));
    // The third segment leaves at once after them.
    assert_eq!(
        error(&text("faulty?at=sent&number=3", LINK, "")),
        fault("flow", "faulty?at=sent&number=3", 20_120)
    );
    // So does the first; its acknowledgement is there 52 us, 1.5 ms, 52 us and two delays later.
    let told = error(&text("faulty", LINK, "")).to_string();
    assert_eq!(
        told,
        "flow \"flow\": its controller faulty cannot go on at 41.724 ms: line 3: a window of 0; return at least 1"
    );
}

#[test]
fn it_ends_the_run_at_a_timeout_and_in_any_of_several_flows() {
    let lossy =
        format!("{LINK}\n[[change]]\nlink = \"bottleneck\"\nat = \"100 ms\"\nloss = \"100 %\"");
    let SimError::Fault { at, .. } = error(&text("faulty?at=timeout", &lossy, "")) else {
        panic!("no fault")
    };
    assert!(at > Span::from_millis(300), "{at}");
    let several = format!(
        "{}[[flow]]\nname = \"second\"\nfrom = \"left\"\nto = \"right\"\ncontroller = \"faulty?at=open\"\nstart = \"1 s\"\n",
        text("cubic", LINK, "")
    );
    assert!(
        matches!(error(&several), SimError::Fault { flow, at, .. } if flow == "second" && at > Span::from_secs(1))
    );
}

#[test]
fn it_is_noticed_in_the_last_acknowledgement_of_a_connection_that_comes_and_goes() {
    // Each transfer is one segment, whose acknowledgement ends the connection.
    let short = text("faulty", LINK, "workload = { arrivals = \"5/s\", sizes = \"1000 B\" }");
    assert!(matches!(error(&short), SimError::Fault { .. }));
}

#[test]
fn a_connection_is_closed_when_all_of_it_is_acknowledged_and_not_by_the_end_of_the_run() {
    let closed = |flow: &str| error(&text("faulty?at=close", LINK, flow));
    // SYN and answer, what acknowledges that, a packet of 1052 B, its acknowledgement, two delays.
    assert_eq!(
        closed("workload = { size = \"1000 B\" }"),
        fault("flow", "faulty?at=close", 20_120 + 52 + 1_052 + 52 + 20_000)
    );
    assert!(matches!(
        closed("workload = { arrivals = \"5/s\", sizes = \"1000 B\" }"),
        SimError::Fault { .. }
    ));
    let _session = enter();
    assert!(narrows_sim::run(&scenario(&text("faulty?at=close", LINK, ""))).is_ok());
}

#[test]
fn it_ends_information_centric_runs() {
    let network = "duration = \"10 s\"\n[icn]\n[[link]]\nname = \"link\"\nbetween = [\"home\", \"far\"]\nrate = \"8 Mbit/s\"\ndelay = \"10 ms\"\n\
                   [[prefix]]\nname = \"/far\"\nat = \"far\"\n";
    let consumer = |number: u32| {
        format!(
            "{network}[[consumer]]\nname = \"last\"\nat = \"home\"\nprefix = \"/far\"\nsegments = 3\ncontroller = \"faulty?number={number}\"\n"
        )
    };
    // The last of three is the one with which the consumer is done.
    for number in [1, 3] {
        let expected = format!("faulty?number={number}");
        assert!(
            matches!(error(&consumer(number)), SimError::Fault { flow, controller, .. } if flow == "last" && controller == expected)
        );
    }
    let _session = enter();
    assert!(narrows_sim::run(&scenario(&consumer(4))).is_ok());
    let closes = consumer(1).replace("number=1", "at=close");
    assert!(
        matches!(error(&closes), SimError::Fault { controller, .. } if controller == "faulty?at=close")
    );
    let process = format!(
        "{network}[[request]]\nname = \"shop\"\nat = \"home\"\nprefix = \"/far\"\nevery = \"1 s\"\nsegments = 1\ncontroller = \"faulty\"\n"
    );
    assert!(matches!(error(&process), SimError::Fault { flow, .. } if flow.contains("shop")));
}
