//! The file of the running code, and its build.

use narrows_report::sha256;
use object::read::elf::ElfFile64;
use object::{Endianness, Object, ReadCache};
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::{LazyLock, OnceLock};

static FILE: OnceLock<PathBuf> = OnceLock::new();

/// Sets the file of the running code, for a library inside another program. Only the first call has
/// an effect.
pub fn is_in(file: PathBuf) {
    let _ = FILE.set(file);
}

static COMMIT: OnceLock<&'static str> = OnceLock::new();

/// Sets the commit that the program is built from. Only the first call has an effect.
pub fn is_of(commit: &'static str) {
    let _ = COMMIT.set(commit);
}

/// Returns the version, and the commit that the program is built from if it is known:
/// `0.1.0 (13918d36a1)`.
pub fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let version = env!("CARGO_PKG_VERSION");
        COMMIT.get().map_or(version.to_owned(), |commit| format!("{version} ({commit})"))
    });
    &VERSION
}

/// Returns the file of the running code. The default is the executable of the process.
pub fn file() -> io::Result<PathBuf> {
    FILE.get().map_or_else(std::env::current_exe, |file| Ok(file.clone()))
}

/// Returns the version and the build of the program: two builds of one version may compute
/// otherwise. The build is the identifier that the linker has written into the file, a hash of its
/// content, or without one the SHA-256 of the file.
pub fn build() -> String {
    static BUILD: LazyLock<String> = LazyLock::new(|| {
        let build = file().and_then(|file| match build_id(File::open(&file)?) {
            Some(id) => Ok(id),
            None => Ok(sha256(&std::fs::read(file)?)),
        });
        let build = build.unwrap_or_else(|_| "unknown".to_owned());
        let short = build.get(..DIGITS).unwrap_or(&build);
        format!("{} (build {short})", env!("CARGO_PKG_VERSION"))
    });
    BUILD.clone()
}

/// Digits of a build that are kept: 64 bits.
const DIGITS: usize = 16;

/// Returns the linker's identifier of an ELF file in hexadecimal, if it has one.
fn build_id(file: File) -> Option<String> {
    let cache = ReadCache::new(file);
    let elf = ElfFile64::<Endianness, _>::parse(&cache).ok()?;
    let id = elf.build_id().ok()??;
    Some(id.iter().map(|byte| format!("{byte:02x}")).collect())
}
