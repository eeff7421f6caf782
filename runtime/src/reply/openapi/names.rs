//! The names of components, operations and tags. They depend on the declaration alone, so generated
//! clients have the same names as long as the resources have.
//!
//! Each name is unique in its document. Where two things want one name, the first keeps it and the
//! other gets a number. The names that the author chose come first: those of resources, then those
//! that are made from them, then those that every document has.

use std::collections::{HashMap, HashSet};

use super::{grant, system};
use crate::{
    base::error::Kind,
    model::{
        CustomRoute, Model, ResourceIx, ResourceModel, RouteCode,
        def::{Case, Operation},
    },
    request::route::{collections, is_redirected},
};

/// The names that the parts of a document have.
pub(super) struct Names {
    /// The names of schemas that a declaration gives. The others are free.
    components: TakenNames,
    schemas: HashMap<(ResourceIx, ResourceSchema), String>,
    types: HashMap<&'static str, String>,
    problems: HashMap<&'static str, String>,
    /// The word for many members of each resource, which is its tag, too.
    plurals: Vec<String>,
    tags: TakenNames,
    /// The ids of the operations of resources, by the paths of their collections.
    operations: HashMap<(ResourceIx, Operation, String), String>,
    /// The ids of the interface's own operations, by those that they have in most documents.
    documents: HashMap<&'static str, String>,
    /// The ids of the operations of custom routes, by method and path.
    custom: HashMap<(&'static str, String), String>,
}

/// The schemas of a resource, in the order in which they get their names.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ResourceSchema {
    /// A member, as it is returned.
    Whole,
    /// The body that creates a member.
    New,
    /// The body that replaces a member, where it is not the one that creates it.
    Replacement,
    /// The body that changes some fields.
    Patch,
    /// A page of a collection.
    Page,
    /// The members that an array has created.
    Created,
    /// The body that creates a member at a flat URL, if the canonical URL is nested: with the id
    /// of the parent.
    NewFlat,
}

/// Names of one kind, each of which is given once.
struct TakenNames {
    taken: HashSet<String>,
    /// The text between a name and a number.
    joint: &'static str,
}

impl TakenNames {
    fn joined_by(joint: &'static str) -> Self {
        Self { taken: HashSet::new(), joint }
    }

    /// Returns the name, or the name with the first number from 2 that makes it free.
    fn free(&self, name: &str) -> String {
        let numbered = |number: u32| format!("{name}{}{number}", self.joint);
        let is_free = |name: &String| !self.taken.contains(name);
        let all = std::iter::once(name.to_owned()).chain((2..).map(numbered));
        all.into_iter().find(is_free).unwrap_or_default()
    }

    /// Takes a free name.
    fn claim(&mut self, name: &str) -> String {
        let name = self.free(name);
        self.taken.insert(name.clone());
        name
    }
}

impl Names {
    pub(super) fn of(model: &Model) -> Self {
        let mut tags = TakenNames::joined_by("_");
        let plurals = plurals(model, &mut tags);
        let mut names = Self {
            components: TakenNames::joined_by(""),
            schemas: HashMap::new(),
            types: HashMap::new(),
            problems: HashMap::new(),
            plurals,
            tags,
            operations: HashMap::new(),
            documents: HashMap::new(),
            custom: HashMap::new(),
        };
        names.name_components(model);
        names.name_operations(model);
        names
    }

    fn name_components(&mut self, model: &Model) {
        for schema in ResourceSchema::ALL {
            for resource in model.resources() {
                let name = self.components.claim(&schema.name(resource));
                self.schemas.insert((resource.ix, schema), name);
            }
        }
        for named in model.api.types {
            self.types.insert(named.name, self.components.claim(&pascal(named.name)));
        }
        for kind in model.kinds() {
            let name = format!("{}Problem", pascal(&kind.slug.replace('-', "_")));
            self.problems.insert(kind.slug, self.components.claim(&name));
        }
    }

    fn name_operations(&mut self, model: &Model) {
        let mut ids = TakenNames::joined_by("_");
        for is_canonical in [true, false] {
            for resource in model.resources() {
                let paths = collections(model, resource);
                let is_wanted = |(at, path): &(usize, &String)| {
                    (*at == 0) == is_canonical && !is_redirected(model, resource, path)
                };
                for (_, path) in paths.iter().enumerate().filter(is_wanted) {
                    let offered = |one: &Operation| resource.def.methods.contains(*one);
                    for operation in Operation::ALL.into_iter().filter(offered) {
                        let id = self.usual_id(operation, resource, path, is_canonical);
                        let key = (resource.ix, operation, path.clone());
                        self.operations.insert(key, ids.claim(&id));
                    }
                }
            }
        }
        for id in system::ids(model).chain(grant::ids(model)) {
            self.documents.insert(id, ids.claim(id));
        }
        for route in model.custom.iter() {
            if let RouteCode::Custom(_) = route.handler {
                let id = ids.claim(&custom_id(route));
                self.custom.insert((route.method, route.path.clone()), id);
            }
        }
    }

    /// The id of an operation, unless another one has it: `list_animals`, `get_animal`. A URL that
    /// is not the canonical one adds its first segment: `list_animals_at_animals`.
    fn usual_id(
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

    /// The name of a schema of a resource.
    pub(super) fn schema(&self, resource: ResourceIx, schema: ResourceSchema) -> &str {
        &self.schemas[&(resource, schema)]
    }

    /// The name of a schema that every document has.
    pub(super) fn free(&self, name: &str) -> String {
        self.components.free(name)
    }

    /// The name of the schema of a named type.
    pub(super) fn type_name(&self, name: &str) -> String {
        self.types.get(name).cloned().unwrap_or_else(|| pascal(name))
    }

    /// The name of the schema of a kind of problem.
    pub(super) fn problem(&self, kind: Kind) -> &str {
        &self.problems[kind.slug]
    }

    /// The id of an operation of a resource, at the path of a collection that is no redirect.
    pub(super) fn operation(
        &self,
        operation: Operation,
        resource: &ResourceModel,
        path: &str,
    ) -> &str {
        &self.operations[&(resource.ix, operation, path.to_owned())]
    }

    /// The id of an operation of the interface itself, by the one that it has in most documents.
    pub(super) fn document(&self, id: &'static str) -> &str {
        &self.documents[id]
    }

    /// The id of the operation of a custom route.
    pub(super) fn custom(&self, route: &CustomRoute) -> &str {
        &self.custom[&(route.method, route.path.clone())]
    }

    /// The tag of operations that belong to no resource.
    pub(super) fn tag(&self, name: &str) -> String {
        self.tags.free(name)
    }

    /// The word for many members of a resource, as a part of names.
    pub(super) fn plural(&self, resource: ResourceIx) -> &str {
        &self.plurals[usize::from(resource.0)]
    }
}

/// Returns a word for many members of each resource: the segment of its collection, or the name of
/// the resource if an earlier resource has the segment.
fn plurals(model: &Model, taken: &mut TakenNames) -> Vec<String> {
    let plural = |resource: &ResourceModel| {
        let segment = word(resource.def.collection);
        let is_free = taken.free(&segment) == segment;
        taken.claim(if is_free { &segment } else { resource.def.name })
    };
    model.resources().iter().map(plural).collect()
}

/// Returns the id of the operation of a custom route, unless another one has it:
/// `post_zoos_import`.
fn custom_id(route: &CustomRoute) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    let path: String = route.path.chars().map(letter).collect();
    let words: Vec<_> = path.split('_').filter(|word| !word.is_empty()).collect();
    format!("{}_{}", route.method.to_ascii_lowercase(), words.join("_"))
}

/// Returns a path segment as a part of a name: letters, digits and underscores.
fn word(segment: &str) -> String {
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
    const ALL: [Self; 7] = [
        Self::Whole,
        Self::New,
        Self::Replacement,
        Self::Patch,
        Self::Page,
        Self::Created,
        Self::NewFlat,
    ];

    /// The name of the schema, unless another one has it.
    fn name(self, resource: &ResourceModel) -> String {
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
