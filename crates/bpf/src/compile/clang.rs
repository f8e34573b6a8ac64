//! The compiler, and how it is called.

use super::core;
use super::error::CompileError;
use super::{headers, said, system};
use crate::socket;
use narrows_files::Limit;
use narrows_files::leftovers::TemporaryFolder;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, io};

/// The oldest and the newest version that is looked for by name, where there is no `clang`.
const VERSIONS: std::ops::RangeInclusive<u32> = 12..=30;

/// How sources are compiled. The third version of the instructions is what clang 12 and later and
/// all kernels since 5.1 know.
///
/// If clang's backend fails, no report for its developers is left in the folder of temporary files.
/// Without `__STDC_HOSTED__`, clang's own headers (`<stdint.h>`, `<limits.h>`) do without those of
/// the C library, which has none for BPF.
const ARGUMENTS: [&str; 8] = [
    "-target",
    "bpf",
    "-mcpu=v3",
    "-O2",
    "-g",
    "-std=gnu11",
    "-fno-crash-diagnostics",
    "-U__STDC_HOSTED__",
];

/// For macros of libbpf's that ask for an architecture: one for all, so that an object does not
/// depend on the machine that it was compiled on.
const ARCHITECTURE: &str = "-D__TARGET_ARCH_x86";

/// A clang that runs.
#[derive(Clone, Debug)]
pub struct Clang {
    program: PathBuf,
    /// Its first line on itself.
    pub version: String,
}

/// A compiled source.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The object.
    pub object: Vec<u8>,
    /// Warnings of the compiler, of bounded length; may be empty.
    pub said: String,
}

impl Clang {
    /// The first that runs: `clang`, then `clang-30` down to `clang-12`.
    ///
    /// # Errors
    ///
    /// If no clang is found. `source` is the file to compile.
    pub fn find(source: &Path) -> Result<Clang, CompileError> {
        let versioned = VERSIONS.rev().map(|version| format!("clang-{version}"));
        let found = std::iter::once("clang".to_owned())
            .chain(versioned)
            .find_map(|program| Clang::at(Path::new(&program)));
        found.ok_or_else(|| CompileError::NoClang { source_file: source.to_owned() })
    }

    /// That of a path, or of a name in PATH. `None` if it does not run.
    pub fn at(program: &Path) -> Option<Clang> {
        let output = Command::new(program).arg("--version").stdin(Stdio::null()).output().ok()?;
        let version = String::from_utf8_lossy(&output.stdout).lines().next()?.to_owned();
        output.status.success().then(|| Clang { program: program.to_owned(), version })
    }

    /// Compiles a source; of one that has the function of a core, the controller that it makes.
    /// Included files are looked for beside it, then in `include`, then among ours; so that a
    /// `vmlinux.h` of the user's wins.
    ///
    /// # Errors
    ///
    /// If the source cannot be read or compiled, or there are no headers of libbpf.
    pub fn compile(&self, source: &Path, include: &[PathBuf]) -> Result<Compiled, CompileError> {
        self.compile_with(source, include, &[])
    }

    /// Like [`Clang::compile`], with further arguments after ours.
    ///
    /// # Errors
    ///
    /// See [`compile`](Clang::compile).
    pub fn compile_with(
        &self,
        source: &Path,
        include: &[PathBuf],
        arguments: &[&str],
    ) -> Result<Compiled, CompileError> {
        let file = |path: &Path, what: &'static str| {
            let path = path.to_owned();
            move |source: io::Error| CompileError::File { path, what, source }
        };
        let text = narrows_files::read(source, Limit::TEXT).map_err(file(source, "read"))?;
        let place = std::env::temp_dir();
        let ours = TemporaryFolder::new().map_err(file(&place, "written"))?;
        fs::write(ours.path().join("vmlinux.h"), socket::header())
            .map_err(file(ours.path(), "written"))?;
        if !headers::write(ours.path()).map_err(file(ours.path(), "written"))?
            && !include.iter().any(|one| one.join("bpf").is_dir())
        {
            return Err(CompileError::NoHeaders { source_file: source.to_owned() });
        }
        let beside = source
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let object = ours.path().join("program.o");
        let mut command = Command::new(&self.program);
        // Where our headers are this time is not to be seen in the object, which is the same each
        // time.
        let mut map = OsString::from("-ffile-prefix-map=");
        map.push(ours.path());
        map.push("=narrows");
        command.args(ARGUMENTS).arg(ARCHITECTURE).arg(map);
        for directory in
            [beside].into_iter().chain(include.iter().map(PathBuf::as_path)).chain([ours.path()])
        {
            let mut argument = OsString::from("-I");
            argument.push(directory);
            command.arg(argument);
        }
        for folder in system::folders(&self.program) {
            command.arg("-idirafter").arg(folder);
        }
        // A path that begins with "-" would be taken for an argument.
        let named = if source.as_os_str().as_encoded_bytes().starts_with(b"-") {
            Path::new(".").join(source)
        } else {
            source.to_owned()
        };
        let included = |header: &str| {
            let folders = [beside].into_iter().chain(include.iter().map(PathBuf::as_path));
            folders
                .map(|folder| folder.join(header))
                .find_map(|path| narrows_files::read(&path, Limit::TEXT).ok())
                .map(|text| String::from_utf8_lossy(&text).into_owned())
        };
        if let Some(name) = core::lacks_its_function(&String::from_utf8_lossy(&text), included) {
            return Err(CompileError::NoFunction { source_file: source.to_owned(), name });
        }
        let named = core::wrap(ours.path(), source, &text)
            .map_err(file(ours.path(), "written"))?
            .unwrap_or(named);
        command.args(arguments).arg("-c").arg(named).arg("-o").arg(&object).stdin(Stdio::null());
        let output = command.output().map_err(file(&self.program, "run"))?;
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            let program = self.version.clone();
            let said = said::of_refusal(&said);
            return Err(CompileError::Refused { source_file: source.to_owned(), program, said });
        }
        Ok(Compiled {
            object: fs::read(&object).map_err(file(&object, "read"))?,
            said: said::shortened(&said),
        })
    }
}
