//! [`JwtModel`]: how a token of another issuer names its caller.

use super::{FieldIx, def::JwtDef};

/// Tokens of another issuer, and the fields of accounts that their claims set.
#[derive(Clone, Debug)]
pub struct JwtModel {
    /// The declaration.
    pub def: &'static JwtDef,
    /// The fields that claims set, each with its claim.
    pub claims: Box<[(FieldIx, &'static str)]>,
    /// The field by which a token names its account, with its claim: the id, or else the login. If
    /// no claim sets one of them, tokens name no account.
    pub named: Option<(FieldIx, &'static str)>,
}

impl JwtModel {
    /// Links the claims of a declaration with the fields of the accounts.
    pub(super) fn new(
        def: &'static JwtDef,
        login: FieldIx,
        field: impl Fn(&str) -> Option<FieldIx>,
    ) -> Self {
        // `check::across` reports names that do not exist.
        let claims = def.claims.iter().filter_map(|one| Some((field(one.field)?, one.claim)));
        let claims: Box<[_]> = claims.collect();
        let with = |field: FieldIx| claims.iter().copied().find(|(of, _)| *of == field);
        let named = with(FieldIx::ID).or_else(|| with(login));
        Self { def, claims, named }
    }

    /// The claim that sets a field, if one does.
    pub(crate) fn claim(&self, field: FieldIx) -> Option<&'static str> {
        self.claims.iter().find(|(of, _)| *of == field).map(|(_, claim)| *claim)
    }
}
