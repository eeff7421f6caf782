//! Tests of connections over real sockets, with short deadlines and with clients that read little
//! or nothing.

#[cfg(feature = "tls")]
mod tls;

use std::{
    convert::Infallible,
    io::{self, Read as _, Write as _},
    net::{SocketAddr, TcpStream as Client},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response, Version};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use socket2::SockRef;
use tokio::{net::TcpListener, sync::mpsc};

use super::*;
use crate::{
    http::body::{Body, CutOffError, Stream},
    server::deadlines::ConnectionTimeouts,
    service::response_memory::ResponseMemory,
};

const STALL: Duration = Duration::from_millis(400);
const TIMES: ConnectionTimeouts = ConnectionTimeouts {
    head: Duration::from_secs(10),
    idle: Duration::from_secs(10),
    stall: STALL,
    stall_scarce: Duration::from_millis(20),
};
/// A size in bytes that exceeds the buffers of the operating system.
const LARGE: usize = 64 * 1024 * 1024;

/// The content of every response in a test.
#[derive(Clone, Copy)]
enum Content {
    Bytes(usize),
    /// An export of two chunks, with a pause after each. The export then fails or ends.
    Stream {
        ends: bool,
        pause: Duration,
    },
}

/// Serves one connection. Returns its address, and a counter of its requests.
fn serve(content: Content) -> (SocketAddr, Arc<AtomicUsize>) {
    let (address, count, _) =
        serve_by(content, |stream| std::future::ready(Transport::Tcp(stream)));
    (address, count)
}

/// Serves one connection like [`serve`], of a stream that is made of the TCP connection. The third
/// value is whether the client read too slowly.
fn serve_by<F: Future<Output = Transport>>(
    content: Content,
    open: impl FnOnce(tokio::net::TcpStream) -> F + Send + 'static,
) -> (SocketAddr, Arc<AtomicUsize>, std::sync::mpsc::Receiver<bool>) {
    let (stalls, is_stalled) = std::sync::mpsc::channel();
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.set_nonblocking(true).unwrap();
    #[cfg(target_os = "linux")]
    SockRef::from(&listener).set_tcp_notsent_lowat(limits::UNSENT_BYTES_MAX).unwrap();
    let (address, count) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&count);
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::from_std(listener).unwrap();
            let deadlines = Deadlines::new(TIMES, Arc::new(ResponseMemory::new(usize::MAX)));
            let transport = open(listener.accept().await.unwrap().0).await;
            let socket = Socket::new(transport, deadlines.clone());
            let recorded = deadlines.clone();
            let service = service_fn(move |request: Request<Incoming>| {
                counted.fetch_add(1, Ordering::Relaxed);
                if request.version() == Version::HTTP_10
                    && matches!(content, Content::Stream { .. })
                {
                    recorded.progress().announce_nothing();
                }
                async move { Ok::<_, Infallible>(Response::new(content.body())) }
            });
            let connection = http1::Builder::new().serve_connection(socket, service);
            stalls.send(deadlines.watch(connection).await.is_err()).ok();
        });
    });
    (address, count, is_stalled)
}

impl Content {
    fn body(self) -> Body {
        let (ends, pause) = match self {
            Self::Bytes(bytes) => return vec![b'a'; bytes].into(),
            Self::Stream { ends, pause } => (ends, pause),
        };
        let (sender, receiver) = mpsc::channel(4);
        let last = if ends { Ok(Bytes::new()) } else { Err(CutOffError::Time) };
        thread::spawn(move || {
            for chunk in [Ok(Bytes::from(vec![b'a'; 100_000])), Ok(Bytes::from("b")), last] {
                sender.blocking_send(chunk).unwrap();
                thread::sleep(pause);
            }
        });
        Body::Stream(Stream::new(receiver, None))
    }
}

fn connect(address: SocketAddr, version: &str, requests: usize) -> Client {
    let mut client = Client::connect(address).unwrap();
    client.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let request = format!("GET / HTTP/{version}\r\nhost: zoo.localhost\r\n\r\n");
    client.write_all(request.repeat(requests).as_bytes()).unwrap();
    client
}

/// Reads until the connection ends, in pieces of `bytes` bytes with pauses between. Returns the
/// number of bytes read, and the error if there was one.
fn read(mut client: Client, bytes: usize, pause: Duration) -> (usize, io::Result<()>) {
    let (mut read, mut piece) = (0, vec![0; bytes]);
    loop {
        match client.read(&mut piece) {
            Ok(0) => return (read, Ok(())),
            Ok(bytes) => read += bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (read, Err(error)),
        }
        thread::sleep(pause);
    }
}

fn is_reset((read, end): (usize, io::Result<()>)) {
    assert_eq!(end.unwrap_err().kind(), io::ErrorKind::ConnectionReset, "after {read} bytes");
}

#[test]
fn a_client_that_does_not_read_is_reset() {
    let client = connect(serve(Content::Bytes(LARGE)).0, "1.1", 1);
    thread::sleep(3 * STALL);
    is_reset(read(client, 1 << 20, Duration::ZERO));
}

#[test]
fn so_is_one_that_reads_a_little_now_and_then() {
    let client = connect(serve(Content::Bytes(LARGE)).0, "1.1", 1);
    SockRef::from(&client).set_recv_buffer_size(16 * 1024).unwrap();
    is_reset(read(client, 64, Duration::from_millis(10)));
}

#[test]
fn one_that_reads_without_haste_gets_all_of_it() {
    let client = connect(serve(Content::Bytes(LARGE)).0, "1.0", 1);
    let (bytes, end) = read(client, 1 << 20, Duration::from_millis(10));
    assert!(bytes > LARGE && end.is_ok(), "{bytes}: {end:?}");
}

/// A connection holds one response at a time: hyper asks for the next response when the current one
/// is written.
#[test]
fn requests_that_come_together_are_answered_one_by_one() {
    const BYTES: usize = 4 * 1024 * 1024;
    let (address, count) = serve(Content::Bytes(BYTES));
    let client = connect(address, "1.1", 1000);
    thread::sleep(STALL / 2);
    // The buffers of client and server hold some responses, and one more waits to be written.
    let answered = count.load(Ordering::Relaxed);
    assert!((1..=4).contains(&answered), "{answered}");
    thread::sleep(3 * STALL);
    assert_eq!(count.load(Ordering::Relaxed), answered);
    is_reset(read(client, 1 << 20, Duration::ZERO));
}

/// In HTTP/1.0 the end of the connection ends the content; in HTTP/1.1 the last chunk does (RFC
/// 9112 §6.3, §8).
#[test]
fn content_that_is_cut_off_never_looks_complete() {
    for pause in [Duration::ZERO, Duration::from_millis(100)] {
        let failed = serve(Content::Stream { ends: false, pause }).0;
        is_reset(read(connect(failed, "1.0", 1), 1 << 20, Duration::ZERO));
        let whole = serve(Content::Stream { ends: true, pause }).0;
        let (bytes, end) = read(connect(whole, "1.0", 1), 1 << 20, Duration::ZERO);
        assert!(bytes > 100_001 && end.is_ok(), "{bytes}: {end:?}");
    }
    let failed = serve(Content::Stream { ends: false, pause: Duration::from_millis(100) }).0;
    let mut content = vec![];
    connect(failed, "1.1", 1).read_to_end(&mut content).unwrap();
    assert!(
        content.ends_with(b"\r\nb\r\n"),
        "the client receives the second chunk `b`, but no last chunk"
    );
}

/// A waker that counts its wake-ups.
#[derive(Default)]
struct Woken(AtomicUsize);

impl std::task::Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Returns a socket that is ready to write. The client at its other end reads everything.
async fn writing() -> Socket {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = Client::connect(listener.local_addr().unwrap()).unwrap();
    thread::spawn(move || read(client, 1 << 20, Duration::ZERO));
    let stream = listener.accept().await.unwrap().0;
    // With this buffer the system accepts more bytes at once than one turn has.
    SockRef::from(&stream).set_send_buffer_size(8 * TURN_BYTES_MAX).unwrap();
    stream.writable().await.unwrap();
    let deadlines = Deadlines::new(TIMES, Arc::new(ResponseMemory::new(usize::MAX)));
    Socket::new(Transport::Tcp(stream), deadlines)
}

/// Returns the number of bytes of these buffers that a connection writes before it yields.
async fn turn(socket: &mut Socket, buffers: &[IoSlice<'_>], woken: &Arc<Woken>) -> usize {
    let waker = Arc::clone(woken).into();
    let mut context = Context::from_waker(&waker);
    let (mut bytes, before) = (0, woken.0.load(Ordering::Relaxed));
    for _ in 0..1000 {
        match Pin::new(&mut *socket).poll_write_vectored(&mut context, buffers) {
            Poll::Ready(written) => {
                bytes += written.unwrap();
                assert!(
                    bytes <= 2 * TURN_BYTES_MAX,
                    "a connection yields before it has written the bytes of two turns"
                );
            }
            Poll::Pending if woken.0.load(Ordering::Relaxed) > before => return bytes,
            Poll::Pending => tokio::time::sleep(Duration::from_millis(1)).await,
        }
    }
    panic!("the connection yielded, but did not wake its task")
}

#[tokio::test]
async fn a_connection_lets_others_have_their_turn() {
    let (mut socket, woken) = (writing().await, Arc::new(Woken::default()));
    let (head, body) = ([b'a'; 100], vec![b'a'; TURN_BYTES_MAX]);
    let buffers = [IoSlice::new(&head), IoSlice::new(&body)];
    let large = turn(&mut socket, &buffers, &woken).await;
    assert!((1..=TURN_BYTES_MAX).contains(&large), "{large}");
    let small = turn(&mut socket, &buffers[..1], &woken).await;
    assert!(
        (1..=64 * 100).contains(&small),
        "each short write counts at least {TURN_BYTES_MIN} bytes, but {small} bytes were written"
    );
    assert_eq!(
        woken.0.load(Ordering::Relaxed),
        2,
        "the connection wakes its task once in each turn"
    );
}

#[test]
fn the_first_bytes_of_buffers_are_those_that_are_left() {
    let buffers = [b"ab".as_slice(), b"", b"cdef"].map(IoSlice::new);
    for left in 1..7 {
        let mut first = [IoSlice::new(&[]); BUFFERS_MAX];
        let count = first_bytes(&buffers, left, &mut first);
        let bytes: Vec<u8> =
            first[..count].iter().flat_map(|buffer| buffer.iter().copied()).collect();
        assert_eq!(bytes, b"abcdef"[..left.min(6)]);
    }
}
