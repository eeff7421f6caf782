//! Tests that the result of a deletion depends on the members alone: not on the order of their ids,
//! or of the resources in the schema, and not on rules about deletions.

use serde_json::json;

use crate::{client::Client, database, server::TestServer};

const ZOO: &str = "
nouns: 1
resources:
  zoo: { id: { type: integer, assigned: optional }, fields: { name: string } }
  animal:
    id: { type: integer, assigned: optional }
    parent: { resource: zoo, on_delete: cascade }
    routes: both
    methods: [list, create, get, update, delete, delete_many]
    fields: { name: string, mother_id: { references: animal } }
  visit: { fields: { animal_id: { references: animal } } }
";

/// Creates a zoo with a mother and her child.
fn family(client: &mut Client, zoo: i64, mother: i64, child: i64) {
    client.create("/zoos", &json!({ "id": zoo }));
    let mother_of =
        json!([{ "id": mother, "name": "x" }, { "id": child, "name": "x", "mother_id": mother }]);
    client.create(&format!("/zoos/{zoo}/animals"), &mother_of);
}

#[test]
fn members_that_go_together_do_not_restrict_each_other() {
    let server = TestServer::of(ZOO);
    let mut client = server.client();
    family(&mut client, 1, 12, 11);
    assert_eq!(client.delete("/zoos/1").status(), 204, "the child has the smaller id");
    family(&mut client, 2, 21, 22);
    assert_eq!(client.delete("/zoos/2").status(), 204, "the child has the larger id");
    family(&mut client, 3, 31, 32);
    assert_eq!(client.delete("/zoos/3/animals?name=x").status(), 204);
    assert_eq!(client.names("/zoos/3/animals"), "");
    family(&mut client, 4, 41, 42);
    assert_eq!(client.patch("/animals/41", &json!({ "mother_id": 42 })).status(), 200);
    assert_eq!(client.delete("/zoos/4/animals?name=x").status(), 204, "each refers to the other");
}

#[test]
fn a_member_that_stays_restricts_the_deletion_and_is_named() {
    let server = TestServer::of(ZOO);
    let mut client = server.client();
    family(&mut client, 1, 11, 12);
    client.create("/visits", &json!({ "animal_id": 12 }));
    for url in ["/zoos/1", "/zoos/1/animals?name=x", "/zoos/1/animals/12"] {
        let answer = client.delete(url);
        assert_eq!(
            (answer.status(), answer.problem().as_str()),
            (409, "still-referenced"),
            "{url}"
        );
        assert!(answer.detail().contains("`visits`"), "{url}: {}", answer.detail());
        assert!(!answer.detail().contains("Members of `animals`"), "{url}: {}", answer.detail());
    }
    let only_mother = client.delete("/zoos/1/animals/11");
    assert!(only_mother.detail().starts_with("Members of `animals`"), "{}", only_mother.detail());
    assert_eq!(client.delete("/visits/1").status(), 204);
    assert_eq!(client.delete("/zoos/1").status(), 204);
}

/// The children of a deleted member refer to each other, in each order of the resources.
#[test]
fn the_order_of_the_resources_does_not_matter() {
    let resources = [
        "zoo: { fields: { name: string } }",
        "animal: { parent: { resource: zoo, on_delete: cascade }, routes: both, fields: { name: string } }",
        "meal: { parent: { resource: animal, on_delete: cascade }, routes: both, fields: { ticket_id: { references: ticket } } }",
        "ticket: { parent: { resource: zoo, on_delete: cascade }, routes: both, fields: { animal_id: { references: animal } } }",
    ];
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [0, 3, 1, 2], [2, 3, 0, 1]] {
        let text: String = order.map(|at| format!("  {}\n", resources[at])).concat();
        let server = TestServer::of(&format!("nouns: 1\nresources:\n{text}"));
        let mut client = server.client();
        client.create("/zoos", &json!({ "name": "a" }));
        client.create("/zoos/1/animals", &json!({ "name": "b" }));
        client.create("/zoos/1/tickets", &json!({ "animal_id": 1 }));
        client.create("/animals/1/meals", &json!({ "ticket_id": 1 }));
        assert_eq!(client.delete("/animals/1").status(), 409, "{order:?}: the ticket stays");
        assert_eq!(client.delete("/tickets/1").status(), 409, "{order:?}: the meal stays");
        assert_eq!(client.delete("/zoos/1").status(), 204, "{order:?}");
    }
}

/// A database of an older version has foreign keys that are tested row by row.
#[test]
fn foreign_keys_of_older_versions_are_replaced() {
    let mut server = TestServer::of(ZOO);
    family(&mut server.client(), 1, 11, 12);
    let older = match database::is_postgres() {
        true => {
            "ALTER TABLE animals DROP CONSTRAINT animals_mother_id_fkey; ALTER TABLE animals ADD FOREIGN KEY (mother_id) \
             REFERENCES animals (id) ON DELETE RESTRICT ON UPDATE RESTRICT"
        }
        false => {
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'NO ACTION', 'RESTRICT'); \
             UPDATE _nouns_state SET format = 6; PRAGMA writable_schema = RESET"
        }
    };
    server.elsewhere(older);
    server.restart();
    let mut client = server.client();
    assert_eq!(client.delete("/zoos/1").status(), 204);
    family(&mut client, 2, 21, 22);
    assert_eq!(client.delete("/animals/21").status(), 409, "the keys still hold");
    if database::is_postgres() {
        let keys = "SELECT count(*) FROM pg_constraint WHERE conrelid = 'animals'::regclass AND contype = 'f' \
                    AND confdeltype = 'a' AND condeferrable AND convalidated";
        assert_eq!(server.cell(keys), "1");
    } else {
        assert_eq!(server.cell("SELECT count(*) FROM pragma_integrity_check"), "1");
    }
}

/// A rule that compares a value binds it in each statement, also in the one that looks up why a
/// deletion is refused.
#[test]
fn a_rule_on_deletions_does_not_hide_why_one_is_refused() {
    for rule in [
        "{ where: { state: open } }",
        "{ where: { n: 1 } }",
        "{ where: { price: '1.50' } }",
        "{ where: { day: 2026-01-01 } }",
        "{ where: { state: [open, shut] } }",
        "{ any: [{ where: { zoo.name: a } }, { where: { n: 5 } }] }",
    ] {
        let server = TestServer::of(&format!(
            "
nouns: 1
auth: {{ accounts: user, login: name }}
resources:
  user: {{ fields: {{ name: {{ type: string, required: true, unique: true }}, password: password }} }}
  zoo: {{ fields: {{ name: string }}, access: {{ read: public, create: public }} }}
  animal:
    parent: zoo
    routes: both
    methods: [list, create, get, delete, delete_many]
    fields:
      state: {{ type: string, default: open }}
      n:     {{ type: integer, default: 1 }}
      price: {{ type: decimal, scale: 2, default: '1.50' }}
      day:   {{ type: date, default: 2026-01-01 }}
    access: {{ read: public, create: public, delete: {rule} }}
  visit:
    fields: {{ animal_id: {{ references: animal }} }}
    access: {{ read: public, create: public, delete: public }}
"
        ));
        let mut client = server.client();
        client.create("/zoos", &json!({ "name": "a" }));
        client.create("/zoos/1/animals", &json!([{}, {}]));
        client.create("/visits", &json!({ "animal_id": 1 }));
        for url in ["/animals/1", "/zoos/1/animals/1", "/animals?id=1", "/zoos/1/animals?id[gte]=1"]
        {
            let answer = client.delete(url);
            assert_eq!(answer.problem(), "still-referenced", "{rule}, {url}: {answer:?}");
            assert!(answer.detail().contains("`visits`"), "{rule}, {url}: {}", answer.detail());
        }
        assert_eq!(client.delete("/visits/1").status(), 204);
        assert_eq!(client.delete("/zoos/1/animals/1").status(), 204, "{rule}");
        assert_eq!(client.delete("/animals?id=2").status(), 204, "{rule}");
    }
}
