//! The tables of the documentation that are generated: the keys of the schema language, of the
//! source of its JSON Schema, and the types of problems.
//!
//! A table stands below a comment such as `<!-- generated: problems -->`. With `BLESS=1`, the tests
//! write the tables. The examples of the keys are parts of `reference/keys.yaml`, a valid schema.

mod keys;

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
};

use nouns::{
    __runtime::error::Kind,
    codegen::{json_schema, read_yaml},
};

use self::keys::{EXAMPLES, Examples, Table, levels};
use crate::{guide::anchors, server::TestServer, tidy::root};

/// The pages with tables of keys.
const PAGES: [&str; 4] = ["schema-reference.md", "server-reference.md", "access.md", "jwt.md"];

/// The name of the table in a comment above it.
fn name(line: &str) -> Option<&str> {
    line.strip_prefix("<!-- generated: ")?.strip_suffix(" -->")
}

/// The pointer to the mapping of the JSON Schema whose keys a table has.
fn pointer(name: &str) -> &str {
    match name.strip_prefix("keys of ").unwrap_or_else(|| panic!("{name}")) {
        "the schema" => "",
        pointer => pointer,
    }
}

/// Returns the names of the generated tables of a page.
fn names(text: &str) -> Vec<String> {
    text.lines().filter_map(name).map(str::to_owned).collect()
}

fn read(page: &str) -> String {
    fs::read_to_string(root().join("docs").join(page)).unwrap()
}

/// The page and the anchor of each table of keys, by the pointer to its mapping: where a link to it
/// leads.
fn places() -> BTreeMap<String, (String, String)> {
    let mut places = BTreeMap::new();
    for page in PAGES {
        let text = read(page);
        let mut before = String::new();
        for line in text.lines() {
            before += &format!("{line}\n");
            let Some(name) = name(line) else { continue };
            let anchor = anchors(&before).pop().unwrap();
            places.insert(pointer(name).to_owned(), (page.to_owned(), anchor));
        }
    }
    places
}

/// Replaces the table below a comment, up to the next blank line or the end of the page.
fn replaced(text: &str, name: &str, table: &str) -> String {
    let comment = format!("<!-- generated: {name} -->\n");
    let (before, rest) = text.split_once(&comment).unwrap_or_else(|| panic!("no table {name}"));
    match rest.split_once("\n\n") {
        Some((_, after)) => format!("{before}{comment}{table}\n{after}"),
        None => format!("{before}{comment}{table}"),
    }
}

/// Compares the generated tables of a page with what they should be, or writes them.
fn compare(page: &str, table: impl Fn(&str) -> String) {
    let path = root().join("docs").join(page);
    let text = read(page);
    let names = names(&text);
    assert!(!names.is_empty(), "{page} has no generated table");
    let mut expected = text.clone();
    for name in names {
        expected = replaced(&expected, &name, &table(&name));
    }
    if env::var_os("BLESS").is_some() {
        fs::write(&path, expected).unwrap();
    } else {
        assert!(text == expected, "{page} is not up to date: BLESS=1 writes it");
    }
}

#[test]
fn the_keys_on_the_pages_are_those_of_the_json_schema() {
    let schema = json_schema::schema();
    let (examples, places) = (Examples::read(&schema), places());
    for page in PAGES {
        let anchors = anchors(&read(page));
        let table = Table { schema: &schema, examples: &examples, places: &places, page, anchors };
        compare(page, |name| table.of(pointer(name)));
    }
}

#[test]
fn every_key_has_one_place_on_the_pages() {
    let schema = json_schema::schema();
    let mut shown: Vec<_> = PAGES.iter().flat_map(|page| names(&read(page))).collect();
    shown.sort();
    let levels = levels(&schema);
    let expected: BTreeSet<_> = levels
        .iter()
        .map(|level| match level.as_str() {
            "" => "keys of the schema".to_owned(),
            level => format!("keys of {level}"),
        })
        .collect();
    assert_eq!(shown, expected.into_iter().collect::<Vec<_>>());
}

#[test]
fn the_examples_of_keys_are_a_valid_schema() {
    if let Err(mistakes) = read_yaml("keys.yaml", EXAMPLES) {
        panic!("{}", mistakes.render(nouns::codegen::diagnostic::Style::Plain));
    }
}

#[test]
fn the_types_of_problems_on_the_page_are_those_of_the_server() {
    compare("problems.md", |name| {
        assert_eq!(name, "problems");
        let mut kinds = Kind::ALL.to_vec();
        kinds.sort_by_key(|kind| kind.status);
        let mut table = "| status | type | meaning and repair |\n|---|---|---|\n".to_owned();
        for kind in kinds {
            let status = kind.status.as_u16();
            table += &format!("| {status} | `{}` | {} |\n", kind.slug, kind.meaning);
        }
        table
    });
}

/// The first cells of the tables below a heading: the texts in backquotes, of the table with this
/// first column.
fn cells(page: &str, heading: &str, column: &str) -> BTreeSet<String> {
    let section = page.split(&format!("\n## {heading}\n")).nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let table = section.split(&format!("| {column} |")).nth(1).unwrap();
    let rows = table.split("\n\n").next().unwrap().lines().skip(2);
    let cells = rows.flat_map(|row| row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2));
    cells.map(str::to_owned).collect()
}

#[test]
fn the_parameters_and_operators_on_the_page_are_those_of_the_server() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let document = client.get("/openapi.json").json();
    let (mut parameters, mut operators) = (BTreeSet::new(), BTreeSet::from(["eq".to_owned()]));
    for parameter in document["paths"]["/zoos"]["get"]["parameters"].as_array().unwrap() {
        let target = parameter["$ref"].as_str().map(|target| target.strip_prefix('#').unwrap());
        let parameter = target.map_or(parameter, |target| document.pointer(target).unwrap());
        let name = parameter["name"].as_str().unwrap();
        match name.split_once('[') {
            _ if parameter["in"] != "query" => {}
            Some((_, operator)) => {
                operators.insert(operator.trim_end_matches(']').to_owned());
            }
            None => {
                parameters.insert(name.to_owned());
            }
        }
    }
    parameters.retain(|name| {
        !["id", "name", "city", "opened", "created_at", "updated_at"].contains(&&**name)
    });
    let page = read("http-reference.md");
    let shown = cells(&page, "Query parameters", "operator");
    assert_eq!(shown, operators);
    let shown = cells(&page, "Query parameters", "parameter");
    let names: BTreeSet<_> =
        shown.iter().map(|cell| cell.split('=').next().unwrap().to_owned()).collect();
    for name in &parameters {
        assert!(names.contains(name), "`{name}` is not on the page: {names:?}");
    }
    assert!(parameters.len() >= 10, "{parameters:?}");
}

#[test]
fn the_statuses_on_the_page_are_those_of_problems() {
    let page = read("http-reference.md");
    let section = page.split("\n## Statuses\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let shown: BTreeSet<u16> = section
        .lines()
        .filter_map(|row| row.strip_prefix("| "))
        .flat_map(|row| row.split('|').next().unwrap().split(", "))
        .filter_map(|status| status.trim().parse().ok())
        .collect();
    let problems: BTreeSet<u16> = Kind::ALL.iter().map(|kind| kind.status.as_u16()).collect();
    let of_errors: BTreeSet<u16> = shown.iter().copied().filter(|status| *status >= 400).collect();
    assert_eq!(of_errors, problems);
}
