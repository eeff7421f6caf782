//! [`Answer::member`]: a response of a custom handler that contains a member.

use http::{HeaderValue, StatusCode, header};

use crate::{
    base::error::Error,
    code::{hook::row_of, resource::Resource, typed::Member},
    http::{
        answer::Answer,
        negotiate::{Coding, Format},
    },
    plan::validator::Form,
    store::{
        context::Context,
        sink::{JsonSink, Sink},
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
        let found = model.resources().iter().find(|resource| resource.def == R::DEF);
        let resource = found
            .ok_or_else(|| Error::internal(format!("the model has no resource `{}`", R::NAME)))?;
        let row = row_of(resource, member);
        let mut sink = Sink::Json(JsonSink::new(resource.ix, ""));
        sink.member(model, resource.ix, &row);
        let Sink::Json(json) = sink else { return Ok(Self::no_content()) };
        let answer = Self { body: json.into_bytes().into(), ..Self::status(StatusCode::OK) }
            .with(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if resource.shows_json() {
            return Ok(answer);
        }
        let tag = Form::member(model, Format::Json, None).tag(row.0, Coding::Identity);
        Ok(answer.with(header::ETAG, tag))
    }
}
