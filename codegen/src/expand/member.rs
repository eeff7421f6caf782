//! The fields of a struct with their places among the slots, and what a new member and a change say
//! of each.

use crate::derive::{FieldItem, ResourceItem};
use crate::schema::{FieldMode, IdKind};
use proc_macro2::Literal;

/// A field of a struct.
pub(super) struct Member<'i> {
    /// The number of its slot.
    pub(super) at: Literal,
    pub(super) item: &'i FieldItem,
    pub(super) input: Input,
    /// Whether a change can say it.
    pub(super) is_changeable: bool,
    /// Whether the author declared it; every member has an id, and the one of its parent.
    pub(super) is_declared: bool,
}

/// A field with what a new member says of it, whether a change can say it, and whether it is
/// declared.
pub(super) type Facts<'i> = (&'i FieldItem, Input, bool, bool);

/// What a new member says of a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    /// Nothing: the server knows it.
    Never,
    /// A value, or nothing, which means the default, or null where there is none.
    Maybe,
    /// A value, null, or nothing, which means the default.
    Choice,
    /// A value.
    Always,
}

/// The fields of a struct in the order of their slots: the id, the id of the parent, the declared
/// ones.
pub(super) fn of(item: &ResourceItem) -> Vec<Member<'_>> {
    let id = id(item.schema.id, item.schema.optional_id);
    let is_movable = item.schema.parent.as_ref().is_some_and(|parent| parent.movable);
    let parent = item.parent.iter().map(|parent| self::parent(&parent.field, is_movable));
    let fields = item.fields.iter().zip(&item.schema.fields).map(|(written, field)| {
        let input = input(field.required, field.default.is_some());
        (written, input, field.mode != FieldMode::CreateOnly, true)
    });
    numbered([(&item.id, id, false, false)].into_iter().chain(parent).chain(fields))
}

/// Gives each field its slot.
pub(super) fn numbered<'i>(fields: impl Iterator<Item = Facts<'i>>) -> Vec<Member<'i>> {
    let member = |((item, input, is_changeable, is_declared), at)| Member {
        at: Literal::u16_unsuffixed(at),
        item,
        input,
        is_changeable,
        is_declared,
    };
    fields.zip(0..).map(member).collect()
}

/// What a new member says of its id.
pub(super) const fn id(kind: IdKind, is_optional: bool) -> Input {
    match kind {
        IdKind::String => Input::Always,
        IdKind::Integer | IdKind::Uuid if is_optional => Input::Maybe,
        IdKind::Integer | IdKind::Uuid => Input::Never,
    }
}

/// The field of the parent's id: a new member is made where the parent is, and what replaces one
/// may say another.
pub(super) const fn parent(field: &FieldItem, is_movable: bool) -> Facts<'_> {
    let input = match (is_movable, field.optional) {
        (false, _) => Input::Never,
        (true, false) => Input::Maybe,
        (true, true) => Input::Choice,
    };
    (field, input, is_movable, false)
}

/// What a new member says of a declared field.
pub(super) const fn input(required: bool, has_default: bool) -> Input {
    match (required, has_default) {
        (true, false) => Input::Always,
        (false, true) => Input::Choice,
        _ => Input::Maybe,
    }
}

/// Those of which a new member can say something.
pub(super) fn inputs<'m, 'i>(members: &'m [Member<'i>]) -> impl Iterator<Item = &'m Member<'i>> {
    members.iter().filter(|member| member.input != Input::Never)
}

/// Those of which a change can say something.
pub(super) fn changeable<'m, 'i>(
    members: &'m [Member<'i>],
) -> impl Iterator<Item = &'m Member<'i>> {
    members.iter().filter(|member| member.is_changeable)
}
