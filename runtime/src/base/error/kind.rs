//! [`Kind`]: the kinds of problems.

use http::StatusCode;

use crate::base::language::Language;

/// A kind of problem (RFC 9457): the type, status, title and meaning that its problems share.
///
/// Each kind has a page at `/-/problems/{slug}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The last segment of the URI in the JSON member `type` of a problem.
    pub slug: &'static str,
    /// The HTTP status of the response.
    pub status: StatusCode,
    /// The text of the JSON member `title` of a problem.
    pub title: &'static str,
    /// The text of the kind's page: the meaning of the problem, and what the client should do.
    pub meaning: &'static str,
}

macro_rules! kinds {
    ($($name:ident = $status:ident $slug:literal $title:literal $meaning:literal;)*) => {
        impl Kind {
            $(#[doc = $meaning] pub const $name: Self = Self {
                slug: $slug, status: StatusCode::$status, title: $title, meaning: $meaning,
            };)*
            /// All built-in kinds. User code can declare more.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];
        }
    };
}

kinds! {
    MALFORMED_REQUEST = BAD_REQUEST "malformed-request" "Malformed request"
        "The request line or a header field violates the syntax of HTTP. The detail names the part.";
    INVALID_PARAMETER = BAD_REQUEST "invalid-parameter" "Invalid query parameter"
        "A query parameter is unknown, repeated, ill-typed or out of range. Each error names the parameter and what was expected.";
    MALFORMED_BODY = BAD_REQUEST "malformed-body" "Malformed body"
        "The body is not valid JSON. The detail names the position.";
    DIGEST_MISMATCH = BAD_REQUEST "digest-mismatch" "Digest mismatch"
        "The body does not match its Content-Digest or Repr-Digest: it was changed in transit. Send it again.";
    UNAUTHENTICATED = UNAUTHORIZED "unauthenticated" "Unauthenticated"
        "The request needs credentials, or those that it has are wrong. WWW-Authenticate names the schemes.";
    FORBIDDEN = FORBIDDEN "forbidden" "Forbidden"
        "An access rule does not let the caller do this. Other credentials may.";
    CROSS_SITE_REQUEST = FORBIDDEN "cross-site-request" "Cross-site request"
        "A page of another site has made the browser send its credentials. Nothing was done. Pages of declared origins may send such requests.";
    NOT_FOUND = NOT_FOUND "not-found" "Not found"
        "This URL does not exist. The detail names the segment of the path that does not exist.";
    METHOD_NOT_ALLOWED = METHOD_NOT_ALLOWED "method-not-allowed" "Method not allowed"
        "The resource does not allow this method. The Allow field lists the allowed ones.";
    NOT_ACCEPTABLE = NOT_ACCEPTABLE "not-acceptable" "Not acceptable"
        "The request accepts none of the available formats. The detail lists them; without Accept, the response is JSON.";
    REQUEST_TIMEOUT = REQUEST_TIMEOUT "request-timeout" "Request timeout"
        "The head or the body of the request did not arrive in time. Send it again, faster.";
    ALREADY_EXISTS = CONFLICT "already-exists" "Already exists"
        "Another member has the same value in a field, or in a set of fields, that is unique. Each error names a field.";
    REQUEST_IN_PROGRESS = CONFLICT "request-in-progress" "Request in progress"
        "A request with the same Idempotency-Key is still being answered. Send it again after the time in Retry-After.";
    DANGLING_REFERENCE = CONFLICT "dangling-reference" "Dangling reference"
        "A reference points at a member that does not exist. Each error names a field.";
    STILL_REFERENCED = CONFLICT "still-referenced" "Still referenced"
        "Other members refer to the one that was to be deleted. Delete or change them first.";
    DELETION_TOO_LARGE = CONFLICT "deletion-too-large" "Deletion too large"
        "The deletion would change more rows than one write may change, including rows that refer to deleted rows. Use a narrower filter, or first delete the members that refer to the deleted one.";
    RULE_VIOLATED = CONFLICT "rule-violated" "Rule violated"
        "A rule of the database refuses this write. The detail says which. Nothing was changed.";
    TEST_FAILED = CONFLICT "patch-test-failed" "Patch test failed"
        "A `test` operation of a JSON Patch found a different value. Nothing was changed; GET the member and build the patch again.";
    PRECONDITION_FAILED = PRECONDITION_FAILED "precondition-failed" "Precondition failed"
        "The member or the collection has changed since the ETag in If-Match, or the member exists although If-None-Match forbids that. GET it again.";
    PRECONDITION_REQUIRED = PRECONDITION_REQUIRED "precondition-required" "Precondition required"
        "A change of this resource needs If-Match, so that no client overwrites a change that it has not seen. GET the member or the collection, and send its ETag in If-Match.";
    CONTENT_TOO_LARGE = PAYLOAD_TOO_LARGE "content-too-large" "Content too large"
        "The body is larger than the server accepts. The detail says how much that is.";
    MISDIRECTED = MISDIRECTED_REQUEST "misdirected" "Misdirected request"
        "The server does not serve the host of this URL. If it should, its operator adds the host to `hosts`.";
    URI_TOO_LONG = URI_TOO_LONG "uri-too-long" "URI too long"
        "The target of the request is longer than the server accepts.";
    FIELDS_TOO_LARGE = REQUEST_HEADER_FIELDS_TOO_LARGE "fields-too-large" "Header fields too large"
        "The fields of the request are larger, or more, than the server accepts.";
    UNSUPPORTED_MEDIA_TYPE = UNSUPPORTED_MEDIA_TYPE "unsupported-media-type" "Unsupported media type"
        "The body has a media type that this method does not accept here. Accept-Post or Accept-Patch lists the accepted ones.";
    EXPECTATION_FAILED = EXPECTATION_FAILED "expectation-failed" "Expectation failed"
        "The server does not meet an expectation of the request. `100-continue` is the only one that it knows.";
    RANGE_NOT_SATISFIABLE = RANGE_NOT_SATISFIABLE "range-not-satisfiable" "Range not satisfiable"
        "The requested range has no byte of the representation. Content-Range has its length in bytes.";
    INVALID_CONTENT = UNPROCESSABLE_ENTITY "invalid-content" "Invalid content"
        "The body is JSON, but its values violate the schema. Each error has a JSON Pointer to its place.";
    IDEMPOTENCY_KEY_REUSED = UNPROCESSABLE_ENTITY "idempotency-key-reused" "Idempotency key reused"
        "The Idempotency-Key was already used for a request with another body. Use a new key.";
    TOO_MANY_ATTEMPTS = TOO_MANY_REQUESTS "too-many-attempts" "Too many attempts"
        "Too many wrong passwords came for this login or from this address. Try again after the time in Retry-After.";
    TOO_MANY_REQUESTS = TOO_MANY_REQUESTS "too-many-requests" "Too many requests"
        "The client or the account has sent more requests than it may. RateLimit-Policy has the limit. Try again after the time in Retry-After.";
    INTERNAL = INTERNAL_SERVER_ERROR "internal" "Internal error"
        "The server failed. The failure is in its log; nothing was changed.";
    NOT_IMPLEMENTED = NOT_IMPLEMENTED "not-implemented" "Not implemented"
        "The server does not implement this method.";
    VERSION_NOT_SUPPORTED = HTTP_VERSION_NOT_SUPPORTED "version-not-supported" "Version not supported"
        "The server does not implement the version of HTTP in the request line.";
    UNAVAILABLE = SERVICE_UNAVAILABLE "unavailable" "Unavailable"
        "The server cannot do this now. Try again after the time in Retry-After.";
}

impl Kind {
    /// Whether the kind is built in. The texts of a built-in kind exist in every language.
    pub(crate) fn is_ours(self) -> bool {
        Self::ALL.contains(&self)
    }

    /// The title in a language. A custom kind has its title in one language only.
    #[must_use]
    pub fn title_in(self, language: Language) -> &'static str {
        if self.is_ours() { language.says(self.title) } else { self.title }
    }

    /// The meaning in a language. A custom kind has its meaning in one language only.
    #[must_use]
    pub fn meaning_in(self, language: Language) -> &'static str {
        if self.is_ours() { language.says(self.meaning) } else { self.meaning }
    }
}
