//! Every bound that a request meets, each with its reason.

use std::time::Duration;

/// Bytes of a request target; RFC 9112 §3 asks for at least 8,000 in the request line.
pub const TARGET_BYTES_MAX: usize = 16 * 1024;

/// Bytes of a request body: a form with long texts fits a hundred times, and a worker can hold one
/// per connection.
pub const BODY_BYTES_MAX: usize = 1024 * 1024;

/// Bytes of the body of a QUERY: every value that a filter may have fits, at the length of a long
/// name and percent-encoded.
pub const QUERY_BYTES_MAX: usize = 256 * 1024;

/// Bytes from which on content is compressed: below, a smaller packet is no faster, and the work
/// is the same.
pub const CODED_BYTES_MIN: usize = 256;

/// Ranges of one request: who wants more parts than this is served faster with the whole.
pub const RANGES_MAX: usize = 32;

/// Exports at the same time: each has a thread and a snapshot, which keeps the log of the database
/// from being shortened.
pub const EXPORTS_MAX: usize = 4;

/// How long an export takes at most, however slow the client is: its snapshot ends then. Where a
/// part of it is asked for, what is made to count it is in it.
pub const EXPORT_TIME_MAX: Duration = Duration::from_secs(600);

/// How long an export waits for a client that takes no chunk: it holds one of few places, and a
/// snapshot. It is longer than [`WRITE_STALL_MAX`], by which our own server ends the connection of
/// a client that reads nothing.
pub const EXPORT_STALL_MAX: Duration = Duration::from_secs(60);

/// How long a request for an export waits for a place: small ones are made in a moment.
pub const EXPORT_WAIT_MAX: Duration = Duration::from_secs(5);

/// Members of an array that is posted: they are written in one transaction, which others wait for.
pub const ARRAY_MEMBERS_MAX: usize = 1000;

/// Levels of a value in a field of type json: the database parses values recursively, and so do
/// clients.
pub const JSON_DEPTH_MAX: usize = 64;

/// Operations of a JSON Patch: each may move a whole array, while the other requests of its worker
/// wait.
pub const PATCH_OPERATIONS_MAX: usize = 250;

/// Elements of arrays that the operations of a JSON Patch shift to another place, in all: half of
/// them in one array take some milliseconds, while the other requests of its worker wait. An array
/// of 16,000 elements takes every patch.
pub const PATCH_SHIFTS_MAX: usize = 4_000_000;

/// Times that a JSON Patch is applied anew because another write came between, which is no JSON
/// Patch, for those wait for each other: each time one write of the others is done.
pub const PATCH_TRIES_MAX: usize = 32;

/// For a JSON Patch that was overtaken to get its turn among the others of its member: a few
/// hundred are done meanwhile.
pub const PATCH_TURN_WAIT_MAX: Duration = Duration::from_secs(30);

/// Parameters of a query besides the two of its page: more than any form has fields, and few enough
/// that each may be looked at twice.
pub const PARAMETERS_MAX: usize = 100;

/// Values in all tests of a filter together: a statement with more takes longer to compile than to
/// run.
pub const FILTER_VALUES_MAX: usize = 500;

/// Characters of a cursor: three of them fit into the `Link` field, for the page itself and those
/// on both sides. A place by texts that are longer is said by the nearest one before it that fits,
/// and the number of members from there on.
pub const CURSOR_BYTES_MAX: usize = 1024;

/// Bytes of the members of a page, before compression: twice what a page of 100 members of an
/// ordinary table has, forty times over. A page that would have more ends early, with one member at
/// least. What a posted array has created is no larger.
pub const PAGE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Bytes of a page that a worker makes itself, some 300 microseconds: larger ones are made on a
/// bulk thread.
pub const WORKER_PAGE_BYTES_MAX: usize = 256 * 1024;

/// Bytes of a request body that a worker reads itself, some 300 microseconds: larger ones, and
/// those whose length is not announced, are read on a bulk thread.
pub const WORKER_BODY_BYTES_MAX: usize = 64 * 1024;

/// Bytes of the texts of a page that a program asks for: it gets more of them than a client, and
/// holds them all at once.
pub const LIST_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Members of a page that a program of one's own asks for: they are held in memory while other
/// requests wait.
pub const LIST_MEMBERS_MAX: u32 = 10_000;

/// Values in all tests of a filter that a program of one's own asks for: the database binds 32,766,
/// some of which are ours.
pub const LIST_VALUES_MAX: usize = 30_000;

/// Tests in a filter that a program of one's own asks for: the database refuses expressions deeper
/// than 1,000.
pub const LIST_TESTS_MAX: usize = 500;

/// Keys of an order: beyond the first few a key almost never decides.
pub const SORT_KEYS_MAX: usize = 8;

/// Bytes of the `Link` field: proxies refuse larger heads. The body has the same links, or the
/// field has `next` alone.
pub const LINK_BYTES_MAX: usize = 4 * 1024;

/// Faults that one answer lists: enough for every field of a form, and a bound on what a hostile
/// body costs.
pub const FAULTS_MAX: usize = 100;

/// Code points of an id that a client assigns: it stands in URLs, in links and in every reference.
pub const STRING_ID_CHARS_MAX: usize = 128;

/// The largest integer id that a client brings, 2^53 - 1: every JSON reader has it exactly (RFC
/// 8259 §6), and the counter, which goes on after it, does not come to its end.
pub const INTEGER_ID_MAX: i64 = (1 << 53) - 1;

/// Characters of an `Idempotency-Key`: a UUID has 36, and each key is kept for a day.
pub const IDEMPOTENCY_KEY_CHARS_MAX: usize = 255;

/// For the head of a request to arrive, which bounds the idle time between two requests too.
pub const HEAD_TIME_MAX: Duration = Duration::from_secs(10);

/// For a body to arrive once its head has.
pub const BODY_TIME_MAX: Duration = Duration::from_secs(30);

/// Bytes of the write-ahead log, from which on it is brought into the database: fewer make more of
/// the copies and fsyncs that writes wait for; more make the file larger, and a start after a crash
/// longer. It stays under twice as many.
pub const WAL_BYTES: usize = 32 * 1024 * 1024;

/// Bytes of the answers that each worker keeps in memory: five to ten thousand members, or a
/// thousand pages of twenty.
pub const CACHE_BYTES: usize = 8 * 1024 * 1024;

/// Reads that wait for the slow lane; beyond it, those of the clients that have most places or have
/// cost most are refused.
pub const SLOW_WAITING_MAX: usize = 64;

/// Places among them of one client: a quarter would be too many for one of the hundreds that may
/// come.
pub const SLOW_WAITING_CLIENT_MAX: usize = 8;

/// For a read to get its turn on the slow lane: who has waited longer has mostly gone.
pub const SLOW_WAIT_MAX: Duration = Duration::from_secs(10);

/// The part of a worker's time, one in so many, that goes to reads whose shape is slow with other
/// values: enough for a thousand fast ones in a second, or for a few hundred that turn out to be
/// slow.
pub const SLOW_TRIES_SHARE: u32 = 10;

/// The time for those reads that a worker saves up: some forty that turn out to be slow, so that
/// the worker is not held up for longer at once.
pub const SLOW_TRIES_CREDIT_MAX: Duration = Duration::from_millis(10);

/// Clients whose slow reads are remembered, some hundred bytes each: more than send any at the same
/// time.
pub const SLOW_CLIENTS_MAX: usize = 8192;

/// The time that a read takes by itself, from which on it is logged as slow where nobody says
/// otherwise: a person notices it.
pub const SLOW_READ_TIME_MIN: Duration = Duration::from_millis(100);

/// Slow reads of which the log has a line, each question once: who has read so many has enough to
/// mend.
pub const SLOW_LOG_MAX: usize = 256;

/// Writes that wait; beyond it they are refused with 503.
pub const WRITES_WAITING_MAX: usize = 1024;

/// Bytes of the texts of all large writes that wait, those of 64 KiB or more: 64 bodies of the
/// largest size. Beyond it large ones are refused with 503, and no others.
pub const WRITES_WAITING_BYTES_MAX: usize = 64 * 1024 * 1024;

/// For a write to get its turn: who has waited longer has mostly gone, and those behind it would
/// wait even longer.
pub const WRITE_WAIT_MAX: Duration = Duration::from_secs(10);

/// For the statements of one write: every other write waits for it. It is many times what any write
/// takes whose work is bounded by its body, and less than those that wait are given.
pub const WRITE_TIME_MAX: Duration = Duration::from_secs(5);

/// For the writes of a batch together before no more join it: each of them waits for all of it.
pub const BATCH_TIME_MAX: Duration = Duration::from_millis(100);

/// Rows that one deletion changes, those that refer to what it deletes included: as many take about
/// a second, and every other write waits for it. A flag sets another number.
pub const DELETION_ROWS_MAX: u64 = 100_000;

/// For a query to be read on the slow lane: who waits longer has gone, and the threads there are
/// few.
pub const SLOW_TIME_MAX: Duration = Duration::from_secs(30);

/// For the rest of a body that nobody asked for, before its connection is closed with the answer.
pub const LINGER_TIME_MAX: Duration = Duration::from_secs(2);

/// For a client to take [`WRITE_WINDOW_BYTES_MIN`] of a response while more of it waits; then its
/// connection is reset. A network that loses packets recovers within seconds.
pub const WRITE_STALL_MAX: Duration = Duration::from_secs(30);

/// Bytes that a client takes at least within [`WRITE_STALL_MAX`] while a response waits: 2 KiB a
/// second, less than any network in use, and enough that nobody holds memory for long by reading a
/// byte now and then.
pub const WRITE_WINDOW_BYTES_MIN: usize = 64 * 1024;

/// Bytes of large responses that clients have not read yet, over all workers: a few dozen pages at
/// their bound. From half of it on, clients that read too slowly are given up sooner; beyond it,
/// large responses are refused with 503.
pub const RESPONSE_BYTES_MAX: usize = 256 * 1024 * 1024;

/// The same as [`WRITE_STALL_MAX`] while the memory for large responses is scarce: who asks anew
/// gets it from a server that is there for the others too.
pub const WRITE_STALL_SCARCE_MAX: Duration = Duration::from_secs(1);

/// Bytes from which on a response counts as large: smaller ones leave with one write, into the
/// buffers of the system.
pub const LARGE_BODY_BYTES: usize = 64 * 1024;

/// Bytes that the system holds of a response and has not sent yet, on Linux. They keep a connection
/// busy between two turns of its worker. More would be memory that a client which does not read
/// pins, and would hide how fast it reads.
pub const UNSENT_BYTES_MAX: u32 = 128 * 1024;

/// For requests that are being answered to end when the server stops.
pub const DRAIN_TIME_MAX: Duration = Duration::from_secs(10);

/// Bytes of the fields of a request, names and values; the cookies of an ordinary browser fit
/// several times.
pub const FIELDS_BYTES_MAX: usize = 64 * 1024;

/// Bytes that a connection reads ahead: fields at their limit fit beside a target far beyond its
/// own, so that both are told apart in the answer.
pub const READ_BYTES_MAX: usize = 128 * 1024;

/// Bytes of a request id that a client sends: those of a UUID fit, and of what tracing systems
/// use.
pub const REQUEST_ID_BYTES_MAX: usize = 64;

/// Bytes of the method, of the path and of the query that the log repeats, each: what a person
/// reads of a line. A longer one ends in `…`.
pub const LOGGED_TARGET_BYTES_MAX: usize = 1024;

/// Bytes of `User-Agent` and of `Referer` that the log repeats: what tells one client from another
/// stands at the start.
pub const LOGGED_FIELD_BYTES_MAX: usize = 256;

/// Bytes of pages that the connection of a worker caches: a database of this size is read without
/// calls of the system while nothing is written. A commit empties it, so it is full only where it
/// is of use.
pub const PAGE_CACHE_BYTES: usize = 64 * 1024 * 1024;

/// Bytes of the database that are mapped into memory where that is asked for: SQLite maps no more.
pub const MMAP_BYTES_MAX: u64 = 0x7fff_0000;
