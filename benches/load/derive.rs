//! Measures the compile time that the derives add, compared with the same structs with serde's
//! derives.

use std::{
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use clap::Args;

use crate::{median, say, synthetic};

/// The options of `derive`.
#[derive(Args, Debug)]
pub(crate) struct Derive {
    /// The number of resources in each crate.
    #[arg(long, default_value_t = 100)]
    resources: usize,
    /// How many times each crate is compiled.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// The folder in which the crates and their dependencies are compiled, for reuse [default: a
    /// temporary folder].
    #[arg(long)]
    folder: Option<PathBuf>,
}

/// A crate that has only structs: its name, its dependency, and its source.
struct Twin {
    name: &'static str,
    dependency: String,
    text: String,
}

impl Derive {
    pub(crate) fn run(self) -> io::Result<()> {
        let temporary = tempfile::tempdir()?;
        let folder = self.folder.clone().unwrap_or_else(|| temporary.path().to_owned());
        let twins = twins(self.resources);
        write_workspace(&folder, &twins)?;
        say(&format!("{} resources of 8 fields, medians of {} runs", self.resources, self.rounds));
        for command in ["check", "build"] {
            let mut medians = vec![];
            for twin in &twins {
                // The first run also compiles the dependencies, so it is not counted.
                compile(&folder, command, twin)?;
                let times = (0..self.rounds).map(|_| compile(&folder, command, twin));
                medians.push(median(times.collect::<io::Result<Vec<_>>>()?));
            }
            let [nouns, serde, nothing] = medians[..] else { continue };
            say(&format!(
                "cargo {command}: nouns {nouns:.2} s, serde {serde:.2} s ({:.2} times), no derive {nothing:.2} s",
                nouns / serde
            ));
        }
        Ok(())
    }
}

/// Three crates with the same structs: with the derive of Nouns, with the two derives of serde,
/// without derives.
fn twins(resources: usize) -> [Twin; 3] {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the folder `benches` is in the workspace folder");
    let nouns = format!("nouns = {{ path = {root:?}, default-features = false }}");
    let serde = "serde = { version = \"1\", features = [\"derive\"] }".to_owned();
    let plain = structs(resources, "Clone", "i64", |_| "i64".into());
    let with_serde =
        structs(resources, "Clone, serde::Serialize, serde::Deserialize", "i64", |_| "i64".into());
    let with_nouns = structs(resources, "Clone, nouns::Resource", "nouns::Id<Self>", |at| {
        format!("nouns::Id<{}>", rust(at))
    });
    [
        Twin { name: "with_nouns", dependency: nouns, text: with_nouns },
        Twin { name: "with_serde", dependency: serde, text: with_serde },
        Twin { name: "with_nothing", dependency: String::new(), text: plain },
    ]
}

fn rust(at: usize) -> String {
    synthetic::noun(at).split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}

/// The source of structs with an id and eight fields each. One field refers to another struct.
fn structs(
    resources: usize,
    derives: &str,
    id: &str,
    reference: impl Fn(usize) -> String,
) -> String {
    let mut text = String::from("#![allow(dead_code)]\n");
    for at in 0..resources {
        let (name, other) = (rust(at), reference(at.saturating_sub(1)));
        writeln!(
            text,
            "#[derive({derives})]\npub struct {name} {{\n    pub id: {id},\n    pub name: String,\n    \
             pub code: Option<String>,\n    pub rank: Option<i64>,\n    pub weight: Option<f64>,\n    \
             pub count: i32,\n    pub tame: bool,\n    pub note: Option<String>,\n    \
             pub other_id: Option<{other}>,\n}}"
        )
        .expect("writing to a `String` cannot fail");
    }
    text
}

fn write_workspace(folder: &Path, twins: &[Twin]) -> io::Result<()> {
    let names: Vec<_> = twins.iter().map(|twin| twin.name).collect();
    let manifest = format!("[workspace]\nresolver = \"3\"\nmembers = {names:?}\n");
    fs::create_dir_all(folder)?;
    fs::write(folder.join("Cargo.toml"), manifest)?;
    // The crates use the lock file of the workspace, so that all of them have the same versions of
    // dependencies.
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.lock");
    fs::copy(lock, folder.join("Cargo.lock"))?;
    for Twin { name, dependency, text } in twins {
        fs::create_dir_all(folder.join(name).join("src"))?;
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{dependency}\n"
        );
        fs::write(folder.join(name).join("Cargo.toml"), manifest)?;
        fs::write(folder.join(name).join("src/lib.rs"), text)?;
    }
    Ok(())
}

/// Compiles one crate without its dependencies, and returns the time in seconds.
fn compile(folder: &Path, command: &str, twin: &Twin) -> io::Result<f64> {
    let source = folder.join(twin.name).join("src/lib.rs");
    fs::write(source, &twin.text)?;
    let begun = Instant::now();
    let status = Command::new("cargo")
        .args([command, "--quiet", "--offline", "--package", twin.name])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env("CARGO_INCREMENTAL", "0")
        .status()?;
    if !status.success() {
        return Err(io::Error::other(format!("{} does not compile", twin.name)));
    }
    Ok(begun.elapsed().as_secs_f64())
}
