//! JSON Patch on a resource with hooks or with a handler. It behaves like any other update.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use nouns_runtime::{Api, Error, Patch, error::Kind};

use super::bed::{Bed, Note, NotePatch};
use crate::store::bed::wait;

const FIELDS: [(&str, &str); 1] = [("content-type", "application/json-patch+json")];
const NOTE: &str = r#"{ "id": "a", "text": "one", "author": "kim" }"#;

fn notes() -> Api {
    Api::new("Notes").resource::<Note>()
}

/// Conformance 22: hooks get the changes of the patch and may change them, and the result is
/// validated.
#[test]
fn hooks_see_what_a_patch_changes() {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let (before, within) = (Arc::clone(&seen), Arc::clone(&seen));
    let bed = Bed::new(notes().hooks::<Note>(|hooks| {
        hooks
            .before_update(move |_, _, patch: NotePatch| {
                before.lock().unwrap().push(format!("{:?} {:?}", patch.text, patch.stars));
                let text = match patch.text {
                    Patch::Set(text) => Patch::Set(format!("{text}!")),
                    Patch::Keep => Patch::Keep,
                };
                async move { Ok(NotePatch { text, ..patch }) }
            })
            .within_update(move |_, change| {
                let after = change.after.as_ref().map(|note| note.text.clone());
                within.lock().unwrap().push(format!("{after:?}"));
                Ok(())
            })
    }));
    wait(async {
        assert_eq!(bed.ask("POST /notes", NOTE).await.status, 201);
        let replace = r#"[{ "op": "replace", "path": "/text", "value": "two" }]"#;
        let patched = bed.ask_with("PATCH /notes/a", replace, &FIELDS).await;
        assert_eq!((patched.status, &patched.json["text"]), (200, &"two!".into()));
        let nothing = r#"[{ "op": "test", "path": "/text", "value": "two!" }]"#;
        assert_eq!(bed.ask_with("PATCH /notes/a", nothing, &FIELDS).await.status, 200);
        let long = r#"[{ "op": "replace", "path": "/text", "value": "1234567890" }]"#;
        assert_eq!(bed.ask_with("PATCH /notes/a", long, &FIELDS).await.status, 422);
    });
    assert_eq!(
        *seen.lock().unwrap(),
        ["Set(\"two\") Keep", "Some(\"two!\")", "Set(\"1234567890\") Keep"]
    );
}

/// Conformance 22: if another write changes the member meanwhile, the patch is retried on the new
/// state.
#[test]
fn a_patch_that_was_overtaken_is_made_anew() {
    let runs = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&runs);
    let bed = Bed::new(notes().hooks::<Note>(|hooks| {
        hooks.before_update(move |context, id, patch: NotePatch| {
            let first = count.fetch_add(1, Ordering::SeqCst) == 0;
            async move {
                if first {
                    // This write runs the hook again, which does nothing the second time.
                    let other =
                        NotePatch { text: Patch::Set("other".into()), ..NotePatch::default() };
                    context.store().of::<Note>().update(id, other).await?;
                }
                Ok(patch)
            }
        })
    }));
    wait(async {
        bed.ask("POST /notes", NOTE).await;
        let copy = r#"[{ "op": "replace", "path": "/stars", "value": 5 }]"#;
        let patched = bed.ask_with("PATCH /notes/a", copy, &FIELDS).await;
        assert_eq!(
            (patched.status, &patched.json["stars"], &patched.json["text"]),
            (200, &5.into(), &"other".into())
        );
        assert_eq!(
            runs.load(Ordering::SeqCst),
            3,
            "the hook runs for the patch, for the other write, and for the retried patch"
        );

        runs.store(0, Ordering::SeqCst);
        let tag = patched.headers["etag"].to_str().unwrap().to_owned();
        let fields = [FIELDS[0], ("if-match", &*tag)];
        let stale = r#"[{ "op": "replace", "path": "/stars", "value": 6 }]"#;
        let refused = bed.ask_with("PATCH /notes/a", stale, &fields).await;
        assert_eq!(refused.status, 412, "a patch with the client's own If-Match is not retried");
        assert_eq!(bed.ask("GET /notes/a", "").await.json["stars"], 5);
    });
}

/// Conformance 22: if every attempt of a patch is overtaken by another write, the response is a
/// 503.
#[test]
fn a_patch_that_is_always_overtaken_is_unavailable() {
    let bed = Bed::new(notes().hooks::<Note>(|hooks| {
        hooks.before_update(move |context, id, patch: NotePatch| async move {
            if matches!(patch.stars, Patch::Set(_)) {
                let other = NotePatch { text: Patch::Set("other".into()), ..NotePatch::default() };
                context.store().of::<Note>().update(id, other).await?;
            }
            Ok(patch)
        })
    }));
    wait(async {
        bed.ask("POST /notes", NOTE).await;
        let patch = r#"[{ "op": "replace", "path": "/stars", "value": 5 }]"#;
        let refused = bed.ask_with("PATCH /notes/a", patch, &FIELDS).await;
        assert_eq!((refused.status, &refused.headers["retry-after"]), (503, &"1".parse().unwrap()));
        assert_eq!(bed.ask("GET /notes/a", "").await.json["stars"], 3);
    });
}

/// Conformance 22: a handler that replaces the update receives the result of the patch.
#[test]
fn a_handler_gets_what_the_patch_has_made() {
    let bed = Bed::new(notes().hooks::<Note>(|hooks| {
        hooks.instead_of_update(|context, id, patch: NotePatch| async move {
            if patch.stars == Patch::Set(Some(9)) {
                return Err(Error::new(Kind::STILL_REFERENCED, "Nine is too many."));
            }
            context.store().of::<Note>().update(id, patch).await
        })
    }));
    wait(async {
        bed.ask("POST /notes", NOTE).await;
        let patch = |stars: u8| {
            format!(
                r#"[{{ "op": "copy", "from": "/author", "path": "/text" }}, {{ "op": "add", "path": "/stars", "value": {stars} }}]"#
            )
        };
        assert_eq!(bed.ask_with("PATCH /notes/a", &patch(9), &FIELDS).await.status, 409);
        let patched = bed.ask_with("PATCH /notes/a", &patch(5), &FIELDS).await;
        assert_eq!(
            (patched.status, &patched.json["text"], &patched.json["stars"]),
            (200, &"kim".into(), &5.into())
        );
    });
}
