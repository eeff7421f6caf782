//! What a web page adds to the read of its action: the labels of the members that its rows refer
//! to, and look-ups of the labels of ancestors, of choices and of counts.

use std::collections::BTreeSet;

use super::{
    access,
    action::{ActionKind, CollectionQuery},
    route::Target,
};
use crate::{
    model::{
        Chain, FieldIx, FieldModel, Model, Op, Place, RelatedSelection, RelatedSelections,
        RelationIx, RelationKind, ResourceIx, ResourceModel, Role, RuleSet,
        def::{FieldKind, FieldMode, Operation},
        predicate::Predicate,
        value::Value,
    },
    plan::{Caller, LABEL_CHARACTERS_MAX, PAGE_CHOICES_MAX, PAGE_COUNT_MAX, Shape, Step},
};

/// The maximum number of fields whose values a page counts.
const TALLIES_MAX: usize = 4;

/// The maximum number of values of a field that a page counts.
const TALLY_VALUES_MAX: i64 = 10;

/// The maximum number of references that have choices in a filter form.
const CHOICES_MAX: usize = 8;

/// The maximum number of references whose members a row has with their labels. SQLite joins 64
/// tables at most, and the ancestors in the URL are among them.
const LABELS_MAX: usize = 32;

/// The maximum number of resources that the home page counts.
const COUNTS_MAX: usize = 100;

/// The labels and look-ups that a page adds to the read of its action.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PageLookups {
    rules: RuleSet,
    /// The labels of the members that a row refers to.
    pub(crate) labels: Vec<RelatedSelection>,
    /// The ancestors in the URL, outermost first.
    pub(crate) ancestors: Vec<AncestorLookup>,
    pub(crate) tallies: Vec<TallyLookup>,
    /// The targets of references, each with the field of the label, which may be the id.
    pub(crate) choices: Vec<(ResourceIx, FieldIx)>,
    /// The resources whose members are counted.
    pub(crate) counts: Vec<ResourceIx>,
}

/// An ancestor in the URL, whose label a page shows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AncestorLookup {
    pub(crate) resource: ResourceIx,
    /// The field of the label. `None` if the ancestor has none that the caller may read.
    pub(crate) label: Option<FieldIx>,
    id: Value,
}

/// A field whose values are counted, among the members that match the filters of other fields.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TallyLookup {
    pub(crate) field: FieldIx,
    place: Place,
    ids: Vec<Value>,
    others: Predicate,
    /// The values that the field may have; empty for a reference.
    pub(crate) values: Vec<Value>,
    /// The label of the member that the field refers to, if there is one.
    related: RelatedSelections,
}

impl PageLookups {
    /// Returns what the page of an action adds. Its caller may read all of it. `is_form` tells the
    /// form that changes a member from the member's page. `fields` are those that the rows show.
    pub(crate) fn of(
        model: &Model,
        kind: &ActionKind,
        caller: &Caller,
        (is_form, fields): (bool, Option<&[FieldIx]>),
    ) -> Self {
        let reader = LookupReader { model, caller };
        match kind {
            ActionKind::Home => reader.home(),
            ActionKind::List { chain, query } => reader.collection(chain, query, fields),
            ActionKind::NewForm { chain } => reader.form(chain, true),
            ActionKind::Get { chain, .. } if is_form => reader.form(chain, false),
            ActionKind::Get { chain, .. } => reader.shown(chain, fields),
            _ => Self::default(),
        }
    }

    /// Adds the resources that the page looks up besides its rows.
    pub(crate) fn add_passed(&self, model: &Model, to: &mut Vec<ResourceIx>) {
        let ancestors = self.ancestors.iter().filter(|above| above.label.is_some());
        to.extend(ancestors.map(|above| above.resource));
        to.extend(self.choices.iter().map(|(target, _)| *target));
        for tally in &self.tallies {
            tally.related.add_passed(model.resources(), tally.resource(), to);
        }
    }

    /// Returns the look-ups of the labels of ancestors that have one.
    pub(crate) fn ancestor_steps(&self) -> impl Iterator<Item = Step> {
        self.ancestors.iter().filter_map(|above| {
            let fields = vec![above.label?];
            let shape = Shape::Look { place: flat(above.resource, self.rules), fields };
            Some(Step { shape, values: vec![above.id.clone()] })
        })
    }

    /// Returns the look-ups of choices.
    pub(crate) fn choice_steps(&self) -> impl Iterator<Item = Step> {
        let limit = Value::Integer(i64::from(PAGE_CHOICES_MAX) + 1);
        self.choices.iter().map(move |(target, label)| {
            let shape = Shape::Choices { place: flat(*target, self.rules), label: *label };
            Step { shape, values: vec![limit.clone()] }
        })
    }

    /// Returns the look-ups of the numbers of members.
    pub(crate) fn count_steps(&self) -> impl Iterator<Item = Step> {
        self.counts.iter().map(|resource| {
            let (filter, mut values) = Predicate::EVERY.split();
            values.push(count_limit());
            Step { shape: Shape::CountMost { place: flat(*resource, self.rules), filter }, values }
        })
    }
}

impl TallyLookup {
    /// The resource of the field.
    pub(crate) const fn resource(&self) -> ResourceIx {
        self.place.resource
    }

    /// The field with the label of the members that the field refers to.
    pub(crate) fn label(&self, model: &Model) -> Option<(ResourceIx, FieldIx)> {
        let related = self.related.members.first()?;
        let (target, _) = related.reference(&model[self.resource()]);
        Some((target, *related.fields.first()?))
    }

    /// Returns the look-up of the frequent values.
    pub(crate) fn step(&self) -> Step {
        let (filter, values) = self.others.split();
        let related = self.related.clone();
        let shape = Shape::Tally { place: self.place, filter, field: self.field, related };
        let limits = [count_limit(), Value::Integer(TALLY_VALUES_MAX)];
        Step { shape, values: self.ids.iter().cloned().chain(values).chain(limits).collect() }
    }

    /// Returns a look-up for each value that the field may have.
    pub(crate) fn value_steps(&self) -> impl Iterator<Item = Step> {
        self.values.iter().map(|value| {
            let test = Predicate::test(self.field, Op::Eq, vec![value.clone()]);
            let (filter, values) = Predicate::all([self.others.clone(), test]).split();
            let shape = Shape::CountMost { place: self.place, filter };
            let ids = self.ids.iter().cloned();
            Step { shape, values: ids.chain(values).chain([count_limit()]).collect() }
        })
    }
}

/// The limit of a statement that counts: one more shows whether there are more.
fn count_limit() -> Value {
    Value::Integer(i64::from(PAGE_COUNT_MAX) + 1)
}

/// The place of a resource in a URL without ancestors.
fn flat(resource: ResourceIx, rules: RuleSet) -> Place {
    Chain { resource, ids: vec![] }.place(rules)
}

/// Finds the look-ups of a page for its reader.
struct LookupReader<'p> {
    model: &'p Model,
    caller: &'p Caller,
}

impl LookupReader<'_> {
    fn home(&self) -> PageLookups {
        let is_counted = |resource: &&ResourceModel| {
            let target = Target::Collection(Chain { resource: resource.ix, ids: vec![] });
            resource.at_top()
                && resource.def.methods.contains(Operation::List)
                && self.may_read(&target)
        };
        let counted = self.model.resources().iter().filter(is_counted);
        let counts = counted.map(|resource| resource.ix).take(COUNTS_MAX).collect();
        PageLookups { rules: self.rules(), counts, ..PageLookups::default() }
    }

    fn collection(
        &self,
        chain: &Chain,
        query: &CollectionQuery,
        shown: Option<&[FieldIx]>,
    ) -> PageLookups {
        let resource = self.model.seen(self.rules()).resource(chain.resource);
        let fields = || resource.visible().filter(|(_, field)| is_offered(field, chain));
        let tally = |(ix, field): (FieldIx, &FieldModel)| {
            let is_closed =
                field.kind == FieldKind::Boolean || field.constraints.choices().is_some();
            (is_closed || field.target.is_some()).then(|| TallyLookup {
                field: ix,
                place: chain.place(self.rules()),
                ids: chain.ids.clone(),
                others: without(&query.predicate, ix),
                values: values(field),
                related: RelatedSelections {
                    members: self.labelled(chain.resource, ix).into_iter().collect(),
                    lists: vec![],
                },
            })
        };
        PageLookups {
            tallies: fields().filter_map(tally).take(TALLIES_MAX).collect(),
            choices: self.choices(fields().filter_map(|(_, field)| field.target).collect()),
            ..self.shown(chain, shown)
        }
    }

    /// The look-ups of a form that creates or changes a member.
    fn form(&self, chain: &Chain, is_new: bool) -> PageLookups {
        let resource = self.model.seen(self.rules()).resource(chain.resource);
        let is_set = |field: &FieldModel| match field.mode {
            FieldMode::ReadWrite | FieldMode::WriteOnly => true,
            FieldMode::CreateOnly => is_new,
            FieldMode::ReadOnly | FieldMode::Hidden => false,
        };
        let fields = resource.indexed().map(|(_, field)| field);
        let set = fields.filter(|field| is_set(field) && is_free(field, chain));
        let choices = self.choices(set.filter_map(|field| field.target).collect());
        PageLookups {
            rules: self.rules(),
            ancestors: self.ancestors(chain),
            choices,
            ..PageLookups::default()
        }
    }

    /// The look-ups of the choices of references to these resources.
    fn choices(&self, targets: BTreeSet<ResourceIx>) -> Vec<(ResourceIx, FieldIx)> {
        let targets = targets.into_iter().filter(|target| self.reads(*target)).take(CHOICES_MAX);
        targets.map(|target| (target, self.label(target).unwrap_or(FieldIx::ID))).collect()
    }

    /// The labels on a page of a collection or of a member in it, whose rows show these fields.
    fn shown(&self, chain: &Chain, fields: Option<&[FieldIx]>) -> PageLookups {
        let resource = self.model.seen(self.rules()).resource(chain.resource);
        let is_shown = |ix: &FieldIx| fields.is_none_or(|fields| fields.contains(ix));
        let shown = resource.visible().map(|(ix, _)| ix).filter(is_shown);
        let labels = shown.filter_map(|ix| self.labelled(chain.resource, ix));
        let labels = labels.take(LABELS_MAX).collect();
        let ancestors = self.ancestors(chain);
        PageLookups { rules: self.rules(), labels, ancestors, ..PageLookups::default() }
    }

    /// The ancestors in a URL, outermost first.
    fn ancestors(&self, chain: &Chain) -> Vec<AncestorLookup> {
        let above = self.model.ancestors(chain.resource).zip(chain.ids.iter().rev());
        let mut above: Vec<_> = above
            .map(|(resource, id)| AncestorLookup {
                resource,
                label: self.label(resource),
                id: id.clone(),
            })
            .collect();
        above.reverse();
        above
    }

    /// The label of the member that a field refers to.
    fn labelled(&self, of: ResourceIx, field: FieldIx) -> Option<RelatedSelection> {
        let resource = &self.model[of];
        let label = self.label(resource[field].target?)?;
        let is_of = |relation: &RelationIx| resource[*relation].kind == RelationKind::One(field);
        let relation = (0..).map(RelationIx).take(resource.relations.len()).find(is_of)?;
        // One more character shows whether the label is longer.
        let length_max = Some(LABEL_CHARACTERS_MAX as u32 + 1);
        let (fields, related) = ([label].into(), RelatedSelections::default());
        Some(RelatedSelection { relation, fields, length_max, related })
    }

    /// The label of a resource, if the caller may read it.
    fn label(&self, resource: ResourceIx) -> Option<FieldIx> {
        let label = self.model[resource].label().filter(|_| self.reads(resource))?;
        self.model.seen(self.rules()).resource(resource)[label].visible().then_some(label)
    }

    /// Whether the caller may read some members of a resource.
    fn reads(&self, resource: ResourceIx) -> bool {
        let methods = self.model[resource].def.methods;
        let target = Target::Member(Chain { resource, ids: vec![] }, Value::Null);
        (methods.contains(Operation::Get) || methods.contains(Operation::List))
            && self.may_read(&target)
    }

    fn may_read(&self, target: &Target) -> bool {
        access::may(self.model, target, self.caller, &http::Method::GET)
    }

    fn rules(&self) -> RuleSet {
        self.caller.rules(self.model)
    }
}

/// Whether a page of a collection has a filter for the field. All members of a nested collection
/// have the same parent.
pub(crate) fn is_offered(field: &FieldModel, chain: &Chain) -> bool {
    field.filterable && is_free(field, chain)
}

/// Whether the members of a collection may have different values in the field.
fn is_free(field: &FieldModel, chain: &Chain) -> bool {
    field.role != Role::Parent || chain.ids.is_empty()
}

/// The values that a field may have, if they are declared.
fn values(field: &FieldModel) -> Vec<Value> {
    match field.constraints.choices() {
        Some(choices) => choices.iter().take(TALLY_VALUES_MAX as usize).cloned().collect(),
        None if field.kind == FieldKind::Boolean => vec![Value::Integer(1), Value::Integer(0)],
        None => vec![],
    }
}

/// The predicate without the tests of a field.
fn without(predicate: &Predicate, field: FieldIx) -> Predicate {
    let is_of = |part: &&Predicate| part.own_test().is_none_or(|(of, _)| of != field);
    Predicate::all(predicate.parts().iter().filter(is_of).cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_counted_without_its_own_filter() {
        let test =
            |field, value| Predicate::test(FieldIx(field), Op::Eq, vec![Value::Integer(value)]);
        let both = Predicate::all([test(1, 5), test(2, 6)]);
        assert_eq!(without(&both, FieldIx(1)), test(2, 6));
        assert_eq!(without(&test(1, 5), FieldIx(1)), Predicate::EVERY);
        assert_eq!(without(&both, FieldIx(3)), both);
    }
}
