//! stub
use http::HeaderMap;
/// f
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// j
    Json,
    /// n
    Ndjson,
    /// c
    Csv,
    /// h
    Html,
}
impl Format {
    /// m
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Ndjson => "application/x-ndjson",
            Self::Csv => "text/csv; charset=utf-8; header=present",
            Self::Html => "text/html; charset=utf-8",
        }
    }
    /// w
    pub const fn word(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Csv => "csv",
            Self::Html => "html",
        }
    }
}
/// c
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coding {
    /// i
    Identity,
    /// g
    Gzip,
    /// b
    Br,
    /// z
    Zstd,
}
impl Coding {
    /// all
    pub const ALL: [Self; 4] = [Self::Identity, Self::Gzip, Self::Br, Self::Zstd];
    /// w
    pub const fn word(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Gzip => "gzip",
            Self::Br => "br",
            Self::Zstd => "zstd",
        }
    }
}
/// c
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codings;
impl Codings {
    /// i
    pub const IDENTITY: Self = Self;
    pub(crate) fn of(_: &HeaderMap) -> Self {
        Self
    }
    pub(crate) fn accepts(self, coding: Coding) -> bool {
        coding == Coding::Identity
    }
    pub(crate) fn best(self, _small: bool) -> Option<Coding> {
        Some(Coding::Identity)
    }
}
pub(crate) fn format(_: &HeaderMap, offered: &[Format]) -> Option<Format> {
    offered.first().copied()
}
