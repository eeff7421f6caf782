//! Tests of the help texts, the completion scripts and the manual pages.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use super::{run, stderr, stdout};
use crate::{tidy::root, tools};

/// The commands whose examples run here: they end by themselves, and need no database.
const TRIED: [&str; 8] =
    ["new", "check", "routes", "explain", "access", "generate", "completions", "man"];

/// The commands in a help text.
fn commands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines.take_while(|line| !line.is_empty()).filter_map(|line| {
        let name = line.strip_prefix("  ")?;
        name.starts_with(|letter: char| letter.is_alphabetic()).then_some(name)
    });
    names.filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

fn help(folder: &Path, command: &[&str]) -> String {
    let output = run(folder, &[command, &["--help"]].concat());
    assert_eq!(output.status.code(), Some(0), "{command:?}: {}", stderr(&output));
    stdout(&output)
}

/// A folder with the shipped schemas, in which the examples run.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["zoo", "league", "newsroom"] {
        let file = format!("{name}.yaml");
        fs::copy(root().join("schemas").join(&file), folder.path().join(file)).unwrap();
    }
    for name in
        ["src", ".zfunc", ".local/share/bash-completion/completions", ".config/fish/completions"]
    {
        fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    folder
}

#[test]
fn the_examples_of_a_help_text_run() {
    let mut tried = BTreeSet::new();
    for command in TRIED {
        let folder = folder();
        let program = Path::new(env!("CARGO_BIN_EXE_nouns")).parent().unwrap();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
        let mut below = commands(&help(folder.path(), &[command]));
        below.retain(|name| name != "help");
        let names = below.iter().map(|name| vec![command, name.as_str()]);
        for words in [vec![command]].into_iter().chain(names) {
            let help = help(folder.path(), &words);
            let (_, examples) = help.split_once("\nExamples:\n").unwrap();
            for example in examples.lines().map(str::trim) {
                // A pipe leads to a program that may not be here.
                let example = example.split(" | ").next().unwrap();
                let mut shell = Command::new("sh");
                shell.args(["-c", example]).current_dir(folder.path());
                let output = shell.env("HOME", folder.path()).env("PATH", &path).output().unwrap();
                assert_eq!(output.status.code(), Some(0), "{example}: {}", stderr(&output));
                tried.insert(example.to_owned());
            }
        }
    }
    assert!(tried.len() >= 15, "{tried:?}");
}

#[test]
fn each_shell_completes_the_commands() {
    let folder = tempfile::tempdir().unwrap();
    let commands = commands(&help(folder.path(), &[]));
    assert!(commands.len() > 10, "{commands:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout(&run(folder.path(), &["completions", shell]));
        for command in &commands {
            assert!(script.contains(&**command), "{shell}: {command}");
        }
        assert!(script.contains("admin-listen"), "{shell}");
    }
    let other = run(folder.path(), &["completions", "csh"]);
    assert_eq!(other.status.code(), Some(2));
    if !tools::has("bash", "whether bash completes the commands of nouns") {
        return;
    }
    let script = folder.path().join("nouns.bash");
    fs::write(&script, run(folder.path(), &["completions", "bash"]).stdout).unwrap();
    let typed = "source nouns.bash; COMP_WORDS=(nouns ro); COMP_CWORD=1; _nouns nouns ro nouns; \
                 echo \"${COMPREPLY[@]}\"";
    let bash =
        Command::new("bash").args(["-c", typed]).current_dir(folder.path()).output().unwrap();
    assert_eq!((stdout(&bash), stderr(&bash)), ("routes\n".to_owned(), String::new()));
}

#[test]
fn each_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(folder.path(), &["man", "--out", "share/man1"]).status.code(), Some(0));
    let directory = folder.path().join("share/man1");
    let mut expected = BTreeSet::from(["nouns.1".to_owned()]);
    for command in commands(&help(folder.path(), &[])) {
        if command == "help" {
            continue;
        }
        for below in commands(&help(folder.path(), &[&command])) {
            expected.insert(format!("nouns-{command}-{below}.1"));
            expected.remove(&format!("nouns-{command}-help.1"));
        }
        expected.insert(format!("nouns-{command}.1"));
    }
    let names = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().file_name());
    let names: BTreeSet<_> = names.map(|name| name.into_string().unwrap()).collect();
    assert_eq!(names, expected);
    for name in &names {
        let page = fs::read_to_string(directory.join(name)).unwrap();
        let title =
            format!(".TH {} 1  \"nouns {}\"", &name[..name.len() - 2], env!("CARGO_PKG_VERSION"));
        assert!(page.contains(&title), "{name}: {page}");
        let (_, examples) = page.split_once(".SH EXAMPLES\n.nf\n").unwrap();
        assert!(examples.starts_with("  ") && examples.contains("nouns "), "{name}: {examples}");
        assert_eq!(page.matches(".SH EXAMPLES").count(), 1, "{name}");
    }
    let serve = fs::read_to_string(directory.join("nouns-serve.1")).unwrap();
    assert!(serve.contains("NOUNS_DATABASE") && serve.contains(r"\-\-database /srv/zoo.db"));
    let page = stdout(&run(folder.path(), &["man"]));
    assert_eq!(page, fs::read_to_string(directory.join("nouns.1")).unwrap());
}
