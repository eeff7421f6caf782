//! [`AccountModel`]: the resource of accounts, and the fields that identify an account.

use super::{FieldIx, ResourceIx, def::AuthDef, jwt::JwtModel};

/// The prefix of the name of a cookie that only this host can have set, over TLS (RFC 6265bis
/// §4.1.3.2).
const HOST_PREFIX: &str = "__Host-";

/// The accounts of a model: their resource, and its fields.
#[derive(Clone, Debug)]
pub struct AccountModel {
    /// The declaration.
    pub def: &'static AuthDef,
    /// The resource whose members are the accounts.
    pub resource: ResourceIx,
    /// The field with the name that a caller signs in with.
    pub login: FieldIx,
    /// The field with the hash of the password.
    pub password: FieldIx,
    /// The field with the role, if there are roles.
    pub role: Option<FieldIx>,
    /// The tokens of another issuer, if callers may sign in with them.
    pub jwt: Option<JwtModel>,
    /// The fields that access rules compare rows with, and those that defaults take, each once.
    pub values: Box<[FieldIx]>,
    /// The name of the cookie of a session over TLS. It has the prefix `__Host-` if the cookie may
    /// have it.
    secure_cookie: String,
}

impl AccountModel {
    /// Creates the accounts of a declaration. Rules add their values later.
    pub(crate) fn new(
        def: &'static AuthDef,
        resource: ResourceIx,
        [login, password]: [FieldIx; 2],
        role: Option<FieldIx>,
        jwt: Option<JwtModel>,
    ) -> Self {
        let session = def.session;
        let is_plain = !session.cookie.starts_with("__");
        let may_have_prefix = is_plain && session.path == "/" && session.domain.is_none();
        let prefix = if may_have_prefix { HOST_PREFIX } else { "" };
        let secure_cookie = [prefix, session.cookie].concat();
        Self { def, resource, login, password, role, jwt, values: Box::default(), secure_cookie }
    }

    /// The name of the cookie of a session.
    pub(crate) fn cookie(&self, is_secure: bool) -> &str {
        if is_secure { &self.secure_cookie } else { self.def.session.cookie }
    }
}
