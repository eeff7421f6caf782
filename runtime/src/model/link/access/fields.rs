//! Linking of the access rules of fields: how each class of callers sees a resource.

use super::{Class, classes};
use crate::model::{
    FieldModel, Problem, ResourceModel,
    def::{FieldMode, RuleDef},
    link::{LinkProblem, Linker, Subject},
    rule::Rules,
};

/// Reports rules of fields that depend on the member.
pub(super) fn report_tests(linker: &mut Linker) {
    let api = linker.api;
    for (def, field) in
        api.resources.iter().flat_map(|def| def.fields.iter().map(move |field| (def, field)))
    {
        if field.access.rules().any(|rule| rule.has_tests()) {
            let subject = Subject::Field { resource: def.name, field: field.name };
            linker.problems.push(LinkProblem::new(subject, Problem::WhereInFieldRule));
        }
    }
}

/// Adds to the rules how each class of callers sees the resources whose fields have rules.
pub(in crate::model::link) fn with_fields(rules: Rules, resources: &[ResourceModel]) -> Rules {
    if resources.iter().all(|resource| !resource.has_field_rules) {
        return rules;
    }
    let of = |class: Class| {
        let seen =
            |resource: &ResourceModel| resource.has_field_rules.then(|| class.view(resource));
        resources.iter().map(seen).collect()
    };
    let views = classes(&rules.roles).map(of).collect();
    Rules { views, ..rules }
}

impl Class {
    /// The resource as the callers see it. A field that they may not read is not visible, and one
    /// that they may not write either is unknown to them.
    fn view(self, of: &ResourceModel) -> ResourceModel {
        let mut view = of.clone();
        for field in &mut view.fields {
            self.restrict(field);
        }
        let fields = &view.fields;
        let is_seen = |field: usize| fields[field].visible() || !of.fields[field].visible();
        view.sort = of.sort.iter().filter(|key| is_seen(key.field.0.into())).copied().collect();
        view.shown = view.visible().count().try_into().unwrap_or(u16::MAX);
        view
    }

    fn restrict(self, field: &mut FieldModel) {
        let Some(access) = field.def.map(|def| def.access) else { return };
        let may = |rule: Option<RuleDef>| rule.is_none_or(|rule| self.meets(&rule));
        let (reads, writes) = (may(access.read), may(access.write.or(access.read)));
        field.mode = match (field.mode, reads, writes) {
            (mode, true, true) => mode,
            (FieldMode::ReadWrite | FieldMode::CreateOnly, true, false) => FieldMode::ReadOnly,
            (FieldMode::ReadWrite | FieldMode::WriteOnly, false, true) => FieldMode::WriteOnly,
            (FieldMode::ReadOnly, true, false) => FieldMode::ReadOnly,
            (FieldMode::WriteOnly, true, false)
            | (FieldMode::ReadOnly | FieldMode::CreateOnly, false, true)
            | (FieldMode::Hidden, ..)
            | (_, false, false) => FieldMode::Hidden,
        };
        field.is_withheld = !writes;
        field.filterable &= field.visible();
        field.sortable &= field.visible();
    }

    /// Whether the callers meet a rule that depends on them alone.
    fn meets(self, rule: &RuleDef) -> bool {
        match rule {
            RuleDef::Public => true,
            RuleDef::SignedIn => self.is_signed_in,
            RuleDef::Role(roles) => self.role.is_some_and(|role| roles.contains(&role)),
            RuleDef::All(rules) => rules.iter().all(|rule| self.meets(rule)),
            RuleDef::Any(rules) => rules.iter().any(|rule| self.meets(rule)),
            RuleDef::Not([rule]) => !self.meets(rule),
            // Linking has refused such a rule.
            RuleDef::Test(_) => false,
        }
    }
}
