//! A proxy between nodes and the database server, which cuts connections at the worst moments.

use std::{
    io::{self, Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use memchr::memmem;

/// When a connection is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// The server does not get the message.
    Before,
    /// The server gets the message, and may still be at work.
    During,
    /// The server has answered, and the node does not get the answer.
    After,
}

/// The next cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub(super) moment: Moment,
    /// Whether a COMMIT is cut off, or else whatever the node sends.
    pub(super) is_commit: bool,
}

/// A proxy. It lasts until the program ends.
pub(super) struct Proxy {
    pub(super) port: u16,
    next: Arc<Mutex<Option<Cut>>>,
}

impl Proxy {
    /// Starts a proxy of the server at a port.
    pub(super) fn start(server: u16) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let proxy = Self { port: listener.local_addr()?.port(), next: Arc::default() };
        let next = Arc::clone(&proxy.next);
        thread::spawn(move || {
            for node in listener.incoming().map_while(Result::ok) {
                // A server that is away closes the connection of the node.
                if let Ok(server) = TcpStream::connect(("127.0.0.1", server)) {
                    join(&node, &server, &next).ok();
                }
            }
        });
        Ok(proxy)
    }

    /// Cuts the connection of the next message that fits.
    pub(super) fn cut(&self, cut: Cut) {
        *self.lock() = Some(cut);
    }

    /// Whether the last cut has happened.
    pub(super) fn has_cut(&self) -> bool {
        self.lock().is_none()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Cut>> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes the next cut if it is for this message.
fn taken(next: &Mutex<Option<Cut>>, message: &[u8]) -> Option<Moment> {
    let mut next = next.lock().unwrap_or_else(PoisonError::into_inner);
    let fits = |cut: &mut Cut| !cut.is_commit || memmem::find(message, b"COMMIT").is_some();
    next.take_if(fits).map(|cut| cut.moment)
}

/// Passes on what a node and the server send.
fn join(node: &TcpStream, server: &TcpStream, next: &Arc<Mutex<Option<Cut>>>) -> io::Result<()> {
    node.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let is_cut = Arc::new(AtomicBool::new(false));
    let (mut from, mut to) = (node.try_clone()?, server.try_clone()?);
    let (next, cutting) = (Arc::clone(next), Arc::clone(&is_cut));
    thread::spawn(move || {
        copy(&mut from, &mut to, |message| match taken(&next, message) {
            Some(Moment::Before) => Passage::Nothing,
            Some(Moment::During) => Passage::Last,
            Some(Moment::After) => {
                cutting.store(true, Ordering::SeqCst);
                Passage::More
            }
            None => Passage::More,
        });
    });
    let (mut from, mut to) = (server.try_clone()?, node.try_clone()?);
    thread::spawn(move || {
        copy(&mut from, &mut to, |_| match is_cut.load(Ordering::SeqCst) {
            true => Passage::Nothing,
            false => Passage::More,
        });
    });
    Ok(())
}

/// The action that a proxy takes on a message.
enum Passage {
    /// It is passed on.
    More,
    /// It is passed on, and then the connection is cut.
    Last,
    /// The connection is cut.
    Nothing,
}

/// Passes on messages until the connection ends or is cut.
fn copy(from: &mut TcpStream, to: &mut TcpStream, mut passage: impl FnMut(&[u8]) -> Passage) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        let passage = passage(&buffer[..read]);
        if matches!(passage, Passage::Nothing) || to.write_all(&buffer[..read]).is_err() {
            break;
        }
        if matches!(passage, Passage::Last) {
            break;
        }
    }
    for stream in [from, to] {
        stream.shutdown(Shutdown::Both).ok();
    }
}
