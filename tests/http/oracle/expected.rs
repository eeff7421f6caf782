//! The oracle: a second implementation of queries, over rows in memory.

use std::cmp::Ordering;

use proptest::{prelude::*, sample::select};

use super::rows::{FIELDS, Key, Kind, Row, Scalar, scalar};

/// A filter of a query: a field, an operator and its operands.
#[derive(Clone, Debug)]
pub(super) struct Test {
    field: usize,
    op: &'static str,
    /// Whether the filter is spelled `filter[field]…` instead of `field…`.
    long: bool,
    values: Vec<Scalar>,
    /// The operand of the operator `null`: true or false.
    yes: bool,
}

/// A sort key: the index of a field (`None` for the id), and whether the order is descending.
type SortKey = (Option<usize>, bool);

/// The part of the list that a request selects: by `limit` and `offset`, or by `page` and
/// `per_page`.
#[derive(Clone, Debug)]
pub(super) enum Window {
    Offset(Option<usize>, Option<usize>),
    Page(Option<usize>, Option<usize>),
}

/// A query of a collection.
#[derive(Clone, Debug)]
pub(super) struct Query {
    tests: Vec<Test>,
    sort: Vec<SortKey>,
    /// Whether the query has the parameter `order`. Otherwise a descending key in `sortby` has a
    /// minus.
    ordered: bool,
    pub(super) window: Window,
    pub(super) count: bool,
}

impl Window {
    /// Returns the limit and the offset of the window.
    pub(super) fn resolve(&self) -> (usize, usize) {
        match *self {
            Self::Offset(limit, offset) => (limit.unwrap_or(5), offset.unwrap_or(0)),
            Self::Page(page, size) => {
                (size.unwrap_or(5), (page.unwrap_or(1) - 1) * size.unwrap_or(5))
            }
        }
    }
}

impl Query {
    /// Returns the query with this `limit` and no offset, so that its pages are linked by cursors.
    pub(super) fn walked(mut self, limit: usize) -> Self {
        self.window = Window::Offset(Some(limit), None);
        self
    }

    /// Returns the query of the first page with this size. A query with `page` gets `per_page`, any
    /// other query gets `limit`.
    pub(super) fn begun(mut self, limit: usize) -> Self {
        self.window = match self.window {
            Window::Offset(..) => Window::Offset(Some(limit), None),
            Window::Page(..) => Window::Page(None, Some(limit)),
        };
        self
    }
}

/// Returns the indexes of the matching rows, in the order of the query. The ids ascend with the
/// indexes.
pub(super) fn expected(rows: &[Row], query: &Query) -> Vec<usize> {
    let mut found: Vec<usize> =
        (0..rows.len()).filter(|at| passes(&rows[*at], &query.tests)).collect();
    let default = [(Some(3), true), (Some(0), false)];
    let keys = if query.sort.is_empty() { &default[..] } else { &query.sort };
    // The id is an implicit last key, in the direction of the last explicit key.
    let turned = keys.last().is_some_and(|(_, descending)| *descending);
    found.sort_by(|one, other| {
        let by_id = || if turned { other.cmp(one) } else { one.cmp(other) };
        let by_key = |(field, descending): &SortKey| match field {
            None if *descending => other.cmp(one),
            None => one.cmp(other),
            Some(field) => {
                order(rows[*one][*field].as_ref(), rows[*other][*field].as_ref(), *descending)
            }
        };
        keys.iter().map(by_key).find(|order| order.is_ne()).unwrap_or_else(by_id)
    });
    found
}

/// Compares two values of a key. Members without a value come last in both directions.
fn order(one: Option<&Scalar>, other: Option<&Scalar>, descending: bool) -> Ordering {
    match (one, other) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(one), Some(other)) if descending => other.key.partial_cmp(&one.key).unwrap(),
        (Some(one), Some(other)) => one.key.partial_cmp(&other.key).unwrap(),
    }
}

/// Whether a row matches all filters. Several filters `field=value` on one field are alternatives.
fn passes(row: &Row, tests: &[Test]) -> bool {
    let equality = |test: &&Test| test.op.is_empty();
    tests.iter().all(|test| match equality(&test) {
        true => tests
            .iter()
            .filter(equality)
            .filter(|other| other.field == test.field)
            .any(|one| holds(row, one)),
        false => holds(row, test),
    })
}

fn holds(row: &Row, test: &Test) -> bool {
    let keys: Vec<&Key> = test.values.iter().map(|value| &value.key).collect();
    let Some(key) = row[test.field].as_ref().map(|cell| &cell.key) else {
        return matches!(test.op, "ne" | "nin") || (test.op == "null" && test.yes);
    };
    match test.op {
        "" | "eq" => key == keys[0],
        "ne" => key != keys[0],
        "lt" => key < keys[0],
        "lte" => key <= keys[0],
        "gt" => key > keys[0],
        "gte" => key >= keys[0],
        "in" => keys.contains(&key),
        "nin" => !keys.contains(&key),
        "between" => keys[0] <= key && key <= keys[1],
        "null" => !test.yes,
        _ => {
            let (Key::Text(text), Key::Text(part)) = (key, keys[0]) else {
                panic!("this operator is only for text")
            };
            match test.op {
                "contains" => text.contains(part),
                "starts_with" => text.starts_with(part),
                _ => text.ends_with(part),
            }
        }
    }
}

const OPERATORS: [&str; 14] = [
    "",
    "eq",
    "ne",
    "lt",
    "lte",
    "gt",
    "gte",
    "in",
    "nin",
    "between",
    "null",
    "contains",
    "starts_with",
    "ends_with",
];

fn test() -> impl Strategy<Value = Test> {
    (0..FIELDS.len()).prop_flat_map(|field| {
        let kind = FIELDS[field].1;
        let operators = if matches!(kind, Kind::Text | Kind::Folded) {
            &OPERATORS[..]
        } else {
            &OPERATORS[..11]
        };
        select(operators).prop_flat_map(move |op| {
            let values = match op {
                "in" | "nin" => 1..5,
                "between" => 2..3,
                _ => 1..2,
            };
            (prop::collection::vec(scalar(kind), values), any::<bool>(), any::<bool>())
                .prop_map(move |(values, long, yes)| Test { field, op, long, values, yes })
        })
    })
}

fn window() -> impl Strategy<Value = Window> {
    let size = || prop::option::of(1..51usize);
    prop_oneof![
        (size(), prop::option::of(0..35usize))
            .prop_map(|(limit, offset)| Window::Offset(limit, offset)),
        (prop::option::of(1..9usize), size()).prop_map(|(page, size)| Window::Page(page, size)),
    ]
}

/// Generates random queries.
pub(super) fn query() -> impl Strategy<Value = Query> {
    let fields: Vec<_> = (0..FIELDS.len()).map(Some).chain([None]).collect();
    let keys = prop::sample::subsequence(fields, 0..4).prop_shuffle();
    let sort = (keys, prop::collection::vec(any::<bool>(), 4))
        .prop_map(|(keys, down)| keys.into_iter().zip(down).collect::<Vec<_>>());
    (prop::collection::vec(test(), 0..4), sort, any::<bool>(), window(), any::<bool>()).prop_map(
        |(tests, sort, ordered, window, count)| Query { tests, sort, ordered, window, count },
    )
}

/// Returns the target of a query, spelled as the server spells it in the link `self`.
pub(super) fn ask(path: &str, query: &Query) -> String {
    let mut parameters: Vec<_> = query.tests.iter().map(spell).collect();
    if !query.sort.is_empty() {
        let name = |field: Option<usize>| field.map_or("id", |field| FIELDS[field].0);
        let sign = |down: bool| if down && !query.ordered { "-" } else { "" };
        let keys: Vec<_> = query
            .sort
            .iter()
            .map(|(field, down)| format!("{}{}", sign(*down), name(*field)))
            .collect();
        parameters.push(("sortby".into(), keys.join(",")));
        let mut order: Vec<_> =
            query.sort.iter().map(|(_, down)| if *down { "desc" } else { "asc" }).collect();
        order.dedup();
        let each = query.sort.iter().map(|(_, down)| if *down { "desc" } else { "asc" });
        let order = if order.len() == 1 { order } else { each.collect() };
        parameters.extend(query.ordered.then(|| ("order".into(), order.join(","))));
    }
    let (names, values) = match query.window {
        Window::Offset(limit, offset) => (["limit", "offset"], [limit, offset]),
        Window::Page(page, size) => (["page", "per_page"], [page, size]),
    };
    let window = names.into_iter().zip(values);
    parameters
        .extend(window.filter_map(|(name, value)| Some((name.to_owned(), value?.to_string()))));
    parameters.extend(query.count.then(|| ("count".into(), "true".into())));
    let pairs: Vec<_> = parameters
        .iter()
        .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)))
        .collect();
    if pairs.is_empty() { path.to_owned() } else { format!("{path}?{}", pairs.join("&")) }
}

fn spell(test: &Test) -> (String, String) {
    let name = FIELDS[test.field].0;
    let name = if test.long { format!("filter[{name}]") } else { name.to_owned() };
    let name = if test.op.is_empty() { name } else { format!("{name}[{}]", test.op) };
    let escaped = |value: &Scalar| value.spelled.replace('\\', "\\\\").replace(',', "\\,");
    let value = match test.op {
        "in" | "nin" | "between" => test.values.iter().map(escaped).collect::<Vec<_>>().join(","),
        "null" => test.yes.to_string(),
        _ => test.values[0].spelled.clone(),
    };
    (name, value)
}

fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~,:".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
