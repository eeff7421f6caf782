//! Clients that attack the server. They have another address than the client that behaves well,
//! which is served all the time.

mod floods;
mod slow;

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use crate::{
    http2::frames::{END_HEADERS, END_STREAM, Frames, HEADERS, frame, get},
    server::TestServer,
};

/// The address of the clients that attack.
const ATTACKER: [u8; 4] = [127, 0, 0, 2];

/// The time after which an attacker must have been cut off. The server takes 35 seconds at most,
/// and tests share the machine with others.
const PATIENCE: Duration = Duration::from_secs(100);

/// The time between two requests of the client that behaves well.
const BETWEEN: Duration = Duration::from_millis(250);

/// Runs attacks at the same time, each in its own thread. Meanwhile a client that behaves well is
/// served over each version of HTTP, and also afterwards.
fn beside_others<A: Sync>(server: &TestServer, attacks: &[A], run: impl Fn(&A) + Sync) {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let client = scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                is_served(server);
                thread::sleep(BETWEEN);
            }
        });
        let run = &run;
        let attacks: Vec<_> =
            attacks.iter().map(|attack| scope.spawn(move || run(attack))).collect();
        let results: Vec<_> = attacks.into_iter().map(thread::ScopedJoinHandle::join).collect();
        is_over.store(true, Ordering::Relaxed);
        client.join().unwrap();
        results.into_iter().for_each(Result::unwrap);
    });
    is_served(server);
}

/// A new connection of each version is served.
fn is_served(server: &TestServer) {
    assert_eq!(server.client().get("/zoos").status(), 200);
    let mut frames = Frames::connect(server, &[]);
    frames.send(&frame(HEADERS, END_HEADERS | END_STREAM, 1, &get(&[])));
    let head = frames.until(&[HEADERS]).unwrap();
    // The indexed field `:status: 200` (RFC 7541 appendix A).
    assert_eq!((head.stream, head.payload[0]), (1, 0x88));
}
