//! Custom routes that are invalid, or that conflict with other routes. `Api::build` reports all
//! errors together.

use http::{Method, StatusCode};
use nouns_runtime::{Api, custom::Answer, error::Kind, hook::Hooks};

use crate::{
    hooks::bed::{Audit, Note},
    typed::zoo::{Animal, Zoo},
};

fn zoos() -> Api {
    Api::new("Zoos").resource::<Zoo>().resource::<Animal>()
}

fn problems(api: Api) -> String {
    api.build().map_or_else(|error| error.to_string(), |_| String::new())
}

/// The errors of an interface with a custom route for GET at this path.
fn get(path: &str) -> String {
    problems(zoos().route(Method::GET, path, |_| async { Ok(Answer::no_content()) }))
}

#[test]
fn generated_routes_are_not_hidden() {
    let meets = |given: &str, generated: &str, of: &str, handler: &str| {
        format!(
            "N094: the route `GET {given}` conflicts with the generated `{generated}` of `{of}`; choose another path, \
             or a handler in place of the operation: `.hooks::<{handler}(…))`\n"
        )
    };
    let (list, read) = ("Zoo>(|hooks| hooks.instead_of_list", "Zoo>(|hooks| hooks.instead_of_get");
    assert_eq!(get("/zoos"), meets("/zoos", "/zoos", "zoo", list));
    assert_eq!(get("/zoos/7"), meets("/zoos/7", "/zoos/{zoo_id}", "zoo", read));
    assert_eq!(get("/zoos/{zoo}"), meets("/zoos/{zoo}", "/zoos/{zoo_id}", "zoo", read));
    let nested = "/zoos/{zoo_id}/animals/{animal_id}";
    let read = "Animal>(|hooks| hooks.instead_of_get";
    assert_eq!(
        get("/zoos/{zoo}/animals/{animal}"),
        meets("/zoos/{zoo}/animals/{animal}", nested, "animal", read)
    );
    let put = problems(zoos().route(Method::PUT, "/zoos", |_| async { Ok(Answer::no_content()) }));
    assert!(put.ends_with("of `zoo`; choose another path\n"), "{put}");
    assert_eq!(
        get("/zoos/statistics"),
        "",
        "`statistics` cannot be the id of a zoo, so the route does not conflict"
    );
    assert_eq!(
        get("/animals"),
        "",
        "animals have no top-level collection, so the route does not conflict"
    );
}

#[test]
fn a_path_is_one_that_can_be_asked_for() {
    for (path, rule) in [
        ("zoos", "a path that begins with `/`"),
        ("/", "another path than `/`, which is the home of the interface"),
        ("/a/", "a path without `/` at its end, where it is redirected"),
        ("/a//b", "one without empty segments"),
        ("/a/../b", "one without the segments `.` and `..`"),
        ("/a b", "one of segments of letters, digits and `-._~!$&'()*+,;=:@`"),
        ("/a%20b", "one of segments of letters, digits and `-._~!$&'()*+,;=:@`"),
        ("/a/:id", "one whose placeholders stand in braces: write `{id}`"),
        ("/a/*", "one whose placeholders stand in braces: write `{name}`"),
        (
            "/{A}",
            "one whose placeholders are whole segments: `{`, lower-case letters, digits and `_`, `}`",
        ),
    ] {
        assert_eq!(
            get(path),
            format!("N092: the path of the route is `{path}`; it must be {rule}\n")
        );
    }
    let reserved = "is reserved for the system; choose another\n";
    assert_eq!(get("/-/mine"), format!("N092: the route `/-/mine` {reserved}"));
    assert_eq!(get("/openapi.json"), format!("N092: the route `/openapi.json` {reserved}"));
    let any = |api: Api| {
        problems(api.route(Method::GET, "/{anything}", |_| async { Ok(Answer::no_content()) }))
    };
    assert_eq!(any(Api::new("Nothing")), format!("N092: the route `/{{anything}}` {reserved}"));
    let trace = problems(zoos().route(Method::TRACE, "/a", |_| async { Ok(Answer::no_content()) }));
    assert!(
        trace.starts_with("N092: the method of the route `/a` is `TRACE`; it must be one of `GET`"),
        "{trace}"
    );
}

#[test]
fn placeholders_are_those_of_resources_where_members_stand() {
    let wrong =
        "N093: the route `/zoos/{zo}/a`: `{zo}` is in the place of a `zoo`; write `{zoo}`\n";
    assert_eq!(get("/zoos/{zo}/a"), wrong);
    let moved = "N093: the route `/parks/{zoo}`: `{zoo}` is a `zoo` only at `/zoos/{zoo}`; move or rename it\n";
    assert_eq!(get("/parks/{zoo}"), moved);
    let twice = "N093: the route `/a/{b}/{b}`: `{b}` occurs twice; rename one of the two\n";
    assert_eq!(get("/a/{b}/{b}"), twice);
    assert_eq!(get("/zoos/{zoo}/animals/{animal}/{other}"), "");
    assert_eq!(get("/zoos/{zoo_id}/animals/{animal_id}/{other_id}"), "");
    let both =
        "N093: the route `/zoos/{zoo}/{zoo_id}`: `{zoo_id}` occurs twice; rename one of the two\n";
    assert_eq!(get("/zoos/{zoo}/{zoo_id}"), both);
    assert_eq!(get("/parks/{zoo_id}"), moved.replacen("{zoo}", "{zoo_id}", 1));
}

#[test]
fn a_method_of_a_shape_is_declared_once() {
    let route =
        |api: Api, path| api.route(Method::GET, path, |_| async { Ok(Answer::no_content()) });
    let twice = problems(route(route(zoos(), "/a/{b}"), "/a/{c}"));
    assert_eq!(twice, "N095: the route `GET /a/{c}` is declared twice; keep one of the two\n");
    assert_eq!(problems(route(route(zoos(), "/a/{b}"), "/a/c")), "");
}

#[test]
fn hooks_belong_to_declared_resources_and_replace_an_operation_once() {
    fn same<T>(hooks: T) -> T {
        hooks
    }
    assert_eq!(
        problems(zoos().hooks::<Audit>(same)),
        "N090: there are hooks for the unknown resource `audit`; declare it with `.resource::<Audit>()`\n"
    );
    let deleting = |hooks: Hooks<Note>| hooks.instead_of_delete(|_, _| async { Ok(()) });
    let api = Api::new("Notes").resource::<Note>().hooks::<Note>(deleting).hooks::<Note>(deleting);
    let expected = "N091: resource `note`: `delete` is replaced twice; keep one of the two\n\
                    N091: resource `note`: `delete` is replaced, but `delete_many` would bypass it; remove `delete_many` from `methods`\n";
    assert_eq!(problems(api), expected);
}

#[test]
fn kinds_of_problem_have_slugs_of_their_own() {
    let kind = |slug, status| Kind { slug, status, title: "", meaning: "" };
    let api = zoos()
        .problem(kind("not-found", StatusCode::NOT_FOUND))
        .problem(kind("Bad One", StatusCode::CONFLICT))
        .problem(kind("fine", StatusCode::OK));
    let expected = "N096: the problem `not-found` is taken by another; choose another slug\n\
                    N096: `Bad One` cannot be the slug of a problem: it is lower-case words of letters and digits joined by `-`\n\
                    N096: the problem `fine` has the status 200; it must be one from 400 to 599\n";
    assert_eq!(problems(api), expected);
}
