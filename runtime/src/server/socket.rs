//! The socket of a connection. It records the progress of writing, and decides whether the
//! connection is reset when it is closed.
//!
//! If the length of a content is not announced, the end of the connection ends the content (RFC
//! 9112 §6.3), as in HTTP/1.0. A closed connection would then make a partial content look complete.
//! So the socket is set to be reset on close before such a content is written. The setting is
//! undone when the content is complete.

mod request_line;

use std::{
    cell::RefCell,
    io::{self, IoSlice},
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, ready},
};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead as _, ReadBuf},
    time::Sleep,
};

use self::request_line::{LineLook, RequestLines};
use super::{
    current_service::CurrentService, deadlines::Deadlines, drain::Drain, message,
    progress::ByteCount, request_notes::RequestNotes, transport::Transport,
};
use crate::{base::limits, http::request_head::HeadFault};

/// The number of bytes that a connection may write in one turn, before it lets other connections of
/// the worker run. The system copies this many bytes in less than 0.1 ms.
const TURN_BYTES_MAX: usize = 128 * 1024;

/// The number of bytes that a shorter write counts as. It limits the number of short pipelined
/// responses that are written in one turn.
const TURN_BYTES_MIN: usize = TURN_BYTES_MAX / 64;

/// The maximum number of buffers in one write. It applies if the buffers have more bytes than the
/// turn allows.
const BUFFERS_MAX: usize = 16;

/// The number of bytes that one read takes from the system.
const READ_BYTES: usize = 32 * 1024;

thread_local! {
    /// The bytes of a read, until they have been looked at. All connections of a thread share it.
    static BYTES: RefCell<Box<[u8]>> = RefCell::new(vec![0; READ_BYTES].into());
}

/// The socket of a connection.
#[derive(Debug)]
pub(super) struct Socket {
    io: TokioIo<Transport>,
    deadlines: Deadlines,
    /// The state of the requests of a connection of HTTP/1. `None` for HTTP/2.
    requests: Option<RequestWatch>,
    /// The end of the time in which the rest of a request is ignored, after the last response.
    linger: Option<(Pin<Box<Sleep>>, usize)>,
    /// The number of bytes that were written in this turn.
    turn_bytes: usize,
    /// Whether a write waits for the client.
    is_waiting: bool,
    /// Whether closing the socket resets the connection.
    is_resetting: bool,
    /// Whether the connection has been shut down after its last byte.
    is_ended: bool,
}

/// The state of the requests of a connection of HTTP/1, as its socket sees them.
#[derive(Debug)]
struct RequestWatch {
    lines: RequestLines,
    notes: Arc<RequestNotes>,
    /// The service that answers when a head comes too late.
    service: Arc<CurrentService>,
    drain: Drain,
    /// Whether the rest of the request is not read any more.
    is_cut_off: bool,
}

impl Socket {
    pub(super) fn new(transport: Transport, deadlines: Deadlines) -> Self {
        let io = TokioIo::new(transport);
        Self {
            io,
            deadlines,
            requests: None,
            linger: None,
            turn_bytes: 0,
            is_waiting: false,
            is_resetting: false,
            is_ended: false,
        }
    }

    /// The same socket for HTTP/1: it looks at request lines, and answers with 408 when a head
    /// comes too late.
    pub(super) fn of_http1(
        mut self,
        service: Arc<CurrentService>,
        notes: Arc<RequestNotes>,
        drain: Drain,
    ) -> Self {
        let lines = RequestLines::new();
        self.requests = Some(RequestWatch { lines, notes, service, drain, is_cut_off: false });
        self
    }

    /// Whether the server has closed the connection, because it stops. Then a request may be under
    /// way.
    fn is_draining(&self) -> bool {
        self.requests.as_ref().is_some_and(|requests| requests.drain.has_begun())
    }

    /// Reads bytes without looking at them, for HTTP/2.
    pub(super) fn poll_read_plain(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(self.io.inner_mut()).poll_read(context, buffer);
        if read.is_pending() {
            self.turn_bytes = 0;
        }
        read
    }

    /// The number of bytes that the connection has read and written.
    pub(super) fn traffic(&self) -> &ByteCount {
        self.deadlines.traffic()
    }

    /// Whether the client notices that the connection did not end as it should.
    pub(super) fn can_reset(&self) -> bool {
        self.io.inner().can_reset()
    }

    /// Whether the connection is between two requests, so that nothing is left to read.
    fn is_between_requests(&self) -> bool {
        let is_between = |one: &RequestWatch| one.lines.is_between(one.notes.body());
        self.deadlines.awaits_head() && self.requests.as_ref().is_some_and(is_between)
    }
}

impl RequestWatch {
    /// Reads bytes, looks at them, and returns them.
    fn read(
        &mut self,
        stream: &mut Transport,
        deadlines: &Deadlines,
        context: &mut Context<'_>,
        bytes: &mut [u8],
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let left = buffer.remaining();
        let room = left.saturating_sub(request_line::END.len()).max(1).min(left);
        let most = self.lines.line_left().unwrap_or(READ_BYTES).min(room).min(bytes.len());
        let mut read = ReadBuf::new(&mut bytes[..most]);
        ready!(Pin::new(stream).poll_read(context, &mut read))?;
        let bytes = read.filled_mut();
        let awaits_head = deadlines.awaits_head();
        let LineLook { fault, is_within } = self.lines.look(bytes, awaits_head, self.notes.body());
        buffer.put_slice(bytes);
        if is_within {
            deadlines.begin_head();
        }
        if let Some(fault) = fault {
            self.notes.note_fault(fault);
            if fault == HeadFault::Length && buffer.remaining() >= request_line::END.len() {
                buffer.put_slice(request_line::END);
                self.is_cut_off = true;
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl Socket {
    /// Reads and ignores what the client still sends, for some time. If the socket were closed
    /// before, the system would reset the connection, and the client could lose the response (RFC
    /// 9112 §9.6).
    fn linger(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let time = match self.is_between_requests() {
            true => limits::LAST_REQUEST_WAIT_MAX,
            false => limits::LINGER_TIME_MAX,
        };
        let begin = || (Box::pin(tokio::time::sleep(time)), 0);
        let (end, count) = self.linger.get_or_insert_with(begin);
        BYTES.with_borrow_mut(|bytes| {
            while *count < limits::LINGER_BYTES_MAX {
                let mut read = ReadBuf::new(bytes);
                match self.io.inner_mut().poll_discard(context, &mut read) {
                    Poll::Ready(Ok(())) if !read.filled().is_empty() => {
                        *count += read.filled().len();
                    }
                    Poll::Ready(_) => return Poll::Ready(()),
                    Poll::Pending => return pin!(end).poll(context),
                }
            }
            Poll::Ready(())
        })
    }

    /// Writes at most the rest of the turn. If nothing is left of the turn, returns `Pending` so
    /// that other connections of the worker can run.
    fn write_in_turn(
        &mut self,
        context: &mut Context<'_>,
        write: impl FnOnce(
            Pin<&mut TokioIo<Transport>>,
            &mut Context<'_>,
            usize,
        ) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let left = TURN_BYTES_MAX.saturating_sub(self.turn_bytes);
        if left == 0 {
            self.turn_bytes = 0;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.prepare();
        let written = write(Pin::new(&mut self.io), context, left);
        match &written {
            Poll::Ready(Ok(bytes)) => self.turn_bytes += bytes.max(&TURN_BYTES_MIN),
            _ => self.turn_bytes = 0,
        }
        self.note(&written);
        written
    }

    /// Sets the socket to reset the connection on close, if a content without an announced length
    /// is about to be written.
    fn prepare(&mut self) {
        if !self.is_resetting && self.deadlines.progress().is_unannounced() {
            self.reset_on_close();
        }
    }

    fn reset_on_close(&mut self) {
        match self.io.inner().reset_on_close(true) {
            Ok(()) => self.is_resetting = true,
            Err(error) => tracing::debug!(target: "nouns", %error, "SO_LINGER could not be set"),
        }
    }

    fn note(&mut self, written: &Poll<io::Result<usize>>) {
        match written {
            Poll::Pending => self.note_waiting(),
            Poll::Ready(Ok(bytes)) if self.is_waiting => {
                let sent = self.io.inner_mut().sent(*bytes);
                self.deadlines.progress().add(sent);
            }
            _ => {}
        }
    }

    /// Records whether everything that was written is sent.
    fn note_end(&mut self, sent: &Poll<io::Result<()>>) {
        if sent.is_pending() {
            self.note_waiting();
        } else if self.is_waiting {
            self.is_waiting = false;
            self.deadlines.progress().end();
        }
    }

    /// Records that something waits for the client: a write, or bytes that TLS has not sent yet.
    fn note_waiting(&mut self) {
        let sent = self.io.inner_mut().sent(0);
        if self.is_waiting {
            self.deadlines.progress().add(sent);
        } else {
            self.is_waiting = true;
            self.deadlines.progress().wait();
        }
    }
}

impl Read for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let Self { io, deadlines, requests, .. } = &mut *self;
        let read = match requests {
            // The last response closes the connection, so nobody waits for this read.
            Some(requests) if requests.is_cut_off => return Poll::Pending,
            Some(requests) => BYTES.with_borrow_mut(|bytes| {
                requests.read(io.inner_mut(), deadlines, context, bytes, buffer)
            }),
            None => Pin::new(io).poll_read(context, buffer),
        };
        if read.is_pending() {
            self.turn_bytes = 0;
        }
        read
    }
}

impl Write for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.write_in_turn(context, |io, context, left| {
            io.poll_write(context, &bytes[..bytes.len().min(left)])
        })
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.write_in_turn(context, |io, context, left| {
            if buffers.iter().map(|buffer| buffer.len()).sum::<usize>() <= left {
                return io.poll_write_vectored(context, buffers);
            }
            let mut first = [IoSlice::new(&[]); BUFFERS_MAX];
            let count = first_bytes(buffers, left, &mut first);
            io.poll_write_vectored(context, &first[..count])
        })
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    /// Hyper flushes when it has written all buffered bytes. The turn does not end with a flush,
    /// because another pipelined response may follow.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.io).poll_flush(context);
        self.note_end(&flushed);
        flushed
    }

    /// Hyper shuts a connection down only if the last content is complete, never if it was cut off.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.is_ended {
            let ended = Pin::new(&mut self.io).poll_shutdown(context);
            self.note_end(&ended);
            ready!(ended)?;
            self.is_ended = true;
        }
        if self.is_resetting {
            self.io.inner().reset_on_close(false)?;
            self.is_resetting = false;
        }
        match self.is_between_requests() && !self.is_draining() {
            true => Poll::Ready(Ok(())),
            false => self.linger(context).map(Ok),
        }
    }
}

/// Fills `to` with the first `left` bytes of the buffers, and returns the number of slices that it
/// has set.
fn first_bytes<'b>(buffers: &'b [IoSlice<'_>], mut left: usize, to: &mut [IoSlice<'b>]) -> usize {
    let mut count = 0;
    for (buffer, to) in buffers.iter().zip(to) {
        let bytes = &buffer[..buffer.len().min(left)];
        *to = IoSlice::new(bytes);
        (left, count) = (left - bytes.len(), count + 1);
        if left == 0 {
            break;
        }
    }
    count
}

impl Drop for Socket {
    fn drop(&mut self) {
        if self.deadlines.is_late()
            && !self.is_waiting
            && let Some(requests) = &self.requests
        {
            let late = requests.service.get().service.late_head();
            message::send(self.io.inner_mut(), late);
        }
        let progress = self.deadlines.progress();
        if progress.is_stalled() || progress.is_unannounced() && !self.is_ended {
            self.reset_on_close();
        }
    }
}

#[cfg(test)]
mod tests;
