//! The input for the present password, in the form with which people change their own account.

use super::{FormInput, heading};
use crate::request::action::RefusedForm;

impl FormInput {
    /// Creates the input for the present password. It stays empty when a form is shown again.
    pub(in crate::reply::browse) fn current_password(
        name: &str,
        refused: Option<&RefusedForm>,
    ) -> Self {
        let messages = refused.iter().flat_map(|refused| &refused.messages);
        let messages = messages.filter(|one| one.field == name).map(|one| one.text.clone());
        Self {
            name: name.to_owned(),
            label: heading(name),
            description: None,
            kind: "password",
            is_current: true,
            value: String::new(),
            before: None,
            choices: vec![],
            reference: None,
            has_blank: true,
            is_required: false,
            keyboard: None,
            example: None,
            hint: Some("for another password or login"),
            messages: messages.collect(),
            shared: None,
            conflict: None,
            is_too_long: false,
        }
    }
}
