//! Tests that the modules of the runtime are layers ("rooms"): each uses only itself and the
//! modules below.

mod store;

use std::fs;

use crate::tidy::{root, sources, without_tests};

/// The modules of `runtime/src`, top to bottom, as ARCHITECTURE.md lists them.
const ROOMS: [&str; 12] = [
    "api", "server", "service", "code", "perform", "reply", "store", "request", "plan", "model",
    "http", "base",
];

/// Returns the names after `crate::` in a text, each with its line number.
fn named(text: &str) -> Vec<(usize, String)> {
    below(text, "crate")
}

/// Returns the names after `name::` in a text without comments, each with its line number.
fn below(text: &str, name: &str) -> Vec<(usize, String)> {
    let code = text.lines().map(|line| if line.trim_start().starts_with("//") { "" } else { line });
    let code = code.collect::<Vec<_>>().join("\n");
    let mut found = vec![];
    let name = format!("{name}::");
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    for (at, _) in code.match_indices(&name) {
        if code[..at].ends_with(is_word) {
            continue;
        }
        let line = code[..at].lines().count().max(1);
        let rest = &code[at + name.len()..];
        found.extend(heads(rest).into_iter().map(|head| (line, head)));
    }
    found
}

/// Returns the first name of a path. For a list of paths in braces, returns the first name of each.
fn heads(path: &str) -> Vec<String> {
    let word = |text: &str| {
        text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
    };
    let Some(list) = path.strip_prefix('{') else { return vec![word(path)] };
    let (mut depth, mut begins, mut found) = (1, true, vec![]);
    for (at, letter) in list.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => begins = true,
            letter if depth == 1 && begins && !letter.is_whitespace() => {
                found.push(word(&list[at..]));
                begins = false;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    found
}

#[test]
fn names_are_found_in_paths_and_in_lists() {
    let text = "use crate::{\n    a::{x, my_crate::y},\n    b,\n};\n// crate::c\npub(in crate::d::e) fn f(g: crate::h) {}";
    let lines = [(1, "a"), (1, "b"), (6, "d"), (6, "h")];
    assert_eq!(named(text), lines.map(|(line, name)| (line, name.to_owned())));
}

#[test]
fn no_room_uses_one_above_it() {
    let place = |room: &str| ROOMS.iter().position(|known| *known == room);
    let folder = root().join("runtime/src");
    let mut wrong = vec![];
    for path in sources("runtime/src") {
        let below = path.strip_prefix(&folder).unwrap();
        let first = below.iter().next().unwrap().to_str().unwrap();
        let room = first.strip_suffix(".rs").unwrap_or(first);
        if room == "lib" {
            continue;
        }
        let here = place(room).unwrap_or_else(|| {
            panic!("{} must be in one of the modules of `ROOMS`", below.display())
        });
        for (line, used) in named(&fs::read_to_string(&path).unwrap()) {
            match place(&used) {
                Some(there) if there >= here => {}
                Some(_) => {
                    wrong.push(format!(
                        "{}:{line} uses `{used}`, which is above `{room}`",
                        below.display()
                    ));
                }
                None => wrong.push(format!(
                    "{}:{line} names `crate::{used}`; name the room of it",
                    below.display()
                )),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn one_engine_alone_uses_rusqlite() {
    for path in sources("runtime/src") {
        let name = path.strip_prefix(root().join("runtime/src")).unwrap().display().to_string();
        if name.starts_with("store/sqlite") || name.ends_with("tests.rs") {
            continue;
        }
        let used = below(&fs::read_to_string(&path).unwrap(), "rusqlite");
        assert!(used.is_empty(), "{name}: only `store/sqlite` uses rusqlite: {used:?}");
    }
}

/// Names that are gone for good, since what they stood for has a better form.
const GONE: [&str; 7] = [
    "PageTooLarge",
    "act_for(",
    "RuledValues",
    "rebind(",
    "Shape::Labels",
    "with_labels",
    "looked_up:",
];

#[test]
fn names_that_are_gone_do_not_come_back() {
    for path in sources("runtime/src") {
        let text = fs::read_to_string(&path).unwrap();
        let found: Vec<_> = GONE.iter().filter(|name| text.contains(**name)).collect();
        assert!(found.is_empty(), "{}: {found:?}", path.display());
    }
}

#[test]
fn the_map_shows_the_rooms_in_their_order() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, rooms) =
        map.split_once("\n## Rooms\n").expect("ARCHITECTURE.md must have a section `Rooms`");
    let (_, list) = rooms.split_once("|---|---|\n").unwrap();
    let (list, _) = list.split_once("\n\n").unwrap();
    let shown: Vec<_> = list
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_whitespace().next())
        .collect();
    assert_eq!(shown, ROOMS);
}

/// The files of the reading half of the PostgreSQL engine.
const POSTGRES_READS: [&str; 10] = [
    "lane.rs",
    "lane/collected_rows.rs",
    "lane/failure.rs",
    "lane/transaction.rs",
    "needed_state.rs",
    "page_lookups.rs",
    "plain.rs",
    "prefetched.rs",
    "read_connections.rs",
    "slow_queue.rs",
];

#[test]
fn a_read_of_postgres_takes_no_thread() {
    for file in POSTGRES_READS {
        let path = root().join("runtime/src/store/postgres").join(file);
        let text = fs::read_to_string(path).unwrap();
        let code: Vec<_> = without_tests(&text)
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        for word in ["thread::", "spawn_blocking", "block_on", "Pool<", "SessionThreads"] {
            assert!(!code.iter().any(|line| line.contains(word)), "{file} names `{word}`");
        }
    }
}
