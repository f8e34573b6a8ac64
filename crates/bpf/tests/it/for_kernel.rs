//! The part of a file that a kernel is given.

use narrows_bpf::{ForKernel, Initial};

const RENO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/objects/reno.bpf.o");

fn refused(settings: &str) -> String {
    ForKernel::read(&format!("{RENO}?{settings}")).expect_err("it is refused")
}

#[test]
fn parameters_are_the_initial_values_of_variables() {
    let (plain, file) = ForKernel::read(RENO).expect("it is read");
    assert_eq!(
        (plain.initial.as_slice(), file.object == plain.object, file.source.is_none()),
        (&[][..], true, true)
    );
    // Signed and unsigned ones, constants and others, of 4, 1 and 8 bytes.
    let (set, _) =
        ForKernel::read(&format!("{RENO}?gain=-7&share=200&offset=-9")).expect("it is read");
    let bytes = |section: &str| {
        let of = |initial: &&Initial| initial.section == section;
        set.initial.iter().filter(of).map(|initial| initial.bytes.clone()).collect::<Vec<_>>()
    };
    assert_eq!(bytes(".rodata"), [vec![0xf9, 0xff, 0xff, 0xff], vec![200]]);
    assert_eq!(bytes(".data"), [vec![0xf7, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]]);
    assert_eq!((set.name, set.ops), (plain.name, plain.ops));
}

#[test]
fn the_name_is_where_the_table_has_it() {
    let (program, _) = ForKernel::read(RENO).expect("it is read");
    assert!(
        program.object.windows(program.name.len()).any(|bytes| bytes == program.name.as_bytes()),
        "{}",
        program.name
    );
    // Behind twelve pointers, as our header has the structure.
    assert_eq!(program.ops.name_at, 96);
}

#[test]
fn what_no_variable_takes_is_refused() {
    assert!(
        refused("gian=1").ends_with("it has no global variable \"gian\"; did you mean \"gain\"?"),
        "{}",
        refused("gian=1")
    );
    let range = refused("share=256");
    assert!(
        range.ends_with(
            "share=256: the variable takes 0 to 255, and 128 is its value in the object"
        ),
        "{range}"
    );
    let signed = refused("gain=2147483648");
    assert!(signed.contains("the variable takes -2147483648 to 2147483647"), "{signed}");
    assert!(refused("gain=1&gain=2").ends_with("gain is set twice; keep one of the values"));
    // Those of a simulated host are no variables.
    assert!(refused("hz=100").contains("it has no global variable \"hz\""));
}
