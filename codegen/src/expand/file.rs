//! `schema!("schemas/zoo.yaml")`: the declarations of a schema file, where the macro stands.

use crate::{Style, declare, read_yaml};
use proc_macro2::TokenStream;
use quote::quote_spanned;
use std::path::Path;
use syn::LitStr;

/// What `schema!` becomes: the items that the file declares; `folder` is that of the crate, from
/// which the path leads.
///
/// The text of the file is included, so that a change of it compiles the crate anew.
#[must_use]
pub fn schema(argument: TokenStream, folder: &Path) -> TokenStream {
    syn::parse2::<LitStr>(argument)
        .map_err(|error| {
            syn::Error::new(
                error.span(),
                "`schema!` takes the path of a schema file, such as `\"schemas/zoo.yaml\"`",
            )
        })
        .and_then(|path| items(&path, folder))
        .unwrap_or_else(|error| error.to_compile_error())
}

fn items(path: &LitStr, folder: &Path) -> syn::Result<TokenStream> {
    let (name, whole) = (path.value(), folder.join(path.value()));
    let refused = |message: &str| syn::Error::new(path.span(), message);
    let text = std::fs::read_to_string(&whole).map_err(|error| {
        refused(&format!("`{name}` cannot be read below the folder of the crate: {error}"))
    })?;
    let schema = read_yaml(&name, &text).map_err(|mistakes| {
        refused(&format!("`{name}` has mistakes\n{}", mistakes.render(Style::Plain)))
    })?;
    let (items, whole) = (declare::tokens(&schema), whole.to_string_lossy());
    Ok(quote_spanned! { path.span()=>
        #items
        const _: &[::core::primitive::u8] = ::core::include_bytes!(#whole);
    })
}
