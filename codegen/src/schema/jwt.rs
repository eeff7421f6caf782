//! The checked settings of tokens of another issuer.

/// The tokens of another issuer that callers may sign in with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jwt {
    /// The path of the file with the keys of the issuer.
    pub keys: String,
    /// The claim `iss` of each token.
    pub issuer: String,
    /// The claim `aud` of each token, or one of its items.
    pub audience: String,
    /// The fields of the account that a token sets, each with its claim, sorted by field.
    pub claims: Vec<(String, String)>,
}
