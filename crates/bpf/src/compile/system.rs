//! The system's own headers, as the compiler's driver finds them for programs of this machine.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Lines of `clang -v -E` before and after the folders of `#include <...>`.
const BEGIN: &str = "#include <...> search starts here:";
const END: &str = "End of search list.";

/// The folders in which a compiler looks for headers of programs of this machine, in its order.
/// Compiled for BPF, a program gets only `/usr/include` of these; on Debian and Ubuntu
/// `asm/types.h`,
/// which `<linux/types.h>` includes, lies in the folder of the machine's architecture. Empty if the
/// compiler does not tell.
pub(super) fn folders(compiler: &Path) -> Vec<PathBuf> {
    let told =
        Command::new(compiler).args(["-v", "-E", "-x", "c", "-"]).stdin(Stdio::null()).output();
    told.map(|output| listed(&String::from_utf8_lossy(&output.stderr))).unwrap_or_default()
}

fn listed(told: &str) -> Vec<PathBuf> {
    let listed =
        told.lines().skip_while(|line| *line != BEGIN).skip(1).take_while(|line| *line != END);
    // A line of macOS ends with this remark.
    listed
        .filter(|line| !line.ends_with("(framework directory)"))
        .map(|line| PathBuf::from(line.trim()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read() {
        let told = "clang -cc1 version 14.0.6\nignoring nonexistent directory \"/include\"\n#include \"...\" search starts here:\n\
                    #include <...> search starts here:\n /usr/lib/clang/14/include\n /usr/include/x86_64-linux-gnu\n /usr/include\n\
                    End of search list.\n# 1 \"<stdin>\"\n";
        let expected =
            ["/usr/lib/clang/14/include", "/usr/include/x86_64-linux-gnu", "/usr/include"]
                .map(PathBuf::from);
        assert_eq!(listed(told), expected);
        assert!(
            listed("gcc: error\n").is_empty() && folders(Path::new("/nowhere/clang")).is_empty()
        );
    }
}
