//! Who may read the metrics of a service, and ask for its times.

use http::request::Parts;

use super::text::TextFormat;
use crate::{
    base::error::{Error, text},
    http::{client::OverLoopback, prefer},
    reply::Reply,
    request::{
        action::Action,
        route::{Scope, Target, missing},
    },
    service::{Destination, Service},
};

/// The part of the interface that a service exposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exposure {
    /// Everything. The metrics are served as declared.
    Public,
    /// Everything but the metrics, which the admin listener serves.
    WithoutMetrics,
    /// Health, readiness and metrics alone.
    Admin,
}

impl Exposure {
    /// Checks that a destination is exposed.
    ///
    /// # Errors
    /// 404 if it is not.
    #[inline]
    pub(in crate::service) fn check(self, destination: &Destination) -> Result<(), Error> {
        match (self, destination) {
            (Self::WithoutMetrics, Destination::To(Target::Metrics)) => Err(not_here()),
            (Self::Admin, Destination::To(target)) if target.scope() == Scope::Health => Ok(()),
            (Self::Admin, _) => {
                Err(missing(text!("Under `/-/` there are health, ready and metrics, and no more.")))
            }
            _ => Ok(()),
        }
    }
}

impl Service {
    /// Whether this is the service of the admin listener.
    pub(crate) fn is_admin(&self) -> bool {
        self.0.exposure == Exposure::Admin
    }

    /// Answers a request for the metrics.
    ///
    /// # Errors
    /// 404 if they are not served to this client.
    pub(in crate::service) fn show_metrics(
        &self,
        action: &Action,
        head: &Parts,
    ) -> Result<Reply, Error> {
        let declared = self.0.model.api.server.metrics;
        if !self.is_admin() && !declared.unwrap_or_else(|| OverLoopback::is_local(head)) {
            return Err(not_here());
        }
        let format = TextFormat::of(&head.headers);
        let memory = self.0.memory.taken();
        let document = self.0.metrics.document(format, &self.0.store.metrics(), memory);
        Ok(Reply::metrics(action, format.media_type(), document))
    }

    /// Whether a request asks for its times, and may know them.
    #[inline]
    pub(in crate::service) fn may_time(&self, head: &Parts) -> bool {
        let declared = self.0.model.api.server.server_timing;
        // This mark takes less time than a look at the fields.
        declared.unwrap_or_else(|| OverLoopback::is_local(head))
            && prefer::has(&head.headers, "server-timing")
    }
}

#[cold]
fn not_here() -> Error {
    missing(text!("The metrics are not served here."))
}
