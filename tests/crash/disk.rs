//! A simulated disk. It records the writes and syncs of the files in a folder, and their order.
//! From this record it creates the files that a power loss could leave at any moment.
//!
//! Synced data survives a power loss. Each sector of data that was not synced may be on the disk or
//! not, independently of other sectors. The same applies to the length of a file, and to the names
//! in the folder.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::random::Random;

/// The size of a sector. A disk writes one sector atomically:
/// <https://sqlite.org/atomiccommit.html#hardware>.
const SECTOR_BYTES: usize = 512;

/// The page size of the database, in bytes.
const PAGE_BYTES: u64 = 4096;

/// The identity of a file on the simulated disk, independent of its name.
pub(crate) type Inode = usize;

/// A kind of file operation of SQLite that can be made to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Read,
    Write,
    Sync,
}

/// An injected fault: calls of this kind fail with this code, on files whose names have this
/// suffix.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) call: Call,
    pub(crate) file: &'static str,
    pub(crate) code: i32,
    /// The number of calls that still fail. Calls after them succeed.
    pub(crate) times: u32,
    /// The offset in the file, in bytes. Calls at lower offsets succeed.
    pub(crate) from: u64,
    /// The numbers of the database pages on which calls fail, counted from 1. An empty set means
    /// all pages.
    pub(crate) pages: BTreeSet<u64>,
}

/// A recorded operation on the disk.
#[derive(Debug)]
enum Event {
    Write(Inode, u64, Vec<u8>),
    Truncate(Inode, u64),
    Sync(Inode),
    /// A sync that failed. A part of the unsynced data is on the disk. The rest is lost, because
    /// Linux does not write it again.
    Lost(Inode),
    Create(String, Inode),
    Delete(String),
    SyncFolder,
}

#[derive(Default)]
struct Books {
    events: Vec<Event>,
    names: BTreeMap<String, Inode>,
    files: Vec<String>,
    /// New WALs and journals that have not been synced yet. The first sync of each also syncs the
    /// folder.
    new: BTreeSet<Inode>,
    fault: Option<Fault>,
    refused: Option<(&'static str, i32)>,
    written: u64,
    /// The moments at which the checkpointer wrote or synced a file. A moment is a position in
    /// `events`.
    passes: Vec<usize>,
    /// The number of the checkpointer's syncs: of the database, and of the WAL.
    syncs: (u64, u64),
}

impl Fault {
    /// Creates a fault that affects every call of this kind on files with this suffix, without a
    /// limit.
    pub(crate) fn new(call: Call, file: &'static str, code: i32) -> Self {
        Self { call, file, code, times: u32::MAX, from: 0, pages: BTreeSet::new() }
    }

    fn hits(&self, call: Call, file: &str, at: u64) -> bool {
        self.times > 0
            && self.call == call
            && file.ends_with(self.file)
            && at >= self.from
            && (self.pages.is_empty() || self.pages.contains(&(at / PAGE_BYTES + 1)))
    }
}

impl Books {
    fn note_pass(&mut self) {
        if is_checkpointer() {
            self.passes.push(self.events.len());
        }
    }
}

/// Whether the current thread is the checkpointer thread of the server.
fn is_checkpointer() -> bool {
    std::thread::current().name() == Some("nouns-checkpoint")
}

/// The simulated disk of a folder.
pub(crate) struct Disk {
    folder: PathBuf,
    books: Mutex<Books>,
}

static DISKS: Mutex<Vec<Arc<Disk>>> = Mutex::new(Vec::new());

/// Returns the simulated disk of a file's folder; `None` if the folder is not watched. The shared
/// memory of a WAL is never recorded, because it does not survive a crash.
pub(crate) fn of(path: &Path) -> Option<Arc<Disk>> {
    let disks = DISKS.lock().unwrap_or_else(PoisonError::into_inner);
    disks.iter().find(|disk| path.parent() == Some(&disk.folder)).map(Arc::clone)
}

impl Disk {
    /// Begins to record operations on the files of a folder.
    pub(crate) fn watch(folder: &Path) -> Arc<Self> {
        crate::vfs::install();
        let disk =
            Arc::new(Self { folder: folder.canonicalize().unwrap(), books: Mutex::default() });
        DISKS.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&disk));
        disk
    }

    /// Stops watching the folder. Operations on open files are still recorded.
    pub(crate) fn forget(&self) {
        DISKS
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|disk| disk.folder != self.folder);
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The current moment: the number of operations recorded so far.
    pub(crate) fn now(&self) -> usize {
        self.books().events.len()
    }

    /// The moments at which the checkpointer wrote or synced a file.
    pub(crate) fn passes(&self) -> Vec<usize> {
        self.books().passes.clone()
    }

    /// The number of the checkpointer's syncs: of the database, and of the WAL. Each checkpoint
    /// pass begins with a sync of the WAL.
    pub(crate) fn syncs(&self) -> (u64, u64) {
        self.books().syncs
    }

    /// The number of bytes written to all files so far.
    pub(crate) fn written(&self) -> u64 {
        self.books().written
    }

    /// Injects a fault into all later calls. `None` removes the current fault.
    pub(crate) fn fail(&self, fault: Option<Fault>) {
        self.books().fault = fault;
    }

    /// Makes opening a file fail with the code, if the file's name has the suffix. `None` allows
    /// all files again.
    pub(crate) fn refuse(&self, refused: Option<(&'static str, i32)>) {
        self.books().refused = refused;
    }

    pub(crate) fn refuses(&self, path: &Path) -> Option<i32> {
        let (end, code) = self.books().refused?;
        name(path).ends_with(end).then_some(code)
    }

    pub(crate) fn fails(&self, call: Call, inode: Inode, at: u64) -> Option<i32> {
        let mut guard = self.books();
        let books = &mut *guard;
        let fault =
            books.fault.as_mut().filter(|fault| fault.hits(call, &books.files[inode], at))?;
        fault.times -= 1;
        let code = fault.code;
        if call == Call::Sync {
            books.events.push(Event::Lost(inode));
        }
        Some(code)
    }

    pub(crate) fn open(&self, path: &Path, is_new: bool, is_journal: bool) -> Inode {
        let mut books = self.books();
        let name = name(path);
        if !is_new && let Some(inode) = books.names.get(&name) {
            return *inode;
        }
        let inode = books.files.len();
        books.files.push(name.clone());
        books.names.insert(name.clone(), inode);
        books.events.push(Event::Create(name, inode));
        if is_journal {
            books.new.insert(inode);
        }
        inode
    }

    pub(crate) fn delete(&self, path: &Path, syncs: bool) {
        let mut books = self.books();
        let name = name(path);
        books.names.remove(&name);
        books.events.push(Event::Delete(name));
        if syncs {
            books.events.push(Event::SyncFolder);
        }
    }

    pub(crate) fn write(&self, inode: Inode, at: u64, data: &[u8]) {
        let mut books = self.books();
        books.note_pass();
        books.written += data.len() as u64;
        books.events.push(Event::Write(inode, at, data.to_vec()));
    }

    pub(crate) fn truncate(&self, inode: Inode, size: u64) {
        self.books().events.push(Event::Truncate(inode, size));
    }

    /// Records a sync of a file. If the file is a new WAL or journal, records a sync of the folder
    /// too, as SQLite's VFS for Unix does.
    pub(crate) fn sync(&self, inode: Inode) {
        let mut books = self.books();
        books.note_pass();
        if is_checkpointer() {
            let is_log = books.files[inode].ends_with("-wal");
            let (database, log) = &mut books.syncs;
            *(if is_log { log } else { database }) += 1;
        }
        books.events.push(Event::Sync(inode));
        if books.new.remove(&inode) {
            books.events.push(Event::SyncFolder);
        }
    }

    /// Calls `look` with a new folder for each of the moments, in order. The folder has files as a
    /// power loss at that moment could leave them.
    pub(crate) fn lose_power(
        &self,
        moments: &BTreeSet<usize>,
        random: &mut Random,
        mut look: impl FnMut(usize, &Path),
    ) {
        let books = self.books();
        let mut platter = Platter::default();
        for moment in 0..=books.events.len() {
            if moments.contains(&moment) {
                let folder = in_memory();
                platter.write_down(random, folder.path());
                look(moment, folder.path());
            }
            if let Some(event) = books.events.get(moment) {
                platter.add(event);
            }
        }
    }
}

/// Creates a temporary folder in memory where `/dev/shm` exists, which is faster than a disk.
fn in_memory() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The data that is certainly on the disk, and the operations that are not synced yet.
#[derive(Default)]
struct Platter<'e> {
    files: BTreeMap<Inode, File<'e>>,
    names: BTreeMap<String, Inode>,
    changes: Vec<&'e Event>,
}

#[derive(Default)]
struct File<'e> {
    synced: Vec<u8>,
    after: Vec<&'e Event>,
}

impl<'e> Platter<'e> {
    fn add(&mut self, event: &'e Event) {
        match event {
            Event::Write(inode, ..) | Event::Truncate(inode, _) => {
                self.files.entry(*inode).or_default().after.push(event);
            }
            Event::Sync(inode) => {
                let file = self.files.entry(*inode).or_default();
                for event in std::mem::take(&mut file.after) {
                    apply(&mut file.synced, event, || true);
                }
            }
            Event::Lost(inode) => {
                let file = self.files.entry(*inode).or_default();
                for (at, event) in std::mem::take(&mut file.after).into_iter().enumerate() {
                    apply(&mut file.synced, event, || at % 2 == 0);
                }
            }
            Event::Create(..) | Event::Delete(_) => self.changes.push(event),
            Event::SyncFolder => {
                for event in std::mem::take(&mut self.changes) {
                    rename(&mut self.names, event);
                }
            }
        }
    }

    /// Writes files into `folder` as a power loss could leave them, with random choices.
    fn write_down(&self, random: &mut Random, folder: &Path) {
        let mut names = self.names.clone();
        for event in &self.changes {
            if random.one_in(2) {
                rename(&mut names, event);
            }
        }
        for (name, inode) in names {
            let left = self.files.get(&inode).map(|file| file.left(random)).unwrap_or_default();
            fs::write(folder.join(name), left).unwrap();
        }
    }
}

impl File<'_> {
    /// Returns the synced content with none, an eighth, half, seven eighths or all of the sectors
    /// that were not synced.
    fn left(&self, random: &mut Random) -> Vec<u8> {
        let mut left = self.synced.clone();
        let (some, of) = [(0, 1), (1, 8), (1, 2), (7, 8), (1, 1)][random.below(5) as usize];
        for event in &self.after {
            let mut dice = random.clone();
            random.next();
            apply(&mut left, event, || dice.below(of) < some);
        }
        left
    }
}

/// Applies an operation to the content of a file. `is_written` decides for each sector whether it
/// reaches the disk.
fn apply(content: &mut Vec<u8>, event: &Event, mut is_written: impl FnMut() -> bool) {
    match event {
        Event::Write(_, at, data) => {
            let mut at = *at as usize;
            let mut rest = data.as_slice();
            while !rest.is_empty() {
                let count = (SECTOR_BYTES - at % SECTOR_BYTES).min(rest.len());
                let (sector, others) = rest.split_at(count);
                if is_written() {
                    if content.len() < at + count {
                        content.resize(at + count, 0);
                    }
                    content[at..at + count].copy_from_slice(sector);
                }
                (at, rest) = (at + count, others);
            }
        }
        Event::Truncate(_, size) if is_written() => content.resize(*size as usize, 0),
        _ => {}
    }
}

fn rename(names: &mut BTreeMap<String, Inode>, event: &Event) {
    match event {
        Event::Create(name, inode) => drop(names.insert(name.clone(), *inode)),
        Event::Delete(name) => drop(names.remove(name)),
        _ => {}
    }
}
