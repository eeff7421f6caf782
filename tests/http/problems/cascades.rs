//! Tests of deletions that a reference at any depth of a cascade prevents: the response is 409.

use serde_json::json;

use crate::server::TestServer;

#[test]
fn what_restricts_is_named_as_far_as_is_looked_and_refuses_beyond() {
    let server = TestServer::of(
        "
nouns: 1
resources:
  category:
    fields: { up_id: { references: { resource: category, as: up, on_delete: cascade } } }
  item:
    fields: { category_id: { references: category, required: true } }
",
    );
    let mut client = server.client();
    client.create("/categories", &json!({}));
    for up in 1..12 {
        client.create("/categories", &json!({ "up_id": up }));
    }
    client.create("/items", &json!({ "category_id": 12 }));
    for (id, who) in [(12, "`items`"), (10, "`items`"), (1, "Other members")] {
        let answer = client.delete(&format!("/categories/{id}"));
        assert_eq!((answer.status(), answer.problem().as_str()), (409, "still-referenced"), "{id}");
        assert!(answer.detail().contains(who), "{id}: {}", answer.detail());
    }
    assert_eq!(
        client.get("/categories?count=true").json()["total"],
        12,
        "a refused deletion must delete nothing"
    );
}

/// Conformance 26, 43: the problem names the resource whose reference prevents the deletion, and
/// the resource that it refers to.
#[test]
fn a_restriction_three_levels_down_names_what_it_refers_to() {
    let server = TestServer::of(
        "
nouns: 1
resources:
  country: { collection: countries, fields: { name: string } }
  city:
    collection: cities
    fields: { country_id: { references: { resource: country, on_delete: cascade } } }
  street:
    fields: { city_id: { references: { resource: city, on_delete: cascade } } }
  house:
    fields:
      street_id: { references: { resource: street, on_delete: restrict } }
  sign:
    fields:
      street_id: { references: { resource: street, on_delete: restrict } }
  mayor:
    fields:
      city_id: { references: { resource: city, on_delete: restrict } }
",
    );
    let mut client = server.client();
    client.create("/countries", &json!({ "name": "a" }));
    client.create("/cities", &json!({ "country_id": 1 }));
    client.create("/streets", &json!({ "city_id": 1 }));
    client.create("/houses", &json!({ "street_id": 1 }));
    let mut conflict = |target: &str| {
        let answer = client.delete(target);
        assert_eq!(
            (answer.status(), answer.problem().as_str()),
            (409, "still-referenced"),
            "{target}"
        );
        answer.detail()
    };
    assert_eq!(
        conflict("/streets/1"),
        "Members of `houses` still refer to this `street`; delete or change them first."
    );
    for (target, name) in [("/cities/1", "city"), ("/countries/1", "country")] {
        assert_eq!(
            conflict(target),
            format!(
                "Members of `houses` still refer to members of `streets`, which would be deleted with this \
                 `{name}`; delete or change them first."
            )
        );
    }
    let mut client = server.client();
    client.create("/signs", &json!({ "street_id": 1 }));
    let german = [("accept-language", "de")];
    let answer = client.request("DELETE", "/countries/1", &german, None);
    assert_eq!(
        answer.json()["detail"],
        "Einträge von `houses`, `signs` verweisen noch auf Einträge von `streets`, die mit diesem Eintrag von \
         `country` gelöscht würden; löschen oder ändern Sie zuerst diese."
    );
    client.create("/mayors", &json!({ "city_id": 1 }));
    assert_eq!(
        client.delete("/countries/1").detail(),
        "Members of `mayors` still refer to members of `cities`, which would be deleted with this \
         `country`; delete or change them first."
    );
    assert_eq!(
        client.get("/houses?count=true").json()["total"],
        1,
        "a refused deletion must delete nothing"
    );
}
