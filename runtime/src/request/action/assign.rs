//! The conversion of a parsed body to the columns of a row. The method decides which fields the
//! body may set.

mod defaults;
mod rules;

pub(crate) use self::rules::broken;
use self::rules::{is_left_out, is_object, is_replaced, unlike_url, wrong_id};
use super::{
    content,
    member::{self, Object},
};
use crate::{
    base::{
        error::{Error, Fault, Kind, text},
        limits,
        secret::Secret,
    },
    model::{
        Chain, FieldIx, FieldModel, ResourceModel, Role, def::FieldMode, slots::Slots, value::Value,
    },
    plan::{Caller, Echo},
};

/// The values that a write sets, and the read-only values that its body repeats.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assignments {
    /// The columns to set, with their values.
    pub columns: Vec<(FieldIx, Value)>,
    /// The columns of type `json` whose objects are merged with the stored value (RFC 7396). All
    /// other columns are replaced.
    pub merged: Vec<FieldIx>,
    /// The read-only values in the body, which must be equal to the stored values.
    pub echoes: Vec<Echo>,
    /// The present password of the caller's account, if the body has it.
    pub(crate) current_password: Option<Secret>,
}

/// The member that PUT creates if none exists, or the errors that prevent the creation. The list of
/// errors is empty if clients cannot choose ids.
pub type PutCreation = Result<Assignments, Vec<Fault>>;

/// The name of the id in JSON, in every resource.
const ID: &str = "id";

/// The way a method treats a value of a field in the body.
enum Stance {
    /// Sets the field to the value.
    Set,
    /// Requires that the value is equal to the stored value.
    Echo,
    /// Requires that the value is equal to this value of the URL.
    Fixed(Value),
    /// Refuses the value, because only the server sets the field.
    Server,
}

/// Whether a body may contain the field, because clients can read or write it.
fn is_nameable(field: &FieldModel) -> bool {
    field.mode != FieldMode::Hidden
}

fn check(faults: Vec<Fault>) -> Result<(), Error> {
    if faults.is_empty() { Ok(()) } else { Err(Error::from_faults(Kind::INVALID_CONTENT, faults)) }
}

/// Reads the body of POST: one new member or an array of new members.
pub(super) fn create(
    resource: &ResourceModel,
    caller: &Caller,
    chain: &Chain,
    bytes: &[u8],
) -> Result<(Vec<Assignments>, bool), Error> {
    let mut faults = vec![];
    let (bodies, many) = member::read_many(resource, is_nameable, bytes, &mut faults)?;
    let assigner = Assigner { caller, chain, url_id: None, faults, trusted: false };
    Ok((assigner.members(bodies)?, many))
}

/// Reads the body of PUT: the whole member. If clients may choose ids, it also returns the member
/// to create.
pub(super) fn replace(
    resource: &ResourceModel,
    caller: &Caller,
    chain: &Chain,
    id: &Value,
    bytes: &[u8],
) -> Result<(Assignments, PutCreation), Error> {
    let mut faults = vec![];
    let object = member::one(resource, is_nameable, bytes, &mut faults)?;
    Assigner { caller, chain, url_id: Some(id), faults, trusted: false }.replacement(object)
}

/// Reads the body of PATCH: some fields of the member. Null removes a value (RFC 7396).
pub(super) fn update(
    resource: &ResourceModel,
    caller: &Caller,
    chain: &Chain,
    id: &Value,
    bytes: &[u8],
) -> Result<Assignments, Error> {
    let mut faults = vec![];
    let object = member::changes(resource, is_nameable, bytes, &mut faults)?;
    Assigner { caller, chain, url_id: Some(id), faults, trusted: false }.amendment(object)
}

/// Converts new members from a typed call. If `many` is true, each error contains the position of
/// its member.
pub(crate) fn created(
    caller: &Caller,
    chain: &Chain,
    members: Vec<Slots<'_>>,
    many: bool,
) -> Result<Vec<Assignments>, Error> {
    let mut faults = vec![];
    if members.len() > limits::ARRAY_MEMBERS_MAX {
        let detail =
            text!("At most {most} members are created at once.", most = limits::ARRAY_MEMBERS_MAX);
        faults.push(Fault::body("", "max_items", detail));
        check(faults)?;
        return Ok(vec![]);
    }
    let pointer = |at: usize| if many { format!("/{at}") } else { String::new() };
    let object = |(at, slots)| Object::from_slots(slots, pointer(at), &mut faults);
    let objects = members.into_iter().enumerate().map(object).collect();
    Assigner { caller, chain, url_id: None, faults, trusted: true }.members(objects)
}

/// Converts a whole member from a typed call.
pub(crate) fn replaced(
    caller: &Caller,
    chain: &Chain,
    id: &Value,
    slots: Slots<'_>,
) -> Result<(Assignments, PutCreation), Error> {
    let mut faults = vec![];
    let object = Object::from_slots(slots, String::new(), &mut faults);
    Assigner { caller, chain, url_id: Some(id), faults, trusted: true }.replacement(object)
}

/// Converts some fields of a member from a typed call.
pub(crate) fn updated(
    caller: &Caller,
    chain: &Chain,
    id: &Value,
    slots: Slots<'_>,
) -> Result<Assignments, Error> {
    let mut faults = vec![];
    let object = Object::from_slots(slots, String::new(), &mut faults);
    Assigner { caller, chain, url_id: Some(id), faults, trusted: true }.amendment(object)
}

struct Assigner<'request> {
    caller: &'request Caller,
    chain: &'request Chain,
    /// The id in the URL; `None` for POST.
    url_id: Option<&'request Value>,
    faults: Vec<Fault>,
    /// Whether the caller is a Rust program. A program may set declared fields that clients cannot
    /// write or read.
    trusted: bool,
}

impl Assigner<'_> {
    fn members(mut self, objects: Vec<Object<'_>>) -> Result<Vec<Assignments>, Error> {
        let insert = |object| content::check_time().map(|()| self.insert(object));
        let members = objects.into_iter().map(insert).collect::<Result<_, _>>()?;
        check(self.faults)?;
        Ok(members)
    }

    fn replacement(mut self, mut object: Object<'_>) -> Result<(Assignments, PutCreation), Error> {
        let create = match object.resource().def.takes_ids() {
            true => match self.uncreatable(&object) {
                faults if faults.is_empty() => Ok(self.creating(&object)),
                faults => Err(faults),
            },
            false => Err(vec![]),
        };
        let current_password = self.current_password(&mut object);
        let change = self.change(&mut object, true);
        check(self.faults)?;
        Ok((Assignments { current_password, ..change }, create))
    }

    fn amendment(mut self, mut object: Object<'_>) -> Result<Assignments, Error> {
        let current_password = self.current_password(&mut object);
        let change = self.change(&mut object, false);
        check(self.faults)?;
        Ok(Assignments { current_password, ..change })
    }

    /// Takes the present password out of a body. Only a change of the caller's own account has it.
    fn current_password(&mut self, object: &mut Object<'_>) -> Option<Secret> {
        let given = object.current_password.take()?;
        let account = self.caller.account().map(|account| &account.id);
        if account.is_some() && account == self.url_id {
            return Some(given);
        }
        let name = object.resource().current_password.as_deref().unwrap_or_default();
        let detail = text!("`{name}` is only for a change of your own account.", name);
        self.report(Fault::body(object.at(name), "unknown", detail));
        None
    }

    fn stance(&self, field: &FieldModel) -> Stance {
        let creating = self.url_id.is_none();
        match field.role {
            Role::Id => match self.url_id {
                Some(id) => Stance::Fixed(id.clone()),
                None if field.mode == FieldMode::CreateOnly => Stance::Set,
                None => Stance::Server,
            },
            Role::Parent => match self.chain.ids.last() {
                _ if !creating && field.is_movable() => Stance::Set,
                Some(id) => Stance::Fixed(id.clone()),
                None if creating => Stance::Set,
                None => Stance::Echo,
            },
            _ => match field.mode {
                FieldMode::ReadWrite | FieldMode::WriteOnly => Stance::Set,
                FieldMode::CreateOnly if creating => Stance::Set,
                FieldMode::ReadOnly | FieldMode::Hidden if self.sets_all(field) => Stance::Set,
                FieldMode::ReadOnly | FieldMode::Hidden if creating => Stance::Server,
                _ => Stance::Echo,
            },
        }
    }

    /// Whether the caller may set the field even if clients cannot write it. No caller may set
    /// `created_at` and `updated_at`, nor a field that an access rule withholds.
    fn sets_all(&self, field: &FieldModel) -> bool {
        self.trusted && field.role == Role::Declared && !field.is_withheld
    }

    /// Returns all columns of a new member, including defaults. So all inserts of a resource have
    /// the same SQL text; with optional ids, there are two texts.
    fn insert(&mut self, mut object: Object<'_>) -> Assignments {
        self.current_password(&mut object);
        let mut columns = vec![];
        for (ix, field) in object.resource().indexed() {
            match self.stance(field) {
                Stance::Set if is_left_out(&object, ix, field) => {
                    columns.extend(field.generated_id().map(|id| (ix, id)));
                }
                Stance::Set => columns.push((ix, self.new_value(&mut object, ix, field))),
                Stance::Fixed(value) => self.must_be(&object, ix, &value),
                Stance::Server | Stance::Echo => {
                    self.refuse(&object, ix, field);
                    if field.role == Role::Declared {
                        self.check_default(&object, field);
                    }
                    columns.extend(self.generated(field).map(|value| (ix, value)));
                }
            }
        }
        Assignments { columns, ..Assignments::default() }
    }

    /// Returns the value of a field in the body, or the default if the body does not have the
    /// field.
    fn new_value(&mut self, object: &mut Object<'_>, ix: FieldIx, field: &FieldModel) -> Value {
        if !object.names(ix) {
            self.check_default(object, field);
            return self.caller.initial(field);
        }
        let pointer = object.at(&field.name);
        let value = object.take(ix).unwrap_or(Value::Null);
        if !object.names(ix) {
            self.check_value(pointer, field, &value);
        }
        value
    }

    /// Returns the values that PUT and PATCH set. With `whole`, fields that the body does not have
    /// get their default.
    fn change(&mut self, object: &mut Object<'_>, whole: bool) -> Assignments {
        let mut change = Assignments::default();
        for (ix, field) in object.resource().indexed() {
            match self.stance(field) {
                // PUT does not change fields that the client cannot read, because the client cannot
                // send them back. Nor does it change the parent.
                Stance::Set if object.names(ix) || (whole && is_replaced(field)) => {
                    let value = self.new_value(object, ix, field);
                    let merges = !whole && !self.trusted && is_object(field, &value);
                    change.merged.extend(merges.then_some(ix));
                    change.columns.push((ix, value));
                }
                Stance::Fixed(value) => self.must_be(object, ix, &value),
                // Who sends back what it has read must not change what it may not write.
                Stance::Echo if whole && field.is_withheld => drop(object.take(ix)),
                // Only those who may read a value learn whether it is the stored one.
                Stance::Echo if !self.trusted && !self.caller.may_read() => {
                    self.refuse(object, ix, field);
                }
                Stance::Echo => {
                    change.echoes.extend(object.take(ix).map(|value| Echo { field: ix, value }));
                }
                Stance::Set | Stance::Server => {}
            }
        }
        change
    }

    /// The errors that prevent PUT from creating a member: an invalid id, a parent that differs
    /// from the URL, and missing required fields.
    fn uncreatable(&self, object: &Object<'_>) -> Vec<Fault> {
        let needed = |field: &FieldModel| match field.role {
            Role::Parent => self.chain.ids.is_empty(),
            // The values of other fields are those that PUT sets.
            Role::Declared => field.mode != FieldMode::ReadWrite,
            Role::Id | Role::CreatedAt | Role::UpdatedAt => false,
        };
        let lacking = |(ix, field): (FieldIx, &FieldModel)| {
            let is_lacking = needed(field) && (object.get(ix).is_none() || self.is_unset(field));
            if is_lacking { self.wrong_default(object, field) } else { vec![] }
        };
        let id = self.url_id.and_then(|id| wrong_id(object.at(ID), id));
        let parent = object.resource().parent.zip(self.chain.ids.last());
        let elsewhere = parent.and_then(|((_, ix), id)| unlike_url(object, ix, id, false));
        let lacking = object.resource().indexed().flat_map(lacking);
        id.into_iter().chain(elsewhere).chain(lacking).collect()
    }

    /// Returns the member that PUT creates. Fields that PUT may also change are checked by
    /// [`Self::change`].
    fn creating(&mut self, object: &Object<'_>) -> Assignments {
        let mut columns = vec![];
        for (ix, field) in object.resource().indexed() {
            if let Some(value) = object.get(ix).filter(|_| field.mode == FieldMode::CreateOnly) {
                self.check_value(object.at(&field.name), field, value);
            }
            let value = match (field.role, self.stance(field)) {
                (Role::CreatedAt | Role::UpdatedAt, _) => continue,
                (Role::Parent, _) if !self.chain.ids.is_empty() => continue,
                (_, Stance::Fixed(value)) => value,
                _ if self.is_unset(field) => self.caller.initial(field),
                _ => object.get(ix).cloned().unwrap_or_else(|| self.caller.initial(field)),
            };
            columns.push((ix, value));
        }
        Assignments { columns, ..Assignments::default() }
    }

    fn check_value(&mut self, pointer: String, field: &FieldModel, value: &Value) {
        for fault in broken(field, pointer, value) {
            self.report(fault);
        }
    }

    /// Checks a value that is also in the URL. The body may only repeat the value of the URL.
    fn must_be(&mut self, object: &Object<'_>, ix: FieldIx, value: &Value) {
        let stays = object.resource()[ix].role == Role::Parent && self.url_id.is_some();
        if let Some(fault) = unlike_url(object, ix, value, stays) {
            self.report(fault);
        }
    }

    fn refuse(&mut self, object: &Object<'_>, ix: FieldIx, field: &FieldModel) {
        // A Rust value has a value of each field, so the default says nothing.
        let is_default = self.trusted && object.get(ix) == Some(&self.caller.initial(field));
        if object.names(ix) && !is_default {
            let name = &field.name;
            let detail = match field.is_withheld {
                true => text!("You may not set `{name}`.", name),
                false => text!("`{name}` is set by the server.", name),
            };
            self.report(
                Fault::body(object.at(&field.name), "read_only", detail)
                    .hint(Some(text!("Omit the field."))),
            );
        }
    }

    fn report(&mut self, fault: Fault) {
        if self.faults.len() < limits::FAULTS_MAX {
            self.faults.push(fault);
        }
    }

    /// The value of a field in a new member if clients cannot set the field; `None` if the store
    /// sets it.
    fn generated(&self, field: &FieldModel) -> Option<Value> {
        match field.role {
            Role::CreatedAt | Role::UpdatedAt => None,
            Role::Id => field.generated_id(),
            Role::Parent | Role::Declared => Some(self.caller.initial(field)),
        }
    }
}
