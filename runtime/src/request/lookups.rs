//! The look-ups that a web page adds to the read of its action: labels of the members that it
//! refers to, counts of the values of its fields, and choices for its filter form.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    access,
    action::{Action, ActionKind, CollectionQuery},
    route::Target,
};
use crate::{
    model::{
        Chain, FieldIx, FieldModel, Model, Op, Place, ResourceIx, ResourceModel, Role, RuleSet,
        def::{FieldKind, FieldMode, Operation},
        predicate::Predicate,
        value::Value,
    },
    plan::{Caller, PAGE_CHOICES_MAX, PAGE_COUNT_MAX, Shape, Step},
};

/// The maximum number of fields whose values a page counts.
const TALLIES_MAX: usize = 4;

/// The maximum number of values of a field that a page counts.
const TALLY_VALUES_MAX: i64 = 10;

/// The maximum number of references that have choices in a filter form.
const CHOICES_MAX: usize = 8;

/// The maximum number of resources that the home page counts.
const COUNTS_MAX: usize = 100;

/// The ids of members, by their resource.
pub(crate) type IdsOfResources = BTreeMap<ResourceIx, BTreeSet<String>>;

/// The look-ups of a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageLookups {
    rules: RuleSet,
    /// The resources whose members are shown by a label, with its field.
    labels: BTreeMap<ResourceIx, FieldIx>,
    /// The ancestors in the URL.
    pub(crate) ancestors: Vec<(ResourceIx, String)>,
    pub(crate) tallies: Vec<TallyLookup>,
    /// The targets of references, each with the field of the label, which may be the id.
    pub(crate) choices: Vec<(ResourceIx, FieldIx)>,
    /// The resources whose members are counted.
    pub(crate) counts: Vec<ResourceIx>,
}

/// A field whose values are counted, among the members that match the filters of other fields.
#[derive(Clone, Debug)]
pub(crate) struct TallyLookup {
    pub(crate) field: FieldIx,
    place: Place,
    ids: Vec<Value>,
    others: Predicate,
    /// The values that the field may have; empty for a reference.
    pub(crate) values: Vec<Value>,
}

impl PageLookups {
    /// Returns the look-ups of a page. Its caller may read all of them.
    pub(crate) fn of(model: &Model, action: &Action) -> Self {
        let reader = LookupReader { model, caller: &action.caller };
        match &action.kind {
            ActionKind::Home => reader.home(),
            ActionKind::List { chain, query } => reader.collection(chain, query),
            ActionKind::NewForm { chain } => reader.form(chain, true),
            ActionKind::Get { chain, .. } if action.is_form() => reader.form(chain, false),
            ActionKind::Get { chain, .. } => reader.shown(chain),
            _ => Self::default(),
        }
    }

    /// Whether members of a resource are shown by a label.
    pub(crate) fn has_label(&self, resource: ResourceIx) -> bool {
        self.labels.contains_key(&resource)
    }

    /// The places that a page is made from besides its own.
    pub(crate) fn places(&self) -> impl Iterator<Item = Place> {
        let targets: BTreeSet<_> =
            self.labels.keys().chain(self.choices.iter().map(|(target, _)| target)).collect();
        targets.into_iter().map(|resource| flat(*resource, self.rules))
    }

    /// Returns the look-up of labels. It is a statement for each resource.
    pub(crate) fn label_steps(&self, model: &Model, ids: &IdsOfResources) -> Vec<Step> {
        let step = |(resource, ids): (&ResourceIx, &BTreeSet<String>)| {
            let label = *self.labels.get(resource)?;
            let kind = model[*resource][FieldIx::ID].kind;
            let shape = Shape::Labels { place: flat(*resource, self.rules), label };
            Some(Step { shape, values: vec![Value::Text(json(kind, ids))] })
        };
        ids.iter().filter_map(step).collect()
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

    /// Returns the look-up of the frequent values.
    pub(crate) fn step(&self) -> Step {
        let (filter, values) = self.others.split();
        let shape = Shape::Tally { place: self.place, filter, field: self.field };
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

/// Formats ids as a JSON array.
fn json(kind: FieldKind, ids: &BTreeSet<String>) -> String {
    let id = |id: &String| match kind {
        FieldKind::Integer => id.clone(),
        _ => serde_json::Value::from(id.as_str()).to_string(),
    };
    format!("[{}]", ids.iter().map(id).collect::<Vec<_>>().join(","))
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

    fn collection(&self, chain: &Chain, query: &CollectionQuery) -> PageLookups {
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
            })
        };
        PageLookups {
            tallies: fields().filter_map(tally).take(TALLIES_MAX).collect(),
            choices: self.choices(fields().filter_map(|(_, field)| field.target).collect()),
            ..self.shown(chain)
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
        PageLookups { choices, ..self.shown(chain) }
    }

    /// The look-ups of the choices of references to these resources.
    fn choices(&self, targets: BTreeSet<ResourceIx>) -> Vec<(ResourceIx, FieldIx)> {
        let targets = targets.into_iter().filter(|target| self.reads(*target)).take(CHOICES_MAX);
        targets.map(|target| (target, self.label(target).unwrap_or(FieldIx::ID))).collect()
    }

    /// The look-ups of labels, for a page of a collection or of a member in it.
    fn shown(&self, chain: &Chain) -> PageLookups {
        let model = self.model;
        let resource = model.seen(self.rules()).resource(chain.resource);
        let above = || model.ancestors(chain.resource).take(chain.ids.len());
        let targets = resource.visible().filter_map(|(_, field)| field.target).chain(above());
        let labels = targets.filter_map(|target| Some((target, self.label(target)?))).collect();
        let spelled = |(resource, id): (ResourceIx, &Value)| {
            (resource, id.spell(model[resource][FieldIx::ID].kind))
        };
        let ancestors = above().zip(chain.ids.iter().rev()).map(spelled).collect();
        PageLookups { rules: self.rules(), labels, ancestors, ..PageLookups::default() }
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
    fn ids_are_a_json_array() {
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
        assert_eq!(json(FieldKind::Integer, &ids(&["2", "10"])), "[10,2]");
        assert_eq!(json(FieldKind::String, &ids(&["a\"b"])), r#"["a\"b"]"#);
    }

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
