//! Compiles the kernel's cores for this machine, and writes Rust's side of their declarations. Each
//! header of `cores/` with a function `NAME_decide` is a core.

use narrows_bindings::{Header, checks, rust, type_name};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Declarations that Rust needs beside the constants and the state of each core.
const SHARED: &[&str] = &[
    "core_event",
    "core_recovery",
    "core_input",
    "core_output",
    "fast_rule",
    "fast_spread",
    "pcc_association",
    "pcc_vivace_utility_choice",
    "vcp_router_constants",
    "vcp_router_state",
    "vcp_router_code",
];

const GROWS: &str = "a string grows";

/// A core: its name, and the structures of its constants and of what a connection remembers.
struct Core {
    name: String,
    constants: String,
    state: String,
}

fn main() {
    println!("cargo::rerun-if-changed=c");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("c");
    let all = headers(&folder);
    let cores: Vec<Core> = all.iter().filter_map(|(name, header)| core(name, header)).collect();
    let headers: BTreeMap<String, Header> =
        all.into_iter().map(|(name, header)| (name, needed(header, &cores))).collect();
    let include = |name: &String| format!("#include \"{name}.h\"\n");
    let checked =
        headers.values().map(|header| checks(header).unwrap_or_else(|error| panic!("{error}")));
    let checks = headers.keys().map(include).chain(checked).collect::<String>();
    write(&out.join("cores_checks.h"), &checks);
    write(
        &out.join("cores.c"),
        &format!("#include \"cores_checks.h\"\n\n{}", cores.iter().map(linked).collect::<String>()),
    );
    write(&out.join("cores.rs"), &rust_side(&folder, &headers, &cores));
    let files = [out.join("cores.c"), folder.join("equations.c"), folder.join("routers.c")];
    let mut build = cc::Build::new();
    build
        .files(files)
        .include(&folder)
        .include(&out)
        .std("c11")
        .flag_if_supported("-ffreestanding")
        .compile("narrows_cores");
    // For the crate that compiles the cores to BPF: DEP_NARROWS_CORES_INCLUDE and
    // DEP_NARROWS_CORES_CHECKS.
    println!("cargo::metadata=include={}", folder.display());
    println!("cargo::metadata=checks={}", out.join("cores_checks.h").display());
}

/// The headers of a folder, by their names without `.h`.
fn headers(folder: &Path) -> BTreeMap<String, Header> {
    let files = fs::read_dir(folder)
        .expect("c/ stands beside build.rs")
        .map(|entry| entry.expect("c/ can be read").path());
    let header = |path: PathBuf| {
        let name = path.file_stem()?.to_str()?.to_owned();
        let text = (path.extension()? == "h")
            .then(|| fs::read_to_string(&path).expect("a header can be read"))?;
        Some((
            name,
            Header::read(&path.display().to_string(), &text)
                .unwrap_or_else(|error| panic!("{error}")),
        ))
    };
    files.filter_map(header).collect()
}

fn core(name: &str, header: &Header) -> Option<Core> {
    let (_, pointers) =
        header.functions.iter().find(|(function, _)| *function == format!("{name}_decide"))?;
    let [constants, state, input, output] = &pointers[..] else {
        panic!("{name}_decide does not have the arguments that core.h describes")
    };
    assert!(
        input == "core_input" && output == "core_output",
        "{name}_decide does not have the arguments that core.h describes"
    );
    Some(Core { name: name.to_owned(), constants: constants.clone(), state: state.clone() })
}

fn needed(header: Header, cores: &[Core]) -> Header {
    let of_cores = cores.iter().flat_map(|core| [&*core.constants, &*core.state]);
    header.only(&SHARED.iter().copied().chain(of_cores).collect::<Vec<_>>())
}

/// A core under a name that can be linked.
fn linked(Core { name, constants, state }: &Core) -> String {
    format!(
        "void narrows_{name}(const struct {constants} *constants, struct {state} *state, const struct core_input *in, struct core_output *out)\n\
         {{\n\t{name}_decide(constants, state, in, out);\n}}\n"
    )
}

/// The declarations of `core.h`, those of each other header in a module of its name, and the lines
/// that `src/call.rs` makes the cores of.
fn rust_side(folder: &Path, headers: &BTreeMap<String, Header>, cores: &[Core]) -> String {
    let mut text = String::new();
    for (name, header) in headers {
        let items = rust(header, name).unwrap_or_else(|error| panic!("{error}"));
        match name.as_str() {
            "core" => text += &items,
            _ if items.is_empty() => {}
            _ => writeln!(
                text,
                "/// The structures of `c/{name}.h`.\npub mod {name} {{\n{items}}}\n"
            )
            .expect(GROWS),
        }
    }
    let path = |structure: &str| {
        let (header, _) = headers
            .iter()
            .find(|(_, header)| header.structs.iter().any(|one| one.name == structure))
            .expect("it is declared");
        format!("{header}::{}", type_name(structure, header))
    };
    text += "cores! {\n";
    for Core { name, constants, state } in cores {
        writeln!(text, "    narrows_{name}({}, {});", path(constants), path(state)).expect(GROWS);
    }
    text +=
        "}\n\n/// The text of each header.\n#[cfg(test)]\npub(super) const HEADERS: &[&str] = &[\n";
    for name in headers.keys() {
        writeln!(
            text,
            "    include_str!({:?}),",
            folder.join(format!("{name}.h")).display().to_string()
        )
        .expect(GROWS);
    }
    text + "];\n"
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).expect("OUT_DIR can be written");
}
