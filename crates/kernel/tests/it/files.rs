//! Controllers from files: loading, counting and unloading.
#![cfg(feature = "bpf")]

use crate::common::{is_root, name};
use narrows_bpf::ForKernel;
use narrows_bpf::compile::Clang;
use narrows_kernel::{Counting, KernelError, LoadedFile, Pinned, Registration, available};
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

const RENO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../bpf/tests/objects/reno.bpf.o");
const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../bpf/tests/programs/reno.bpf.c");

fn listed(name: &str) -> bool {
    available().iter().any(|one| one == name)
}

fn reno(settings: &str) -> ForKernel {
    ForKernel::read(&format!("{RENO}{settings}")).unwrap().0
}

/// Opens a connection with the controller, and sends some kilobytes over it.
fn connection(name: &str) -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    rustix::net::sockopt::set_tcp_congestion(&one, name).unwrap();
    let mut other = listener.accept().unwrap().0;
    one.write_all(&[7; 4000]).unwrap();
    other.read_exact(&mut [0; 4000]).unwrap();
    (one, other)
}

#[test]
fn it_goes_with_its_holder() {
    if !is_root() {
        return;
    }
    let name = name("file");
    let loaded =
        LoadedFile::new(&reno("?gain=50"), &name).unwrap_or_else(|error| panic!("{error}"));
    assert!(listed(&name));
    // The object has no other four bytes with this value, so they are the variable.
    assert!(
        loaded.data(".rodata").chunks(4).any(|bytes| bytes == 50_u32.to_le_bytes()),
        "{:?}",
        loaded.data(".rodata")
    );
    let _open = connection(&name);
    let twice = LoadedFile::new(&reno(""), &name).err().unwrap();
    assert!(matches!(twice, KernelError::NameTaken { .. }), "{twice}");
    drop(loaded);
    assert!(!listed(&name));
}

#[test]
fn pinned_counted_and_unloaded_whatever_holds_it() {
    if !is_root() {
        return;
    }
    for (what, registration) in [("bylink", Registration::Link), ("bymap", Registration::Map)] {
        let name = name(what);
        let text = format!("{RENO}?gain=50");
        let (pinned, left, _) = Pinned::file_held_by(registration, &reno("?gain=50"), &text, &name)
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            (pinned.text(), pinned.is_file(), left.len(), pinned.open()),
            (&text[..], true, 0, 0)
        );
        assert!(pinned.known().is_none() && pinned.stats().is_none() && listed(&name));
        assert!(matches!(pinned.watch().err().unwrap(), KernelError::NoRecords { .. }));
        let counting = Counting::begin().unwrap_or_else(|error| panic!("{error}"));
        let open = connection(&name);
        drop(counting);
        // The kernel counts references; only one end of the connection has the controller.
        assert_eq!(pinned.open(), 1, "{what}");
        let calls = pinned.callbacks().unwrap();
        let acked = calls
            .iter()
            .find(|calls| calls.function == "reno_init")
            .unwrap_or_else(|| panic!("{calls:?}"));
        assert!(acked.count >= 1, "{calls:?}");
        drop(open);
        let path = pinned.path().to_owned();
        pinned.unload().unwrap_or_else(|error| panic!("{error}"));
        assert!(!path.exists() && !listed(&name), "{what}");
    }
}

/// Without a link, a registration would outlive its process. A table in the older section gets a
/// link too.
#[test]
fn tables_of_the_older_section_go_with_their_holder() {
    if !is_root() {
        return;
    }
    let Ok(clang) = Clang::find(Path::new(SOURCE)) else {
        return eprintln!("left out: there is no clang");
    };
    let place = std::env::temp_dir().join(format!("narrows-kernel-files-{}", std::process::id()));
    fs::create_dir_all(&place).unwrap();
    let source = fs::read_to_string(SOURCE).unwrap();
    assert!(source.contains("SEC(\".struct_ops.link\")"));
    let older = place.join("older.bpf.c");
    fs::write(&older, source.replace("SEC(\".struct_ops.link\")", "SEC(\".struct_ops\")")).unwrap();
    let compiled = clang.compile(&older, &[]);
    let _ = fs::write(
        place.join("older.bpf.o"),
        compiled.as_ref().map_or(&[][..], |compiled| &compiled.object),
    );
    let program = ForKernel::read(place.join("older.bpf.o").to_str().unwrap());
    fs::remove_dir_all(&place).unwrap();
    if let Err(error) = compiled {
        return eprintln!("left out: {error}");
    }
    let name = name("older");
    let loaded =
        LoadedFile::new(&program.unwrap().0, &name).unwrap_or_else(|error| panic!("{error}"));
    assert!(listed(&name));
    drop(loaded);
    assert!(!listed(&name), "the link has held it");
}

/// An object has two tables. The chosen table is registered with its own callbacks, and the other
/// leaves nothing behind.
#[test]
fn of_two_tables_one_is_loaded() {
    const TWO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../live/tests/programs/keeps.bpf.c");
    if !is_root() {
        return;
    }
    if let Err(error) = Clang::find(Path::new(TWO)) {
        return eprintln!("left out: {error}");
    }
    let unchosen = ForKernel::read(TWO).err().unwrap();
    assert!(
        unchosen.contains("choose one by ?ops=, which is one of ") && unchosen.contains("halves"),
        "{unchosen}"
    );
    for (table, own, other) in [
        ("keeps", "keeps_ssthresh", "halves_ssthresh"),
        ("halves", "halves_ssthresh", "keeps_ssthresh"),
    ] {
        let text = format!("{TWO}?ops={table}");
        let program = ForKernel::read(&text).unwrap().0;
        assert_eq!(program.name, format!("kf_{table}"));
        let name = name(table);
        let (pinned, left, _) =
            Pinned::load_file(&program, &text, &name).unwrap_or_else(|error| panic!("{error}"));
        assert!(listed(&name) && left.is_empty(), "{left:?}");
        let counting = Counting::begin().unwrap_or_else(|error| panic!("{error}"));
        drop(connection(&name));
        drop(counting);
        let calls = pinned.callbacks().unwrap();
        let functions: Vec<&str> = calls.iter().map(|calls| calls.function.as_str()).collect();
        assert!(functions.contains(&own) && !functions.contains(&other), "{functions:?}");
        pinned.unload().unwrap_or_else(|error| panic!("{error}"));
        assert!(!listed(&name) && !listed(&format!("kf_{table}")));
    }
}

/// Compiles a controller with the given undo_cwnd and further source text, such as a table of
/// another subsystem. `None` if clang or headers are missing.
fn made(undo: &str, more: &str) -> Option<ForKernel> {
    let place = std::env::temp_dir().join(format!(
        "narrows-kernel-made-{}-{}",
        std::process::id(),
        undo.len()
    ));
    fs::create_dir_all(&place).unwrap();
    let source = place.join("made.bpf.c");
    let text = format!(
        "#include \"vmlinux.h\"\n#include <bpf/bpf_helpers.h>\n#include <bpf/bpf_tracing.h>\n\
         char _license[] SEC(\"license\") = \"GPL\";\n\
         SEC(\"struct_ops\") void BPF_PROG(made_avoid, struct sock *sk, __u32 ack, __u32 acked) {{}}\n\
         SEC(\"struct_ops\") __u32 BPF_PROG(made_two, struct sock *sk) {{ return 2; }}\n\
         SEC(\"struct_ops\") __u32 BPF_PROG(made_undo, struct sock *sk) {{ return 2; }}\n\
         SEC(\"struct_ops\") __u32 BPF_PROG(made_stray, struct sock *sk) {{ return 2; }}\n{more}\
         SEC(\".struct_ops.link\") struct tcp_congestion_ops made = {{\n\
         .ssthresh = (void *)made_two, {undo} .cong_avoid = (void *)made_avoid, .name = \"made\" }};\n"
    );
    fs::write(&source, text).unwrap();
    let read = ForKernel::read(source.to_str().unwrap());
    fs::remove_dir_all(&place).unwrap();
    match read {
        Ok((program, _)) => Some(program),
        Err(error) if error.contains("no clang is in PATH") || error.contains("without them") => {
            eprintln!("left out: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

const UNDO: &str = ".undo_cwnd = (void *)made_undo,";

/// The kernel may not have the other table's subsystem, and a program that no table names cannot be
/// loaded. Neither is loaded.
#[test]
fn judging_and_loading_agree_on_what_is_beside_the_table() {
    const OTHER: &str = "struct nowhere_ops { int (*pick)(int one); };\n\
                         SEC(\"struct_ops\") int BPF_PROG(made_pick, int one) { return one; }\n\
                         SEC(\".struct_ops.link\") struct nowhere_ops other = { .pick = (void *)made_pick };\n";
    let Some(program) = made(UNDO, OTHER).filter(|_| is_root()) else { return };
    let mut accepted = narrows_kernel::judge(&program).unwrap_or_else(|error| panic!("{error}"));
    accepted.sort_unstable();
    assert_eq!(accepted, ["made_avoid", "made_two", "made_undo"]);
    let name = name("beside");
    let loaded = LoadedFile::new(&program, &name).unwrap_or_else(|error| panic!("{error}"));
    assert!(listed(&name) && loaded.left().is_empty(), "{:?}", loaded.left());
}

#[test]
fn a_missing_callback_is_named_as_the_reason() {
    let Some(program) = made("", "").filter(|_| is_root()) else { return };
    let error = LoadedFile::new(&program, &name("without")).err().unwrap().to_string();
    assert!(
        error.contains("it has no undo_cwnd, which the kernel demands: add it")
            && !error.contains("cwnd_event_tx_start"),
        "{error}"
    );
}
