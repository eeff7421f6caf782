//! [`Hooks`]: user code that runs around the writes of a resource, and handlers that replace its
//! operations.
//!
//! A hook is a closure that runs before a write, within its transaction, or after its commit. Hooks
//! belong to a resource, so they run for HTTP requests and for typed calls. A resource without
//! hooks has no overhead.

mod attached;
mod change;
mod replaced;
mod row;
mod write;

use std::sync::Arc;

pub use self::change::Change;
pub(crate) use self::row::row_of;
use self::{replaced::Handlers, write::WriteLists};
use crate::{
    base::error::Error,
    code::{
        resource::Resource,
        typed::{Member, Page, Query},
    },
    model::{def::Operation, id::Id},
    store::{Tx, behaviour::UserFuture, context::Context},
};

/// A hook before a write. It receives the input of the write, and returns the input to use instead.
type BeforeHook<R, T> =
    Box<dyn Fn(Context, Option<Id<R>>, T) -> UserFuture<'static, T> + Send + Sync>;
/// A hook that runs within the transaction of a write.
type WithinHook<R> = Box<dyn Fn(&mut Tx<'_>, &Change<R>) -> Result<(), Error> + Send + Sync>;
/// A hook that runs after the commit of a write.
type AfterHook<R> = Box<dyn Fn(Context, Change<R>) -> UserFuture<'static, ()> + Send + Sync>;

/// The hooks of a resource. Hooks of the same method run in the order in which they were added.
///
/// - `before_*` is asynchronous and runs before the transaction. It receives the input and returns
///   it, changed or unchanged. The returned input is validated like a request body. It must not
///   check other rows: another write may change them before this write begins.
/// - `within_*` runs inside the transaction of the write, on a thread of the store. It receives the
///   member before and after the write, and may execute more writes through [`Tx`]. Its error
///   undoes this write and no other write of the transaction. It may run more than once, so it must
///   have no effects outside of the transaction. This is the place for checks against other rows.
/// - `after_*` is asynchronous and runs after the durable commit. The response does not wait for
///   it, and its error is only logged.
/// - `instead_of_*` replaces an operation for HTTP requests. Typed calls still run the generated
///   operation, so a handler can use it.
///
/// ```
/// # use nouns_runtime as nouns;
/// use nouns::{Error, Hooks, Kind, Resource};
///
/// fn closed<R: Resource>(hooks: Hooks<R>) -> Hooks<R> {
///     hooks.before_delete(|_, id| async move {
///         Err(Error::new(Kind::STILL_REFERENCED, format!("{id} is history, and stays.")))
///     })
/// }
/// ```
pub struct Hooks<R: Resource> {
    before_create: Vec<BeforeHook<R, R::New>>,
    before_replace: Vec<BeforeHook<R, R::New>>,
    before_update: Vec<BeforeHook<R, R::Patch>>,
    before_delete: Vec<BeforeHook<R, ()>>,
    within: WriteLists<WithinHook<R>>,
    after: WriteLists<AfterHook<R>>,
    handlers: Handlers<R>,
    /// The operations that user code replaces twice, which is an error.
    doubled: Vec<Operation>,
}

impl<R: Resource> Default for Hooks<R> {
    fn default() -> Self {
        Self {
            before_create: vec![],
            before_replace: vec![],
            before_update: vec![],
            before_delete: vec![],
            within: WriteLists::default(),
            after: WriteLists::default(),
            handlers: Handlers::default(),
            doubled: vec![],
        }
    }
}

/// Generates the methods that add a hook within a write or after a write.
macro_rules! around {
    ($($within:ident $after:ident $list:ident $what:literal;)*) => {$(
        #[doc = concat!("Adds a hook that runs in the transaction in which ", $what, ".")]
        #[must_use]
        pub fn $within<F>(mut self, hook: F) -> Self
        where
            F: Fn(&mut Tx<'_>, &Change<R>) -> Result<(), Error> + Send + Sync + 'static,
        {
            self.within.$list.push(Box::new(hook));
            self
        }

        #[doc = concat!("Adds a hook that runs after the commit of the transaction in which ", $what, ".")]
        #[must_use]
        pub fn $after<F, Fut>(mut self, hook: F) -> Self
        where
            F: Fn(Context, Change<R>) -> Fut + Send + Sync + 'static,
            Fut: Future<Output = Result<(), Error>> + Send + 'static,
        {
            self.after.$list.push(Box::new(move |context, change| Box::pin(hook(context, change))));
            self
        }
    )*};
}

impl<R: Resource> Hooks<R> {
    /// Adds a hook that runs before a member is created. It runs for each member of a posted array.
    ///
    /// A check against other rows belongs in [`within_write`](Self::within_write): of several
    /// requests at the same time, all could pass a check before the write.
    #[must_use]
    pub fn before_create<F, Fut>(mut self, hook: F) -> Self
    where
        F: Fn(Context, R::New) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R::New, Error>> + Send + 'static,
    {
        self.before_create.push(Box::new(move |context, _, new| Box::pin(hook(context, new))));
        self
    }

    /// Adds a hook that runs before a member is replaced. It receives the new values of the member.
    #[must_use]
    pub fn before_replace<F, Fut>(mut self, hook: F) -> Self
    where
        F: Fn(Context, Id<R>, R::New) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R::New, Error>> + Send + 'static,
    {
        self.before_replace.push(with_id(hook));
        self
    }

    /// Adds a hook that runs before a member is updated. It receives the patch.
    #[must_use]
    pub fn before_update<F, Fut>(mut self, hook: F) -> Self
    where
        F: Fn(Context, Id<R>, R::Patch) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R::Patch, Error>> + Send + 'static,
    {
        self.before_update.push(with_id(hook));
        self
    }

    /// Adds a hook that runs before a member is deleted. If one request deletes several members,
    /// the hook runs for each of them.
    #[must_use]
    pub fn before_delete<F, Fut>(mut self, hook: F) -> Self
    where
        F: Fn(Context, Id<R>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), Error>> + Send + 'static,
    {
        self.before_delete.push(with_id(move |context, id, ()| hook(context, id)));
        self
    }

    /// Adds a hook that runs in the transaction of every write: create, replace, update and delete.
    /// [`Change::operation`] says which one.
    ///
    /// Here a rule about several rows holds, because no other write runs at the same time. Such a
    /// rule reads [`as_system`](Tx::as_system), since access rules may hide other rows from the
    /// caller.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// # use nouns::{Error, Hooks, Resource, error::Kind};
    /// # fn few<R: Resource>(hooks: Hooks<R>) -> Hooks<R> {
    /// hooks.within_write(|tx, _| match tx.as_system().of::<R>().count(&R::query())? {
    ///     0..=100 => Ok(()),
    ///     _ => Err(Error::new(Kind::ALREADY_EXISTS, "There are 100 already.")),
    /// })
    /// # }
    /// ```
    #[must_use]
    pub fn within_write<F>(self, hook: F) -> Self
    where
        F: Fn(&mut Tx<'_>, &Change<R>) -> Result<(), Error> + Send + Sync + 'static,
    {
        let hook = Arc::new(hook);
        let [create, replace, update] = [(); 3].map(|()| {
            let hook = Arc::clone(&hook);
            move |tx: &mut Tx<'_>, change: &Change<R>| hook(tx, change)
        });
        self.within_create(create)
            .within_replace(replace)
            .within_update(update)
            .within_delete(move |tx, change| hook(tx, change))
    }

    /// Adds a hook that runs after the commit of every write: create, replace, update and delete.
    /// [`Change::operation`] says which one.
    #[must_use]
    pub fn after_write<F, Fut>(self, hook: F) -> Self
    where
        F: Fn(Context, Change<R>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), Error>> + Send + 'static,
    {
        let hook = Arc::new(hook);
        let [create, replace, update] = [(); 3].map(|()| {
            let hook = Arc::clone(&hook);
            move |context, change| hook(context, change)
        });
        self.after_create(create)
            .after_replace(replace)
            .after_update(update)
            .after_delete(move |context, change| hook(context, change))
    }

    around! {
        within_create after_create create "a member is created, also by PUT";
        within_replace after_replace replace "a member is replaced";
        within_update after_update update "a member is changed";
        within_delete after_delete delete "a member is deleted, alone or with others. The hook does not run for members that a cascade deletes";
    }

    /// Replaces the operation that lists the collection, for HTTP requests.
    ///
    /// The query that the handler receives contains no parent. At a nested URL,
    /// `context.parent::<Zoo>()` returns the parent's id, to use with `within`.
    ///
    /// A page from a handler has no validator (`ETag`), so no request for it gets a 304.
    #[must_use]
    pub fn instead_of_list<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(Context, Query<R>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Page<R>, Error>> + Send + 'static,
    {
        let handler = replaced::whole(handler);
        let doubled = self.handlers.list.replace(handler).is_some();
        self.note(doubled, Operation::List)
    }

    /// Replaces the operation that reads a member, for HTTP requests. The `ETag` of the response is
    /// made of the revision of the returned member.
    #[must_use]
    pub fn instead_of_get<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(Context, Id<R>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Member<R>, Error>> + Send + 'static,
    {
        let handler = replaced::handler(move |context, id, ()| handler(context, id));
        let doubled = self.handlers.get.replace(handler).is_some();
        self.note(doubled, Operation::Get)
    }

    /// Replaces the operation that creates a member, for HTTP requests. Clients can then not post
    /// an array.
    #[must_use]
    pub fn instead_of_create<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(Context, R::New) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Member<R>, Error>> + Send + 'static,
    {
        let handler = replaced::whole(handler);
        let doubled = self.handlers.create.replace(handler).is_some();
        self.note(doubled, Operation::Create)
    }

    /// Replaces the operation of PUT on a member.
    #[must_use]
    pub fn instead_of_replace<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(Context, Id<R>, R::New) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Member<R>, Error>> + Send + 'static,
    {
        let doubled = self.handlers.replace.replace(replaced::handler(handler)).is_some();
        self.note(doubled, Operation::Replace)
    }

    /// Replaces the operation of PATCH on a member.
    #[must_use]
    pub fn instead_of_update<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(Context, Id<R>, R::Patch) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Member<R>, Error>> + Send + 'static,
    {
        let doubled = self.handlers.update.replace(replaced::handler(handler)).is_some();
        self.note(doubled, Operation::Update)
    }

    /// Replaces the operation of DELETE on a member.
    #[must_use]
    pub fn instead_of_delete<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(Context, Id<R>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), Error>> + Send + 'static,
    {
        let handler = replaced::handler(move |context, id, ()| handler(context, id));
        let doubled = self.handlers.delete.replace(handler).is_some();
        self.note(doubled, Operation::Delete)
    }

    fn note(mut self, doubled: bool, operation: Operation) -> Self {
        self.doubled.extend(doubled.then_some(operation));
        self
    }
}

/// Wraps a hook that needs the id of a member. A call without an id becomes an internal error.
fn with_id<R: Resource, T: Send + 'static, F, Fut>(hook: F) -> BeforeHook<R, T>
where
    F: Fn(Context, Id<R>, T) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<T, Error>> + Send + 'static,
{
    Box::new(move |context, id, input| match id {
        Some(id) => Box::pin(hook(context, id, input)),
        None => Box::pin(async {
            Err(Error::internal("a hook needs the id of the member, but the operation has none"))
        }),
    })
}
