//! Sessions and tokens as JSON.

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use super::GrantRequest;
use crate::{
    model::{GrantKind, value::Value},
    plan::{Account, grant::Grant},
};

/// The members of a JSON object in their order.
pub(super) struct GrantMembers(pub(super) Vec<(String, Json)>);

impl Serialize for GrantMembers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// All sessions or all tokens of an account.
#[derive(Serialize)]
pub(super) struct GrantItems {
    pub(super) items: Vec<GrantMembers>,
}

impl GrantRequest<'_> {
    /// The representation of a grant, without its secret.
    pub(super) fn body_of(
        &self,
        account: &Account,
        grant: &Grant,
        current: Option<&str>,
    ) -> GrantMembers {
        let mut members = vec![];
        let mut add = |name: &str, value: Json| members.push((self.wire(name), value));
        add("id", grant.id.as_str().into());
        match grant.kind {
            GrantKind::Session => {
                add("current", (current == Some(&*grant.id)).into());
                add("persistent", grant.is_persistent.into());
            }
            GrantKind::Token => {
                add("name", grant.name.as_deref().into());
                add("scopes", grant.scopes.words().into());
            }
        }
        add(
            "account",
            match &account.id {
                Value::Integer(id) => (*id).into(),
                _ => grant.account.as_str().into(),
            },
        );
        add("created_at", time(grant.created_at));
        add("used_at", time(grant.used_at));
        add("expires_at", grant.expires_at.map_or(Json::Null, time));
        GrantMembers(members)
    }
}

fn time(seconds: i64) -> Json {
    let time = Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX);
    time.to_string().into()
}
