//! [`HeaderBlocks`]: the header blocks of a connection (RFC 7541), for what the library does not
//! tell.
//!
//! The library cuts a fragment off a target, and drops the pseudo-fields of trailers, without a
//! word. So each block is looked at before the library decodes it. Most of a block is skipped:
//! only the kinds and the sizes of the fields in the dynamic table are followed.

use std::collections::VecDeque;

use super::huffman;

/// The largest size of the dynamic table: the library announces no other (RFC 9113 §6.5.2).
const TABLE_BYTES_MAX: usize = 4096;

/// The bytes that each field of the table has beside its name and value (RFC 7541 §4.1).
const FIELD_BYTES: usize = 32;

/// The lengths of the names in the static table (RFC 7541 appendix A).
const STATIC_NAMES: [u8; 61] = [
    10, 7, 7, 5, 5, 7, 7, 7, 7, 7, 7, 7, 7, 7, 14, 15, 15, 13, 6, 27, 3, 5, 13, 13, 19, 16, 16, 14,
    16, 13, 12, 6, 4, 4, 6, 7, 4, 4, 8, 17, 13, 8, 19, 13, 4, 8, 12, 18, 19, 5, 7, 7, 11, 6, 10,
    25, 17, 10, 4, 3, 16,
];

/// A mistake in the fields of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockFault {
    /// The target has a fragment.
    Fragment,
    /// Trailers have a pseudo-field (RFC 9113 §8.1).
    PseudoField,
}

/// A block that cannot be decoded, or is too large. What follows it is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BrokenBlock;

/// The kind of the name of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameKind {
    Path,
    OtherPseudo,
    Usual,
}

/// A field of the dynamic table.
#[derive(Clone, Copy, Debug)]
struct TableField {
    name: NameKind,
    name_bytes: usize,
    bytes: usize,
    has_hash: bool,
}

/// The dynamic table of a connection, the newest field first.
#[derive(Debug)]
pub(super) struct HeaderBlocks {
    table: VecDeque<TableField>,
    bytes: usize,
    bytes_max: usize,
}

/// A text of a block.
struct CodedText<'b> {
    coded: &'b [u8],
    is_huffman: bool,
}

/// The rest of a block.
struct Reader<'b>(&'b [u8]);

impl HeaderBlocks {
    pub(super) const fn new() -> Self {
        Self { table: VecDeque::new(), bytes: 0, bytes_max: TABLE_BYTES_MAX }
    }

    /// Looks at a whole block.
    pub(super) fn look(
        &mut self,
        block: &[u8],
        is_trailers: bool,
    ) -> Result<Option<BlockFault>, BrokenBlock> {
        let (mut rest, mut found) = (Reader(block), None);
        while let Some(first) = rest.0.first().copied() {
            let (name, has_hash) = match first {
                0x80.. => {
                    let field = self.field(rest.number(7)?)?;
                    (field.name, field.has_hash)
                }
                0x40.. => {
                    let mut field = self.name(rest.number(6)?, &mut rest)?;
                    let value = rest.text()?;
                    field.bytes = FIELD_BYTES + field.name_bytes + value.len();
                    field.has_hash = field.name == NameKind::Path && value.has_hash();
                    self.insert(field);
                    (field.name, field.has_hash)
                }
                0x20.. => {
                    self.bytes_max = rest.number(5)?.min(TABLE_BYTES_MAX);
                    self.shrink(self.bytes_max);
                    continue;
                }
                _ => {
                    let name = self.name(rest.number(4)?, &mut rest)?.name;
                    let value = rest.text()?;
                    (name, name == NameKind::Path && value.has_hash())
                }
            };
            if is_trailers && name != NameKind::Usual {
                found = Some(BlockFault::PseudoField);
            } else if has_hash {
                found = Some(BlockFault::Fragment);
            }
        }
        Ok(found)
    }

    /// The field with an index in both tables, which begin with 1 and 62.
    fn field(&self, index: usize) -> Result<TableField, BrokenBlock> {
        let at = index.checked_sub(1).ok_or(BrokenBlock)?;
        let Some(name_bytes) = STATIC_NAMES.get(at) else {
            return self.table.get(at - STATIC_NAMES.len()).copied().ok_or(BrokenBlock);
        };
        let name = match index {
            4 | 5 => NameKind::Path,
            ..=14 => NameKind::OtherPseudo,
            _ => NameKind::Usual,
        };
        Ok(TableField { name, name_bytes: (*name_bytes).into(), bytes: 0, has_hash: false })
    }

    /// A field with the name at an index. With the index 0, the name itself follows.
    fn name(&self, index: usize, rest: &mut Reader<'_>) -> Result<TableField, BrokenBlock> {
        if index != 0 {
            return self.field(index);
        }
        let text = rest.text()?;
        Ok(TableField { name: text.name(), name_bytes: text.len(), bytes: 0, has_hash: false })
    }

    fn insert(&mut self, field: TableField) {
        if field.bytes > self.bytes_max {
            return self.shrink(0);
        }
        self.shrink(self.bytes_max - field.bytes);
        self.bytes += field.bytes;
        self.table.push_front(field);
    }

    /// Removes the oldest fields, until the table has no more than this size.
    fn shrink(&mut self, bytes: usize) {
        while self.bytes > bytes
            && let Some(oldest) = self.table.pop_back()
        {
            self.bytes -= oldest.bytes;
        }
    }
}

impl<'b> Reader<'b> {
    /// A number that begins with this many bits of the first byte (RFC 7541 §5.1).
    fn number(&mut self, bits: u32) -> Result<usize, BrokenBlock> {
        let (first, mut rest) = self.0.split_first().ok_or(BrokenBlock)?;
        let most = (1 << bits) - 1;
        let mut number = usize::from(*first) & most;
        if number == most {
            // No number of a block that is accepted needs more bytes.
            let mut shifts = [0, 7, 14, 21].into_iter();
            loop {
                let shift = shifts.next().ok_or(BrokenBlock)?;
                let (byte, after) = rest.split_first().ok_or(BrokenBlock)?;
                rest = after;
                number += (usize::from(*byte) & 0x7f) << shift;
                if byte & 0x80 == 0 {
                    break;
                }
            }
        }
        self.0 = rest;
        Ok(number)
    }

    fn text(&mut self) -> Result<CodedText<'b>, BrokenBlock> {
        let is_huffman = self.0.first().is_some_and(|first| first & 0x80 != 0);
        let length = self.number(7)?;
        let (coded, rest) = self.0.split_at_checked(length).ok_or(BrokenBlock)?;
        self.0 = rest;
        Ok(CodedText { coded, is_huffman })
    }
}

impl CodedText<'_> {
    fn each(&self, mut visit: impl FnMut(u8)) {
        match self.is_huffman {
            true => huffman::decode(self.coded, visit),
            false => self.coded.iter().for_each(|byte| visit(*byte)),
        }
    }

    /// The number of bytes of the decoded text.
    fn len(&self) -> usize {
        if !self.is_huffman {
            return self.coded.len();
        }
        let mut count = 0;
        self.each(|_| count += 1);
        count
    }

    fn has_hash(&self) -> bool {
        if self.is_huffman && !huffman::may_have_hash(self.coded) {
            return false;
        }
        let mut has_hash = false;
        self.each(|byte| has_hash |= byte == b'#');
        has_hash
    }

    fn name(&self) -> NameKind {
        const PATH: &[u8] = b":path";
        let (mut count, mut is_pseudo, mut is_path) = (0, false, true);
        self.each(|byte| {
            is_pseudo |= count == 0 && byte == b':';
            is_path &= PATH.get(count) == Some(&byte);
            count += 1;
        });
        match is_pseudo {
            true if is_path && count == PATH.len() => NameKind::Path,
            true => NameKind::OtherPseudo,
            false => NameKind::Usual,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        let digits: Vec<u8> = hex.bytes().filter(|byte| *byte != b' ').collect();
        let byte =
            |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
        digits.chunks(2).map(byte).collect()
    }

    /// RFC 7541 §C.3 and §C.4: three requests, without and with the Huffman code.
    #[test]
    fn the_table_has_the_sizes_of_the_examples() {
        for requests in [
            [
                "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
                "8286 84be 5808 6e6f 2d63 6163 6865",
                "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
            ],
            [
                "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
                "8286 84be 5886 a8eb 1064 9cbf",
                "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
            ],
        ] {
            let mut blocks = HeaderBlocks::new();
            for (request, size) in requests.iter().zip([57, 110, 164]) {
                assert_eq!(blocks.look(&bytes(request), false), Ok(None));
                assert_eq!(blocks.bytes, size, "{request}");
            }
            assert_eq!(blocks.table.len(), 3);
            // A new size of the table removes the oldest.
            assert_eq!(blocks.look(&bytes("3f 4f"), false), Ok(None));
            assert_eq!((blocks.table.len(), blocks.bytes), (2, 107));
        }
    }

    /// A field without an index, and one that gets an index.
    fn literal(first: u8, name: &str, value: &str) -> Vec<u8> {
        let text = |text: &str| [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
        [vec![first], text(name), text(value)].concat()
    }

    #[test]
    fn a_fragment_is_found_however_the_path_is_written() {
        let mut blocks = HeaderBlocks::new();
        let mut look = |block: &[u8]| blocks.look(block, false).unwrap();
        let fault = Some(BlockFault::Fragment);
        assert_eq!(look(&[&[0x04, 4][..], b"/a#b"].concat()), fault);
        assert_eq!(look(&literal(0, ":path", "/#")), fault);
        assert_eq!(look(&literal(0, ":path", "/a")), None);
        assert_eq!(look(&literal(0, "x", "#")), None);
        // `/#` with the Huffman code: 011000 1111 1111 1010, and the padding.
        assert_eq!(look(&[0x04, 0x83, 0b0110_0011, 0b1111_1110, 0b1011_1111]), fault);
        // A field in the table, and one with its name.
        assert_eq!(look(&literal(0x40, ":path", "/#")), fault);
        assert_eq!(look(&[0xbe]), fault);
        assert_eq!(look(&[&[0x0f, 62 - 15, 2][..], b"/a"].concat()), None);
        assert_eq!(look(&[&[0x0f, 62 - 15, 2][..], b"/#"].concat()), fault);
        assert_eq!(look(&[0x84]), None);
    }

    #[test]
    fn a_pseudo_field_of_trailers_is_found() {
        let mut blocks = HeaderBlocks::new();
        let mut look = |block: &[u8]| blocks.look(block, true).unwrap();
        let fault = Some(BlockFault::PseudoField);
        assert_eq!(look(&literal(0, "x", "y")), None);
        for block in [&[0x82][..], &[0x8e], &literal(0x10, ":x", ""), &literal(0, ":path", "/")] {
            assert_eq!(look(block), fault, "{block:?}");
        }
        assert_eq!(look(&literal(0x40, ":a", "")), fault);
        assert_eq!(look(&[0xbe]), fault);
        assert_eq!(look(&[0x8f]), None);
    }

    #[test]
    fn a_broken_block_is_an_error() {
        let mut blocks = HeaderBlocks::new();
        for block in [&[0x80][..], &[0xbe], &[0x00], &[0x00, 5, b'a'], &[0xff; 9], &[0x40, 1, b'a']]
        {
            assert_eq!(blocks.look(block, false), Err(BrokenBlock), "{block:?}");
        }
    }
}
