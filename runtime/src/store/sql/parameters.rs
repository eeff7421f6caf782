//! The parameters of a statement: for each, where its value comes from.

use crate::{
    model::{rule::RuleValue, value::Value},
    plan::{CallerValues, Shape, Step},
};

/// The SQL text of a statement, and its parameters.
#[derive(Debug)]
pub(crate) struct SqlStatement {
    pub(crate) text: String,
    pub(crate) parameters: StatementParameters,
}

/// The origin of the value of a parameter. Numbers begin at 0.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Origin {
    /// The id of an ancestor in the URL; 0 is the outermost one.
    Ancestor(u8),
    /// A value of the cursor. A key for which the cursor has no value is not counted.
    Cursor(u8),
    /// The JSON array of ids to which the statement is restricted.
    Ids,
    /// A value of the filter, or of the fields that are compared.
    Condition(u16),
    /// The id of the member.
    Id,
    /// The value of a column that is written.
    Column(u16),
    /// The maximum number of rows.
    Limit,
    /// The number of rows to skip.
    Offset,
    /// The maximum number of values that are counted.
    ValuesMax,
    /// A value of a list that comes with the rows.
    ListValue(u16),
    /// The id of the row that a list belongs to.
    ListOwner,
    /// A value of an access rule.
    Rule(RuleValue),
    /// The time of the change.
    Time,
    /// The revision of the change.
    Revision,
    /// The revision that the member must have, or null for any.
    Expected,
    /// The slot of the counter.
    #[cfg(feature = "postgres")]
    Slot,
    /// The time of the counter, for a statement that writes several members.
    #[cfg(feature = "postgres")]
    CounterTime,
    /// A value of the statement that finds the account of the caller.
    Account(u16),
}

/// The parameters of a statement, in the order of their numbers.
#[derive(Debug)]
pub(crate) struct StatementParameters {
    origins: Box<[Origin]>,
    sections: Sections,
}

/// The positions at which the sections of the values of a [`Step`] begin. The ids of the ancestors
/// come first, and the others follow in the order of the fields.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sections {
    cursor: usize,
    ids: usize,
    condition: usize,
    id: usize,
    columns: usize,
    window: usize,
    list_values: usize,
}

/// The values that a run of a statement binds, beside those of the caller.
#[derive(Clone, Copy)]
pub(crate) struct RunInputs<'v> {
    /// The values of the step.
    values: &'v [Value],
    /// The limit, in place of that of the step.
    limit: Option<&'v Value>,
    /// The id of the row that a list belongs to.
    list_owner: Option<&'v Value>,
    /// The time and the revision of a change.
    stamps: Option<&'v [Value; 2]>,
    #[cfg(feature = "postgres")]
    counted: Option<CountedRunInputs<'v>>,
}

/// The values that a statement with a counter binds, too.
#[cfg(feature = "postgres")]
#[derive(Clone, Copy)]
pub(crate) struct CountedRunInputs<'v> {
    /// The revision that the member must have, or null for any.
    pub(crate) expected: &'v Value,
    /// The slot of the counter.
    pub(crate) slot: &'v Value,
    /// The values of the statement that finds the account of the caller.
    pub(crate) account: &'v [Value],
}

impl Sections {
    /// Returns the sections of the values of a shape.
    pub(super) fn of(shape: &Shape) -> Self {
        let (mut cursors, mut listed_ids, mut tested, mut columns) = (0, 0, 0, 0);
        let (mut ids, mut window) = (0, 0);
        match shape {
            Shape::List { filter, beyond, .. } => {
                cursors = beyond.iter().filter(|has_value| **has_value).count();
                (tested, window) = (filter.value_count(), 2);
            }
            Shape::Count { filter, .. } => tested = filter.value_count(),
            Shape::CountMost { filter, .. } | Shape::Tally { filter, .. } => {
                (tested, window) = (filter.value_count(), 2);
            }
            Shape::ListRows { list, .. } => (tested, window) = (list.filter.value_count(), 1),
            Shape::DeleteMany { filter, listed, .. } | Shape::Ids { filter, listed, .. } => {
                listed_ids = usize::from(*listed);
                tested = filter.value_count();
            }
            Shape::Taken { fields, .. } => (tested, ids) = (fields.len(), 1),
            Shape::Insert { columns: set, .. } => columns = set.len(),
            Shape::Update { columns: set, .. } => (ids, columns) = (1, set.len()),
            Shape::Get { .. }
            | Shape::Look { .. }
            | Shape::Delete { .. }
            | Shape::Exists { .. } => {
                ids = 1;
            }
            Shape::Links { .. } | Shape::Choices { .. } => {}
        }
        let cursor = usize::from(shape.place().depth);
        let ids_at = cursor + cursors;
        let condition = ids_at + listed_ids;
        let id = condition + tested;
        let columns_at = id + ids;
        let window_at = columns_at + columns;
        Self {
            cursor,
            ids: ids_at,
            condition,
            id,
            columns: columns_at,
            window: window_at,
            list_values: window_at + window,
        }
    }

    /// Returns the position of a value among those of the step. `None` if it is not one of them.
    pub(super) fn at(&self, origin: &Origin) -> Option<usize> {
        Some(match origin {
            Origin::Ancestor(at) => usize::from(*at),
            Origin::Cursor(at) => self.cursor + usize::from(*at),
            Origin::Ids => self.ids,
            Origin::Condition(at) => self.condition + usize::from(*at),
            Origin::Id => self.id,
            Origin::Column(at) => self.columns + usize::from(*at),
            Origin::Limit => self.window,
            Origin::Offset | Origin::ValuesMax => self.window + 1,
            Origin::ListValue(at) => self.list_values + usize::from(*at),
            Origin::ListOwner
            | Origin::Rule(_)
            | Origin::Time
            | Origin::Revision
            | Origin::Expected
            | Origin::Account(_) => return None,
            #[cfg(feature = "postgres")]
            Origin::Slot | Origin::CounterTime => return None,
        })
    }
}

impl StatementParameters {
    pub(super) fn new(origins: Vec<Origin>, sections: Sections) -> Self {
        Self { origins: origins.into(), sections }
    }

    /// Returns the origins, each with the position of its value among those of the step.
    pub(crate) fn origins(&self) -> impl Iterator<Item = (&Origin, Option<usize>)> {
        self.origins.iter().map(|origin| (origin, self.sections.at(origin)))
    }

    /// Returns the values in the order of the parameters. One that is missing is `None`.
    pub(in crate::store) fn values<'v>(
        &'v self,
        caller: &'v CallerValues,
        inputs: RunInputs<'v>,
    ) -> impl Iterator<Item = Option<&'v Value>> {
        self.origins.iter().map(move |origin| self.value(origin, caller, &inputs))
    }

    /// Returns the values in the order of the parameters. `None` if a value is missing.
    pub(in crate::store) fn bound<'v>(
        &'v self,
        caller: &'v CallerValues,
        inputs: RunInputs<'v>,
    ) -> Option<impl Iterator<Item = &'v Value>> {
        let is_whole = self.values(caller, inputs).all(|value| value.is_some());
        is_whole.then(|| self.values(caller, inputs).flatten())
    }

    fn value<'v>(
        &'v self,
        origin: &'v Origin,
        caller: &'v CallerValues,
        inputs: &RunInputs<'v>,
    ) -> Option<&'v Value> {
        match origin {
            Origin::Rule(value) => Some(caller.get(value)),
            Origin::Limit if inputs.limit.is_some() => inputs.limit,
            Origin::ListOwner => inputs.list_owner,
            Origin::Time => inputs.stamps.map(|[time, _]| time),
            #[cfg(feature = "postgres")]
            Origin::CounterTime => inputs.stamps.map(|[time, _]| time),
            Origin::Revision => inputs.stamps.map(|[_, revision]| revision),
            #[cfg(feature = "postgres")]
            Origin::Expected => inputs.counted.map(|counted| counted.expected),
            #[cfg(feature = "postgres")]
            Origin::Slot => inputs.counted.map(|counted| counted.slot),
            #[cfg(feature = "postgres")]
            Origin::Account(at) => inputs.counted?.account.get(usize::from(*at)),
            of_step => inputs.values.get(self.sections.at(of_step)?),
        }
    }
}

impl Step {
    /// Returns the maximum number of rows of a page.
    pub(in crate::store) fn limit(&self) -> Option<i64> {
        let at = Sections::of(&self.shape).at(&Origin::Limit)?;
        match self.values.get(at) {
            Some(Value::Integer(limit)) => Some(*limit),
            _ => None,
        }
    }

    /// Sets the maximum number of rows of a page.
    #[cfg(feature = "postgres")]
    pub(in crate::store) fn set_limit(&mut self, limit: i64) {
        let at = Sections::of(&self.shape).at(&Origin::Limit);
        if let Some(value) = at.and_then(|at| self.values.get_mut(at)) {
            *value = Value::Integer(limit);
        }
    }
}

impl<'v> RunInputs<'v> {
    /// Binds this value in place of the limit of the step.
    pub(in crate::store) const fn limited(self, limit: &'v Value) -> Self {
        Self { limit: Some(limit), ..self }
    }

    /// Binds the id of the row that a list belongs to.
    pub(in crate::store) const fn of_owner(self, id: &'v Value) -> Self {
        Self { list_owner: Some(id), ..self }
    }

    /// Returns the values of the lists that come with the rows of a shape.
    pub(in crate::store) fn list_values(&self, shape: &Shape) -> &'v [Value] {
        self.values.get(Sections::of(shape).list_values..).unwrap_or_default()
    }

    /// Binds the time and the revision of a change.
    pub(in crate::store) const fn stamped(self, stamps: &'v [Value; 2]) -> Self {
        Self { stamps: Some(stamps), ..self }
    }

    /// Binds what a statement with a counter needs.
    #[cfg(feature = "postgres")]
    pub(in crate::store) const fn counted(self, counted: CountedRunInputs<'v>) -> Self {
        Self { counted: Some(counted), ..self }
    }

    /// Returns the limit that is bound in place of that of the step.
    #[cfg(feature = "postgres")]
    pub(in crate::store) const fn limit(&self) -> Option<&'v Value> {
        self.limit
    }

    /// Returns the values of the step.
    #[cfg(feature = "postgres")]
    pub(in crate::store) const fn values(&self) -> &'v [Value] {
        self.values
    }

    /// Binds these values in place of those of the step.
    #[cfg(feature = "postgres")]
    pub(in crate::store) const fn with_values(self, values: &'v [Value]) -> Self {
        Self { values, ..self }
    }
}

impl<'v> From<&'v [Value]> for RunInputs<'v> {
    fn from(values: &'v [Value]) -> Self {
        Self {
            values,
            limit: None,
            list_owner: None,
            stamps: None,
            #[cfg(feature = "postgres")]
            counted: None,
        }
    }
}

/// A statement with one value, such as an id.
impl<'v> From<&'v Value> for RunInputs<'v> {
    fn from(value: &'v Value) -> Self {
        std::slice::from_ref(value).into()
    }
}

impl<'v> From<&'v Step> for RunInputs<'v> {
    fn from(step: &'v Step) -> Self {
        step.values.as_slice().into()
    }
}
