//! Checks the accounts of an API: the fields that they need, and the roles in rules.

use super::{Faults, FindNearest, access};
use crate::{
    def::FieldKind,
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
    // An unknown resource is reported by the caller, as for references.
    let Some(noun) = outline.nouns.iter().find(|noun| noun.name.text == accounts.resource.text)
    else {
        return;
    };
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
    roles(outline, accounts, nearest, found);
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
