//! Mistakes that the derives and the types of calls reject. Each file has one mistake, and what
//! rustc prints for it is in a file beside it.
//!
//! rustc gets the library with which this test itself was linked, so nothing is compiled again.

#![expect(clippy::unwrap_used, reason = "a failed test panics")]

use std::{
    env, fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::Mutex,
    thread,
};

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");
/// The processes of rustc that run at the same time.
const COMPILERS: usize = 2;

#[test]
fn each_mistake_is_told_once_at_its_place() {
    let rustc = Path::new(env!("CARGO")).with_file_name("rustc");
    let library = library(&rustc);
    let (files, told) = (Mutex::new(mistakes()), Mutex::new(vec![]));
    thread::scope(|scope| {
        for _ in 0..COMPILERS {
            scope.spawn(|| {
                let next = || files.lock().unwrap().pop();
                while let Some(file) = next() {
                    let message = message(&rustc, &library, &file);
                    told.lock().unwrap().push((file, message));
                }
            });
        }
    });
    let mut told = told.into_inner().unwrap();
    told.sort();
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path("..");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.add_filter(r"\S*/library/(\w+/src/)", "$$RUST/$1");
    settings.add_filter(r"and \d+ others", "and $$N others");
    let wrong = told.iter().filter(|(file, message)| {
        let name = file.trim_end_matches(".rs");
        let compared = || settings.bind(|| insta::assert_snapshot!(name, message));
        catch_unwind(AssertUnwindSafe(compared)).is_err()
    });
    assert_eq!(wrong.count(), 0, "mistakes with other messages");
}

/// The files beside the manifest.
fn mistakes() -> Vec<String> {
    let names = fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().file_name());
    let files = names.map(|name| name.into_string().unwrap()).filter(|name| name.ends_with(".rs"));
    files.collect()
}

/// The library `nouns` beside this test: the last one that was made before it and has all that the
/// files use. Builds with other features may be there, too.
fn library(rustc: &Path) -> PathBuf {
    let test = env::current_exe().unwrap();
    let made = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
    let beside = fs::read_dir(test.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
    let is_nouns = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with("libnouns-") && name.ends_with(".rlib") && made(path) <= made(&test)
    };
    let mut libraries: Vec<_> = beside.filter(is_nouns).collect();
    libraries.sort_by_key(|path| std::cmp::Reverse(made(path)));
    let folder = tempfile::tempdir().unwrap();
    let correct = folder.path().join("correct.rs");
    fs::write(&correct, "use nouns::{Resource, schema};\nfn main() {}\n").unwrap();
    let has_all = |library: &PathBuf| compiled(rustc, library, &correct).status.success();
    libraries.into_iter().find(has_all).unwrap()
}

/// Compiles a file. It is done in the root folder, to which the paths in the library are relative.
fn compiled(rustc: &Path, library: &Path, file: &Path) -> Output {
    let folder = tempfile::tempdir().unwrap();
    Command::new(rustc)
        .current_dir(Path::new(FOLDER).ancestors().nth(2).unwrap())
        .args(["--edition=2024", "--emit=metadata", "--diagnostic-width=140", "-Adead_code"])
        .arg(format!("--extern=nouns={}", library.display()))
        .arg(format!("-Ldependency={}", library.parent().unwrap().display()))
        .arg("--out-dir")
        .args([folder.path(), file])
        .output()
        .unwrap()
}

/// Returns what rustc prints for a file that it refuses.
fn message(rustc: &Path, library: &Path, file: &str) -> String {
    let output = compiled(rustc, library, &Path::new("tests/ui").join(file));
    assert!(!output.status.success(), "{file} is not refused");
    let message = String::from_utf8(output.stderr).unwrap();
    let mut is_own = true;
    let ends = ["error: aborting due to", "For more information about", "Some errors have"];
    let told = message.lines().take_while(|line| !ends.iter().any(|end| line.starts_with(end)));
    told.map(|line| with_margin(line, &mut is_own)).collect::<Vec<_>>().join("\n")
}

/// A line with a margin of one width. Excerpts of other files than the mistake's own have no
/// numbers of lines, which change with every edit there.
fn with_margin(line: &str, is_own: &mut bool) -> String {
    let text = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    let number = line.trim_start().strip_suffix(text).unwrap_or_default();
    let text = text.trim_start();
    if let Some((arrow, place)) =
        text.split_once(' ').filter(|(sign, _)| ["-->", ":::"].contains(sign))
    {
        let own = place.strip_prefix("tests/ui/");
        *is_own = own.is_some();
        let other = || place.split_once(".rs:").map_or(place, |(file, _)| &place[..file.len() + 3]);
        return format!("    {arrow} {}", own.unwrap_or_else(other));
    }
    let is_margin = line.len() > text.len() && text.starts_with(['|', '+', '-', '~', '=']);
    *is_own |= !is_margin && text != "...";
    match is_margin {
        true => format!("{:>4} {text}", if *is_own { number } else { "" }),
        false => line.to_owned(),
    }
}
