//! The replies to no request, which end their connection. The server sends them where it reads no
//! request.

use http::{HeaderValue, Request, Uri, header};

use super::{RETRY_SECONDS, Service};
use crate::{
    base::error::{Error, Kind, text},
    model::def::Timeout,
    reply::{Reply, add_headers},
};

impl Service {
    /// Returns the reply to a connection that is too many.
    pub(crate) fn crowded(&self) -> Reply {
        let detail = text!("Too many connections are open.");
        self.without_request(Error::unavailable(detail, RETRY_SECONDS))
    }

    /// Returns the reply to a request whose head did not arrive in time.
    pub(crate) fn late_head(&self) -> Reply {
        let detail = text!(
            "The head of the request did not arrive in {seconds} seconds.",
            seconds = self.0.model.limits().timeout(Timeout::Head).as_secs_f64().to_string()
        );
        self.without_request(Error::new(Kind::REQUEST_TIMEOUT, detail))
    }

    /// Returns the reply in place of a large one, to a client that has not read those before.
    pub(crate) fn too_much_unread(&self) -> Reply {
        let detail = text!(
            "This client has too many exports, or large responses, that it has not read yet."
        );
        self.without_head(&Error::unavailable(detail, RETRY_SECONDS))
    }

    /// Returns the reply in place of one of unknown length, to a client of HTTP/1.0 on a connection
    /// that cannot be reset. Such a client would take a content that is cut off for complete.
    pub(crate) fn of_unknown_length(&self) -> Reply {
        let detail =
            text!("The length of the response is unknown, so it needs HTTP/1.1 on a Unix socket.");
        self.without_request(Error::new(Kind::VERSION_NOT_SUPPORTED, detail))
    }

    /// Returns the reply to a request that was sent without TLS to a port with TLS.
    #[cfg(feature = "tls")]
    pub(crate) fn unencrypted(&self) -> Reply {
        let detail = text!("This port uses TLS. Use a URL that begins with `https://`.");
        self.without_request(Error::new(Kind::MALFORMED_REQUEST, detail))
    }

    /// Returns a reply to no request, which ends its connection.
    fn without_request(&self, error: Error) -> Reply {
        self.without_head(&error.with_header(header::CONNECTION, HeaderValue::from_static("close")))
    }

    /// Returns a reply to a request whose head is not known.
    fn without_head(&self, error: &Error) -> Reply {
        let (mut head, ()) = Request::new(()).into_parts();
        head.uri = Uri::from_static("*");
        let mut reply = Reply::problem(&self.0.model, error, &head);
        add_headers(&self.0.model, &head, &mut reply);
        reply
    }
}
