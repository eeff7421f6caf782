//! Parameters as other interfaces call them, with ours: what somebody means who knows those.

/// Parameters of other interfaces, in lower case without `-` and `_`, with ours.
const PARAMETERS: [(&str, &[&str]); 8] = [
    ("sortby", &["sort", "orderby", "ordering", "sorting", "sorts"]),
    ("fields", &["select", "columns", "only", "include"]),
    ("per_page", &["pagesize", "size", "perpage", "itemsperpage"]),
    ("page", &["pagenumber", "pageno", "pageindex"]),
    ("limit", &["top", "take", "first", "max", "maxresults"]),
    ("offset", &["skip", "start", "from"]),
    ("after", &["cursor", "startingafter", "pagetoken", "nexttoken"]),
    ("before", &["endingbefore"]),
];

/// Operators of other interfaces, with ours.
const OPERATORS: [(&str, &[&str]); 9] = [
    ("eq", &["exact", "iexact", "equals", "is"]),
    ("ne", &["not", "neq", "isnot"]),
    ("contains", &["icontains", "like", "ilike", "search", "substring"]),
    ("starts_with", &["startswith", "istartswith", "prefix"]),
    ("ends_with", &["endswith", "iendswith", "suffix"]),
    ("gte", &["ge", "min", "from"]),
    ("lte", &["le", "max", "to"]),
    ("between", &["range"]),
    ("null", &["isnull", "empty"]),
];

/// Values of other interfaces for no value, in lower case.
const NULLS: [&str; 6] = ["", "null", "none", "nil", "is.null", "undefined"];

/// Operators of other interfaces that ignore case, in lower case.
const CASELESS: [&str; 6] = ["icontains", "iexact", "istartswith", "iendswith", "ilike", "search"];

/// Our parameter for one of another interface: `sortby` for `order_by`.
pub(super) fn parameter(name: &str) -> Option<&'static str> {
    let name = name.trim_start_matches('$').to_ascii_lowercase().replace(['-', '_'], "");
    ours(&PARAMETERS, &name)
}

/// Our operator for one of another interface: `contains` for `icontains`.
pub(super) fn operator(op: &str) -> Option<&'static str> {
    ours(&OPERATORS, &op.trim_start_matches('$').to_ascii_lowercase())
}

/// Whether an operator of another interface ignores case.
pub(super) fn ignores_case(op: &str) -> bool {
    CASELESS.contains(&&*op.trim_start_matches('$').to_ascii_lowercase())
}

/// Whether a value means in another interface that there is none.
pub(super) fn is_null(value: &str) -> bool {
    NULLS.contains(&&*value.to_ascii_lowercase())
}

fn ours(table: &[(&'static str, &[&str])], word: &str) -> Option<&'static str> {
    table.iter().find(|(_, foreign)| foreign.contains(&word)).map(|(ours, _)| *ours)
}
