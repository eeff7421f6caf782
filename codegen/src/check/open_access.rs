//! Warns about access that is probably wider than intended: roles that callers may choose
//! themselves, and operations whose rule was forgotten.

use super::context::Context;
use super::field_access::described;
use super::resource::ResourceDraft;
use crate::diagnostic::Problem;
use crate::diagnostic::problem::Words;
use crate::draft::{Origin, Value, excerpt};
use crate::schema::{Auth, CallerClass, Condition, Field, FieldMode, Operation, Rule};

/// Warns about the access rules of all resources.
pub(super) fn warn(drafts: &[ResourceDraft<'_>], auth: Option<&Auth>, context: &mut Context) {
    for draft in drafts {
        warn_of_changes(draft, auth.is_none(), context);
    }
    if let Some(auth) = auth {
        warn_of_role(drafts, auth, context);
    }
}

/// Warns about a resource whose members only some callers may create, but which all may change or
/// delete, since there is no rule.
fn warn_of_changes(draft: &ResourceDraft<'_>, is_open: bool, context: &mut Context) {
    let access = &draft.resource.access;
    let (usual, who) = match is_open {
        true => (Rule::Public, "everybody"),
        false => (Rule::SignedIn, "every caller who is signed in"),
    };
    if access.create.as_ref().is_none_or(|rule| *rule == usual) {
        return;
    }
    let changes = [
        ("update", &access.update, [Operation::Update, Operation::Replace]),
        ("delete", &access.delete, [Operation::Delete, Operation::DeleteMany]),
    ];
    let open = changes.iter().filter(|(_, rule, operations)| {
        rule.is_none() && operations.iter().any(|one| draft.resource.methods.contains(one))
    });
    let keys: Vec<_> = open.map(|(key, ..)| *key).collect();
    if !keys.is_empty() {
        let (resource, keys) = (excerpt(draft.name()), Words(keys));
        context.report(place(draft), Problem::OpenToChange { resource, keys, who });
    }
}

/// The position of the key `create` in `access`.
fn place(draft: &ResourceDraft<'_>) -> Origin {
    let rules = draft.map.entry("access").map(|entry| &entry.value.value);
    let create = match rules {
        Some(Value::Map(rules)) => rules.iter().find(|rule| rule.key.value == "create"),
        _ => None,
    };
    create.map_or_else(|| draft.map.key_place("access"), |rule| rule.key.at)
}

/// Warns if callers may choose the role of their account: anonymous ones who sign up, or signed-in
/// ones whose role no rule names.
fn warn_of_role(drafts: &[ResourceDraft<'_>], auth: &Auth, context: &mut Context) {
    let Some(accounts) = drafts.iter().find(|draft| draft.name() == auth.accounts) else { return };
    let mut fields =
        accounts.fields.iter().filter_map(|draft| draft.field.as_ref().zip(Some(draft)));
    let Some((role, written)) = fields.find(|(field, _)| Some(&field.name) == auth.role.as_ref())
    else {
        return;
    };
    // If no rule names a role, all who are signed in may do the same, whatever their role.
    let has_roles = drafts.iter().any(|draft| draft.roles().next().is_some());
    let classes = [(CallerClass::Anonymous, true), (CallerClass::SignedIn, has_roles)];
    let classes = classes.into_iter().filter(|(_, matters)| *matters).map(|(class, _)| class);
    for class in classes.filter(|class| role.access.may_write(class)) {
        if let Some(does) = choice(accounts, role, &class) {
            let (field, resource) = (excerpt(&role.name), excerpt(accounts.name()));
            let problem = Problem::OpenRole { field, resource, who: described(&class), does };
            return context.report(written.entry.key.at, problem);
        }
    }
}

/// Returns the way in which a class of callers may choose the role of an account, if there is one.
fn choice(accounts: &ResourceDraft<'_>, role: &Field, class: &CallerClass) -> Option<&'static str> {
    let access = &accounts.resource.access;
    let offers = |operation: Operation| accounts.resource.methods.contains(&operation);
    let is_settable = !matches!(role.mode, FieldMode::ReadOnly | FieldMode::Hidden);
    let is_changeable = is_settable && role.mode != FieldMode::CreateOnly;
    let may = |rule: &Option<Rule>| match rule {
        Some(rule) => is_free(&rule.condition(class), &role.name),
        None => *class != CallerClass::Anonymous,
    };
    if is_settable && offers(Operation::Create) && may(&access.create) {
        Some("create")
    } else if is_changeable
        && (offers(Operation::Update) || offers(Operation::Replace))
        && may(&access.update)
    {
        Some("change")
    } else {
        None
    }
}

/// Whether a condition lets members pass, whatever they have in a field.
fn is_free(condition: &Condition, field: &str) -> bool {
    match condition {
        Condition::Always => true,
        Condition::Never => false,
        Condition::Test(test) | Condition::Not(test) => test.path != field,
        Condition::All(parts) => parts.iter().all(|part| is_free(part, field)),
        Condition::Any(parts) => parts.iter().any(|part| is_free(part, field)),
    }
}
