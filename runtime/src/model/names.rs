//! [`SeenModel`]: the resolver of names. It turns the names of fields, relations and paths into
//! indices, for requests, for access rules and for typed calls.

use super::{
    FieldIx, FieldModel, Model, Path, Relation, RelationIx, RelationKind, ResourceIx,
    ResourceModel, RuleSet,
    def::Operation,
    rule::{Rule, Rules},
};

/// A model as its callers see it: what they may not read at all has no name.
///
/// ```
/// # use nouns_runtime as nouns;
/// use nouns::{Model, def::ApiDef, def::ResourceDef, model::{ResourceIx, RuleSet}};
/// static ZOO: ResourceDef = ResourceDef::new("zoo", "zoos", "Zoo");
/// static API: ApiDef = ApiDef { resources: &[&ZOO], ..ApiDef::new("Zoos") };
///
/// let model = Model::link(&API).unwrap();
/// let (seen, zoo) = (model.seen(RuleSet::NONE), ResourceIx(0));
/// assert!(seen.field(zoo, "id").is_some() && seen.field(zoo, "city").is_none());
/// assert!(seen.path(zoo, "owner.name").is_none());
/// ```
#[derive(Clone, Copy)]
pub struct SeenModel<'m> {
    resources: &'m [ResourceModel],
    rules: &'m Rules,
    set: RuleSet,
    form: NameForm,
}

/// The form of names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameForm {
    /// As in requests and responses.
    Wire,
    /// As in the declaration, which sees everything.
    Declared,
}

/// Without rules, everybody sees everything.
static NO_RULES: Rules = Rules::EMPTY;

impl Model {
    /// The model as callers with these rules see it.
    #[doc(hidden)]
    #[must_use]
    pub fn seen(&self, set: RuleSet) -> SeenModel<'_> {
        SeenModel { resources: &self.resources, rules: &self.rules, set, form: NameForm::Wire }
    }
}

impl<'m> SeenModel<'m> {
    /// A resource that was linked alone, as programs see it. It has no relations.
    pub(crate) fn alone(resource: &'m ResourceModel) -> Self {
        let resources = std::slice::from_ref(resource);
        Self { resources, rules: &NO_RULES, set: RuleSet::NONE, form: NameForm::Wire }
    }

    /// All resources by their declared names, for access rules. A rule may pass members that its
    /// caller may not read.
    pub(super) fn declared(resources: &'m [ResourceModel]) -> Self {
        Self { resources, rules: &NO_RULES, set: RuleSet::NONE, form: NameForm::Declared }
    }

    /// A resource. A field that the callers may not read is not visible in it.
    #[must_use]
    pub fn resource(self, ix: ResourceIx) -> &'m ResourceModel {
        self.rules.view(self.set, ix).unwrap_or(&self.resources[usize::from(ix.0)])
    }

    /// The field with this name that the callers may read.
    #[must_use]
    pub fn field(self, of: ResourceIx, name: &str) -> Option<FieldIx> {
        let resource = self.resource(of);
        match self.form {
            NameForm::Wire => resource.field(name).filter(|ix| resource[*ix].visible()),
            NameForm::Declared => declared(resource, name),
        }
    }

    /// The relation with this name, if the callers may read the members that it leads to.
    #[must_use]
    pub fn relation(self, of: ResourceIx, name: &str) -> Option<RelationIx> {
        let named = (0..).map(RelationIx).zip(&self.resources[usize::from(of.0)].relations);
        let mut found = named.filter(|(_, relation)| match self.form {
            NameForm::Wire => *relation.wire == *name && self.shows(of, relation),
            NameForm::Declared => relation.name == name,
        });
        found.next().map(|(ix, _)| ix)
    }

    /// The path with this text, `relation.relation.field`. `None` if a step does not exist, or may
    /// lead to several members.
    #[must_use]
    pub fn path(self, of: ResourceIx, text: &str) -> Option<Path> {
        let (mut end, mut steps) = (of, vec![]);
        let mut names = text.split('.').peekable();
        loop {
            let name = names.next()?;
            if names.peek().is_none() {
                let field = self.field(end, name)?;
                return Some(Path { steps: steps.into(), end, field });
            }
            let step = self.relation(end, name)?;
            let relation = &self.resources[usize::from(end.0)][step];
            let RelationKind::One(_) = relation.kind else { return None };
            steps.push(step);
            end = relation.target;
        }
    }

    /// Whether a relation exists for the callers. They may read the reference, and some members of
    /// the target. The target has a method that reads them, and no handler of user code replaces
    /// it.
    fn shows(self, of: ResourceIx, relation: &Relation) -> bool {
        let target = self.resource(relation.target);
        let (reference, reads): (_, &[Operation]) = match relation.kind {
            RelationKind::One(field) => {
                (&self.resource(of)[field], &[Operation::Get, Operation::List])
            }
            RelationKind::Many(field) => (&target[field], &[Operation::List]),
        };
        let is_replaced = |operation: &Operation| {
            target.hooks.is_some_and(|phases| phases.replaced.contains(*operation))
        };
        reference.visible()
            && reads.iter().any(|operation| target.def.methods.contains(*operation))
            && !reads.iter().any(is_replaced)
            && !self.rules.readable_rows(self.set, relation.target).is_some_and(Rule::is_never)
    }
}

/// The field that is declared with this name. System fields have their own names.
pub(super) fn declared(resource: &ResourceModel, name: &str) -> Option<FieldIx> {
    let parent = resource.def.parent.map(|parent| parent.field);
    let is_named = |(ix, field): &(FieldIx, &FieldModel)| match field.def {
        Some(def) => def.name == name,
        None if *ix == FieldIx::ID => name == "id",
        None if Some(name) == parent => *ix == FieldIx(1),
        None => field.column == name && resource.def.timestamps,
    };
    resource.indexed().find(is_named).map(|(ix, _)| ix)
}
