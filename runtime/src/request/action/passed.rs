//! The resources whose rows a response passes for its caller, besides those of its place.

use std::sync::Arc;

use super::{Action, ActionKind, PageContext};
use crate::{
    model::{Chain, Model, RelatedRequest, ResourceIx},
    plan::Plan,
};

/// Returns the resources whose rows are passed for the caller: those of related rows, those that
/// a filter follows, and those that a page looks up. They are sorted. `None` if there are none.
pub(super) fn passed(
    model: &Model,
    kind: &ActionKind,
    related: Option<&RelatedRequest>,
    page: Option<&PageContext>,
) -> Option<Arc<[ResourceIx]>> {
    let (resources, mut passed) = (model.resources(), vec![]);
    let add_related = |chain: &Chain, passed: &mut Vec<ResourceIx>| {
        if let Some(related) = related {
            related.selections.add_passed(resources, chain.resource, passed);
        }
    };
    match kind {
        ActionKind::List { chain, query } => {
            query.predicate.add_passed(resources, chain.resource, &mut passed);
            add_related(chain, &mut passed);
        }
        ActionKind::Get { chain, .. } => {
            add_related(chain, &mut passed);
        }
        ActionKind::DeleteMany { chain, predicate, .. } => {
            predicate.add_passed(resources, chain.resource, &mut passed);
        }
        _ => {}
    }
    if let Some(page) = page {
        page.lookups.add_passed(model, &mut passed);
    }
    if passed.is_empty() {
        return None;
    }
    passed.sort_unstable();
    passed.dedup();
    Some(passed.into())
}

impl Action {
    /// Whether the action names all resources whose rows the statements of a plan pass.
    pub(crate) fn has_all_passed(&self, model: &Model, plan: &Plan) -> bool {
        let named = self.passed.as_deref().unwrap_or_default();
        let mut steps = plan.steps.iter().flat_map(|step| step.shape.passed(model));
        steps.all(|ix| named.contains(&ix))
    }

    /// Whether the content of a read depends on the time of the request. Then it changes without a
    /// write, and has no validators. A member has its revision, which only passed rows spoil.
    pub(crate) fn is_momentary(&self, model: &Model) -> bool {
        if !model.rules_use_now() {
            return false;
        }
        let rules = self.caller.rules(model);
        let passed = self.passed.as_deref().unwrap_or_default();
        match &self.kind {
            ActionKind::List { chain, .. } => model.is_momentary(chain.place(rules), passed),
            ActionKind::Get { .. } => model.is_passing_momentary(rules, passed),
            _ => false,
        }
    }
}
