//! Linking of a field: its kind, its constraints and default, and its name in JSON.

use super::{Linker, Subject, domain};
use crate::model::{
    Constraints, Default, FieldModel, Role,
    def::{DefaultDef, FieldDef, FieldKind, FieldMode, ParentDef, ResourceDef},
    relation,
    value::Value,
};

impl Linker {
    pub(super) fn id(&self, def: &ResourceDef) -> FieldModel {
        let mode = if def.takes_ids() { FieldMode::CreateOnly } else { FieldMode::ReadOnly };
        FieldModel { mode, ..self.system("id", def.id.kind(), Role::Id) }
    }

    pub(super) fn parent(&self, def: ParentDef) -> FieldModel {
        let target = self.names[def.resource];
        let kind = self.api.resources[usize::from(target.0)].id.kind();
        let field = self.system(def.field, kind, Role::Parent);
        let mode = if def.movable { FieldMode::ReadWrite } else { FieldMode::CreateOnly };
        FieldModel { mode, required: def.required, target: Some(target), ..field }
    }

    pub(super) fn time(&self, name: &'static str, role: Role, shown: bool) -> FieldModel {
        let mode = if shown { FieldMode::ReadOnly } else { FieldMode::Hidden };
        let field = self.system(name, FieldKind::DateTime, role);
        FieldModel { mode, filterable: shown, sortable: shown, ..field }
    }

    /// Creates a field that no schema declares: the id, `created_at` or `updated_at`.
    fn system(&self, name: &'static str, kind: FieldKind, role: Role) -> FieldModel {
        let name_on_wire = self.wire(name);
        FieldModel {
            is_withheld: false,
            prefix: relation::prefix(&name_on_wire),
            name: name_on_wire.into(),
            column: name,
            kind,
            role,
            mode: FieldMode::ReadOnly,
            required: true,
            ignore_case: false,
            filterable: true,
            sortable: true,
            target: None,
            default: None,
            constraints: Constraints::default(),
            def: None,
        }
    }

    pub(super) fn declared(
        &mut self,
        of: &'static ResourceDef,
        def: &'static FieldDef,
    ) -> Option<FieldModel> {
        let target = match def.reference {
            None => None,
            Some(reference) => {
                Some(self.is_declared(reference.resource, Subject::Resource(of.name))?)
            }
        };
        let kind =
            target.map_or(def.kind, |target| self.api.resources[usize::from(target.0)].id.kind());
        let (constraints, default) = self.rules(of, def, kind)?;
        // Nobody may read a password, whatever a definition says that no checker has seen.
        let mode = match def.mode {
            FieldMode::ReadWrite if kind.is_password() => FieldMode::WriteOnly,
            mode => mode,
        };
        let seen = !matches!(mode, FieldMode::WriteOnly | FieldMode::Hidden);
        Some(FieldModel {
            column: def.column,
            mode,
            required: def.required,
            ignore_case: def.ignore_case,
            filterable: def.filterable && seen && kind.is_ordered(),
            sortable: def.sortable && seen && kind.is_ordered(),
            target,
            default,
            constraints,
            def: Some(def),
            ..self.system(def.name, kind, Role::Declared)
        })
    }

    /// The constraints and the default of a field; `None` if they have problems, which are then
    /// reported.
    fn rules(
        &mut self,
        of: &'static ResourceDef,
        def: &'static FieldDef,
        kind: FieldKind,
    ) -> Option<(Constraints, Option<Default>)> {
        let named = self.api.types.iter().find(|named| Some(named.name) == def.type_name);
        let subject = Subject::Field { resource: of.name, field: def.name };
        let found = domain::check(subject, def, kind, named.copied());
        let sound = found.is_empty();
        self.problems.extend(found);
        let constraints = Constraints::of(def, kind).ok().filter(|_| sound)?;
        let default = match def.default {
            // The accounts are linked after all fields.
            None | Some(DefaultDef::Account(_)) => None,
            Some(DefaultDef::Now) => Some(Default::Now),
            Some(DefaultDef::Value(literal)) => {
                Some(Default::Value(Value::literal(kind, literal).ok()?))
            }
        };
        if let Some(Default::Value(value)) = &default {
            let breaches = constraints.check(kind, def.ignore_case, value);
            self.problems.extend(domain::check_default(subject, def, value, kind, &breaches));
        }
        Some((constraints, default))
    }

    pub(super) fn wire(&self, name: &str) -> String {
        self.api.case.wire(name)
    }
}
