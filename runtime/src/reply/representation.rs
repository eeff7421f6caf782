//! The responses that contain members: the sink that renders the content, and the header fields.

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use super::{
    References, Reply,
    browse::{FORM_REFERRER, page_policy},
    refusal, vary,
};
use crate::{
    base::{error::Error, hash::StableHasher, limits},
    http::{
        body::{Body, Stream},
        coding::encode,
        http_date::Second,
        negotiate::{Coding, Format},
        prefer::ReturnPreference,
        stored_document::StoredDocument,
    },
    model::{
        Layout, Model, ResourceIx,
        fields::{Headers, VARY},
    },
    plan::validator::{CurrentState, NO_TAG, Verdict},
    request::{
        action::{Action, ActionKind, ResponsePreferences},
        route::has_sessions,
    },
    store::sink::{CellSink, CsvSink, JsonSink, MEMBERS_OPENING, NdjsonSink, Sink},
};

/// The `Preference-Applied` field (RFC 7240 §3).
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// The fields that depend on the current state. They are removed from responses that have no
/// validator.
static VALIDATING: [HeaderName; 3] = [header::ETAG, header::LAST_MODIFIED, header::ACCEPT_RANGES];

/// The value of `Vary` in the response to a write.
const VARY_OF_WRITES: HeaderValue = HeaderValue::from_static("accept, accept-encoding, prefer");

/// The value of `Vary` in a response whose format the URL chooses.
const VARY_OF_CHOSEN: HeaderValue = HeaderValue::from_static("accept-encoding");

/// The value of `Vary` in such a response, if access rules decide what a client gets.
const VARY_OF_CHOSEN_AND_RULED: HeaderValue =
    HeaderValue::from_static("accept-encoding, cookie, authorization");

impl Reply {
    /// Creates the sink that renders the rows for an action.
    #[must_use]
    pub fn sink(model: &Model, action: &Action) -> Sink {
        let (chain, many) = match &action.kind {
            _ if action.preferences.is_bare() => return Sink::Nothing,
            ActionKind::List { chain, .. } | ActionKind::Create { chain, many: true, .. } => {
                (chain, true)
            }
            ActionKind::Get { chain, .. }
            | ActionKind::Create { chain, .. }
            | ActionKind::Write { chain, .. }
            | ActionKind::Amend { chain, .. } => (chain, false),
            // A form has no rows, but it has the choices of its references.
            ActionKind::NewForm { chain } => {
                let above = model[chain.resource].parent.map_or(chain.resource, |(above, _)| above);
                return Sink::Cells(Box::new(CellSink::new(Layout::empty(above))));
            }
            ActionKind::Home if action.preferences.format == Format::Html => {
                return Sink::Cells(Box::new(CellSink::new(Layout::empty(ResourceIx(0)))));
            }
            _ => return Sink::Nothing,
        };
        let ResponsePreferences { fields, related, .. } = &action.preferences;
        let mut layout = Layout::of(model, chain.resource, fields.as_deref());
        if let Some(related) = related {
            layout = layout.with_related(model, &related.selections, &related.values);
        }
        match action.preferences.format {
            Format::Ndjson => Sink::Ndjson(NdjsonSink::new(layout)),
            Format::Csv => Sink::Csv(CsvSink::new(model, layout)),
            Format::Html => Sink::Cells(Box::new(CellSink::new(layout))),
            _ => Sink::Json(
                JsonSink::new(layout, if many { MEMBERS_OPENING } else { "" })
                    .with_references(References::are_pushed(model, action)),
            ),
        }
    }

    /// Builds a response that contains members. Adds the validators of the current state, if it is
    /// known.
    pub(super) fn of_members(
        model: &Model,
        action: &Action,
        content: Vec<u8>,
        current: Option<CurrentState>,
    ) -> Self {
        let coding = match content.len() {
            0 => Coding::Identity,
            bytes => action.coding(bytes < limits::CODED_BYTES_MIN),
        };
        // What is late is sent as it is.
        let (mut content, coding) = match coding {
            Coding::Identity => (content, coding),
            _ => match encode(coding, &content) {
                Some(coded) => (coded, coding),
                None => (content, Coding::Identity),
            },
        };
        // A slow client may take long to read a large content. In the meantime the content must not
        // hold more memory than its length.
        if content.capacity() > limits::LARGE_BODY_BYTES {
            content.shrink_to_fit();
        }
        Self::represented(model, action, coding, content.into())
            .of_state(model, action, current, coding)
    }

    /// Builds a response whose members are rendered while they are sent. The stream itself
    /// compresses the content.
    pub(super) fn streamed(
        model: &Model,
        action: &Action,
        content: Stream,
        current: CurrentState,
    ) -> Self {
        let coding = action.coding(false);
        Self::represented(model, action, coding, Body::Stream(content)).of_state(
            model,
            action,
            Some(current),
            coding,
        )
    }

    fn represented(model: &Model, action: &Action, coding: Coding, content: Body) -> Self {
        let mut reply = Self::begin(model, action, StatusCode::OK, |headers| &headers.with_content);
        if !reply.has_headers || action.preferences.format != Format::Json {
            let format = HeaderValue::from_static(action.preferences.format.media_type());
            reply.headers.insert(header::CONTENT_TYPE, format);
        }
        if action.preferences.format == Format::Html {
            reply.headers.insert(header::CONTENT_SECURITY_POLICY, page_policy(model));
            reply.headers.insert(header::REFERRER_POLICY, FORM_REFERRER);
        }
        if coding != Coding::Identity {
            reply.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding.word()));
        }
        reply.body = content;
        reply
    }

    /// Creates the response to an action. The response to a read starts with the header fields that
    /// all such responses of the resource share.
    fn begin(
        model: &Model,
        action: &Action,
        status: StatusCode,
        shared: impl FnOnce(&Headers) -> &HeaderMap,
    ) -> Self {
        match &action.kind {
            ActionKind::List { chain, .. } | ActionKind::Get { chain, .. } => {
                let resource = &model[chain.resource];
                let mut reply = Self::with_header(status, shared(&resource.headers).clone());
                reply.has_headers = true;
                if action.preferences.is_format_chosen {
                    let is_ruled = resource.caching.is_ruled;
                    let vary = if is_ruled { VARY_OF_CHOSEN_AND_RULED } else { VARY_OF_CHOSEN };
                    reply.headers.insert(header::VARY, vary);
                }
                // The links and the labels of a page are those that its reader may read.
                let is_for_reader = || has_sessions(model) || model.has_rules();
                reply.names_reader = action.preferences.format == Format::Html && is_for_reader();
                reply
            }
            _ => Self::new(status).varying(action),
        }
    }

    /// Adds the validators of a state. Without a state, removes the fields that depend on one.
    fn of_state(
        mut self,
        model: &Model,
        action: &Action,
        state: Option<CurrentState>,
        coding: Coding,
    ) -> Self {
        let has_tag = |current: &CurrentState| current.tag != NO_TAG && !action.is_momentary(model);
        match state.filter(has_tag) {
            Some(current) => {
                let form = action.form(model).of_passed(current.passed);
                self.headers.insert(header::ETAG, form.tag(current.tag, coding));
                // If the clock was set back, the time of the last change may be in the future.
                // `Last-Modified` must not be in the future (RFC 9110 §8.8.2.1).
                // A page changes with the program, too, whose time is not known.
                let modified =
                    current.modified.filter(|_| action.preferences.format != Format::Html);
                match modified.map(|modified| modified.min(Second::now())) {
                    Some(modified) => {
                        drop(self.headers.insert(header::LAST_MODIFIED, modified.into()));
                    }
                    None => drop(self.headers.remove(header::LAST_MODIFIED)),
                }
            }
            None => VALIDATING.iter().for_each(|name| drop(self.headers.remove(name))),
        }
        self
    }

    /// Adds an `ETag` that is a hash of the content, and tests the preconditions of the request.
    /// Compresses the content if the client accepts that.
    ///
    /// # Errors
    /// 412 if `If-Match` does not list the current tag.
    pub(super) fn validated(self, model: &Model, action: &Action) -> Result<Self, Error> {
        let Body::Full(content) = &self.body else { return Ok(self) };
        let tag = StableHasher::new().bytes(content).finish();
        self.of_document(model, action, tag, |reply| reply.compressed(action))
    }

    /// Builds the response with a stored JSON document. It is hashed and compressed once, and not
    /// for each request.
    ///
    /// # Errors
    /// 412 if `If-Match` does not list the current tag.
    pub(super) fn stored(
        model: &Model,
        action: &Action,
        document: &StoredDocument,
        make: impl FnOnce() -> String,
    ) -> Result<Self, Error> {
        let (plain, tag) = document.plain(make);
        let reply = Self::json(StatusCode::OK, vec![]);
        reply.of_document(model, action, *tag, |mut reply| {
            let coding = action.coding(plain.len() < limits::CODED_BYTES_MIN);
            reply.body = document.coded(coding, plain).into();
            (reply.in_coding(coding), coding)
        })
    }

    /// Adds content that already has a coding, and tests the preconditions of the request. The
    /// content is made only if it is sent.
    ///
    /// # Errors
    /// 412 if `If-Match` does not list the current tag.
    pub(super) fn coded(
        self,
        model: &Model,
        action: &Action,
        tag: u64,
        coding: Coding,
        content: impl FnOnce() -> bytes::Bytes,
    ) -> Result<Self, Error> {
        self.of_document(model, action, tag, |mut reply| {
            reply.body = content().into();
            (reply.in_coding(coding), coding)
        })
    }

    /// Tests the preconditions of a request for a document with this tag.
    fn of_document(
        self,
        model: &Model,
        action: &Action,
        tag: u64,
        compress: impl FnOnce(Self) -> (Self, Coding),
    ) -> Result<Self, Error> {
        let current = CurrentState { tag, passed: 0, modified: None, is_ordered: true };
        match action.preconditions.test(Some(current)) {
            Verdict::Met => {
                let (reply, coding) = compress(self);
                Ok(reply.of_state(model, action, Some(current), coding))
            }
            Verdict::Unchanged(coding) => {
                let mut reply = self.of_state(model, action, Some(current), coding);
                reply.say_unchanged();
                Ok(reply.varying_by_coding())
            }
            Verdict::Changed => Err(refusal::failed()),
        }
    }

    /// Compresses the content as the client prefers, and returns the content coding. Small content
    /// is not compressed.
    pub(super) fn compressed(mut self, action: &Action) -> (Self, Coding) {
        let mut coding = Coding::Identity;
        if let Body::Full(content) = &self.body {
            let wanted = action.coding(content.len() < limits::CODED_BYTES_MIN);
            // What is late is sent as it is.
            if wanted != Coding::Identity
                && let Some(coded) = encode(wanted, content)
            {
                (self.body, coding) = (coded.into(), wanted);
            }
        }
        (self.in_coding(coding), coding)
    }

    /// Adds the field for the coding of the content.
    fn in_coding(mut self, coding: Coding) -> Self {
        if coding != Coding::Identity {
            self.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding.word()));
        }
        self.varying_by_coding()
    }

    /// Adds `Accept` to `Vary`, unless the URL chooses the format.
    pub(super) fn varying_by_format(mut self, action: &Action) -> Self {
        if !action.preferences.is_format_chosen {
            vary(&mut self.headers, "accept");
        }
        self
    }

    fn varying_by_coding(mut self) -> Self {
        vary(&mut self.headers, "accept-encoding");
        self
    }

    /// Builds the 304 response for a client that already has the current representation.
    pub(super) fn unchanged(
        model: &Model,
        action: &Action,
        (tag, passed): (u64, u64),
        coding: Coding,
    ) -> Self {
        let mut reply =
            Self::begin(model, action, StatusCode::NOT_MODIFIED, |headers| &headers.unchanged);
        match tag {
            NO_TAG => drop(reply.headers.remove(header::ETAG)),
            _ => {
                let form = action.form(model).of_passed(passed);
                reply.headers.insert(header::ETAG, form.tag(tag, coding));
            }
        }
        reply
    }

    /// Tests the preconditions that depend on the finished response. Its entity tag contains the
    /// content coding, which was not known before. A read may become a 304.
    ///
    /// # Errors
    /// 412 if `If-Match` does not list the tag of this representation.
    pub(super) fn admit(
        &mut self,
        model: &Model,
        action: &Action,
        modified: Option<Second>,
    ) -> Result<(), Error> {
        if !action.deferred.admits(|| action.form(model), self.headers.get(header::ETAG)) {
            return Err(refusal::failed());
        }
        if self.status == StatusCode::OK && !action.deferred.is_new(modified) {
            self.say_unchanged();
        }
        Ok(())
    }

    /// Changes the response to a 304, for example for `If-None-Match: *` (RFC 9110 §15.4.5).
    fn say_unchanged(&mut self) {
        self.status = StatusCode::NOT_MODIFIED;
        self.body = Body::Empty;
        let of_content = [
            header::CONTENT_TYPE,
            header::CONTENT_ENCODING,
            header::CONTENT_LANGUAGE,
            header::CONTENT_SECURITY_POLICY,
            header::LAST_MODIFIED,
            header::LINK,
            header::ACCEPT_RANGES,
        ];
        of_content.iter().for_each(|name| drop(self.headers.remove(name)));
    }

    /// Applies the preference `return` of the client: keeps the written representation, or removes
    /// it (RFC 7240 §4.2).
    pub(super) fn preferred(mut self, content: Option<ReturnPreference>) -> Self {
        let Some(content) = content else { return self };
        if content != ReturnPreference::Representation {
            self.status = StatusCode::NO_CONTENT;
            self.headers.remove(header::CONTENT_TYPE);
        }
        let applied = match content {
            ReturnPreference::Representation => "return=representation",
            ReturnPreference::Minimal => "return=minimal",
            ReturnPreference::Withheld => return self,
        };
        self.headers.insert(PREFERENCE_APPLIED, HeaderValue::from_static(applied));
        self
    }

    /// Sets `Vary` to the request fields on which the response to an action depends.
    pub(super) fn varying(mut self, action: &Action) -> Self {
        let reads = matches!(action.kind, ActionKind::List { .. } | ActionKind::Get { .. });
        self.headers.insert(header::VARY, if reads { VARY } else { VARY_OF_WRITES });
        self
    }
}
