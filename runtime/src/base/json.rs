//! A writer of JSON strings.

/// Appends a text as a JSON string (RFC 8259 §7). Bytes between two escapes are copied together.
pub(crate) fn write_string(to: &mut Vec<u8>, text: &str) {
    to.push(b'"');
    let bytes = text.as_bytes();
    let mut copied = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let escape = ESCAPES[usize::from(*byte)];
        if escape == 0 {
            continue;
        }
        to.extend_from_slice(&bytes[copied..at]);
        copied = at + 1;
        if escape == b'u' {
            let hex = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
            to.extend_from_slice(&[b'\\', b'u', b'0', b'0', hex(byte >> 4), hex(byte & 15)]);
        } else {
            to.extend_from_slice(&[b'\\', escape]);
        }
    }
    to.extend_from_slice(&bytes[copied..]);
    to.push(b'"');
}

/// For each byte, the character that follows the backslash in its escape; 0 if the byte needs no
/// escape.
static ESCAPES: [u8; 256] = {
    let mut table = [0; 256];
    let mut control = 0;
    while control < 0x20 {
        table[control] = b'u';
        control += 1;
    }
    table[0x08] = b'b';
    table[b'\t' as usize] = b't';
    table[b'\n' as usize] = b'n';
    table[0x0c] = b'f';
    table[b'\r' as usize] = b'r';
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table
};
