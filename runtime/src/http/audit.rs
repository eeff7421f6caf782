//! The audit log: who has signed in, and what was refused to whom. It has no secrets.

use http::request::Parts;

use super::{
    client::Client, forwarded::TrustedProxies, request_id::REQUEST_ID, trace_context::TraceParent,
};

/// An event of the audit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AuditEvent {
    /// An account has signed in, and a session has begun.
    SignedIn,
    /// The login or the password was wrong.
    SignInFailed,
    /// No password was compared, because too many were wrong.
    SignInDelayed,
    /// A session has ended at the request of its account.
    SignedOut,
    /// A token was made.
    TokenMade,
    /// A token was revoked.
    TokenRevoked,
    /// A token was used. This is recorded about once a minute.
    TokenUsed,
    /// A token does not exist, has expired or was revoked.
    TokenRefused,
    /// An access rule, or the scope of a token, has refused the request.
    Refused,
    /// A page of another site has sent the request.
    CrossSite,
}

impl AuditEvent {
    const fn word(self) -> &'static str {
        match self {
            Self::SignedIn => "signed_in",
            Self::SignInFailed => "sign_in_failed",
            Self::SignInDelayed => "sign_in_delayed",
            Self::SignedOut => "signed_out",
            Self::TokenMade => "token_made",
            Self::TokenRevoked => "token_revoked",
            Self::TokenUsed => "token_used",
            Self::TokenRefused => "token_refused",
            Self::Refused => "refused",
            Self::CrossSite => "cross_site",
        }
    }

    /// Writes one line to the log, with the target `nouns::audit`. `account` is the id of the
    /// account, and `grant` the id of the session or token, which is no secret.
    pub(crate) fn record(
        self,
        head: &Parts,
        proxies: &TrustedProxies,
        account: Option<&str>,
        grant: Option<&str>,
    ) {
        if !tracing::enabled!(target: "nouns::audit", tracing::Level::INFO) {
            return;
        }
        let address = Client::of(head, proxies).address.map(tracing::field::display);
        let request_id = head.headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
        tracing::info!(
            target: "nouns::audit",
            event = self.word(),
            account,
            grant,
            address,
            method = head.method.as_str(),
            path = head.uri.path().get(..PATH_BYTES_MAX).unwrap_or(head.uri.path()),
            request_id,
            trace_id = TraceParent::of(&head.headers).map(|trace| trace.trace_id),
        );
    }
}

/// The maximum length of a path in the log, in bytes.
const PATH_BYTES_MAX: usize = 256;
