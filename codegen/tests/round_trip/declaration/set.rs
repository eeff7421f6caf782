//! Generates sets of values for types and fields. A set can be tightened, and a value can be chosen
//! from it.

use super::{Genes, Map, Value, json, list, number, odd_text, text};

/// A set of values, with the properties that are needed to choose a valid value.
#[derive(Clone)]
pub(super) struct Set {
    kind: &'static str,
    scale: usize,
    /// The tightness of the bounds, from 0 to 2. A set that builds on this one has at least this
    /// tightness.
    tightness: usize,
    has_pattern: bool,
    choices: Vec<Value>,
    /// The format of its strings, if declared.
    format: Option<&'static str>,
}

/// The formats of strings, each with a valid string.
const FORMATS: &[(&str, &str)] = &[
    ("email", "kim@example.org"),
    ("uri", "https://zoo.example.org/?a#b"),
    ("hostname", "zoo.example.org"),
    ("slug", "city-zoo-2"),
    ("ipv4", "127.0.0.1"),
    ("ipv6", "::1"),
];

/// Bounds for the values of a built-in type, from loose to tight. `values` are within all bounds.
struct Measure {
    minimums: [&'static str; 3],
    maximums: [&'static str; 3],
    values: [&'static str; 3],
}

const WHOLE: Measure = Measure {
    minimums: ["-9223372036854775808", "-10", "-5"],
    maximums: ["9223372036854775807", "100", "10"],
    values: ["0", "-3", "5.0"],
};
const REAL: Measure = Measure {
    minimums: ["-1e300", "-10.5", "-5"],
    maximums: ["1E+300", "100.25", "7.0"],
    values: ["0", "-0.0", "2.5e0"],
};
const EXACT: Measure = Measure {
    minimums: ["-1000", "-10", "-5"],
    maximums: ["1000", "100", "10"],
    values: ["0", "-3", "7"],
};
const DATE: Measure = Measure {
    minimums: ["0001-01-01", "1900-01-01", "1950-02-03"],
    maximums: ["9999-12-31", "2100-01-01", "2090-01-01"],
    values: ["2026-11-20", "2000-02-29", "1999-12-31"],
};
const TIME: Measure = Measure {
    minimums: ["00:00:00", "01:00:00.5", "02:00:00"],
    maximums: ["23:59:59.999999", "23:00:00", "22:00:00"],
    values: ["12:00:00", "15:30:00.250", "03:04:05"],
};
const DATETIME: Measure = Measure {
    minimums: ["0001-01-02T00:00:00Z", "1900-01-01T00:00:00+01:00", "1950-01-01T00:00:00Z"],
    maximums: ["9999-12-30T00:00:00Z", "2100-01-01T00:00:00z", "2090-01-01T00:00:00Z"],
    values: ["2026-11-20T10:00:00+02:00", "2000-01-01T00:00:00.123Z", "1999-12-31T23:59:59-05:00"],
};

impl Set {
    fn of(kind: &'static str) -> Self {
        Self { kind, scale: 0, tightness: 0, has_pattern: false, choices: Vec::new(), format: None }
    }

    /// Declares a set that builds on no named type.
    pub(super) fn declare(map: &mut Map, genes: &mut Genes<'_>) -> Self {
        let kinds = [
            "string", "integer", "number", "decimal", "boolean", "date", "time", "datetime",
            "uuid", "json", "password",
        ];
        match genes.below(kinds.len() + 3) {
            choice if choice < kinds.len() => {
                let mut set = Self::of(kinds[choice]);
                map.put("type", text(set.kind));
                if set.kind == "decimal" {
                    set.scale = genes.pick(&[2, 0, 1, 9]);
                    map.put("scale", number(set.scale));
                }
                set.tighten(map, genes)
            }
            choice => {
                let whole = choice == kinds.len();
                let set = Self {
                    choices: choices(whole, genes),
                    ..Self::of(if whole { "integer" } else { "string" })
                };
                map.put("enum", list(set.choices.clone()));
                set.tighten(map, genes)
            }
        }
    }

    /// Declares a set that builds on this set.
    pub(super) fn tighten(&self, map: &mut Map, genes: &mut Genes<'_>) -> Self {
        let mut set = self.clone();
        set.tightness = self.tightness.max(genes.below(3));
        if let Some(measure) = self.measure().filter(|_| self.choices.is_empty()) {
            for (key, bounds) in [("minimum", measure.minimums), ("maximum", measure.maximums)] {
                if genes.once_in(2) {
                    let bound = bounds[set.tightness];
                    map.put(key, if self.is_a_number() { number(bound) } else { text(bound) });
                }
            }
        }
        if !self.choices.is_empty() && !map.has("enum") && genes.once_in(2) {
            set.choices = genes.some_of(&self.choices);
            map.put("enum", list(set.choices.clone()));
        }
        match self.kind {
            "string" => set.tighten_string(map, genes),
            "password" => {
                set.tighten_text(map, [[255, 200, 150], [8, 9, 10]], genes);
            }
            _ => {}
        }
        set
    }

    fn tighten_string(&mut self, map: &mut Map, genes: &mut Genes<'_>) {
        if self.choices.is_empty() && self.format.is_none() && genes.once_in(4) {
            let format = genes.pick(FORMATS).0;
            self.format = Some(format);
            map.put("format", text(format));
        }
        if genes.once_in(3) {
            map.put("ignore_case", Value::Boolean(true));
        }
        self.tighten_text(map, [[500, 400, 300], [0, 0, 1]], genes);
    }

    /// Declares a length within these maximums and minimums, and a pattern.
    fn tighten_text(&mut self, map: &mut Map, lengths: [[usize; 3]; 2], genes: &mut Genes<'_>) {
        for (key, lengths) in ["max_length", "min_length"].into_iter().zip(lengths) {
            if genes.once_in(3) {
                map.put(key, number(lengths[self.tightness]));
            }
        }
        if !self.has_pattern && genes.once_in(3) {
            self.has_pattern = true;
            map.put("pattern", text(genes.pick(&["^", r"\d*", "\"?#*", "(?s)^.*$", "é*", "\n?"])));
        }
    }

    fn measure(&self) -> Option<Measure> {
        Some(match self.kind {
            "integer" => WHOLE,
            "number" => REAL,
            "decimal" => EXACT,
            "date" => DATE,
            "time" => TIME,
            "datetime" => DATETIME,
            _ => return None,
        })
    }

    fn is_a_number(&self) -> bool {
        matches!(self.kind, "integer" | "number" | "decimal")
    }

    pub(super) fn is_a_time(&self) -> bool {
        matches!(self.kind, "date" | "time" | "datetime")
    }

    pub(super) fn is_json(&self) -> bool {
        self.kind == "json"
    }

    pub(super) fn is_password(&self) -> bool {
        self.kind == "password"
    }

    pub(super) fn is_ordered(&self) -> bool {
        !self.is_json() && !self.is_password()
    }

    /// A value of this set that can be a default. A text that begins with `$` is replaced: as a
    /// default, it would be a variable.
    pub(super) fn default(&self, genes: &mut Genes<'_>) -> Value {
        match self.value(genes) {
            Value::Text(text) if text.starts_with('$') && !self.is_json() => {
                Value::Text("plain".to_owned())
            }
            value => value,
        }
    }

    /// A value of this set.
    pub(super) fn value(&self, genes: &mut Genes<'_>) -> Value {
        if !self.choices.is_empty() {
            return self.choices[genes.below(self.choices.len())].clone();
        }
        if let Some((_, example)) = FORMATS.iter().find(|(format, _)| Some(*format) == self.format)
        {
            return text(*example);
        }
        match (self.measure(), self.kind) {
            (Some(measure), "decimal") if self.scale > 0 => {
                text(format!("{}.5", genes.pick(&measure.values)))
            }
            (Some(measure), _) if self.is_a_number() => number(genes.pick(&measure.values)),
            (Some(measure), _) => text(genes.pick(&measure.values)),
            (None, "boolean") => Value::Boolean(genes.once_in(2)),
            (None, "uuid") => text("0190B5A8-6C1F-7C3E-9D2A-3F1E5B7C9D10"),
            (None, "json") => json(genes, 3),
            (None, "password") => text(format!("correct horse {}", odd_text(genes))),
            (None, _) => text(odd_text(genes)),
        }
    }
}

/// The different values of an enumeration.
fn choices(whole: bool, genes: &mut Genes<'_>) -> Vec<Value> {
    let usual =
        ["draft", "on_hold", "done", "self", "true", "a_1", "Big", "two words", "don't", "50%"];
    let (mut texts, mut choices) = (Vec::new(), Vec::new());
    for index in 0..=genes.below(5) {
        let choice = match genes.below(3) {
            0 => usual[index].to_owned(),
            1 => genes.pick(&usual).to_owned(),
            _ => odd_text(genes),
        };
        if !whole && !texts.contains(&choice) {
            choices.push(text(&choice));
            texts.push(choice);
        }
    }
    if whole { vec![number(3), number(-1), number(0)] } else { choices }
}
