//! The fields of a struct with their places among the slots, and what a new member and a change say of each.

use crate::derive::{FieldItem, ResourceItem};
use crate::schema::{Field, FieldMode, IdKind};
use proc_macro2::Literal;

/// A field of a struct.
pub(super) struct Member<'i> {
    /// The number of its slot.
    pub(super) at: Literal,
    pub(super) item: &'i FieldItem,
    pub(super) input: Input,
    /// Whether a change can say it.
    pub(super) is_changeable: bool,
}

/// What a new member says of a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    /// Nothing: the server knows it.
    Never,
    /// A value, or nothing, which means null or the default.
    Maybe,
    /// A value.
    Always,
}

/// The fields of a struct in the order of their slots: the id, the id of the parent, the declared ones.
pub(super) fn of(item: &ResourceItem) -> Vec<Member<'_>> {
    let id = if item.schema.id == IdKind::String { Input::Always } else { Input::Never };
    let parent = item.parent.iter().map(|parent| (&parent.field, Input::Never, false));
    let fields = item
        .fields
        .iter()
        .zip(&item.schema.fields)
        .map(|(written, field)| (written, input(field), field.mode != FieldMode::CreateOnly));
    numbered([(&item.id, id, false)].into_iter().chain(parent).chain(fields))
}

/// Gives each field its slot.
pub(super) fn numbered<'i>(fields: impl Iterator<Item = (&'i FieldItem, Input, bool)>) -> Vec<Member<'i>> {
    let member = |((item, input, is_changeable), at)| Member {
        at: Literal::u16_unsuffixed(at),
        item,
        input,
        is_changeable,
    };
    fields.zip(0..).map(member).collect()
}

const fn input(field: &Field) -> Input {
    if field.required && field.default.is_none() { Input::Always } else { Input::Maybe }
}

/// Those of which a new member can say something.
pub(super) fn inputs<'m, 'i>(members: &'m [Member<'i>]) -> impl Iterator<Item = &'m Member<'i>> {
    members.iter().filter(|member| member.input != Input::Never)
}

/// Those of which a change can say something.
pub(super) fn changeable<'m, 'i>(members: &'m [Member<'i>]) -> impl Iterator<Item = &'m Member<'i>> {
    members.iter().filter(|member| member.is_changeable)
}
