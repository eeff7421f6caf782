//! Writes the access rules of a resource.

use super::keys::Keys;
use super::names::ident;
use super::value::{is_word, list, literal, text, word};
use crate::schema::{Operand, Rule, Test, TestOp};
use proc_macro2::TokenStream;
use quote::quote;

/// The keys of `access`.
pub(super) fn keys<'s>(rules: impl Iterator<Item = (&'static str, &'s Rule)>) -> Keys {
    let mut keys = Keys::of("resource");
    for (key, rule) in rules {
        match rule {
            Rule::Public => keys.pair(key, Some(word("public"))),
            Rule::SignedIn => keys.pair(key, Some(word("signed_in"))),
            rule => keys.group(key, of_rule(rule)),
        }
    }
    keys
}

/// The keys of a rule that is a mapping.
fn of_rule(rule: &Rule) -> Keys {
    let mut keys = Keys::of("resource");
    match rule {
        Rule::All(parts) if is_mapping(parts) => {
            let (tests, others): (Vec<_>, Vec<_>) =
                parts.iter().partition(|part| matches!(part, Rule::Test(_)));
            let is_role = |part: &&&Rule| matches!(part, Rule::Role(_));
            others.iter().filter(is_role).for_each(|part| add(part, &mut keys));
            keys.group("where", of_tests(&tests));
            others.iter().filter(|part| !is_role(part)).for_each(|part| add(part, &mut keys));
        }
        Rule::Test(_) => keys.group("where", of_tests(&[rule])),
        rule => add(rule, &mut keys),
    }
    keys
}

fn add(rule: &Rule, keys: &mut Keys) {
    match rule {
        Rule::Role(roles) => keys.pair("role", Some(role(roles))),
        Rule::Any(rules) => keys.pair("any", Some(list(rules.iter().map(nested)))),
        Rule::All(rules) => keys.pair("all", Some(list(rules.iter().map(nested)))),
        Rule::Not(rule) => keys.pair("not", Some(nested(rule))),
        Rule::Public | Rule::SignedIn | Rule::Test(_) => {}
    }
}

/// Whether these parts are those of a mapping, in the order of its keys: a role, tests of different
/// fields, `any`, `all` and `not`. Other lists are written as `all`.
fn is_mapping(parts: &[Rule]) -> bool {
    let place = |part: &Rule| match part {
        Rule::Public | Rule::SignedIn => None,
        Rule::Role(_) => Some(0),
        Rule::Test(_) => Some(1),
        Rule::Any(_) => Some(2),
        Rule::All(_) => Some(3),
        Rule::Not(_) => Some(4),
    };
    let Some(places) = parts.iter().map(place).collect::<Option<Vec<_>>>() else { return false };
    let is_sorted = places.windows(2).all(|two| two[0] < two[1] || two == [1, 1]);
    let tests = parts.iter().filter_map(|part| match part {
        Rule::Test(test) => Some((&test.path, test.op)),
        _ => None,
    });
    parts.len() > 1 && is_sorted && are_in_one_mapping(&tests.collect::<Vec<_>>())
}

/// Whether tests can stand in one mapping: those of a field follow each other, with different
/// operators.
fn are_in_one_mapping(tests: &[(&String, TestOp)]) -> bool {
    tests.iter().enumerate().all(|(at, (path, op))| {
        let mut before = tests[..at].iter().filter(|(other, _)| other == path);
        let is_new = at == 0 || tests[at - 1].0 == *path || before.clone().next().is_none();
        is_new && before.all(|(_, other)| other != op)
    })
}

/// A rule in a list or after `not`.
fn nested(rule: &Rule) -> TokenStream {
    match rule {
        Rule::Public => word("public"),
        Rule::SignedIn => word("signed_in"),
        rule => of_rule(rule).braced(),
    }
}

fn role(roles: &[String]) -> TokenStream {
    match roles {
        [role] => word(role),
        roles => list(roles.iter().map(|role| word(role))),
    }
}

/// The keys of `where`. Several tests of a field are one mapping of operators.
fn of_tests(tests: &[&Rule]) -> Keys {
    let tests: Vec<&Test> = tests
        .iter()
        .filter_map(|rule| if let Rule::Test(test) = rule { Some(test) } else { None })
        .collect();
    let mut keys = Keys::of("resource");
    for of_field in tests.chunk_by(|one, other| one.path == other.path) {
        let path = &of_field[0].path;
        let key = if is_word(path) { quote_word(path) } else { text(path) };
        match of_field {
            [Test { op: TestOp::Eq, operand, .. }] => keys.raw(&key, &value(operand)),
            [Test { op: TestOp::In, operand, .. }] => keys.raw(&key, &value(operand)),
            all => {
                let mut operators = Keys::of("resource");
                for test in all {
                    operators.pair(test.op.word(), Some(value(&test.operand)));
                }
                keys.raw(&key, &operators.braced());
            }
        }
    }
    keys
}

fn quote_word(name: &str) -> TokenStream {
    let name = ident(name);
    quote!(#name)
}

fn value(operand: &Operand) -> TokenStream {
    match operand {
        Operand::Null => quote!(null),
        Operand::Value(value) => literal(value),
        Operand::Values(values) => list(values.iter().map(literal)),
        Operand::Now => quote!("$now"),
        Operand::Account(field) => text(&format!("$account.{field}")),
    }
}
