//! The keys `queue` and `trace` at the top of a scenario: they belong to its bottleneck, without
//! naming the link.

use crate::error::{Checked, Problem};
use crate::raw::RawScenario;
use crate::raw::link::{RawBack, RawLink};
use crate::text::At;
use std::ops::Range;
use toml_edit::{DocumentMut, InlineTable, Item, TableLike, Value};

/// Moves `queue` and `trace` from the top of the scenario into its bottleneck link.
pub(crate) fn resolve(raw: &mut RawScenario) -> Checked<()> {
    if let Some(trace) = raw.trace.take() {
        let bottleneck = place(&raw.link, &trace.span, "trace")?;
        let link = &mut raw.link[bottleneck].value;
        let (rate, old) = (link.rate.take(), link.trace.replace(trace));
        // The reverse direction keeps the rate or trace that both directions had before.
        if link.between.is_some() {
            let back = link.back.get_or_insert_with(|| At {
                span: link.name.span.clone(),
                value: RawBack::default(),
            });
            if back.value.rate.is_none() && back.value.trace.is_none() {
                (back.value.rate, back.value.trace) = (rate, old);
            }
        }
    }
    if let Some(queue) = raw.queue.take() {
        let bottleneck = place(&raw.link, &queue.span, "queue")?;
        let back = twin(&raw.link, bottleneck);
        for link in std::iter::once(bottleneck).chain(back) {
            let link = &mut raw.link[link].value;
            link.back.iter_mut().for_each(|back| back.value.queue = None);
            link.queue = Some(queue.clone());
        }
    }
    Ok(())
}

/// Does in the document what [`resolve`] does in `raw`, which was read from it: moves `queue` and
/// `trace` from the top into the bottleneck link.
pub(crate) fn write_out(raw: &RawScenario, document: &mut DocumentMut) -> Checked<()> {
    if let Some(trace) = &raw.trace {
        let at = place(&raw.link, &trace.span, "trace")?;
        let old = ["rate", "trace"].map(|key| {
            (key, document.get("link").and_then(|links| nth(links, at)?.get(key).cloned()))
        });
        let (two_way, written) = (raw.link[at].value.between.is_some(), document.remove("trace"));
        if let Some(link) = document.get_mut("link").and_then(|links| nth_mut(links, at)) {
            ["rate", "trace"].iter().for_each(|key| drop(link.remove(key)));
            written.map(|written| link.insert("trace", written));
            if two_way {
                if !link.contains_key("back") {
                    link.insert("back", Item::Value(Value::InlineTable(InlineTable::new())));
                }
                let back = link
                    .get_mut("back")
                    .and_then(Item::as_table_like_mut)
                    .filter(|own| !own.contains_key("rate") && !own.contains_key("trace"));
                if let Some(back) = back {
                    old.into_iter()
                        .for_each(|(key, value)| drop(value.map(|value| back.insert(key, value))));
                }
            }
        }
    }
    if let Some(queue) = &raw.queue {
        let bottleneck = place(&raw.link, &queue.span, "queue")?;
        let written = document.remove("queue");
        for at in std::iter::once(bottleneck).chain(twin(&raw.link, bottleneck)) {
            if let Some(link) = document.get_mut("link").and_then(|links| nth_mut(links, at)) {
                link.get_mut("back")
                    .and_then(Item::as_table_like_mut)
                    .map(|back| back.remove("queue"));
                written.clone().map(|written| link.insert("queue", written));
            }
        }
    }
    Ok(())
}

fn nth(list: &Item, at: usize) -> Option<&dyn TableLike> {
    match list {
        Item::ArrayOfTables(list) => list.get(at).map(|table| table as &dyn TableLike),
        other => other.as_array()?.get(at)?.as_inline_table().map(|table| table as &dyn TableLike),
    }
}

fn nth_mut(list: &mut Item, at: usize) -> Option<&mut dyn TableLike> {
    match list {
        Item::ArrayOfTables(list) => list.get_mut(at).map(|table| table as &mut dyn TableLike),
        other => other
            .as_array_mut()?
            .get_mut(at)?
            .as_inline_table_mut()
            .map(|table| table as &mut dyn TableLike),
    }
}

/// Name that makes a link the bottleneck although other links have a rate too.
const BOTTLENECK: &str = "bottleneck";

/// Returns the index of the bottleneck: the only link with a rate or a trace, or the link named
/// [`BOTTLENECK`] if several links have one.
fn place(links: &[At<RawLink>], said: &Range<usize>, key: &str) -> Checked<usize> {
    let limits = |link: &RawLink| {
        link.trace.is_some() || link.rate.as_ref().is_some_and(|rate| rate.value.0.is_some())
    };
    let candidates: Vec<usize> = (0..links.len()).filter(|at| limits(&links[*at].value)).collect();
    let ways: Vec<usize> = candidates
        .iter()
        .copied()
        .filter(|at| !candidates.iter().any(|other| twin(links, *other) == Some(*at)))
        .collect();
    let named = ways.iter().copied().find(|at| links[*at].value.name.value == BOTTLENECK);
    match (named, &ways[..]) {
        (Some(named), _) => Ok(named),
        (None, [only]) => Ok(*only),
        (None, []) => Err(Problem::at(
            said,
            format!(
                "no link has a rate or a trace, so none is the bottleneck that this {key} is for"
            ),
            format!("give a link a rate, or set {key} in the [[link]] that you mean"),
        )),
        (None, [first, second, ..]) => {
            let name = |at: &usize| &links[*at].value.name;
            Err(Problem::at(
                said,
                format!(
                    "{} links have a rate or a trace, among them \"{}\" and \"{}\", so it is not clear which this {key} is for",
                    ways.len(),
                    name(first).value,
                    name(second).value
                ),
                format!("set {key} in the [[link]] that you mean, or sweep \"link.{}.{key}\"", name(first).value),
            )
            .and(&name(first).span, "one link")
            .and(&name(second).span, "another"))
        }
    }
}

/// Returns the index of the link that is named as the reverse direction of link `of`.
fn twin(links: &[At<RawLink>], of: usize) -> Option<usize> {
    let name = &links[of].value.name.value;
    links.iter().position(|link| link.value.name.value.strip_suffix(".back") == Some(name))
}

#[cfg(test)]
mod tests {
    use crate::{NetworkTables, Scenario, ScenarioError, parse};
    use std::path::Path;

    const LINK: &str = "duration = \"2 s\"\n#top\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\nbuffer = \"1 bdp\"\n\
                        [[link]]\nname = \"wire\"\nbetween = [\"b\", \"c\"]\ndelay = \"5 ms\"\n#more\n\
                        [[flow]]\nfrom = \"a\"\nto = \"c\"\ncontroller = \"cubic\"\n";

    fn read(text: &str) -> Result<Scenario, ScenarioError> {
        parse(text, "t.toml", &|_| Ok("1\n2\n3\n".to_owned()))
    }

    fn with(top: &str) -> String {
        LINK.replace("#top", top)
    }

    #[test]
    fn the_only_limited_link_is_the_bottleneck() {
        let same = |top: &str, own: &str| {
            let direct = LINK.replacen("rate = \"10 Mbit/s\"", own, 1);
            assert_eq!(read(&with(top)).expect(top), read(&direct).expect(own), "{top}");
        };
        same("queue = \"codel\"", "rate = \"10 Mbit/s\"\nqueue = \"codel\"");
        same("trace = \"t\"", "trace = \"t\"\nback.rate = \"10 Mbit/s\"");
        // The links of this text have one direction each.
        let one_way = read(&with("queue = \"codel\"")).expect("a scenario").to_toml();
        let again = read(&format!("queue = \"fq-codel\"\n{one_way}")).expect("the same");
        let queues: Vec<_> = again
            .links
            .iter()
            .map(|link| link.config.queue.as_ref().map(|queue| queue.text().to_owned()))
            .collect();
        assert_eq!(queues, [Some("fq-codel".to_owned()), Some("fq-codel".to_owned()), None, None]);
    }

    #[test]
    fn tables_of_a_network_have_it_in_its_link() {
        let of = |text: &str| {
            NetworkTables::parse(text, "t.toml", Path::new("")).map(|tables| tables.values())
        };
        let direct = LINK.replace("buffer = \"1 bdp\"", "buffer = \"1 bdp\"\nqueue = \"codel\"");
        assert_eq!(
            of(&with("queue = \"codel\"")).expect("a network"),
            of(&direct).expect("a network")
        );
    }

    #[test]
    fn several_candidates_are_refused() {
        // A link named "bottleneck" is the exception.
        let named = with("queue = \"codel\"")
            .replace("delay = \"5 ms\"", "delay = \"5 ms\"\nrate = \"1 Gbit/s\"")
            .replace("\"l\"", "\"bottleneck\"");
        let queues = read(&named)
            .expect("one is called so")
            .links
            .into_iter()
            .map(|link| link.config.queue.is_some());
        assert_eq!(queues.collect::<Vec<_>>(), [true, true, false, false]);
        let two = with("queue = \"codel\"").replace("delay = \"5 ms\"", "rate = \"1 Gbit/s\"");
        let error = read(&two).expect_err("two links have a rate");
        assert!(
            error.message().contains("\"l\" and \"wire\"")
                && error.remedy().contains("link.l.queue"),
            "{}",
            error.message()
        );
        assert_eq!(error.line(), Some(2));
        let none = with("trace = \"t\"").replace("rate = \"10 Mbit/s\"\nbuffer = \"1 bdp\"", "");
        assert!(
            read(&none).expect_err("no link has a rate").message().contains("no link has a rate")
        );
    }
}
