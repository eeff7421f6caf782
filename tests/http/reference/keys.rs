//! The tables of keys: where each stands, its value, its default, its meaning and an example.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// A valid schema with every key. Its parts are the examples.
pub(super) const EXAMPLES: &str = include_str!("keys.yaml");

/// A table with more keys is in alphabetical order, to look keys up.
const UNSORTED_MAX: usize = 12;

/// The pointers of all mappings of the JSON Schema whose keys are described. A mapping is where its
/// keys are: references are followed.
pub(super) fn levels(schema: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(schema, "", &mut found);
    found
}

fn collect(value: &Value, pointer: &str, found: &mut BTreeSet<String>) {
    let Some(object) = value.as_object() else { return };
    if object.get("properties").and_then(Value::as_object).is_some_and(|properties| {
        !properties.is_empty() && properties.values().all(|key| key["description"].is_string())
    }) {
        found.insert(pointer.to_owned());
    }
    for (name, value) in object {
        collect(value, &format!("{pointer}/{name}"), found);
        for (at, element) in value.as_array().into_iter().flatten().enumerate() {
            collect(element, &format!("{pointer}/{name}/{at}"), found);
        }
    }
}

/// The pointer of the mapping that a value may be: where its keys are.
fn mapping(schema: &Value, pointer: &str) -> Option<String> {
    let value = schema.pointer(pointer)?;
    if let Some(target) = value["$ref"].as_str() {
        return mapping(schema, target.strip_prefix('#')?);
    }
    if value["properties"].is_object() || value["additionalProperties"].is_object() {
        return Some(pointer.to_owned());
    }
    let options = value["anyOf"].as_array().map_or(0, Vec::len);
    (0..options).find_map(|at| mapping(schema, &format!("{pointer}/anyOf/{at}")))
}

/// The pointer of the value of a key in a mapping.
fn value_of(schema: &Value, mapping: &str, key: &str) -> Option<String> {
    let declared = format!("{mapping}/properties/{key}");
    let any = format!("{mapping}/additionalProperties");
    [declared, any]
        .into_iter()
        .find(|pointer| schema.pointer(pointer).is_some_and(Value::is_object))
}

/// A line of the schema with the examples.
struct Line<'text> {
    columns: usize,
    key: &'text str,
    value: &'text str,
}

/// The examples with their lines, by the pointer of the mapping and the key.
pub(super) struct Examples(BTreeMap<(String, String), (usize, String)>);

impl Examples {
    /// Reads the schema with the examples. Each line is a key with a value, or with a mapping
    /// below.
    pub(super) fn read(schema: &Value) -> Self {
        let lines: Vec<_> = EXAMPLES.lines().filter_map(line).collect();
        let mut examples = BTreeMap::new();
        let mut parents: Vec<(usize, Option<String>)> = vec![(0, Some(String::new()))];
        for (at, line) in lines.iter().enumerate() {
            parents.retain(|(columns, _)| *columns <= line.columns);
            let Some(parent) = parents.last().unwrap().1.clone() else { continue };
            examples
                .entry((parent.clone(), line.key.to_owned()))
                .or_insert_with(|| (at, shown(&lines[at..])));
            let value = value_of(schema, &parent, line.key)
                .unwrap_or_else(|| panic!("`{}` is no key of {parent}", line.key));
            parents.push((line.columns + 1, mapping(schema, &value)));
        }
        Self(examples)
    }

    fn of(&self, mapping: &str, key: &str) -> Option<&str> {
        self.0.get(&(mapping.to_owned(), key.to_owned())).map(|(_, example)| example.as_str())
    }

    /// The position of a key in a short table: keys come in the order of their examples.
    fn position(&self, mapping: &str, key: &str) -> usize {
        self.0.get(&(mapping.to_owned(), key.to_owned())).map_or(usize::MAX, |(line, _)| *line)
    }
}

fn line(text: &str) -> Option<Line<'_>> {
    let trimmed = text.trim_start();
    let (key, value) = trimmed.split_once(':').filter(|_| !trimmed.starts_with('#'))?;
    Some(Line { columns: text.len() - trimmed.len(), key, value: value.trim() })
}

/// A key with its value. Of a mapping below it, the first key is shown.
fn shown(lines: &[Line<'_>]) -> String {
    let line = &lines[0];
    match line.value {
        "" => format!("{}: {{ {} }}", line.key, shown(&lines[1..])),
        value => format!("{}: {value}", line.key),
    }
}

/// The data from which tables of keys are made.
pub(super) struct Table<'page> {
    pub(super) schema: &'page Value,
    pub(super) examples: &'page Examples,
    /// The page and the anchor of each table, by the pointer to its mapping.
    pub(super) places: &'page BTreeMap<String, (String, String)>,
    pub(super) page: &'page str,
    /// The anchors of the page.
    pub(super) anchors: Vec<String>,
}

impl Table<'_> {
    /// The table of the keys of a mapping.
    pub(super) fn of(&self, pointer: &str) -> String {
        let keys = self.schema.pointer(pointer).and_then(|keys| keys["properties"].as_object());
        let keys = keys.unwrap_or_else(|| panic!("the JSON Schema has no mapping {pointer}"));
        let mut keys: Vec<_> = keys.iter().collect();
        if keys.len() <= UNSORTED_MAX {
            keys.sort_by_key(|(name, _)| self.examples.position(pointer, name));
        }
        let has_defaults = keys.iter().any(|(_, key)| !key["default"].is_null());
        let mut table = match has_defaults {
            true => "| key | value | default | meaning | example |\n|---|---|---|---|---|\n",
            false => "| key | value | meaning | example |\n|---|---|---|---|\n",
        }
        .to_owned();
        for (name, key) in keys {
            let mut cells = vec![self.link(pointer, name), values(self.schema, key)];
            if has_defaults {
                cells.push(code(&default(&key["default"])));
            }
            let [meaning, reason] = ["description", "$comment"].map(|word| key[word].as_str());
            let meaning = [meaning, reason].into_iter().flatten().collect::<Vec<_>>();
            cells.push(meaning.join(" "));
            cells.push(code(self.examples.of(pointer, name).unwrap_or_default()));
            let cells = cells.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>();
            table += &format!("| {} |\n", cells.join(" | "));
        }
        table
    }

    /// A key, with a link to the table of its keys, or to the section of its name.
    fn link(&self, pointer: &str, name: &str) -> String {
        let value = format!("{pointer}/properties/{name}");
        let keys = mapping(self.schema, &value);
        // The values of a mapping from names have a table.
        let inner = keys.as_deref().and_then(|keys| value_of(self.schema, keys, "x"));
        let inner = inner.and_then(|inner| mapping(self.schema, &inner));
        let place = [&keys, &inner].into_iter().flatten().find_map(|keys| self.places.get(keys));
        let section = name.replace('_', "-");
        let is_list = self.schema.pointer(&value).is_some_and(|value| value["type"] == "array");
        match place {
            Some((page, anchor)) if page == self.page => format!("[`{name}`](#{anchor})"),
            Some((page, anchor)) => format!("[`{name}`]({page}#{anchor})"),
            None if is_list && self.anchors.contains(&section) => format!("[`{name}`](#{section})"),
            None => format!("`{name}`"),
        }
    }
}

fn code(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("`{text}`") }
}

/// A default as YAML.
fn default(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(all) => {
            format!("[{}]", all.iter().map(default).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// The values that a key may have, in words.
fn values(schema: &Value, value: &Value) -> String {
    if let Some(target) = value["$ref"].as_str() {
        let name = target.rsplit('/').next().unwrap();
        return match name {
            "name" | "free_name" => "a name".into(),
            "type_name" => "a type".into(),
            "duration" => "a duration".into(),
            "sort_key" => "a field".into(),
            "rule" | "rule_of_field" => "a rule".into(),
            _ => values(schema, schema.pointer(target.strip_prefix('#').unwrap()).unwrap()),
        };
    }
    if let Some(words) = value["enum"].as_array() {
        return words.iter().map(|word| code(&default(word))).collect::<Vec<_>>().join(", ");
    }
    if !value["const"].is_null() {
        return code(&default(&value["const"]));
    }
    if let Some(options) = value["anyOf"].as_array() {
        if let Some(size) = size(options) {
            return size;
        }
        let mut words: Vec<String> = vec![];
        for option in options.iter().map(|option| values(schema, option)) {
            if !words.contains(&option) {
                words.push(option);
            }
        }
        return words.join(" or ");
    }
    if let Some(all) = value["allOf"].as_array() {
        return values(schema, &all[0]);
    }
    plain(schema, value)
}

/// The values of a JSON type.
fn plain(schema: &Value, value: &Value) -> String {
    let bounds = |name: &str, key: &str| {
        let bound = |end: &str| value[format!("{key}{end}")].clone();
        match (bound("inimum"), bound("aximum")) {
            (Value::Null, Value::Null) => name.to_owned(),
            (least, most) => format!("{name} from `{}` to `{}`", default(&least), default(&most)),
        }
    };
    match value["type"].as_str() {
        Some("boolean") => "`true`, `false`".into(),
        Some("integer") => {
            let name = "a whole number";
            let (least, most) = (&value["minimum"], &value["maximum"]);
            format!("{name} from {least} to {most}")
        }
        Some("array") => {
            let element = values(schema, &value["items"]);
            match element.strip_prefix("a ").filter(|noun| !noun.contains(' ')) {
                Some(noun) => format!("a list of {noun}s"),
                None => format!("a list; each is {element}"),
            }
        }
        Some("object") => "a mapping".into(),
        Some("string")
            if value["pattern"].as_str().is_some_and(|text| text.contains("(ms|s|m")) =>
        {
            bounds("a duration", "x-m")
        }
        Some("string") => "a text".into(),
        _ if value["type"].is_array() => {
            let types = value["type"].as_array().unwrap().iter().map(default);
            let words = types
                .map(|name| if name == "string" { "a text".into() } else { format!("a {name}") });
            words.collect::<Vec<_>>().join(" or ")
        }
        _ => "any value".into(),
    }
}

/// A size: a text like `64KiB`, or a number of bytes.
fn size(options: &[Value]) -> Option<String> {
    let is_size = options[0]["pattern"].as_str().is_some_and(|pattern| pattern.contains("KiB"));
    let bytes = |end: &str| {
        let bytes = options[1][end].as_u64()?;
        Some(match bytes {
            0 => "0".to_owned(),
            bytes if bytes % (1 << 20) == 0 => format!("{}MiB", bytes >> 20),
            bytes if bytes % (1 << 10) == 0 => format!("{}KiB", bytes >> 10),
            bytes => bytes.to_string(),
        })
    };
    is_size
        .then(|| Some(format!("a size from `{}` to `{}`", bytes("minimum")?, bytes("maximum")?)))?
}
