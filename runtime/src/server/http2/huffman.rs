//! The Huffman code of HPACK (RFC 7541 §5.2, appendix B), as far as a look at texts needs it.
//!
//! The code is canonical: of two codes with as many bits, that of the smaller byte is smaller. So
//! the numbers of bits are the whole code.

/// The number of bits of the code of each byte. No code has more than 30.
const BITS: [u8; 256] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28,
    28, 28, 28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5,
    5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6,
    6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22,
    23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22,
    21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20,
    22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19,
    21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22,
    22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
];

const BITS_MAX: usize = 30;

/// For each number of bits, how many codes have it.
static COUNTS: [u32; BITS_MAX + 1] = {
    let mut counts = [0; BITS_MAX + 1];
    let mut byte = 0;
    while byte < 256 {
        counts[BITS[byte] as usize] += 1;
        byte += 1;
    }
    counts
};

/// All bytes, in the order of their codes.
static BYTES: [u8; 256] = {
    let (mut bytes, mut at, mut bits) = ([0; 256], 0, 1);
    while bits <= BITS_MAX {
        let mut byte = 0;
        while byte < 256 {
            if BITS[byte] as usize == bits {
                bytes[at] = byte as u8;
                at += 1;
            }
            byte += 1;
        }
        bits += 1;
    }
    bytes
};

/// Decodes a text, and calls `visit` with each byte. What follows the last whole code is padding;
/// the library has the task of refusing a wrong one.
pub(super) fn decode(coded: &[u8], mut visit: impl FnMut(u8)) {
    let (mut code, mut bits, mut first, mut index) = (0_u32, 0_usize, 0_u32, 0_u32);
    for bit in coded.iter().flat_map(|byte| (0..8).rev().map(move |at| u32::from(byte >> at & 1))) {
        (code, bits) = (code << 1 | bit, bits + 1);
        let Some(count) = COUNTS.get(bits) else { return };
        if let Some(at) = code.checked_sub(first).filter(|at| at < count) {
            visit(BYTES[(index + at) as usize]);
            (code, bits, first, index) = (0, 0, 0, 0);
        } else {
            (first, index) = ((first + count) << 1, index + count);
        }
    }
}

/// Whether a text may have a `#`. Its code has nine ones in a row, which few others have. So most
/// texts need not be decoded.
pub(super) fn may_have_hash(coded: &[u8]) -> bool {
    let is_run = |(one, next): (&u8, &u8)| one.trailing_ones() + next.leading_ones() >= 9;
    coded.iter().zip(coded.iter().skip(1)).any(is_run)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(coded: &[u8]) -> String {
        let mut text = vec![];
        decode(coded, |byte| text.push(byte));
        String::from_utf8(text).unwrap()
    }

    /// RFC 7541 §C.4.
    #[test]
    fn the_examples_of_the_rfc_are_decoded() {
        let host = [0xf1, 0xe3, 0xc2, 0xe5, 0xf2, 0x3a, 0x6b, 0xa0, 0xab, 0x90, 0xf4, 0xff];
        assert_eq!(text(&host), "www.example.com");
        assert_eq!(text(&[0xa8, 0xeb, 0x10, 0x64, 0x9c, 0xbf]), "no-cache");
        let value = [0x25, 0xa8, 0x49, 0xe9, 0x5b, 0xb8, 0xe8, 0xb4, 0xbf];
        assert_eq!(text(&value), "custom-value");
    }

    /// The code of a text, without its padding.
    fn encode(text: &[u8]) -> Vec<u8> {
        let mut bits = vec![];
        for byte in text {
            // The code of a byte is that of the first with as many bits, and the distance to it.
            let long = usize::from(BITS[usize::from(*byte)]);
            let (mut first, mut index) = (0_u32, 0);
            for count in &COUNTS[..long] {
                (first, index) = ((first + count) << 1, index + *count as usize);
            }
            let at = BYTES.iter().position(|one| one == byte).unwrap() - index;
            let code = first + u32::try_from(at).unwrap();
            bits.extend((0..long).rev().map(|at| code >> at & 1 == 1));
        }
        bits.resize(bits.len().next_multiple_of(8), true);
        let byte = |bits: &[bool]| bits.iter().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
        bits.chunks(8).map(byte).collect()
    }

    #[test]
    fn every_byte_is_decoded_and_a_hash_is_never_missed() {
        for before in 0..=255 {
            for after in [b'a', b' ', b'0', b'~', 0, 255] {
                let text = [b'/', before, after, b'#', after];
                let mut decoded = vec![];
                decode(&encode(&text), |byte| decoded.push(byte));
                assert_eq!(decoded[..5], text);
                assert!(may_have_hash(&encode(&text)), "{text:?}");
                assert!(may_have_hash(&encode(&text[..4])), "{text:?}");
            }
        }
        assert!(!may_have_hash(&encode(b"/zoos/17/animals")));
        assert!(!may_have_hash(&encode(b"/zoos?limit=20")));
    }
}
