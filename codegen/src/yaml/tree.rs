//! Builds the tree of values from the events of the parser, with a stack of open lists and
//! mappings.

use super::{indentation, scalar};
use crate::diagnostic::{Diagnostic, Problem};
use crate::draft::{Entry, Node, Origin, Span, Spanned, Value};
use saphyr_parser::{Event, ScalarStyle, ScanError, Tag};
use std::collections::{HashMap, HashSet};

/// The maximum nesting of lists and mappings. The schema language needs seven levels; values of
/// `x-…` keys may have more.
const DEPTH_MAX: usize = 64;

/// The maximum memory that anchors, aliases and merge keys may copy, in MiB. Schemas written by
/// people need a hundredth of this. Without the limit, nine lines could expand to a billion values.
const COPIED_MIB_MAX: usize = 16;

/// The tree of one document, while it is built.
pub(super) struct Tree {
    /// The byte at which each character begins, and the length of the text in bytes.
    bytes: Vec<usize>,
    /// The byte after the last character that is not white space. Errors at the end of the text are
    /// reported at this byte.
    end: usize,
    open: Vec<OpenNode>,
    anchors: HashMap<usize, Node>,
    /// The number of bytes that copies of anchored values may still use.
    room: usize,
    pub(super) root: Option<Node>,
    pub(super) problems: Vec<Diagnostic>,
}

/// A list or mapping whose end has not been read yet.
struct OpenNode {
    anchor: usize,
    start: Span,
    container: Container,
}

enum Container {
    List(Vec<Node>),
    Map { entries: Vec<Entry>, merged: Vec<Node>, key: KeyState },
}

/// The next part that a mapping expects.
enum KeyState {
    /// The mapping expects a key.
    Missing,
    /// The mapping expects the value of a key that is not text. The key was reported.
    Refused,
    /// The mapping has the key `<<`, and expects the mappings to merge.
    Merge,
    /// The mapping expects the value of this key.
    Name(Spanned<String>),
}

impl Tree {
    pub(super) fn new(text: &str) -> Self {
        let bytes = text.char_indices().map(|(byte, _)| byte).chain([text.len()]).collect();
        Self {
            bytes,
            end: text.trim_end().len(),
            open: Vec::new(),
            anchors: HashMap::new(),
            room: COPIED_MIB_MAX << 20,
            root: None,
            problems: Vec::new(),
        }
    }

    /// Processes the next event of the document.
    pub(super) fn take(
        &mut self,
        event: Event<'_>,
        span: saphyr_parser::Span,
    ) -> Result<(), Diagnostic> {
        let at = self.span(span);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let merge = style == ScalarStyle::Plain && text == "<<" && tag.is_none();
                let value = self.scalar(&text, style, tag.as_deref(), at);
                self.finish(Spanned { value, at: Origin::Yaml(at) }, anchor, merge)
            }
            Event::SequenceStart(anchor, tag) => {
                self.refuse_tag(tag.as_deref(), "seq", at);
                self.start(anchor, at, Container::List(Vec::new()))
            }
            Event::MappingStart(anchor, tag) => {
                self.refuse_tag(tag.as_deref(), "map", at);
                self.start(
                    anchor,
                    at,
                    Container::Map {
                        entries: Vec::new(),
                        merged: Vec::new(),
                        key: KeyState::Missing,
                    },
                )
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(at),
            Event::Alias(anchor) => {
                let node = self.copy_of(anchor, at)?;
                self.put(node, false);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, tag: Option<&Tag>, at: Span) -> Value {
        match tag {
            Some(tag) if tag.is_yaml_core_schema() && tag.suffix == "str" => {
                Value::Text(text.to_owned())
            }
            None if style == ScalarStyle::Plain => scalar::resolve(text),
            None => Value::Text(text.to_owned()),
            Some(_) => {
                self.refuse_tag(tag, "str", at);
                Value::Text(text.to_owned())
            }
        }
    }

    fn refuse_tag(&mut self, tag: Option<&Tag>, allowed: &str, at: Span) {
        if let Some(tag) = tag.filter(|tag| !(tag.is_yaml_core_schema() && tag.suffix == allowed)) {
            let tag = tag.to_string().replace("tag:yaml.org,2002:!", "!!");
            self.problems.push(Diagnostic { at: Origin::Yaml(at), problem: Problem::Tag { tag } });
        }
    }

    fn start(
        &mut self,
        anchor: usize,
        start: Span,
        container: Container,
    ) -> Result<(), Diagnostic> {
        if self.open.len() == DEPTH_MAX {
            return Err(fatal(start, Problem::TooDeep { maximum: DEPTH_MAX }));
        }
        self.open.push(OpenNode { anchor, start, container });
        Ok(())
    }

    fn end(&mut self, end: Span) -> Result<(), Diagnostic> {
        let Some(OpenNode { anchor, start, container }) = self.open.pop() else { return Ok(()) };
        let value = match container {
            Container::List(items) => Value::List(items),
            Container::Map { entries, merged, .. } => Value::Map(self.merge(entries, merged)?),
        };
        // A block has no bracket to point at, so its start is an empty range. `put` then gives it
        // the position of its key.
        let at = if start.start == start.end { start } else { Span { end: end.end, ..start } };
        self.finish(Spanned { value, at: Origin::Yaml(at) }, anchor, false)
    }

    fn finish(&mut self, node: Node, anchor: usize, merge: bool) -> Result<(), Diagnostic> {
        if anchor != 0 {
            let copy = self.copy(&node)?;
            self.anchors.insert(anchor, copy);
        }
        self.put(node, merge);
        Ok(())
    }

    /// Adds a complete value to the innermost open list or mapping.
    fn put(&mut self, node: Node, merge: bool) {
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return;
        };
        let (entries, merged, key) = match &mut open.container {
            Container::List(items) => return items.push(node),
            Container::Map { entries, merged, key } => (entries, merged, key),
        };
        match std::mem::replace(key, KeyState::Missing) {
            KeyState::Missing if merge => *key = KeyState::Merge,
            KeyState::Missing => match node.value {
                Value::Text(value) => *key = KeyState::Name(Spanned { value, at: node.at }),
                other => {
                    *key = KeyState::Refused;
                    let problem = Problem::KeyNotText { key: other.excerpt(), kind: other.kind() };
                    self.problems.push(Diagnostic { at: node.at, problem });
                }
            },
            KeyState::Refused => {}
            KeyState::Merge => merged.push(node),
            KeyState::Name(key) => {
                entries.push(Entry { value: place_at_key(node, key.at), rust: None, key });
            }
        }
    }

    /// Adds the entries of merged mappings. Keys that already exist are skipped. Returns an error
    /// if a merged value is not a mapping.
    fn merge(
        &mut self,
        mut entries: Vec<Entry>,
        merged: Vec<Node>,
    ) -> Result<Vec<Entry>, Diagnostic> {
        let mut keys: HashSet<String> = match merged.is_empty() {
            true => return Ok(entries),
            false => entries.iter().map(|entry| entry.key.value.clone()).collect(),
        };
        for node in merged {
            let maps = match node.value {
                Value::List(items) => items,
                _ => vec![node],
            };
            for map in maps {
                let Value::Map(more) = map.value else {
                    return Err(Diagnostic {
                        at: map.at,
                        problem: Problem::MergeOfOther { kind: map.value.kind() },
                    });
                };
                entries
                    .extend(more.into_iter().filter(|entry| keys.insert(entry.key.value.clone())));
            }
        }
        Ok(entries)
    }

    fn copy_of(&mut self, anchor: usize, at: Span) -> Result<Node, Diagnostic> {
        match self.anchors.remove(&anchor) {
            Some(node) => {
                let copy = self.copy(&node);
                self.anchors.insert(anchor, node);
                copy.map_err(|problem| Diagnostic { at: Origin::Yaml(at), ..problem })
            }
            None => Err(fatal(at, Problem::AliasOfItself)),
        }
    }

    /// Copies a value. Returns an error if the copy exceeds the limit of memory or depth.
    fn copy(&mut self, node: &Node) -> Result<Node, Diagnostic> {
        let refuse = |problem| Err(Diagnostic { at: node.at, problem });
        let Weight { bytes, depth } = weigh(node, self.room);
        if bytes > self.room {
            return refuse(Problem::TooManyCopies { maximum: COPIED_MIB_MAX });
        }
        if self.open.len() + depth > DEPTH_MAX {
            return refuse(Problem::TooDeep { maximum: DEPTH_MAX });
        }
        self.room -= bytes;
        Ok(node.clone())
    }

    pub(super) fn syntax_error(&self, error: &ScanError, text: &str) -> Diagnostic {
        let start = self.byte(error.marker().index()).min(self.end);
        let message = error.info().to_owned();
        let of_levels = ["did not find expected key", "mapping values are not allowed"];
        let is_of_levels = of_levels.iter().any(|part| message.contains(part));
        let cause = is_of_levels.then(|| indentation::cause(text, start)).flatten();
        fatal(Span { start, end: start }, Problem::Syntax { message, cause })
    }

    pub(super) fn place(&self, span: saphyr_parser::Span) -> Origin {
        Origin::Yaml(self.span(span))
    }

    fn span(&self, span: saphyr_parser::Span) -> Span {
        let start = self.byte(span.start.index());
        Span { start, end: self.byte(span.end.index()).max(start) }
    }

    fn byte(&self, character: usize) -> usize {
        self.bytes.get(character).or(self.bytes.last()).copied().unwrap_or(0)
    }
}

fn fatal(at: Span, problem: Problem) -> Diagnostic {
    Diagnostic { at: Origin::Yaml(at), problem }
}

/// Gives an empty value, as in `name:`, the position of its key.
fn place_at_key(node: Node, key: Origin) -> Node {
    match node.at {
        Origin::Yaml(span) if span.start == span.end => Spanned { at: key, ..node },
        _ => node,
    }
}

/// The size of a value.
struct Weight {
    bytes: usize,
    /// The maximum nesting of lists and mappings in the value.
    depth: usize,
}

/// Measures a value. Stops when the size exceeds `room` bytes.
fn weigh(node: &Node, room: usize) -> Weight {
    let mut weight = Weight { bytes: 0, depth: 0 };
    let mut rest = vec![(node, 0)];
    while let Some((node, depth)) = rest.pop().filter(|_| weight.bytes <= room) {
        let (own, inner_depth) = match &node.value {
            Value::Null | Value::Boolean(_) => (0, depth),
            Value::Number(text) | Value::Text(text) => (text.len(), depth),
            Value::List(items) => {
                rest.extend(items.iter().map(|item| (item, depth + 1)));
                (0, depth + 1)
            }
            Value::Map(entries) => {
                rest.extend(entries.iter().map(|entry| (&entry.value, depth + 1)));
                (entries.iter().map(|entry| entry.key.value.len()).sum(), depth + 1)
            }
        };
        weight.bytes += VALUE_BYTES + own;
        weight.depth = weight.depth.max(inner_depth);
    }
    weight
}

/// The size in bytes of a value and its key, without their texts.
const VALUE_BYTES: usize = size_of::<Entry>();
