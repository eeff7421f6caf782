//! Tests of entity tags, and of the validators of members and collections.

use super::*;
use crate::model::{
    FieldIx, Filter, ListSelection, Op, RelatedRequest, RelatedSelections, RelationIx, SortKey,
    value::Value,
};

const FORM: Form = Form::of_look(Format::Json, 0xc0ff_ee00);

fn identity(number: u64) -> Tag {
    Tag { number, passed: None, coding: Coding::Identity }
}

#[test]
fn the_state_of_a_member_is_read_in_any_form() {
    let read = |tag: &str| TagReading::Member.read(tag);
    for tag in ["22-json-c0ffee00", "22-json-00000000", "22-csv-c0ffee00", "22-json-c0ffee00-gzip"]
    {
        assert_eq!(read(tag), Some(identity(22)), "{tag}");
    }
    for other in
        ["22", "22-json", "22-json-", "22-json-0", "22-json-C0FFEE00", "22-json-c0ffee0z", ""]
    {
        assert_eq!(read(other), None, "{other}");
    }
    for other in ["022-json", "-1-json", "+1-json", "22-xml", "22-problem", "22--json"] {
        assert_eq!(read(&format!("{other}-c0ffee00")), None, "{other}");
    }
    for other in ["zzz", "identity", "GZIP", "gzip-zzz", "gzip-gzip", "", "-"] {
        assert_eq!(read(&format!("22-json-c0ffee00-{other}")), None, "{other}");
    }
}

#[test]
fn the_state_of_a_collection_has_one_spelling() {
    let read = |tag: &str| TagReading::Collection.read(tag);
    for tag in ["00000000000000ff-json", "00000000000000ff-csv-gzip"] {
        assert_eq!(read(tag), Some(identity(255)), "{tag}");
    }
    for other in ["ff-json", "00000000000000FF-json", "00000000000000ff", "255-json-c0ffee00"] {
        assert_eq!(read(other), None, "{other}");
    }
    for other in ["", "json-", "json-zzz", "json-c0ffee00", "json-gzip-zzz", "json-identity"] {
        assert_eq!(read(&format!("00000000000000ff-{other}")), None, "{other}");
    }
}

#[test]
fn what_is_shown_is_read_in_its_form_alone() {
    let read = |tag| TagReading::Shown(FORM, Codings::IDENTITY).read(tag);
    assert_eq!(read("22-json-c0ffee00"), Some(identity(22)));
    for other in
        ["22-csv-c0ffee00", "22-json-c0ffee01", "22-json-c0ffee00-gzip", "022-json-c0ffee00"]
    {
        assert_eq!(read(other), None, "{other}");
    }
    assert_eq!(FORM.tag(22, Coding::Gzip), "\"22-json-c0ffee00-gzip\"");
    let longest = Form::of_look(Format::Ndjson, 0xc0ff_ee00);
    assert_eq!(
        longest.tag(u64::MAX, Coding::Gzip),
        "\"18446744073709551615-ndjson-c0ffee00-gzip\""
    );
    assert_eq!(
        Form::collection(Format::Csv).tag(255, Coding::Identity),
        "\"00000000000000ff-csv\""
    );
}

fn current(tag: u64, modified: u64) -> Option<CurrentState> {
    Some(CurrentState { tag, passed: 0, modified: Some(Second(modified)), is_ordered: true })
}

#[test]
fn the_tag_of_a_member_with_rows_of_other_tables_has_their_state() {
    let form = FORM.passing(None);
    let tag = |passed| form.of_passed(passed).tag(22, Coding::Identity);
    let text = |passed| tag(passed).to_str().unwrap().trim_matches('"').to_owned();
    assert_eq!(text(1).len(), "22-json-0123456789abcdef".len());
    let read = |tag: &str| TagReading::Shown(form, Codings::IDENTITY).read(tag);
    let shown = |passed| Some(Tag { passed: Some(passed), ..identity(22) });
    for passed in [0, 1, u64::MAX] {
        assert_eq!(read(&text(passed)), shown(passed));
        assert_eq!(TagReading::Member.read(&text(passed)), Some(identity(22)));
    }
    assert_eq!(read("22-json-c0ffee00"), None);
    assert_eq!(read("22-json-C0FFEE00C0FFEE00"), None, "digits have one spelling");
    let state = |passed| current(22, 0).map(|state| CurrentState { passed, ..state });
    let unless = |tag| Preconditions {
        if_none_match: Some(Tags::Listed(vec![tag])),
        ..Preconditions::default()
    };
    let verdict = |tag: Option<Tag>, passed| unless(tag.unwrap()).test(state(passed));
    assert_eq!(verdict(shown(7), 7), Verdict::Unchanged(Coding::Identity));
    assert_eq!(verdict(shown(7), 8), Verdict::Met);
    assert_eq!(verdict(Some(identity(22)), 8), Verdict::Unchanged(Coding::Identity));
    let longest = Form::of_look(Format::Ndjson, 0).passing(None).of_passed(u64::MAX);
    assert_eq!(longest.tag(u64::MAX, Coding::Gzip).len(), 51);
}

/// Conformance 62: `If-Match` is tested before `If-None-Match`.
#[test]
fn if_match_goes_before_if_none_match() {
    let conditions = Preconditions {
        if_match: Some(Tags::Listed(vec![identity(1)])),
        if_none_match: Some(Tags::Any),
        ..Preconditions::default()
    };
    assert_eq!(conditions.test(current(2, 0)), Verdict::Changed);
    assert_eq!(conditions.test(current(1, 0)), Verdict::Unchanged(Coding::Identity));
    assert_eq!(conditions.test(None), Verdict::Changed);
    assert_eq!(Preconditions::default().test(None), Verdict::Met);
}

#[test]
fn a_time_without_order_proves_nothing() {
    let state = current(1, 10).map(|state| CurrentState { is_ordered: false, ..state });
    let since = Some(Second(20));
    let unmodified = Preconditions { if_unmodified_since: since, ..Preconditions::default() };
    let modified = Preconditions { if_modified_since: since, ..Preconditions::default() };
    assert_eq!(unmodified.test(state), Verdict::Changed);
    assert_eq!(modified.test(state), Verdict::Met);
    let tags = Some(Tags::Listed(vec![identity(1)]));
    let same = Preconditions { if_none_match: tags, ..modified };
    assert_eq!(same.test(state), Verdict::Unchanged(Coding::Identity));
}

#[test]
fn dates_are_compared_where_there_is_one() {
    let since = Some(Second(10));
    let unmodified = Preconditions { if_unmodified_since: since, ..Preconditions::default() };
    let modified = Preconditions { if_modified_since: since, ..Preconditions::default() };
    let verdicts = |at| (unmodified.test(current(1, at)), modified.test(current(1, at)));
    assert_eq!(verdicts(10), (Verdict::Met, Verdict::Unchanged(Coding::Identity)));
    assert_eq!(verdicts(11), (Verdict::Changed, Verdict::Met));
    let unknown = Some(CurrentState { tag: 1, passed: 0, modified: None, is_ordered: true });
    assert_eq!((unmodified.test(unknown), modified.test(unknown)), (Verdict::Met, Verdict::Met));
}

/// Members with other lists have other tags, also if only a value differs.
#[test]
fn lists_are_part_of_a_tag() {
    let field = |at| FieldIx(at);
    let key = |at, descending| SortKey { field: field(at), descending };
    let list = |fields: &[FieldIx], filter, sort| ListSelection {
        relation: RelationIx(0),
        fields: fields.into(),
        filter,
        sort: vec![sort],
        related: RelatedSelections::default(),
    };
    let test = |op| Filter::test(field(1), op);
    let of = |list: ListSelection, values: &[i64]| {
        let selections = RelatedSelections { members: vec![], lists: vec![list] };
        let values = values.iter().copied().map(Value::Integer).collect();
        let related = RelatedRequest { selections, values };
        FORM.passing(Some(&related)).tag(1, Coding::Identity)
    };
    let name = [field(1)];
    let tags = [
        of(list(&name, test(Op::Eq), key(1, false)), &[1, 5]),
        of(list(&name, test(Op::Eq), key(1, false)), &[1, 6]),
        of(list(&name, test(Op::Eq), key(1, false)), &[2, 5]),
        of(list(&name, test(Op::Ne), key(1, false)), &[1, 5]),
        of(list(&name, test(Op::Eq), key(1, true)), &[1, 5]),
        of(list(&name, test(Op::Eq), key(2, false)), &[1, 5]),
        of(list(&[field(2)], test(Op::Eq), key(1, false)), &[1, 5]),
        FORM.passing(None).tag(1, Coding::Identity),
    ];
    for (at, tag) in tags.iter().enumerate() {
        assert!(tags[..at].iter().all(|other| other != tag), "{at}");
    }
}
