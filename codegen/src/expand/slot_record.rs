//! Generates the implementations of `SlotRecord`, which read fields from numbered slots and write
//! them.

use super::companions::Companions;
use super::member::{self, Input, Member};
use super::{missing, own};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Type;

/// A field with the methods that read its slot and write it.
struct Slot<'m> {
    member: &'m Member<'m>,
    /// The type whose methods read and write the slot.
    of: &'m Type,
    /// The name of the method that reads the slot.
    take: &'static str,
    /// The name of the method that writes the slot.
    put: &'static str,
}

impl<'m> Slot<'m> {
    /// A field that must be present. It may be null if the type `of` is an `Option`.
    const fn value(member: &'m Member<'m>, of: &'m Type) -> Self {
        Self { member, of, take: "take", put: "put" }
    }

    /// An optional field of a new member: `Some` value or `None`.
    const fn optional(member: &'m Member<'m>) -> Self {
        Self { member, of: &member.item.inner, take: "take_optional", put: "put_optional" }
    }

    /// A field of type `Patch`, which has a value, null, or no value.
    const fn patch(member: &'m Member<'m>) -> Self {
        Self { member, of: &member.item.ty, take: "take_patch", put: "put_patch" }
    }

    /// The path of a method, with the position of the type.
    fn method(&self, name: &str, owner: &Ident) -> TokenStream {
        let (at, item) = (own::at(self.of), self.member.item);
        let of = match std::ptr::eq(self.of, &item.inner) {
            true => missing::alone(item, owner),
            false => own::outside(self.of, owner),
        };
        let name = Ident::new(name, at);
        quote_spanned!(at=> <#of as __v1::FieldType>::#name)
    }
}

/// The implementations for the struct of a member, of a new member, and of a patch.
pub(super) fn implementations(
    item: &Ident,
    companions: &Companions,
    members: &[Member<'_>],
) -> TokenStream {
    let whole = members.iter().map(|member| Slot::value(member, &member.item.ty));
    let new = member::inputs(members).map(|member| match member.input {
        Input::Maybe => Slot::optional(member),
        Input::Choice => Slot::patch(member),
        Input::Never | Input::Always => Slot::value(member, &member.item.inner),
    });
    let patch = member::changeable(members).map(Slot::patch);
    [
        implementation(item, item, &whole.collect::<Vec<_>>()),
        implementation(item, &companions.new, &new.collect::<Vec<_>>()),
        implementation(item, &companions.patch, &patch.collect::<Vec<_>>()),
    ]
    .into_iter()
    .collect()
}

fn implementation(owner: &Ident, item: &Ident, all: &[Slot<'_>]) -> TokenStream {
    // A struct without fields does not use the parameter, so its name begins with `_`.
    let slots = Ident::new(if all.is_empty() { "_slots" } else { "slots" }, Span::mixed_site());
    let reads = all.iter().map(|slot| {
        let (ident, at, take) =
            (&slot.member.item.ident, &slot.member.at, slot.method(slot.take, owner));
        quote_spanned!(own::at(slot.of)=> #ident: #take(#slots, #at)?)
    });
    let writes = all.iter().map(|slot| {
        let (ident, at, put) =
            (&slot.member.item.ident, &slot.member.at, slot.method(slot.put, owner));
        quote_spanned!(own::at(slot.of)=> #put(#slots, #at, self.#ident);)
    });
    let implementation = missing::implementation(owner);
    quote! {
        #[automatically_derived]
        #implementation __v1::SlotRecord for #item {
            fn read(#slots: &mut __v1::Slots<'_>) -> __v1::Result<Self, __v1::UnreadableValue> {
                __v1::Ok(Self { #(#reads),* })
            }
            fn write(self, #slots: &mut __v1::Slots<'_>) {
                #(#writes)*
            }
        }
    }
}
