//! Responses of custom handlers that contain members: [`Answer::member`] and [`Answer::members`].

use http::{HeaderValue, StatusCode, header};

use crate::{
    base::error::Error,
    code::{hook::row_of, resource::Resource, typed::Member},
    http::{
        answer::Answer,
        negotiate::{Coding, Format},
    },
    model::{Model, ResourceModel},
    plan::validator::Form,
    store::{
        context::Context,
        sink::{JsonSink, MEMBERS_CLOSING, MEMBERS_OPENING},
    },
};

impl Answer {
    /// Creates the response that a GET of the member's own URL would have, including `ETag`. There
    /// is no `ETag` if the resource has a visible field of type `json`. A Rust value preserves
    /// neither the spelling of JSON numbers nor the order of object members.
    ///
    /// # Errors
    /// 500 if the model of the context's store does not have the resource.
    pub fn member<R: Resource>(context: &Context, member: Member<R>) -> Result<Self, Error> {
        let model = context.store().model();
        let resource = resource::<R>(model)?;
        let row = row_of(resource, member);
        let mut json = JsonSink::new(resource.ix, "");
        json.member(model, resource.ix, &row);
        let answer = Self::of_json(json.into_bytes());
        if resource.shows_json() {
            return Ok(answer);
        }
        let tag = Form::member(model, Format::Json, None).tag(row.revision, Coding::Identity);
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
        let mut json = JsonSink::new(resource.ix, MEMBERS_OPENING);
        for member in members {
            json.member(model, resource.ix, &row_of(resource, member));
        }
        let mut bytes = json.into_bytes();
        bytes.extend_from_slice(MEMBERS_CLOSING);
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
