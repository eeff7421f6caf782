//! [`Spelling`]: how the values of a kind are spelled in a list of a query, as a regular
//! expression.

use crate::model::def::FieldKind;

/// The regular expression of a value in a list, without anchors. `None` is any text, which is a
/// list of texts, too.
pub(super) struct Spelling(Option<String>);

/// Two texts. A comma in them has a backslash before it; at the end, a backslash is itself.
const TEXTS: &str = "^([^,\\\\]|\\\\[\\s\\S])*,([^,\\\\]|\\\\[\\s\\S])*\\\\?$";

/// A date. It has no 29 February, since an expression cannot tell leap years.
const DATE: &str = concat!(
    "[0-9]{3}[1-9]-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])",
    "|(0[469]|11)-(0[1-9]|[12][0-9]|30)",
    "|02-(0[1-9]|1[0-9]|2[0-8]))",
);

const TIME: &str = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?";

const UUID: &str = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";

impl Spelling {
    pub(super) fn of(kind: FieldKind) -> Self {
        Self(Some(match kind {
            FieldKind::String | FieldKind::Password | FieldKind::Json => return Self(None),
            FieldKind::Integer | FieldKind::Reference => "(0|-?[1-9][0-9]{0,17})".into(),
            FieldKind::Number => "(0|-?[1-9][0-9]{0,14})(\\.[0-9]{1,9})?".into(),
            FieldKind::Decimal { scale: 0 } => "(0|-?[1-9][0-9]{0,16})".into(),
            FieldKind::Decimal { scale } => {
                let whole = 16_u8.saturating_sub(scale);
                format!("(0|-?[1-9][0-9]{{0,{whole}}})(\\.[0-9]{{1,{scale}}})?")
            }
            FieldKind::Boolean => "(true|false)".into(),
            FieldKind::Date => DATE.into(),
            FieldKind::Time => TIME.into(),
            FieldKind::DateTime => format!("{DATE}T{TIME}Z"),
            FieldKind::Uuid => UUID.into(),
        }))
    }

    /// The expression of a list; `None` if any text is a list.
    pub(super) fn list(&self) -> Option<String> {
        self.0.as_ref().map(|one| format!("^{one}(,{one}){{0,{MORE}}}$"))
    }

    /// The expression of two values.
    pub(super) fn pair(&self) -> String {
        self.0.as_ref().map_or_else(|| TEXTS.into(), |one| format!("^{one},{one}$"))
    }
}

/// The maximum number of values that follow the first in a list, as far as the document says. The
/// server's own limit is larger, and counts all filters of a request.
const MORE: u32 = 49;
