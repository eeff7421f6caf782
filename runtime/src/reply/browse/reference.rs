//! The control with which a form sets a reference: a list of the members that it may refer to, or a
//! field for an id with a search, if there are many.

use serde::Serialize;

use super::{filter::parameter, frame::heading};
use crate::{
    model::{
        FieldModel, Model, Op, ResourceModel,
        def::{FieldKind, Operation},
    },
    plan::FoundChoices,
};

/// The values of the template `reference.html`.
#[derive(Debug, Serialize)]
pub(super) struct ReferenceControl {
    /// The id of the control in HTML, if the form has a label for it.
    id: Option<String>,
    /// The name of the field in the form.
    name: String,
    /// The label of the control.
    label: String,
    /// The id of the member that is set.
    value: String,
    /// The text of the choice of no member, if there is one.
    none: Option<&'static str>,
    /// Whether a member must be set.
    is_required: bool,
    options: Vec<MemberOption>,
    /// Whether there are further members. Then the control is a field for an id.
    has_more: bool,
    /// The search for a member; `None` if its collection cannot be searched.
    search: Option<MemberSearch>,
}

/// A member that may be set.
#[derive(Debug, Serialize)]
struct MemberOption {
    id: String,
    text: String,
}

/// A form that searches a collection by the label of its members.
#[derive(Debug, Serialize)]
pub(super) struct MemberSearch {
    /// The id of the form in HTML.
    id: String,
    /// The URL of the collection.
    action: String,
    /// The name of the filter.
    name: String,
    /// The collection in words.
    title: String,
}

impl ReferenceControl {
    /// Creates the control of a reference. `name` is its name in the form, and `value` the id that
    /// is set, or an empty text.
    pub(super) fn new(
        model: &Model,
        field: &FieldModel,
        (name, label): (&str, &str),
        value: &str,
        found: &FoundChoices,
    ) -> Option<Self> {
        let target = &model[field.target?];
        let mut options: Vec<_> = found.members.iter().map(|one| option(one, found)).collect();
        // The member that is set may be hidden from the reader, or not be among the first.
        if !value.is_empty() && !found.has_more && options.iter().all(|one| one.id != value) {
            options.push(MemberOption { id: value.to_owned(), text: value.to_owned() });
        }
        Some(Self {
            id: None,
            name: name.to_owned(),
            label: label.to_owned(),
            value: value.to_owned(),
            none: None,
            is_required: false,
            options,
            has_more: found.has_more,
            search: search(model, target, name).filter(|_| found.has_more),
        })
    }

    /// Sets the text of the choice of no member.
    pub(super) fn or_none(self, none: &'static str) -> Self {
        Self { none: Some(none), ..self }
    }

    /// Sets the id of the control, and whether a member must be set.
    pub(super) fn in_form(self, id: String, is_required: bool) -> Self {
        Self { id: Some(id), is_required, ..self }
    }
}

/// Returns the option of a member. If others have the same label, it shows the id, too.
fn option((id, label): &(String, Option<String>), found: &FoundChoices) -> MemberOption {
    let Some(text) = label else { return MemberOption { id: id.clone(), text: id.clone() } };
    let is_same = |(_, other): &&(String, Option<String>)| other.as_ref() == Some(text);
    let is_unique = found.members.iter().filter(is_same).nth(1).is_none();
    let text = if is_unique { text.clone() } else { format!("{text} ({id})") };
    MemberOption { id: id.clone(), text }
}

/// Returns the search of a collection that has a URL without ids, by a label that is a text.
fn search(model: &Model, target: &ResourceModel, name: &str) -> Option<MemberSearch> {
    let label = &target[target.label()?];
    let is_text = label.kind == FieldKind::String && label.filterable && label.visible();
    let is_listed = target.at_top() && target.def.methods.contains(Operation::List);
    (is_text && is_listed).then(|| MemberSearch {
        id: format!("search-{name}"),
        action: model.urls.link(&["/", target.def.collection].concat()),
        name: parameter(&label.name, Op::Contains),
        title: heading(target.def.collection),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_with_the_same_label_show_their_ids() {
        let member = |id: &str, label: Option<&str>| (id.to_owned(), label.map(str::to_owned));
        let members = vec![member("1", Some("a")), member("2", Some("a")), member("3", None)];
        let found = FoundChoices { members, has_more: false };
        let texts: Vec<_> = found.members.iter().map(|one| option(one, &found).text).collect();
        assert_eq!(texts, ["a (1)", "a (2)", "3"]);
    }
}
