//! [`ActionReader`]: the parser of requests for collections and members.

use std::sync::Arc;

use bytes::Bytes;
use http::{Method, header, request::Parts};

use super::{
    ActionKind, CollectionQuery, JsonPatch, ResponsePreferences, assign, content, fields,
    filter_form,
    form_body::{self, FormPurpose},
    is_json_patch, query, refuse_any,
};
use crate::{
    base::error::Error,
    http::{arriving::RequestBody, idempotency_key},
    model::{Chain, Model, ResourceModel, SeenModel, value::Value},
    plan::{Caller, idempotency::IdempotentRequest},
    request::{cross_site, form, identify::insufficient_scope},
};

/// The parser of a request for a collection or a member.
pub(super) struct ActionReader<'request> {
    pub(super) model: &'request Model,
    pub(super) caller: &'request Caller,
    pub(super) head: &'request Parts,
    /// The preferences of the client, to which the parser adds those of the query string.
    pub(super) wanted: &'request mut ResponsePreferences,
}

impl<'request> ActionReader<'request> {
    /// The model as the caller sees it.
    fn seen(&self) -> SeenModel<'request> {
        self.model.seen(self.caller.rules(self.model))
    }

    /// Reads the body of a write in JSON. The inputs of a form are converted.
    async fn json(
        &self,
        resource: &ResourceModel,
        body: RequestBody<'_>,
        purpose: FormPurpose,
    ) -> Result<Bytes, Error> {
        let is_form = form::is_form(self.head);
        if is_form {
            cross_site::check_form(self.model, self.head)?;
        } else if !self.head.headers.contains_key(header::CONTENT_TYPE) {
            cross_site::check_untyped(self.model, self.head)?;
        }
        let content = content::read(self.head, body, self.model.limits()).await?;
        if !is_form {
            return Ok(content);
        }
        form_body::json(resource, &content, purpose)
    }

    pub(super) async fn collection(
        self,
        chain: Chain,
        body: RequestBody<'_>,
    ) -> Result<ActionKind, Error> {
        let (seen, query) = (self.seen(), self.head.uri.query());
        let resource = seen.resource(chain.resource);
        if self.head.method == Method::POST {
            refuse_any(query)?;
            let key = idempotency_key::parse(&self.head.headers)?;
            let bytes = self.json(resource, body, FormPurpose::Create).await?;
            let (members, many) = assign::create(resource, self.caller, &chain, &bytes)?;
            let once = key.map(|key| {
                Arc::new(IdempotentRequest::new(self.model, self.caller, &chain, key, &bytes))
            });
            return Ok(ActionKind::Create { chain, members, many, once });
        }
        if self.head.method == Method::DELETE {
            let (predicate, given) = query::deletion(seen, chain.resource, query)?;
            return Ok(ActionKind::DeleteMany { chain, predicate, given });
        }
        let shorter = filter_form::without_empty(resource, self.head, self.wanted.format);
        let mut query = if self.head.method == Method::QUERY {
            refuse_any(query)?;
            CollectionQuery::parse(
                seen,
                &chain,
                Some(&content::query(self.head, body, self.model.limits()).await?),
            )?
        } else {
            CollectionQuery::parse(seen, &chain, shorter.as_deref().or(query))?
        };
        self.wanted.fields = query.fields.take();
        self.wanted.choose(query.format);
        if let Some(shorter) = shorter {
            return Ok(filter_form::redirect(self.model, self.head, &shorter));
        }
        Ok(ActionKind::List { query, chain })
    }

    pub(super) async fn member(
        self,
        chain: Chain,
        id: Value,
        body: RequestBody<'_>,
    ) -> Result<ActionKind, Error> {
        let (seen, query) = (self.seen(), self.head.uri.query());
        let resource = seen.resource(chain.resource);
        if self.head.method.is_safe() {
            let (fields, format) = fields::of_member(seen, chain.resource, query)?;
            self.wanted.fields = fields;
            self.wanted.choose(format);
            return Ok(ActionKind::Get { chain, id });
        }
        refuse_any(query)?;
        let complete = match self.head.method {
            Method::DELETE => return Ok(ActionKind::Delete { chain, id }),
            Method::PUT => true,
            _ => false,
        };
        if complete {
            content::refuse_part(self.head)?;
        }
        let purpose = if complete { FormPurpose::Replace } else { FormPurpose::Update };
        let bytes = self.json(resource, body, purpose).await?;
        let is_form = form::is_form(self.head);
        if is_form && !complete && *bytes == *b"{}" {
            // Nothing has changed, so nothing is written.
            return Ok(ActionKind::Get { chain, id });
        }
        if !complete && is_json_patch(&self.head.headers) {
            let patch = JsonPatch::parse(&bytes)?;
            // Its operations tell what the member has.
            if !self.caller.may_read() {
                return Err(insufficient_scope(self.model, "read"));
            }
            return Ok(ActionKind::Amend { chain, id, patch });
        }
        let (mut change, create) = match complete {
            true => assign::replace(resource, self.caller, &chain, &id, &bytes)?,
            false => (assign::update(resource, self.caller, &chain, &id, &bytes)?, Err(vec![])),
        };
        if is_form && !complete && change.columns.is_empty() && change.echoes.is_empty() {
            // A browser may have filled in the present password.
            return Ok(ActionKind::Get { chain, id });
        }
        if is_form {
            // A form has the whole value of a field of type `json`.
            change.merged.clear();
        }
        Ok(ActionKind::Write { chain, id, change, create, complete })
    }
}
