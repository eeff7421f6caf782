//! Checks the field that a resource names as the label of its members.

use super::{Faults, FindNearest, sets::FieldNames};
use crate::{
    def::{FieldKind, FieldMode},
    outline::{Attribute, Noun},
    problem::{Problem, excerpt},
};

/// Checks that the label is a field whose values clients may read, as short texts.
pub(super) fn check<P: Copy>(noun: &Noun<'_, P>, nearest: FindNearest<'_>, found: &mut Faults<P>) {
    let Some(label) = noun.label else { return };
    let unfit = |found| Problem::UnfitLabel { field: excerpt(label.text), found };
    let is_parent = noun.parent.is_some_and(|parent| parent.field.text == label.text);
    let attribute = noun.attributes.iter().find(|attribute| attribute.name.text == label.text);
    let problem = match attribute {
        Some(attribute) => unfitness(attribute).map(unfit),
        None if is_parent => Some(unfit("a reference")),
        None => FieldNames::of(noun).unknown(label.text, nearest),
    };
    found.extend(label.at, problem);
}

/// Returns what keeps a field from being a label. A field of an unknown kind may be one.
fn unfitness<P>(attribute: &Attribute<'_, P>) -> Option<&'static str> {
    match (attribute.mode, attribute.kind) {
        (_, Some(FieldKind::Password)) => Some("`password`"),
        (_, Some(FieldKind::Json)) => Some("`json`"),
        (_, Some(FieldKind::Boolean)) => Some("`boolean`"),
        (_, Some(FieldKind::Reference)) => Some("a reference"),
        _ if attribute.reference.is_some() => Some("a reference"),
        (FieldMode::Hidden, _) => Some("`hidden`"),
        (FieldMode::WriteOnly, _) => Some("`write_only`"),
        _ => None,
    }
}
