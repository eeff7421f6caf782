//! [`RowMaker`]: the bodies of new members of a resource.

use std::collections::HashMap;

use nouns_runtime::{
    def::IdKind,
    model::{FieldModel, ResourceIx, ResourceModel, Role},
};
use serde_json::{Map, Value as Json};

use super::{StoredMember, random::Random, values::ValueField};
use crate::cli::complain;

/// The probability that an optional field has a value, in percent.
const OPTIONAL_PERCENT: u32 = 85;

/// Makes the bodies of the members of a resource.
pub(super) struct RowMaker<'m> {
    resource: &'m ResourceModel,
    /// The number of bodies that were made.
    made: usize,
    /// Whether it was reported that members are missing.
    is_reported: bool,
}

impl<'m> RowMaker<'m> {
    pub(super) const fn new(resource: &'m ResourceModel) -> Self {
        Self { resource, made: 0, is_reported: false }
    }

    /// A body of a new member. `None` if a required field has no possible value.
    pub(super) fn row(
        &mut self,
        random: &mut Random,
        members: &HashMap<ResourceIx, Vec<StoredMember>>,
        parent: Option<&Json>,
    ) -> Option<Json> {
        self.made += 1;
        let mut row = Map::new();
        if self.resource.def.id == IdKind::String {
            let name = self.resource.def.name.replace('_', "-");
            row.insert(
                self.resource.fields[0].name.to_string(),
                format!("{name}-{}", self.made).into(),
            );
        }
        let parent_field = self.resource.parent.map(|(_, field)| &self.resource[field]);
        for field in &self.resource.fields {
            let value = match field.role {
                _ if parent_field.is_some_and(|one| one.name == field.name) => parent.cloned(),
                Role::Declared => self.value(field, random, members),
                _ => continue,
            };
            match value {
                Some(value) => drop(row.insert(field.name.to_string(), value)),
                None if field.required && field.default.is_none() => return None,
                None => {}
            }
        }
        Some(Json::Object(row))
    }

    /// A value of a field. `None` leaves the field out.
    fn value(
        &self,
        field: &FieldModel,
        random: &mut Random,
        members: &HashMap<ResourceIx, Vec<StoredMember>>,
    ) -> Option<Json> {
        let has_value = field.required || random.chance(OPTIONAL_PERCENT);
        if let Some(target) = field.target {
            let known = members.get(&target).map(Vec::as_slice).unwrap_or_default();
            let is_unique = field.def.is_some_and(|def| def.unique);
            let id = match is_unique {
                true => known.get(self.made - 1),
                false => random.choose(known),
            };
            return id.filter(|_| has_value).map(|member| member.id.clone());
        }
        let def = field.def.filter(|_| has_value)?;
        let (resource, number) = (self.resource.def.name, def.unique.then_some(self.made));
        ValueField { field, def, resource, number }.json(random)
    }

    /// Reports once that members are missing, and why.
    pub(super) fn report(&mut self, cause: Option<&str>) {
        if std::mem::replace(&mut self.is_reported, true) {
            return;
        }
        let name = self.resource.def.name;
        let cause = cause.unwrap_or("no value is known for a required field");
        complain(&format!("`{name}` has fewer members than --mock asks for: {cause}"));
    }
}
