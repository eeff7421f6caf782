//! Reads the key `auth.jwt`: the tokens of another issuer.

use super::context::Context;
use super::extensions::Extensions;
use super::map::{Map, names, text};
use super::ruled::{report, ruled};
use crate::diagnostic::Problem;
use crate::diagnostic::problem::Owner;
use crate::draft::Origin;
use crate::language;
use crate::schema::{Jwt, Scheme};
use nouns_declaration::grammar::{JWT_AUDIENCE, JWT_CLAIM, JWT_ISSUER, JWT_KEYS, Rule};

/// The settings of tokens, with the positions of the fields that they set.
#[derive(Default)]
pub(super) struct JwtDraft {
    pub(super) jwt: Option<Jwt>,
    /// The positions of the fields in `claims`, in the same order.
    pub(super) fields: Vec<Origin>,
    pub(super) extensions: Extensions,
}

/// Reads `jwt` in `auth`.
pub(super) fn read(auth: &Map<'_>, schemes: &[Scheme], context: &mut Context) -> JwtDraft {
    let Some(map) = auth.inner("jwt", &language::JWT, context) else { return JwtDraft::default() };
    if !schemes.contains(&Scheme::Bearer) {
        let text = schemes.iter().map(|scheme| scheme.word()).collect::<Vec<_>>().join(", ");
        let rule = "a list with `bearer`, because `jwt` has settings";
        context
            .report(auth.place("schemes"), Problem::BadText { key: "schemes".into(), text, rule });
    }
    let mut needed = |key, rule: Rule| {
        map.needed(key, context);
        ruled(&map, key, rule.says, rule.keeps, context)
    };
    let keys = needed("keys", JWT_KEYS);
    let issuer = needed("issuer", JWT_ISSUER);
    let audience = needed("audience", JWT_AUDIENCE);
    let (claims, of_claims) = claims(&map, context);
    let extensions = [map.extensions, of_claims].concat();
    let Some(((keys, issuer), audience)) = keys.zip(issuer).zip(audience) else {
        return JwtDraft { extensions, ..JwtDraft::default() };
    };
    let fields = claims.iter().map(|(_, at)| *at).collect();
    let claims = claims.into_iter().map(|(claim, _)| claim).collect();
    JwtDraft { jwt: Some(Jwt { keys, issuer, audience, claims }), fields, extensions }
}

/// A field of the account with its claim, and the position of the field.
type PlacedClaim = ((String, String), Origin);

/// Reads `claims: { role: role }`. Returns its `x-…` keys separately.
fn claims(map: &Map<'_>, context: &mut Context) -> (Vec<PlacedClaim>, Extensions) {
    let Some(entry) = map.entry("claims") else { return Default::default() };
    let owner = Owner::Key("claims".to_owned());
    let Some((entries, extensions)) =
        names(&entry.value, &owner, "a mapping from fields of the account to claims", context)
    else {
        return Default::default();
    };
    let mut claims = Vec::with_capacity(entries.len());
    for entry in entries {
        let field = entry.key.value.clone();
        let Some(claim) = text(&field, &entry.value, context) else { continue };
        if !(JWT_CLAIM.keeps)(claim) {
            report(&field, claim, JWT_CLAIM.says, entry.value.at, context);
            continue;
        }
        claims.push(((field, claim.to_owned()), entry.key.at));
    }
    claims.sort_by(|one, other| one.0.cmp(&other.0));
    (claims, extensions)
}
