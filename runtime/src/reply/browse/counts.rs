//! The counts of a page: the number of members, and the frequent values of fields as bars. Each bar
//! is a link that sets the filter.

use serde::Serialize;

use super::{
    column::{beginning, named},
    filter::equality,
    parameters::{POSITIONS, Parameters},
};
use crate::{
    model::{FieldModel, ResourceModel},
    plan::{BoundedCount, FieldTally, FoundLookups, TalliedValue},
};

/// The longest text beside a bar, in characters.
const BAR_CHARACTERS: usize = 60;

/// The width of the longest bar.
const BAR_WIDTH: u32 = 100;

/// A number of members for people.
#[derive(Serialize)]
pub(super) struct CountView {
    /// The number, such as `1,234` or `10,000+`.
    text: String,
    /// Whether it is exactly one.
    is_one: bool,
}

/// The frequent values of a field.
#[derive(Serialize)]
pub(super) struct TallyView {
    name: String,
    bars: Vec<BarView>,
}

/// A value with the number of its members.
#[derive(Serialize)]
struct BarView {
    text: String,
    count: CountView,
    /// The width of the bar, from 1 to 100.
    width: u32,
    /// The page with the filter for the value, or without it if it is in effect.
    href: String,
    is_active: bool,
}

impl CountView {
    pub(super) fn of(BoundedCount { members, has_more }: BoundedCount) -> Self {
        let mut text = members.to_string();
        let digits = text.len();
        for at in (1..digits).rev().filter(|at| (digits - at).is_multiple_of(3)) {
            text.insert(at, ',');
        }
        text.extend(has_more.then_some('+'));
        Self { text, is_one: members == 1 && !has_more }
    }
}

/// Returns the counts of the values of each field, if a field has at least one value.
pub(super) fn tallies(
    resource: &ResourceModel,
    found: &FoundLookups,
    path: &str,
    parameters: &Parameters,
) -> Vec<TallyView> {
    let tally = |tally: &FieldTally| {
        let field = &resource[tally.field];
        let most = tally.values.iter().map(|one| one.count.members).max()?;
        let bar = |one: &TalliedValue| bar(field, one, (path, parameters), most);
        let bars = tally.values.iter().map(bar).collect();
        Some(TallyView { name: field.name.to_string(), bars })
    };
    found.tallies.iter().filter_map(tally).collect()
}

fn bar(
    field: &FieldModel,
    TalliedValue { value, label, count }: &TalliedValue,
    (path, parameters): (&str, &Parameters),
    most: u32,
) -> BarView {
    let name = equality(&field.name, value);
    let is_active = parameters.get(&name) == Some(value.as_str());
    let rest = parameters.without(&POSITIONS).without(&names(&field.name));
    let there = if is_active { rest } else { rest.with(&name, value) };
    BarView {
        text: named(beginning(label.as_deref().unwrap_or(value), BAR_CHARACTERS)),
        width: (count.members * BAR_WIDTH / most.max(1)).max(1),
        count: CountView::of(*count),
        href: there.url(path),
        is_active,
    }
}

/// The names of all parameters that test a field directly.
fn names(field: &str) -> Vec<String> {
    let ops = ["eq", "ne", "lt", "lte", "gt", "gte", "in", "nin", "contains", "starts_with"];
    let ops = ops.into_iter().chain(["ends_with", "between", "null"]);
    let forms = |op: &str| [format!("{field}[{op}]"), format!("filter[{field}][{op}]")];
    let plain = [field.to_owned(), format!("filter[{field}]")];
    plain.into_iter().chain(ops.flat_map(forms)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_for_people() {
        let text = |members, has_more| CountView::of(BoundedCount { members, has_more }).text;
        assert_eq!(text(0, false), "0");
        assert_eq!(text(999, false), "999");
        assert_eq!(text(1000, false), "1,000");
        assert_eq!(text(10_000, true), "10,000+");
        assert_eq!(text(1_234_567, false), "1,234,567");
    }
}
