//! Mistakes in CORS origins, durations and former paths (`moved_from`).

use std::time::Duration;

use nouns::{Answer, Api, Cors, Id, Resource, http::Method};

use super::{Zoo, assert_problems};

const ZOOS: &str = "resources: { zoo: { fields: {} } }";

/// Checks that the YAML checker and `Api::build` report this one mistake in CORS settings.
fn assert_cors(yaml: &str, cors: Cors, code: &'static str, sentence: &'static str) {
    let yaml = format!("server: {{ cors: {yaml} }}\n{ZOOS}");
    assert_problems(&yaml, Api::new("").cors(cors).resource::<Zoo>(), &[(code, "", sentence)]);
}

/// Conformance 203: the origin `*` cannot be combined with credentials.
#[test]
fn any_origin_with_credentials() {
    let yaml = r#"{ origins: ["*"], credentials: true }"#;
    let sentence = "`*` allows any origin; with `credentials`, any web site could send requests as the user; \
                    list the allowed origins";
    assert_cors(yaml, Cors::new().origin("*").credentials(true), "N024", sentence);
}

/// Conformance 203: the origin `null` is refused, because any page can have it.
#[test]
fn the_origin_null() {
    let sentence = "`origins` is `null`; it must be an origin as browsers send it, like `https://zoo.example.org` or \
                    `http://localhost:3000`: in lower case, without path and without the default port";
    assert_cors(r#"{ origins: ["null"] }"#, Cors::new().origin("null"), "N021", sentence);
}

#[test]
fn origins_and_headers_that_are_none() {
    let sentence = "`*` already includes `https://a.example`; keep one of the two";
    let cors = Cors::new().origin("https://a.example").origin("*");
    assert_cors(r#"{ origins: ["https://a.example", "*"] }"#, cors, "N025", sentence);
    assert_cors("{}", Cors::new(), "N012", "`cors` needs the key `origins`; add it");
    let cors = Cors::new().origin("https://a.example");
    let twice = "`https://a.example` is in `origins` twice; remove one of the two";
    let yaml = r#"{ origins: ["https://a.example", "https://a.example"] }"#;
    assert_cors(yaml, cors.clone().origin("https://a.example"), "N020", twice);
    let yaml = r#"{ origins: ["https://a.example"], headers: ["X A"] }"#;
    let sentence = "`headers` is `X A`; it must be the name of a field, like `X-Request-Id`, without spaces, \
                    brackets and quotes";
    assert_cors(yaml, cors.header("X A"), "N021", sentence);
}

/// Conformance 213
#[test]
fn proxies_that_are_no_addresses() {
    let assert = |proxies: &[&str], code, sentence| {
        let yaml = format!("server: {{ trusted_proxies: {proxies:?} }}\n{ZOOS}");
        let api = proxies.iter().fold(Api::new(""), |api, proxy| api.trusted_proxy(*proxy));
        assert_problems(&yaml, api.resource::<Zoo>(), &[(code, "", sentence)]);
    };
    let sentence = "`trusted_proxies` is `proxy.example`; it must be an IP address or a range, like `10.0.0.7`, \
                    `10.0.0.0/8` or `fd00::/8`, without bits after the prefix, or `unix` for those on a Unix socket";
    assert(&["proxy.example"], "N021", sentence);
    let sentence = "`10.0.0.7` is in `trusted_proxies` twice; remove one of the two";
    assert(&["10.0.0.7", "10.0.0.7"], "N020", sentence);
}

#[test]
fn durations_that_a_declaration_cannot_say() {
    let assert = |keep: &str, span: Duration, sentence: &'static str| {
        let yaml = format!("server: {{ idempotency: {{ keep: {keep} }} }}\n{ZOOS}");
        let api = Api::new("").idempotency_keep(span).resource::<Zoo>();
        assert_problems(&yaml, api, &[("N021", "", sentence)]);
    };
    let whole = "`keep` is `500ms`; it must be a duration in whole seconds, like `1s`";
    assert("500ms", Duration::from_millis(500), whole);
    let some = "`keep` is `0s`; it must be a duration of at least one second";
    assert("0s", Duration::ZERO, some);
    let short = "`keep` is `2147483649s`; it must be a duration of at most 2147483648 seconds";
    assert("2147483649s", Duration::from_secs(2_147_483_649), short);
}

#[derive(Resource)]
#[resource(parent = Zoo, routes = both, collection = "animals")]
struct Beast {
    id: Id<Self>,
    zoo_id: Id<Zoo>,
}

const BEAST: &str = "beast: { parent: zoo, routes: both, collection: animals, fields: {} }";

#[test]
fn a_former_path_without_the_ids_of_its_collection() {
    #[derive(Resource)]
    #[resource(parent = Beast, moved_from = ["/animals/{animal_id}/paws"])]
    struct Foot {
        id: Id<Self>,
        beast_id: Id<Beast>,
    }
    let yaml = format!(
        "resources: {{ zoo: {{ fields: {{}} }}, {BEAST}, \
         foot: {{ parent: beast, moved_from: \"/animals/{{animal_id}}/paws\", fields: {{}} }} }}"
    );
    let sentence = "`/animals/{animal_id}/paws` must contain the placeholders `{zoo_id}`, `{beast_id}` \
                    or the placeholder `{beast_id}`, like the URL of the collection";
    let api = Api::new("").resource::<Zoo>().resource::<Beast>().resource::<Foot>();
    assert_problems(&yaml, api, &[("N068", "foot", sentence)]);
}

#[test]
fn a_former_path_where_something_stands() {
    #[derive(Resource)]
    #[resource(moved_from = ["/animals/all", "/old/keepers", "/zoos/kept"])]
    struct Keeper {
        id: Id<Self>,
    }
    #[derive(Resource)]
    #[resource(parent = Zoo, routes = both, moved_from = ["/zoos/{zoo_id}/animals", "/old/keepers", "/old/guides"])]
    struct Guide {
        id: Id<Self>,
        zoo_id: Id<Zoo>,
    }
    let yaml = format!(
        "resources: {{ zoo: {{ fields: {{}} }}, {BEAST}, \
         keeper: {{ moved_from: [/animals/all, /old/keepers, /zoos/kept], fields: {{}} }}, \
         guide: {{ parent: zoo, routes: both, moved_from: \
         [\"/zoos/{{zoo_id}}/animals\", /old/keepers, /old/guides], fields: {{}} }} }}"
    );
    let mistakes = [
        ("N033", "keeper", "the path `/animals/all` is taken by resource `beast`; choose another"),
        ("N033", "keeper", "the path `/zoos/kept` is taken by resource `zoo`; choose another"),
        (
            "N033",
            "guide",
            "the path `/zoos/{zoo_id}/animals` is taken by resource `beast`; choose another",
        ),
        (
            "N033",
            "guide",
            "the path `/old/keepers` is taken by `moved_from` of resource `keeper`; choose another",
        ),
    ];
    let api =
        Api::new("").resource::<Zoo>().resource::<Beast>().resource::<Keeper>().resource::<Guide>();
    assert_problems(&yaml, api, &mistakes);
}

#[test]
fn a_redirect_that_leads_to_another() {
    #[derive(Resource)]
    #[resource(moved_to = "/keepers/all")]
    struct Guide {
        id: Id<Self>,
    }
    #[derive(Resource)]
    #[resource(moved_to = "/old/guides")]
    struct Keeper {
        id: Id<Self>,
    }
    #[derive(Resource)]
    #[resource(moved_from = "/old")]
    struct Ticket {
        id: Id<Self>,
    }
    let yaml = "resources: { guide: { moved_to: /keepers/all, fields: {} }, \
                keeper: { moved_to: /old/guides, fields: {} }, ticket: { moved_from: /old, fields: {} } }";
    let mistakes = [
        (
            "N069",
            "guide",
            "`moved_to` leads to `/keepers/all`, where `keeper` redirects again; write the final URL",
        ),
        (
            "N069",
            "keeper",
            "`moved_to` leads to `/old/guides`, where `ticket` redirects again; write the final URL",
        ),
    ];
    let api = Api::new("").resource::<Guide>().resource::<Keeper>().resource::<Ticket>();
    assert_problems(yaml, api, &mistakes);
}

#[test]
fn a_route_where_a_former_path_is_redirected() {
    #[derive(Resource)]
    #[resource(parent = Zoo, moved_from = ["/zoos/{zoo_id}/staff"])]
    struct Keeper {
        id: Id<Self>,
        zoo_id: Id<Zoo>,
    }
    let with = |path: &str| {
        let api = Api::new("").resource::<Zoo>().resource::<Keeper>();
        api.route(Method::GET, path, |_| async { Ok(Answer::no_content()) })
            .build()
            .map_or_else(|error| error.to_string(), |_| String::new())
    };
    let sentence = "N094: the route `GET /zoos/{zoo}/staff` conflicts with `/zoos/{zoo_id}/staff` in `moved_from` of `keeper`; \
                    remove one of the two\n";
    assert_eq!(with("/zoos/{zoo}/staff"), sentence);
    assert_eq!(
        with("/zoos/{zoo}/staff/absent"),
        "",
        "a route below a former path takes precedence over the redirect"
    );
}

#[test]
fn paths_and_urls_that_are_none() {
    let path = "`base_path` is `api`; it must be a path like `/api/v1`: `/`, then segments of letters, digits, \
                `-`, `.`, `_` and `~`";
    let url = "`public_url` is `zoo.example`; it must be an absolute `http` or `https` URL without user, query and \
               fragment, like `https://zoo.example.org`";
    let yaml = format!("api: {{ base_path: api, public_url: zoo.example }}\n{ZOOS}");
    let api = Api::new("").base_path("api").public_url("zoo.example").resource::<Zoo>();
    assert_problems(&yaml, api, &[("N021", "", path), ("N021", "", url)]);
}
