//! The reader of a web page, whom the page names.

use super::Caller;
use crate::{base::hash::StableHasher, model::GrantKind};

impl Caller {
    /// The name that a person has signed in with, if the request has a session.
    pub(crate) fn session_login(&self) -> Option<&str> {
        let account = self.account()?;
        let is_session =
            account.grant.as_ref().is_some_and(|grant| grant.kind == GrantKind::Session);
        is_session.then_some(&*account.login)
    }

    /// A number for what a web page shows of its reader: whether it can sign in, or who has. Equal
    /// readers have equal numbers.
    pub(crate) fn page_number(&self) -> u64 {
        match self.session_login() {
            Some(login) => StableHasher::new().text(login).finish(),
            None => u64::from(*self == Self::Anonymous),
        }
    }
}
