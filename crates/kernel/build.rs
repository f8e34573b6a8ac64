//! Generates the Rust declarations that programs in the kernel share with the loader. With the
//! feature `bpf`, also compiles the controllers for the kernel.

use narrows_bindings::{Header, checks, rust};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Headers that programs in the kernel share with the loader.
const HEADERS: [&str; 2] = ["shared", "deploy"];

fn main() {
    println!("cargo::rerun-if-changed=bpf");
    println!("cargo::rerun-if-changed=tests/refused.bpf.c");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    for name in HEADERS {
        share(name, &out).unwrap_or_else(|error| panic!("{error}"));
    }
    #[cfg(feature = "bpf")]
    controllers::compile(&out);
}

/// Writes the declarations of a header in Rust, and assertions of their layout in C.
fn share(name: &str, out: &Path) -> Result<(), String> {
    let file = format!("bpf/{name}.h");
    let text = fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let header = Header::read(&file, &text)?;
    let checks = format!("#include \"{name}.h\"\n{}", checks(&header)?);
    for (end, content) in [(".rs", rust(&header, name)?), ("_checks.h", checks)] {
        fs::write(out.join(format!("{name}{end}")), content).expect("OUT_DIR can be written");
    }
    Ok(())
}

#[cfg(feature = "bpf")]
mod controllers {
    use std::fmt::Write;
    use std::path::{Path, PathBuf};
    use std::process::Command;
    use std::{env, fs};

    /// Compiles every folder of `bpf/`, which is a controller, to an object, and writes a table of
    /// the objects. Also compiles the tracer of acknowledgements, the router and the program of
    /// deployments.
    pub fn compile(out: &Path) {
        let arguments = arguments(out);
        let mut table = "&[\n".to_owned();
        for name in folders(Path::new("bpf")) {
            let object = out.join(format!("{name}.o"));
            compile_one(&arguments, &format!("bpf/{name}/{name}.bpf.c"), &object);
            writeln!(table, "(\"{name}\", include_bytes!({:?})),", object.display().to_string())
                .expect("a string grows");
        }
        compile_one(&arguments, "bpf/acknowledgements.bpf.c", &out.join("acknowledgements.o"));
        for name in ["router", "deploy", "deploy_open"] {
            let object = out.join(format!("{name}.o"));
            compile_one(&arguments, &format!("bpf/{name}.bpf.c"), &object);
        }
        table += "]\n";
        // A controller that the tests expect the kernel to refuse.
        compile_one(&arguments, "tests/refused.bpf.c", &out.join("refused.o"));
        fs::write(out.join("objects.rs"), table).expect("OUT_DIR can be written");
    }

    /// Arguments of clang for every object. Version 3 of the BPF instruction set has 32-bit jumps;
    /// clang 12 and later and all kernels since 5.1 support it. Macros of libbpf need an
    /// architecture: it is fixed, so that an object does not depend on the machine. BPF has no
    /// stack protector.
    const ARGUMENTS: [&str; 10] = [
        "-target",
        "bpf",
        "-mcpu=v3",
        "-O2",
        "-g",
        "-std=gnu11",
        "-Wall",
        "-Werror",
        "-fno-stack-protector",
        "-D__TARGET_ARCH_x86",
    ];

    /// Returns the arguments of clang. The headers of the cores, and the assertions of their
    /// layout, are the ones that narrows-control has compiled for this machine.
    fn arguments(out: &Path) -> Vec<String> {
        let given = |name: &str| {
            PathBuf::from(env::var_os(name).expect("the build script of a dependency sets it"))
        };
        let (cores, checks) =
            (given("DEP_NARROWS_CORES_INCLUDE"), given("DEP_NARROWS_CORES_CHECKS"));
        // The headers of libbpf that libbpf-sys provides.
        let libbpf = given("DEP_BPF_INCLUDE");
        println!("cargo::rerun-if-changed={}", cores.display());
        let mut arguments = ARGUMENTS.map(str::to_owned).to_vec();
        // The order matters: callbacks and cores have headers of the same names, and the callbacks'
        // headers are included by their paths.
        arguments.extend([
            format!("-I{}", cores.display()),
            "-Ibpf".to_owned(),
            format!("-isystem{}", libbpf.display()),
        ]);
        let own = super::HEADERS.map(|name| out.join(format!("{name}_checks.h")));
        arguments.extend(
            std::iter::once(checks).chain(own).map(|file| format!("--include={}", file.display())),
        );
        arguments
    }

    fn compile_one(arguments: &[String], source: &str, object: &Path) {
        let clang = env::var_os("CLANG").unwrap_or_else(|| "clang".into());
        let output =
            Command::new(&clang).args(arguments).args(["-c", source, "-o"]).arg(object).output();
        let output = output.unwrap_or_else(|error| panic!("{}: {error}", clang.display()));
        assert!(
            output.status.success(),
            "compiling {source} for the kernel: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    fn folders(bpf: &Path) -> Vec<String> {
        let entries = fs::read_dir(bpf)
            .expect("bpf/ stands beside build.rs")
            .map(|entry| entry.expect("bpf/ can be read"));
        let mut names: Vec<String> = entries
            .filter(|entry| entry.path().is_dir())
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}
