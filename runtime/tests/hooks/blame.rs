//! Invalid values that a hook sets. If no client can set the field, the response is a 500.

use http::StatusCode;
use nouns_runtime::{Api, Error, error::Kind};

use super::{
    bed::{Bed, NewNote, Note},
    pen::{NewPen, Pen},
};
use crate::{
    store::bed::wait,
    typed::zoo::{Animal, NewZoo, Zoo},
};

#[test]
fn a_wrong_value_that_no_client_could_set_is_a_failure_of_ours() {
    let api = Api::new("Zoos").resource::<Zoo>().resource::<Animal>().resource::<Pen>();
    let bed = Bed::new(api.hooks::<Pen>(|hooks| {
        hooks.before_create(
            |_, new| async move { Ok(NewPen { code: Some("too long".into()), ..new }) },
        )
    }));
    wait(async {
        let zoo = bed.store.of::<Zoo>().create(NewZoo::new("a".into())).await.unwrap();
        let post = bed.ask("POST /zoos/1/pens", "{}").await;
        assert_eq!((post.status, post.json.get("errors")), (500, None));
        let new = NewPen { plan: None, code: None };
        let error = bed.store.of::<Pen>().within(zoo.id).create(new).await.unwrap_err();
        let cause = error.source().unwrap().to_string();
        assert_eq!(
            cause,
            "a hook returned an invalid `pen`: `code` must have at most 3 characters."
        );
    });
}

#[test]
fn a_hook_clears_what_a_replacement_would_keep() {
    let bed = Bed::new(Api::new("Notes").resource::<Note>().hooks::<Note>(|hooks| {
        hooks.before_replace(|_, _, new| async move { Ok(NewNote { secret: None, ..new }) })
    }));
    wait(async {
        let id = || nouns_runtime::Id::new("n".to_owned());
        let secret = Some("s".to_owned());
        let new = NewNote { id: id(), text: "t".into(), secret, author: "a".into(), stars: None };
        let notes = bed.store.of::<Note>();
        assert_eq!(notes.create(new).await.unwrap().secret.as_deref(), Some("s"));
        assert_eq!(bed.ask("PUT /notes/n", r#"{ "text": "u" }"#).await.status, 200);
        assert_eq!(notes.get(id()).await.unwrap().secret, None);
    });
}

#[test]
fn a_problem_whose_status_is_no_error_is_a_failure_of_ours() {
    let bed = Bed::new(Api::new("Zoos").resource::<Zoo>().hooks::<Zoo>(|hooks| {
        hooks.before_create(|_, new: NewZoo| async move {
            let status = StatusCode::from_u16(new.name.parse().unwrap()).unwrap();
            Err(Error::new(Kind { slug: "odd", status, title: "", meaning: "" }, "Odd."))
        })
    }));
    wait(async {
        for (given, answered) in
            [(200, 500), (204, 500), (100, 500), (304, 500), (600, 500), (418, 418)]
        {
            let body = format!(r#"{{ "name": "{given}" }}"#);
            assert_eq!(bed.ask("POST /zoos", &body).await.status, answered, "{given}");
        }
        let error = bed.store.of::<Zoo>().create(NewZoo::new("204".into())).await.unwrap_err();
        let cause = "the problem `odd` has the status 204; it must be one from 400 to 599";
        assert_eq!(error.source().unwrap().to_string(), cause);
    });
}
