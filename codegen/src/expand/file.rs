//! Expands the macro `schema!("schemas/zoo.yaml")` to the declarations of a schema file.

use crate::{Style, declare, read_yaml};
use proc_macro2::TokenStream;
use quote::quote_spanned;
use std::path::Path;
use syn::LitStr;

/// Expands `schema!` to the items that a schema file declares. The path in `argument` is relative
/// to `folder`, the folder of the crate.
///
/// The expansion includes the bytes of the file, so that a change of the file recompiles the crate.
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
    let failure = |message: &str| syn::Error::new(path.span(), message);
    let text = std::fs::read_to_string(&whole).map_err(|error| {
        failure(&format!("`{name}` cannot be read below the folder of the crate: {error}"))
    })?;
    let schema = read_yaml(&name, &text).map_err(|mistakes| {
        failure(&format!("`{name}` has mistakes\n{}", mistakes.render(Style::Plain)))
    })?;
    let (items, whole) = (declare::tokens(&schema), whole.to_string_lossy());
    Ok(quote_spanned! { path.span()=>
        #items
        const _: &[::core::primitive::u8] = ::core::include_bytes!(#whole);
    })
}
