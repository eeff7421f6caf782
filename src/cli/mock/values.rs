//! Plausible values of fields.

use jiff::{SignedDuration, Timestamp, civil, tz::TimeZone};
use nouns_runtime::{
    def::{FieldDef, FieldKind, Format, Literal},
    model::FieldModel,
    value::Value,
};
use serde_json::Value as Json;

use super::{
    pattern,
    random::Random,
    words::{ADJECTIVES, CITIES, COUNTRIES, FAMILY, GIVEN, NOUNS, VERBS},
};

/// The number of texts that are tried for a field.
const TEXTS_MAX: usize = 50;

/// The width of a range that has one bound or none.
const WIDTH: i64 = 100;

/// The first and the last second of times without bounds: from 2020 to 2026.
const TIMES: (i64, i64) = (1_577_836_800, 1_798_761_599);

const SECONDS_A_DAY: i64 = 86_400;

/// A password for all accounts that are made.
pub(super) const PASSWORD: &str = "correct horse battery staple";

/// The field that gets a value, in a new member of a resource.
pub(super) struct ValueField<'f> {
    pub(super) field: &'f FieldModel,
    pub(super) def: &'f FieldDef,
    /// The name of the resource.
    pub(super) resource: &'f str,
    /// The number of the member, if no other one may have the value.
    pub(super) number: Option<usize>,
}

impl ValueField<'_> {
    /// A value as JSON. `None` if no valid one is found.
    pub(super) fn json(&self, random: &mut Random) -> Option<Json> {
        let value = match random.choose(self.def.choices) {
            Some(choice) => Value::literal(self.field.kind, *choice).ok()?,
            None => self.value(random)?,
        };
        if let Value::Password(_) = value {
            return Some(PASSWORD.into());
        }
        let spelled = value.spell(self.field.kind);
        match self.field.kind {
            FieldKind::Integer | FieldKind::Number | FieldKind::Boolean | FieldKind::Json => {
                serde_json::from_str(&spelled).ok()
            }
            _ => Some(spelled.into()),
        }
    }

    fn value(&self, random: &mut Random) -> Option<Value> {
        let of = |literal| Value::literal(self.field.kind, literal).ok();
        match self.field.kind {
            FieldKind::Integer => Some(Value::Integer(self.integer(random, 1))),
            FieldKind::Decimal { scale } => {
                let one = 10_i64.pow(u32::from(scale));
                Some(Value::Integer(self.integer(random, one)))
            }
            FieldKind::Number => Some(self.number(random)),
            FieldKind::Boolean => of(Literal::Boolean(random.chance(50))),
            FieldKind::Json => of(Literal::Json("{}")),
            FieldKind::Password => of(Literal::String(PASSWORD)),
            FieldKind::Date => {
                let day = self.time(random)?.to_zoned(TimeZone::UTC).date();
                Some(Value::Text(day.to_string()))
            }
            FieldKind::DateTime => Some(Value::Text(self.time(random)?.to_string())),
            FieldKind::Time => {
                let (from, to) = self.bounds().unwrap_or((0, SECONDS_A_DAY - 1));
                let since = SignedDuration::from_secs(random.between(from, to));
                let clock = civil::Time::midnight().checked_add(since).ok()?;
                Some(Value::Text(clock.strftime("%H:%M:%S").to_string()))
            }
            FieldKind::Uuid => {
                let mut digits = |count: usize| -> String {
                    (0..count).map(|_| format!("{:x}", random.below(16))).collect()
                };
                let [a, b, c, d, e] = [8, 4, 3, 3, 12].map(&mut digits);
                Some(Value::Text(format!("{a}-{b}-4{c}-8{d}-{e}")))
            }
            FieldKind::String | FieldKind::Reference => self.text(random).map(Value::Text),
        }
    }

    /// An integer within the bounds. Without bounds it is from 1 to 100, in units of `one`. One
    /// that no other member may have counts up, a decimal in steps that show its fraction digits.
    fn integer(&self, random: &mut Random, one: i64) -> i64 {
        let bound = |literal: Option<Literal>| match Value::literal(self.field.kind, literal?) {
            Ok(Value::Integer(bound)) => Some(bound),
            _ => None,
        };
        let (least, most) = (bound(self.def.minimum), bound(self.def.maximum));
        let from = least.unwrap_or_else(|| match most {
            Some(most) if most < one => most.saturating_sub(WIDTH.saturating_mul(one)),
            _ => one,
        });
        let to = most.unwrap_or_else(|| from.saturating_add((WIDTH - 1).saturating_mul(one)));
        match self.number {
            Some(number) => {
                let after = i64::try_from(number - 1).unwrap_or(i64::MAX);
                let step = match most {
                    Some(most) if one > 1 => step_within(from, most, one),
                    _ => step_of(one),
                };
                from.saturating_add(after.saturating_mul(step))
            }
            None => random.between(from, to),
        }
    }

    /// A number with one fraction digit, within the bounds.
    fn number(&self, random: &mut Random) -> Value {
        let bound = |literal: Option<Literal>| match Value::literal(self.field.kind, literal?) {
            Ok(Value::Number(bound)) => Some(bound),
            _ => None,
        };
        let (least, most) = (bound(self.def.minimum), bound(self.def.maximum));
        let from = least.unwrap_or_else(|| most.map_or(0.0, |most| (most - 100.0).min(0.0)));
        let to = most.unwrap_or(from + 100.0);
        let part = match self.number {
            Some(number) => number as f64 / 1000.0,
            None => random.below(1000) as f64 / 1000.0,
        };
        let value = from + (to - from) * part;
        let rounded = (value * 10.0).round() / 10.0;
        Value::Number(if (from..=to).contains(&rounded) { rounded } else { value })
    }

    /// The bounds of a date or a time, in seconds.
    fn bounds(&self) -> Option<(i64, i64)> {
        let bound = |literal: Option<Literal>| {
            let Some(Literal::String(text)) = literal else { return None };
            match self.field.kind {
                FieldKind::Time => {
                    let time: civil::Time = text.parse().ok()?;
                    Some(time.duration_since(civil::Time::midnight()).as_secs())
                }
                FieldKind::Date => {
                    let date: civil::Date = text.parse().ok()?;
                    let zoned = date.to_zoned(TimeZone::UTC).ok()?;
                    Some(zoned.timestamp().as_second())
                }
                _ => text.parse::<Timestamp>().ok().map(Timestamp::as_second),
            }
        };
        let (first, last) = match self.field.kind {
            FieldKind::Time => (0, SECONDS_A_DAY - 1),
            _ => TIMES,
        };
        Some(match (bound(self.def.minimum), bound(self.def.maximum)) {
            (None, None) => return None,
            (Some(from), Some(to)) => (from, to),
            (Some(from), None) => (from, last.max(from)),
            (None, Some(to)) => (first.min(to), to),
        })
    }

    /// A time between the bounds.
    fn time(&self, random: &mut Random) -> Option<Timestamp> {
        let (from, to) = self.bounds().unwrap_or(TIMES);
        Timestamp::from_second(random.between(from, to)).ok()
    }

    /// A text that is valid.
    fn text(&self, random: &mut Random) -> Option<String> {
        let is_valid = |text: &String| {
            let value = Value::Text(text.clone());
            let Self { field, .. } = self;
            field.constraints.check(field.kind, field.ignore_case, &value).is_empty()
        };
        let texts = (0..TEXTS_MAX).map(|_| self.any_text(random));
        texts.flatten().find(is_valid).or_else(|| match self.def.example {
            Some(Literal::String(text)) if self.number.is_none() => Some(text.to_owned()),
            _ => None,
        })
    }

    /// A text that may be too short or too long.
    fn any_text(&self, random: &mut Random) -> Option<String> {
        if let Some(pattern) = self.def.pattern {
            return pattern::text(pattern, random);
        }
        if let Some(format) = self.def.format {
            return Some(self.formatted(format, random));
        }
        let text = self.named(random);
        let gap = if text.starts_with(char::is_uppercase) { " " } else { "" };
        let text = match self.number {
            Some(number) => format!("{text}{gap}{number}"),
            None => text,
        };
        Some(self.fitted(text, random))
    }

    /// A text of a format.
    fn formatted(&self, format: Format, random: &mut Random) -> String {
        let [given, family, noun] = [&GIVEN[..], &FAMILY, &NOUNS].map(|words| word(random, words));
        let number = self.number.unwrap_or_else(|| random.below(1000));
        let (given, family) = (given.to_lowercase(), family.to_lowercase());
        match format {
            Format::Email => format!("{given}.{family}{number}@example.org"),
            Format::Uri => format!("https://example.org/{noun}/{number}"),
            Format::Hostname => format!("{noun}{number}.example.org"),
            Format::Slug => format!("{}-{noun}-{number}", word(random, &ADJECTIVES)),
            Format::Ipv4 => {
                format!("10.{}.{}.{}", number / 65_536 % 256, number / 256 % 256, number % 256)
            }
            Format::Ipv6 => format!("2001:db8::{number:x}"),
        }
    }

    /// A text for the name of the field.
    fn named(&self, random: &mut Random) -> String {
        let last = self.def.name.rsplit('_').next().unwrap_or_default();
        let of = |random: &mut Random, words| word(random, words).to_owned();
        match (self.def.name, last) {
            ("first_name" | "given_name" | "forename", _) => of(random, &GIVEN),
            ("last_name" | "family_name" | "surname", _) => of(random, &FAMILY),
            (_, "email" | "mail") => self.formatted(Format::Email, random),
            (_, "url" | "uri" | "link" | "website" | "homepage") => {
                self.formatted(Format::Uri, random)
            }
            (_, "phone" | "telephone" | "mobile") => {
                format!("+49 30 {}", 100_000 + random.below(900_000))
            }
            (_, "city" | "town") => of(random, &CITIES),
            (_, "country") => of(random, &COUNTRIES),
            (_, "street" | "address") => {
                format!("{} street {}", capitalised(word(random, &NOUNS)), 1 + random.below(99))
            }
            (_, "user" | "username" | "login" | "nickname") => {
                format!("{}{}", word(random, &GIVEN).to_lowercase(), random.below(100))
            }
            ("name" | "author" | "owner", _) if self.is_person() => {
                format!("{} {}", word(random, &GIVEN), word(random, &FAMILY))
            }
            (_, "author" | "owner") => {
                format!("{} {}", word(random, &GIVEN), word(random, &FAMILY))
            }
            (_, "body" | "text" | "content" | "message" | "description" | "comment" | "note") => {
                (0..1 + random.below(3)).map(|_| sentence(random)).collect::<Vec<_>>().join(" ")
            }
            _ => {
                let adjective = capitalised(word(random, &ADJECTIVES));
                format!("{adjective} {}", word(random, &NOUNS))
            }
        }
    }

    /// Whether the members of the resource are people.
    fn is_person(&self) -> bool {
        const PEOPLE: [&str; 16] = [
            "author", "admin", "user", "person", "customer", "member", "player", "employee",
            "keeper", "contact", "student", "teacher", "owner", "reader", "editor", "comment",
        ];
        PEOPLE.iter().any(|person| self.resource.rsplit('_').next() == Some(person))
    }

    /// A text of a length between the bounds.
    fn fitted(&self, mut text: String, random: &mut Random) -> String {
        let most = self.def.max_length.map_or(usize::MAX, |most| most as usize);
        if text.chars().count() > most {
            // The end has the number of a member.
            let skip = if self.number.is_some() { text.chars().count() - most } else { 0 };
            text = text.chars().skip(skip).take(most).collect::<String>().trim().to_owned();
        }
        let least = self.def.min_length.unwrap_or_default() as usize;
        if text.chars().count() < least {
            while text.chars().count() < least {
                text = format!("{text} {}", sentence(random));
            }
            text = text.chars().take(most).collect::<String>().trim().to_owned();
        }
        text
    }
}

fn word<'w>(random: &mut Random, words: &[&'w str]) -> &'w str {
    random.choose(words).copied().unwrap_or_default()
}

/// A sentence such as `The quiet river crosses the valley.`
fn sentence(random: &mut Random) -> String {
    let [adjective, subject, verb, object] =
        [&ADJECTIVES[..], &NOUNS, &VERBS, &NOUNS].map(|words| word(random, words));
    format!("The {adjective} {subject} {verb} the {object}.")
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}
/// The step between decimals of different members: 1.37 with two fraction digits.
const fn step_of(one: i64) -> i64 {
    one.saturating_add(one / 100 * 37 + (one % 100) * 37 / 100)
}

/// The step between decimals of different members within bounds: the bounds have room for as many
/// members as `--mock` makes, or for one with each decimal.
fn step_within(from: i64, most: i64, one: i64) -> i64 {
    let room = most.saturating_sub(from) / i64::from(u16::MAX);
    room.clamp(1, step_of(one))
}
