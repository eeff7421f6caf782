//! Accounts: finding the account of a login, and comparing its password.

use std::{
    collections::HashMap,
    fmt,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use super::{
    Store,
    attempts::SignInAttempt,
    sink::{MemberValues, Sink, ValueSink},
};
use crate::{
    base::{error::Error, limits, secret::Secret},
    http::credentials::BasicCredentials,
    model::{FieldIx, Filter, Op, Place, SortKey, View, accounts::AccountModel, value::Value},
    plan::{
        Account, Caller, ClientKey, Guard, Part, Plan, Shape, Sources, Step, grant::PasswordMark,
    },
};

/// The credentials that were found right a short time ago, so that a password is not compared with
/// its hash for each request. Clones share them.
///
/// Each request reads its account, and credentials count only with the hash that they were compared
/// with. So a change of the password or of the account takes effect at once.
#[derive(Clone, Default)]
pub(super) struct VerifiedCredentials(Arc<Mutex<HashMap<CredentialsKey, VerifiedHash>>>);

/// A keyed hash of credentials.
type CredentialsKey = [u8; 32];

/// The hash of the password, and when the credentials were compared with it.
struct VerifiedHash {
    hash: String,
    since: Instant,
}

impl Store {
    /// Returns the account with a login as a caller, for a program that has identified a client
    /// itself, for example with another identity provider. No password is compared.
    ///
    /// The caller is the account as it is now, so ask for each request. `None` if there is no such
    /// account, or if the API has no accounts.
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
        let key = credentials.fingerprint();
        let is_known = hash.is_some_and(|hash| self.verified.has(&key, hash));
        if !is_known {
            let attempt = SignInAttempt::new(&credentials.login, address);
            self.begin_attempt(&attempt).await?;
            let hash = hash.unwrap_or_default();
            let is_right = self.is_of(client, hash, &credentials.password).await?;
            self.end_attempt(&attempt, is_right).await?;
            if !is_right {
                return Ok(None);
            }
            self.verified.add(key, hash.to_owned());
        }
        Ok(found.map(|row| Account { has_password: true, ..account_of(accounts, &row) }))
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
        let filter = Filter::Test { field: FieldIx::ID, op: Op::Eq };
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
        let filter = Filter::Test { field: accounts.login, op: Op::Eq };
        let values = vec![Value::Text(login.to_owned()), Value::Integer(1), Value::Integer(0)];
        Ok(self.read_accounts(accounts, client, filter, values).await?.pop())
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
            view: View::Whole,
            part: Part::Counted,
            beyond: vec![],
        };
        let plan = Plan {
            guard: Guard::default(),
            reads: Some(Sources { seed: 0, place }),
            writes: vec![],
            steps: vec![Step { shape, values }],
            caller: crate::plan::CallerValues::default(),
            client,
            otherwise: None,
            grants: None,
            account: None,
        };
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

impl VerifiedCredentials {
    /// Whether these credentials were compared with this hash a short time ago.
    fn has(&self, key: &CredentialsKey, hash: &str) -> bool {
        let is_new = |one: &VerifiedHash| one.since.elapsed() < limits::CREDENTIALS_TIME_MAX;
        self.all().get(key).is_some_and(|one| one.hash == hash && is_new(one))
    }

    fn add(&self, key: CredentialsKey, hash: String) {
        let mut all = self.all();
        if all.len() >= limits::CREDENTIALS_MAX {
            all.retain(|_, one| one.since.elapsed() < limits::CREDENTIALS_TIME_MAX);
        }
        if all.len() >= limits::CREDENTIALS_MAX {
            all.clear();
        }
        all.insert(key, VerifiedHash { hash, since: Instant::now() });
    }

    fn all(&self) -> MutexGuard<'_, HashMap<CredentialsKey, VerifiedHash>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for VerifiedCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Secret::HIDDEN)
    }
}
