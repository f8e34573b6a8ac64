//! Checks workloads of flows.

use crate::error::{Checked, Problem};
use crate::raw::flow::{RawConnections, RawDraw, RawLimited, RawReconnect, RawSizes, RawWorkload};
use crate::sizes::PUBLISHED;
use crate::text::{At, Extent, Frequency, Load, Quantity};
use crate::{Arrivals, Draw, Frames, LinkId, On, OnOff, Requests, Scenario, Sizes, Workload};
use narrows_params::suggest;
use narrows_transport::Transport;
use narrows_units::{Bytes, Rate, Span};
use std::ops::Range;

/// The parts of a flow that its workload depends on.
pub(super) struct Path<'a> {
    pub scenario: &'a Scenario,
    pub route: &'a [LinkId],
    pub transport: &'a Transport,
}

/// One-way delay up to which most users of conversational applications are satisfied (ITU-T G.114).
const DEADLINE: Span = Span::from_millis(150);
const REQUEST: Bytes = Bytes::new(300);
/// Most full segments of a request, so that it fits the initial window and leaves at once.
const LARGEST_REQUEST: u64 = 10;
/// Most transfers per second; no run can hold more.
const MOST_ARRIVALS: f64 = 1e7;

/// True if the workload determines when packets leave, so that it needs no controller.
pub(super) fn paces_itself(workload: &Workload) -> bool {
    matches!(
        workload,
        Workload::Constant(_) | Workload::Frames(_) | Workload::OnOff(OnOff { rate: Some(_), .. })
    )
}

/// Checks the workload of a flow.
pub(super) fn check(raw: &At<RawWorkload>, path: &Path) -> Checked<Workload> {
    let RawWorkload::Limited(limited) = &raw.value else { return Ok(Workload::Bulk) };
    let RawLimited { size, rate, on, frame, arrivals, load, response, .. } = &**limited;
    let only = |allowed: &[&str]| refuse_others(limited, allowed);
    if let Some(on) = on {
        only(&["on", "off", "draw", "rate", "connections"])?;
        return on_off(raw, limited, on, path);
    }
    if let Some(response) = response {
        only(&["request", "response", "think", "draw", "connections"])?;
        return requests(limited, response, path);
    }
    if arrivals.is_some() || load.is_some() {
        only(&["arrivals", "load", "sizes", "reconnect"])?;
        return arrive(raw, limited, path);
    }
    if let Some(frame) = frame {
        let own = ["rate", "frame", "min_rate", "max_rate", "key_every", "key_factor", "deadline"];
        only(&[&own[..], &["until", "then"]].concat())?;
        return frames(raw, limited, frame);
    }
    match (size, rate) {
        (Some(size), None) => {
            only(&["size"])?;
            Ok(Workload::Size(nonzero_size(size, "a transfer")?))
        }
        (None, Some(rate)) => {
            only(&["rate"])?;
            Ok(Workload::Constant(packet_rate(rate, path)?))
        }
        (Some(_), Some(_)) => Err(Problem::at(
            &raw.span,
            "a workload has either a size or a rate",
            "write { size = \"10 MB\" } or { rate = \"5 Mbit/s\" }",
        )),
        (None, None) => Err(Problem::at(
            &raw.span,
            "nothing here says what there is to send",
            "give size, rate, on and off, rate and frame, arrivals or load with sizes, or response",
        )),
    }
}

/// Refuses keys that do not belong to this kind of workload.
fn refuse_others(limited: &RawLimited, allowed: &[&str]) -> Checked<()> {
    fn span<T>(at: &Option<At<T>>) -> Option<&Range<usize>> {
        at.as_ref().map(|at| &at.span)
    }
    let RawLimited {
        size,
        rate,
        on,
        off,
        draw,
        connections,
        frame,
        min_rate,
        max_rate,
        key_every,
        key_factor,
        deadline,
        until,
        then,
        arrivals,
        load,
        sizes,
        reconnect,
        request,
        response,
        think,
    } = limited;
    let keys = [
        ("size", span(size)),
        ("rate", span(rate)),
        ("on", span(on)),
        ("off", span(off)),
        ("draw", span(draw)),
        ("connections", span(connections)),
        ("frame", span(frame)),
        ("min_rate", span(min_rate)),
        ("max_rate", span(max_rate)),
        ("key_every", span(key_every)),
        ("key_factor", span(key_factor)),
        ("deadline", span(deadline)),
        ("until", span(until)),
        ("then", span(then)),
        ("arrivals", span(arrivals)),
        ("load", span(load)),
        ("sizes", span(sizes)),
        ("reconnect", span(reconnect)),
        ("request", span(request)),
        ("response", span(response)),
        ("think", span(think)),
    ];
    match keys
        .iter()
        .find_map(|(name, span)| span.filter(|_| !allowed.contains(name)).map(|span| (name, span)))
    {
        Some((name, span)) => Err(Problem::at(
            span,
            format!("{name} does not go with {}", allowed[0]),
            format!("with {} may stand: {}", allowed[0], allowed[1..].join(", ")),
        )),
        None => Ok(()),
    }
}

fn on_off(
    raw: &At<RawWorkload>,
    limited: &RawLimited,
    on: &At<Quantity<Extent>>,
    path: &Path,
) -> Checked<Workload> {
    let Some(off) = &limited.off else {
        return Err(Problem::at(
            &raw.span,
            "bursts without a pause between them",
            "add for example off = \"1 s\", or take workload = \"bulk\"",
        ));
    };
    let empty = || {
        Problem::at(
            &on.span,
            "a burst of nothing",
            "give a time or a size above zero, for example \"2 s\" or \"500 kB\"",
        )
    };
    let on = match on.value.0 {
        Extent::Time(time) if time.is_zero() => return Err(empty()),
        Extent::Size(size) if size == Bytes::ZERO => return Err(empty()),
        Extent::Time(time) => On::Time(time),
        Extent::Size(size) => On::Size(size),
    };
    if off.value.0.is_zero() {
        return Err(Problem::at(
            &off.span,
            "a pause of no length is none",
            "give a time above zero, or take workload = \"bulk\"",
        ));
    }
    let rate = limited.rate.as_ref().map(|rate| packet_rate(rate, path)).transpose()?;
    let new = new_connections(limited);
    let fits = rate.is_none() && matches!(on, On::Size(_));
    if let Some(own) = new.filter(|_| !fits) {
        return Err(Problem::at(
            &own.span,
            "only bursts with a size and no rate can have new connections: the end of others is not known when they begin",
            "write a size, such as on = \"750 kB\", and leave rate out",
        ));
    }
    let reopens = new.is_some();
    Ok(Workload::OnOff(OnOff { on, off: off.value.0, draw: draw(limited), rate, reopens }))
}

/// Returns the key that asks for a new connection for each burst or request, if it does.
fn new_connections(limited: &RawLimited) -> Option<&At<RawConnections>> {
    limited.connections.as_ref().filter(|own| own.value == RawConnections::New)
}

fn draw(limited: &RawLimited) -> Draw {
    match limited.draw.as_ref().map(|draw| draw.value) {
        Some(RawDraw::Exponential) => Draw::Exponential,
        Some(RawDraw::Fixed) | None => Draw::Fixed,
    }
}

fn frames(
    raw: &At<RawWorkload>,
    limited: &RawLimited,
    frame: &At<Quantity<Span>>,
) -> Checked<Workload> {
    let Some(rate) = &limited.rate else {
        return Err(Problem::at(
            &raw.span,
            "nothing says how large the frames are",
            "add for example rate = \"2 Mbit/s\"",
        ));
    };
    if frame.value.0.is_zero() {
        return Err(Problem::at(
            &frame.span,
            "frames need time between them",
            "give for example \"33 ms\"",
        ));
    }
    let (key_every, key_factor) = match (&limited.key_every, &limited.key_factor) {
        (None, None) => (0, 1.0),
        (Some(every), _) if every.value < 2 => {
            return Err(Problem::at(
                &every.span,
                "there would be no other frames than key frames",
                "give 2 or more, or leave this out",
            ));
        }
        (_, Some(factor)) if !(factor.value.is_finite() && factor.value >= 1.0) => {
            return Err(Problem::at(
                &factor.span,
                "a key frame is larger than the others",
                "give a factor of 1 or more, for example 5.0",
            ));
        }
        (Some(every), Some(factor)) => (every.value, factor.value),
        (Some(At { span, .. }), None) | (None, Some(At { span, .. })) => {
            return Err(Problem::at(
                span,
                "key_every and key_factor say something together only",
                "give both, or none",
            ));
        }
    };
    let deadline = limited.deadline.as_ref().map_or(DEADLINE, |deadline| deadline.value.0);
    let follows = follows(limited, rate)?;
    let frames = Frames {
        rate: nonzero_rate(rate)?,
        follows,
        interval: frame.value.0,
        key_every,
        key_factor,
        deadline,
        then: then(limited)?,
    };
    if frames.at(Rate::ZERO).size(1) == Bytes::ZERO {
        return Err(Problem::at(
            &rate.span,
            "the frames would be empty",
            "give a higher rate, or more time between frames",
        ));
    }
    Ok(Workload::Frames(frames))
}

/// Returns the end of the frames and the size of what follows; `None` for frames without end.
fn then(limited: &RawLimited) -> Checked<Option<(Span, Bytes)>> {
    let (until, then) = match (&limited.until, &limited.then) {
        (None, None) => return Ok(None),
        (Some(until), Some(then)) => (until, then),
        (Some(At { span, .. }), None) | (None, Some(At { span, .. })) => {
            return Err(Problem::at(
                span,
                "until and then say something together only",
                "give both, such as until = \"20 s\", then = \"10 MB\"; a flow's stop ends frames that nothing follows",
            ));
        }
    };
    if until.value.0.is_zero() {
        return Err(Problem::at(
            &until.span,
            "there would be no frame before the transfer",
            "give a time above zero, or take { size = \"10 MB\" }",
        ));
    }
    Ok(Some((until.value.0, nonzero_size(then, "a transfer")?)))
}

/// Returns the range of an encoder that follows its controller; `None` for a fixed rate.
fn follows(limited: &RawLimited, rate: &At<Quantity<Rate>>) -> Checked<Option<(Rate, Rate)>> {
    let (least, most) = match (&limited.min_rate, &limited.max_rate) {
        (None, None) => return Ok(None),
        (Some(least), Some(most)) => (least, most),
        (Some(At { span, .. }), None) | (None, Some(At { span, .. })) => {
            return Err(Problem::at(
                span,
                "min_rate and max_rate say something together only",
                "give both, or none for frames that keep their rate",
            ));
        }
    };
    let (low, high) = (nonzero_rate(least)?, nonzero_rate(most)?);
    if low > high {
        return Err(Problem::at(
            &least.span,
            format!("{low} is more than max_rate"),
            format!("give {high} or less"),
        ));
    }
    if !(low..=high).contains(&rate.value.0) {
        return Err(Problem::at(
            &rate.span,
            "the first frames are not between min_rate and max_rate",
            format!("give {low} to {high}"),
        ));
    }
    Ok(Some((low, high)))
}

fn arrive(raw: &At<RawWorkload>, limited: &RawLimited, path: &Path) -> Checked<Workload> {
    let Some(sizes) = &limited.sizes else {
        return Err(Problem::at(
            &raw.span,
            "nothing says how large the transfers are",
            "add for example sizes = \"web-search\" or sizes = \"50 kB\"",
        ));
    };
    let sizes = check_sizes(sizes)?;
    let (per_second, span) = match (&limited.arrivals, &limited.load) {
        (Some(At { value: Quantity(Frequency(per_second)), span }), None) => (*per_second, span),
        (None, Some(At { value: Load(share), span })) => {
            (share * slowest(path, span)? / wire_bits(sizes.mean(), path.transport), span)
        }
        _ => {
            return Err(Problem::at(
                &raw.span,
                "arrivals and load say the same",
                "leave one of the two out",
            ));
        }
    };
    if per_second > MOST_ARRIVALS {
        return Err(Problem::at(
            span,
            format!("{per_second:.0} transfers a second are too many"),
            format!("give at most {MOST_ARRIVALS:.0}"),
        ));
    }
    let reconnects = matches!(&limited.reconnect, Some(At { value: RawReconnect::Saved, .. }));
    Ok(Workload::Arrivals(Arrivals { per_second, sizes, reconnects }))
}

/// Returns the rate of the slowest link of the route, in bit/s.
fn slowest(path: &Path, span: &Range<usize>) -> Checked<f64> {
    let rates = path.route.iter().filter_map(|id| path.scenario.links[id.0].config.rate.mean());
    let slowest = rates.min().map(|rate| rate.as_bps() as f64);
    slowest.ok_or_else(|| {
        Problem::at(
            span,
            "no link of the route has a rate to load",
            "give one a rate, or say arrivals = \"20/s\" instead",
        )
    })
}

/// Returns the size of a mean transfer with its headers, in bits.
fn wire_bits(mean: f64, transport: &Transport) -> f64 {
    let segments = (mean / transport.mss.get() as f64).max(1.0);
    8.0 * (mean + segments * transport.headers.get() as f64)
}

fn requests(limited: &RawLimited, response: &At<RawSizes>, path: &Path) -> Checked<Workload> {
    let request = match &limited.request {
        Some(request) => nonzero_size(request, "a request")?,
        None => REQUEST,
    };
    let most = path.transport.mss * LARGEST_REQUEST;
    if let Some(written) = limited.request.as_ref().filter(|_| request > most) {
        return Err(Problem::at(
            &written.span,
            format!("a request of {request} does not leave in one go"),
            format!("make it {most} or less"),
        ));
    }
    let think = limited.think.as_ref().map_or(Span::ZERO, |think| think.value.0);
    Ok(Workload::Requests(Requests {
        request,
        response: check_sizes(response)?,
        think,
        draw: draw(limited),
        reopens: new_connections(limited).is_some(),
    }))
}

fn check_sizes(raw: &At<RawSizes>) -> Checked<Sizes> {
    let refuse = |message: String, help: &str| Err(Problem::at(&raw.span, message, help));
    match &raw.value {
        RawSizes::Text(text) if text.trim().starts_with(|first: char| first.is_ascii_digit()) => {
            match text.parse::<Bytes>() {
                Ok(Bytes::ZERO) => refuse(
                    "a transfer of 0 B sends nothing".to_owned(),
                    "give a size above zero, for example \"50 kB\"",
                ),
                Ok(size) => Ok(Sizes::Fixed(size)),
                Err(error) => refuse(error.to_string(), "write for example \"50 kB\""),
            }
        }
        RawSizes::Text(text) => match PUBLISHED.iter().find(|published| published.name == text) {
            Some(published) => Ok(Sizes::Published(published)),
            None => {
                let help = suggest(
                    text,
                    "distributions",
                    PUBLISHED.iter().map(|published| published.name),
                );
                refuse(format!("there is no distribution of sizes called \"{text}\""), &help)
            }
        },
        RawSizes::Points(points) => {
            let points: Vec<(f64, f64)> =
                points.iter().map(|(size, share)| (size.0.get() as f64, *share)).collect();
            let rising =
                points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1);
            let within =
                points.iter().all(|(size, share)| *size >= 1.0 && (0.0..=1.0).contains(share));
            match points.last() {
                Some((_, 1.0)) if rising && within => Ok(Sizes::Points(points)),
                _ => refuse(
                    "these points are no distribution".to_owned(),
                    "let sizes (1 B or more) and shares rise from point to point, and the last share be 1.0: [[\"1 kB\", 0.5], [\"1 MB\", 1.0]]",
                ),
            }
        }
    }
}

fn nonzero_size(size: &At<Quantity<Bytes>>, what: &str) -> Checked<Bytes> {
    match size.value.0 {
        Bytes::ZERO => Err(Problem::at(
            &size.span,
            format!("{what} of 0 B sends nothing"),
            "give a size above zero, for example \"10 MB\"",
        )),
        size => Ok(size),
    }
}

/// Returns the rate. Refuses a rate at which full segments are less than a nanosecond apart.
fn packet_rate(rate: &At<Quantity<Rate>>, path: &Path) -> Checked<Rate> {
    let (written, mss) = (nonzero_rate(rate)?, path.transport.mss);
    if !written.time_for(mss).is_zero() {
        return Ok(written);
    }
    Err(Problem::at(
        &rate.span,
        format!(
            "segments of {mss} at {written} are less than a nanosecond apart, which is the finest time there is"
        ),
        format!("give at most {}, or a larger mss", Rate::of(mss, Span::from_nanos(1))),
    ))
}

fn nonzero_rate(rate: &At<Quantity<Rate>>) -> Checked<Rate> {
    match rate.value.0 {
        zero if zero.is_zero() => Err(Problem::at(
            &rate.span,
            "a workload's rate must be greater than zero",
            "give a rate above zero, for example \"5 Mbit/s\"",
        )),
        rate => Ok(rate),
    }
}
