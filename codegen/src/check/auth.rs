//! Reads the key `auth`: the accounts of an API.

use super::context::Context;
use super::extensions::Extensions;
use super::field::FieldDraft;
use super::map::{Map, texts, word};
use super::resource::ResourceDraft;
use super::ruled::{ruled, seconds};
use super::session::EnclosedPlaces;
use super::{jwt, links, session};
use crate::diagnostic::Problem;
use crate::draft::{Origin, Value, excerpt};
use crate::language;
use crate::schema::{Auth, Literal, Scheme, Server, SessionStore};
use nouns_declaration::def::AuthDef;
use nouns_declaration::grammar::REALM;
use nouns_declaration::outline::{AccountsName, Outline, PlacedText};

/// The accounts as declared, with the checked accounts.
pub(super) struct AuthDraft<'d> {
    map: Map<'d>,
    /// The positions of the settings of sessions that are names in requests.
    enclosed: EnclosedPlaces,
    /// The positions of the fields that tokens of another issuer set.
    claims: Vec<Origin>,
    pub(super) auth: Auth,
}

/// Reads `auth: { accounts: user, login: email }`, and returns its `x-…` keys separately.
pub(super) fn read<'d>(
    declaration: &Map<'d>,
    drafts: &[ResourceDraft<'_>],
    context: &mut Context,
) -> (Option<AuthDraft<'d>>, Extensions) {
    let Some(map) = declaration.inner("auth", &language::AUTH, context) else {
        return Default::default();
    };
    let schemes = schemes(&map, context);
    let (session, enclosed, of_session) = session::read(&map, &schemes, context);
    let jwt = jwt::read(&map, &schemes, context);
    let extensions = [map.extensions.clone(), of_session, jwt.extensions].concat();
    let password = map.owned("password", context);
    let realm = ruled(&map, "realm", REALM.says, REALM.keeps, context);
    let role = map.owned("role", context);
    let confirm_seconds = seconds(&map, "confirm_within", context);
    map.needed("accounts", context);
    map.needed("login", context);
    let named = map.owned("accounts", context).zip(map.owned("login", context));
    let Some((accounts, login)) = named else { return (None, extensions) };
    links::check_resource(&accounts, map.place("accounts"), context);
    let auth = Auth {
        role: role.or_else(|| usual_role(&accounts, drafts)),
        accounts,
        login,
        password: password.unwrap_or_else(|| AuthDef::PASSWORD.to_owned()),
        realm: realm.unwrap_or_else(|| AuthDef::REALM.to_owned()),
        schemes,
        confirm_seconds: confirm_seconds.unwrap_or(AuthDef::CONFIRM_SECONDS),
        session,
        jwt: jwt.jwt,
    };
    (Some(AuthDraft { map, enclosed, claims: jwt.fields, auth }), extensions)
}

/// The field `role` of the accounts, if they have it.
fn usual_role(accounts: &str, drafts: &[ResourceDraft<'_>]) -> Option<String> {
    let fields = &drafts.iter().find(|draft| draft.name() == accounts)?.fields;
    let mut names = fields.iter().map(FieldDraft::name);
    names.find(|name| *name == AuthDef::ROLE).map(str::to_owned)
}

fn schemes(map: &Map<'_>, context: &mut Context) -> Vec<Scheme> {
    let usual = || AuthDef::SCHEMES.to_vec();
    let Some(entry) = map.entry("schemes") else { return usual() };
    let nodes = match &entry.value.value {
        Value::Text(_) => std::slice::from_ref(&entry.value),
        _ => match map.list("schemes", "a scheme or a list of schemes", context) {
            Some(nodes) => nodes,
            None => return usual(),
        },
    };
    let mut schemes = Vec::new();
    for name in texts("schemes", nodes, context) {
        schemes.extend(word("schemes", name, Scheme::WORDS, context));
    }
    schemes.sort_unstable();
    schemes
}

impl AuthDraft<'_> {
    /// Checks that sessions are where each node of a server with several nodes finds them.
    pub(super) fn check_store(&self, server: &Server, context: &mut Context) {
        let is_served = server.database.as_deref().is_some_and(|name| name.contains("://"));
        let store = self.auth.session.store;
        if is_served && store != SessionStore::Database {
            let (key, text) = ("store".to_owned(), store.word().to_owned());
            let rule = "`database`, because several nodes may serve this database";
            let at = self.map.place("session");
            context.report(at, Problem::BadText { key, text, rule });
        }
    }

    /// The names of the accounts, with their positions, for the checks across resources.
    pub(super) fn names<'a>(&'a self, drafts: &'a [ResourceDraft<'_>]) -> AccountsName<'a, Origin> {
        let auth = &self.auth;
        let placed = |text: &'a str, key: &str| PlacedText { text, at: self.map.place(key) };
        AccountsName {
            resource: placed(&auth.accounts, "accounts"),
            login: placed(&auth.login, "login"),
            password: placed(&auth.password, "password"),
            role: auth.role.as_deref().map(|role| placed(role, "role")),
            roles: self.roles(drafts),
            schemes: auth.schemes.clone(),
            enclosed: self.enclosed.names(&auth.session),
            claims: self.claims(),
        }
    }

    /// The fields that tokens of another issuer set.
    fn claims(&self) -> Vec<PlacedText<'_, Origin>> {
        let claims = self.auth.jwt.iter().flat_map(|jwt| &jwt.claims);
        claims
            .zip(&self.claims)
            .map(|((field, _), at)| PlacedText { text: field, at: *at })
            .collect()
    }

    /// The values that the field for roles can have; empty if it can have any.
    fn roles<'a>(&self, drafts: &'a [ResourceDraft<'_>]) -> Vec<&'a str> {
        let accounts = drafts.iter().find(|draft| draft.name() == self.auth.accounts);
        let mut fields = accounts.into_iter().flat_map(|draft| &draft.fields);
        let field = fields.find(|field| Some(field.name()) == self.auth.role.as_deref());
        let field = field.and_then(|draft| draft.field.as_ref());
        let choices = field.into_iter().flat_map(|field| field.domain.choices.iter());
        choices
            .filter_map(|choice| match choice {
                Literal::String(role) => Some(role.as_str()),
                _ => None,
            })
            .collect()
    }
}

/// Reports defaults that are values of an account, and warns if a rule needs a caller who is signed
/// in, although there are no accounts.
pub(super) fn report_without(
    drafts: &[ResourceDraft<'_>],
    outline: &Outline<'_, Origin>,
    context: &mut Context,
) {
    for attribute in outline.nouns.iter().flat_map(|noun| &noun.attributes) {
        if let Some(default) = attribute.account_default {
            let value = format!("$account.{}", excerpt(default.text));
            context.report(default.at, Problem::DefaultWithoutAccounts { value });
        }
    }
    let mut rules = drafts.iter().flat_map(ResourceDraft::rules);
    if let Some(first) = rules.find_map(|access| access.first_signed_in) {
        context.report(first.at, Problem::NobodySignsIn { what: first.value });
    }
}
