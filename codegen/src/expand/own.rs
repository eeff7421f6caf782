//! Names in an expansion: what `Self` stands for outside of the struct, and the names of what is
//! added.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

/// Tokens of a struct as they read outside of it: with its name for `Self`.
pub(super) fn outside(tokens: &impl ToTokens, owner: &Ident) -> TokenStream {
    tokens.to_token_stream().into_iter().map(|token| replaced(token, owner)).collect()
}

fn replaced(token: TokenTree, owner: &Ident) -> TokenTree {
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

/// The place of something that the author wrote, for what we write about it: an error points there,
/// and no lint asks the author about our words.
pub(super) fn at(written: &impl Spanned) -> Span {
    Span::call_site().located_at(written.span())
}

/// The name of something that is added for an item.
pub(super) fn added(name: &str, of: &Ident) -> Ident {
    Ident::new(name, at(of))
}

/// The same name as that of a field, as one that is added.
pub(super) fn again(field: &Ident) -> Ident {
    let mut field = field.clone();
    field.set_span(at(&field));
    field
}

/// The text of an identifier, without `r#`.
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
