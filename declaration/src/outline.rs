//! The names of a declaration with their positions: the input of the checks across resources.
//!
//! `P` is the type of a position, which the checks never inspect. In schema files and derives, a
//! position is a span of the source. In declarations that a program makes, it is a resource.

use crate::def::{Case, FieldKind, FieldMode, Routes, Scheme};

/// The resources of a declaration. No two of them have the same name.
#[derive(Clone, Debug)]
pub struct Outline<'d, P> {
    /// The spelling of field names in JSON and in query parameters.
    pub case: Case,
    /// The resources, in the order of declaration.
    pub nouns: Vec<Noun<'d, P>>,
    /// The accounts, if the API has any.
    pub accounts: Option<AccountsName<'d, P>>,
}

/// The resource of accounts, and the fields that `auth` names.
#[derive(Clone, Debug)]
pub struct AccountsName<'d, P> {
    /// The name of the resource.
    pub resource: PlacedText<'d, P>,
    /// The field with the name that a caller signs in with.
    pub login: PlacedText<'d, P>,
    /// The field with the password.
    pub password: PlacedText<'d, P>,
    /// The field with the role, if there are roles.
    pub role: Option<PlacedText<'d, P>>,
    /// The roles that an account can have; any role if empty.
    pub roles: Vec<&'d str>,
    /// The schemes with which callers sign in.
    pub schemes: Vec<Scheme>,
    /// The names of `url_parameter` and `form_field`, each with its key.
    pub enclosed: Vec<Mention<'d, P>>,
    /// The fields that tokens of another issuer set.
    pub claims: Vec<PlacedText<'d, P>>,
}

/// A text and its position. A text that is not written has the position of the declaration that it
/// belongs to, for example a default table name.
#[derive(Clone, Copy, Debug)]
pub struct PlacedText<'d, P> {
    /// The text.
    pub text: &'d str,
    /// The position of the text.
    pub at: P,
}

/// A resource with all names that the checks need.
#[derive(Clone, Debug)]
pub struct Noun<'d, P> {
    /// The name of the resource.
    pub name: PlacedText<'d, P>,
    /// The path segment of the collection.
    pub collection: PlacedText<'d, P>,
    /// The name of the table.
    pub table: PlacedText<'d, P>,
    /// The URLs at which a resource with a parent is served.
    pub routes: Routes,
    /// The kind of the ids; `None` if it is not known here.
    pub id: Option<FieldKind>,
    /// Whether clients may choose the id of a new member.
    pub has_chosen_ids: bool,
    /// Whether members have the fields `created_at` and `updated_at`.
    pub timestamps: bool,
    /// The parent resource, if declared.
    pub parent: Option<ParentName<'d, P>>,
    /// The declared fields, in order.
    pub attributes: Vec<Attribute<'d, P>>,
    /// The fields in the lists `sort`, `unique` and `indexes`.
    pub mentions: Vec<Mention<'d, P>>,
    /// The field by which a member is shown where it is referenced, if declared.
    pub label: Option<PlacedText<'d, P>>,
    /// Former paths of the collection.
    pub moved_from: Vec<PlacedText<'d, P>>,
    /// The temporary location of the collection.
    pub moved_to: Option<PlacedText<'d, P>>,
    /// The roles that access rules name.
    pub roles: Vec<PlacedText<'d, P>>,
}

/// The parent of a resource, below whose members its collection is nested.
#[derive(Clone, Copy, Debug)]
pub struct ParentName<'d, P> {
    /// The name of the parent resource.
    pub resource: PlacedText<'d, P>,
    /// The field that holds the id of the parent.
    pub field: PlacedText<'d, P>,
    /// Whether every member has a parent.
    pub is_required: bool,
}

/// A declared field.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'d, P> {
    /// The name of the field.
    pub name: PlacedText<'d, P>,
    /// Whether the name follows the rules for names. If not, the other checks skip the field.
    pub is_spelled: bool,
    /// The name of the column.
    pub column: PlacedText<'d, P>,
    /// Whether null is refused.
    pub is_required: bool,
    /// Whether no two members have the same value.
    pub is_unique: bool,
    /// The kind of the values. `None` if it is unknown here.
    pub kind: Option<FieldKind>,
    /// Whether clients may read the field, write it, or both.
    pub mode: FieldMode,
    /// The target of the reference. `None` if the field is no reference.
    pub reference: Option<Pointer<'d, P>>,
    /// The field of the caller's account whose value is the default, if any.
    pub account_default: Option<PlacedText<'d, P>>,
}

/// The target of a reference.
#[derive(Clone, Copy, Debug)]
pub struct Pointer<'d, P> {
    /// The name of the target resource, with the position of the whole reference.
    pub resource: PlacedText<'d, P>,
    /// The name of the target member in this resource: `home_team` for the field `home_team_id`.
    pub alias: PlacedText<'d, P>,
    /// The name for the referring members in the target resource, such as `home_games`.
    pub children: Option<PlacedText<'d, P>>,
}

/// An item of a list of fields, such as `sort`.
#[derive(Clone, Copy, Debug)]
pub struct Mention<'d, P> {
    /// The key of the list: `sort`, `unique` or `indexes`.
    pub key: &'static str,
    /// The name of the field.
    pub field: PlacedText<'d, P>,
}

impl<P> Noun<'_, P> {
    /// Whether the collection has a top-level URL.
    #[must_use]
    pub fn is_at_top(&self) -> bool {
        self.parent.is_none() || self.routes != Routes::Nested
    }

    /// The parent below whose members the collection is served, if any.
    #[must_use]
    pub fn nested_in(&self) -> Option<&str> {
        let parent = self.parent.as_ref().filter(|_| self.routes != Routes::Flat)?;
        Some(parent.resource.text)
    }
}
