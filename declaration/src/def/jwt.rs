//! Tokens of another issuer.

/// The tokens of another issuer that callers may sign in with: JSON Web Tokens (RFC 7519) with a
/// signature.
///
/// ```
/// # use nouns_declaration as nouns;
/// use nouns::def::{ClaimDef, JwtDef};
/// const JWT: JwtDef = JwtDef {
///     keys: "jwks.json",
///     issuer: "https://id.example.org",
///     audience: "zoo",
///     claims: &[ClaimDef { field: "role", claim: "/realm_access/roles" }],
/// };
/// assert_eq!(JWT.claims[0].field, "role");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JwtDef {
    /// The path of the file with the keys of the issuer, a JWK Set (RFC 7517 §5).
    pub keys: &'static str,
    /// The claim `iss` of each token.
    pub issuer: &'static str,
    /// The claim `aud` of each token, or one of its items.
    pub audience: &'static str,
    /// The fields of the account that a token sets, sorted by name.
    pub claims: &'static [ClaimDef],
}

/// A field of an account whose value is a claim of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClaimDef {
    /// The name of the field.
    pub field: &'static str,
    /// The name of the claim; or a JSON Pointer (RFC 6901) into the claims, if it begins with `/`.
    pub claim: &'static str,
}
