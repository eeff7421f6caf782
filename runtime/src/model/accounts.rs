//! [`AccountModel`]: the resource of accounts, and the fields that identify an account.

use super::{FieldIx, ResourceIx, def::AuthDef};

/// The accounts of a model: their resource, and its fields.
#[derive(Clone, Debug)]
pub struct AccountModel {
    /// The declaration.
    pub def: &'static AuthDef,
    /// The resource whose members are the accounts.
    pub resource: ResourceIx,
    /// The field with the name that a caller signs in with.
    pub login: FieldIx,
    /// The field with the hash of the password.
    pub password: FieldIx,
    /// The field with the role, if there are roles.
    pub role: Option<FieldIx>,
    /// The fields that access rules compare rows with, and those that defaults take, each once.
    pub values: Box<[FieldIx]>,
}
