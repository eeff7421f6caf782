//! Tests of diagnostics. Each file in `tests/err` and `tests/err_rust` has one mistake, and each
//! file in `tests/warn` has one warning. The name of the file describes the mistake or warning. The
//! expected diagnostics are in a `.txt` file with the same name.
//!
//! Set `BLESS=1` to rewrite the `.txt` files.

use nouns_codegen::{Diagnostics, Problem, Style, check_rust, check_yaml, read_yaml};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn cases() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["tests/err", "tests/err_rust", "tests/warn"]
        .map(|folder| fs::read_dir(root.join(folder)).unwrap());
    let mut cases: Vec<_> =
        folders.into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    cases.retain(|path| {
        path.extension().is_some_and(|extension| extension == "yaml" || extension == "rs")
    });
    cases.sort();
    cases
}

fn mistakes(case: &Path) -> Diagnostics {
    let name = case.file_name().unwrap().to_str().unwrap();
    let check = if name.ends_with(".rs") { check_rust } else { check_yaml };
    let warns = case.parent().unwrap().ends_with("warn");
    match check(name, &fs::read_to_string(case).unwrap()) {
        Err(mistakes) if !warns => mistakes,
        Ok(checked) if warns => checked.warnings,
        Err(mistakes) => panic!("{mistakes}"),
        Ok(_) => panic!("{name} should have a mistake"),
    }
}

#[test]
fn each_mistake_has_its_diagnostics() {
    let mut wrong = Vec::new();
    for case in cases() {
        let expected = case.with_extension("txt");
        let drawn = mistakes(&case).render(Style::Plain);
        if std::env::var_os("BLESS").is_some() {
            fs::write(&expected, drawn).unwrap();
        } else if fs::read_to_string(&expected).unwrap_or_default() != drawn {
            wrong.push(format!("{}:\n{drawn}", case.display()));
        }
    }
    assert!(
        wrong.is_empty(),
        "the diagnostics have changed; set BLESS=1 to accept them:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn one_file_has_one_mistake() {
    for case in cases() {
        let name = case.file_stem().unwrap().to_str().unwrap().to_owned();
        let many = name.starts_with("many_") || name.starts_with("mistakes_");
        let count = mistakes(&case).len();
        assert!(count == 1 || many, "{name} should have one mistake, but has {count}");
    }
}

#[test]
fn each_code_has_a_mistake() {
    let found: BTreeSet<_> = cases().iter().flat_map(|case| codes(&mistakes(case))).collect();
    // These codes are mistakes of a program, which a schema file cannot have.
    let of_programs = "N090".."N100";
    let codes: Vec<_> = Problem::CODES.iter().filter(|code| !of_programs.contains(*code)).collect();
    let expected: BTreeSet<_> = codes.iter().map(|code| (**code).to_owned()).collect();
    assert_eq!(expected.len(), codes.len(), "a code belongs to two messages");
    assert_eq!(found, expected);
}

fn codes(mistakes: &Diagnostics) -> Vec<String> {
    mistakes.iter().map(|mistake| mistake.problem.code().to_owned()).collect()
}

#[test]
fn each_code_is_documented() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/diagnostics.md");
    let page = fs::read_to_string(page).unwrap();
    for code in Problem::CODES {
        assert!(
            page.contains(&format!("## {code} ")),
            "docs/diagnostics.md has no section for {code}"
        );
    }
}

#[test]
fn diagnostics_are_data_too() {
    let text = "nouns: 1\nresources:\n  zoo:\n    fields:\n      größe: { type: strng }\n";
    let mistakes = read_yaml("zoo.yaml", text).unwrap_err();
    insta::assert_snapshot!(mistakes.to_json(), @r#"
    [
    {"code":"N030","column":7,"end_column":12,"end_line":5,"file":"zoo.yaml","line":5,"message":"`größe` cannot name a field: a name is lower-case words of letters and digits joined by single `_`, at most 63 characters","severity":"error"},
    {"code":"N040","column":22,"end_column":27,"end_line":5,"file":"zoo.yaml","line":5,"message":"unknown type `strng`; did you mean `string`?","severity":"error"}
    ]
    "#);
}

#[test]
fn colours_are_for_terminals() {
    let mistakes = read_yaml("zoo.yaml", "nouns: 1\n").unwrap_err();
    assert!(mistakes.render(Style::Colour).contains("\u{1b}["));
    assert!(!mistakes.render(Style::Plain).contains('\u{1b}'));
}
