//! The implementations of `Stored`: which slot each field is read from and written to.

use super::companions::Companions;
use super::member::{self, Input, Member};
use super::own;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

/// How a field stands in a slot.
struct Slot<'m> {
    member: &'m Member<'m>,
    /// The method that reads it.
    take: &'static str,
    /// The method that writes it.
    put: &'static str,
}

/// Those of a member, of a new one, and of a change.
pub(super) fn implementations(item: &Ident, companions: &Companions, members: &[Member<'_>]) -> TokenStream {
    let whole = members.iter().map(|member| Slot { member, take: "take", put: "put" });
    let new = member::inputs(members).map(|member| match member.input {
        Input::Maybe => Slot { member, take: "take_said", put: "put_said" },
        Input::Choice => Slot { member, take: "take_patch", put: "put_patch" },
        _ => Slot { member, take: "take", put: "put" },
    });
    let patch =
        member::changeable(members).map(|member| Slot { member, take: "take_patch", put: "put_patch" });
    [
        implementation(item, &whole.collect::<Vec<_>>()),
        implementation(&companions.new, &new.collect::<Vec<_>>()),
        implementation(&companions.patch, &patch.collect::<Vec<_>>()),
    ]
    .into_iter()
    .collect()
}

fn implementation(item: &Ident, all: &[Slot<'_>]) -> TokenStream {
    // Of a struct without fields, nothing is said and nothing read.
    let slots = Ident::new(if all.is_empty() { "_slots" } else { "slots" }, Span::mixed_site());
    let reads = all.iter().map(|Slot { member, take, .. }| {
        let (ident, at, take) = (&member.item.ident, &member.at, method(take, member));
        quote_spanned!(own::at(&member.item.inner)=> #ident: #slots.#take(#at)?)
    });
    let writes = all.iter().map(|Slot { member, put, .. }| {
        let (ident, at, put) = (&member.item.ident, &member.at, method(put, member));
        quote_spanned!(own::at(&member.item.inner)=> #slots.#put(#at, self.#ident);)
    });
    quote! {
        #[automatically_derived]
        impl __v1::Stored for #item {
            fn read(#slots: &mut __v1::Slots<'_>) -> __v1::Result<Self, __v1::Unreadable> {
                __v1::Ok(Self { #(#reads),* })
            }
            fn write(self, #slots: &mut __v1::Slots<'_>) {
                #(#writes)*
            }
        }
    }
}

/// A method at the place of the field's type, where rustc points if that is none of a field.
fn method(name: &str, member: &Member<'_>) -> Ident {
    Ident::new(name, own::at(&member.item.inner))
}
