//! Merge patches of JSON texts (RFC 7396 §2), in linear time in the bytes of both.
//!
//! The texts are read token by token and never become a tree of values. Parts that the patch does
//! not name are copied without whitespace: numbers keep every digit, and members their order. New
//! members follow in the order of the patch.

use std::{borrow::Cow, mem};

use ahash::RandomState;
use hashbrown::hash_table::{Entry, HashTable};

use crate::base::limits;

/// Applies a patch to a JSON text. `None` if one of the two is no JSON, or the patch is nested too
/// deep.
///
/// Of duplicate names, the first of the text and the last of the patch count.
pub(crate) fn merged(target: &str, patch: &str) -> Option<String> {
    let change = Tokens::new(patch).change(limits::JSON_DEPTH_MAX)?;
    let mut made = String::with_capacity(target.len() + patch.len());
    Tokens::new(target).value(Some(change), &mut made)?;
    Some(made)
}

/// The next part of an object: the name of a member, or the end.
enum NextName<'t> {
    Name(&'t str),
    End,
}

/// The effect of a patch on one value.
enum ValueChange<'p> {
    /// It is removed; at the top level of a patch it becomes null.
    Removal,
    /// It is replaced by this JSON text, which is no object.
    Replacement(&'p str),
    /// Its members change.
    Members(Box<Members<'p>>),
}

/// The members of an object of a patch.
struct Members<'p> {
    /// The members in order, with their names as written. A change that was applied is `None`.
    list: Vec<(&'p str, Option<ValueChange<'p>>)>,
    /// The indices by name, with the whole hash of it. Only names with equal hashes are compared.
    places: HashTable<(u64, u32)>,
    /// The hash has a random key, so that no client can choose names that collide.
    state: RandomState,
    /// The index after the member that was found last: most texts have the order of their patch.
    next: usize,
}

impl<'p> Members<'p> {
    /// Of duplicate names, the first determines the position and the last the change.
    fn new(mut list: Vec<(&'p str, Option<ValueChange<'p>>)>) -> Option<Self> {
        let state = RandomState::new();
        let mut places = HashTable::with_capacity(list.len());
        for place in 0..list.len() {
            let name = unescaped(list[place].0);
            let hash = state.hash_one(&*name);
            let same = |(known, at): &(u64, u32)| {
                *known == hash && unescaped(list[*at as usize].0) == name
            };
            match places.entry(hash, same, |(known, _)| *known) {
                Entry::Vacant(entry) => {
                    entry.insert((hash, u32::try_from(place).ok()?));
                }
                Entry::Occupied(first) => {
                    let first = first.get().1 as usize;
                    let (_, change) = mem::take(&mut list[place]);
                    list[first].1 = change;
                }
            }
        }
        Some(Self { list, places, state, next: 0 })
    }

    /// Returns the change of the member with this name, if the patch has one.
    fn find(&mut self, name: &str) -> Option<&mut Option<ValueChange<'p>>> {
        if self.list.get(self.next).is_none_or(|(known, _)| *known != name) {
            let name = unescaped(name);
            let hash = self.state.hash_one(&*name);
            let same = |(known, at): &(u64, u32)| {
                *known == hash
                    && self
                        .list
                        .get(*at as usize)
                        .is_some_and(|(known, _)| unescaped(known) == name)
            };
            self.next = self.places.find(hash, same)?.1 as usize;
        }
        self.next += 1;
        self.list.get_mut(self.next - 1).map(|(_, change)| change)
    }

    /// Writes the remaining changes as new members of the object, and ends it.
    fn finish(self, made: &mut String) -> Option<()> {
        for (name, change) in self.list {
            if let Some(change) = change.filter(|change| !matches!(change, ValueChange::Removal)) {
                begin_member(name, made);
                change.create(made)?;
            }
        }
        made.push('}');
        Some(())
    }
}

impl ValueChange<'_> {
    /// Writes the result of the change for a member that does not exist.
    fn create(self, made: &mut String) -> Option<()> {
        match self {
            Self::Removal => made.push_str("null"),
            Self::Replacement(text) => return Tokens::new(text).value(None, made),
            Self::Members(members) => {
                made.push('{');
                return members.finish(made);
            }
        }
        Some(())
    }
}

/// Writes the name of the next member of an object.
fn begin_member(name: &str, made: &mut String) {
    if !made.ends_with('{') {
        made.push(',');
    }
    made.push_str(name);
    made.push(':');
}

/// The unescaped name. One with half a surrogate pair equals only its own spelling.
fn unescaped(name: &str) -> Cow<'_, str> {
    let plain = || Cow::Borrowed(name.get(1..name.len().saturating_sub(1)).unwrap_or(name));
    if name.as_bytes().contains(&b'\\') {
        return serde_json::from_str(name).map_or_else(|_| plain(), Cow::Owned);
    }
    plain()
}

/// The tokens of a JSON text: strings with their quotes, punctuation, and the text between these.
struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Tokens<'t> {
    const fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// Returns the next token, and skips whitespace before it.
    fn next(&mut self) -> Option<&'t str> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(|byte| is_blank(*byte)) {
            self.at += 1;
        }
        let start = self.at;
        self.at = match bytes.get(start)? {
            b'"' => end_of_string(bytes, start)?,
            b'{' | b'}' | b'[' | b']' | b',' | b':' => start + 1,
            _ => {
                let rest = &bytes[start..];
                let length = rest.iter().position(|byte| ENDS[usize::from(*byte)]);
                start + length.unwrap_or(rest.len())
            }
        };
        self.text.get(start..self.at)
    }

    /// Consumes the rest of a value that begins with a token, and calls `each` for each of its
    /// tokens.
    fn rest(&mut self, first: &'t str, mut each: impl FnMut(&'t str)) -> Option<()> {
        let (mut token, mut depth) = (first, 0usize);
        loop {
            match token.as_bytes().first()? {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.checked_sub(1)?,
                b',' | b':' if depth == 0 => return None,
                _ => {}
            }
            each(token);
            if depth == 0 {
                return Some(());
            }
            token = self.next()?;
        }
    }

    /// Parses a value of a patch, with at most this many levels.
    fn change(&mut self, levels: usize) -> Option<ValueChange<'t>> {
        match self.next()? {
            "null" => Some(ValueChange::Removal),
            "{" => {
                let levels = levels.checked_sub(1)?;
                let mut list = Vec::new();
                while let NextName::Name(name) = self.name()? {
                    list.push((name, Some(self.change(levels)?)));
                }
                Members::new(list).map(|members| ValueChange::Members(Box::new(members)))
            }
            first => {
                let start = self.at - first.len();
                self.rest(first, |_| {})?;
                self.text.get(start..self.at).map(ValueChange::Replacement)
            }
        }
    }

    /// Parses the name of the next member of an object and the colon after it, or the end of the
    /// object.
    fn name(&mut self) -> Option<NextName<'t>> {
        let mut token = self.next()?;
        if token == "," {
            token = self.next()?;
        }
        match token {
            "}" => Some(NextName::End),
            name if name.starts_with('"') => {
                self.next().filter(|colon| *colon == ":").map(|_| NextName::Name(name))
            }
            _ => None,
        }
    }

    /// Writes the next value, changed by a patch or unchanged.
    fn value(&mut self, change: Option<ValueChange<'_>>, made: &mut String) -> Option<()> {
        let first = self.next()?;
        match change {
            None => self.rest(first, |token| made.push_str(token)),
            Some(ValueChange::Members(members)) if first == "{" => self.members(*members, made),
            Some(change) => {
                self.rest(first, |_| {})?;
                change.create(made)
            }
        }
    }

    /// Writes the members of an object with their changes, then those that the patch adds.
    fn members(&mut self, mut members: Members<'_>, made: &mut String) -> Option<()> {
        made.push('{');
        while let NextName::Name(name) = self.name()? {
            let change = match members.find(name) {
                None => None,
                Some(change) => match change.take() {
                    Some(change @ (ValueChange::Replacement(_) | ValueChange::Members(_))) => {
                        Some(change)
                    }
                    // The patch removes it, or it is a duplicate.
                    _ => {
                        let first = self.next()?;
                        self.rest(first, |_| {})?;
                        continue;
                    }
                },
            };
            begin_member(name, made);
            self.value(change, made)?;
        }
        members.finish(made)
    }
}

/// The bytes that end a number or a word.
const ENDS: [bool; 256] = {
    let mut ends = [false; 256];
    let (bytes, mut at) = (b"{}[],:\" \t\n\r", 0);
    while at < bytes.len() {
        ends[bytes[at] as usize] = true;
        at += 1;
    }
    ends
};

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The end of the string that begins here.
fn end_of_string(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests;
