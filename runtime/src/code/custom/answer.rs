//! Responses of custom handlers that contain members: [`Answer::member`] and [`Answer::members`].

use std::sync::Arc;

use http::{HeaderValue, StatusCode, header};

use super::RouteRequest;
use crate::{
    base::error::Error,
    code::{
        hook::row_of,
        resource::Resource,
        typed::{Member, Page},
    },
    http::{
        answer::Answer,
        negotiate::{Coding, Format},
    },
    model::{Chain, FieldIx, Layout, Model, ResourceModel, SortKey},
    plan::{EarlyEnd, Ends, validator::Form},
    reply::{PageMetadata, close_page},
    request::action::CollectionQuery,
    store::{
        context::Context,
        sink::{JsonSink, MEMBERS_CLOSING, MEMBERS_OPENING},
    },
};

impl Answer {
    /// Creates the response that a GET of the member's own URL would have, including `ETag`. It has
    /// the fields that the caller of the context may read. There
    /// is no `ETag` if the resource has a visible field of type `json`. A Rust value preserves
    /// neither the spelling of JSON numbers nor the order of object members.
    ///
    /// # Errors
    /// 500 if the model of the context's store does not have the resource.
    pub fn member<R: Resource>(context: &Context, member: Member<R>) -> Result<Self, Error> {
        let model = context.store().model();
        let resource = resource::<R>(model)?;
        let row = row_of(resource, member);
        let readable = readable(context, resource);
        let mut json = JsonSink::new(Layout::of(model, resource.ix, readable.as_deref()), "");
        json.member(model, resource.ix, &row);
        let answer = Self::of_json(json.into_bytes());
        if resource.shows_json() {
            return Ok(answer);
        }
        let form = Form::member(model, Format::Json, readable.as_deref());
        let number = context.store().tag_of(row.revision);
        let tag = form.tag(number, Coding::Identity);
        Ok(answer.with(header::ETAG, tag))
    }

    /// Creates a response with several members: `{"items": [...]}`. Each member has the fields and
    /// names that a GET of its own URL returns. There is no `ETag`.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Answer, Error, Query, Resource, RouteRequest};
    ///
    /// /// The first ten members.
    /// async fn first_ten<R: Resource>(request: RouteRequest) -> Result<Answer, Error> {
    ///     let page = request.store().of::<R>().list(&Query::new().limit(10)).await?;
    ///     Answer::members(&request, page)
    /// }
    /// ```
    ///
    /// # Errors
    /// 500 if the model of the context's store does not have the resource.
    pub fn members<R: Resource>(
        context: &Context,
        members: impl IntoIterator<Item = Member<R>>,
    ) -> Result<Self, Error> {
        let model = context.store().model();
        let resource = resource::<R>(model)?;
        let layout = Layout::of(model, resource.ix, readable(context, resource).as_deref());
        let mut json = JsonSink::new(layout, MEMBERS_OPENING);
        for member in members {
            json.member(model, resource.ix, &row_of(resource, member));
        }
        let mut bytes = json.into_bytes();
        bytes.extend_from_slice(MEMBERS_CLOSING);
        Ok(Self::of_json(bytes))
    }

    /// Creates a response with a page of members, in the form of a GET of the collection: the
    /// members, the links to other pages, the limit and the total number. There is no `ETag`.
    ///
    /// The page comes from the query that [`RouteRequest::query_of`] has parsed. The handler may
    /// add conditions to that query, but no sort keys. The links have the path of the request.
    ///
    /// # Errors
    /// 500 if the model of the store does not have the resource. 400 if the query string of the
    /// request is not that of the collection.
    pub fn page<R: Resource>(request: &RouteRequest, page: Page<R>) -> Result<Self, Error> {
        let model = request.store().model();
        let resource = resource::<R>(model)?;
        let seen = model.seen(request.caller().rules(model));
        let chain = Chain { resource: resource.ix, ids: vec![] };
        let query = CollectionQuery::parse(seen, &chain, request.query())?;
        let layout = Layout::of(model, resource.ix, readable(request, resource).as_deref());
        let mut json = JsonSink::new(layout, MEMBERS_OPENING);
        let (has_more, total, count) = (page.has_more, page.total, page.len());
        let (mut first, mut last) = (None, None);
        for (at, member) in page.into_iter().enumerate() {
            let row = row_of(resource, member);
            json.member(model, resource.ix, &row);
            let position = || {
                let value = |key: &SortKey| row.values[usize::from(key.field.0)].clone();
                Some(query.sort.iter().map(value).collect())
            };
            if at == 0 {
                first = position();
            }
            if at + 1 == count {
                last = position();
            }
        }
        // The handler may have another limit than the query of the client.
        let members = u32::try_from(count).unwrap_or(u32::MAX);
        let early = (has_more && members != query.page.limit)
            .then_some(EarlyEnd { members, fits: members });
        let ends = Ends { first, last, early };
        let mut bytes = json.into_bytes();
        let below = request.path().and_then(|path| model.urls.below(path)).unwrap_or_default();
        let metadata = PageMetadata { ends, has_more, total, current: None };
        close_page(&mut bytes, resource, &model.urls.link(below), &query, &metadata);
        Ok(Self::of_json(bytes))
    }

    fn of_json(bytes: Vec<u8>) -> Self {
        Self { body: bytes.into(), ..Self::status(StatusCode::OK) }
            .with(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))
    }
}

/// Returns the resource that a Rust type declares.
fn resource<R: Resource>(model: &Model) -> Result<&ResourceModel, Error> {
    let found = model.resources().iter().find(|resource| resource.def == R::DEF);
    found.ok_or_else(|| Error::internal(format!("the model has no resource `{}`", R::NAME)))
}

/// The fields that the caller may read; `None` if it may read all fields that clients can read.
fn readable(context: &Context, resource: &ResourceModel) -> Option<Arc<[FieldIx]>> {
    let model = context.store().model();
    model.readable(context.caller().rules(model), resource.ix)
}
