//! Names of parameters and operators in other APIs, with the equivalent names in Nouns, for hints
//! in errors.

use crate::model::Op;

/// Parameter names in Nouns, each with equivalent names in other APIs. The names in other APIs are
/// in lower case, without `-` and `_`.
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

/// Operators in Nouns, each with equivalent names in other APIs, in lower case.
const OPERATORS: [(Op, &[&str]); 9] = [
    (Op::Eq, &["exact", "iexact", "equals", "is"]),
    (Op::Ne, &["not", "neq", "isnot"]),
    (Op::Contains, &["icontains", "like", "ilike", "search", "substring"]),
    (Op::StartsWith, &["startswith", "istartswith", "prefix"]),
    (Op::EndsWith, &["endswith", "iendswith", "suffix"]),
    (Op::Gte, &["ge", "min", "from"]),
    (Op::Lte, &["le", "max", "to"]),
    (Op::Between, &["range"]),
    (Op::Null, &["isnull", "empty"]),
];

/// Values that mean null in other APIs, in lower case.
const NULLS: [&str; 6] = ["", "null", "none", "nil", "is.null", "undefined"];

/// Operators of other APIs that ignore the case of letters. The names are in lower case.
const CASELESS: [&str; 6] = ["icontains", "iexact", "istartswith", "iendswith", "ilike", "search"];

/// Returns the parameter of Nouns that is equivalent to a parameter of another API: `sortby` for
/// `order_by`.
pub(super) fn parameter(name: &str) -> Option<&'static str> {
    let name = name.trim_start_matches('$').to_ascii_lowercase().replace(['-', '_'], "");
    translate(&PARAMETERS, &name)
}

/// Returns the operator of Nouns that is equivalent to an operator of another API: `contains` for
/// `icontains`.
pub(super) fn operator(op: &str) -> Option<Op> {
    translate(&OPERATORS, &op.trim_start_matches('$').to_ascii_lowercase())
}

/// Whether an operator of another API ignores the case of letters.
pub(super) fn ignores_case(op: &str) -> bool {
    CASELESS.contains(&&*op.trim_start_matches('$').to_ascii_lowercase())
}

/// Whether a value means null in another API.
pub(super) fn is_null(value: &str) -> bool {
    NULLS.contains(&&*value.to_ascii_lowercase())
}

fn translate<T: Copy>(table: &[(T, &[&str])], word: &str) -> Option<T> {
    table.iter().find(|(_, foreign)| foreign.contains(&word)).map(|(ours, _)| *ours)
}
