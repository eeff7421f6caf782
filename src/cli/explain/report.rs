//! The report of an explanation, as text and as JSON.

use http::{HeaderMap, StatusCode, header};
use nouns_runtime::{
    Model,
    action::ActionKind,
    service::Explanation,
    store::{BoundValue, ExplainedStatement, QueryPlanLine},
    value::Value,
};
use serde_json::{Value as Json, json};

use super::{
    facts::{self, AppliedRule},
    sql_lines,
};
use crate::snapshot;

/// The width of the names of facts.
const NAME_WIDTH: usize = 9;

/// The request that is explained.
pub(super) struct RequestLine {
    pub(super) method: String,
    pub(super) target: String,
    pub(super) caller: String,
}

impl RequestLine {
    fn text(&self) -> String {
        format!("{} {} as {}\n\n", self.method, self.target, self.caller)
    }

    fn json(&self) -> Json {
        json!({ "method": self.method, "target": self.target, "caller": self.caller })
    }
}

/// The problem that the server would answer.
pub(super) struct Problem {
    pub(super) request: RequestLine,
    pub(super) status: StatusCode,
    pub(super) body: String,
}

impl Problem {
    pub(super) fn text(&self) -> String {
        let body = snapshot::content(self.body.as_bytes());
        format!("{}{:<NAME_WIDTH$} {}\n{body}", self.request.text(), "response", self.status)
    }

    pub(super) fn json(&self) -> String {
        let body = serde_json::from_str(&self.body).unwrap_or(Json::String(self.body.clone()));
        let response = json!({ "status": self.status.as_u16(), "problem": body });
        format!("{:#}\n", json!({ "request": self.request.json(), "response": response }))
    }
}

/// The report of what the server does for a request.
pub(super) struct Report<'e> {
    pub(super) request: RequestLine,
    pub(super) model: &'e Model,
    pub(super) rules: Vec<AppliedRule>,
    pub(super) explanation: &'e Explanation,
    /// The query plan of each statement.
    pub(super) plans: Vec<Vec<QueryPlanLine>>,
}

impl Report<'_> {
    pub(super) fn text(&self) -> String {
        let Explanation { action, statements, reply, .. } = self.explanation;
        let mut text = self.request.text();
        let mut fact = |name: &str, value: &str| {
            text.push_str(&format!("{name:<NAME_WIDTH$} {value}\n"));
        };
        if let Some(route) = facts::route(self.model, action) {
            fact("route", &route);
        }
        fact("action", &facts::operation(self.model, action));
        for (name, value) in facts::facts(self.model, action) {
            fact(name, &value);
        }
        let width = self.rules.iter().map(|rule| rule.resource.len()).max().unwrap_or_default();
        for (at, AppliedRule { resource, key, condition }) in self.rules.iter().enumerate() {
            let name = if at == 0 { "rules" } else { "" };
            fact(name, &format!("{resource:<width$}  {key:<6}  {condition}"));
        }
        for (statement, plan) in statements.iter().zip(&self.plans) {
            text.push_str(&statement_text(statement, plan));
        }
        text.push('\n');
        match reply {
            None => text.push_str("response  (it is made while the server runs)\n"),
            Some(reply) => {
                text.push_str(&format!("{:<NAME_WIDTH$} {}\n", "response", reply.status));
                for (name, value) in self.fields(&reply.headers) {
                    text.push_str(&format!("  {name}: {value}\n"));
                }
            }
        }
        text
    }

    pub(super) fn json(&self) -> String {
        let Explanation { action, reply, .. } = self.explanation;
        let mut described = serde_json::Map::new();
        described.insert("operation".to_owned(), facts::operation(self.model, action).into());
        for (name, value) in facts::facts(self.model, action) {
            described.insert(name.to_owned(), value.into());
        }
        let rules: Vec<_> = self
            .rules
            .iter()
            .map(|rule| json!({ "resource": rule.resource, "rule": rule.key, "condition": rule.condition }))
            .collect();
        let statements = self.explanation.statements.iter().zip(&self.plans);
        let statements: Vec<_> = statements.map(|(one, plan)| statement_json(one, plan)).collect();
        let response = reply.as_ref().map(|reply| {
            let headers: serde_json::Map<_, _> =
                self.fields(&reply.headers).into_iter().map(|(n, v)| (n, v.into())).collect();
            json!({ "status": reply.status.as_u16(), "headers": headers })
        });
        let report = json!({
            "request": self.request.json(),
            "route": facts::route(self.model, action),
            "action": described,
            "rules": rules,
            "statements": statements,
            "writes": self.explanation.writes,
            "response": response,
        });
        format!("{report:#}\n")
    }

    /// The header fields of the response, sorted by name. A value that depends on stored members is
    /// described.
    fn fields(&self, headers: &HeaderMap) -> Vec<(String, String)> {
        let creates = matches!(self.explanation.action.kind, ActionKind::Create { .. });
        let mut fields: Vec<_> = headers
            .iter()
            .filter(|(name, _)| **name != header::CONTENT_LENGTH)
            .map(|(name, value)| {
                let text = match *name {
                    header::ETAG => self.validator(),
                    header::LAST_MODIFIED => "(the time of the last change)".to_owned(),
                    header::LOCATION if creates => "(the URL of the new member)".to_owned(),
                    _ => String::from_utf8_lossy(value.as_bytes()).into_owned(),
                };
                (name.to_string(), text)
            })
            .collect();
        fields.sort();
        fields
    }

    /// Returns the text that says what the ETag is made of.
    fn validator(&self) -> String {
        match (&self.explanation.action.kind, &*self.explanation.reads) {
            (ActionKind::List { .. }, reads) => format!(
                "(strong: the request, and the last changes of the tables of {})",
                reads.join(", ")
            ),
            (_, _) if facts::chain(&self.explanation.action).is_some() => {
                "(strong: the revision of the member)".to_owned()
            }
            _ => "(strong: the schema)".to_owned(),
        }
    }
}

fn statement_text(statement: &ExplainedStatement, plan: &[QueryPlanLine]) -> String {
    let mut text = format!("\nstatement {}\n", statement.purpose);
    for line in sql_lines::lines(&statement.text) {
        text.push_str(&format!("  {line}\n"));
    }
    // As the dialect of the statement spells its parameters.
    let mark = if statement.text.contains("?1") { '?' } else { '$' };
    for (at, value) in statement.values.iter().enumerate() {
        text.push_str(&format!("  {mark}{} = {}\n", at + 1, bound(value)));
    }
    for (at, line) in plan.iter().enumerate() {
        let name = if at == 0 { "plan" } else { "" };
        text.push_str(&format!("  {name:<5} {}{}\n", "  ".repeat(line.depth), line.detail));
    }
    text
}

fn statement_json(statement: &ExplainedStatement, plan: &[QueryPlanLine]) -> Json {
    let values: Vec<_> = statement
        .values
        .iter()
        .map(|value| match value {
            BoundValue::Known(Value::Null) => Json::Null,
            BoundValue::Known(Value::Integer(value)) => (*value).into(),
            BoundValue::Known(Value::Number(value)) => (*value).into(),
            BoundValue::Known(Value::Text(text)) => text.clone().into(),
            other => bound(other).into(),
        })
        .collect();
    let plan: Vec<_> =
        plan.iter().map(|line| json!({ "depth": line.depth, "detail": line.detail })).collect();
    json!({ "purpose": statement.purpose, "sql": statement.text, "values": values, "plan": plan })
}

/// A bound value as SQL, or what it will be.
fn bound(value: &BoundValue) -> String {
    match value {
        BoundValue::Known(Value::Null) => "NULL".to_owned(),
        BoundValue::Known(Value::Integer(value)) => value.to_string(),
        BoundValue::Known(Value::Number(value)) => value.to_string(),
        BoundValue::Known(Value::Text(text)) => {
            format!("'{}'", visible(&text.replace('\'', "''")))
        }
        BoundValue::Known(Value::Password(_)) => "(the hash of the password)".to_owned(),
        BoundValue::Account(field) => format!("$account.{field}"),
        BoundValue::Time => "(the time)".to_owned(),
        BoundValue::Revision => "(the number of the change)".to_owned(),
        BoundValue::ListOwner => "(the id of the row that the list belongs to)".to_owned(),
    }
}

/// Returns a text in which each control character is escaped, so that it cannot change the
/// terminal. The characters that change the direction of text are escaped, too.
fn visible(text: &str) -> String {
    let is_hidden = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{200e}' | '\u{200f}')
            || ('\u{202a}'..='\u{202e}').contains(&letter)
            || ('\u{2066}'..='\u{2069}').contains(&letter)
    };
    let mut visible = String::with_capacity(text.len());
    for letter in text.chars() {
        match is_hidden(letter) {
            true => visible.extend(letter.escape_unicode()),
            false => visible.push(letter),
        }
    }
    visible
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_value_cannot_change_the_terminal() {
        let bound = |text: &str| bound(&BoundValue::Known(Value::Text(text.to_owned())));
        assert_eq!(bound("it's\u{1b}[31m"), "'it''s\\u{1b}[31m'");
        assert_eq!(bound("a\nb\u{202e}\u{9b}"), "'a\\u{a}b\\u{202e}\\u{9b}'");
        assert_eq!(bound("Käthe – ok"), "'Käthe – ok'");
    }
}
