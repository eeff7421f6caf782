//! Reads the calls that set keys of `keep_alive`, `timeouts`, `limits` and `rate_limit`.

use super::{Call, entry, node};
use crate::derive::reader::{Reader, last};
use crate::draft::{Entry, Origin, Value};
use nouns_declaration::def::{Limit, Timeout};
use syn::{Expr, ExprLit, Lit};

/// The mappings of `server` that have limits and timeouts, with their entries so far.
#[derive(Default)]
pub(super) struct LimitEntries(Vec<(&'static str, Vec<Entry>)>);

impl LimitEntries {
    /// Adds the entry of a call `limit(Limit::…, number)`.
    pub(super) fn limit(&mut self, call: &Call<'_>, reader: &mut Reader) {
        let limit = variant(call, "Limit")
            .and_then(|name| Limit::ALL.iter().find(|limit| limit.rust() == name).copied());
        let number = match call.arguments.get(1) {
            Some(Expr::Lit(ExprLit { lit: Lit::Int(number), .. })) => Some(number),
            _ => None,
        };
        let Some((limit, number)) = limit.zip(number) else {
            return call.refuse("a variant of `Limit` and a number", reader);
        };
        let value = Value::Number(number.base10_digits().to_owned());
        self.add(limit.group(), call.entry(limit.key(), value, number.span()));
    }

    /// Adds the entry of a call `timeout(Timeout::…, Duration::…)`.
    pub(super) fn timeout(&mut self, call: &Call<'_>, reader: &mut Reader) {
        let timeout = variant(call, "Timeout")
            .and_then(|name| Timeout::ALL.iter().find(|timeout| timeout.rust() == name).copied());
        let time = call.arguments.get(1).and_then(|given| super::written_duration(given));
        let Some((timeout, (text, at))) = timeout.zip(time) else {
            return call.refuse("a variant of `Timeout` and a `Duration::from_secs(…)`", reader);
        };
        self.add(timeout.group(), call.entry(timeout.key(), Value::Text(text), at));
    }

    /// Adds the entry of a call `client_rate(number, Duration::…)` or `account_rate(…)`.
    pub(super) fn rate(&mut self, call: &Call<'_>, reader: &mut Reader) {
        let key = if call.name == "client_rate" { "client" } else { "account" };
        let requests = match call.arguments.first() {
            Some(Expr::Lit(ExprLit { lit: Lit::Int(number), .. })) => Some(number),
            _ => None,
        };
        let time = call.arguments.get(1).and_then(|given| super::written_duration(given));
        let Some((requests, (time, at))) = requests.zip(time) else {
            return call.refuse("a number and a `Duration::from_secs(…)`", reader);
        };
        let text = format!("{}/{time}", requests.base10_digits());
        self.add("rate_limit", call.entry(key, Value::Text(text), at));
    }

    fn add(&mut self, group: &'static str, entry: Entry) {
        match self.0.iter_mut().find(|(name, _)| *name == group) {
            Some((_, entries)) => entries.push(entry),
            None => self.0.push((group, vec![entry])),
        }
    }

    /// The entries of `server`, one for each mapping.
    pub(super) fn finish(self) -> impl Iterator<Item = Entry> {
        self.0.into_iter().filter_map(|(group, entries)| {
            let Origin::Rust(at) = entries.first()?.key.at else { return None };
            Some(Entry { value: node(Value::Map(entries), at), ..entry(group, at, Value::Null) })
        })
    }
}

/// The name of the variant in the first argument of a call, such as `BodyBytes`.
fn variant(call: &Call<'_>, of: &str) -> Option<String> {
    let Some(Expr::Path(path)) = call.arguments.first() else { return None };
    let is_of = path.path.segments.iter().rev().nth(1).is_some_and(|segment| segment.ident == of);
    is_of.then(|| last(&path.path))
}
