//! The description of an action in words.

use nouns_codegen::schema::{CallerClass, Condition, Schema};
use nouns_runtime::{
    Model,
    action::{Action, ActionKind, Assignments, CollectionQuery, Window},
    model::{
        Chain, FieldIx, Op, ResourceModel, SortKey, TestSubject, predicate::Predicate, value::Value,
    },
    route::collections,
};

use crate::cli::access::Rules;

/// A property of an action: its name, and its value.
pub(super) type Fact = (&'static str, String);

/// A rule that applies to a request: the resource, the key of the rule, and the members for which
/// the caller may do it.
pub(super) struct AppliedRule {
    pub(super) resource: String,
    pub(super) key: &'static str,
    pub(super) condition: String,
}

/// The collection that an action reads or writes. `None` if it is about no resource.
pub(super) fn chain(action: &Action) -> Option<&Chain> {
    match &action.kind {
        ActionKind::List { chain, .. }
        | ActionKind::Get { chain, .. }
        | ActionKind::NewForm { chain }
        | ActionKind::Create { chain, .. }
        | ActionKind::Write { chain, .. }
        | ActionKind::Amend { chain, .. }
        | ActionKind::Delete { chain, .. }
        | ActionKind::DeleteMany { chain, .. } => Some(chain),
        _ => None,
    }
}

/// The URL of an action with the names of its ids, as `nouns routes` lists it.
pub(super) fn route(model: &Model, action: &Action) -> Option<String> {
    let chain = chain(action)?;
    let resource = &model[chain.resource];
    let paths = collections(model, resource);
    let path = paths.iter().find(|path| path.matches('{').count() == chain.ids.len())?;
    let is_member = !matches!(
        action.kind,
        ActionKind::List { .. }
            | ActionKind::NewForm { .. }
            | ActionKind::Create { .. }
            | ActionKind::DeleteMany { .. }
    );
    let member = if is_member { format!("/{{{}_id}}", resource.def.name) } else { String::new() };
    let is_form = action.page.as_ref().is_some_and(|page| page.is_form);
    let form = if is_form { "/-/forms" } else { "" };
    Some(model.urls.local(&format!("{form}{path}{member}")))
}

/// The operation of an action, such as `list animal`.
pub(super) fn operation(model: &Model, action: &Action) -> String {
    let word = match &action.kind {
        ActionKind::List { .. } if action.exports() => "export",
        ActionKind::List { .. } => "list",
        ActionKind::Get { .. } if action.page.as_ref().is_some_and(|page| page.is_form) => {
            "the form that changes a"
        }
        ActionKind::Get { .. } => "get",
        ActionKind::Create { .. } => "create",
        ActionKind::Write { complete: true, .. } => "replace",
        ActionKind::Write { .. } | ActionKind::Amend { .. } => "update",
        ActionKind::Delete { .. } => "delete",
        ActionKind::DeleteMany { .. } => "delete_many",
        ActionKind::Home => "the home document",
        ActionKind::NewForm { .. } => "the form for a new",
        ActionKind::SignIn { .. } => "the form to sign in",
        ActionKind::OpenApi => "the OpenAPI document",
        ActionKind::Docs => "the page with the API reference",
        ActionKind::Watch => "the state of the schema file",
        ActionKind::PageFile(_) => "a file of the web pages",
        ActionKind::Health => "the health check",
        ActionKind::Ready => "the readiness check",
        ActionKind::Metrics => "the metrics",
        ActionKind::Problems(_) | ActionKind::Problem { .. } => "the page about a problem",
        ActionKind::Describe(_) => "the description of the URL",
        ActionKind::Trace(_) => "the received request",
        ActionKind::Redirect { .. } => "a redirect",
        ActionKind::Custom(_) => "sessions and tokens",
    };
    match chain(action) {
        Some(chain) => format!("{word} {}", model[chain.resource].def.name),
        None => word.to_owned(),
    }
}

/// The input of an action, as the server has understood it.
pub(super) fn facts(model: &Model, action: &Action) -> Vec<Fact> {
    let Some(chain) = chain(action) else { return vec![] };
    let resource = &model[chain.resource];
    let mut facts = vec![];
    if !chain.ids.is_empty() {
        facts.push(("chain", ancestors(model, chain)));
    }
    match &action.kind {
        ActionKind::List { query, .. } => facts.extend(of_query(resource, query, action)),
        ActionKind::Get { id, .. } => facts.push(("id", spelled(resource, FieldIx::ID, id))),
        ActionKind::Create { members, many, .. } => {
            if *many {
                facts.push(("members", members.len().to_string()));
            }
            let sets = members.iter().take(1).map(|member| ("sets", sets(resource, member)));
            facts.extend(sets);
        }
        ActionKind::Write { id, change, .. } => {
            facts.push(("id", spelled(resource, FieldIx::ID, id)));
            facts.push(("sets", sets(resource, change)));
        }
        ActionKind::Amend { id, .. } => {
            facts.push(("id", spelled(resource, FieldIx::ID, id)));
            let patch = "a JSON Patch, which is applied to the stored member";
            facts.push(("sets", patch.to_owned()));
        }
        ActionKind::Delete { id, .. } => facts.push(("id", spelled(resource, FieldIx::ID, id))),
        ActionKind::DeleteMany { predicate, .. } => {
            facts.push(("filter", condition(resource, predicate)));
        }
        _ => {}
    }
    if let Some(fields) = &action.preferences.fields {
        let names: Vec<_> = fields.iter().map(|field| &*resource[*field].name).collect();
        facts.push(("fields", names.join(", ")));
    }
    facts
}

fn of_query(resource: &ResourceModel, query: &CollectionQuery, action: &Action) -> Vec<Fact> {
    let key = |key: &SortKey| {
        let sign = if key.descending { "-" } else { "" };
        format!("{sign}{}", resource[key.field].name)
    };
    let sort: Vec<_> = query.sort.iter().map(key).collect();
    let start = match &query.page.window {
        Window::Start => "from the start".to_owned(),
        Window::Offset(skip) | Window::Page(skip) => format!("after the first {skip}"),
        Window::After(_) => "after the cursor".to_owned(),
        Window::Before(_) => "before the cursor".to_owned(),
    };
    let page = match action.exports() {
        true => "all members".to_owned(),
        false => format!("{} members at most, {start}", query.page.limit),
    };
    vec![
        ("filter", condition(resource, &query.predicate)),
        ("sort", sort.join(", ")),
        ("page", page),
    ]
}

/// The ancestors in the URL, the outermost first: `zoo 1`.
fn ancestors(model: &Model, chain: &Chain) -> String {
    let mut links: Vec<_> = model
        .ancestors(chain.resource)
        .zip(chain.ids.iter().rev())
        .map(|(above, id)| {
            let above = &model[above];
            format!("{} {}", above.def.name, spelled(above, FieldIx::ID, id))
        })
        .collect();
    links.reverse();
    links.join(", ")
}

fn sets(resource: &ResourceModel, values: &Assignments) -> String {
    if values.columns.is_empty() {
        return "nothing".to_owned();
    }
    let part = |(field, value): &(FieldIx, Value)| {
        format!("{} = {}", resource[*field].name, spelled(resource, *field, value))
    };
    values.columns.iter().map(part).collect::<Vec<_>>().join(", ")
}

/// A filter in words. Parts of other precedence are in brackets.
fn condition(resource: &ResourceModel, predicate: &Predicate) -> String {
    let list = |parts: &[Predicate], word: &str| {
        let part = |part: &Predicate| match part {
            Predicate::All(_) | Predicate::Any(_) => format!("({})", condition(resource, part)),
            part => condition(resource, part),
        };
        parts.iter().map(part).collect::<Vec<_>>().join(word)
    };
    match predicate {
        Predicate::All(parts) if parts.is_empty() => "none".to_owned(),
        Predicate::Any(parts) if parts.is_empty() => "no member matches".to_owned(),
        Predicate::All(parts) => list(parts, " and "),
        Predicate::Any(parts) => list(parts, " or "),
        Predicate::Not(inner) => format!("not ({})", condition(resource, inner)),
        Predicate::Test { subject: TestSubject::Field(field), op, values } => {
            test(resource, *field, *op, values)
        }
        // No request can make these yet.
        Predicate::Test { .. }
        | Predicate::Compared(_)
        | Predicate::Related(_)
        | Predicate::Given(_) => "a test of related members".to_owned(),
    }
}

fn test(resource: &ResourceModel, field: FieldIx, op: Op, values: &[Value]) -> String {
    let name = &resource[field].name;
    let values: Vec<_> = values.iter().map(|value| spelled(resource, field, value)).collect();
    let list = values.join(", ");
    match op {
        Op::Eq => format!("{name} = {list}"),
        Op::Ne => format!("{name} != {list}"),
        Op::Lt => format!("{name} < {list}"),
        Op::Lte => format!("{name} <= {list}"),
        Op::Gt => format!("{name} > {list}"),
        Op::Gte => format!("{name} >= {list}"),
        Op::In(_) => format!("{name} in [{list}]"),
        Op::NotIn(_) => format!("{name} not in [{list}]"),
        Op::Contains => format!("{name} contains {list}"),
        Op::StartsWith => format!("{name} starts with {list}"),
        Op::EndsWith => format!("{name} ends with {list}"),
        Op::Between => format!("{name} between {}", values.join(" and ")),
        Op::Null => format!("{name} = null"),
        Op::NotNull => format!("{name} != null"),
    }
}

/// A value of a field. Texts are in quotes.
fn spelled(resource: &ResourceModel, field: FieldIx, value: &Value) -> String {
    let text = value.spell(resource[field].kind);
    match value {
        Value::Text(_) => serde_json::Value::String(text).to_string(),
        _ => text,
    }
}

/// The access rules that apply: reading of the ancestors and of the resource, and the rule of the
/// operation. Empty if the schema has no accounts.
pub(super) fn rules(
    schema: &Schema,
    model: &Model,
    class: &CallerClass,
    action: &Action,
) -> Vec<AppliedRule> {
    let Some(chain) = chain(action).filter(|_| schema.auth.is_some()) else { return vec![] };
    let rules = Rules { schema };
    let own: &[&'static str] = match &action.kind {
        ActionKind::Create { .. } => &["create"],
        ActionKind::Write { create: Ok(_), .. } => &["read", "update", "create"],
        ActionKind::Write { .. } | ActionKind::Amend { .. } => &["read", "update"],
        ActionKind::Delete { .. } | ActionKind::DeleteMany { .. } => &["read", "delete"],
        _ => &["read"],
    };
    let above = model.ancestors(chain.resource).take(chain.ids.len()).map(|above| (above, "read"));
    let mut all: Vec<_> = above.collect();
    all.reverse();
    all.extend(own.iter().map(|key| (chain.resource, *key)));
    all.into_iter()
        .filter_map(|(resource, key)| {
            let name = model[resource].def.name;
            let declared = schema.resources.iter().find(|one| one.name == name)?;
            let condition = rules.condition(declared, key, class).unwrap_or(Condition::Never);
            let (resource, condition) = (name.to_owned(), condition.to_string());
            Some(AppliedRule { resource, key, condition })
        })
        .collect()
}
