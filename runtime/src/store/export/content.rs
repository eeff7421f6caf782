//! The content of an export, rendered and compressed in chunks. Reading the same snapshot twice
//! produces the same chunks.

use std::sync::Arc;

use crate::{
    http::{coding::Encoder, negotiate::Coding},
    model::Model,
    plan::Plan,
    store::{
        ExportRendering,
        failure::Failure,
        row::MemberRow as _,
        session::Statements,
        sink::{RowSink, Sink},
    },
};

/// The size of a chunk in bytes. It is large enough that the cost per chunk is negligible.
const CHUNK_BYTES: usize = 64 * 1024;

/// The data from which the content of an export is rendered.
pub(in crate::store) struct ExportContent {
    pub(in crate::store) model: Arc<Model>,
    pub(in crate::store) plan: Plan,
    /// An empty sink. Each reading of the rows renders into a copy of it.
    pub(in crate::store) sink: Sink,
    pub(in crate::store) rendering: ExportRendering,
}

impl ExportContent {
    /// Renders the content, and passes each chunk to `take` until `take` returns false.
    pub(super) fn make(
        &self,
        statements: &mut impl Statements,
        mut take: impl FnMut(Vec<u8>) -> bool,
    ) -> Result<(), Failure> {
        let Self { model, plan, rendering: ExportRendering { coding, .. }, .. } = self;
        let Some(step) = plan.steps.first() else { return Ok(()) };
        let mut sink = self.sink.clone();
        let mut encoder = (*coding != Coding::Identity).then(|| Encoder::new(*coding));
        let mut wants_more = true;
        statements.query(model, &step.shape, &plan.caller, step.into(), |row| {
            // A row whose lists cannot be read ends the read, and is not sent. So a chunk is taken
            // before the next row.
            if let Some(chunk) = sink.take(CHUNK_BYTES) {
                wants_more = take(coded(&mut encoder, chunk));
            }
            if wants_more && row.revision().is_some() {
                sink.row(model, row);
            }
            wants_more
        })?;
        if wants_more {
            take(last(encoder, sink.take(0).unwrap_or_default()));
        }
        Ok(())
    }
}

fn coded(encoder: &mut Option<Encoder>, chunk: Vec<u8>) -> Vec<u8> {
    let Some(encoder) = encoder else { return chunk };
    let mut coded = Vec::with_capacity(chunk.len() / 2);
    encoder.write(&chunk, &mut coded);
    coded
}

fn last(mut encoder: Option<Encoder>, chunk: Vec<u8>) -> Vec<u8> {
    let mut coded = coded(&mut encoder, chunk);
    if let Some(encoder) = encoder {
        encoder.finish(&mut coded);
    }
    coded
}
