//! Generates access rules.

use super::{Genes, Map, Value, list, number, odd_text, text};

/// The maximum depth of a rule.
const DEPTH_MAX: usize = 3;

/// Declares access rules of a resource whose ids are of this kind.
pub(super) fn access(map: &mut Map, id: &str, genes: &mut Genes<'_>) {
    let mut access = Map::default();
    for key in ["read", "create", "update", "delete"] {
        if genes.once_in(2) {
            access.put(key, rule(id, DEPTH_MAX, genes));
        }
    }
    if access.has("read") {
        access.extension(genes);
        map.put("access", access.value());
    }
}

/// Declares access rules of a field.
pub(super) fn access_of_field(keys: &[&str], genes: &mut Genes<'_>) -> Option<Value> {
    let mut access = Map::default();
    for key in keys {
        if genes.once_in(2) {
            access.put(*key, rule_of_field(DEPTH_MAX, genes));
        }
    }
    (!access.is_empty()).then(|| access.value())
}

fn rule_of_field(depth: usize, genes: &mut Genes<'_>) -> Value {
    if depth == 0 || genes.once_in(2) {
        return text(genes.pick(&["public", "signed_in"]));
    }
    let mut rule = Map::default();
    rule.put("role", text(genes.pick(&["admin", "two words", "null"])));
    if genes.once_in(2) {
        rule.put("any", list([rule_of_field(depth - 1, genes), rule_of_field(depth - 1, genes)]));
    }
    if genes.once_in(2) {
        rule.put("not", rule_of_field(depth - 1, genes));
    }
    rule.value()
}

fn rule(id: &str, depth: usize, genes: &mut Genes<'_>) -> Value {
    if depth == 0 || genes.once_in(3) {
        return text(genes.pick(&["public", "signed_in"]));
    }
    let mut rule = Map::default();
    match genes.below(4) {
        0 => rule.put("role", text(genes.pick(&["admin", "two words", "self", "x\"y", "null"]))),
        1 => rule.put("role", list([text("editor"), text(format!("r{}", genes.fresh()))])),
        _ => {}
    }
    if genes.once_in(2) {
        rule.put("where", tests(id, genes));
    }
    for key in ["any", "all"] {
        if genes.once_in(4) {
            let rules: Vec<_> =
                (0..=genes.below(2)).map(|_| self::rule(id, depth - 1, genes)).collect();
            rule.put(key, list(rules));
        }
    }
    if genes.once_in(4) || rule.is_empty() {
        rule.put("not", self::rule(id, depth - 1, genes));
    }
    rule.value()
}

fn tests(id: &str, genes: &mut Genes<'_>) -> Value {
    let mut value = || match id {
        "integer" => number(genes.pick(&["7", "0", "-3"])),
        "uuid" => text("0190b5a8-6c1f-7c3e-9d2a-3f1e5b7c9d10"),
        _ => text(format!("id {}", odd_text(genes))),
    };
    let (one, other) = (value(), value());
    let mut tests = Map::default();
    match genes.below(5) {
        0 => tests.put("id", one),
        1 => tests.put("id", list([one, other])),
        2 => tests.put("id", text("$account.id")),
        3 => tests.put("id", Value::Null),
        _ => {
            let mut operators = Map::default();
            operators.put(genes.pick(&["eq", "ne"]), Value::Null);
            operators.put(genes.pick(&["lt", "lte"]), one);
            operators.put(genes.pick(&["gt", "gte"]), text("$account.limit"));
            operators.put("nin", list([other]));
            tests.put("id", operators.value());
        }
    }
    tests.value()
}
