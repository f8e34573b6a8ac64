//! Tells the program the commit that it is built from. `NARROWS_COMMIT` names it where there is no
//! repository. A build for development has none, so a commit does not build its tests again.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=NARROWS_COMMIT");
    if env::var("PROFILE").as_deref() != Ok("release") {
        return;
    }
    if env::var("NARROWS_COMMIT").is_ok_and(|commit| !commit.is_empty()) {
        // The compiler sees the variable itself.
        return;
    }
    for name in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--path-format=absolute", "--git-path", name])
            && Path::new(&path).exists()
        {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    if let Some(commit) = git(&["rev-parse", "--short=10", "HEAD"]) {
        println!("cargo::rustc-env=NARROWS_COMMIT={commit}");
    }
}

/// Returns what git says, if there is a repository of this project.
fn git(words: &[&str]) -> Option<String> {
    let root = Path::new(&env::var_os("CARGO_MANIFEST_DIR")?).join("../..");
    let run = |words: &[&str]| {
        let output = Command::new("git").args(words).current_dir(&root).output().ok()?;
        let said = output.status.success().then_some(output.stdout)?;
        Some(String::from_utf8(said).ok()?.trim().to_owned()).filter(|said| !said.is_empty())
    };
    // A folder inside the repository of another project has that project's commits.
    let top = run(&["rev-parse", "--show-toplevel"])?;
    (Path::new(&top).canonicalize().ok()? == root.canonicalize().ok()?).then(|| run(words))?
}
