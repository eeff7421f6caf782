//! Compares the table in docs/conformance.md with the tests. The doc comment of a test lists the
//! numbers of the table rows that the test proves.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use crate::tidy::{root, sources};

/// The beginning of the doc comment of a test that proves rows of docs/conformance.md. The row
/// numbers and a colon follow.
const MARK: &str = "/// Conformance ";

/// The beginning of the last cell of a row in docs/conformance.md that has no test. The reason
/// follows.
const NONE: &str = "none: ";

/// Returns the tests, as `file::name`, that prove each row of docs/conformance.md.
fn proofs() -> BTreeMap<u16, BTreeSet<String>> {
    let mut proofs = BTreeMap::<_, BTreeSet<_>>::new();
    for path in ["tests", "runtime"].into_iter().flat_map(sources) {
        let text = fs::read_to_string(&path).unwrap();
        let file = path.strip_prefix(root()).unwrap().display().to_string();
        for (at, numbers) in
            text.match_indices(MARK).filter_map(|(at, _)| Some((at, numbers(&text[at..])?)))
        {
            let name = text[at..].split_once("fn ").unwrap().1.split_once('(').unwrap().0;
            for number in numbers {
                proofs.entry(number).or_default().insert(format!("`{file}::{name}`"));
            }
        }
    }
    proofs
}

/// The row numbers after `MARK`, up to a colon or the end of the line. `None` if `text` does not
/// begin with `MARK` and numbers.
fn numbers(text: &str) -> Option<Vec<u16>> {
    let line = text.strip_prefix(MARK)?.lines().next()?;
    let numbers = line.split(':').next()?.split(", ").map(|number| number.trim().parse());
    numbers.collect::<Result<_, _>>().ok()
}

/// Splits a row of the table in docs/conformance.md into its number and its other cells: level,
/// source, requirement and tests. `None` if the line is not such a row.
fn cells(line: &str) -> Option<(u16, [&str; 4])> {
    let mut cells = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ");
    let number = cells.next()?.parse().ok()?;
    let rest: Vec<_> = cells.collect();
    Some((number, rest.try_into().unwrap_or_else(|_| panic!("a row has five cells: {line}"))))
}

#[test]
fn the_table_lists_every_item_with_its_tests() {
    let path = root().join("docs/conformance.md");
    let table = fs::read_to_string(&path).unwrap();
    let mut proofs = proofs();
    assert!(proofs.len() > 100, "fewer than 100 items have tests: are the test files missing?");
    let (mut output, mut last) = (String::new(), 0);
    for line in table.lines() {
        let Some((number, [level, source, what, tests])) = cells(line) else {
            output += &format!("{line}\n");
            continue;
        };
        assert!(number > last, "the item {number} must not come after {last}");
        last = number;
        let proven: Vec<_> = proofs.remove(&number).into_iter().flatten().collect();
        let tests = match proven.is_empty() {
            false => proven.join(" "),
            true => {
                assert!(tests.starts_with(NONE), "item {number} has no test: {what}");
                assert_eq!(level, "P", "item {number} has no test, so its level must be P");
                tests.to_owned()
            }
        };
        output += &format!("| {number} | {level} | {source} | {what} | {tests} |\n");
    }
    assert_eq!(
        proofs,
        BTreeMap::new(),
        "docs/conformance.md has no row for these items that tests name"
    );
    if std::env::var_os("BLESS").is_some() {
        fs::write(path, output).unwrap();
    } else {
        assert_eq!(
            output, table,
            "docs/conformance.md is not up to date: run this test with BLESS=1"
        );
    }
}
