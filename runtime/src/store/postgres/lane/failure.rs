//! The failures of statements on lanes.

use crate::{
    base::error::Error,
    store::{
        failure::Failure,
        postgres::fault::{self, Remedy},
    },
};

/// The reason why a statement has no result.
#[derive(Debug)]
pub(in crate::store::postgres) enum LaneFailure {
    /// The server has refused it, so it has changed nothing.
    Refused(tokio_postgres::Error),
    /// It took too long, so the server has ended it. It has changed nothing.
    TooSlow,
    /// Its rows are too large.
    TooLarge,
    /// The connection is lost. What the statement has done is not known.
    Lost,
    /// It cannot succeed on any connection.
    Failed(Error),
}

impl LaneFailure {
    /// What can be done after the failure of a read.
    pub(in crate::store::postgres) fn remedy(&self) -> Remedy {
        match self {
            Self::Refused(error) => fault::remedy(error),
            Self::TooSlow => Remedy::MoreTime,
            Self::Lost => Remedy::Connect,
            Self::TooLarge | Self::Failed(_) => Remedy::None,
        }
    }
}

impl From<Failure> for LaneFailure {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure.into())
    }
}

impl From<LaneFailure> for Error {
    fn from(failure: LaneFailure) -> Self {
        match failure {
            LaneFailure::Refused(error) => fault::error(&error),
            LaneFailure::TooSlow => fault::overloaded("a read took too long"),
            LaneFailure::TooLarge => Self::internal("the rows of a read are too large"),
            LaneFailure::Lost => fault::away("the connection was lost"),
            LaneFailure::Failed(error) => error,
        }
    }
}
