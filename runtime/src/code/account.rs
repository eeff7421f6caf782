//! Accounts for the operator of a program, without the Rust type of their resource.

use crate::{
    base::error::{Error, Fault, Kind, Text, text},
    model::{Chain, FieldIx, ResourceModel, accounts::AccountModel, slots::Slots, value::Value},
    perform::{CallSource, perform},
    plan::{Caller, ClientKey, Outcome},
    request::action::{Action, ActionKind, created, updated},
    store::{
        Store,
        sink::{Sink, ValueSink},
    },
};

/// An account, as an operator sees it.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountEntry {
    /// The id of the account.
    pub id: String,
    /// The name that its caller signs in with.
    pub login: String,
    /// Its role, if it has one.
    pub role: Option<String>,
}

impl Store {
    /// Adds an account, and returns it. `fields` are further fields with their values as text; they
    /// may be fields that no client can set.
    ///
    /// # Errors
    /// 422 for a value that a field cannot have, 409 if the login is taken. 500 if the API has no
    /// accounts.
    #[doc(hidden)]
    pub async fn add_account(
        &self,
        login: &str,
        password: &str,
        fields: &[(String, String)],
    ) -> Result<AccountEntry, Error> {
        let accounts = self.model().accounts.as_ref().ok_or_else(none)?;
        let resource = &self.model()[accounts.resource];
        let mut slots = Slots::new(resource);
        for (name, value) in fields {
            let (field, value) = parsed(resource, name, value)?;
            slots.set(field, value);
        }
        slots.set(accounts.login, Value::Text(login.to_owned()));
        slots.set(accounts.password, plain(resource, accounts, password)?);
        let chain = Chain { resource: accounts.resource, ids: vec![] };
        let members = created(&Caller::System, &chain, vec![slots], false)?;
        let kind = ActionKind::Create { chain, members, many: false, once: None };
        self.write_account(accounts, kind).await
    }

    /// Sets the password of an account, and returns the account.
    ///
    /// # Errors
    /// 404 if there is no account with this login, 422 for a password that the field cannot have.
    /// 500 if the API has no accounts.
    #[doc(hidden)]
    pub async fn set_password(&self, login: &str, password: &str) -> Result<AccountEntry, Error> {
        let accounts = self.model().accounts.as_ref().ok_or_else(none)?;
        let resource = &self.model()[accounts.resource];
        let found = self.account_row(accounts, ClientKey::Program, login).await?;
        let Some(found) = found else {
            let (name, field) = (resource.def.name, &resource[accounts.login].name);
            let detail =
                text!("There is no `{name}` whose `{field}` is `{login}`.", name, field, login);
            return Err(Error::new(Kind::NOT_FOUND, detail));
        };
        let id = found.values[usize::from(FieldIx::ID.0)].clone();
        let mut slots = Slots::new(resource);
        slots.set(accounts.password, plain(resource, accounts, password)?);
        let chain = Chain { resource: accounts.resource, ids: vec![] };
        let change = updated(&Caller::System, &chain, &id, slots)?;
        let kind = ActionKind::Write { chain, id, change, create: Err(vec![]), complete: false };
        self.write_account(accounts, kind).await
    }

    /// Returns the accounts after the one with this id, in the order of their ids, at most `most`.
    ///
    /// # Errors
    /// If the database cannot be read. 500 if the API has no accounts.
    #[doc(hidden)]
    pub async fn accounts(&self, offset: u64, most: u32) -> Result<Vec<AccountEntry>, Error> {
        let accounts = self.model().accounts.as_ref().ok_or_else(none)?;
        let rows = self.account_rows(accounts, offset, most).await?;
        Ok(rows.into_iter().map(|row| entry(self, accounts, &row.values)).collect())
    }

    async fn write_account(
        &self,
        accounts: &AccountModel,
        kind: ActionKind,
    ) -> Result<AccountEntry, Error> {
        let mut action = Action::of(Caller::System, kind);
        let sink = Sink::Values(ValueSink::new(accounts.resource));
        let result = perform(&self.as_system(), &mut action, CallSource::Program, sink).await?;
        match (result.outcome, result.sink) {
            (Outcome::Refused(refusal), _) => {
                Err(crate::reply::refused(self.model(), &action, refusal))
            }
            (_, Sink::Values(sink)) => match sink.into_rows().pop() {
                Some(row) => Ok(entry(self, accounts, &row.values)),
                None => Err(Error::internal("an account was written, but not returned")),
            },
            _ => Err(Error::internal("an account was written to another sink")),
        }
    }
}

fn none() -> Error {
    Error::internal("the API has no accounts")
}

fn entry(store: &Store, accounts: &AccountModel, values: &[Value]) -> AccountEntry {
    let resource = &store.model()[accounts.resource];
    let spelled = |field: FieldIx| values[usize::from(field.0)].spell(resource[field].kind);
    let role = accounts.role.filter(|role| !values[usize::from(role.0)].is_null());
    AccountEntry {
        id: spelled(FieldIx::ID),
        login: spelled(accounts.login),
        role: role.map(spelled),
    }
}

/// Parses a value of a field by its declared name.
fn parsed(resource: &ResourceModel, name: &str, value: &str) -> Result<(FieldIx, Value), Error> {
    let fault = |code, detail: Text| {
        Error::from_faults(
            Kind::INVALID_CONTENT,
            vec![Fault::body(format!("/{name}"), code, detail)],
        )
    };
    let mut fields = resource.indexed().filter(|(_, field)| field.def.is_some());
    let found = fields.find(|(_, field)| &*field.name == name && !field.kind.is_password());
    let Some((ix, field)) = found else {
        let of = resource.def.name;
        let detail = Text::from(format!("`{of}` has no field `{name}` to set."));
        return Err(fault("unknown", detail));
    };
    let value = match field.kind {
        crate::model::def::FieldKind::Json => Ok(Value::Text(value.to_owned())),
        kind => Value::parse(kind, value),
    };
    let wrong = |expected| fault("type", text!("`{name}` must be {expected}.", name, expected));
    value.map(|value| (ix, value)).map_err(wrong)
}

fn plain(
    resource: &ResourceModel,
    accounts: &AccountModel,
    password: &str,
) -> Result<Value, Error> {
    let field = &resource[accounts.password];
    Value::parse(field.kind, password).map_err(|expected| {
        let name = &field.name;
        let detail = text!("`{name}` must be {expected}.", name, expected);
        let fault = Fault::body(format!("/{name}"), "type", detail);
        Error::from_faults(Kind::INVALID_CONTENT, vec![fault])
    })
}
