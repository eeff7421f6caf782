//! Reads the function `api`, a chain of builder calls, as the mappings `api` and `server`.
//!
//! Calls that declare nothing, such as `hooks` and `route`, are ignored.

mod limits;
mod tls;

use self::limits::LimitEntries;
use super::json;
use super::reader::{Reader, entry, last, node};
use crate::diagnostic::{Problem, shape};
use crate::draft::{Entry, Origin, Spanned, Value};
use crate::name;
use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::{
    AngleBracketedGenericArguments, Expr, ExprLit, GenericArgument, Ident, ItemFn, Lit,
    PathArguments, Stmt, Type,
};

/// The declarations in the function `api`.
#[derive(Default)]
pub(super) struct Chain {
    pub(super) api: Vec<Entry>,
    pub(super) server: Vec<Entry>,
    pub(super) auth: Vec<Entry>,
    /// The field types, in the order of the calls.
    pub(super) types: Vec<syn::Path>,
    /// The resources, in the order of the calls.
    pub(super) resources: Vec<syn::Path>,
}

/// One call in a chain of builder calls.
struct Call<'f> {
    name: String,
    at: Span,
    arguments: Vec<&'f Expr>,
    /// The type in the angle brackets, such as `Zoo` in `resource::<Zoo>()`.
    of: Option<&'f syn::Path>,
}

const TEXT: &str = "a string";

/// Reads the chain of calls that a function returns. `None` if the function returns something else.
pub(super) fn read(function: &ItemFn, reader: &mut Reader) -> Option<Chain> {
    let Some(Stmt::Expr(expression, None)) = function.block.stmts.last() else { return None };
    let calls = calls(expression, "Api")?;
    let mut chain = Chain::default();
    let (mut proxies, mut hosts) = (Vec::new(), Vec::new());
    let mut limits = LimitEntries::default();
    for call in calls {
        match call.name.as_str() {
            "new" => chain.api.extend(call.text("title", reader)),
            "version" | "description" | "base_path" | "public_url" => {
                chain.api.extend(call.text(&call.name, reader));
            }
            "case" => chain.api.extend(call.word("a variant of `Case`", reader)),
            "contact" => chain.api.extend(call.inner("Contact", reader)),
            "license" => chain.api.extend(call.inner("License", reader)),
            "listen" | "listen_plain" | "database" | "admin_listen" | "templates" => {
                chain.server.extend(call.text(&call.name, reader));
            }
            "drain_delay" => chain.server.extend(call.duration("drain_delay", reader)),
            "hsts" => chain.server.extend(call.hsts(reader)),
            "tls" => chain.server.extend(call.tls(reader)),
            "synchronous" => chain.server.extend(call.word("a variant of `Synchronous`", reader)),
            "trace" | "query" | "early_hints" | "metrics" | "server_timing" => {
                chain.server.extend(call.flag(reader));
            }
            "proxy_fields" => {
                let word = call.word("a variant of `ProxyFields`", reader);
                chain.server.extend(word.map(with_x));
            }
            "cors" => chain.server.extend(call.cors(reader)),
            "idempotency_keep" => chain.server.extend(call.keep(reader)),
            "auth" => chain.auth.extend(call.auth(reader).into_iter().flatten()),
            "host" => hosts.extend(call.text("hosts", reader)),
            "client_rate" | "account_rate" => limits.rate(&call, reader),
            "limit" => limits.limit(&call, reader),
            "timeout" => limits.timeout(&call, reader),
            "trusted_proxy" => proxies.extend(call.text("trusted_proxies", reader)),
            "extension" => chain.api.extend(call.extension(reader)),
            "field_type" => chain.types.extend(call.of.cloned()),
            "resource" => chain.resources.extend(call.of.cloned()),
            _ => {}
        }
    }
    chain.server.extend(list(proxies));
    chain.server.extend(list(hosts));
    chain.server.extend(limits.finish());
    Some(chain)
}

/// The same entry, where `XForwarded` is `x_forwarded`. In other names, a single capital before
/// another one begins no word.
fn with_x(mut entry: Entry) -> Entry {
    if let Value::Text(word) = &mut entry.value.value
        && word == "xforwarded"
    {
        "x_forwarded".clone_into(word);
    }
    entry
}

/// Merges entries that each have one item of the same list. Returns one entry with the whole list,
/// or `None` if there are no items.
fn list(items: Vec<Entry>) -> Option<Entry> {
    let Origin::Rust(at) = items.first()?.key.at else { return None };
    let key = items.first()?.key.value.clone();
    let items = items.into_iter().map(|entry| entry.value).collect();
    Some(Entry { value: node(Value::List(items), at), ..entry(&key, at, Value::Null) })
}

/// The calls of a chain that begins with `Builder::new(…)`, in order.
fn calls<'f>(expression: &'f Expr, builder: &str) -> Option<Vec<Call<'f>>> {
    match expression {
        Expr::MethodCall(call) => {
            let mut calls = calls(&call.receiver, builder)?;
            let of = call.turbofish.as_ref().and_then(of);
            let arguments = call.args.iter().collect();
            calls.push(Call {
                name: call.method.to_string(),
                at: call.method.span(),
                arguments,
                of,
            });
            Some(calls)
        }
        Expr::Call(call) => {
            let Expr::Path(path) = &*call.func else { return None };
            let mut segments = path.path.segments.iter().rev();
            let constructors = ["new", "of"];
            let new =
                segments.next().filter(|new| constructors.iter().any(|one| new.ident == one))?;
            segments.next().filter(|segment| segment.ident == builder)?;
            let of = match &new.arguments {
                PathArguments::AngleBracketed(generics) => of(generics),
                _ => None,
            };
            let (at, arguments) = (Ident::span(&new.ident), call.args.iter().collect());
            Some(vec![Call { name: new.ident.to_string(), at, arguments, of }])
        }
        Expr::Group(group) => calls(&group.expr, builder),
        Expr::Paren(paren) => calls(&paren.expr, builder),
        _ => None,
    }
}

/// The type in angle brackets, if it is a path.
fn of(generics: &AngleBracketedGenericArguments) -> Option<&syn::Path> {
    match generics.args.first() {
        Some(GenericArgument::Type(Type::Path(path))) => Some(&path.path),
        _ => None,
    }
}

impl Call<'_> {
    /// An entry with the key `key` and the string argument of the call. Another argument is
    /// reported.
    fn text(&self, key: &str, reader: &mut Reader) -> Option<Entry> {
        let Some((text, at)) = self.arguments.first().and_then(|argument| string(argument)) else {
            self.refuse(TEXT, reader);
            return None;
        };
        Some(self.entry(key, Value::Text(text), at))
    }

    /// An entry whose value is the name of an enum variant in snake case.
    fn word(&self, expected: &'static str, reader: &mut Reader) -> Option<Entry> {
        let Some(Expr::Path(path)) = self.arguments.first() else {
            self.refuse(expected, reader);
            return None;
        };
        Some(self.entry(&self.name, Value::Text(name::snake(&last(&path.path))), path.span()))
    }

    /// The entry of an `x-…` key, whose value is a JSON text.
    fn extension(&self, reader: &mut Reader) -> Option<Entry> {
        let expected = "a name that begins with `x-` and a JSON text";
        let (name, text) = match self.arguments.as_slice() {
            [name, text] => (string(name), string(text)),
            _ => (None, None),
        };
        let entry = name.zip(text).and_then(|((name, name_at), (text, at))| {
            let value = json::read(&text, at).filter(|_| name.starts_with("x-"))?;
            let key = Spanned { value: name, at: Origin::Rust(name_at) };
            Some(Entry { key, rust: None, value: node(value, at) })
        });
        if entry.is_none() {
            self.refuse(expected, reader);
        }
        entry
    }

    /// The entry whose value is the mapping declared by an inner builder, such as `Contact::new()`.
    fn inner(&self, builder: &str, reader: &mut Reader) -> Option<Entry> {
        let expression = self.arguments.first().copied();
        let Some((calls, at)) =
            expression.and_then(|given| Some((calls(given, builder)?, given.span())))
        else {
            let expected =
                if builder == "Contact" { "`Contact::new()`" } else { "`License::new(\"…\")`" };
            self.refuse(expected, reader);
            return None;
        };
        let entries = calls.iter().filter_map(|call| match call.name.as_str() {
            "new" if builder == "Contact" => None,
            "new" => call.text("name", reader),
            "name" | "url" | "email" | "identifier" => call.text(&call.name, reader),
            "extension" => call.extension(reader),
            _ => None,
        });
        let entries = entries.collect();
        Some(self.entry(&self.name, Value::Map(entries), at))
    }

    /// The entry whose value is `true` or `false`.
    fn flag(&self, reader: &mut Reader) -> Option<Entry> {
        let Some(Expr::Lit(ExprLit { lit: Lit::Bool(flag), .. })) = self.arguments.first() else {
            self.refuse(shape::FLAG, reader);
            return None;
        };
        Some(self.entry(&self.name, Value::Boolean(flag.value), flag.span()))
    }

    /// The entry `cors` from `Cors::new()` and its calls.
    fn cors(&self, reader: &mut Reader) -> Option<Entry> {
        let expression = self.arguments.first().copied();
        let Some((calls, at)) =
            expression.and_then(|given| Some((calls(given, "Cors")?, given.span())))
        else {
            self.refuse("`Cors::new()`", reader);
            return None;
        };
        let (mut entries, mut origins, mut headers) = (Vec::new(), Vec::new(), Vec::new());
        for call in &calls {
            match call.name.as_str() {
                "origin" => origins.extend(call.text("origins", reader).map(|entry| entry.value)),
                "header" => headers.extend(call.text("headers", reader).map(|entry| entry.value)),
                "credentials" => entries.extend(call.flag(reader)),
                "max_age" => entries.extend(call.duration("max_age", reader)),
                _ => {}
            }
        }
        let lists = [("origins", origins), ("headers", headers)].into_iter();
        let lists = lists.filter(|(_, items)| !items.is_empty());
        entries.extend(lists.map(|(key, items)| self.entry(key, Value::List(items), at)));
        Some(self.entry(&self.name, Value::Map(entries), at))
    }

    /// The entries of `auth` from `Auth::of::<User>()` and its calls.
    fn auth(&self, reader: &mut Reader) -> Option<Vec<Entry>> {
        let calls = self.arguments.first().and_then(|given| calls(given, "Auth"));
        let Some(calls) = calls else {
            self.refuse("`Auth::of::<…>()`", reader);
            return None;
        };
        let mut schemes = Vec::new();
        let mut entries: Vec<Entry> = Vec::new();
        for call in &calls {
            match call.name.as_str() {
                "of" => entries.extend(call.resource("accounts", reader)),
                "login" | "password" | "role" | "realm" => {
                    entries.extend(call.text(&call.name, reader));
                }
                "confirm_within" => entries.extend(call.duration(&call.name, reader)),
                "session" => entries.extend(call.session(reader)),
                "jwt" => entries.extend(call.jwt(reader)),
                "scheme" => {
                    schemes.extend(call.word("a variant of `Scheme`", reader).map(|one| one.value));
                }
                _ => {}
            }
        }
        let has_schemes = !schemes.is_empty();
        entries.extend(has_schemes.then(|| self.entry("schemes", Value::List(schemes), self.at)));
        Some(entries)
    }

    /// The entry `session` from `Sessions::new()` and its calls.
    fn session(&self, reader: &mut Reader) -> Option<Entry> {
        let given = self.arguments.first();
        let Some((calls, at)) =
            given.and_then(|given| Some((calls(given, "Sessions")?, given.span())))
        else {
            self.refuse("`Sessions::new()`", reader);
            return None;
        };
        let entries = calls.iter().filter_map(|call| match call.name.as_str() {
            "store" => call.word("a variant of `SessionStore`", reader),
            "same_site" => call.word("a variant of `SameSite`", reader),
            "ttl" | "idle" => call.duration(&call.name, reader),
            "secure" | "http_only" => call.flag(reader),
            "cookie" | "domain" | "path" | "url_parameter" | "form_field" => {
                call.text(&call.name, reader)
            }
            _ => None,
        });
        let entries = entries.collect();
        Some(self.entry(&self.name, Value::Map(entries), at))
    }

    /// The entry `jwt` from `Jwt::new("…")` and its calls.
    fn jwt(&self, reader: &mut Reader) -> Option<Entry> {
        let given = self.arguments.first();
        let Some((calls, at)) = given.and_then(|given| Some((calls(given, "Jwt")?, given.span())))
        else {
            self.refuse("`Jwt::new(\"…\")`", reader);
            return None;
        };
        let (mut entries, mut claims) = (Vec::new(), Vec::new());
        for call in &calls {
            match call.name.as_str() {
                "new" => entries.extend(call.text("keys", reader)),
                "issuer" | "audience" => entries.extend(call.text(&call.name, reader)),
                "claim" => claims.extend(call.claim(reader)),
                _ => {}
            }
        }
        let has_claims = !claims.is_empty();
        entries.extend(has_claims.then(|| self.entry("claims", Value::Map(claims), at)));
        Some(self.entry(&self.name, Value::Map(entries), at))
    }

    /// The entry of a field and its claim, from the two strings of a call.
    fn claim(&self, reader: &mut Reader) -> Option<Entry> {
        let texts = match self.arguments.as_slice() {
            [field, claim] => string(field).zip(string(claim)),
            _ => None,
        };
        let Some(((field, field_at), (claim, at))) = texts else {
            self.refuse("a field and a claim, as two strings", reader);
            return None;
        };
        let key = Spanned { value: field, at: Origin::Rust(field_at) };
        Some(Entry { key, rust: None, value: node(Value::Text(claim), at) })
    }

    /// An entry whose value is the name of the resource in the angle brackets of the call.
    fn resource(&self, key: &str, reader: &mut Reader) -> Option<Entry> {
        let Some(path) = self.of else {
            self.refuse("a resource, as in `Auth::of::<User>()`", reader);
            return None;
        };
        let ident = last(path);
        let name = reader.resources.get(&ident).cloned().unwrap_or_else(|| name::snake(&ident));
        Some(self.entry(key, Value::Text(name), path.span()))
    }

    /// The entry `idempotency`, a mapping with the key `keep`.
    fn keep(&self, reader: &mut Reader) -> Option<Entry> {
        let keep = self.duration("keep", reader)?;
        Some(self.entry("idempotency", Value::Map(vec![keep]), self.at))
    }

    /// An entry whose value is a duration as text: `Duration::from_secs(60)` becomes `60s`.
    fn duration(&self, key: &str, reader: &mut Reader) -> Option<Entry> {
        let duration = self.arguments.first().and_then(|argument| written_duration(argument));
        let Some((text, at)) = duration else {
            self.refuse("`Duration::from_secs(…)` with a number", reader);
            return None;
        };
        Some(self.entry(key, Value::Text(text), at))
    }

    fn entry(&self, key: &str, value: Value, at: Span) -> Entry {
        Entry { value: node(value, at), ..entry(key, self.at, Value::Null) }
    }

    fn refuse(&self, expected: &'static str, reader: &mut Reader) {
        reader.report(self.at, Problem::NotWrittenOut { call: self.name.clone(), expected });
    }
}

/// The duration in a call such as `Duration::from_secs(60)`, as text of the schema language.
fn written_duration(expression: &Expr) -> Option<(String, Span)> {
    let Expr::Call(call) = expression else { return None };
    let (Expr::Path(path), Some(Expr::Lit(ExprLit { lit: Lit::Int(count), .. }))) =
        (&*call.func, call.args.first())
    else {
        return None;
    };
    let mut segments = path.path.segments.iter().rev();
    let function = segments.next()?.ident.to_string();
    let (_, unit) = UNITS.iter().find(|(constructor, _)| *constructor == function)?;
    segments.next().filter(|segment| segment.ident == "Duration")?;
    Some((format!("{}{unit}", count.base10_digits()), call.span()))
}

/// The constructors of `Duration` from whole numbers, with their units in the schema language.
const UNITS: [(&str, &str); 4] =
    [("from_millis", "ms"), ("from_secs", "s"), ("from_mins", "m"), ("from_hours", "h")];

/// The value of a string literal with its position.
fn string(expression: &Expr) -> Option<(String, Span)> {
    match expression {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some((text.value(), text.span())),
        _ => None,
    }
}
