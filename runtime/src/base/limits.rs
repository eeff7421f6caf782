//! The limits that requests and the server must keep, each with its reason. Those that a
//! declaration can change are in [`Limit`] and [`Timeout`](crate::Timeout).

mod held;
mod http2;
mod stop;

use std::time::Duration;

use nouns_declaration::def::Limit;

pub use self::{held::*, http2::*, stop::*};

/// The number of bytes that a connection reads ahead, besides header fields at their limit. A
/// target far over its limit fits. So the response can say whether the fields or the target are too
/// long.
pub const READ_AHEAD_BYTES: usize = 64 * 1024;

/// The default maximum size of a request body, in bytes ([`Limit::BodyBytes`]).
pub const BODY_BYTES_MAX: usize = Limit::BodyBytes.default() as usize;

/// The maximum size of the body of a QUERY request, in bytes. The values of a
/// filter fit, even long ones that are percent-encoded.
pub const QUERY_BYTES_MAX: usize = 256 * 1024;

/// The minimum size of content that is compressed, in bytes. Compression of smaller content costs
/// CPU time and does not shorten the transfer.
pub const CODED_BYTES_MIN: usize = 256;

/// The maximum number of ranges in one request. A client that needs more ranges is served faster
/// with the whole content.
pub const RANGES_MAX: usize = 32;

/// The maximum number of exports at the same time. Each export has a thread and a snapshot, and a
/// snapshot prevents SQLite from resetting the WAL.
pub const EXPORTS_MAX: usize = 4;

/// The maximum number of exports that are sent to one address, or to a `/64` of IPv6, at the same
/// time. A client that reads its exports slowly leaves a place to others.
pub const CLIENT_EXPORTS_MAX: usize = EXPORTS_MAX - 1;

/// The maximum duration of an export. Then its snapshot ends, even if the client has not read
/// everything. For a range request, the time to measure the export's length counts, too.
pub const EXPORT_TIME_MAX: Duration = Duration::from_secs(600);

/// The maximum time that an export waits for a client that reads nothing. A waiting export counts
/// towards [`EXPORTS_MAX`] and holds a snapshot.
///
/// The time is longer than [`Timeout::WriteStall`](crate::Timeout::WriteStall), after which the
/// built-in server closes the connection of a client that reads nothing.
pub const EXPORT_STALL_MAX: Duration = Duration::from_secs(60);

/// The maximum time that a request waits until fewer than [`EXPORTS_MAX`] exports run. Small
/// exports take only a moment.
pub const EXPORT_WAIT_MAX: Duration = Duration::from_secs(5);

/// The maximum number of members in a posted array. They are written in one transaction, and other
/// writes wait for it.
pub const ARRAY_MEMBERS_MAX: usize = 1000;

/// The maximum nesting depth of a JSON value that a typed call writes, and of a stored value that
/// is patched: the largest that [`Limit::JsonDepth`] can be.
pub const JSON_DEPTH_MAX: usize = Limit::JsonDepth.range().1 as usize;

/// The maximum number of operations in a JSON Patch. Each operation may move a whole array while
/// the other requests of the worker wait.
pub const PATCH_OPERATIONS_MAX: usize = 250;

/// The maximum number of array elements that all operations of a JSON Patch shift together. Two
/// million shifts in one array take some milliseconds, while the other requests of the worker wait.
/// A patch of an array of 16,000 elements always stays within the limit.
pub const PATCH_SHIFTS_MAX: usize = 4_000_000;

/// The maximum number of attempts of a JSON Patch. An attempt fails if another write has changed
/// the member since the patch read it. After a failed attempt, JSON Patches of the same member run
/// one after the other. So only other kinds of writes can make a later attempt fail.
pub const PATCH_TRIES_MAX: usize = 32;

/// The maximum time that a JSON Patch waits for other JSON Patches of the same member, after its
/// first attempt has failed. In this time a few hundred patches are done.
pub const PATCH_TURN_WAIT_MAX: Duration = Duration::from_secs(30);

/// The maximum length of a cursor, in characters. Three cursors fit into the `Link` field: those of
/// the page, the next page and the previous page.
///
/// If the values at a position are too long, the cursor has two parts: the nearest earlier position
/// that fits, and the number of members to skip from it.
pub const CURSOR_BYTES_MAX: usize = 1024;

/// The maximum size of the members in a page, in bytes before compression. It is eighty times the
/// size of an ordinary page of 100 members. A larger page ends early, but has at least one member.
/// The response to a posted array has the same limit.
pub const PAGE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The size of a member, in bytes, at which the lists that come with it end early.
pub const RELATED_LISTS_BYTES_MAX: usize = 1024 * 1024;

/// The maximum size of a page that a worker builds itself, in bytes; this takes some 300
/// microseconds. A bulk thread (a thread for large requests) builds larger pages.
pub const WORKER_PAGE_BYTES_MAX: usize = 256 * 1024;

/// The maximum size of a request body that a worker reads itself, in bytes; this takes some 300
/// microseconds. A bulk thread (a thread for large requests) reads larger bodies, and bodies
/// without `Content-Length`.
pub const WORKER_BODY_BYTES_MAX: usize = 64 * 1024;

/// The maximum size of the texts in a page of a query from Rust code, in bytes. A program may get
/// more than [`PAGE_BYTES_MAX`], but holds the whole page in memory.
pub const LIST_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The maximum number of members in a page of a query from Rust code. The page is built in memory
/// while other requests wait.
pub const LIST_MEMBERS_MAX: u32 = 10_000;

/// The maximum number of values in the filter of a query from Rust code. SQLite binds at most
/// 32,766 values, and the runtime needs some of them itself.
pub const LIST_VALUES_MAX: usize = 30_000;

/// The maximum number of conditions in the filter of a query from Rust code. SQLite refuses
/// expressions that are nested deeper than 1,000 levels.
pub const LIST_TESTS_MAX: usize = 500;

/// The maximum number of keys in a sort order. A key after the first few almost never decides the
/// order.
pub const SORT_KEYS_MAX: usize = 8;

/// The maximum length of the `Link` field, in bytes, as proxies refuse large heads. If the links
/// are longer, the field has `next` alone, or the links are in the body only.
pub const LINK_BYTES_MAX: usize = 4 * 1024;

/// The maximum number of errors that one response lists. Every field of a form can have an error.
/// The limit bounds the cost of a malicious body.
pub const FAULTS_MAX: usize = 100;

/// The maximum length of an id that a client assigns, in code points. The id is part of URLs, links
/// and references.
pub const STRING_ID_CHARS_MAX: usize = 128;

/// The largest integer id that a client may assign, 2^53 - 1. Every JSON parser reads it exactly
/// (RFC 8259 §6). Ids that the server assigns continue after the largest id, and enough larger
/// numbers are left.
pub const INTEGER_ID_MAX: i64 = (1 << 53) - 1;

/// The maximum length of an `Idempotency-Key`, in characters. A UUID has 36 characters. By default
/// each key is stored for a day.
pub const IDEMPOTENCY_KEY_CHARS_MAX: usize = 255;

/// The maximum number of clients and accounts whose requests are counted, if a rate is declared.
/// They take about 3 MB.
pub const RATE_BUCKETS_MAX: usize = 65_536;

/// The size in bytes at which the WAL is checkpointed; the WAL stays under twice this size. A
/// smaller size causes more copies and fsyncs, for which writes wait. A larger size makes the file
/// larger and the recovery after a crash longer.
pub const WAL_BYTES: usize = 32 * 1024 * 1024;

/// The size of the response cache of each worker, in bytes. Five to ten thousand members fit, or a
/// thousand pages of twenty members.
pub const CACHE_BYTES: usize = 8 * 1024 * 1024;

/// The maximum number of reads that wait for the threads for slow reads. If more come, reads of the
/// clients with the most waiting reads or the highest cost are refused.
pub const SLOW_WAITING_MAX: usize = 64;

/// The maximum number of waiting slow reads from one client (see [`SLOW_WAITING_MAX`]). If one
/// client could fill a quarter of the queue, four clients could block hundreds of others.
pub const SLOW_WAITING_CLIENT_MAX: usize = 8;

/// The maximum time that a read waits for a thread for slow reads. After this time most clients
/// have disconnected.
pub const SLOW_WAIT_MAX: Duration = Duration::from_secs(10);

/// The share of a worker's time for reads that were slow before with other values in the same
/// filter: one part in this number. That is enough for a thousand such reads a second if they are
/// fast, or for a few hundred if they prove slow.
pub const SLOW_TRIES_SHARE: u32 = 10;

/// The maximum time that a worker saves up for reads that were slow before with other values (see
/// [`SLOW_TRIES_SHARE`]). It is enough for some forty reads that prove slow. With more, the
/// worker's other requests would wait longer.
pub const SLOW_TRIES_CREDIT_MAX: Duration = Duration::from_millis(10);

/// The maximum number of clients whose slow reads are remembered, at some hundred bytes each. Fewer
/// clients than this send slow reads at the same time.
pub const SLOW_CLIENTS_MAX: usize = 8192;

/// The default minimum duration of a read that is logged as slow. The time that the read waits for
/// other reads does not count. A person notices a delay of this duration.
pub const SLOW_READ_TIME_MIN: Duration = Duration::from_millis(100);

/// The maximum number of slow query shapes (resource, filter and sort order) that are logged, each
/// once. Nobody would read more.
pub const SLOW_LOG_MAX: usize = 256;

/// The maximum number of new passwords that wait until they are hashed. A thread does some fifty in
/// a second. Further requests are refused with 503.
pub const PASSWORDS_WAITING_MAX: usize = 64;

/// The maximum number of passwords of sign-ins that wait until they are compared. They have a queue
/// of their own, so that new passwords keep nobody from signing in.
pub const SIGN_INS_WAITING_MAX: usize = 64;

/// The maximum number of new passwords that wait from one address, and from one account (see
/// [`PASSWORDS_WAITING_MAX`]). The passwords of one request are hashed one after the other, so only
/// clients with several requests at a time can meet this limit.
pub const PASSWORDS_WAITING_CLIENT_MAX: usize = 8;

/// The maximum time that a password waits until it is hashed or compared. After this time most
/// clients have disconnected.
pub const PASSWORD_WAIT_MAX: Duration = Duration::from_secs(10);

/// The longest time between two uses of credentials that were right, after which they are compared
/// again. It is a little more than a day, for programs that run once a day. A wrong password is
/// always compared, and a change of the password takes effect at once.
pub const CREDENTIALS_TIME_MAX: Duration = Duration::from_secs(26 * 60 * 60);

/// The time after which a worker reads the account of known credentials again.
pub const IDENTITY_TIME_MAX: Duration = Duration::from_secs(60);

/// The time, in seconds, by which the clock of another issuer of tokens may differ.
pub const JWT_LEEWAY_SECONDS: i64 = 30;

/// The maximum number of keys of another issuer. An issuer that replaces its keys has two or three.
pub const JWT_KEYS_MAX: usize = 100;

/// The maximum size of the file with the keys of another issuer, in bytes: the maximum number of
/// keys, with a certificate each.
pub const JWT_KEYS_BYTES_MAX: u64 = 1024 * 1024;

/// The time between two looks at a file that may change while the server runs: the keys of another
/// issuer, the certificate. Whoever replaces it sees the effect without waiting for it.
pub const FILE_LOOK_TIME: Duration = Duration::from_secs(2);

/// The maximum size in bytes of a file with certificates or a key. A chain has a few kilobytes.
pub const TLS_FILE_BYTES_MAX: u64 = 1024 * 1024;

/// The maximum number of credentials that are remembered as right (see [`CREDENTIALS_TIME_MAX`]),
/// at some two hundred bytes each.
pub const CREDENTIALS_MAX: usize = 4096;

/// The maximum number of passwords in one request. They take two seconds of a thread.
pub const REQUEST_PASSWORDS_MAX: usize = 100;

/// The maximum number of writes that wait. Further writes are refused with 503.
pub const WRITES_WAITING_MAX: usize = 1024;

/// The maximum size of the texts of all waiting large writes, in bytes: 64 bodies of
/// [`BODY_BYTES_MAX`]. A large write has 64 KiB or more. At the limit, only large writes are
/// refused with 503.
pub const WRITES_WAITING_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The maximum time that a write waits until it starts. After this time most clients have
/// disconnected, and the writes behind it wait longer still.
pub const WRITE_WAIT_MAX: Duration = Duration::from_secs(10);

/// The maximum time for the statements of one write, as all other writes wait for it. Only a write
/// that changes many rows comes near this limit. The time is shorter than [`WRITE_WAIT_MAX`].
pub const WRITE_TIME_MAX: Duration = Duration::from_secs(5);

/// The maximum time to find the other conflicts of a posted array that is refused for one. Other
/// writes wait meanwhile. The conflicts that are found by then are listed.
pub const CONFLICTS_TIME_MAX: Duration = Duration::from_secs(2);

/// The duration after which no more writes join a batch. Each write of a batch waits until the
/// whole batch is committed.
pub const BATCH_TIME_MAX: Duration = Duration::from_millis(100);

/// The maximum number of characters of the text with which a trigger of the database refuses a
/// write. A sentence fits; more would be a message for programmers.
pub const RAISED_TEXT_MAX: usize = 300;

/// The default maximum number of rows that one deletion changes, including the rows that refer to
/// deleted rows. Such a deletion takes about a second, and all other writes wait for it.
pub const DELETION_ROWS_MAX: u64 = 100_000;

/// The maximum duration of a read on a thread for slow reads. After this time most clients have
/// disconnected, and there are only a few such threads.
pub const SLOW_TIME_MAX: Duration = Duration::from_secs(30);

/// The maximum time in which a client may send the rest of a request body after the server has
/// already sent its response. The server ignores the rest. After this time it closes the
/// connection.
pub const LINGER_TIME_MAX: Duration = Duration::from_secs(2);

/// The maximum number of bytes that the server ignores after its last response on a connection (see
/// [`LINGER_TIME_MAX`]). A client that uploads more may lose the response.
pub const LINGER_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The number of bytes of a waiting response that a client must read within
/// [`Timeout::WriteStall`](crate::Timeout::WriteStall). All networks in use are faster than these 2
/// KiB a second. A client that reads a byte now and then cannot hold memory for long.
pub const WRITE_WINDOW_BYTES_MIN: usize = 64 * 1024;

/// The maximum size of all large responses that clients have not read yet, in bytes, over all
/// workers. It is the size of some sixty of the largest pages. From half of this size on, the
/// server disconnects slow clients sooner. At the limit, it refuses large responses with 503.
pub const RESPONSE_BYTES_MAX: usize = 256 * 1024 * 1024;

/// The time that replaces [`Timeout::WriteStall`](crate::Timeout::WriteStall) while the memory for
/// large responses is scarce. A client that is disconnected can retry, and the server still serves
/// other clients.
pub const WRITE_STALL_SCARCE_MAX: Duration = Duration::from_secs(1);

/// The number of shares of [`RESPONSE_BYTES_MAX`], of which the clients of one address, or of a
/// `/64` of IPv6, have one. So a client that reads nothing does not take the memory of others.
pub const RESPONSE_SHARES: usize = 4;

/// The maximum number of requests of one address, or of a `/64` of IPv6, that a bulk thread works
/// on at a time. Others wait for their turn. A request of another client then waits for at most
/// this number, however many came before it: for about a second, if all are large pages.
pub const CLIENT_BULK_MAX: usize = 32;

/// The minimum size of a response that counts as large, in bytes. A smaller response fits into the
/// socket buffer and is sent with one system call.
pub const LARGE_BODY_BYTES: usize = 64 * 1024;

/// The maximum number of response bytes in the socket buffer that are not sent yet, on Linux. They
/// keep the connection busy until its worker writes again. More bytes would occupy memory for a
/// client that does not read, and hide how fast the client reads.
pub const UNSENT_BYTES_MAX: u32 = 128 * 1024;

/// The maximum length of a request id from a client, in bytes. A UUID fits, and so does the id of a
/// tracing system.
pub const REQUEST_ID_BYTES_MAX: usize = 64;

/// The maximum length of a method, a path or a query in a log line, in bytes each. A person reads
/// no more. A longer text is cut and ends in `…`.
pub const LOGGED_TARGET_BYTES_MAX: usize = 1024;

/// The maximum length of `User-Agent` and `Referer` in a log line, in bytes each. The start of the
/// text is enough to tell clients apart.
pub const LOGGED_FIELD_BYTES_MAX: usize = 256;

/// The size of SQLite's page cache in the connection of a worker, in bytes. A database of this size
/// is read without system calls while nothing is written. A commit empties the cache.
pub const PAGE_CACHE_BYTES: usize = 64 * 1024 * 1024;

/// The maximum number of database bytes that `--mmap` maps into memory. SQLite maps no more.
pub const MMAP_BYTES_MAX: u64 = 0x7fff_0000;

/// The maximum number of sessions of one account, and of its tokens. Nobody has more devices; with
/// one more, the oldest ends.
pub const GRANTS_MAX: u32 = 100;

/// The maximum number of sessions in the memory of a process. They take some 100 MB.
pub const PROCESS_SESSIONS_MAX: usize = 250_000;

/// The maximum number of session files that wait to be written. A disk writes as many in a few
/// seconds.
pub const SESSION_FILES_WAITING_MAX: usize = 1024;

/// The maximum number of grants whose last use waits to be stored.
pub const GRANT_USES_MAX: usize = 10_000;

/// The maximum number of callers that a worker knows by their credentials. They take some 1.5 MB.
pub const IDENTITIES_MAX: usize = 4096;

/// The maximum size of a body that signs in or makes a token, in bytes. A login, a password and a
/// name are far smaller.
pub const GRANT_BODY_BYTES_MAX: usize = 16 * 1024;

/// The maximum length of the name of a token, in characters. It is one line for people.
pub const TOKEN_NAME_CHARS_MAX: usize = 100;

/// The maximum size of the diagnostics of a schema file on a web page, in bytes. People correct the
/// first ones first.
pub const DIAGNOSTIC_BYTES_MAX: usize = 16 * 1024;

/// The maximum number of files in a directory of templates. The embedded pages have fewer than 20.
pub const TEMPLATES_MAX: usize = 100;

/// The maximum size of a file in a directory of templates, in bytes. A photograph is as large.
pub const TEMPLATE_BYTES_MAX: u64 = 1024 * 1024;

/// The maximum work of a template for a page: its instructions, and the bytes that it writes. A
/// page of 1000 members with 30 fields needs a tenth. A template in an endless loop fails with 500.
pub const TEMPLATE_FUEL: u64 = 50_000_000;

/// The number of wrong passwords for a login, one after the other, before attempts are delayed.
/// People mistype a password a few times.
pub const LOGIN_FAILURES_FREE: u32 = 10;

/// The number of wrong passwords from an address before attempts are delayed. Many people may share
/// an address.
pub const ADDRESS_FAILURES_FREE: u32 = 50;

/// The longest time in which no password is compared after a failure. With it, a year allows some
/// 35,000 guesses for a login.
pub const ATTEMPT_DELAY_MAX: Duration = Duration::from_secs(15 * 60);

/// The time after which failures are forgotten.
pub const FAILURES_TIME_MAX: Duration = Duration::from_secs(60 * 60);

/// The maximum number of logins, and of addresses, whose failures are counted. They take about 4
/// MB each.
pub const FAILURES_MAX: usize = 100_000;

/// The maximum time by which the clock may run ahead of the time since the process began. Steps of
/// a time server, and an hour of summer time that somebody adds by hand, are not longer.
pub const CLOCK_JUMP_MAX: Duration = Duration::from_secs(60 * 60);
