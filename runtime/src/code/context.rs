//! Typed access to the request that a hook or a handler serves.

use crate::{
    code::resource::Resource,
    model::id::{Id, Key},
    store::context::CallFacts,
};

impl CallFacts {
    /// The ancestor of this resource in the URL, or in the place of a typed call. Before a member
    /// is created at a flat URL: the parent that its body names.
    ///
    /// The id is the one that the caller sent. The statement that does the work checks that such a
    /// member exists; it runs after a `before` hook and before a `within` hook.
    #[must_use]
    pub fn parent<R: Resource>(&self) -> Option<Id<R>> {
        let id = self.ancestor(R::NAME)?;
        R::Key::load(id.clone()).map(Id::new)
    }
}
