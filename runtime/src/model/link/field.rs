//! Linking a field: its kind, its rules and its name on the wire.

use super::Linker;
use crate::{
    def::{Case, DefaultDef, FieldDef, FieldKind, FieldMode, IdKind, ResourceDef},
    model::{Constraints, Default, Field, Role},
    value::Value,
};

impl Linker {
    pub(super) fn id(&self, def: &ResourceDef) -> Field {
        let mode = if def.id == IdKind::String { FieldMode::CreateOnly } else { FieldMode::ReadOnly };
        Field { mode, ..self.system("id", id_kind(def.id), Role::Id) }
    }

    pub(super) fn parent(&self, name: &'static str, resource: &str) -> Field {
        let target = self.names[resource];
        let kind = id_kind(self.api.resources[usize::from(target.0)].id);
        let field = self.system(name, kind, Role::Parent);
        Field { mode: FieldMode::CreateOnly, target: Some(target), ..field }
    }

    pub(super) fn time(&self, name: &'static str, role: Role, shown: bool) -> Field {
        let mode = if shown { FieldMode::ReadOnly } else { FieldMode::Hidden };
        let field = self.system(name, FieldKind::DateTime, role);
        Field { mode, filterable: shown, sortable: shown, ..field }
    }

    /// A field that nobody declares.
    fn system(&self, name: &'static str, kind: FieldKind, role: Role) -> Field {
        let name_on_wire = self.wire(name);
        Field {
            prefix: prefix(&name_on_wire),
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

    pub(super) fn declared(&mut self, of: &'static ResourceDef, def: &'static FieldDef) -> Option<Field> {
        let target = match def.reference {
            None => None,
            Some(reference) => match self.names.get(reference.resource) {
                Some(ix) => Some(*ix),
                None => {
                    let detail =
                        format!("`{}` references unknown resource `{}`", def.name, reference.resource);
                    self.report(of.name, detail);
                    return None;
                }
            },
        };
        let kind = target.map_or(def.kind, |target| id_kind(self.api.resources[usize::from(target.0)].id));
        let constraints = Constraints::of(def, kind);
        let default = def.default.map(|default| match default {
            DefaultDef::Now => Ok(Default::Now),
            DefaultDef::Value(literal) => Value::literal(kind, literal).map(Default::Value),
        });
        let (constraints, default) = match (constraints, default.transpose()) {
            (Ok(constraints), Ok(default)) => (constraints, default),
            (Err(detail), _) => return self.refuse(of, def, &detail),
            (_, Err(expected)) => return self.refuse(of, def, &format!("its default is not {expected}")),
        };
        let seen = !matches!(def.mode, FieldMode::WriteOnly | FieldMode::Hidden);
        Some(Field {
            column: def.column,
            mode: def.mode,
            required: def.required,
            ignore_case: def.ignore_case,
            filterable: def.filterable && seen && kind != FieldKind::Json,
            sortable: def.sortable && seen && kind != FieldKind::Json,
            target,
            default,
            constraints,
            def: Some(def),
            ..self.system(def.name, kind, Role::Declared)
        })
    }

    fn refuse(&mut self, of: &'static ResourceDef, def: &FieldDef, detail: &str) -> Option<Field> {
        self.report(of.name, format!("field `{}`: {detail}", def.name));
        None
    }

    pub(super) fn wire(&self, name: &str) -> String {
        match self.api.case {
            Case::Snake => name.to_owned(),
            Case::Camel => camel(name),
        }
    }
}

const fn id_kind(id: IdKind) -> FieldKind {
    match id {
        IdKind::Integer => FieldKind::Integer,
        IdKind::Uuid => FieldKind::Uuid,
        IdKind::String => FieldKind::String,
    }
}

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut name, word| {
        let (head, tail) = word.split_at(word.len().min(1));
        name.push_str(&head.to_ascii_uppercase());
        name.push_str(tail);
        name
    })
}

fn prefix(name: &str) -> Box<[u8]> {
    format!(",{}:", serde_json::Value::from(name)).into_bytes().into()
}
