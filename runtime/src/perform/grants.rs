//! The routes of sessions and tokens: to sign in and out, to make and revoke tokens, and to list
//! them.

mod body;
mod representation;
mod session;

use http::{HeaderValue, StatusCode, header, request::Parts};
use jiff::Timestamp;
use uuid::Uuid;

pub(crate) use self::session::renew_session;
use self::{
    body::GrantBody,
    representation::GrantItems,
    session::{new_session, session_cookie, session_of},
};
use crate::{
    base::{
        error::{Error, Kind, text},
        grant_secret::GrantSecret,
        limits,
        secret::Secret,
    },
    http::{
        answer::Answer, audit::AuditEvent, client::Client, credentials::BasicCredentials,
        idempotency_key,
    },
    model::{GrantKind, GrantOperation, Model, accounts::AccountModel, value::seconds_now},
    plan::{
        Account,
        grant::{Grant, GrantScope, GrantScopes},
    },
    request::{
        action::{Action, Call, refuse_any},
        cross_site::{self, Ambient},
        identify::{challenged, wrong_password},
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
        let address = Client::guessing_address(self.head, &self.model.proxies);
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
        Answer::json(StatusCode::OK, &GrantItems { items: items.collect() })
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
        let account = self.action.caller.account().ok_or_else(none)?;
        // A token of another issuer ends soon, and makes nothing that lasts longer.
        if account.until.is_some() {
            let detail =
                text!("Sign in with a password: a token of another issuer is not enough here.");
            return Err(Error::new(Kind::FORBIDDEN, detail));
        }
        Ok(account)
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

    fn wire(&self, name: &str) -> String {
        self.model.api.case.wire(name)
    }
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

fn no_grant(kind: GrantKind, id: &str) -> Error {
    let id = crate::base::error::excerpt(id);
    missing(match kind {
        GrantKind::Session => text!("You have no session `{id}`.", id),
        GrantKind::Token => text!("You have no token `{id}`.", id),
    })
}
