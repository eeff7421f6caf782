//! Checks the tests of access rules: their fields, operators and values.

use super::access::TestDraft;
use super::context::{Context, Scope};
use super::literal;
use super::resource::ResourceDraft;
use crate::diagnostic::Problem;
use crate::draft::{Origin, excerpt};
use crate::schema::{FieldKind, IdKind, Operand, TestOp};
use nouns_declaration::check::access::{OTHER_SCALE, PathEnd, resolve};
use nouns_declaration::outline::{Noun, Outline};

/// Checks the tests in the rules of all resources.
pub(super) fn check(
    drafts: &[ResourceDraft<'_>],
    outline: &Outline<'_, Origin>,
    context: &mut Context,
) {
    for (draft, noun) in drafts.iter().zip(&outline.nouns) {
        for test in &draft.access.tests {
            check_test(test, noun, outline, context);
        }
    }
}

fn check_test(
    test: &TestDraft<'_>,
    noun: &Noun<'_, Origin>,
    outline: &Outline<'_, Origin>,
    context: &mut Context,
) {
    let path = test.path.value;
    let nearest = &mut |name: &str, known: &[&str]| context.nearest(name, known);
    let end = match resolve(outline, noun, path, nearest) {
        Ok(end) => end,
        // A derive macro sees no other struct, so a longer path may be right.
        Err(Problem::UnknownStep { .. }) if context.scope == Scope::Item => None,
        Err(problem) => return context.report(test.path.at, problem),
    };
    let Some(kind) = end.and_then(|end| kind(end, context)) else { return };
    if !kind.is_ordered() && test.test.operand != Operand::Null {
        let problem = Problem::Incomparable { path: excerpt(path), kind: kind.word() };
        return context.report(test.path.at, problem);
    }
    if is_of_text(test.test.op) && kind != FieldKind::String {
        let kind = format!("type `{}`", kind.word());
        let key = test.test.op.word().to_owned();
        return context.report(test.at, Problem::Unfit { key, kind, fits: "`string`" });
    }
    check_values(test, kind, outline, context);
}

/// Checks that each fixed value is a value of the field.
fn check_values(
    test: &TestDraft<'_>,
    kind: FieldKind,
    outline: &Outline<'_, Origin>,
    context: &mut Context,
) {
    match &test.test.operand {
        Operand::Now
            if !matches!(kind, FieldKind::Date | FieldKind::Time | FieldKind::DateTime) =>
        {
            let kind = format!("type `{}`", kind.word());
            let fits = "`date`, `time` and `datetime`";
            context.report(test.at, Problem::Unfit { key: "$now".to_owned(), kind, fits });
        }
        Operand::Account(field) => check_account(test, field, kind, outline, context),
        _ => {
            for value in &test.values {
                let read = literal::read(&value.value, Some(kind));
                super::domain::ok_or_report(test.path.value, value, read, context);
            }
        }
    }
}

/// Checks that a field of the account exists, and that its values are of the same kind.
fn check_account(
    test: &TestDraft<'_>,
    field: &str,
    kind: FieldKind,
    outline: &Outline<'_, Origin>,
    context: &mut Context,
) {
    let Some(accounts) = outline.accounts.as_ref().map(|accounts| accounts.resource.text) else {
        return;
    };
    let Some(noun) = outline.nouns.iter().find(|noun| noun.name.text == accounts) else { return };
    if field.contains('.') {
        let expected = "a field of the account, without a path".to_owned();
        let (key, value) = (excerpt(test.path.value), format!("$account.{}", excerpt(field)));
        return context.report(test.at, Problem::WrongValue { key, value, expected });
    }
    let nearest = &mut |name: &str, known: &[&str]| context.nearest(name, known);
    let end = match resolve(outline, noun, field, nearest) {
        Ok(end) => end,
        Err(problem) => return context.report(test.at, problem),
    };
    let Some(other) = end.and_then(|end| self::kind(end, context)) else { return };
    if other != kind {
        let is_scale = other.word() == kind.word();
        context.report(
            test.at,
            Problem::OtherKind {
                path: excerpt(test.path.value),
                kind: kind.word(),
                other: format!("$account.{field}"),
                other_kind: if is_scale { OTHER_SCALE } else { other.word() },
            },
        );
    }
}

const fn is_of_text(op: TestOp) -> bool {
    matches!(op, TestOp::Contains | TestOp::StartsWith | TestOp::EndsWith)
}

/// The kind of the values at the end of a path. `None` if another item declares it.
fn kind(end: PathEnd<'_>, context: &Context) -> Option<FieldKind> {
    match end.target {
        Some(target) => context.ids.get(target).copied().map(IdKind::kind),
        None => end.kind,
    }
}
