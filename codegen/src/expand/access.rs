//! Generates the access rules of a resource as a field of its definition.

use super::literal::{literal, some, variant};
use crate::schema::{Access, FieldAccess, Operand, Rule, Test};
use proc_macro2::TokenStream;
use quote::quote;

/// The key `access`. `None` if there are no rules.
pub(super) fn key(access: &Access) -> Option<TokenStream> {
    let keys: Vec<_> =
        access.rules().filter_map(|(key, rule)| some(key, Some(of_rule(rule)))).collect();
    match keys.as_slice() {
        [] => None,
        // With all fields present, clippy would warn about the struct update syntax.
        [_, _, _, _] => Some(quote!(access: __v1::AccessDef { #(#keys),* })),
        keys => Some(quote!(access: __v1::AccessDef { #(#keys,)* ..__v1::AccessDef::EMPTY })),
    }
}

/// The key `access` of a field; `None` without rules.
pub(super) fn key_of_field(access: &FieldAccess) -> Option<TokenStream> {
    let keys: Vec<_> =
        access.rules().filter_map(|(key, rule)| some(key, Some(of_rule(rule)))).collect();
    match keys.as_slice() {
        [] => None,
        [_, _] => Some(quote!(access: __v1::FieldAccessDef { #(#keys),* })),
        keys => {
            Some(quote!(access: __v1::FieldAccessDef { #(#keys,)* ..__v1::FieldAccessDef::EMPTY }))
        }
    }
}

fn of_rule(rule: &Rule) -> TokenStream {
    let list = |rules: &[Rule]| {
        let rules = rules.iter().map(of_rule);
        quote!(&[#(#rules),*])
    };
    match rule {
        Rule::Public => quote!(__v1::RuleDef::Public),
        Rule::SignedIn => quote!(__v1::RuleDef::SignedIn),
        Rule::Role(roles) => quote!(__v1::RuleDef::Role(&[#(#roles),*])),
        Rule::Test(test) => of_test(test),
        Rule::All(rules) => {
            let rules = list(rules);
            quote!(__v1::RuleDef::All(#rules))
        }
        Rule::Any(rules) => {
            let rules = list(rules);
            quote!(__v1::RuleDef::Any(#rules))
        }
        Rule::Not(rule) => {
            let rule = of_rule(rule);
            quote!(__v1::RuleDef::Not(&[#rule]))
        }
    }
}

fn of_test(Test { path, op, operand }: &Test) -> TokenStream {
    let op = variant("TestOp", op);
    let operand = match operand {
        Operand::Null => quote!(Null),
        Operand::Value(value) => {
            let value = literal(value, None);
            quote!(Value(#value))
        }
        Operand::Values(values) => {
            let values = values.iter().map(|value| literal(value, None));
            quote!(Values(&[#(#values),*]))
        }
        Operand::Now => quote!(Now),
        Operand::Account(field) => quote!(Account(#field)),
    };
    quote! {
        __v1::RuleDef::Test(__v1::TestDef {
            path: #path,
            op: #op,
            operand: __v1::OperandDef::#operand,
        })
    }
}
