//! Tests of the whole SQLite engine.

use http_body_util::BodyExt as _;

use super::slow::tests::{all, notes, wait};
use crate::{
    base::limits,
    http::{
        body::Body,
        negotiate::{Coding, Format},
    },
    model::{Layout, ResourceIx},
    plan::Outcome,
    store::{
        ExportRendering,
        sink::{NdjsonSink, Sink},
    },
};

#[test]
fn a_panic_cuts_off_its_export_alone() {
    let (_folder, model, store) = notes(10);
    let export = |ix| {
        let rendering = ExportRendering {
            format: Format::Ndjson,
            coding: Coding::Identity,
            bare: false,
            portion: None,
        };
        wait(async {
            let sink = Sink::Ndjson(NdjsonSink::new(Layout::of(&model, ResourceIx(ix), None)));
            let result = store.export(&model, all(&model), sink, rendering).await.unwrap();
            let Outcome::Exported { content, .. } = result.outcome else {
                panic!("{:?}", result.outcome)
            };
            Body::Stream(content).collect().await.map(http_body_util::Collected::to_bytes)
        })
    };
    for _ in 0..=limits::EXPORTS_MAX {
        assert!(
            export(9).is_err(),
            "a sink of a resource that does not exist panics at the first row"
        );
    }
    assert!(export(0).unwrap().starts_with(b"{"), "each failed export has released its permit");
}
