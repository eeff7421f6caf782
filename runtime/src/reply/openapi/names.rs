//! The names of components and operations. They depend on the declaration alone, so generated
//! clients have the same names as long as the resources have.

use std::collections::{HashMap, HashSet};

use crate::{
    base::error::Kind,
    model::{
        Model, ResourceIx, ResourceModel,
        def::{Case, Operation},
    },
};

/// The names of the schemas and the operations that resources and types give.
pub(super) struct Names {
    taken: HashSet<String>,
    types: HashMap<&'static str, String>,
    /// The word for many members of each resource.
    plurals: Vec<String>,
}

/// The schemas of a resource.
#[derive(Clone, Copy)]
pub(super) enum ResourceSchema {
    /// A member, as it is returned.
    Whole,
    /// The body that creates a member.
    New,
    /// The body that creates a member at a flat URL, if the canonical URL is nested: with the id
    /// of the parent.
    NewFlat,
    /// The body that replaces a member, where it is not the one that creates it.
    Replacement,
    /// The body that changes some fields.
    Patch,
    /// A page of a collection.
    Page,
    /// The members that an array has created.
    Created,
}

impl Names {
    pub(super) fn of(model: &Model) -> Self {
        let mut names =
            Self { taken: HashSet::new(), types: HashMap::new(), plurals: plurals(model) };
        for resource in model.resources() {
            let schemas = [
                ResourceSchema::Whole,
                ResourceSchema::New,
                ResourceSchema::NewFlat,
                ResourceSchema::Replacement,
                ResourceSchema::Patch,
                ResourceSchema::Page,
                ResourceSchema::Created,
            ];
            names.taken.extend(schemas.map(|schema| schema.name(resource)));
        }
        for named in model.api.types {
            let name = names.free(&pascal(named.name));
            names.types.insert(named.name, name.clone());
            names.taken.insert(name);
        }
        names
    }

    /// The name of a schema that every document has. It gets an underscore if a resource or a type
    /// has the name.
    pub(super) fn free(&self, name: &str) -> String {
        let mut name = name.to_owned();
        while self.taken.contains(&name) {
            name.push('_');
        }
        name
    }

    /// The name of the schema of a named type.
    pub(super) fn type_name(&self, name: &str) -> String {
        self.types.get(name).cloned().unwrap_or_else(|| pascal(name))
    }

    /// The name of the schema of a kind of problem.
    pub(super) fn problem(&self, kind: Kind) -> String {
        self.free(&format!("{}Problem", pascal(&kind.slug.replace('-', "_"))))
    }

    /// The id of an operation: `list_animals`, `get_animal`. A URL that is not the canonical one
    /// adds its first segment: `list_animals_at_animals`.
    pub(super) fn operation(
        &self,
        operation: Operation,
        resource: &ResourceModel,
        path: &str,
        is_canonical: bool,
    ) -> String {
        let many = matches!(operation, Operation::List | Operation::DeleteMany);
        let noun = if many { self.plural(resource.ix) } else { resource.def.name };
        let id = format!("{}_{noun}", operation.word());
        if is_canonical {
            return id;
        }
        let first = path[1..].split('/').next().unwrap_or_default();
        format!("{id}_at_{}", word(first))
    }

    /// The word for many members of a resource, as a part of names.
    pub(super) fn plural(&self, resource: ResourceIx) -> &str {
        &self.plurals[usize::from(resource.0)]
    }
}

/// Returns a word for many members of each resource: the segment of its collection, or the name of
/// the resource if an earlier resource has the segment.
fn plurals(model: &Model) -> Vec<String> {
    let mut taken = HashSet::new();
    let plural = |resource: &ResourceModel| {
        let segment = word(resource.def.collection);
        if taken.insert(segment.clone()) { segment } else { resource.def.name.to_owned() }
    };
    model.resources().iter().map(plural).collect()
}

/// Returns a path segment as a part of a name: letters, digits and underscores.
pub(super) fn word(segment: &str) -> String {
    let letter = |letter: char| {
        if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' }
    };
    segment.chars().map(letter).collect()
}

/// Returns a name with capitals in place of underscores: `shirt_number` is `ShirtNumber`.
fn pascal(name: &str) -> String {
    let name = Case::Camel.wire(name);
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

impl ResourceSchema {
    pub(super) fn name(self, resource: &ResourceModel) -> String {
        let rust = resource.def.rust;
        match self {
            Self::Whole => rust.to_owned(),
            Self::New => format!("New{rust}"),
            Self::NewFlat => format!("NewFlat{rust}"),
            Self::Replacement => format!("{rust}Replacement"),
            Self::Patch => format!("{rust}Patch"),
            Self::Page => format!("{rust}Page"),
            Self::Created => format!("Created{rust}List"),
        }
    }
}
