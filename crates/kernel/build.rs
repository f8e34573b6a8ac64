//! Compiles the controllers for the kernel, if the feature `bpf` asks for them.

fn main() {
    println!("cargo::rerun-if-changed=bpf");
    println!("cargo::rerun-if-changed=../control/cores");
    println!("cargo::rerun-if-changed=tests/refused.bpf.c");
    #[cfg(feature = "bpf")]
    controllers::compile();
}

#[cfg(feature = "bpf")]
mod controllers {
    use libbpf_cargo::SkeletonBuilder;
    use std::fmt::Write;
    use std::path::{Path, PathBuf};
    use std::{env, fs};

    /// Every folder of `bpf/` is a controller: leaves an object of each, and a table of them. Beside them stands the tracer of acknowledgements.
    pub fn compile() {
        let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
        let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
        let mut table = "&[\n".to_owned();
        for name in folders(&here.join("bpf")) {
            let object = out.join(format!("{name}.o"));
            compile_one(&here, &format!("bpf/{name}/{name}.bpf.c"), &object);
            writeln!(table, "(\"{name}\", include_bytes!({:?})),", object.display().to_string()).expect("a string grows");
        }
        compile_one(&here, "bpf/acknowledgements.bpf.c", &out.join("acknowledgements.o"));
        table += "]\n";
        // What the tests want the kernel to refuse.
        compile_one(&here, "tests/refused.bpf.c", &out.join("refused.o"));
        fs::write(out.join("objects.rs"), table).expect("OUT_DIR can be written");
    }

    fn compile_one(here: &Path, source: &str, object: &Path) {
        let include = |path: &str| format!("-I{}", here.join(path).display());
        // The third version of the instructions has 32-bit jumps, and is what clang 12 and later and all kernels since 5.1 know.
        let arguments = ["-mcpu=v3", "-std=gnu11", "-Wall", "-Werror", &include("bpf"), &include("../control/cores")].map(str::to_owned);
        SkeletonBuilder::new()
            .source(here.join(source))
            .obj(object)
            .clang_args(arguments)
            .build()
            .unwrap_or_else(|error| panic!("compiling {source} for the kernel: {error:#}"));
    }

    fn folders(bpf: &Path) -> Vec<String> {
        let entries = fs::read_dir(bpf).expect("bpf/ stands beside build.rs").map(|entry| entry.expect("bpf/ can be read"));
        let mut names: Vec<String> =
            entries.filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}
