//! [`OwnChange`]: a change of the account of the caller.

use super::Assignments;
use crate::{
    base::precis,
    model::{FieldIx, value::Value},
    plan::Account,
};

/// A change that a caller makes to its own account.
#[derive(Clone, Copy)]
pub(crate) struct OwnChange<'a> {
    pub(crate) account: &'a Account,
    pub(crate) change: &'a Assignments,
    pub(super) login: FieldIx,
    pub(super) password: FieldIx,
}

impl<'a> OwnChange<'a> {
    /// The hash of the new password, if the change sets one and it is hashed already.
    pub(crate) fn password_hash(self) -> Option<&'a str> {
        match self.value(self.password) {
            Some(Value::Text(hash)) => Some(hash),
            _ => None,
        }
    }

    /// Whether the account has another password or another login afterwards.
    pub(crate) fn sets_credentials(self) -> bool {
        let is_other = |value: &Value| match value {
            Value::Text(login) => precis::login(login) != precis::login(&self.account.login),
            _ => true,
        };
        self.value(self.password).is_some() || self.value(self.login).is_some_and(is_other)
    }

    fn value(self, field: FieldIx) -> Option<&'a Value> {
        let set = self.change.columns.iter().find(|(set, _)| *set == field);
        set.map(|(_, value)| value)
    }
}
