//! The body of a request that signs in or makes a token: a JSON object or an HTML form.

use std::fmt;

use http::{header, request::Parts};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value as Json;

use crate::{
    base::{
        error::{Error, Fault, Kind, Text, excerpt, text},
        limits,
        nearest::nearest,
    },
    http::single::essence,
    request::action::{FORM, check_json, form_inputs},
};

/// The maximum number of members. No body needs as many.
const MEMBERS_MAX: usize = 16;

/// The members of a body. Those that are not taken are unknown.
pub(super) struct GrantBody {
    members: Vec<(String, Json)>,
    is_form: bool,
    known: Vec<String>,
    faults: Vec<Fault>,
}

impl GrantBody {
    /// Parses the body of a request.
    ///
    /// # Errors
    /// 415 for another media type, 400 for a body that cannot be parsed, 422 for JSON that is no
    /// object.
    pub(super) fn parse(head: &Parts, content: &[u8], may_be_form: bool) -> Result<Self, Error> {
        if content.len() > limits::GRANT_BODY_BYTES_MAX {
            let most = limits::GRANT_BODY_BYTES_MAX;
            let detail = text!("A body has at most {most} bytes here.", most);
            return Err(Error::new(Kind::CONTENT_TOO_LARGE, detail));
        }
        let kind = head.headers.get(header::CONTENT_TYPE);
        let is_form = kind.is_some_and(|kind| essence(kind).eq_ignore_ascii_case(FORM));
        let members = if is_form && may_be_form {
            form(content)?
        } else {
            check_json(kind)?;
            json(content)?
        };
        if members.len() > MEMBERS_MAX {
            let fault = Fault::body("", "unknown", text!("must have fewer members."));
            return Err(Error::from_faults(Kind::INVALID_CONTENT, vec![fault]));
        }
        let mut body = Self { members, is_form, known: vec![], faults: vec![] };
        body.refuse_repeated();
        Ok(body)
    }

    fn refuse_repeated(&mut self) {
        for (at, (name, _)) in self.members.iter().enumerate() {
            if self.members[..at].iter().any(|(other, _)| other == name) {
                let detail = text!("`{name}` occurs twice.", name = excerpt(name));
                self.faults.push(Fault::body(pointer(name), "duplicate", detail));
            }
        }
    }

    /// Takes the member with this name, if there is one. `null` counts as absent.
    fn take(&mut self, name: &str) -> Option<Json> {
        self.known.push(name.to_owned());
        let at = self.members.iter().position(|(known, _)| known == name)?;
        Some(self.members.swap_remove(at).1).filter(|value| !value.is_null())
    }

    /// Takes a text.
    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        match self.take(name)? {
            Json::String(text) => Some(text),
            _ => self.refuse(name, text!("must be a string.")),
        }
    }

    /// Takes a text that must be there.
    pub(super) fn needed(&mut self, name: &str) -> Option<String> {
        let before = self.faults.len();
        let found = self.text(name);
        if found.is_none() && self.faults.len() == before {
            let detail = text!("`{name}` is required.", name);
            self.faults.push(Fault::body(pointer(name), "required", detail));
        }
        found
    }

    /// Takes true or false. In a form, a box that is checked has the value `on`.
    pub(super) fn flag(&mut self, name: &str) -> bool {
        match self.take(name) {
            None => false,
            Some(Json::Bool(flag)) => flag,
            Some(Json::String(word)) if self.is_form && ["on", "true"].contains(&&*word) => true,
            Some(Json::String(word)) if self.is_form && word == "false" => false,
            Some(_) => self.refuse(name, text!("must be true or false.")).unwrap_or(false),
        }
    }

    /// Takes a list of texts.
    pub(super) fn texts(&mut self, name: &str) -> Option<Vec<String>> {
        let given = self.take(name)?;
        let texts = given.as_array().and_then(|items| {
            items.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
        });
        texts.or_else(|| self.refuse(name, text!("must be a list of strings.")))
    }

    /// Adds a fault in a member.
    pub(super) fn refuse<T>(&mut self, name: &str, detail: Text) -> Option<T> {
        self.faults.push(Fault::body(pointer(name), "value", detail));
        None
    }

    /// Returns the taken values if there is no fault.
    ///
    /// # Errors
    /// 422 with all faults. BodyMembers that nobody has taken are unknown.
    pub(super) fn end<T>(mut self, values: Option<T>) -> Result<T, Error> {
        for (name, _) in &self.members {
            if self.known.contains(name) {
                continue;
            }
            let shown = excerpt(name);
            let detail = text!("`{name}` is unknown here.", name = shown);
            let known = self.known.iter().map(String::as_str);
            let hint = nearest(name, known).map(|near| text!("Did you mean `{near}`?", near));
            self.faults.push(Fault::body(pointer(name), "unknown", detail).hint(hint));
        }
        match values {
            Some(values) if self.faults.is_empty() => Ok(values),
            _ => Err(Error::from_faults(Kind::INVALID_CONTENT, self.faults)),
        }
    }
}

/// The JSON Pointer to a member (RFC 6901).
fn pointer(name: &str) -> String {
    format!("/{}", excerpt(name).replace('~', "~0").replace('/', "~1"))
}

fn form(content: &[u8]) -> Result<Vec<(String, Json)>, Error> {
    let inputs = form_inputs(content)?;
    Ok(inputs.into_iter().map(|(name, value)| (name, Json::String(value))).collect())
}

fn json(content: &[u8]) -> Result<Vec<(String, Json)>, Error> {
    let parsed: Result<BodyMembers, _> = serde_json::from_slice(content);
    parsed.map(|members| members.0).map_err(|error| match error.is_data() {
        true => {
            let fault = Fault::body("", "type", text!("must be an object."));
            Error::from_faults(Kind::INVALID_CONTENT, vec![fault])
        }
        false => Error::new(
            Kind::MALFORMED_BODY,
            text!(
                "The body is not valid JSON, at line {line}, column {column}.",
                line = error.line(),
                column = error.column()
            ),
        ),
    })
}

/// The members of a JSON object in their order, also repeated ones.
struct BodyMembers(Vec<(String, Json)>);

impl<'de> Deserialize<'de> for BodyMembers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor;

        impl<'de> Visitor<'de> for ObjectVisitor {
            type Value = BodyMembers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<BodyMembers, A::Error> {
                let mut members = vec![];
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(BodyMembers(members))
            }
        }

        deserializer.deserialize_map(ObjectVisitor)
    }
}
