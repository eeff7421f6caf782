//! Checks the accounts of an API: the fields that they need, the roles in rules, and defaults that
//! are values of an account.

use super::{
    Faults, FindNearest,
    access::{self, PathEnd, resolve},
};
use crate::{
    def::{AuthDef, FieldKind, Scheme},
    outline::{AccountsName, Attribute, Noun, Outline, PlacedText},
    problem::{Problem, excerpt},
};

/// Checks that the resource of accounts has the fields that `auth` names.
pub(super) fn check<P: Copy>(
    outline: &Outline<'_, P>,
    nearest: FindNearest<'_>,
    found: &mut Faults<P>,
) {
    let Some(accounts) = &outline.accounts else { return };
    reserved(outline, accounts, found);
    enclosed(outline, accounts, found);
    // An unknown resource is reported by the caller, as for references.
    let Some(noun) = outline.nouns.iter().find(|noun| noun.name.text == accounts.resource.text)
    else {
        return;
    };
    of_body(outline, noun, found);
    let mut field =
        |name: PlacedText<'_, P>, problem: fn(&Attribute<'_, P>) -> Option<Problem>| match noun
            .attributes
            .iter()
            .find(|attribute| attribute.name.text == name.text)
        {
            Some(attribute) => found.extend(name.at, problem(attribute)),
            None => found.say(name.at, unknown(noun, name.text, nearest)),
        };
    field(accounts.login, unfit_login);
    field(accounts.password, unfit_password);
    if let Some(role) = accounts.role {
        field(role, unfit_role);
    }
    claims(outline, accounts, noun, nearest, found);
    roles(outline, accounts, nearest, found);
    for attribute in outline.nouns.iter().flat_map(|noun| &noun.attributes) {
        if let Some(default) = attribute.account_default {
            found
                .extend(default.at, unfit_default(outline, noun, attribute, default.text, nearest));
        }
    }
}

/// Checks that no collection has the path of sessions or tokens.
fn reserved<P: Copy>(
    outline: &Outline<'_, P>,
    accounts: &AccountsName<'_, P>,
    found: &mut Faults<P>,
) {
    for (scheme, path) in [(Scheme::Session, "sessions"), (Scheme::Bearer, "tokens")] {
        if !accounts.schemes.contains(&scheme) {
            continue;
        }
        for noun in &outline.nouns {
            let own = noun.is_at_top().then_some(&noun.collection);
            for taken in own.into_iter().chain(&noun.moved_from) {
                if taken.text.trim_start_matches('/').split('/').next() == Some(path) {
                    let (collection, scheme) = (path.to_owned(), scheme.word());
                    found.say(taken.at, Problem::ReservedCollection { collection, scheme });
                }
            }
        }
    }
}

/// Checks that no field of the accounts has the name that the present password has in a body.
fn of_body<P: Copy>(outline: &Outline<'_, P>, accounts: &Noun<'_, P>, found: &mut Faults<P>) {
    let wire = |name: &str| outline.case.wire(name);
    let fields = accounts.attributes.iter().map(|attribute| attribute.name);
    for field in fields.chain(accounts.parent.map(|parent| parent.field)) {
        if wire(field.text) == wire(AuthDef::CURRENT_PASSWORD) {
            let reason = "a change of the own password has the present one under this name";
            let name = excerpt(field.text);
            found.say(field.at, Problem::Reserved { what: "field", name, reason });
        }
    }
}

/// Checks that no field has the name of a query parameter or form field with a session. The server
/// removes it from requests, so the field would be ignored in filters and forms.
fn enclosed<P: Copy>(
    outline: &Outline<'_, P>,
    accounts: &AccountsName<'_, P>,
    found: &mut Faults<P>,
) {
    for mention in &accounts.enclosed {
        let name = mention.field.text;
        let is_named = |field: &str| outline.case.wire(field) == name;
        let has_field = |noun: &&Noun<'_, P>| {
            is_named("id")
                || noun.attributes.iter().any(|attribute| is_named(attribute.name.text))
                || noun.parent.as_ref().is_some_and(|parent| is_named(parent.field.text))
                || noun.timestamps && ["created_at", "updated_at"].into_iter().any(is_named)
        };
        let what = match outline.nouns.iter().find(has_field) {
            Some(noun) => format!("a field of `{}`", excerpt(noun.name.text)),
            None if is_named(AuthDef::CURRENT_PASSWORD) => {
                "in a change of the own password the present one".to_owned()
            }
            None if name == "persistent" => "a field of the form that signs in".to_owned(),
            None => continue,
        };
        let (key, name) = (mention.key, excerpt(name));
        found.say(mention.field.at, Problem::EnclosedNameTaken { key, name, what });
    }
}

/// Checks that the accounts can have each role that a rule names.
fn roles<P: Copy>(
    outline: &Outline<'_, P>,
    accounts: &AccountsName<'_, P>,
    nearest: FindNearest<'_>,
    found: &mut Faults<P>,
) {
    for role in outline.nouns.iter().flat_map(|noun| &noun.roles) {
        let Some(field) = &accounts.role else {
            let what = format!("role: {}", excerpt(role.text));
            found
                .say(role.at, Problem::NoRoles { what, accounts: excerpt(accounts.resource.text) });
            continue;
        };
        if !accounts.roles.is_empty() && !accounts.roles.contains(&role.text) {
            let nearest = nearest(role.text, &accounts.roles);
            let (role_name, field) = (excerpt(role.text), excerpt(field.text));
            found.say(role.at, Problem::UnknownRole { role: role_name, field, nearest });
        }
    }
}

/// Checks that claims of tokens set fields of the accounts that can have their values.
fn claims<P: Copy>(
    outline: &Outline<'_, P>,
    accounts: &AccountsName<'_, P>,
    noun: &Noun<'_, P>,
    nearest: FindNearest<'_>,
    found: &mut Faults<P>,
) {
    for field in &accounts.claims {
        if field.text.contains('.') {
            found.say(field.at, unknown(noun, field.text, nearest));
            continue;
        }
        let kind = match resolve(outline, noun, field.text, nearest) {
            Ok(end) => end.and_then(|end| kind_of(outline, end)),
            Err(problem) => {
                found.say(field.at, problem);
                continue;
            }
        };
        if let Some(kind) = kind.filter(|kind| kind.is_password() || *kind == FieldKind::Json) {
            let (field_name, kind) = (excerpt(field.text), kind.word());
            found.say(field.at, Problem::UnfitClaim { field: field_name, kind });
        }
    }
}

/// The problem of a default that is the value of the field `name` of an account.
fn unfit_default<P>(
    outline: &Outline<'_, P>,
    accounts: &Noun<'_, P>,
    of: &Attribute<'_, P>,
    name: &str,
    nearest: FindNearest<'_>,
) -> Option<Problem> {
    let value = format!("$account.{}", excerpt(name));
    if name.contains('.') {
        let expected = "a field of the account, without a path".to_owned();
        return Some(Problem::WrongValue { key: "default".to_owned(), value, expected });
    }
    let account = match resolve(outline, accounts, name, nearest) {
        Ok(end) => end?,
        Err(problem) => return Some(problem),
    };
    let target = of.reference.as_ref().map(|to| to.resource.text);
    let own = PathEnd { kind: of.kind, target };
    let (kind, value_kind) = (kind_of(outline, own)?, kind_of(outline, account)?);
    // An id is of one resource, although the ids of another may be of the same type.
    let is_other_id = account.target.is_some_and(|other| target.is_some_and(|own| own != other));
    let described = |end: PathEnd<'_>, kind: FieldKind| match end.target {
        Some(target) => format!("an id of `{}`", excerpt(target)),
        None => format!("of type `{}`", kind.word()),
    };
    let is_unfit = kind != value_kind || is_other_id || value_kind.is_password();
    is_unfit.then(|| Problem::UnfitDefault {
        field: excerpt(of.name.text),
        kind: described(own, kind),
        value,
        value_kind: described(account, value_kind),
    })
}

/// The kind of values. An id has the kind of the ids of its resource.
fn kind_of<P>(outline: &Outline<'_, P>, end: PathEnd<'_>) -> Option<FieldKind> {
    match end.target {
        Some(target) => outline.nouns.iter().find(|noun| noun.name.text == target)?.id,
        None => end.kind,
    }
}

fn unknown<P>(of: &Noun<'_, P>, name: &str, nearest: FindNearest<'_>) -> Problem {
    access::unknown_field(of, name, nearest)
}

fn unfit_login<P>(login: &Attribute<'_, P>) -> Option<Problem> {
    let is_text = login.kind.is_none_or(|kind| kind == FieldKind::String);
    let is_name = is_text && login.is_required && login.is_unique;
    (!is_name).then(|| Problem::UnfitLogin { field: excerpt(login.name.text) })
}

fn unfit_password<P>(password: &Attribute<'_, P>) -> Option<Problem> {
    let kind = password.kind.filter(|kind| !kind.is_password())?;
    Some(Problem::UnfitPassword { field: excerpt(password.name.text), kind: kind.word() })
}

fn unfit_role<P>(role: &Attribute<'_, P>) -> Option<Problem> {
    let kind = role.kind.filter(|kind| *kind != FieldKind::String)?;
    Some(Problem::UnfitRole { field: excerpt(role.name.text), kind: kind.word() })
}
