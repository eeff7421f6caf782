//! Tests that the store has an order, too: each part of it uses only the parts below.

use std::{collections::BTreeMap, fs};

use super::below;
use crate::tidy::{root, sources, without_tests};

/// The parts of `runtime/src/store`, top to bottom. A part is a file with its folder.
const PARTS: [&str; 51] = [
    // Methods of `Store`, and functions without a store. They choose the engine.
    "administration",
    "redeclare",
    "grants",
    "accounts",
    "deletion",
    "transaction",
    "temporary",
    "worker",
    "engine",
    // What a store has beside its database.
    "process_sessions",
    "session_folder",
    "session_file",
    "issuer",
    "passwords",
    "credentials",
    "turns",
    // The engines, beside each other.
    "sqlite",
    "postgres",
    // A write that waits for its turn, with the code of users in it.
    "job",
    "behaviour",
    "tx",
    "after",
    "context",
    "inside",
    // Work that is the same for all engines, in terms of their sessions.
    "export",
    "read",
    "lookups",
    "refusal",
    "session",
    // What an engine has beside its connections.
    "idempotency",
    "answer_sizes",
    "attempts",
    "slow",
    "metrics",
    "end_demand",
    // The opening of a database, the change of its tables, and copies.
    "transfer",
    "copy",
    "migration",
    "options",
    "open",
    "difference",
    "location",
    "hold",
    "stamp",
    // Statements, rows and results.
    "explain",
    "plan_result",
    "row",
    "sink",
    "raised",
    "failure",
    "sql",
];

/// The engines. None knows the other.
const ENGINES: [&str; 2] = ["sqlite", "postgres"];

/// The parts that call code of users, or that it gets. `job` calls them, and no engine does. The
/// code gets the store itself, too, although that is above.
const CODE_OF_USERS: [&str; 4] = ["behaviour", "tx", "after", "context"];

/// Two parts that know each other: hooks get a transaction, whose writes run hooks.
const TOGETHER: [&str; 2] = ["behaviour", "tx"];

/// The store itself: `store.rs`, which is above all of its parts.
const STORE: &str = "store";

fn place(part: &str) -> Option<usize> {
    PARTS.iter().position(|known| *known == part)
}

/// Whether a part of the store may use another one.
fn may_use(part: &str, used: &str) -> bool {
    let is_engine = |part: &str| ENGINES.contains(&part);
    match (part, used) {
        (part, used) if part == used => true,
        (part, used) if TOGETHER.contains(&part) && TOGETHER.contains(&used) => true,
        (part, used) if is_engine(part) => {
            place(used) > place(part) && !is_engine(used) && !CODE_OF_USERS.contains(&used)
        }
        (part, STORE) => {
            place(part) < place(ENGINES[0]) || part == "job" || CODE_OF_USERS.contains(&part)
        }
        (part, used) => place(used) > place(part),
    }
}

/// Returns the part that declares each name which `store.rs` exports, or uses itself.
fn exported() -> BTreeMap<String, String> {
    let file = fs::read_to_string(root().join("runtime/src/store.rs")).unwrap();
    let mut parts = BTreeMap::from([("Store".to_owned(), STORE.to_owned())]);
    for item in syn::parse_file(&file).unwrap().items {
        let syn::Item::Use(item) = item else { continue };
        let syn::UseTree::Path(path) = item.tree else { continue };
        if path.ident == "self" {
            add_exported(&path.tree, None, &mut parts);
        }
    }
    parts
}

/// Adds the names at the ends of a tree of paths. The first name of each path is a part.
fn add_exported(tree: &syn::UseTree, part: Option<&str>, to: &mut BTreeMap<String, String>) {
    let mut add = |name: &syn::Ident| {
        to.extend(part.map(|part| (name.to_string(), part.to_owned())));
    };
    match tree {
        syn::UseTree::Name(one) => add(&one.ident),
        syn::UseTree::Rename(one) => add(&one.rename),
        syn::UseTree::Path(path) => {
            let first = path.ident.to_string();
            add_exported(&path.tree, part.or(Some(&first)), to);
        }
        syn::UseTree::Group(group) => {
            group.items.iter().for_each(|one| add_exported(one, part, to));
        }
        syn::UseTree::Glob(_) => panic!("`store.rs` must name what it exports"),
    }
}

/// Returns the names of the store that a file of it uses, each with its line number. `name` is the
/// path of the file below `runtime/src`.
fn names_used(name: &str, text: &str) -> Vec<(usize, String)> {
    let above = vec!["super"; name.matches('/').count()].join("::");
    let mut used = below(text, "store");
    used.extend(below(text, &above).into_iter().filter(|(_, used)| used != "super"));
    used
}

#[test]
fn names_are_found_in_paths_and_in_lists() {
    let text = "use super::super::a;\nuse super::super::{b, c::{d, e}};\nuse crate::{store::{f::G, h}};\nuse super::i;";
    let found = names_used("store/sqlite/x.rs", text);
    let names: Vec<_> = found.iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!(names, ["f", "h", "a", "b", "c"]);
}

#[test]
fn names_that_the_store_exports_stand_for_their_parts() {
    let parts = exported();
    let part = |name: &str| parts.get(name).map(String::as_str);
    assert_eq!(part("Engine"), Some("engine"));
    assert_eq!(part("explained"), Some("explain"), "an export has its new name");
    assert_eq!(part("Store"), Some(STORE));
    assert_eq!(part("Arc"), None);
}

#[test]
fn the_parts_of_the_store_use_only_those_below_them() {
    let (exported, mut found, mut wrong) = (exported(), vec![], vec![]);
    for path in sources("runtime/src/store") {
        let name = path.strip_prefix(root().join("runtime/src")).unwrap().display().to_string();
        let part = name.strip_prefix("store/").unwrap().split(['/', '.']).next().unwrap();
        assert!(place(part).is_some(), "{name}: `{part}` must have a place in `PARTS`");
        found.push(part.to_owned());
        if ["tests.rs", "bed.rs"].iter().any(|test| name.ends_with(test)) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for (line, used) in names_used(&name, without_tests(&text)) {
            // A function may have the name of a part.
            let part_used = exported.get(&used).filter(|_| place(&used).is_none());
            let used = part_used.unwrap_or(&used).as_str();
            if (used == STORE || place(used).is_some()) && !may_use(part, used) {
                wrong.push(format!("{name}:{line}: `{part}` must not use `{used}`"));
            }
        }
    }
    let missing: Vec<_> =
        PARTS.iter().filter(|part| !found.iter().any(|one| one == *part)).collect();
    assert!(missing.is_empty(), "{missing:?} are no parts of the store any more");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
