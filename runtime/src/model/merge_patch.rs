//! Application of merge patches to JSON texts (RFC 7396 §2). The time is linear in the bytes of the
//! text and the patch.
//!
//! The JSON text is read token by token, without a tree of values. Parts that the patch does not
//! change are copied without their whitespace. So numbers keep all digits, and members keep their
//! order. New members are added at the end, in the order of the patch.

use std::{
    borrow::Cow,
    hash::{BuildHasher as _, RandomState},
    mem,
};

use hashbrown::hash_table::{Entry, HashTable};

use crate::base::limits;

/// Applies a patch to a JSON text. `None` if the text or the patch is not valid JSON, or if the
/// patch is nested too deep.
///
/// If the text has duplicate names, the first counts. If the patch has duplicate names, the last
/// counts.
pub(crate) fn merged(target: &str, patch: &str) -> Option<String> {
    let change = Tokens::new(patch).change(limits::JSON_DEPTH_MAX)?;
    let mut output = String::with_capacity(target.len() + patch.len());
    Tokens::new(target).value(Some(change), &mut output)?;
    Some(output)
}

/// The next part of an object: the name of a member, or the end of the object.
enum NextName<'t> {
    Name(&'t str),
    End,
}

/// The change of one value by a patch.
enum ValueChange<'p> {
    /// The value is removed. If the whole patch is `null`, the value becomes null instead.
    Removal,
    /// The value is replaced by this JSON text, which is not an object.
    Replacement(&'p str),
    /// Members of the value change.
    Members(Box<Members<'p>>),
}

/// The members of an object in a patch.
struct Members<'p> {
    /// The members in order, with their names as written. The change is `None` after it was
    /// applied.
    list: Vec<(&'p str, Option<ValueChange<'p>>)>,
    /// Hashes of the names with indices in `list`. Names are compared only if their full hashes are
    /// equal.
    places: HashTable<(u64, u32)>,
    /// A hash function with a random key, so that clients cannot choose names with equal hashes.
    state: RandomState,
    /// The index after the member that was found last. It is tried first, because most texts have
    /// their members in the order of the patch.
    next: usize,
}

impl<'p> Members<'p> {
    /// Creates the members of a patch. Of duplicate names, the first determines the position, and
    /// the last determines the change.
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

    /// Returns the change of the member with this name; `None` if the patch does not name the
    /// member.
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

    /// Writes each change that was not applied yet as a new member of the object, and ends the
    /// object.
    fn finish(self, output: &mut String) -> Option<()> {
        for (name, change) in self.list {
            if let Some(change) = change.filter(|change| !matches!(change, ValueChange::Removal)) {
                begin_member(name, output);
                change.create(output)?;
            }
        }
        output.push('}');
        Some(())
    }
}

impl ValueChange<'_> {
    /// Writes the result of the change for a value that the text does not have.
    fn create(self, output: &mut String) -> Option<()> {
        match self {
            Self::Removal => output.push_str("null"),
            Self::Replacement(text) => return Tokens::new(text).value(None, output),
            Self::Members(members) => {
                output.push('{');
                return members.finish(output);
            }
        }
        Some(())
    }
}

/// Writes the name of the next member of an object, and a comma before it if needed.
fn begin_member(name: &str, output: &mut String) {
    if !output.ends_with('{') {
        output.push(',');
    }
    output.push_str(name);
    output.push(':');
}

/// The unescaped name. A name with half of a surrogate pair is returned as written.
fn unescaped(name: &str) -> Cow<'_, str> {
    let plain = || Cow::Borrowed(name.get(1..name.len().saturating_sub(1)).unwrap_or(name));
    if name.as_bytes().contains(&b'\\') {
        return serde_json::from_str(name).map_or_else(|_| plain(), Cow::Owned);
    }
    plain()
}

/// The tokens of a JSON text: strings with their quotes, punctuation, numbers and words.
struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Tokens<'t> {
    const fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// Returns the next token, without the whitespace before it.
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

    /// Reads the rest of the value that begins with the token `first`. Calls `each` for each token,
    /// including `first`.
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

    /// Parses a value of a patch that is nested at most `levels` deep.
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

    /// Reads the name of the next member of an object and the colon after it, or the end of the
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

    /// Reads the next value and writes it to `output`, with the change applied if there is one.
    fn value(&mut self, change: Option<ValueChange<'_>>, output: &mut String) -> Option<()> {
        let first = self.next()?;
        match change {
            None => self.rest(first, |token| output.push_str(token)),
            Some(ValueChange::Members(members)) if first == "{" => self.members(*members, output),
            Some(change) => {
                self.rest(first, |_| {})?;
                change.create(output)
            }
        }
    }

    /// Writes the members of an object with their changes, and then the members that the patch
    /// adds.
    fn members(&mut self, mut members: Members<'_>, output: &mut String) -> Option<()> {
        output.push('{');
        while let NextName::Name(name) = self.name()? {
            let change = match members.find(name) {
                None => None,
                Some(change) => match change.take() {
                    Some(change @ (ValueChange::Replacement(_) | ValueChange::Members(_))) => {
                        Some(change)
                    }
                    // The patch removes the member, or the member is a duplicate of an earlier one.
                    _ => {
                        let first = self.next()?;
                        self.rest(first, |_| {})?;
                        continue;
                    }
                },
            };
            begin_member(name, output);
            self.value(change, output)?;
        }
        members.finish(output)
    }
}

/// The bytes at which a number or a word ends.
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

/// The position after the string that begins at `start`.
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
