//! Steps worked by hand.

use narrows_traffic::{Action, Application, LISTED, Ledger, Message};
use narrows_units::{Bytes, Rate, Span, Time};

/// The application of a flow of three seconds on 1 byte per microsecond and 10 ms.
fn application(tcp: bool, flow: &str) -> Application {
    let controller = if tcp { "controller = \"newreno\"" } else { "" };
    let text = format!(
        "duration = \"3 s\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"8 Mbit/s\"\ndelay = \"10 ms\"\n\
         [[flow]]\nfrom = \"a\"\nto = \"b\"\n{controller}\n{flow}\n"
    );
    let scenario =
        narrows_scenario::parse(&text, "test.toml", &|path| std::fs::read_to_string(path))
            .unwrap_or_else(|error| panic!("{}", error.short()));
    Application::new(&scenario, &scenario.flows[0])
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

fn all(application: &mut Application, now: Time) -> Vec<Action> {
    std::iter::from_fn(|| application.act(now)).collect()
}

fn message(start: u64, size: u64) -> Message {
    Message { start: ms(start), size: Bytes::new(size) }
}

#[test]
fn it_begins_then_stops_then_acts() {
    // Frames of 12500 B at 0 and 50 ms; at 100 ms it stops, and makes no third.
    let mut frames = application(
        true,
        "workload = { rate = \"2 Mbit/s\", frame = \"50 ms\" }\nstop = \"100 ms\"",
    );
    let frame = |start| Action::Write { message: message(start, 12_500), last: false };
    assert_eq!((frames.started(), frames.due()), (false, ms(0)));
    assert_eq!(all(&mut frames, ms(0)), [frame(0)]);
    assert_eq!((frames.started(), frames.due()), (true, ms(50)));
    assert_eq!(all(&mut frames, ms(49)), []);
    assert_eq!(all(&mut frames, ms(700)), [frame(50), Action::Stop]);
    assert_eq!(
        (frames.due(), frames.finished_at(), frames.completed()),
        (Time::NEVER, Some(ms(100)), false)
    );
}

/// Frames at 0, 50 and 100 ms; at 120 ms, before the next, the transfer that ends the flow.
#[test]
fn a_transfer_follows_frames() {
    let mut frames = application(
        true,
        "workload = { rate = \"2 Mbit/s\", frame = \"50 ms\", until = \"120 ms\", then = \"3 MB\" }",
    );
    let frame = |start| Action::Write { message: message(start, 12_500), last: false };
    assert_eq!(all(&mut frames, ms(119)), [0, 50, 100].map(frame));
    assert_eq!(frames.due(), ms(120));
    let last = Action::Write { message: message(120, 3_000_000), last: true };
    assert_eq!(all(&mut frames, ms(700)), [last]);
    assert_eq!((frames.due(), frames.completed()), (Time::NEVER, false));
    frames.finish(ms(900));
    assert_eq!((frames.finished_at(), frames.completed()), (Some(ms(900)), true));
}

/// The transfer after the frames has no deadline, whether it is complete or not.
#[test]
fn a_transfer_after_frames_is_never_late() {
    for complete in [true, false] {
        let mut frames = application(
            true,
            "workload = { rate = \"2 Mbit/s\", frame = \"50 ms\", until = \"120 ms\", then = \"3 MB\" }",
        );
        let (mut ledger, mut room) = (Ledger::new(), LISTED);
        let mut written = 0;
        for action in all(&mut frames, ms(120)) {
            let Action::Write { message, .. } = action else { panic!("{action:?}") };
            written += message.size.get();
            frames.expect(&mut ledger, message, written);
        }
        // Frames of 0, 50 and 100 ms; the deadline is 150 ms.
        for (now, position) in [(20, 12_500), (201, 25_000), (202, 37_500)] {
            frames.delivered(ms(now), &mut ledger, position, &mut room);
        }
        if complete {
            frames.delivered(ms(2_900), &mut ledger, written, &mut room);
        }
        let transfers = frames.into_transfers(ms(3_000), &ledger).unwrap();
        assert_eq!((transfers.begun, transfers.late), (4, 1));
        assert_eq!(transfers.completed(), if complete { 4 } else { 3 });
    }
}

#[test]
fn frames_follow_the_controller_within_their_rates() {
    let mut frames = application(
        true,
        "workload = { rate = \"1 Mbit/s\", frame = \"50 ms\", min_rate = \"200 kbit/s\", max_rate = \"2 Mbit/s\" }",
    );
    let frame = |start, size| [Action::Write { message: message(start, size), last: false }];
    assert!(frames.follows());
    assert_eq!(all(&mut frames, ms(0)), frame(0, 6_250));
    for (start, kbps, size) in
        [(50, 400, 2_500), (100, 100, 1_250), (150, 9_000, 12_500), (200, 1_600, 10_000)]
    {
        frames.follow(Rate::from_kbps(kbps));
        assert_eq!(all(&mut frames, ms(start)), frame(start, size));
    }
    assert_eq!(all(&mut frames, ms(250)), frame(250, 10_000), "until it is told otherwise");
    let mut steady = application(true, "workload = { rate = \"1 Mbit/s\", frame = \"50 ms\" }");
    assert!(!steady.follows());
    steady.follow(Rate::from_kbps(400));
    assert_eq!(all(&mut steady, ms(0)), frame(0, 6_250));
}

#[test]
fn a_burst_that_is_on_is_cut_before_it_stops() {
    let mut bursts = application(
        true,
        "workload = { on = \"100 ms\", off = \"50 ms\" }\nstart = \"1 s\"\nstop = \"1200 ms\"",
    );
    assert_eq!(all(&mut bursts, ms(1_000)), [Action::Flood]);
    assert_eq!(all(&mut bursts, ms(1_100)), [Action::Cut { start: ms(1_000) }]);
    assert_eq!(
        all(&mut bursts, ms(1_300)),
        [Action::Flood, Action::Cut { start: ms(1_150) }, Action::Stop]
    );
    // Nothing was sent of the second.
    let mut ledger = Ledger::new();
    bursts.expect(&mut ledger, message(1_000, 5_000), 5_000);
    bursts.expect(&mut ledger, message(1_150, 0), 5_000);
    assert_eq!(bursts.into_transfers(ms(3_000), &ledger).unwrap().begun, 1);
}

#[test]
fn a_burst_at_a_rate_ends_with_its_time_or_its_size() {
    // 1448 B at 1 Mbit/s are 11.584 ms.
    let segment = |us| {
        let start = Time::ZERO + Span::from_micros(us);
        Action::Write { message: Message { start, size: Bytes::new(1448) }, last: false }
    };
    let mut by_time =
        application(false, "workload = { on = \"20 ms\", off = \"30 ms\", rate = \"1 Mbit/s\" }");
    assert_eq!(all(&mut by_time, ms(60)), [segment(0), segment(11_584), segment(50_000)]);
    // 2000 B are two segments; the silence begins when the third would be due.
    let mut by_size =
        application(true, "workload = { on = \"2 kB\", off = \"30 ms\", rate = \"1 Mbit/s\" }");
    assert_eq!(all(&mut by_size, ms(60)), [segment(0), segment(11_584), segment(53_168)]);
    assert!(by_size.into_transfers(ms(60), &Ledger::new()).is_none());
}

#[test]
fn a_request_is_answered_once_and_not_after_the_stop() {
    let mut client = application(
        true,
        "workload = { response = \"5 kB\", request = \"400 B\", think = \"70 ms\" }\nstop = \"1 s\"",
    );
    let mut ledger = Ledger::new();
    let mut room = LISTED;
    let ask = Action::Ask { size: Bytes::new(400), seed: None };
    assert_eq!(client.answer(), None);
    assert_eq!(all(&mut client, ms(0)), [ask]);
    let response = message(0, 5_000);
    assert_eq!((client.answer(), client.answer()), (Some(response), None));
    client.expect(&mut ledger, response, 5_000);
    assert_eq!(client.due(), ms(1_000));
    // Read in odd pieces: only the last one tells anything.
    for position in [0, 1, 1_448, 4_999] {
        assert!(!ledger.awaits(position));
        client.delivered(ms(30), &mut ledger, position, &mut room);
    }
    assert!(ledger.awaits(5_000));
    client.delivered(ms(30), &mut ledger, 5_000, &mut room);
    client.delivered(ms(40), &mut ledger, 5_000, &mut room);
    assert_eq!((client.due(), all(&mut client, ms(100)).as_slice()), (ms(100), [ask].as_slice()));
    assert_eq!(all(&mut client, ms(1_000)), [Action::Stop]);
    assert_eq!(client.answer(), None);
    let transfers = client.into_transfers(ms(3_000), &ledger).unwrap();
    // The ideal: 452 B and 10 ms to the server, four segments and 10 ms back.
    let took: Vec<_> =
        transfers.list.iter().map(|done| (done.start, done.took, done.ideal)).collect();
    assert_eq!(
        took,
        [(ms(0), Span::from_millis(30), Span::from_micros(10_452 + 10_000 + 5_000 + 4 * 52))]
    );
}

/// A request on a new connection that left before the stop is answered, as other transfers finish
/// that have a connection of their own.
#[test]
fn a_request_on_a_new_connection_is_answered_after_the_stop() {
    let mut client = application(
        true,
        "workload = { response = \"5 kB\", request = \"400 B\", connections = \"new\" }\nstop = \"20 ms\"",
    );
    assert!(client.reopens());
    let actions = all(&mut client, ms(0));
    let [Action::Ask { size, seed: Some(_) }] = actions[..] else { panic!("{actions:?}") };
    assert_eq!(size, Bytes::new(400));
    assert_eq!(all(&mut client, ms(25)), [Action::Stop]);
    let response = message(0, 5_000);
    assert_eq!((client.answer(), client.answer()), (Some(response), None));
    let mut ledger = Ledger::new();
    let mut room = LISTED;
    client.expect(&mut ledger, response, 5_000);
    client.delivered(ms(50), &mut ledger, 5_000, &mut room);
    assert_eq!((client.due(), client.completed()), (Time::NEVER, false));
    let transfers = client.into_transfers(ms(3_000), &Ledger::new()).unwrap();
    let [done] = transfers.list[..] else { panic!("{transfers:?}") };
    // The ideal: a SYN of 60 B and its answer, then the request and the response, each with 10 ms.
    let ideal = 2 * 10_060 + 10_452 + 10_000 + 5_000 + 4 * 52;
    assert_eq!((done.start, done.took), (ms(0), Span::from_millis(50)));
    assert_eq!(done.ideal, Span::from_micros(ideal));
}

#[test]
fn a_file_is_complete_when_delivered_and_finished_when_acknowledged() {
    let mut file = application(true, "workload = { size = \"10 kB\" }\nstart = \"1 s\"");
    let mut ledger = Ledger::new();
    let mut room = 0;
    assert_eq!(
        all(&mut file, ms(1_000)),
        [Action::Write { message: message(1_000, 10_000), last: true }]
    );
    file.expect(&mut ledger, message(1_000, 10_000), 7);
    assert_eq!(ledger.end(), 7);
    file.delivered(ms(1_050), &mut ledger, 7, &mut room);
    assert_eq!((file.finished_at(), file.due()), (None, Time::NEVER));
    file.finish(ms(1_060));
    assert_eq!((file.finished_at(), file.completed()), (Some(ms(1_060)), true));
    let transfers = file.into_transfers(ms(3_000), &ledger).unwrap();
    // There was no room in the list, but it counts.
    assert_eq!((transfers.completed(), transfers.list.len()), (1, 0));
}

#[test]
fn frames_are_whole_lost_or_late() {
    // 2500 B, two datagrams each.
    let mut frames = application(
        false,
        "workload = { rate = \"200 kbit/s\", frame = \"100 ms\", deadline = \"50 ms\" }",
    );
    let mut ledger = Ledger::new();
    let mut room = LISTED;
    for (number, action) in all(&mut frames, ms(400)).into_iter().enumerate() {
        let Action::Write { message, last: false } = action else { panic!("{action:?}") };
        frames.expect(&mut ledger, message, 2 * number as u64 + 2);
    }
    let mut datagram =
        |now, number, arrived| frames.datagram(ms(now), &mut ledger, number, arrived, &mut room);
    // Frames of 0, 100, 200, 300 and 400 ms: the third overtakes the second, the first loses
    // one, the fourth is late, the last never comes.
    for (now, number, arrived) in [
        (20, 0, false),
        (20, 1, true),
        (140, 2, true),
        (220, 4, true),
        (230, 5, true),
        (240, 3, true),
        (390, 6, true),
        (390, 7, true),
        (420, 8, true),
    ] {
        datagram(now, number, arrived);
    }
    let transfers = frames.into_transfers(ms(460), &ledger).unwrap();
    let took: Vec<u64> =
        transfers.list.iter().map(|frame| frame.took.as_micros() / 1_000).collect();
    assert_eq!(
        (transfers.begun, transfers.lost, took.as_slice()),
        (5, 1, [30, 140, 90].as_slice())
    );
    // The lost one, the second, the fourth, and the last, which was not whole 60 ms after its time.
    assert_eq!(transfers.late, 4);
}

#[test]
fn pauses_cut_a_flood_and_begin_another() {
    let pauses = "pauses = [[\"100 ms\", \"300 ms\"], [\"400 ms\", \"500 ms\"]]";
    let mut bulk = application(true, pauses);
    assert_eq!((all(&mut bulk, ms(0)), bulk.due()), (vec![Action::Flood], ms(100)));
    assert_eq!(
        (all(&mut bulk, ms(100)), bulk.due()),
        (vec![Action::Cut { start: ms(0) }], ms(300))
    );
    assert_eq!(
        all(&mut bulk, ms(600)),
        [Action::Flood, Action::Cut { start: ms(300) }, Action::Flood]
    );
    assert_eq!((bulk.due(), bulk.finished_at()), (Time::NEVER, None));
    // One that starts in a pause begins after it; one that stops in a pause has nothing to cut.
    let mut within = application(true, &format!("{pauses}\nstart = \"100 ms\"\nstop = \"450 ms\""));
    assert_eq!((all(&mut within, ms(299)), within.started()), (vec![], true));
    assert_eq!(
        all(&mut within, ms(600)),
        [Action::Flood, Action::Cut { start: ms(300) }, Action::Stop]
    );
    assert_eq!(within.finished_at(), Some(ms(450)));
    assert!(
        within.into_transfers(ms(600), &Ledger::new()).is_none(),
        "bulk data has no units, however often it pauses"
    );
}

#[test]
fn what_would_leave_in_a_pause_leaves_when_it_is_over() {
    let starts = |workload: &str| -> Vec<u64> {
        let mut paced = application(
            false,
            &format!("workload = {workload}\npauses = [[\"20 ms\", \"50 ms\"]]"),
        );
        let start = |action| match action {
            Action::Write { message, .. } => message.start.since(Time::ZERO).as_micros(),
            other => panic!("{other:?}"),
        };
        all(&mut paced, ms(80)).into_iter().map(start).collect()
    };
    // 1448 B at 1 Mbit/s are 11.584 ms. A segment or frame that is due as the pause begins waits,
    // and so do all after it.
    assert_eq!(starts("{ rate = \"1 Mbit/s\" }"), [0, 11_584, 50_000, 61_584, 73_168]);
    assert_eq!(
        starts("{ rate = \"1 Mbit/s\", frame = \"10 ms\" }"),
        [0, 10_000, 50_000, 60_000, 70_000, 80_000]
    );
}
