//! Generates the function `api`, which returns the builder of the API.

use super::field::rust_of;
use super::names::{Names, ident};
use super::session::session_call;
use super::value::{number, text};
use crate::name;
use crate::schema::{
    Auth, Case, Contact, Cors, Extension, Jwt, License, ProxyFields, Schema, Server, Synchronous,
    Tls,
};
use nouns_declaration::def::{AuthDef, HstsDef, Limit, Limits, RateDef, RateLimitDef, Timeout};
use proc_macro2::TokenStream;
use quote::quote;

/// The version of an API that declares none.
const USUAL_VERSION: &str = "1.0.0";

/// Generates the function `api`.
pub(super) fn item(schema: &Schema, names: &mut Names) -> TokenStream {
    let builder = names.library("Api");
    let title = text(&schema.api.title);
    let mut calls = facts(schema, names);
    calls.extend(server(schema, names));
    calls.extend(schema.auth.as_ref().map(|auth| auth_call(auth, schema, names)));
    calls.extend(extensions(&schema.api.extensions));
    calls.extend(parts(schema));
    quote! {
        #[doc = " The builder of the API."]
        pub fn api() -> #builder { #builder::new(#title) #calls }
    }
}

fn facts(schema: &Schema, names: &mut Names) -> TokenStream {
    let api = &schema.api;
    let mut calls =
        call("version", Some(api.version.as_str()).filter(|version| *version != USUAL_VERSION));
    calls.extend(call("description", api.description.as_deref()));
    calls.extend(api.contact.as_ref().map(|contact| contact_call(contact, names)));
    calls.extend(api.license.as_ref().map(|license| license_call(license, names)));
    calls.extend(call("base_path", Some(api.base_path.as_str()).filter(|path| *path != "/")));
    calls.extend(call("public_url", api.public_url.as_deref()));
    if api.case == Case::Camel {
        let case = names.library("Case");
        calls.extend(quote!(.case(#case::Camel)));
    }
    calls
}

fn server(schema: &Schema, names: &mut Names) -> TokenStream {
    let server = &schema.server;
    let mut calls = call("listen", server.listen.as_deref());
    if server.drain_delay_seconds > 0 {
        let delay = duration(server.drain_delay_seconds, names);
        calls.extend(quote!(.drain_delay(#delay)));
    }
    calls.extend(call("listen_plain", server.listen_plain.as_deref()));
    calls.extend(server.tls.as_ref().map(|Tls { certificate, key }| {
        let (certificate, key) = (text(certificate), text(key));
        quote!(.tls(#certificate, #key))
    }));
    calls.extend(call("database", server.database.as_deref()));
    if server.synchronous == Synchronous::Normal {
        let synchronous = names.library("Synchronous");
        calls.extend(quote!(.synchronous(#synchronous::Normal)));
    }
    calls.extend(flag("trace", server.trace));
    calls.extend(flag("query", server.query));
    calls.extend(server.cors.as_ref().map(|cors| cors_call(cors, names)));
    if server.idempotency_keep_seconds != Server::IDEMPOTENCY_KEEP_SECONDS {
        let keep = duration(server.idempotency_keep_seconds, names);
        calls.extend(quote!(.idempotency_keep(#keep)));
    }
    calls.extend(server.trusted_proxies.iter().map(|proxy| call("trusted_proxy", Some(proxy))));
    if server.proxy_fields == ProxyFields::Forwarded {
        let fields = names.library("ProxyFields");
        calls.extend(quote!(.proxy_fields(#fields::Forwarded)));
    }
    calls.extend(flag("early_hints", server.early_hints));
    calls.extend(server.metrics.map(|served| choice("metrics", served)));
    calls.extend(server.server_timing.map(|sent| choice("server_timing", sent)));
    calls.extend(call("admin_listen", server.admin_listen.as_deref()));
    calls.extend(call("templates", server.templates.as_deref()));
    calls.extend(server.hsts.map(|hsts| hsts_call(hsts, names)));
    calls.extend(limits(&server.limits, names));
    calls.extend(server.hosts.iter().map(|host| call("host", Some(host))));
    calls.extend(rates(server.rate_limit, names));
    calls
}

/// The calls that limit how many requests clients and accounts send.
fn rates(rates: RateLimitDef, names: &mut Names) -> TokenStream {
    let mut calls = TokenStream::new();
    for (method, rate) in [("client_rate", rates.client), ("account_rate", rates.account)] {
        let Some(RateDef { requests, seconds }) = rate else { continue };
        let (method, requests) = (ident(method), number(&requests.to_string()));
        let time = duration(seconds, names);
        calls.extend(quote!(.#method(#requests, #time)));
    }
    calls
}

/// The calls that set the limits and timeouts that differ from their defaults.
fn limits(limits: &Limits, names: &mut Names) -> TokenStream {
    let mut calls = TokenStream::new();
    for limit in Limit::ALL {
        let value = limits.get(*limit);
        if value != limit.default() {
            let (of, variant) = (names.library("Limit"), ident(limit.rust()));
            let value = number(&value.to_string());
            calls.extend(quote!(.limit(#of::#variant, #value)));
        }
    }
    for timeout in Timeout::ALL {
        let time = limits.timeout(*timeout);
        if time != timeout.default() {
            let (of, variant) = (names.library("Timeout"), ident(timeout.rust()));
            let (duration, millis) = (names.duration(), number(&time.as_millis().to_string()));
            calls.extend(quote!(.timeout(#of::#variant, #duration::from_millis(#millis))));
        }
    }
    calls
}

fn hsts_call(hsts: HstsDef, names: &mut Names) -> TokenStream {
    let (builder, max_age) = (names.library("Hsts"), duration(hsts.max_age_seconds, names));
    let mut calls = flag("include_subdomains", hsts.include_subdomains);
    calls.extend(flag("preload", hsts.preload));
    quote!(.hsts(#builder::new(#max_age) #calls))
}

fn auth_call(auth: &Auth, schema: &Schema, names: &mut Names) -> TokenStream {
    let (builder, accounts) = (names.library("Auth"), rust_of(&auth.accounts, schema));
    let mut calls = call("login", Some(&auth.login));
    let usual = |given: &'_ str, usual| Some(given.to_owned()).filter(|given| given != usual);
    calls.extend(call("password", usual(&auth.password, AuthDef::PASSWORD).as_deref()));
    let role = auth.role.as_deref().filter(|role| *role != AuthDef::ROLE);
    calls.extend(call("role", role));
    calls.extend(call("realm", usual(&auth.realm, AuthDef::REALM).as_deref()));
    if auth.schemes != AuthDef::SCHEMES {
        let scheme = names.library("Scheme");
        let schemes = auth.schemes.iter().map(|one| ident(&name::pascal(one.word())));
        calls.extend(quote!(#(.scheme(#scheme::#schemes))*));
    }
    if auth.confirm_seconds != AuthDef::CONFIRM_SECONDS {
        let within = duration(auth.confirm_seconds, names);
        calls.extend(quote!(.confirm_within(#within)));
    }
    calls.extend(session_call(&auth.session, names));
    calls.extend(auth.jwt.as_ref().map(|jwt| jwt_call(jwt, names)));
    quote!(.auth(#builder::of::<#accounts>() #calls))
}

fn jwt_call(jwt: &Jwt, names: &mut Names) -> TokenStream {
    let (builder, keys) = (names.library("Jwt"), text(&jwt.keys));
    let mut calls = call("issuer", Some(&jwt.issuer));
    calls.extend(call("audience", Some(&jwt.audience)));
    for (field, claim) in &jwt.claims {
        let (field, claim) = (text(field), text(claim));
        calls.extend(quote!(.claim(#field, #claim)));
    }
    quote!(.jwt(#builder::new(#keys) #calls))
}

fn cors_call(cors: &Cors, names: &mut Names) -> TokenStream {
    let builder = names.library("Cors");
    let mut calls: TokenStream =
        cors.origins.iter().map(|origin| call("origin", Some(origin))).collect();
    calls.extend(flag("credentials", cors.credentials));
    calls.extend(cors.headers.iter().map(|header| call("header", Some(header))));
    if cors.max_age_seconds != Cors::MAX_AGE_SECONDS {
        let max_age = duration(cors.max_age_seconds, names);
        calls.extend(quote!(.max_age(#max_age)));
    }
    quote!(.cors(#builder::new() #calls))
}

pub(super) fn duration(seconds: u32, names: &mut Names) -> TokenStream {
    let (duration, seconds) = (names.duration(), number(&seconds.to_string()));
    quote!(#duration::from_secs(#seconds))
}

/// A call that enables a setting. Nothing is generated if the setting is off.
fn flag(method: &str, is_set: bool) -> TokenStream {
    let method = ident(method);
    if is_set { quote!(.#method(true)) } else { TokenStream::new() }
}

/// A call with `true` or `false`.
fn choice(method: &str, value: bool) -> TokenStream {
    let method = ident(method);
    quote!(.#method(#value))
}

/// The calls that add the named types and the resources to the builder, in order of declaration.
fn parts(schema: &Schema) -> TokenStream {
    let types = schema.types.iter().map(|named| ident(&name::rust_type(&named.name)));
    let resources = schema.resources.iter().map(|resource| rust_of(&resource.name, schema));
    quote!(#(.field_type::<#types>())* #(.resource::<#resources>())*)
}

fn contact_call(contact: &Contact, names: &mut Names) -> TokenStream {
    let mut calls = call("name", contact.name.as_deref());
    calls.extend(call("url", contact.url.as_deref()));
    calls.extend(call("email", contact.email.as_deref()));
    calls.extend(extensions(&contact.extensions));
    let builder = names.library("Contact");
    quote!(.contact(#builder::new() #calls))
}

fn license_call(license: &License, names: &mut Names) -> TokenStream {
    let mut calls = call("identifier", license.identifier.as_deref());
    calls.extend(extensions(&license.extensions));
    let (builder, name) = (names.library("License"), text(&license.name));
    quote!(.license(#builder::new(#name) #calls))
}

pub(super) fn call(method: &str, argument: Option<&str>) -> TokenStream {
    let method = ident(method);
    argument.map(text).map(|argument| quote!(.#method(#argument))).unwrap_or_default()
}

/// The calls that add `x-…` keys to a builder, with their values as JSON text.
fn extensions(extensions: &[Extension]) -> TokenStream {
    let (names, values) = (
        extensions.iter().map(|one| text(&one.name)),
        extensions.iter().map(|one| text(&one.json)),
    );
    quote!(#(.extension(#names, #values))*)
}
