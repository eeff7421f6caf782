//! The compression of header fields (HPACK, RFC 7541).

use h2::client::Builder;
use http::{Method, StatusCode};
use serde_json::json;

use super::{
    ask, connect,
    frames::{END_HEADERS, END_STREAM, Frames, GOAWAY, HEADERS, SETTINGS, frame, get},
    wait,
};
use crate::server::TestServer;

/// The codes of errors that end a connection (RFC 9113 §7). The library says PROTOCOL_ERROR for
/// some errors in a block.
const ERRORS: [u8; 2] = [1, 9];

/// The blocks of the heads of three responses to the same request.
fn blocks(server: &TestServer, settings: &[u8]) -> Vec<Vec<u8>> {
    let mut frames = Frames::connect(server, settings);
    let ask = |stream| {
        frames.send(&frame(HEADERS, END_HEADERS | END_STREAM, stream, &get(&[])));
        frames.until(&[HEADERS]).unwrap().payload
    };
    [1, 3, 5].map(ask).to_vec()
}

/// Conformance 180: repeated fields shrink by the dynamic table, unless the client has none.
#[test]
fn a_repeated_head_is_smaller_unless_the_client_keeps_none() {
    let server = TestServer::zoo();
    let kept = blocks(&server, &[]);
    assert!(2 * kept[1].len() < kept[0].len(), "{kept:?}");
    // SETTINGS_HEADER_TABLE_SIZE is 0.
    let bare = blocks(&server, &[0, 1, 0, 0, 0, 0]);
    // The first head sets the size to 0 (RFC 7541 §6.3).
    assert_eq!(bare[0][0], 0x20, "{bare:?}");
    assert_eq!(bare[1].len(), bare[2].len());
    assert!(bare[1].len() + 1 >= bare[0].len(), "{bare:?}");
    server.client().create("/zoos", &json!({ "name": "a" }));
    wait(async {
        let client = connect(&server, Builder::new().header_table_size(0)).await;
        for _ in 0..3 {
            let answer = ask(&client, (Method::GET, "/zoos/1"), &[("x-a", "b")], "").await;
            assert_eq!(
                (answer.status, answer.json()["name"].as_str()),
                (StatusCode::OK, Some("a"))
            );
        }
    });
}

/// Conformance 180: what is no compressed head ends the connection.
#[test]
fn a_malformed_block_ends_its_connection() {
    let server = TestServer::zoo();
    let name = [0x40, 1, b'x'];
    for (mistake, block) in [
        ("the index 0", &[0x80][..]),
        ("an index without an entry", &[0x80 | 62]),
        ("the name of no entry", &[0x40 | 62, 1, b'a']),
        ("an integer that is too large", &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]),
        ("a table that is too large", &[0x3f, 0xff, 0xff, 0x7f]),
        ("a string that is too short", &[name[0], name[1], name[2], 9, b'a']),
        ("the symbol EOS", &[name[0], name[1], name[2], 0x84, 0xff, 0xff, 0xff, 0xff]),
        ("a padding of zeros", &[name[0], name[1], name[2], 0x81, 0b0001_1000]),
        ("a padding of a whole byte", &[name[0], name[1], name[2], 0x82, 0b0001_1111, 0xff]),
    ] {
        let mut frames = Frames::connect(&server, &[]);
        let block = [get(&[]), block.to_vec()].concat();
        frames.send(&frame(HEADERS, END_HEADERS | END_STREAM, 1, &block));
        let end = frames.until(&[HEADERS, GOAWAY]).unwrap();
        assert!(end.kind == GOAWAY && ERRORS.contains(&end.payload[7]), "{mistake}: {end:?}");
    }
    let mut frames = Frames::connect(&server, &[]);
    frames.send(&frame(SETTINGS, 0, 0, &[0, 1, 0, 0, 0, 0]));
    frames.send(&frame(HEADERS, END_HEADERS | END_STREAM, 1, &get(&[])));
    assert_eq!(frames.until(&[HEADERS]).unwrap().stream, 1);
}
