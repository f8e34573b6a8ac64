//! Fields as spreadsheets take them.

use narrows_sheet::{Cells, Sheet, write_csv};

fn written(sheets: &[Sheet]) -> String {
    let mut out = Vec::new();
    write_csv(&mut out, sheets).expect("memory takes everything");
    String::from_utf8(out).expect("text")
}

#[test]
fn a_text_is_never_a_formula() {
    for (text, field) in [
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("+1", "'+1"),
        ("-x,y", "\"'-x,y\""),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("a=b", "a=b"),
    ] {
        let mut sheet = Sheet::default();
        sheet.add("label", Cells::Text(vec![text.into()]));
        assert_eq!(written(&[sheet]), format!("label\n{field}\n"));
    }
}

#[test]
fn what_would_end_a_field_is_quoted_and_what_is_not_there_is_empty() {
    let mut sheet = Sheet::default();
    sheet.add("flow", Cells::Text(vec!["a,b".into(), "say \"x\"".into()]));
    sheet.add("rtt_ms", Cells::MaybeReal(vec![Some(0.1 + 0.2), None]));
    sheet.add("completed", Cells::Flag(vec![true, false]));
    let row = "\"a,b\",0.30000000000000004,true\n\"say \"\"x\"\"\",,false\n";
    assert_eq!(written(&[sheet.clone(), sheet]), format!("flow,rtt_ms,completed\n{row}{row}"));
}
