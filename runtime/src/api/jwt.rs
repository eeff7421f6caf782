//! [`Jwt`]: the tokens of another issuer.

use nouns_declaration::grammar::{JWT_AUDIENCE, JWT_CLAIM, JWT_ISSUER, JWT_KEYS};

use crate::{
    base::interner::{Interner, text},
    model::{
        Problem,
        def::{ClaimDef, JwtDef},
    },
};

/// The tokens of another issuer with which callers may sign in: JSON Web Tokens (RFC 7519), signed
/// with RS256, ES256, EdDSA or HS256.
///
/// ```
/// # use nouns_runtime as nouns;
/// use nouns::Jwt;
///
/// let jwt = Jwt::new("jwks.json")
///     .issuer("https://id.example.org")
///     .audience("zoo")
///     .claim("email", "email")
///     .claim("role", "/realm_access/roles");
/// # drop(jwt);
/// ```
///
/// A token needs the claims `iss`, `aud` and `exp`. If a claim sets the login or the `id` of an
/// account, the caller is that account, and a token that names no account is refused. Otherwise the
/// caller is the claim `sub`, without an account.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Jwt {
    keys: String,
    issuer: Option<String>,
    audience: Option<String>,
    claims: Vec<(String, String)>,
}

impl Jwt {
    /// Accepts tokens that are signed with a key in a file: a JWK Set (RFC 7517 §5). A relative
    /// path begins at the working directory of the process. The file is read again when it changes.
    pub fn new(keys: impl Into<String>) -> Self {
        Self { keys: keys.into(), issuer: None, audience: None, claims: vec![] }
    }

    /// Sets the claim `iss` of each token. It is required.
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = Some(issuer.into());
        self
    }

    /// Sets the claim `aud` of each token, or one of its items. It is required.
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.audience = Some(audience.into());
        self
    }

    /// Sets a field of the account from a claim, for access rules and defaults. `claim` is the name
    /// of a claim; or a JSON Pointer (RFC 6901) into the claims, if it begins with `/`.
    ///
    /// A token without the claim leaves the field without a value. Of an array, the first value
    /// that the field can have counts.
    pub fn claim(mut self, field: impl Into<String>, claim: impl Into<String>) -> Self {
        self.claims.push((field.into(), claim.into()));
        self
    }

    pub(super) fn def(&self) -> JwtDef {
        static CLAIMS: Interner<[ClaimDef]> = Interner::new();
        let of =
            |(field, claim): &(String, String)| ClaimDef { field: text(field), claim: text(claim) };
        let mut claims: Vec<_> = self.claims.iter().map(of).collect();
        claims.sort_unstable();
        JwtDef {
            keys: text(&self.keys),
            issuer: self.issuer.as_deref().map_or("", text),
            audience: self.audience.as_deref().map_or("", text),
            claims: CLAIMS.intern(claims.into()),
        }
    }

    /// The errors in the settings.
    pub(super) fn problems(&self) -> Vec<Problem> {
        let def = self.def();
        let fixed = [
            JWT_KEYS.problem("keys", def.keys),
            JWT_ISSUER.problem("issuer", def.issuer),
            JWT_AUDIENCE.problem("audience", def.audience),
        ];
        let bad = def.claims.iter().filter_map(|one| JWT_CLAIM.problem(one.field, one.claim));
        let mut problems: Vec<_> = fixed.into_iter().flatten().chain(bad).collect();
        for pair in def.claims.windows(2) {
            if pair[0].field == pair[1].field {
                problems.push(Problem::DuplicateKey { key: pair[0].field.to_owned() });
            }
        }
        problems
    }
}
