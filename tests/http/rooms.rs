//! Tests that the modules of the runtime are layers ("rooms"): each uses only itself and the
//! modules below.

use std::fs;

use crate::tidy::{root, sources};

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
    for (at, _) in code.match_indices(&name) {
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
    let text = "use crate::{\n    a::{x, crate_y},\n    b,\n};\n// crate::c\npub(in crate::d::e) fn f(g: crate::h) {}";
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

/// The parts of the store that both engines are made from. They use each other alone; a method of
/// `Store` in them may choose the engine.
const BELOW_ENGINES: [&str; 29] = [
    "after",
    "answer_sizes",
    "attempts",
    "behaviour",
    "context",
    "difference",
    "end_demand",
    "export",
    "failure",
    "hold",
    "idempotency",
    "inside",
    "issuer",
    "job",
    "lookups",
    "metrics",
    "passwords",
    "plan_result",
    "raised",
    "read",
    "refusal",
    "row",
    "session",
    "session_file",
    "sink",
    "slow",
    "sql",
    "stamp",
    "temporary",
];

/// The parts of these that call code of users. `job` calls them, and no engine does.
const CODE_OF_USERS: [&str; 3] = ["after", "behaviour", "context"];

/// The engines of the store. None knows the other.
const ENGINES: [&str; 2] = ["sqlite", "postgres"];

/// The parts that use the engines, and have types for them.
const AROUND_ENGINES: [&str; 3] = ["explain", "grants", "transfer"];

/// The parts that use the engines, and that these do not know.
const ABOVE_ENGINES: [&str; 14] = [
    "accounts",
    "copy",
    "credentials",
    "deletion",
    "engine",
    "location",
    "open",
    "options",
    "process_sessions",
    "redeclare",
    "session_folder",
    "turns",
    "tx",
    "worker",
];

/// Whether a part of the store may use another one.
fn may_use(part: &str, used: &str) -> bool {
    let is_below = BELOW_ENGINES.contains(&used);
    match part {
        part if part == used => true,
        part if BELOW_ENGINES.contains(&part) => is_below,
        part if ENGINES.contains(&part) => {
            is_below && !CODE_OF_USERS.contains(&used) || AROUND_ENGINES.contains(&used)
        }
        _ => true,
    }
}

/// Returns the parts of the store that a file of it uses, each with its line number. `name` is the
/// path of the file below `runtime/src`.
fn parts_used(name: &str, text: &str) -> Vec<(usize, String)> {
    let above = vec!["super"; name.matches('/').count()].join("::");
    let mut used = below(text, "store");
    used.extend(below(text, &above).into_iter().filter(|(_, used)| used != "super"));
    used
}

#[test]
fn parts_are_found_in_paths_and_in_lists() {
    let text = "use super::super::a;\nuse super::super::{b, c::{d, e}};\nuse crate::{store::{f::G, h}};\nuse super::i;";
    let found = parts_used("store/sqlite/x.rs", text);
    let names: Vec<_> = found.iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!(names, ["f", "h", "a", "b", "c"]);
}

#[test]
fn the_parts_of_the_store_know_only_what_is_below_them() {
    let lists: [&[&str]; 4] = [&BELOW_ENGINES, &ENGINES, &AROUND_ENGINES, &ABOVE_ENGINES];
    let lists = lists.concat();
    let mut wrong = vec![];
    for path in sources("runtime/src/store") {
        let name = path.strip_prefix(root().join("runtime/src")).unwrap().display().to_string();
        let part = name.strip_prefix("store/").unwrap().split(['/', '.']).next().unwrap();
        let places = lists.iter().filter(|listed| **listed == part).count();
        assert_eq!(places, 1, "{name}: `{part}` must be in one of the lists");
        for (line, used) in parts_used(&name, &fs::read_to_string(&path).unwrap()) {
            if lists.contains(&used.as_str()) && !may_use(part, &used) {
                wrong.push(format!("{name}:{line}: `{part}` must not know `{used}`"));
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
const GONE: [&str; 4] = ["PageTooLarge", "act_for(", "RuledValues", "rebind("];

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
