//! Checks of constraints: whether a constraint fits the kind of a field, allows at least one value,
//! and is at least as strict as the constraint of the named type.

use super::{Fault, FindNearest};
use crate::{
    constraint::ConstraintKey,
    def::{FieldKind, Format},
    problem::{Problem, excerpt},
};

/// The maximum number of digits of a decimal: as many as a scaled 64-bit integer can always hold.
pub const DECIMAL_DIGITS_MAX: usize = 18;

/// The maximum number of listed values that a message shows.
const LISTED_MAX: usize = 8;

/// Whether a field of this kind may have `minimum` and `maximum`.
#[must_use]
pub const fn is_measured(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::Date | FieldKind::Time | FieldKind::DateTime)
        || matches!(kind, FieldKind::Integer | FieldKind::Number | FieldKind::Decimal { .. })
}

/// Whether this kind is `string`, whose values may be any text.
#[must_use]
pub const fn is_string(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::String)
}

/// Whether a client may send any text as a value of this kind.
#[must_use]
pub const fn is_text(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::String | FieldKind::Password)
}

/// Whether a field of this kind may have `enum`.
#[must_use]
pub const fn is_listed(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::String | FieldKind::Integer)
}

/// Whether a field of this kind may have `scale`.
pub(crate) const fn is_decimal(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::Decimal { .. })
}

/// One problem for each present key that does not fit the kind of the field. `is_said` tells
/// whether a key is present.
///
/// ```
/// use nouns_declaration::{check::bounds::unfit, def::FieldKind};
/// let found = unfit(FieldKind::Boolean, |key| key == "minimum");
/// let sentence = "`minimum` does not fit type `boolean`; it is for numbers, dates and times";
/// assert_eq!((found.len(), found[0].problem.to_string().as_str()), (1, sentence));
/// ```
#[must_use]
pub fn unfit(kind: FieldKind, is_said: impl Fn(&str) -> bool) -> Vec<Fault<&'static str>> {
    let described = || match kind {
        FieldKind::Reference => "a reference".to_owned(),
        kind => format!("type `{}`", kind.word()),
    };
    let constraints =
        ConstraintKey::WORDS.iter().map(|(word, key)| (*word, key.kinds(), key.fits(kind)));
    let compared = ["unique", "index", "filterable", "sortable"];
    let compared =
        compared.map(|key| (key, "every type but `json` and `password`", kind.is_ordered()));
    let open = ["default", "read_only", "create_only"];
    let open = open.map(|key| (key, "every type but `password`", !kind.is_password()));
    let others = compared.into_iter().chain(open);
    let unfit = constraints.chain(others).filter(|(key, _, fits)| !fits && is_said(key));
    let fault = |(at, fits, _): (&'static str, _, _)| Fault {
        at,
        problem: Problem::Unfit { key: at.to_owned(), kind: described(), fits },
    };
    unfit.map(fault).collect()
}

/// A description of the values of a kind, for messages.
#[must_use]
pub fn expected(kind: FieldKind) -> String {
    let text = match kind {
        FieldKind::String | FieldKind::Password => "text",
        FieldKind::Integer => "a whole number of at most 64 bits",
        FieldKind::Number => "a finite number",
        FieldKind::Decimal { scale } => {
            return format!(
                "a decimal number with at most {scale} fraction digits and {DECIMAL_DIGITS_MAX} \
                 digits in all"
            );
        }
        FieldKind::Boolean => "`true` or `false`",
        FieldKind::Date => "a date like `2026-11-20`",
        FieldKind::Time => "a time like `23:59:59`, in quotes where YAML needs them",
        FieldKind::DateTime => "a time like `2026-11-20T23:59:59Z`, with its offset from UTC",
        FieldKind::Uuid => "a UUID like `0190b5a8-6c1f-7c3e-9d2a-3f1e5b7c9d10`",
        FieldKind::Json => "a JSON value, which has no infinite numbers",
        FieldKind::Reference => "the id of a member",
    };
    text.to_owned()
}

/// A value of `minimum`, `maximum`, `min_length` or `max_length`.
pub trait Bound {
    /// Whether this bound is greater than another bound of the same kind.
    fn is_above(&self, other: &Self) -> bool;

    /// The text of this bound in messages.
    fn spell(&self) -> String;
}

impl Bound for u32 {
    fn is_above(&self, other: &Self) -> bool {
        self > other
    }

    fn spell(&self) -> String {
        self.to_string()
    }
}

/// The constraints of a field or of a named type, to be compared with each other.
#[derive(Clone, Debug)]
pub struct Bounds<'d, V> {
    /// The smallest allowed value.
    pub minimum: Option<V>,
    /// The largest allowed value.
    pub maximum: Option<V>,
    /// The minimum length of a string in code points.
    pub min_length: Option<u32>,
    /// The maximum length of a string in code points.
    pub max_length: Option<u32>,
    /// A regular expression that must match some part of each string.
    pub pattern: Option<&'d str>,
    /// The format that a string must have.
    pub format: Option<Format>,
    /// Whether upper-case and lower-case ASCII letters count as equal.
    pub ignore_case: bool,
}

impl<V: Bound> Bounds<'_, V> {
    /// One problem for each lower bound that is above its upper bound, with the keys of both
    /// bounds.
    ///
    /// ```
    /// use nouns_declaration::check::bounds::Bounds;
    /// let bounds = Bounds::<u32> {
    ///     minimum: None,
    ///     maximum: None,
    ///     min_length: Some(2),
    ///     max_length: Some(1),
    ///     pattern: None,
    ///     format: None,
    ///     ignore_case: false,
    /// };
    /// let found = bounds.empty();
    /// assert_eq!(found[0].at, ["min_length", "max_length"]);
    /// ```
    #[must_use]
    pub fn empty(&self) -> Vec<Fault<[&'static str; 2]>> {
        let values = empty(["minimum", "maximum"], self.minimum.as_ref(), self.maximum.as_ref());
        let lengths =
            empty(["min_length", "max_length"], self.min_length.as_ref(), self.max_length.as_ref());
        values.into_iter().chain(lengths).collect()
    }

    /// One problem for each constraint that is looser than the constraint of the named type. A
    /// field may only tighten the constraints of its named type.
    #[must_use]
    pub fn looser(&self, named: &Self, type_name: &str) -> Vec<Fault<&'static str>> {
        let word = |format: Format| format.word().to_owned();
        let flag = |flag: bool| Some(flag.to_string());
        let loosened = named.ignore_case && !self.ignore_case;
        let found = [
            below("minimum", self.minimum.as_ref(), named.minimum.as_ref()),
            above("maximum", self.maximum.as_ref(), named.maximum.as_ref()),
            below("min_length", self.min_length.as_ref(), named.min_length.as_ref()),
            above("max_length", self.max_length.as_ref(), named.max_length.as_ref()),
            other("pattern", self.pattern.map(str::to_owned), named.pattern.map(str::to_owned))
                .map(LooserBound::shortened),
            other("format", self.format.map(word), named.format.map(word)),
            other("ignore_case", flag(self.ignore_case), flag(true)).filter(|_| loosened),
        ];
        let fault = |LooserBound { key, value, limit }| Fault {
            at: key,
            problem: Problem::Looser { key, value, type_name: type_name.to_owned(), limit },
        };
        found.into_iter().flatten().map(fault).collect()
    }
}

fn empty<V: Bound>(
    keys: [&'static str; 2],
    low: Option<&V>,
    high: Option<&V>,
) -> Option<Fault<[&'static str; 2]>> {
    let (low, high) = low.zip(high).filter(|(low, high)| low.is_above(*high))?;
    let [low_key, high_key] = keys;
    let problem = Problem::EmptyRange { low_key, low: low.spell(), high_key, high: high.spell() };
    Some(Fault { at: keys, problem })
}

/// A key whose value is looser than the limit that the named type sets.
struct LooserBound {
    key: &'static str,
    value: String,
    limit: String,
}

impl LooserBound {
    /// Shortens the two texts for a message. The comparison has already used the whole texts.
    fn shortened(self) -> Self {
        Self { value: excerpt(&self.value), limit: excerpt(&self.limit), ..self }
    }

    /// Creates the record of a key whose value in the field is looser than `limit`. A field
    /// without the key (`None`) is looser than any limit.
    fn new(key: &'static str, value: Option<String>, limit: String) -> Self {
        Self { key, value: value.unwrap_or_else(|| "null".to_owned()), limit }
    }
}

fn below<V: Bound>(key: &'static str, own: Option<&V>, named: Option<&V>) -> Option<LooserBound> {
    let named = named.filter(|named| own.is_none_or(|own| named.is_above(own)))?;
    Some(LooserBound::new(key, own.map(V::spell), named.spell()))
}

fn above<V: Bound>(key: &'static str, own: Option<&V>, named: Option<&V>) -> Option<LooserBound> {
    let named = named.filter(|named| own.is_none_or(|own| own.is_above(named)))?;
    Some(LooserBound::new(key, own.map(V::spell), named.spell()))
}

/// Compares two constraints that have no order, such as patterns. Returns `None` if they are equal,
/// or if the named type has none.
fn other(key: &'static str, own: Option<String>, named: Option<String>) -> Option<LooserBound> {
    let named = named.filter(|named| own.as_ref() != Some(named))?;
    Some(LooserBound::new(key, own, named))
}

/// The part of a message that names the constraint which a value breaks.
///
/// ```
/// use nouns_declaration::check::bounds::broken;
/// assert_eq!(broken("minimum", "5"), "below `minimum`, which is `5`");
/// ```
#[must_use]
pub fn broken(key: &str, limit: &str) -> String {
    match key {
        "minimum" => format!("below `minimum`, which is `{limit}`"),
        "maximum" => format!("above `maximum`, which is `{limit}`"),
        "min_length" => format!("shorter than `min_length`, which is `{limit}`"),
        "max_length" => format!("longer than `max_length`, which is `{limit}`"),
        "format" => format!("not of the format `{limit}`"),
        _ => format!("which does not match `{key}`, `{}`", excerpt(limit)),
    }
}

/// The part of a message for a value that `enum` does not list, with the first listed values.
pub fn unlisted(value: &str, listed: &[String], nearest: FindNearest<'_>) -> String {
    let words: Vec<_> = listed.iter().map(String::as_str).collect();
    let near = nearest(&value.to_lowercase(), &words).0;
    let near = near.map(|near| format!("; `{near}` is near")).unwrap_or_default();
    let rest = if listed.len() > LISTED_MAX { ", …" } else { "" };
    let listed = words[..words.len().min(LISTED_MAX)].join("`, `");
    format!("which `enum` does not list (it has `{listed}`{rest}{near})")
}

/// The part of a message for a value that the `enum` of its named type does not list.
#[must_use]
pub fn unlisted_by_type(type_name: &str) -> String {
    format!("which type `{type_name}` does not list")
}
