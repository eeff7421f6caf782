//! Tests of hints for clients that use the filter syntax of other APIs.

use serde_json::{Value, json};

use super::things;
use crate::{client::Client, server::TestServer};

/// Returns the hint of the only error of a query; null if the error has no hint.
fn hint(client: &mut Client, query: &str) -> Value {
    let answer = client.get(&format!("/things?{query}"));
    let errors = answer.json()["errors"].clone();
    assert_eq!(
        (answer.status(), errors.as_array().map(Vec::len)),
        (400, Some(1)),
        "{query}: {errors}"
    );
    errors[0]["hint"].clone()
}

fn meant(near: &str) -> Value {
    json!(format!("Did you mean `{near}`?"))
}

#[test]
fn a_reference_without_its_id_is_the_field() {
    let (_server, mut client) = things();
    for query in ["maker=1", "maker=", "maker[gt]=1", "filter[maker]=1", "maker=Ada"] {
        let field = if query == "maker=" { "maker_id[null]=true" } else { "maker_id" };
        assert_eq!(hint(&mut client, query), meant(field), "{query}");
    }
    assert_eq!(hint(&mut client, "maker__in=1"), meant("maker_id[in]"));
    let server = TestServer::of(
        "nouns: 1
api: { case: camel }
resources:
  zoo: { fields: { name: string } }
  thing:
    parent: zoo
    fields:
      home_team_id: { references: { resource: zoo, as: home } }
",
    );
    let mut client = server.client();
    client.create("/zoos", &json!({}));
    for (query, near) in
        [("home=1", "homeTeamId"), ("homeTeam=1", "homeTeamId"), ("zoo=1", "zooId")]
    {
        let answer = client.get(&format!("/zoos/1/things?{query}"));
        assert_eq!(answer.json()["errors"][0]["hint"], meant(near), "{query}");
    }
}

#[test]
fn a_word_for_no_value_is_the_operator() {
    let (_server, mut client) = things();
    for query in ["maker=null", "maker=NULL", "maker=None"] {
        assert_eq!(hint(&mut client, query), meant("maker_id[null]=true"), "{query}");
    }
    assert_eq!(hint(&mut client, "maker[ne]=null"), meant("maker_id[null]=false"));
    assert_eq!(hint(&mut client, "filter[maker]=null"), meant("filter[maker_id][null]=true"));
    for (query, near) in [
        ("rank=null", "rank[null]=true"),
        ("rank=", "rank[null]=true"),
        ("rank[eq]=null", "rank[null]=true"),
        ("rank[ne]=null", "rank[null]=false"),
        ("maker_id=is.null", "maker_id[null]=true"),
        ("filter[rank]=nil", "filter[rank][null]=true"),
        ("filter[rank][ne]=null", "filter[rank][null]=false"),
    ] {
        assert_eq!(hint(&mut client, query), meant(near), "{query}");
        assert_eq!(client.get(&format!("/things?{near}")).status(), 200, "{near}");
    }
    for query in ["rank[gt]=null", "id=null", "rank[in]=null", "rank=two"] {
        assert_eq!(hint(&mut client, query), Value::Null, "{query}");
    }
    assert_eq!(
        client.names("/things?name=null"),
        "",
        "a filter must be able to match the text `null`"
    );
}

#[test]
fn an_operator_that_ignores_case_is_told_who_decides_that() {
    let (_server, mut client) = things();
    let plain = |op: &str| {
        json!(format!(
            "Did you mean `{op}`? It is case-sensitive, unless the schema says `ignore_case: true`."
        ))
    };
    let folded = |op: &str| {
        json!(format!("Did you mean `{op}`? For this field it ignores the case of ASCII letters."))
    };
    assert_eq!(hint(&mut client, "name[icontains]=a"), plain("contains"));
    assert_eq!(hint(&mut client, "name[ilike]=a"), plain("contains"));
    assert_eq!(hint(&mut client, "name[iexact]=a"), plain("eq"));
    assert_eq!(hint(&mut client, "name__istartswith=a"), plain("name[starts_with]"));
    assert_eq!(hint(&mut client, "label[icontains]=a"), folded("contains"));
    assert_eq!(hint(&mut client, "label__iendswith=a"), folded("label[ends_with]"));
    assert_eq!(hint(&mut client, "name[like]=a"), meant("contains"));
    assert_eq!(
        hint(&mut client, "rank[icontains]=1"),
        Value::Null,
        "the hint must not propose a text operator for an integer"
    );
    let answer = client.get("/things?rank[icontains]=1");
    let operators = "eq, ne, lt, lte, gt, gte, in, nin, between, null";
    let detail = format!("There is no operator `icontains`; the operators are: {operators}.");
    assert_eq!(answer.json()["errors"][0]["detail"], detail);
    let german =
        client.request("GET", "/things?name[icontains]=a", &[("accept-language", "de")], None);
    let german_hint = "Meinten Sie `contains`? Es unterscheidet Groß- und Kleinbuchstaben, außer wenn das Schema `ignore_case: true` sagt.";
    assert_eq!(german.json()["errors"][0]["hint"], german_hint);
}

#[test]
fn a_path_is_for_access_rules_alone() {
    let (_server, mut client) = things();
    let alone = "A query names fields of `thing` itself; only access rules follow references.";
    for query in ["maker.name=Ada", "filter[maker.name]=Ada", "maker.name[ne]=Ada"] {
        assert_eq!(hint(&mut client, query), json!(alone), "{query}");
    }
    assert_eq!(hint(&mut client, "colour.name=red"), Value::Null);
}
