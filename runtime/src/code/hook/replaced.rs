//! The handlers that replace operations of a resource for HTTP requests.
//!
//! The response is built like the response of the generated operation. The handler decides only
//! which members are in it.

use super::{attached::read, row::row_of};
use crate::{
    base::error::Error,
    code::{
        resource::Resource,
        typed::{Member, Page, Query},
    },
    model::{
        self,
        def::{Operation, Operations},
        id::{Id, Key},
    },
    store::{
        behaviour::{FieldValues, Input, Output, ResourceHandlers, UserFuture},
        context::Context,
    },
};

/// A handler of an operation on a member, such as GET.
type MemberHandler<R, T, O> =
    Box<dyn Fn(Context, Id<R>, T) -> UserFuture<'static, O> + Send + Sync>;
/// A handler of an operation on a collection: GET or POST.
type CollectionHandler<T, O> = Box<dyn Fn(Context, T) -> UserFuture<'static, O> + Send + Sync>;

/// The handlers of a resource; `None` for an operation that is not replaced.
pub(super) struct Handlers<R: Resource> {
    pub(super) list: Option<CollectionHandler<Query<R>, Page<R>>>,
    pub(super) get: Option<MemberHandler<R, (), Member<R>>>,
    pub(super) create: Option<CollectionHandler<R::New, Member<R>>>,
    pub(super) replace: Option<MemberHandler<R, R::New, Member<R>>>,
    pub(super) update: Option<MemberHandler<R, R::Patch, Member<R>>>,
    pub(super) delete: Option<MemberHandler<R, (), ()>>,
}

impl<R: Resource> Default for Handlers<R> {
    fn default() -> Self {
        Self { list: None, get: None, create: None, replace: None, update: None, delete: None }
    }
}

/// Boxes a handler of a member, without the type of its future.
pub(super) fn handler<R: Resource, T, O, F, Fut>(handler: F) -> MemberHandler<R, T, O>
where
    F: Fn(Context, Id<R>, T) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, Error>> + Send + 'static,
{
    Box::new(move |context, id, input| Box::pin(handler(context, id, input)))
}

/// Boxes a handler of a collection, without the type of its future.
pub(super) fn whole<T, O, F, Fut>(handler: F) -> CollectionHandler<T, O>
where
    F: Fn(Context, T) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, Error>> + Send + 'static,
{
    Box::new(move |context, input| Box::pin(handler(context, input)))
}

impl<R: Resource> Handlers<R> {
    pub(super) fn operations(&self) -> Operations {
        let replaced = [
            (Operation::List, self.list.is_some()),
            (Operation::Get, self.get.is_some()),
            (Operation::Create, self.create.is_some()),
            (Operation::Replace, self.replace.is_some()),
            (Operation::Update, self.update.is_some()),
            (Operation::Delete, self.delete.is_some()),
        ];
        let replaced: Vec<_> =
            replaced.into_iter().filter(|(_, is)| *is).map(|(one, _)| one).collect();
        Operations::of(&replaced)
    }
}

impl<R: Resource> ResourceHandlers for Handlers<R> {
    fn handle<'a>(
        &'a self,
        operation: Operation,
        context: Context,
        resource: &'a model::ResourceModel,
        input: Input,
    ) -> UserFuture<'a, Output> {
        Box::pin(async move {
            let (id, values) = match (input, &self.list) {
                (Input::Query(query), Some(list)) => {
                    let page = list(context, Query::read(&query)).await?;
                    let rows =
                        page.members.into_iter().map(|member| row_of(resource, member)).collect();
                    return Ok(Output::Page(rows, page.has_more, page.total));
                }
                (Input::Member(id, values), _) => (id, values),
                (Input::Query(_), None) => return Err(wrong_input()),
            };
            if let (Operation::Create, Some(create)) = (operation, &self.create) {
                let member = create(context, read(resource, values)?).await?;
                return Ok(Output::Member(row_of(resource, member)));
            }
            let id = id.and_then(R::Key::load).map(Id::new).ok_or_else(wrong_input)?;
            self.member(operation, context, resource, id, values).await
        })
    }
}

impl<R: Resource> Handlers<R> {
    async fn member(
        &self,
        operation: Operation,
        context: Context,
        resource: &model::ResourceModel,
        id: Id<R>,
        values: FieldValues,
    ) -> Result<Output, Error> {
        let member = match operation {
            Operation::Get => self.get.as_ref().ok_or_else(wrong_input)?(context, id, ()).await?,
            Operation::Replace => {
                self.replace.as_ref().ok_or_else(wrong_input)?(context, id, read(resource, values)?)
                    .await?
            }
            Operation::Update => {
                self.update.as_ref().ok_or_else(wrong_input)?(context, id, read(resource, values)?)
                    .await?
            }
            _ => {
                self.delete.as_ref().ok_or_else(wrong_input)?(context, id, ()).await?;
                return Ok(Output::Gone);
            }
        };
        Ok(Output::Member(row_of(resource, member)))
    }
}

fn wrong_input() -> Error {
    Error::internal("the operation has no custom handler")
}
