//! Checks the access rules of fields: whether they fit the field, and whether those who may create a
//! member may set what it requires.

use super::context::Context;
use super::map::Map;
use super::resource::ResourceDraft;
use crate::diagnostic::Problem;
use crate::draft::excerpt;
use crate::schema::{Field, FieldMode, Rule};

/// Checks that the rules of a field are about something that clients can do with it.
pub(super) fn check(field: &Field, map: &Map<'_>, context: &mut Context) {
    let Some(inner) = map.entry("access") else { return };
    let unfit = |key: &'static str| match (key, field.mode) {
        // A change of such a field would be compared with the stored value, which nobody may guess.
        ("read", FieldMode::CreateOnly | FieldMode::WriteOnly | FieldMode::Hidden) => {
            Some("fields that are not `create_only`, `write_only` or `hidden`")
        }
        ("write", FieldMode::ReadOnly | FieldMode::Hidden) => {
            Some("fields that are not `read_only` or `hidden`")
        }
        _ => None,
    };
    for (key, _) in field.access.rules() {
        if let Some(fits) = unfit(key) {
            let kind = format!("a field that is `{}`", field.mode.word());
            context
                .report(inner.key.at, Problem::Unfit { key: format!("access.{key}"), kind, fits });
        }
    }
}

/// A class of callers, for whom rules without tests say the same.
#[derive(Clone, Copy)]
enum CallerClass<'d> {
    Anonymous,
    SignedIn,
    Role(&'d str),
}

/// Warns about a required field without a default that some callers may not write, although they
/// may create members.
pub(super) fn warn(drafts: &[ResourceDraft<'_>], is_open: bool, context: &mut Context) {
    let mut roles: Vec<_> = drafts.iter().flat_map(ResourceDraft::roles).collect();
    roles.sort_unstable();
    roles.dedup();
    let of_roles = roles.into_iter().map(CallerClass::Role);
    let classes: Vec<_> =
        [CallerClass::Anonymous, CallerClass::SignedIn].into_iter().chain(of_roles).collect();
    for draft in drafts {
        let may_create = |class: CallerClass<'_>| match &draft.resource.access.create {
            Some(rule) => class.meets(rule) != Some(false),
            None => is_open || !matches!(class, CallerClass::Anonymous),
        };
        for (field, map) in
            draft.fields.iter().filter_map(|one| one.field.as_ref().zip(one.map.as_ref()))
        {
            let written = field.access.write.as_ref();
            let Some(rule) = written.or(field.access.read.as_ref()) else { continue };
            let lacks =
                |class: &&CallerClass<'_>| may_create(**class) && class.meets(rule) == Some(false);
            let needs_one = field.required && field.default.is_none();
            let Some(class) = classes.iter().find(lacks).filter(|_| needs_one) else { continue };
            let (resource, field) = (excerpt(draft.name()), excerpt(&field.name));
            let problem = Problem::MayNotBeSet { field, resource, who: class.described() };
            context.report(map.key_place("access"), problem);
        }
    }
}

impl CallerClass<'_> {
    /// Whether the callers meet a rule. `None` if that depends on the member.
    fn meets(self, rule: &Rule) -> Option<bool> {
        match rule {
            Rule::Public => Some(true),
            Rule::SignedIn => Some(!matches!(self, Self::Anonymous)),
            Rule::Role(roles) => {
                Some(matches!(self, Self::Role(role) if roles.iter().any(|one| one == role)))
            }
            Rule::Test(_) => None,
            Rule::Not(rule) => self.meets(rule).map(|meets| !meets),
            Rule::All(rules) => self.joined(rules, false),
            Rule::Any(rules) => self.joined(rules, true),
        }
    }

    /// Whether the callers meet a list of rules, which one rule alone decides if its result is
    /// `decisive`.
    fn joined(self, rules: &[Rule], decisive: bool) -> Option<bool> {
        let mut all = rules.iter().map(|rule| self.meets(rule));
        if all.clone().any(|one| one == Some(decisive)) {
            return Some(decisive);
        }
        all.all(|one| one.is_some()).then_some(!decisive)
    }

    fn described(self) -> String {
        match self {
            Self::Anonymous => "anonymous callers".to_owned(),
            Self::SignedIn => "signed-in callers".to_owned(),
            Self::Role(role) => format!("callers with the role `{}`", excerpt(role)),
        }
    }
}
