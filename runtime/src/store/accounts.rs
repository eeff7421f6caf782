//! Accounts: finding the account of a login, and comparing its password.

use std::net::IpAddr;

use super::{
    Store,
    attempts::{AttemptEnd, SignInAttempt},
    passwords::PasswordSource,
    sink::{MemberValues, Sink, ValueSink},
};
use crate::{
    base::{error::Error, precis, secret::Secret},
    http::credentials::BasicCredentials,
    model::{FieldIx, Filter, Op, Place, SortKey, View, accounts::AccountModel, value::Value},
    plan::{Account, Caller, ClientKey, Part, Plan, Shape, Sources, Step, grant::PasswordMark},
};

impl Store {
    /// Returns the account with a login as a caller, for a program that has identified a client
    /// itself, for example with another identity provider. No password is compared.
    ///
    /// The caller is the account as it is now, so ask for each request. `None` if there is no such
    /// account, or if the API has no accounts. The caller changes its own password or login only by
    /// a request with the present password.
    ///
    /// ```no_run
    /// # mod nouns { pub use http; pub use nouns_runtime::*; }
    /// use nouns::{Caller, Error, Store, http::Request};
    ///
    /// async fn identify<B>(store: &Store, mut request: Request<B>) -> Result<Request<B>, Error> {
    ///     let login = "ada"; // from what the program has checked
    ///     let caller = store.caller_of(login).await?.unwrap_or(Caller::Anonymous);
    ///     request.extensions_mut().insert(caller);
    ///     Ok(request)
    /// }
    /// ```
    ///
    /// # Errors
    /// 503 if the account cannot be read in time.
    pub async fn caller_of(&self, login: &str) -> Result<Option<Caller>, Error> {
        let Some(accounts) = &self.model.accounts else { return Ok(None) };
        let found = self.account_by_login(accounts, ClientKey::Program, login).await?;
        Ok(found.map(|account| Caller::Account(account.into())))
    }

    /// Returns the account of these credentials, or `None` if there is no such account or if the
    /// password is wrong. Both take the same time.
    ///
    /// # Errors
    /// 429 after too many wrong passwords. 503 if too many passwords wait to be compared, or if the
    /// account cannot be read in time.
    pub(crate) async fn account(
        &self,
        client: ClientKey,
        address: Option<IpAddr>,
        credentials: &BasicCredentials,
    ) -> Result<Option<Account>, Error> {
        let Some(accounts) = &self.model.accounts else { return Ok(None) };
        let found = self.account_row(accounts, client, &credentials.login).await?;
        let hash = found.as_ref().and_then(|row| match &row.values[index(accounts.password)] {
            Value::Text(hash) => Some(hash.as_str()),
            _ => None,
        });
        let hash = hash.unwrap_or_default();
        let key = credentials.fingerprint();
        if !self.verified.has(&key, hash) {
            // Of equal requests at the same time, one compares. The others then find the result.
            let _turn = self.verified.turn(key).await;
            if !self.verified.has(&key, hash)
                && !self.compare(client, address, credentials, hash).await?
            {
                return Ok(None);
            }
            self.verified.add(key, hash);
        }
        Ok(found.map(|row| Account { has_password: true, ..account_of(accounts, &row) }))
    }

    /// Compares the password of credentials with a hash, as an attempt to sign in.
    async fn compare(
        &self,
        client: ClientKey,
        address: Option<IpAddr>,
        credentials: &BasicCredentials,
        hash: &str,
    ) -> Result<bool, Error> {
        let attempt = SignInAttempt::new(&credentials.login, address);
        let begun = self.begin_attempt(&attempt).await?;
        let source = PasswordSource::new(client, address, None);
        let compared = self.is_of(source, hash, &credentials.password).await;
        let end = match compared {
            Ok(true) => AttemptEnd::Right,
            Ok(false) => AttemptEnd::Wrong,
            Err(_) => AttemptEnd::Uncompared,
        };
        self.end_attempt(&attempt, begun, end).await?;
        compared
    }

    /// Returns the account with an id, as URLs spell it.
    pub(super) async fn account_by_id(
        &self,
        accounts: &AccountModel,
        client: ClientKey,
        id: &str,
    ) -> Result<Option<Account>, Error> {
        let kind = self.model[accounts.resource][FieldIx::ID].kind;
        let Ok(id) = Value::parse(kind, id) else { return Ok(None) };
        let filter = Filter::test(FieldIx::ID, Op::Eq);
        let values = vec![id, Value::Integer(1), Value::Integer(0)];
        let found = self.read_accounts(accounts, client, filter, values).await?.pop();
        Ok(found.map(|row| account_of(accounts, &row)))
    }

    /// Returns the account with a login.
    pub(super) async fn account_by_login(
        &self,
        accounts: &AccountModel,
        client: ClientKey,
        login: &str,
    ) -> Result<Option<Account>, Error> {
        let found = self.account_row(accounts, client, login).await?;
        Ok(found.map(|row| account_of(accounts, &row)))
    }

    /// Reads the account with a login.
    pub(crate) async fn account_row(
        &self,
        accounts: &AccountModel,
        client: ClientKey,
        login: &str,
    ) -> Result<Option<MemberValues>, Error> {
        let test = Filter::test(accounts.login, Op::Eq);
        let forms = precis::of_login(login);
        let filter = match forms.len() {
            1 => test,
            count => Filter::Any(vec![test; count]),
        };
        let count = i64::try_from(forms.len()).unwrap_or(1);
        let values = forms.iter().map(|form| Value::Text(form.to_string()));
        let values = values.chain([Value::Integer(count), Value::Integer(0)]).collect();
        let mut found = self.read_accounts(accounts, client, filter, values).await?;
        if found.len() > 1 {
            // Accounts that exist may have logins that differ in their form alone.
            let at = |row: &MemberValues| match &row.values[index(accounts.login)] {
                Value::Text(stored) => forms.iter().position(|form| form == stored),
                _ => None,
            };
            found.sort_by_key(|row| at(row).unwrap_or(forms.len()));
        }
        Ok(found.into_iter().next())
    }

    /// Reads some accounts in the order of their ids.
    pub(crate) async fn account_rows(
        &self,
        accounts: &AccountModel,
        offset: u64,
        most: u32,
    ) -> Result<Vec<MemberValues>, Error> {
        let offset = offset.try_into().unwrap_or(i64::MAX);
        let values = vec![Value::Integer(most.into()), Value::Integer(offset)];
        self.read_accounts(accounts, ClientKey::Program, Filter::All(vec![]), values).await
    }

    async fn read_accounts(
        &self,
        accounts: &AccountModel,
        client: ClientKey,
        filter: Filter,
        values: Vec<Value>,
    ) -> Result<Vec<MemberValues>, Error> {
        let place = Place::new(accounts.resource, 0);
        let shape = Shape::List {
            place,
            filter,
            sort: vec![SortKey { field: FieldIx::ID, descending: false }],
            selection: View::Whole.into(),
            part: Part::Counted,
            beyond: vec![],
        };
        let steps = vec![Step { shape, values }];
        let plan = Plan { client, ..Plan::read(Some(Sources::of(place)), steps) };
        let sink = Sink::Values(ValueSink::new(accounts.resource));
        match self.read(&plan, sink).await?.sink {
            Sink::Values(sink) => Ok(sink.into_rows()),
            _ => Err(Error::internal("an account was read into another sink")),
        }
    }
}

fn account_of(accounts: &AccountModel, row: &MemberValues) -> Account {
    let value = |field: FieldIx| row.values[index(field)].clone();
    let text = |field: FieldIx| match &row.values[index(field)] {
        Value::Text(text) => Some(text.as_str()),
        _ => None,
    };
    Account {
        id: value(FieldIx::ID),
        login: text(accounts.login).unwrap_or_default().to_owned(),
        role: accounts.role.and_then(text).map(str::to_owned),
        values: accounts.values.iter().map(|field| value(*field)).collect(),
        password: PasswordMark::of(text(accounts.password).unwrap_or_default()),
        hash: Secret::new(text(accounts.password).unwrap_or_default()),
        has_password: false,
        grant: None,
        until: None,
    }
}

const fn index(field: FieldIx) -> usize {
    field.0 as usize
}
