//! What a hook or a handler knows of the request that it serves, by Rust types.

use crate::{
    code::resource::Resource,
    model::id::{Id, Key},
    store::context::CallFacts,
};

impl CallFacts {
    /// The ancestor of this resource in the URL, or in the place of a typed call; before a member
    /// is created at a flat URL, the parent that its body names.
    ///
    /// Its id is what the caller says: that there is such a member is proven by the statement that
    /// does the work, which is after a `before` hook and before a `within` hook.
    #[must_use]
    pub fn parent<R: Resource>(&self) -> Option<Id<R>> {
        let id = self.ancestor(R::NAME)?;
        R::Key::load(id.clone()).map(Id::new)
    }
}
