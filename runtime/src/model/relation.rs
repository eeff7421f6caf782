//! Relations: the names that lead from a member to related members.

use super::{
    FieldIx, FieldModel, ResourceIx, ResourceModel,
    def::{Case, ReferenceDef, Routes},
};

/// The index of a relation in [`ResourceModel::relations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelationIx(pub u16);

/// A relation of a resource to another resource, or to itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// The name in the declaration, which access rules use.
    pub name: &'static str,
    /// The name in requests and responses.
    pub wire: Box<str>,
    /// The JSON text before the related members in a representation: `,"name":`.
    pub(crate) prefix: Box<[u8]>,
    /// The resource of the related members.
    pub target: ResourceIx,
    /// The number of related members, and the field that relates them.
    pub kind: RelationKind,
}

/// The number of related members, and the field that relates them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RelationKind {
    /// At most one member. Its id is in this field of the resource.
    One(FieldIx),
    /// Any number of members. Each has the id of the member in this field of the target.
    Many(FieldIx),
}

impl Relation {
    /// The field that relates the members: of the resource for one related member, and of the
    /// target for many.
    #[must_use]
    pub const fn field(&self) -> FieldIx {
        match self.kind {
            RelationKind::One(field) | RelationKind::Many(field) => field,
        }
    }

    /// The field of the resource that relates its members, if the relation leads to one.
    pub(crate) const fn of_one(&self) -> Option<FieldIx> {
        match self.kind {
            RelationKind::One(field) => Some(field),
            RelationKind::Many(_) => None,
        }
    }

    /// The field of the target that relates its members, if the relation leads to several.
    pub(crate) const fn of_many(&self) -> Option<FieldIx> {
        match self.kind {
            RelationKind::One(_) => None,
            RelationKind::Many(field) => Some(field),
        }
    }
}

/// A field, and the relations that lead to its member. Each of them leads to at most one member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path {
    /// The relations, from the resource at which the path begins.
    pub steps: Box<[RelationIx]>,
    /// The resource at the end of the path.
    pub end: ResourceIx,
    /// The field at the end of the path.
    pub field: FieldIx,
}

impl Path {
    /// The references that the path follows from a resource, each with the resource that it leads
    /// to.
    ///
    /// # Panics
    /// It panics if a step leads to several members, or if the path has another end than it says.
    pub(crate) fn references(
        &self,
        resources: &[ResourceModel],
        of: ResourceIx,
    ) -> impl Iterator<Item = (FieldIx, ResourceIx)> {
        let last = self.steps.len().checked_sub(1);
        references(resources, of, &self.steps).enumerate().map(move |(nth, (reference, at))| {
            assert!(Some(nth) != last || at == self.end, "a path must end where it says");
            (reference, at)
        })
    }

    /// Returns the path to the last reference. For a path to an id it has the same value, and needs
    /// no row of the member at the end.
    pub(crate) fn to_last_reference(&self, resources: &[ResourceModel], of: ResourceIx) -> Self {
        let passed: Vec<_> = self.references(resources, of).collect();
        let Some(((reference, _), before)) = passed.split_last() else { return self.clone() };
        let end = before.last().map_or(of, |(_, target)| *target);
        Self { steps: self.steps[..before.len()].into(), end, field: *reference }
    }
}

/// The references that relations follow from a resource, each with the resource that it leads to.
///
/// # Panics
/// It panics if a relation leads to several members.
pub(super) fn references(
    resources: &[ResourceModel],
    of: ResourceIx,
    steps: &[RelationIx],
) -> impl Iterator<Item = (FieldIx, ResourceIx)> {
    let mut at = of;
    steps.iter().map(move |step| {
        let relation = &resources[usize::from(at.0)][*step];
        let RelationKind::One(reference) = relation.kind else {
            panic!("each step of a path must lead to one member, unlike `{}`", relation.name)
        };
        at = relation.target;
        (reference, at)
    })
}

/// Returns the relations of each resource: to its parent, by its references, to the collections
/// below it, and by the references elsewhere that name their `children`.
pub(super) fn relations(resources: &[ResourceModel], case: Case) -> Vec<Box<[Relation]>> {
    let mut all: Vec<_> = resources.iter().map(|resource| to_one(resource, case)).collect();
    let mut add = |to: ResourceIx, name, target, field| {
        all[usize::from(to.0)].push(relation(case, name, target, RelationKind::Many(field)));
    };
    for child in resources.iter().filter(|child| child.def.routes != Routes::Flat) {
        if let Some((parent, field)) = child.parent {
            add(parent, child.def.collection, child.ix, field);
        }
    }
    for resource in resources {
        for (ix, field) in resource.indexed() {
            let children =
                field.def.and_then(|def| def.reference).and_then(|reference| reference.children);
            if let Some((children, target)) = children.zip(field.target) {
                add(target, children, resource.ix, ix);
            }
        }
    }
    all.into_iter().map(Into::into).collect()
}

/// Returns the relations to at most one member: the parent and the references of a resource.
fn to_one(of: &ResourceModel, case: Case) -> Vec<Relation> {
    let related = |(ix, field): (FieldIx, &FieldModel)| {
        let name = match field.def {
            Some(def) => def.reference?.alias,
            None => ReferenceDef::usual_alias(of.def.parent?.field),
        };
        Some(relation(case, name, field.target?, RelationKind::One(ix)))
    };
    of.indexed().filter_map(related).collect()
}

fn relation(case: Case, name: &'static str, target: ResourceIx, kind: RelationKind) -> Relation {
    let wire = case.wire(name);
    Relation { name, prefix: prefix(&wire), wire: wire.into(), target, kind }
}

/// The JSON text before the value of a field: `,"name":`, with the name escaped.
pub(super) fn prefix(name: &str) -> Box<[u8]> {
    format!(",{}:", serde_json::Value::from(name)).into_bytes().into()
}
