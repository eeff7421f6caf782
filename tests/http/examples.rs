//! Tests that the programs in `examples` work.

use std::net::Ipv4Addr;

use nouns::{interpret::api_def, snapshot::Recorder};

use crate::client::Client;

#[path = "../../examples/custom_route.rs"]
mod custom_route;
#[path = "../../examples/embedded.rs"]
#[expect(dead_code, reason = "the test does not call `main`, which serves forever")]
mod embedded;
#[path = "../../examples/hooks.rs"]
mod hooks;
#[path = "../../examples/in_process.rs"]
mod in_process;
#[path = "../../examples/tower_layer.rs"]
mod tower_layer;
#[path = "../../examples/typed_queries.rs"]
mod typed_queries;
#[path = "../../examples/zoo.rs"]
#[expect(dead_code, reason = "the test does not call `main`, which serves forever")]
mod zoo;

#[test]
fn a_service_is_asked_without_a_socket() {
    in_process::main().unwrap();
}

#[test]
fn the_structs_of_the_zoo_are_its_file() {
    let schema =
        nouns::codegen::read_yaml("zoo.yaml", include_str!("../../schemas/zoo.yaml")).unwrap();
    assert_eq!(zoo::api().def(), api_def(&schema));
    let zoos = Recorder::new(zoo::api().build().unwrap());
    assert!(zoos.exchange("POST /zoos", r#"{ "name": "City Zoo" }"#).contains("201 Created"));
}

#[test]
fn a_hook_checks_across_fields_and_writes_its_row_with_the_change() {
    hooks::main().unwrap();
    let tours = Recorder::new(hooks::api().build().unwrap());
    let new = |last: &str| {
        let tour =
            format!(r#"{{ "title": "Owls", "first_day": "2026-11-02", "last_day": "{last}" }}"#);
        tours.exchange("POST /tours", &tour)
    };
    assert!(new("2026-11-01").contains("422 Unprocessable Content"));
    assert!(
        tours.exchange("GET /audit_entries", "").contains("\"items\": []"),
        "a refused change must leave no audit entry"
    );
    assert!(new("2026-11-03").contains("201 Created"));
    assert!(tours.exchange("GET /audit_entries", "").contains("Create of tour 1"));
    assert!(tours.exchange("POST /audit_entries", "{}").contains("405 Method Not Allowed"));
}

#[test]
fn a_route_of_ones_own_gets_a_proven_member() {
    custom_route::main().unwrap();
    let zoos = Recorder::new(custom_route::api().build().unwrap());
    assert!(zoos.exchange("POST /zoos", r#"{ "name": "City Zoo" }"#).contains("\"open\": false"));
    assert!(zoos.exchange("POST /zoos/1/openings", "").contains("\"open\": true"));
    assert!(zoos.exchange("POST /zoos/1/openings", "").contains("409 Conflict"));
    assert!(zoos.exchange("POST /zoos/2/openings", "").contains("There is no zoo `2`."));
    assert!(zoos.exchange("GET /zoos/1/openings", "").contains("allow: POST, OPTIONS"));
    assert!(zoos.exchange("GET /-/problems/already-open", "").contains("200 OK"));
}

#[test]
fn a_task_in_the_background_asks_by_types() {
    typed_queries::main().unwrap();
}

#[test]
fn a_layer_of_tower_wraps_the_service() {
    tower_layer::main().unwrap();
}

#[test]
fn the_service_stands_inside_a_server_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let service = embedded::api().open(folder.path().join("zoo.db")).unwrap();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let listener =
        runtime.block_on(tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).unwrap();
    let address = listener.local_addr().unwrap();
    runtime.spawn(embedded::accept(listener, service.clone()));
    let mut client = Client::connect(address);
    let created = client.post("/api/zoos", &serde_json::json!({ "name": "City Zoo" }));
    assert_eq!((created.status(), created.field("location")), (201, Some("/api/zoos/1")));
    assert_eq!(client.get("/elsewhere").body, b"The rest of the program.\n");
    runtime.block_on(service.store().close());
}
