//! [`Issuer`]: another issuer of tokens. A token that it has signed stands for an account, or for a
//! caller without an account.

use std::{
    io,
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use serde_json::Value as Json;

use super::Store;
use crate::{
    base::{
        error::{Error, text},
        limits,
        secret::Secret,
        watched_file::{self, FileState, LastReport},
    },
    http::jwt::{IssuerKeys, TokenFault, TokenPurpose, VerifiedToken},
    model::{
        FieldIx, FieldModel, Model, accounts::AccountModel, def::FieldKind, def::JwtDef,
        jwt::JwtModel, value::Value,
    },
    plan::{Account, ClientKey, grant::PasswordMark},
};

/// The value of `Retry-After`, in seconds, while the keys cannot be read.
const RETRY_SECONDS: u16 = 10;

/// The keys of another issuer of tokens, which are in a file. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct Issuer(Arc<IssuerState>);

#[derive(Debug)]
struct IssuerState {
    def: &'static JwtDef,
    /// The keys, with the state of the file that they were read from. They are read when the first
    /// token needs them.
    keys: Mutex<Option<(Arc<IssuerKeys>, FileState)>>,
    /// The number of times that the keys have changed.
    changes: AtomicU64,
}

impl Issuer {
    /// Creates the issuer that a model accepts tokens of, if any.
    pub(super) fn of(model: &Model) -> Option<Self> {
        let def = model.accounts.as_ref()?.jwt.as_ref()?.def;
        let (keys, changes) = (Mutex::default(), AtomicU64::new(0));
        Some(Self(Arc::new(IssuerState { def, keys, changes })))
    }

    /// The number of times that the keys have changed.
    pub(super) fn changes(&self) -> u64 {
        self.0.changes.load(Ordering::Acquire)
    }

    /// Returns the keys, and begins to look at their file if this is the first call.
    ///
    /// # Errors
    /// 503 if the file cannot be read or has no keys.
    pub(super) fn keys(&self) -> Result<Arc<IssuerKeys>, Error> {
        let mut keys = self.0.keys();
        if let Some((keys, _)) = &*keys {
            return Ok(Arc::clone(keys));
        }
        let file = self.0.def.keys;
        let failed = |cause: io::Error| {
            tracing::error!(target: "nouns", file, %cause, "the keys of tokens cannot be read");
            let detail = text!("Tokens cannot be verified now.");
            Error::unavailable(detail, RETRY_SECONDS).with_source(cause)
        };
        let (read, state) = read(self.0.def).map_err(failed)?;
        let read = Arc::new(read);
        let watched = Arc::downgrade(&self.0);
        let name = "nouns-keys".to_owned();
        thread::Builder::new().name(name).spawn(move || watch(&watched)).map_err(failed)?;
        *keys = Some((Arc::clone(&read), state));
        Ok(read)
    }
}

impl IssuerState {
    fn keys(&self) -> MutexGuard<'_, Option<(Arc<IssuerKeys>, FileState)>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the keys again if their file has changed. A file that has become unusable is reported
    /// once, and its last keys stay valid: an issuer may be writing it.
    fn refresh(&self, reported: &mut LastReport) {
        let file = self.def.keys;
        let changed = FileState::of(Path::new(file)).and_then(|found| {
            let is_known = self.keys().as_ref().is_some_and(|(_, state)| *state == found);
            if is_known { Ok(None) } else { read(self.def).map(Some) }
        });
        match changed {
            Ok(None) => reported.clear(),
            Ok(Some((keys, state))) => {
                *self.keys() = Some((Arc::new(keys), state));
                self.changes.fetch_add(1, Ordering::Release);
                reported.clear();
                tracing::info!(target: "nouns", file, "the keys of tokens were read again");
            }
            Err(cause) => {
                if reported.is_new(cause.to_string()) {
                    tracing::error!(target: "nouns", file, %cause, "the keys of tokens cannot be read; the last ones stay valid");
                }
            }
        }
    }
}

/// Looks at the file until the store is dropped.
fn watch(watched: &Weak<IssuerState>) {
    let mut reported = LastReport::default();
    loop {
        thread::sleep(limits::FILE_LOOK_TIME);
        let Some(issuer) = watched.upgrade() else { return };
        issuer.refresh(&mut reported);
    }
}

/// Reads the keys in a file.
fn read(def: &JwtDef) -> io::Result<(IssuerKeys, FileState)> {
    let bad =
        |why: String| io::Error::new(io::ErrorKind::InvalidData, format!("`{}` {why}", def.keys));
    let (content, state) = watched_file::read(Path::new(def.keys), limits::JWT_KEYS_BYTES_MAX)?;
    let purpose = TokenPurpose { issuer: def.issuer, audience: def.audience };
    IssuerKeys::parse(&content, purpose).map(|keys| (keys, state)).map_err(bad)
}

impl Store {
    /// Returns the account that a token of another issuer stands for. A token that names no account
    /// by its claims stands for a caller without one.
    ///
    /// # Errors
    /// The fault of the token. 503 if the keys or the account cannot be read.
    pub(crate) async fn account_of_jwt(
        &self,
        client: ClientKey,
        token: &str,
    ) -> Result<Result<Account, TokenFault>, Error> {
        let Some(accounts) = &self.model.accounts else { return Ok(Err(TokenFault::Nobody)) };
        let Some((jwt, issuer)) = accounts.jwt.as_ref().zip(self.issuer.as_ref()) else {
            return Ok(Err(TokenFault::Unsigned));
        };
        let token = match issuer.keys()?.verify(token) {
            Ok(token) => token,
            Err(fault) => return Ok(Err(fault)),
        };
        let account = match jwt.named {
            Some((field, claim)) => {
                let name = text_of(token.claim(claim));
                let found = match name {
                    None => None,
                    Some(id) if field == FieldIx::ID => {
                        self.account_by_id(accounts, client, &id).await?
                    }
                    Some(login) => self.account_by_login(accounts, client, &login).await?,
                };
                found.map(|found| self.with_claims(found, accounts, jwt, &token))
            }
            None => match token.claim("sub") {
                Some(Json::String(subject)) if !subject.is_empty() => {
                    Some(self.without_row(subject, accounts, jwt, &token))
                }
                _ => None,
            },
        };
        Ok(account.ok_or(TokenFault::Nobody))
    }

    /// The account with the values that a token sets.
    fn with_claims(
        &self,
        account: Account,
        accounts: &AccountModel,
        jwt: &JwtModel,
        token: &VerifiedToken,
    ) -> Account {
        let fields = &self.model[accounts.resource];
        let set = |field: FieldIx| {
            let claim = jwt.claim(field).filter(|_| field != FieldIx::ID)?;
            Some(value_of(&fields[field], token.claim(claim)))
        };
        let role = match accounts.role.and_then(set) {
            None => account.role,
            Some(Value::Text(role)) => Some(role),
            Some(_) => None,
        };
        let kept = account.values.iter();
        let values = accounts.values.iter().zip(kept);
        let values = values.map(|(field, kept)| set(*field).unwrap_or_else(|| kept.clone()));
        let values = values.collect();
        Account { role, values, until: Some(token.until), ..account }
    }

    /// The caller of a token that names no account. It has the values that the token sets, and no
    /// others.
    fn without_row(
        &self,
        subject: &str,
        accounts: &AccountModel,
        jwt: &JwtModel,
        token: &VerifiedToken,
    ) -> Account {
        let nothing = Account {
            id: Value::Null,
            login: subject.to_owned(),
            role: None,
            values: accounts.values.iter().map(|_| Value::Null).collect(),
            password: PasswordMark::of(""),
            hash: Secret::new(""),
            has_password: false,
            grant: None,
            until: None,
        };
        self.with_claims(nothing, accounts, jwt, token)
    }
}

/// The value of a field that a claim sets. Null if the claim has no value that the field can have.
/// Of an array, the first such value counts.
fn value_of(field: &FieldModel, claim: Option<&Json>) -> Value {
    let one = |json: &Json| {
        // A text stays a text: `"1"` sets no `string` that `1` would set.
        let is_text = matches!(json, Json::String(_));
        let is_fit = match field.kind {
            FieldKind::Integer
            | FieldKind::Number
            | FieldKind::Decimal { .. }
            | FieldKind::Boolean => true,
            _ => is_text,
        };
        let value = Value::parse(field.kind, &text_of(Some(json)).filter(|_| is_fit)?).ok()?;
        field.constraints.check(field.kind, field.ignore_case, &value).is_empty().then_some(value)
    };
    let found = match claim {
        Some(Json::Array(items)) => items.iter().find_map(one),
        claim => claim.and_then(one),
    };
    found.unwrap_or(Value::Null)
}

/// The text of a claim that is a string, a number or a boolean.
fn text_of(claim: Option<&Json>) -> Option<String> {
    match claim? {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(flag) => Some(flag.to_string()),
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    }
}
