//! Helpers for names in generated code: `Self` outside of the struct, and names of added items.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

/// The tokens for use outside of the struct. `Self` is replaced by the name of the struct.
pub(super) fn outside(tokens: &impl ToTokens, owner: &Ident) -> TokenStream {
    tokens.to_token_stream().into_iter().map(|token| replace_self(token, owner)).collect()
}

fn replace_self(token: TokenTree, owner: &Ident) -> TokenTree {
    match token {
        TokenTree::Ident(word) if word == "Self" => {
            let mut owner = owner.clone();
            owner.set_span(word.span());
            TokenTree::Ident(owner)
        }
        TokenTree::Group(group) => {
            let inner = outside(&group.stream(), owner);
            let mut replaced = Group::new(group.delimiter(), inner);
            replaced.set_span(group.span());
            TokenTree::Group(replaced)
        }
        token => token,
    }
}

/// A span for generated code with the position of user code. Compiler errors point at the user
/// code, but lints treat the tokens as generated.
pub(super) fn at(written: &impl Spanned) -> Span {
    Span::call_site().located_at(written.span())
}

/// A name with the position of the identifier `of`.
pub(super) fn added(name: &str, of: &Ident) -> Ident {
    Ident::new(name, at(of))
}

/// The name of a field, marked as generated code for lints.
pub(super) fn respan(field: &Ident) -> Ident {
    let mut field = field.clone();
    field.set_span(at(&field));
    field
}

/// The text of an identifier without `r#`.
pub(super) fn bare(ident: &Ident) -> String {
    ident.unraw().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::{format_ident, quote};

    #[test]
    fn self_is_the_struct_wherever_it_stands() {
        let outside = outside(&quote!(Option<Id<Self>>), &format_ident!("Zoo"));
        assert_eq!(outside.to_string(), quote!(Option<Id<Zoo>>).to_string());
        let grouped = super::outside(&quote!((Self, [Self; 2])), &format_ident!("Zoo"));
        assert_eq!(grouped.to_string(), quote!((Zoo, [Zoo; 2])).to_string());
    }
}
