//! The values of fields that a body does not have.

use super::{Assigner, broken};
use crate::{
    base::error::{Fault, Text, text},
    model::{Default, FieldModel, Role, def::FieldMode},
    request::action::member::Object,
};

impl Assigner<'_> {
    /// Whether only the server sets the field, so that a new member has its default whatever the
    /// body has.
    pub(super) fn is_unset(&self, field: &FieldModel) -> bool {
        matches!(field.mode, FieldMode::ReadOnly | FieldMode::Hidden) && !self.sets_all(field)
    }

    /// Reports the errors of a field that gets its default.
    pub(super) fn check_default(&mut self, object: &Object<'_>, field: &FieldModel) {
        for fault in self.wrong_default(object, field) {
            self.report(fault);
        }
    }

    /// The errors of a field that gets its default: a required field needs one. The check of the
    /// declaration has compared fixed defaults with the constraints of the field, so only a value
    /// of the account is compared here.
    pub(super) fn wrong_default(&self, object: &Object<'_>, field: &FieldModel) -> Vec<Fault> {
        let missing = |detail| Fault::body(object.at(&field.name), "required", detail);
        match field.default {
            None if field.required && field.is_withheld => {
                // The name may be unknown to the caller.
                let detail = text!(
                    "You may not create this member, because you may not set all fields that it requires."
                );
                vec![Fault::body(object.at("").trim_end_matches('/'), "required", detail)]
            }
            None if field.required => {
                let name = &field.name;
                let is_replaced =
                    field.role == Role::Declared && field.mode == FieldMode::ReadWrite;
                let detail = match self.url_id {
                    Some(_) if !is_replaced => {
                        text!("`{name}` is required to create the member.", name)
                    }
                    _ => text!("`{name}` is required.", name),
                };
                vec![missing(detail)]
            }
            Some(Default::Account(_)) => {
                let value = self.caller.initial(field);
                match value.is_null() {
                    true if field.required => {
                        vec![missing(self.no_value(field)).hint(self.remedy(field))]
                    }
                    true => vec![],
                    false => broken(field, object.at(&field.name), &value),
                }
            }
            _ => vec![],
        }
    }

    /// Says that the caller's account has no value for a required field.
    fn no_value(&self, field: &FieldModel) -> Text {
        let name = &field.name;
        match self.caller.account() {
            None => {
                text!("`{name}` is required; without it, its value is one of your account.", name)
            }
            Some(_) => text!("`{name}` is required, and your account has no value for it.", name),
        }
    }

    fn remedy(&self, field: &FieldModel) -> Option<Text> {
        if self.is_unset(field) {
            return None;
        }
        Some(match self.caller.account() {
            None => text!("Sign in, or send a value."),
            Some(_) => text!("Send a value."),
        })
    }
}
