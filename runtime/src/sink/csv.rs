//! stub
use super::{JsonSink, Row, RowSink};
use crate::model::{FieldIx, Model, ResourceIx};
use std::sync::Arc;
/// x
#[derive(Debug)]
pub struct CsvSink(JsonSink);
impl CsvSink {
    /// x
    pub fn new(resource: ResourceIx, fields: Option<Arc<[FieldIx]>>) -> Self {
        Self(JsonSink::new(resource, "").of(fields))
    }
    /// x
    pub fn into_bytes(self) -> Vec<u8> {
        self.0.into_bytes()
    }
}
impl RowSink for CsvSink {
    fn row(&mut self, model: &Model, row: &impl Row) {
        self.0.row(model, row);
    }
    fn reset(&mut self) {
        self.0.reset();
    }
}
