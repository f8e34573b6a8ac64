//! A bundle of modules as bundlers write it: `var NAME=HELPER((exports,module)=>{...});`, one after another, each calling the others by
//! name. The last one registers the kinds of plots.

use crate::literals::closing;
use std::collections::{BTreeMap, BTreeSet};

/// What the helper that wraps modules does, behind its name and `=`.
const HELPER: &str = "=(e,t)=>()=>(t||e((t={exports:{}}).exports,t),t.exports)";
const REGISTER: &str = ".register([";

struct Module<'a> {
    name: &'a str,
    /// From `var` to the semicolon.
    text: &'a str,
    /// What stands between the module before it and this one.
    before: &'a str,
}

/// The bundle with these kinds of plots and with the modules that these need; `None` if its form is another.
pub fn reduced(script: &str, kinds: &[&str]) -> Option<String> {
    let (modules, tail) = modules(script)?;
    let by_name: BTreeMap<&str, &Module<'_>> =
        modules.iter().map(|module| (module.name, module)).collect();
    let last = modules.last()?;
    let root = registering(last.text, kinds, &by_name)?;
    // A module is kept if its name is anywhere in what is kept: rather one too many than one too few.
    let mut kept: BTreeSet<&str> = BTreeSet::new();
    let mut texts: Vec<&str> =
        modules.iter().map(|module| module.before).chain([root.as_str(), tail]).collect();
    while let Some(text) = texts.pop() {
        for word in text.split(|c: char| !is_word(c)) {
            if let Some(module) = by_name.get(word).filter(|module| module.name != last.name)
                && kept.insert(module.name)
            {
                texts.push(module.text);
            }
        }
    }
    let mut reduced = String::with_capacity(script.len());
    for module in &modules {
        reduced += module.before;
        if module.name == last.name {
            reduced += &root;
        } else if kept.contains(module.name) {
            reduced += module.text;
        }
    }
    Some(reduced + tail)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The modules in their order, and what follows the last.
fn modules(script: &str) -> Option<(Vec<Module<'_>>, &str)> {
    let helper = script[..script.find(HELPER)?].rsplit(|c| !is_word(c)).next()?;
    let call = format!("={helper}(");
    let (mut modules, mut end, mut from) = (Vec::new(), 0, 0);
    while let Some(at) = script[from..].find(&call).map(|at| from + at) {
        let name = script[..at].rsplit(|c| !is_word(c)).next()?;
        let start = at - name.len();
        from = at + call.len();
        if !script[..start].ends_with("var ") {
            continue;
        }
        let start = start - "var ".len();
        from = closing(script.as_bytes(), from - 1)? + 1;
        if !script[from..].starts_with(';') {
            return None;
        }
        from += 1;
        modules.push(Module { name, text: &script[start..from], before: &script[end..start] });
        end = from;
    }
    Some((modules, &script[end..]))
}

/// The registering module with only these kinds.
fn registering(
    text: &str,
    kinds: &[&str],
    by_name: &BTreeMap<&str, &Module<'_>>,
) -> Option<String> {
    let (head, list) = text.split_once(REGISTER)?;
    let (list, rest) = list.split_once(']')?;
    let calls =
        |text: &str, kind: &str| text.contains(&format!("moduleType:\"trace\",name:\"{kind}\""));
    let mut kept = Vec::new();
    for kind in kinds {
        // The name that is registered stands for a module that hands on another.
        let is_it = |name: &str| {
            let text = by_name.get(name).map_or("", |module| module.text);
            let other = text
                .split_once("exports=")
                .and_then(|(_, after)| after.split_once("()"))
                .and_then(|(other, _)| by_name.get(other));
            calls(text, kind) || other.is_some_and(|other| calls(other.text, kind))
        };
        kept.push(list.split(',').find(|call| is_it(call.trim_end_matches("()")))?);
    }
    Some(format!("{head}{REGISTER}{}]{rest}", kept.join(",")))
}
