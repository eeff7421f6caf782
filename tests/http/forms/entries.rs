//! Tests of what people enter: values that an input cannot have as they are, and the messages about
//! wrong ones.

use serde_json::{Value as Json, json};

use super::{has, html, submit};
use crate::{client::Client, server::TestServer};

fn form(client: &mut Client, target: &str) -> String {
    let answer = client.request("GET", target, &[super::PERSON], None);
    assert_eq!(answer.status(), 200, "{answer:?}");
    html(&answer)
}

/// The options of a list in a form, each with what comes after its value.
fn options(html: &str, name: &str) -> Vec<String> {
    let select = html.split(&format!("name=\"{name}\"")).nth(1).unwrap();
    let select = select.split("</select>").next().unwrap();
    let option = |part: &str| part.split("</option>").next().unwrap().to_owned();
    select.split("<option value=").skip(1).map(option).collect()
}

/// An empty input is null. So the empty string of an enum is entered as two quotes.
#[test]
fn the_empty_string_among_choices_has_a_value() {
    let server = TestServer::of(
        "
nouns: 1
resources:
  task:
    fields:
      state: { enum: [\"\", open] }
      kind: { enum: [\"\", '\"\"'], required: true }
      preset: { enum: [\"\", on], default: \"\" }
",
    );
    let mut client = server.client();
    let new = form(&mut client, "/-/forms/tasks");
    let quotes = "\"&quot;&quot;\">&quot;&quot;";
    assert_eq!(options(&new, "state"), ["\"\">–", quotes, "\"open\">open"]);
    let [four, two] = ["\"&quot;&quot;&quot;&quot;\">&quot;&quot;&quot;&quot;", quotes];
    assert_eq!(options(&new, "kind"), ["\"\">–", four, two]);
    let selected = quotes.replace('>', " selected>");
    assert_eq!(options(&new, "preset"), ["\"\">–", &*selected, "\"on\">on"]);
    let entered = |state: &str, kind: &str, preset: &str| {
        format!("state={state}&kind={kind}&preset={preset}")
    };
    for (number, (form, stored)) in [
        (entered("%22%22", "%22%22%22%22", "%22%22"), json!(["", "", ""])),
        (entered("", "%22%22", ""), json!([null, "\"\"", null])),
        (entered("open", "%22%22", "on"), json!(["open", "\"\"", "on"])),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(submit(&mut client, "/tasks", &form).status(), 303, "{form}");
        let task = client.get(&format!("/tasks/{}", number + 1)).json();
        let values: Json =
            ["state", "kind", "preset"].map(|name| task[name].clone()).to_vec().into();
        assert_eq!(values, stored, "{form}");
    }
    // A change from the empty string to null, and one of another field alone.
    let change = form(&mut client, "/-/forms/tasks/1");
    assert_eq!(options(&change, "state")[1], selected);
    has(&change, "name=\"before:state\" value=\"&quot;&quot;\"");
    let before = "before:state=%22%22&before:kind=%22%22%22%22&before:preset=%22%22";
    let target = "/tasks/1?_method=PATCH";
    let body = format!("{}&{before}", entered("%22%22", "%22%22%22%22", "on"));
    assert_eq!(submit(&mut client, target, &body).status(), 303);
    let task = client.get("/tasks/1").json();
    assert_eq!((&task["state"], &task["preset"]), (&json!(""), &json!("on")));
    let body = format!("{}&{before}", entered("", "%22%22%22%22", "%22%22"));
    assert_eq!(submit(&mut client, target, &body).status(), 303);
    let task = client.get("/tasks/1").json();
    assert_eq!((&task["state"], &task["kind"]), (&json!(null), &json!("")));
}

/// A message about a unique set stands at the first of its inputs. The others are marked.
#[test]
fn a_message_about_several_inputs_stands_once() {
    let server = TestServer::of(
        "
nouns: 1
resources:
  hall: { fields: { name: string } }
  seat:
    parent: hall
    fields:
      row: { type: integer, required: true }
      number: { type: integer, required: true }
      side: { enum: [left, right], required: true }
      label: { type: string, unique: true }
    unique: [[hall_id, row, number, side], [hall_id, label]]
",
    );
    let mut client = server.client();
    client.create("/halls", &json!({ "name": "A" }));
    let seat = "row=1&number=2&side=left&label=x";
    assert_eq!(submit(&mut client, "/halls/1/seats", seat).status(), 303);
    let again = submit(&mut client, "/halls/1/seats", "row=1&number=2&side=left&label=y");
    assert_eq!(again.status(), 409);
    let page = html(&again);
    let message = "Another seat already has the same hall_id, row, number and side.";
    assert_eq!(page.matches(message).count(), 1, "{page}");
    has(&page, &format!("id=\"input-row-wrong\">\n<p>{message}</p>"));
    has(&page, "<strong>Not done.</strong> 1 input needs another value.");
    assert_eq!(page.matches("aria-invalid=\"true\"").count(), 3, "{page}");
    for name in ["row", "number", "side"] {
        let input = page.split(&format!("id=\"input-{name}\"")).nth(1).unwrap();
        has(input.split('>').next().unwrap(), "aria-describedby=\"input-row-wrong \"");
    }
    // Separate errors with the same words stay where they are.
    let page = html(&submit(&mut client, "/halls/1/seats", "row=x&number=y&side=left&label=z"));
    assert_eq!(page.matches("must be a whole number").count(), 2, "{page}");
    has(&page, "2 inputs need another value.");
}

/// The message about a wrong number has the bounds that are declared.
#[test]
fn the_message_about_a_wrong_number_has_its_bounds() {
    let server = TestServer::of(
        "
nouns: 1
resources:
  kind: { fields: { name: string } }
  thing:
    fields:
      least: { type: integer, minimum: 1 }
      most: { type: integer, maximum: 9 }
      both: { type: integer, minimum: -3, maximum: 3 }
      any: integer
      kind_id: { references: kind }
",
    );
    let mut client = server.client();
    for (field, expected) in [
        ("least", "must be a whole number of at least 1."),
        ("most", "must be a whole number of at most 9."),
        ("both", "must be a whole number from -3 to 3."),
        ("any", "must be a whole number from -9223372036854775808 to 9223372036854775807."),
        ("kind_id", "must be a whole number from 1 to 9007199254740991."),
    ] {
        let page = html(&submit(&mut client, "/things", &format!("{field}=many")));
        has(&page, &format!("<p>{field} {expected}</p>"));
        let answer = client.post("/things", &json!({ field: 1.5 }));
        assert!(answer.detail().ends_with(expected), "{answer:?}");
    }
    let page = html(&submit(&mut client, "/things", "least=0&most=10"));
    has(&page, "<p>least must be at least 1.</p>");
    has(&page, "<p>most must be at most 9.</p>");
}
