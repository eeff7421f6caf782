//! Tests of the search for request lines, in pieces as a connection brings them.

use proptest::prelude::*;

use super::*;

/// Sends pieces to a connection whose library has read each request before the next piece comes.
/// Returns what the library sees, and the faults.
fn seen(pieces: &[(&str, Option<u64>)]) -> (Vec<String>, Vec<HeadFault>) {
    let (mut lines, mut faults) = (RequestLines::new(), vec![]);
    let piece = |(text, body): &(&str, Option<u64>)| {
        let mut bytes = text.as_bytes().to_vec();
        faults.extend(lines.look(&mut bytes, true, *body).fault);
        String::from_utf8(bytes).unwrap()
    };
    let seen = pieces.iter().map(piece).collect();
    (seen, faults)
}

const NEXT: &str = "GET /a#b HTTP/1.1\r\n\r\n";

#[test]
fn a_fragment_and_a_version_are_noted_and_mended() {
    for (line, mended, fault) in [
        ("GET / HTTP/1.1", "GET / HTTP/1.1", None),
        ("GET / HTTP/1.0", "GET / HTTP/1.0", None),
        ("GET /a#b HTTP/1.1", "GET /a?b HTTP/1.1", Some(HeadFault::Fragment)),
        ("GET /a?b#c#d HTTP/1.1", "GET /a?b?c?d HTTP/1.1", Some(HeadFault::Fragment)),
        ("GET / HTTP/1.2", "GET / HTTP/1.1", Some(HeadFault::Version)),
        ("GET / HTTP/2.0", "GET / HTTP/1.1", Some(HeadFault::Version)),
        ("GET / HTTP/x.1", "GET / HTTP/x.1", None),
        ("PRI * HTTP/2.0", "PRI * HTTP/2.0", None),
        ("GARBAGE", "GARBAGE", None),
    ] {
        let text = format!("\r\n{line}\r\nhost: a#b\r\n\r\n");
        let (seen, faults) = seen(&[(&text, Some(0))]);
        assert_eq!(seen, [format!("\r\n{mended}\r\nhost: a#b\r\n\r\n")]);
        assert_eq!(faults, Vec::from_iter(fault), "{line}");
    }
}

#[test]
fn the_next_request_is_found_after_each_kind_of_body() {
    let post = "POST / HTTP/1.1\r\n\r\n";
    let with_body = format!("{post}#{{}}#");
    let head_split = ["POST / HTTP/1.1\r", "\nx: y\r\n", "\r\n{}"];
    for (pieces, body) in [
        (&["GET / HTTP/1.1\r\n\r\n"][..], Some(0)),
        (&["GET / HTTP/1.1\n\n"], None),
        (&[with_body.as_str()], Some(4)),
        (&[post, "#{}#"], Some(4)),
        (&[post, "#", "{}#"], Some(4)),
        (&[post, "2\r\n{}\r\n0\r\n\r\n"], None),
        (&["GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n"], Some(0)),
        (&head_split, Some(2)),
    ] {
        let mut lines = RequestLines::new();
        for (at, piece) in pieces.iter().enumerate() {
            let mut bytes = piece.as_bytes().to_vec();
            // The library waits for a head until it has come.
            let has_head = pieces[..at].concat().contains("\r\n\r\n");
            let look = lines.look(&mut bytes, !has_head, Some(0).filter(|_| at == 0).or(body));
            assert_eq!((look.fault, bytes), (None, piece.as_bytes().to_vec()), "{pieces:?}");
        }
        assert!(lines.is_between(body), "{pieces:?} {lines:?}");
        let mut next = NEXT.as_bytes().to_vec();
        assert_eq!(
            lines.look(&mut next, true, body).fault,
            Some(HeadFault::Fragment),
            "{pieces:?}"
        );
    }
}

#[test]
fn what_may_be_within_a_request_is_left_alone() {
    let mut lines = RequestLines::new();
    let mut look = |text: &str, awaits_head| {
        let mut bytes = text.as_bytes().to_vec();
        let look = lines.look(&mut bytes, awaits_head, Some(0));
        assert_eq!(bytes, text.as_bytes());
        look
    };
    let none = LineLook::default();
    // A second request was sent together with the first.
    assert_eq!(look("GET / HTTP/1.1\r\n\r\nGET /a", true), none);
    let within = LineLook { is_within: true, ..none };
    assert_eq!(look("#b HTTP/1.1\r\n", true), within);
    assert_eq!(look("x: y\r\n\r\n", true), within);
}

#[test]
fn a_line_without_an_end_is_cut_off() {
    let mut lines = RequestLines::new();
    let mut piece = vec![b'x'; LINE_BYTES_MAX - 1];
    let within = LineLook { fault: None, is_within: true };
    assert_eq!(lines.look(&mut piece, true, Some(0)), within);
    assert_eq!(lines.line_left(), Some(1));
    assert_eq!(lines.look(&mut [b'x'], true, Some(0)).fault, Some(HeadFault::Length));
    assert_eq!(lines.line_left(), None);
}

proptest! {
    /// However a request is split, its fragment is found, and nothing but the fragment is changed.
    #[test]
    fn pieces_of_any_size_are_one_request(cuts in prop::collection::vec(1..12_usize, 0..9)) {
        let request = "GET /zoos#x HTTP/1.1\r\nhost: zoo.localhost\r\nx: #\r\n\r\n";
        let (mut lines, mut rest, mut faults, mut seen) =
            (RequestLines::new(), request.as_bytes(), vec![], vec![]);
        for cut in cuts.iter().copied().chain([request.len()]) {
            let (piece, after) = rest.split_at(cut.min(rest.len()));
            let mut piece = piece.to_vec();
            faults.extend(lines.look(&mut piece, true, Some(0)).fault);
            seen.extend(piece);
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(faults, [HeadFault::Fragment]);
        prop_assert_eq!(String::from_utf8(seen).unwrap(), request.replacen('#', "?", 1));
        prop_assert!(lines.is_between(Some(0)));
    }
}
