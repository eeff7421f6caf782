//! Tests of bodies that are valid in their coding, and whose decompression costs very much.

use crate::server::TestServer;

/// A writer of the bits of a brotli stream (RFC 7932 §1.5.1).
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    next: u64,
    count: u32,
}

impl Bits {
    fn put(&mut self, value: u64, count: u32) {
        self.next |= value << self.count;
        self.count += count;
        while self.count >= 8 {
            self.bytes.push((self.next & 0xff) as u8);
            self.next >>= 8;
            self.count -= 8;
        }
    }

    /// A prefix code with one symbol (§3.4), which has this many bits.
    fn one_symbol(&mut self, symbol: u64, bits: u32) {
        self.put(1, 2);
        self.put(0, 2);
        self.put(symbol, bits);
    }

    /// The number 256 of block types or of prefix codes (§9.2).
    fn most(&mut self) {
        self.put(1, 1);
        self.put(7, 3);
        self.put(127, 7);
    }

    /// A meta-block of one byte, a blank. It has as many prefix codes as the format allows, and the
    /// decoder makes a table for each.
    fn costly_block(&mut self) {
        // Not the last; the length is 1 in four nibbles; compressed.
        self.put(0, 1 + 2 + 16 + 1);
        for _ in 0..3 {
            self.most();
            self.one_symbol(0, 9);
            // The largest block count, so that the type of blocks stays the same.
            self.one_symbol(25, 5);
            self.put(0x00ff_ffff, 24);
        }
        // The parameters of distances, and the context modes of literals.
        self.put(0, 6);
        (0..256).for_each(|_| self.put(0, 2));
        // The context maps of literals and of distances.
        for _ in 0..2 {
            self.most();
            self.put(0, 1);
            self.one_symbol(0, 8);
            self.put(0, 1);
        }
        (0..256).for_each(|_| self.one_symbol(b' '.into(), 8));
        // A command that inserts one literal.
        (0..256).for_each(|_| self.one_symbol(8, 10));
        (0..256).for_each(|_| self.one_symbol(0, 6));
    }
}

fn costly(bytes: usize) -> Vec<u8> {
    let mut bits = Bits::default();
    // A window of 16 bits.
    bits.put(0, 1);
    while bits.bytes.len() < bytes {
        bits.costly_block();
    }
    // An empty last block.
    bits.put(3, 2);
    bits.put(0, 7);
    bits.bytes
}

/// A timer cannot end work that does not wait. So the decompression looks at the time itself, and
/// ends with the status of a request that takes too long. Without that, this body takes many
/// seconds of a bulk thread.
#[test]
fn a_body_that_takes_too_long_to_decompress_is_refused() {
    let server = TestServer::of(
        "nouns: 1\nserver: { limits: { body_bytes: 16MiB }, timeouts: { request: 1s } }\n\
         resources:\n  zoo:\n    fields: { name: string }\n",
    );
    let fields = [("content-encoding", "br")];
    let refused = server.client().request("POST", "/zoos", &fields, Some(&costly(8 << 20)));
    assert_eq!((refused.status(), refused.problem().as_str()), (503, "unavailable"));
    assert_eq!(refused.field("retry-after"), Some("5"));
    let small = server.client().request("POST", "/zoos", &fields, Some(&costly(3000)));
    assert_eq!((small.status(), small.problem().as_str()), (400, "malformed-body"));
}
