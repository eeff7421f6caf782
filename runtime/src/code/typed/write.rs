//! [`Replace`], [`Update`] and [`Delete`]: writes to one member. A program can require a revision
//! before it awaits them.

use std::{future::Future, future::IntoFuture, pin::Pin};

use super::{Member, Revision, run::CallTarget};
use crate::{
    base::error::Error,
    code::resource::{Resource, SlotRecord},
    model::id::Id,
    plan::{Preconditions, Tags},
    request::action::{ActionKind, replaced, updated},
    store::Store,
};

/// A boxed future that can be sent to another thread.
type SendFuture<T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>;

/// Declares the type of a write. The braces contain the field for the input of the write, if it has
/// one. The type after the arrow is the output.
macro_rules! writes {
    ($($(#[$doc:meta])* $name:ident { $($input:ident: $type:ty)? } -> $output:ty;)*) => {$(
        $(#[$doc])*
        #[must_use = "nothing is written until this is awaited"]
        pub struct $name<R: Resource> {
            call: CallTarget<R>,
            id: Id<R>,
            $($input: $type,)?
            if_match: Option<Revision>,
        }

        impl<R: Resource> $name<R> {
            pub(super) fn new(call: CallTarget<R>, id: Id<R> $(, $input: $type)?) -> Self {
                Self { call, id, $($input,)? if_match: None }
            }

            /// Executes the write only if the member has this revision. Otherwise the write fails
            /// with 412.
            pub fn if_match(mut self, revision: Revision) -> Self {
                self.if_match = Some(revision);
                self
            }
        }

        impl<R: Resource> IntoFuture for $name<R> {
            type Output = Result<$output, Error>;
            type IntoFuture = SendFuture<$output>;

            fn into_future(self) -> Self::IntoFuture {
                Box::pin(self.run())
            }
        }

        impl<R: Resource> std::fmt::Debug for $name<R> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name)).field("id", &self.id).finish_non_exhaustive()
            }
        }
    )*};
}

writes! {
    /// A replacement of all values of a member; see
    /// [`Collection::replace`](super::Collection::replace).
    Replace { member: R::New } -> Member<R>;
    /// An update of some values of a member; see [`Collection::update`](super::Collection::update).
    Update { patch: R::Patch } -> Member<R>;
    /// A deletion of a member; see [`Collection::delete`](super::Collection::delete).
    Delete {} -> ();
}

pub(super) fn preconditions(store: &Store, revision: Option<Revision>) -> Preconditions {
    let if_match = revision.map(|Revision(number)| Tags::from_iter([store.tag_of(number)]));
    Preconditions { if_match, ..Preconditions::default() }
}

impl<R: Resource> Replace<R> {
    async fn run(self) -> Result<Member<R>, Error> {
        let Self { call, id, member, if_match } = self;
        let kind = replacement(&call, id, member)?;
        let found = call.clone().run(kind, preconditions(call.store(), if_match)).await?;
        call.member(found)
    }
}

pub(super) fn replacement<R: Resource>(
    call: &CallTarget<R>,
    id: Id<R>,
    member: R::New,
) -> Result<ActionKind, Error> {
    let (chain, id, mut slots) = (call.chain()?, call.id(id)?, call.slots()?);
    member.write(&mut slots);
    let (change, create) = replaced(call.caller(), &chain, &id, slots)?;
    Ok(ActionKind::Write { chain, id, change, create, complete: true })
}

impl<R: Resource> Update<R> {
    async fn run(self) -> Result<Member<R>, Error> {
        let Self { call, id, patch, if_match } = self;
        let kind = amendment(&call, id, patch)?;
        let found = call.clone().run(kind, preconditions(call.store(), if_match)).await?;
        call.member(found)
    }
}

pub(super) fn amendment<R: Resource>(
    call: &CallTarget<R>,
    id: Id<R>,
    patch: R::Patch,
) -> Result<ActionKind, Error> {
    let (chain, id, mut slots) = (call.chain()?, call.id(id)?, call.slots()?);
    patch.write(&mut slots);
    let change = updated(call.caller(), &chain, &id, slots)?;
    Ok(ActionKind::Write { chain, id, change, create: Err(vec![]), complete: false })
}

impl<R: Resource> Delete<R> {
    async fn run(self) -> Result<(), Error> {
        let Self { call, id, if_match } = self;
        let kind = ActionKind::Delete { chain: call.chain()?, id: call.id(id)? };
        let preconditions = preconditions(call.store(), if_match);
        call.run(kind, preconditions).await.map(drop)
    }
}
