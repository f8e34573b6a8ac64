//! The part of the plotting script that pages carry.

use crate::bundle::reduced;
use crate::literals::closing;

#[test]
fn brackets_in_literals_close_nothing() {
    for text in [
        r#"("a)", 'b\')', {c: [1]})"#,
        "(`d) ${e({})} ) ${`)`}`)",
        "(f = /[/)]\\)/g, g / h)",
        "(function() { return /)/ }, i.return / 2, /* ) */ 1 // )\n)",
    ] {
        assert_eq!(closing(text.as_bytes(), 0), Some(text.len() - 1), "{text}");
    }
    assert_eq!(closing(b"(]", 0), None);
    assert_eq!(closing(b"(\"never ends", 0), None);
}

/// Two kinds of plots, each with what it alone needs, and a core that both need.
const BUNDLE: &str = concat!(
    "(()=>{var x=1,ye=(e,t)=>()=>(t||e((t={exports:{}}).exports,t),t.exports);",
    "var core=ye((a,b)=>{b.exports=\"});\"});var used=ye(c=>{c.z=core()});var free=y3();",
    "var unused=ye((d,e)=>{e.exports=core()});",
    "var bar=ye((f,g)=>{g.exports=barReal()});var barReal=ye((h,i)=>{i.exports={moduleType:\"trace\",name:\"bar\",m:unused()}});",
    "var heat=ye((j,k)=>{k.exports={moduleType:\"trace\",name:\"heatmap\",m:used()}});",
    "var all=ye((l,m)=>{var n=core();n.register([bar(),heat()]);m.exports=n});return all();})();"
);

#[test]
fn kinds_of_plots_are_kept_with_what_they_need() {
    let kept = reduced(BUNDLE, &["heatmap"]).expect("its form is known");
    for name in [
        "var core=",
        "var used=",
        "var free=",
        "var heat=",
        "var all=",
        ".register([heat()])",
        "return all()",
    ] {
        assert!(kept.contains(name), "{name} is gone: {kept}");
    }
    for name in ["unused", "barReal", "bar()"] {
        assert!(!kept.contains(name), "{name} is left: {kept}");
    }
    assert!(
        reduced(BUNDLE, &["bar"])
            .is_some_and(|kept| kept.contains("var unused=") && !kept.contains("var used="))
    );
}

#[test]
fn other_forms_are_left_alone() {
    assert_eq!(reduced("var plot = function() {};", &["heatmap"]), None);
    assert_eq!(reduced(BUNDLE, &["violin"]), None);
    assert_eq!(reduced(&BUNDLE[..BUNDLE.len() - 60], &["heatmap"]), None);
}
