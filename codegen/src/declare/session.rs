//! Generates the calls that set the settings of sessions.

use super::api::{call, duration};
use super::names::{Names, ident};
use crate::name;
use crate::schema::Session;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// The call that sets the settings. Nothing is generated if all are the default.
pub(super) fn session_call(session: &Session, names: &mut Names) -> TokenStream {
    let usual = Session::default();
    let idle_usual = usual.idle_seconds.min(session.ttl_seconds);
    if *session == usual {
        return TokenStream::new();
    }
    let mut calls = TokenStream::new();
    if session.store != usual.store {
        let (of, store) = (names.library("SessionStore"), variant(session.store.word()));
        calls.extend(quote!(.store(#of::#store)));
    }
    if session.ttl_seconds != usual.ttl_seconds {
        let ttl = duration(session.ttl_seconds, names);
        calls.extend(quote!(.ttl(#ttl)));
    }
    if session.idle_seconds != idle_usual {
        let idle = duration(session.idle_seconds, names);
        calls.extend(quote!(.idle(#idle)));
    }
    calls.extend(call("cookie", Some(&*session.cookie).filter(|name| *name != usual.cookie)));
    calls.extend(call("domain", session.domain.as_deref()));
    calls.extend(call("path", Some(&*session.path).filter(|path| *path != usual.path)));
    if session.secure {
        calls.extend(quote!(.secure(true)));
    }
    if !session.http_only {
        calls.extend(quote!(.http_only(false)));
    }
    if session.same_site != usual.same_site {
        let (of, same_site) = (names.library("SameSite"), variant(session.same_site.word()));
        calls.extend(quote!(.same_site(#of::#same_site)));
    }
    calls.extend(call("url_parameter", session.url_parameter.as_deref()));
    calls.extend(call("form_field", session.form_field.as_deref()));
    let builder = names.library("Sessions");
    quote!(.session(#builder::new() #calls))
}

fn variant(word: &str) -> Ident {
    ident(&name::pascal(word))
}
