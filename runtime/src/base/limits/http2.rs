//! The limits of connections of HTTP/2.

use std::time::Duration;

/// The maximum number of requests in progress on a connection of HTTP/2. Clients of HTTP/1.1 have
/// as many with as many connections.
pub const STREAMS_MAX: u32 = 512;

/// The number of bytes that a client may send on one stream of HTTP/2 before they are read: a
/// quarter of the largest body.
pub const STREAM_WINDOW_BYTES: u32 = 256 * 1024;

/// The number of bytes that a client may send on a connection of HTTP/2 before they are read. It is
/// the memory that a connection may take for bodies that wait.
pub const CONNECTION_WINDOW_BYTES: u32 = 1024 * 1024;

/// The maximum number of bytes of one response that wait in the connection of HTTP/2. With more,
/// other responses would wait for a client with a large window.
pub const STREAM_SEND_BYTES_MAX: usize = 128 * 1024;

/// The time without a byte from the client after which a connection of HTTP/2 is tested with a
/// PING. A client that is still there answers within a second.
pub const PING_TIME: Duration = Duration::from_secs(10);

/// The time in which a client must answer a PING of HTTP/2, or send anything else. A network that
/// loses packets recovers within seconds. With [`PING_TIME`], a connection whose client has
/// vanished ends within 30 seconds, even if it has requests in progress.
pub const PONG_TIME_MAX: Duration = Duration::from_secs(10);

/// The memory that a stream of HTTP/2 takes while its client does not read the response, in bytes.
/// It counts for the memory of large responses, in addition to the rest of the content.
pub const STREAM_BYTES: usize = 8 * 1024;

/// The minimum number of bytes of a response over HTTP/2 that count for the memory of large
/// responses from the start. A client with a large window may leave 512 responses unread on a
/// connection. Those below this size are together as much as a large page.
pub const UNREAD_BYTES_MIN: usize = 4 * 1024;

/// The maximum number of members that are pushed with one response, or named in early hints. Ten
/// hide a round trip for most pages, and make a request no more than eleven times as expensive.
pub const PUSHES_MAX: usize = 10;

/// The maximum number of pushed responses in progress on a connection. The client may set a lower
/// limit.
pub const PUSH_STREAMS_MAX: usize = 100;

/// The maximum number of members that are pushed on a connection, each once. A client that has
/// more of them asks with `If-None-Match`.
pub const PUSHED_MAX: usize = 1000;

/// The time in which the responses to promised requests must be ready. The response that refers to
/// them waits for it.
pub const PUSH_TIME_MAX: Duration = Duration::from_millis(100);

/// The number of bytes on a connection of HTTP/2 that are neither a request nor its content, in
/// [`PING_TIME`]. More of them is a flood of frames such as PING, SETTINGS or PRIORITY.
pub const CONTROL_BYTES_MAX: u64 = 512 * 1024;
