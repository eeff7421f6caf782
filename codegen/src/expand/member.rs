//! The fields of a struct, each with its slot number, and its form in new members and patches.

use crate::derive::{FieldItem, ResourceItem};
use crate::schema::{FieldMode, IdKind};
use proc_macro2::Literal;

/// A field of a struct. The runtime stores its value in a numbered slot.
pub(super) struct Member<'i> {
    /// The slot number.
    pub(super) at: Literal,
    pub(super) item: &'i FieldItem,
    pub(super) input: Input,
    /// Whether a patch can change the field.
    pub(super) is_changeable: bool,
    /// Whether the field is a declared field of the resource. The fields of the id and of the
    /// parent's id are not.
    pub(super) is_declared: bool,
    /// Whether clients may not read the field. Its value is not in the `Debug` text.
    pub(super) is_secret: bool,
}

/// A [`Member`] that has no slot number yet.
pub(super) struct MemberFacts<'i> {
    pub(super) item: &'i FieldItem,
    pub(super) input: Input,
    pub(super) is_changeable: bool,
    pub(super) is_declared: bool,
    /// Whether clients may not read the field. Its value is not in the `Debug` text.
    pub(super) is_secret: bool,
}

/// The form of a field in the struct of a new member.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    /// The field is absent, because the server sets it.
    Never,
    /// An `Option`: a value or `None`. `None` means the default, or null without a default.
    Maybe,
    /// A `Patch`: a value, null, or no value, which means the default.
    Choice,
    /// A value that must be present.
    Always,
}

/// The fields of a struct in the order of their slots: the id, the parent's id, the declared
/// fields.
pub(super) fn of(item: &ResourceItem) -> Vec<Member<'_>> {
    let id = id(&item.id, item.schema.id, item.schema.optional_id);
    let is_movable = item.schema.parent.as_ref().is_some_and(|parent| parent.movable);
    let parent = item.parent.iter().map(|parent| self::parent(&parent.field, is_movable));
    let fields = item.fields.iter().zip(&item.schema.fields).map(|(item, field)| MemberFacts {
        item,
        input: input(field.required, field.default.is_some()),
        is_changeable: field.mode != FieldMode::CreateOnly,
        is_declared: true,
        is_secret: matches!(field.mode, FieldMode::Hidden | FieldMode::WriteOnly),
    });
    numbered([id].into_iter().chain(parent).chain(fields))
}

/// Numbers the fields in order.
pub(super) fn numbered<'i>(fields: impl Iterator<Item = MemberFacts<'i>>) -> Vec<Member<'i>> {
    let member = |(facts, at): (MemberFacts<'i>, u16)| Member {
        at: Literal::u16_unsuffixed(at),
        item: facts.item,
        input: facts.input,
        is_changeable: facts.is_changeable,
        is_declared: facts.is_declared,
        is_secret: facts.is_secret,
    };
    fields.zip(0..).map(member).collect()
}

/// The field of the id. Its form in a new member depends on who assigns ids.
pub(super) const fn id(item: &FieldItem, kind: IdKind, is_optional: bool) -> MemberFacts<'_> {
    let input = match kind {
        IdKind::String => Input::Always,
        IdKind::Integer | IdKind::Uuid if is_optional => Input::Maybe,
        IdKind::Integer | IdKind::Uuid => Input::Never,
    };
    MemberFacts { item, input, is_changeable: false, is_declared: false, is_secret: false }
}

/// The field of the parent's id. The URL gives the parent of a new member. If members are movable,
/// a new member or a patch can set another parent.
pub(super) const fn parent(item: &FieldItem, is_movable: bool) -> MemberFacts<'_> {
    let input = match (is_movable, item.optional) {
        (false, _) => Input::Never,
        (true, false) => Input::Maybe,
        (true, true) => Input::Choice,
    };
    MemberFacts { item, input, is_changeable: is_movable, is_declared: false, is_secret: false }
}

/// The form of a declared field in a new member.
pub(super) const fn input(required: bool, has_default: bool) -> Input {
    match (required, has_default) {
        (true, false) => Input::Always,
        (false, true) => Input::Choice,
        _ => Input::Maybe,
    }
}

/// The fields of the struct for new members.
pub(super) fn inputs<'m, 'i>(
    members: &'m [Member<'i>],
) -> impl Iterator<Item = &'m Member<'i>> + Clone {
    members.iter().filter(|member| member.input != Input::Never)
}

/// The fields of the struct for patches.
pub(super) fn changeable<'m, 'i>(
    members: &'m [Member<'i>],
) -> impl Iterator<Item = &'m Member<'i>> + Clone {
    members.iter().filter(|member| member.is_changeable)
}
