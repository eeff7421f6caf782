//! Warns where a resource is declared `public` for HTTP caches, although access rules decide what
//! its callers read.

use super::context::{Context, Scope};
use super::resource::ResourceDraft;
use crate::diagnostic::Problem;
use crate::draft::excerpt;
use crate::schema::{Operand, Rule, Visibility};

/// Warns about resources whose callers do not all read the same. `is_open` says whether there are
/// no accounts, so that everybody may read what has no rule.
pub(super) fn warn(drafts: &[ResourceDraft<'_>], is_open: bool, context: &mut Context) {
    // The accounts of an item are declared elsewhere, and so are its parents.
    let is_open = is_open || context.scope == Scope::Item;
    for draft in drafts {
        let cache = draft.resource.cache.as_ref();
        let is_public = cache.is_some_and(|cache| cache.visibility == Some(Visibility::Public));
        let mut lineage = lineage(drafts, draft);
        if is_public
            && (has_fields_of_callers(draft)
                || lineage.any(|one| has_rows_of_callers(one, is_open)))
        {
            let problem = Problem::PublicAndRuled { resource: excerpt(draft.name()) };
            context.report(draft.map.key_place("cache"), problem);
        }
    }
}

/// The resource and its ancestors. A cycle of parents is another problem.
fn lineage<'d>(
    drafts: &'d [ResourceDraft<'d>],
    draft: &'d ResourceDraft<'d>,
) -> impl Iterator<Item = &'d ResourceDraft<'d>> {
    let above = |one: &&'d ResourceDraft<'d>| {
        let parent = one.resource.parent.as_ref()?;
        drafts.iter().find(|draft| draft.name() == parent.resource)
    };
    std::iter::successors(Some(draft), above).take(drafts.len())
}

fn has_rows_of_callers(draft: &ResourceDraft<'_>, is_open: bool) -> bool {
    draft.resource.access.read.as_ref().map_or(!is_open, depends_on_caller)
}

fn has_fields_of_callers(draft: &ResourceDraft<'_>) -> bool {
    let mut fields = draft.fields.iter().filter_map(|one| one.field.as_ref());
    fields.any(|field| field.access.read.as_ref().is_some_and(depends_on_caller))
}

/// Whether a rule holds for other members with another caller.
fn depends_on_caller(rule: &Rule) -> bool {
    match rule {
        Rule::Public => false,
        Rule::SignedIn | Rule::Role(_) => true,
        Rule::Test(test) => matches!(test.operand, Operand::Account(_)),
        Rule::All(rules) | Rule::Any(rules) => rules.iter().any(depends_on_caller),
        Rule::Not(rule) => depends_on_caller(rule),
    }
}
