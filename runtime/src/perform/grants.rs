//! The routes of sessions and tokens: to sign in and out, to make and revoke tokens, and to list
//! them.

mod body;

use http::{HeaderValue, StatusCode, header, request::Parts};
use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::Value as Json;
use uuid::Uuid;

use self::body::GrantBody;
use crate::{
    base::{
        error::{Error, Kind, text},
        grant_secret::GrantSecret,
        limits,
        secret::Secret,
    },
    http::{
        answer::Answer, audit::AuditEvent, client::Client, cookie::SetCookie,
        credentials::BasicCredentials, idempotency_key,
    },
    model::{
        GrantKind, GrantOperation, Model,
        accounts::AccountModel,
        def::SameSite,
        value::{Value, seconds_now},
    },
    plan::{
        Account,
        grant::{Grant, GrantScope, GrantScopes, PasswordMark},
    },
    request::{
        action::{Action, Call, refuse_any},
        cross_site::{self, Ambient},
        identify::{challenged, is_secure, wrong_password},
        route::missing,
    },
    store::Store,
};

/// The id that stands for the session of the request.
const CURRENT: &str = "current";

/// A request to a route of sessions or tokens.
struct GrantRequest<'r> {
    store: &'r Store,
    model: &'r Model,
    accounts: &'r AccountModel,
    action: &'r Action,
    head: &'r Parts,
    call: &'r Call,
}

/// The members of a JSON object in their order.
struct Members(Vec<(String, Json)>);

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// All sessions or all tokens of an account.
#[derive(Serialize)]
struct Items {
    items: Vec<Members>,
}

/// Handles a request to a route of sessions or tokens.
///
/// # Errors
/// 401 without credentials, or with wrong ones. 404 for a session or a token that the caller does
/// not have.
pub(super) async fn answer(
    store: &Store,
    action: &Action,
    head: &Parts,
    call: &Call,
    operation: GrantOperation,
) -> Result<Answer, Error> {
    let model = store.model();
    let none = || Error::internal("the API has no accounts");
    let accounts = model.accounts.as_ref().ok_or_else(none)?;
    refuse_any(head.uri.query())?;
    if head.headers.contains_key(idempotency_key::IDEMPOTENCY_KEY) {
        let detail = text!(
            "`Idempotency-Key` is not supported here: a repeated response would contain a secret."
        );
        return Err(Error::new(Kind::MALFORMED_REQUEST, detail));
    }
    let request = GrantRequest { store, model, accounts, action, head, call };
    let answer = match operation {
        GrantOperation::SignIn => request.sign_in().await,
        GrantOperation::MakeToken => request.make_token().await,
        GrantOperation::List(kind) => request.list(kind).await,
        GrantOperation::Show(kind) => request.show(kind).await,
        GrantOperation::End(kind) => request.end(kind).await,
    };
    Ok(answer?.with(header::CACHE_CONTROL, HeaderValue::from_static("no-store")))
}

impl GrantRequest<'_> {
    /// Signs in, and sets the cookie of a new session. If the request has a session, it ends: no id
    /// that somebody else may have chosen becomes valid (session fixation).
    async fn sign_in(&self) -> Result<Answer, Error> {
        cross_site::check(self.model, self.head, Ambient::Cookie)?;
        let (credentials, is_persistent) = self.sign_in_body()?;
        let address = Client::of(self.head, &self.model.proxies).address;
        let found = self.store.account(self.action.client, address, &credentials).await;
        let found = found.inspect_err(|error| {
            if error.kind() == Kind::TOO_MANY_ATTEMPTS {
                self.audit(AuditEvent::SignInDelayed, None, None);
            }
        })?;
        let account = found.ok_or_else(|| {
            self.audit(AuditEvent::SignInFailed, None, None);
            wrong_password(self.model)
        })?;
        let (secret, grant) = new_session(self.store, self.accounts, &account, is_persistent)?;
        self.store.add_grant(secret, grant.clone()).await?;
        if let Some(before) = self.action.caller.account()
            && let Some(old) = session_of(before)
        {
            self.store.end_grant(GrantKind::Session, before, &old.id).await?;
        }
        self.audit(AuditEvent::SignedIn, Some(&grant.account), Some(&grant.id));
        let cookie =
            session_cookie(self.model, self.accounts, self.head, &secret.reveal(), &grant)?;
        let body = self.body_of(&account, &grant, Some(&grant.id));
        let location = self.model.urls.location(&format!("/sessions/{}", grant.id));
        let answer = Answer::json(StatusCode::CREATED, &body)?
            .with(header::LOCATION, HeaderValue::try_from(location).map_err(Error::internal)?);
        Ok(answer.with(header::SET_COOKIE, cookie))
    }

    /// Reads the login, the password, and whether the session outlives the browser's own.
    fn sign_in_body(&self) -> Result<(BasicCredentials, bool), Error> {
        let mut body = GrantBody::parse(self.head, &self.call.body, true)?;
        let resource = &self.model[self.accounts.resource];
        let login = body.needed(&resource[self.accounts.login].name);
        let password = body.needed(&resource[self.accounts.password].name);
        let is_persistent = body.flag("persistent");
        let credentials = login.zip(password).map(|(login, password)| {
            (BasicCredentials { login, password: Secret::new(&password) }, is_persistent)
        });
        body.end(credentials)
    }

    async fn make_token(&self) -> Result<Answer, Error> {
        let account = self.account()?;
        let now = seconds_now();
        let (name, scopes, expires_at) = self.token_body(account, now)?;
        let secret = GrantSecret::random()?;
        let grant = Grant {
            kind: GrantKind::Token,
            id: Uuid::new_v4().to_string(),
            account: self.store.spelled(self.accounts, account),
            password: account.password,
            name: Some(name),
            scopes,
            is_persistent: true,
            created_at: now,
            expires_at,
            used_at: now,
        };
        let mut body = self.body_of(account, &grant, None);
        body.0.push(("token".to_owned(), secret.reveal_token().into()));
        let location = self.model.urls.location(&format!("/tokens/{}", grant.id));
        let (of, id) = (grant.account.clone(), grant.id.clone());
        self.store.add_grant(secret, grant).await?;
        self.audit(AuditEvent::TokenMade, Some(&of), Some(&id));
        let answer = Answer::json(StatusCode::CREATED, &body)?;
        let location = HeaderValue::try_from(location).map_err(Error::internal)?;
        Ok(answer.with(header::LOCATION, location))
    }

    /// Reads the name, the scopes and the end of a new token. A token that makes a token gives it
    /// nothing that it does not have itself.
    fn token_body(
        &self,
        account: &Account,
        now: i64,
    ) -> Result<(String, GrantScopes, Option<i64>), Error> {
        let own = account.grant.as_deref();
        let own_scopes = own.map_or(GrantScopes::ALL, |grant| grant.scopes);
        let own_end =
            own.filter(|grant| grant.kind == GrantKind::Token).and_then(|own| own.expires_at);
        let expires_name = self.wire("expires_at");
        let mut body = GrantBody::parse(self.head, &self.call.body, false)?;
        let name = body.needed("name").and_then(|name| {
            let is_line = !name.is_empty()
                && name.chars().count() <= limits::TOKEN_NAME_CHARS_MAX
                && !name.contains(char::is_control);
            let most = limits::TOKEN_NAME_CHARS_MAX;
            if is_line {
                Some(name)
            } else {
                body.refuse("name", text!("must have 1 to {most} characters.", most))
            }
        });
        let scopes = match body.texts("scopes") {
            None => Some(own_scopes),
            Some(words) => scopes(&words)
                .or_else(|| body.refuse("scopes", text!("must be a list of `read` and `write`."))),
        };
        if scopes.is_some_and(|scopes| !scopes.is_within(own_scopes)) {
            body.refuse::<()>("scopes", text!("must not exceed those of the token that makes it."));
        }
        let end = match body.text(&expires_name) {
            None => own_end,
            Some(text) => match text.parse::<Timestamp>().map(Timestamp::as_second) {
                Ok(end) if end > now => Some(end),
                Ok(_) => body.refuse(&expires_name, text!("must be in the future.")),
                Err(_) => body.refuse(
                    &expires_name,
                    text!("must be a date-time with an offset, such as `2030-01-31T12:00:00Z`."),
                ),
            },
        };
        if own_end.zip(end).is_some_and(|(own, end)| end > own) {
            body.refuse::<()>(
                &expires_name,
                text!("must not be after the end of the token that makes it."),
            );
        }
        body.end(name.zip(scopes).map(|(name, scopes)| (name, scopes, end)))
    }

    async fn list(&self, kind: GrantKind) -> Result<Answer, Error> {
        let account = self.account()?;
        let grants = self.store.grants(kind, account).await?;
        let current = session_of(account).map(|grant| grant.id.as_str());
        let items = grants.iter().map(|grant| self.body_of(account, grant, current));
        Answer::json(StatusCode::OK, &Items { items: items.collect() })
    }

    async fn show(&self, kind: GrantKind) -> Result<Answer, Error> {
        let account = self.account()?;
        let id = self.id(kind, account)?;
        let current = session_of(account).map(|grant| grant.id.as_str());
        let grants = self.store.grants(kind, account).await?;
        let found = grants.iter().find(|grant| grant.id == id);
        let found = found.ok_or_else(|| no_grant(kind, id))?;
        Answer::json(StatusCode::OK, &self.body_of(account, found, current))
    }

    /// Ends a session or a token. If it is the session of the request, its cookie is removed.
    async fn end(&self, kind: GrantKind) -> Result<Answer, Error> {
        let account = self.account()?;
        let id = self.id(kind, account)?;
        if !self.store.end_grant(kind, account, id).await? {
            return Err(no_grant(kind, id));
        }
        let event = match kind {
            GrantKind::Session => AuditEvent::SignedOut,
            GrantKind::Token => AuditEvent::TokenRevoked,
        };
        self.audit(event, Some(&self.store.spelled(self.accounts, account)), Some(id));
        let answer = Answer::no_content();
        match session_of(account) {
            Some(current) if kind == GrantKind::Session && current.id == id => {
                let removed = Grant { is_persistent: true, expires_at: Some(0), ..current.clone() };
                let cookie = session_cookie(self.model, self.accounts, self.head, "", &removed)?;
                Ok(answer.with(header::SET_COOKIE, cookie))
            }
            _ => Ok(answer),
        }
    }

    fn audit(&self, event: AuditEvent, account: Option<&str>, grant: Option<&str>) {
        event.record(self.head, &self.model.proxies, account, grant);
    }

    /// The account of the caller.
    fn account(&self) -> Result<&Account, Error> {
        let none = || {
            challenged(
                self.model,
                text!("`{method}` needs credentials here.", method = self.head.method.as_str()),
            )
        };
        self.action.caller.account().ok_or_else(none)
    }

    /// The id in the URL.
    fn id<'a>(&'a self, kind: GrantKind, account: &'a Account) -> Result<&'a str, Error> {
        let id = self.call.values.first().map_or("", String::as_str);
        if kind == GrantKind::Token || id != CURRENT {
            return Ok(id);
        }
        let none = || missing(text!("The request has no session."));
        session_of(account).map(|grant| grant.id.as_str()).ok_or_else(none)
    }

    /// The representation of a grant, without its secret.
    fn body_of(&self, account: &Account, grant: &Grant, current: Option<&str>) -> Members {
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
        Members(members)
    }

    fn wire(&self, name: &str) -> String {
        self.model.api.case.wire(name)
    }
}

/// Begins a new session for a caller that has changed its own password, and returns the value of
/// `Set-Cookie`. The other password has made the old session void. Returns `None` if the caller has
/// no session. If the new session cannot be stored, the change is still answered, and the caller
/// must sign in again.
pub(crate) async fn renew_session(
    store: &Store,
    action: &Action,
    head: &Parts,
) -> Option<HeaderValue> {
    let model = store.model();
    let accounts = model.accounts.as_ref()?;
    let account = action.caller.account()?;
    let old = session_of(account)?;
    let password = PasswordMark::of(action.own_password(model)?);
    let changed = Account { password, ..account.clone() };
    let (secret, grant) = new_session(store, accounts, &changed, old.is_persistent).ok()?;
    let cookie = session_cookie(model, accounts, head, &secret.reveal(), &grant).ok()?;
    let added = store.add_grant(secret, grant).await;
    added
        .inspect_err(|error| tracing::warn!(target: "nouns", %error, "a session was not renewed"))
        .is_ok()
        .then_some(cookie)
}

/// The session that a caller has, if it has signed in with one.
fn session_of(account: &Account) -> Option<&Grant> {
    account.grant.as_deref().filter(|grant| grant.kind == GrantKind::Session)
}

/// Creates a session of an account, which is not stored yet.
fn new_session(
    store: &Store,
    accounts: &AccountModel,
    account: &Account,
    is_persistent: bool,
) -> Result<(GrantSecret, Grant), Error> {
    let now = seconds_now();
    let grant = Grant {
        kind: GrantKind::Session,
        id: Uuid::new_v4().to_string(),
        account: store.spelled(accounts, account),
        password: account.password,
        name: None,
        scopes: GrantScopes::ALL,
        is_persistent,
        created_at: now,
        expires_at: Some(now + i64::from(accounts.def.session.ttl_seconds)),
        used_at: now,
    };
    Ok((GrantSecret::random()?, grant))
}

/// The value of `Set-Cookie` for a session. A session that has ended removes the cookie.
fn session_cookie(
    model: &Model,
    accounts: &AccountModel,
    head: &Parts,
    secret: &str,
    grant: &Grant,
) -> Result<HeaderValue, Error> {
    let (session, now, is_secure) = (accounts.def.session, seconds_now(), is_secure(model, head));
    let left = grant.expires_at.map_or(0, |end| u32::try_from(end - now).unwrap_or(0));
    SetCookie {
        name: accounts.cookie(is_secure),
        value: secret,
        domain: session.domain,
        path: session.path,
        max_age: grant.is_persistent.then_some(left),
        secure: is_secure,
        http_only: session.http_only,
        same_site: match session.same_site {
            SameSite::Strict => "Strict",
            SameSite::Lax => "Lax",
            SameSite::None => "None",
        },
    }
    .field(now)
}

/// Parses the names of scopes. Returns `None` for an unknown name, and for no name at all.
fn scopes(words: &[String]) -> Option<GrantScopes> {
    let of_word = |word: &String| {
        GrantScope::ALL.into_iter().find(|(known, _)| known == word).map(|(_, scope)| scope)
    };
    let scopes = words.iter().map(of_word).collect::<Option<Vec<_>>>()?;
    let scopes = scopes.into_iter().fold(GrantScopes::NONE, GrantScopes::with);
    Some(scopes).filter(|scopes| *scopes != GrantScopes::NONE)
}

fn time(seconds: i64) -> Json {
    let time = Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX);
    time.to_string().into()
}

fn no_grant(kind: GrantKind, id: &str) -> Error {
    let id = crate::base::error::excerpt(id);
    missing(match kind {
        GrantKind::Session => text!("You have no session `{id}`.", id),
        GrantKind::Token => text!("You have no token `{id}`.", id),
    })
}
