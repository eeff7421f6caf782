//! The limits of requests, each with its reason.

use std::time::Duration;

/// Bytes of a request target. RFC 9112 §3 recommends at least 8,000 for the request line.
pub const TARGET_BYTES_MAX: usize = 16 * 1024;

/// Bytes of a request body. A form with long texts fits a hundred times, and a worker can hold one
/// for each connection.
pub const BODY_BYTES_MAX: usize = 1024 * 1024;

/// Bytes of the body of a QUERY. Every value that a filter may have fits, percent-encoded and as
/// long as a long name.
pub const QUERY_BYTES_MAX: usize = 256 * 1024;

/// The minimum size in bytes for compression. Compressing smaller content costs CPU and saves no
/// time.
pub const CODED_BYTES_MIN: usize = 256;

/// Ranges of one request. A client that wants more parts is served faster with the whole.
pub const RANGES_MAX: usize = 32;

/// Exports at the same time. Each has a thread and a snapshot, and a snapshot keeps the WAL from
/// being shortened.
pub const EXPORTS_MAX: usize = 4;

/// The maximum duration of an export, however slow the client is: its snapshot ends then. For a
/// range of it, the time to measure its length counts, too.
pub const EXPORT_TIME_MAX: Duration = Duration::from_secs(600);

/// The time that an export waits for a client that takes no chunk: it holds one of few places, and
/// a snapshot.
///
/// It is longer than [`WRITE_STALL_MAX`], after which the built-in server closes the connection of
/// a client that reads nothing.
pub const EXPORT_STALL_MAX: Duration = Duration::from_secs(60);

/// The time that a request for an export waits for a place. Small exports take only a moment.
pub const EXPORT_WAIT_MAX: Duration = Duration::from_secs(5);

/// Members of a posted array. They are written in one transaction, which other writes wait for.
pub const ARRAY_MEMBERS_MAX: usize = 1000;

/// Levels of a value in a field of type `json`: the database parses values recursively, and so do
/// clients.
pub const JSON_DEPTH_MAX: usize = 64;

/// Operations of a JSON Patch. Each may move a whole array, while the other requests of its worker
/// wait.
pub const PATCH_OPERATIONS_MAX: usize = 250;

/// Array elements that the operations of a JSON Patch shift, in all. Half of them in one array take
/// some milliseconds, while the other requests of its worker wait. A patch of an array of 16,000
/// elements always fits.
pub const PATCH_SHIFTS_MAX: usize = 4_000_000;

/// Times that a JSON Patch is retried because another write changed the member first. Each time one
/// such write is done. It was no JSON Patch: those wait for each other.
pub const PATCH_TRIES_MAX: usize = 32;

/// The time that a JSON Patch which was overtaken waits for its turn among the others of its
/// member. A few hundred are done meanwhile.
pub const PATCH_TURN_WAIT_MAX: Duration = Duration::from_secs(30);

/// Query parameters besides the two of the page: more than any form has fields, and few enough to
/// look at each twice.
pub const PARAMETERS_MAX: usize = 100;

/// Values in all tests of a filter together. A statement with more takes longer to compile than to
/// run.
pub const FILTER_VALUES_MAX: usize = 500;

/// Characters of a cursor. Three of them fit into the `Link` field: for the page itself and its two
/// neighbors.
///
/// If the values of a position are longer, the cursor has the nearest position before it that fits,
/// and the number of members from there.
pub const CURSOR_BYTES_MAX: usize = 1024;

/// Bytes of the members of a page, before compression: eighty times what a page of 100 members of
/// an ordinary table has. A larger page ends early, with at least one member. The response to a
/// posted array has the same limit.
pub const PAGE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Bytes of a page that a worker makes itself, which takes some 300 microseconds. A bulk thread
/// makes larger ones.
pub const WORKER_PAGE_BYTES_MAX: usize = 256 * 1024;

/// Bytes of a request body that a worker reads itself, which takes some 300 microseconds. A bulk
/// thread reads larger ones, and those without `Content-Length`.
pub const WORKER_BODY_BYTES_MAX: usize = 64 * 1024;

/// Bytes of the texts of a page of a Rust query. It gets more of them than a client, and holds them
/// all in memory at once.
pub const LIST_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Members of a page of a Rust query. They are held in memory while other requests wait.
pub const LIST_MEMBERS_MAX: u32 = 10_000;

/// Values in all tests of the filter of a Rust query. The database binds 32,766; the runtime needs
/// some of them.
pub const LIST_VALUES_MAX: usize = 30_000;

/// Tests in the filter of a Rust query. The database refuses expressions deeper than 1,000.
pub const LIST_TESTS_MAX: usize = 500;

/// Keys of a sort order. Beyond the first few, a key almost never decides.
pub const SORT_KEYS_MAX: usize = 8;

/// Bytes of the `Link` field: proxies refuse larger heads. Beyond it the body has the same links,
/// or the field has `next` alone.
pub const LINK_BYTES_MAX: usize = 4 * 1024;

/// Errors in one response: enough for every field of a form, and a bound on what a hostile body
/// costs.
pub const FAULTS_MAX: usize = 100;

/// Code points of an id that a client assigns. It is part of URLs, links and every reference.
pub const STRING_ID_CHARS_MAX: usize = 128;

/// The largest integer id that a client assigns, 2^53 - 1. Every JSON reader has it exactly (RFC
/// 8259 §6), and the counter, which continues after it, has room.
pub const INTEGER_ID_MAX: i64 = (1 << 53) - 1;

/// Characters of an `Idempotency-Key`. A UUID has 36, and each key is stored for a day.
pub const IDEMPOTENCY_KEY_CHARS_MAX: usize = 255;

/// The time for the head of a request to arrive. It bounds the idle time between two requests, too.
pub const HEAD_TIME_MAX: Duration = Duration::from_secs(10);

/// The time for a body to arrive, once its head has.
pub const BODY_TIME_MAX: Duration = Duration::from_secs(30);

/// Bytes of the WAL from which on it is checkpointed; it stays under twice as many. Fewer would
/// cause more copies and fsyncs, which writes wait for. More would make the file larger, and a
/// start after a crash longer.
pub const WAL_BYTES: usize = 32 * 1024 * 1024;

/// Bytes of the response cache of each worker: five to ten thousand members, or a thousand pages of
/// twenty.
pub const CACHE_BYTES: usize = 8 * 1024 * 1024;

/// Reads that wait for the slow lane. Beyond it, the clients with the most places or the highest
/// cost are refused.
pub const SLOW_WAITING_MAX: usize = 64;

/// Reads of one client among them. A quarter would be too many for one of the hundreds that may
/// come.
pub const SLOW_WAITING_CLIENT_MAX: usize = 8;

/// The time that a read waits for its turn on the slow lane. Most clients have gone by then.
pub const SLOW_WAIT_MAX: Duration = Duration::from_secs(10);

/// The fraction of a worker's time, one in this many, for reads whose shape is slow with other
/// values. It suffices for a thousand fast ones in a second, or for a few hundred that turn out to
/// be slow.
pub const SLOW_TRIES_SHARE: u32 = 10;

/// The time for those reads that a worker saves up: some forty that turn out to be slow. More would
/// hold up the worker for longer at once.
pub const SLOW_TRIES_CREDIT_MAX: Duration = Duration::from_millis(10);

/// Clients whose slow reads are remembered, some hundred bytes each: more than send any at the same
/// time.
pub const SLOW_CLIENTS_MAX: usize = 8192;

/// The duration of a read by itself from which on it is logged as slow by default: a person notices
/// it.
pub const SLOW_READ_TIME_MIN: Duration = Duration::from_millis(100);

/// The maximum number of slow query shapes (resource, filter and sort order) that are logged, each
/// once. More would not be read.
pub const SLOW_LOG_MAX: usize = 256;

/// Writes that wait. Beyond it, they are refused with 503.
pub const WRITES_WAITING_MAX: usize = 1024;

/// Bytes of the texts of all waiting writes of 64 KiB or more: 64 bodies of the largest size.
/// Beyond it, large writes are refused with 503, and no others.
pub const WRITES_WAITING_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The time that a write waits for its turn. Most clients have gone by then, and the writes behind
/// it would wait even longer.
pub const WRITE_WAIT_MAX: Duration = Duration::from_secs(10);

/// The time for the statements of one write: every other write waits for it. A write whose work is
/// bounded by its body takes a small part of it. It is shorter than [`WRITE_WAIT_MAX`].
pub const WRITE_TIME_MAX: Duration = Duration::from_secs(5);

/// The duration of a batch of writes from which on no more join it: each of them waits for all.
pub const BATCH_TIME_MAX: Duration = Duration::from_millis(100);

/// The default number of rows that one deletion changes, those that refer to the deleted ones
/// included. So many take about a second, and every other write waits for it.
pub const DELETION_ROWS_MAX: u64 = 100_000;

/// The time of a read on the slow lane. Later the client has gone, and the threads there are few.
pub const SLOW_TIME_MAX: Duration = Duration::from_secs(30);

/// The time for the rest of a body that the server does not read, before its connection is closed
/// with the response.
pub const LINGER_TIME_MAX: Duration = Duration::from_secs(2);

/// The time in which a client must take [`WRITE_WINDOW_BYTES_MIN`] of a waiting response; else its
/// connection is reset. A network that loses packets recovers within seconds.
pub const WRITE_STALL_MAX: Duration = Duration::from_secs(30);

/// Bytes of a waiting response that a client must take within [`WRITE_STALL_MAX`]. 2 KiB a second
/// is less than any network in use carries. It is enough that nobody holds memory for long by
/// reading a byte now and then.
pub const WRITE_WINDOW_BYTES_MIN: usize = 64 * 1024;

/// Bytes of large responses that clients have not read yet, over all workers: a few dozen pages of
/// the largest size. From half of it on, slow clients are disconnected sooner; beyond it, large
/// responses are refused with 503.
pub const RESPONSE_BYTES_MAX: usize = 256 * 1024 * 1024;

/// The same time as [`WRITE_STALL_MAX`] while the memory for large responses is scarce. A client
/// that retries finds a server that still serves the others.
pub const WRITE_STALL_SCARCE_MAX: Duration = Duration::from_secs(1);

/// Bytes from which on a response counts as large. Smaller ones are sent with one write, into the
/// buffers of the system.
pub const LARGE_BODY_BYTES: usize = 64 * 1024;

/// Bytes of a response that the system holds and has not sent yet, on Linux. They keep a connection
/// busy between two turns of its worker. More would pin memory for a client that does not read, and
/// hide how fast it reads.
pub const UNSENT_BYTES_MAX: u32 = 128 * 1024;

/// The time for requests in progress to end when the server stops.
pub const DRAIN_TIME_MAX: Duration = Duration::from_secs(10);

/// Bytes of the header fields of a request, names and values. The cookies of an ordinary browser
/// fit several times.
pub const FIELDS_BYTES_MAX: usize = 64 * 1024;

/// Bytes that a connection reads ahead. Fields at their limit fit beside a target far beyond its
/// own, so that the response can tell which of them is too long.
pub const READ_BYTES_MAX: usize = 128 * 1024;

/// Bytes of a request id that a client sends. UUIDs fit, and the ids of tracing systems.
pub const REQUEST_ID_BYTES_MAX: usize = 64;

/// Bytes of the method, the path and the query, each, in a log line: what a person reads of it. A
/// longer one ends in `…`.
pub const LOGGED_TARGET_BYTES_MAX: usize = 1024;

/// Bytes of `User-Agent` and `Referer` in a log line: what tells clients apart is at the start.
pub const LOGGED_FIELD_BYTES_MAX: usize = 256;

/// Bytes of database pages that the connection of a worker caches. A database of this size is read
/// without system calls while nothing is written. A commit empties the cache, so it is full only
/// where it is useful.
pub const PAGE_CACHE_BYTES: usize = 64 * 1024 * 1024;

/// Bytes of the database that are mapped into memory with `--mmap`: SQLite maps no more.
pub const MMAP_BYTES_MAX: u64 = 0x7fff_0000;
