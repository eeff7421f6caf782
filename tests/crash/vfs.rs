//! A layer between SQLite and its files: what it writes to a disk that is watched is written down
//! there, and fails where the disk shall fail. All other files pass through.
//!
//! It is the default of the process from its first use on: <https://sqlite.org/vfs.html>.

#![expect(unsafe_code, reason = "SQLite calls a layer of files through pointers to functions in C")]

use std::{
    ffi::{CStr, c_char, c_int, c_void},
    path::Path,
    sync::{Arc, OnceLock},
};

use rusqlite::ffi;

use crate::disk::{self, Call, Disk, Inode};

/// A file of ours: SQLite allocates it, with the file of the layer below behind it.
#[repr(C)]
struct File {
    base: ffi::sqlite3_file,
    watched: *const Watched,
}

/// A file on a disk that is watched.
struct Watched {
    disk: Arc<Disk>,
    inode: Inode,
}

type Real = ffi::sqlite3_io_methods;

/// The file below one of ours, and its methods.
///
/// # Safety
/// `file` is one that `open` has filled: SQLite calls the methods of no other, and never two of one
/// file at once, since each connection is used by one thread. Behind it stands the file below
/// (`szOsFile` is the size of both), whose methods are set, since `open` sets ours only then; they
/// are those of the layer `unix`, which has all of version 3.
unsafe fn real(file: *mut ffi::sqlite3_file) -> (*mut ffi::sqlite3_file, &'static Real) {
    // SAFETY: what is said above.
    unsafe {
        let below = file.cast::<File>().add(1).cast::<ffi::sqlite3_file>();
        (below, &*(*below).pMethods)
    }
}

/// What is watched of a file of ours.
///
/// # Safety
/// As of `real`; the pointer is null or that of an `Arc` which `close` alone gives back.
unsafe fn watched<'f>(file: *mut ffi::sqlite3_file) -> Option<&'f Watched> {
    // SAFETY: what is said above.
    unsafe { (*file.cast::<File>()).watched.as_ref() }
}

/// Calls a method of the file below.
macro_rules! below {
    ($file:expr, $method:ident $(, $argument:expr)*) => {{
        let (below, methods) = real($file);
        methods.$method.expect("the layer `unix` has all methods")(below $(, $argument)*)
    }};
}

/// Fails here where the disk shall.
macro_rules! may_fail {
    ($file:expr, $call:expr, $at:expr) => {
        if let Some(code) =
            watched($file).and_then(|it| it.disk.fails($call, it.inode, $at.unsigned_abs()))
        {
            return code;
        }
    };
}

unsafe extern "C" fn open(
    vfs: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    found: *mut c_int,
) -> c_int {
    // SAFETY: SQLite gives its layer, whose `pAppData` is the layer below, and room of `szOsFile`
    // for the file: ours, and behind it that of the layer below, which fills it. The name is its
    // own or null, and ends in zero.
    unsafe {
        let lower = (*vfs).pAppData.cast::<ffi::sqlite3_vfs>();
        (*file).pMethods = std::ptr::null();
        let disk = path(name).and_then(|path| disk::of(path).map(|disk| (disk, path)));
        if let Some((disk, path)) = &disk
            && let Some(code) = disk.refuses(path)
        {
            return code;
        }
        let is_new = path(name).is_some_and(|path| !path.exists());
        let below = file.cast::<File>().add(1).cast::<ffi::sqlite3_file>();
        (*below).pMethods = std::ptr::null();
        let code = (*lower).xOpen.expect("every layer opens")(lower, name, below, flags, found);
        if code != ffi::SQLITE_OK {
            return code;
        }
        let is_journal = flags
            & (ffi::SQLITE_OPEN_WAL
                | ffi::SQLITE_OPEN_MAIN_JOURNAL
                | ffi::SQLITE_OPEN_SUPER_JOURNAL)
            != 0;
        let watched = disk.map(|(disk, path)| {
            let inode = disk.open(path, is_new, is_journal);
            Arc::into_raw(Arc::new(Watched { disk, inode }))
        });
        (*file.cast::<File>()).watched = watched.unwrap_or(std::ptr::null());
        (*file).pMethods = &METHODS;
        ffi::SQLITE_OK
    }
}

/// # Safety
/// SQLite gives a name that ends in zero and lives as long as the call, or null for a file that
/// nobody else sees.
unsafe fn path<'n>(name: *const c_char) -> Option<&'n Path> {
    if name.is_null() {
        return None;
    }
    // SAFETY: what is said above.
    unsafe { CStr::from_ptr(name) }.to_str().ok().map(Path::new)
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: as of `real`; the pointer came from `Arc::into_raw`, and this is the last call for
    // the file.
    unsafe {
        let watched = (*file.cast::<File>()).watched;
        if !watched.is_null() {
            drop(Arc::from_raw(watched));
        }
        below!(file, xClose)
    }
}

unsafe extern "C" fn read(
    file: *mut ffi::sqlite3_file,
    to: *mut c_void,
    count: c_int,
    at: i64,
) -> c_int {
    // SAFETY: as of `real`.
    unsafe {
        may_fail!(file, Call::Read, at);
        below!(file, xRead, to, count, at)
    }
}

unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    data: *const c_void,
    count: c_int,
    at: i64,
) -> c_int {
    // SAFETY: as of `real`; SQLite gives so many bytes, which nobody changes meanwhile.
    unsafe {
        may_fail!(file, Call::Write, at);
        let code = below!(file, xWrite, data, count, at);
        if code == ffi::SQLITE_OK
            && let Some(Watched { disk, inode }) = watched(file)
        {
            let data = std::slice::from_raw_parts(data.cast::<u8>(), count.unsigned_abs() as usize);
            disk.write(*inode, at.unsigned_abs(), data);
        }
        code
    }
}

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, size: i64) -> c_int {
    // SAFETY: as of `real`.
    unsafe {
        may_fail!(file, Call::Write, size);
        let code = below!(file, xTruncate, size);
        if code == ffi::SQLITE_OK
            && let Some(Watched { disk, inode }) = watched(file)
        {
            disk.truncate(*inode, size.unsigned_abs());
        }
        code
    }
}

/// The disk that is watched is synced in the books alone: that is faster, and no less.
unsafe extern "C" fn sync(file: *mut ffi::sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: as of `real`.
    unsafe {
        may_fail!(file, Call::Sync, 0_i64);
        if let Some(Watched { disk, inode }) = watched(file) {
            disk.sync(*inode);
            return ffi::SQLITE_OK;
        }
        below!(file, xSync, flags)
    }
}

unsafe extern "C" fn file_size(file: *mut ffi::sqlite3_file, size: *mut i64) -> c_int {
    // SAFETY: as of `real`.
    unsafe { below!(file, xFileSize, size) }
}

unsafe extern "C" fn lock(file: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    // SAFETY: as of `real`.
    unsafe { below!(file, xLock, level) }
}

unsafe extern "C" fn unlock(file: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    // SAFETY: as of `real`.
    unsafe { below!(file, xUnlock, level) }
}

unsafe extern "C" fn check_reserved_lock(file: *mut ffi::sqlite3_file, held: *mut c_int) -> c_int {
    // SAFETY: as of `real`.
    unsafe { below!(file, xCheckReservedLock, held) }
}

unsafe extern "C" fn file_control(
    file: *mut ffi::sqlite3_file,
    what: c_int,
    with: *mut c_void,
) -> c_int {
    // SAFETY: as of `real`.
    unsafe { below!(file, xFileControl, what, with) }
}

unsafe extern "C" fn sector_size(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: as of `real`.
    unsafe { below!(file, xSectorSize) }
}

/// As the layer below says: what stands beside a write is not harmed by it (`POWERSAFE_OVERWRITE`),
/// and nothing more.
unsafe extern "C" fn device_characteristics(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: as of `real`.
    unsafe { below!(file, xDeviceCharacteristics) }
}

unsafe extern "C" fn shm_map(
    file: *mut ffi::sqlite3_file,
    page: c_int,
    size: c_int,
    extends: c_int,
    to: *mut *mut c_void,
) -> c_int {
    // SAFETY: as of `real`.
    unsafe { below!(file, xShmMap, page, size, extends, to) }
}

unsafe extern "C" fn shm_lock(
    file: *mut ffi::sqlite3_file,
    offset: c_int,
    count: c_int,
    flags: c_int,
) -> c_int {
    // SAFETY: as of `real`.
    unsafe { below!(file, xShmLock, offset, count, flags) }
}

unsafe extern "C" fn shm_barrier(file: *mut ffi::sqlite3_file) {
    // SAFETY: as of `real`.
    unsafe { below!(file, xShmBarrier) }
}

unsafe extern "C" fn shm_unmap(file: *mut ffi::sqlite3_file, deletes: c_int) -> c_int {
    // SAFETY: as of `real`.
    unsafe { below!(file, xShmUnmap, deletes) }
}

unsafe extern "C" fn fetch(
    file: *mut ffi::sqlite3_file,
    at: i64,
    count: c_int,
    to: *mut *mut c_void,
) -> c_int {
    // SAFETY: as of `real`.
    unsafe {
        may_fail!(file, Call::Read, at);
        below!(file, xFetch, at, count, to)
    }
}

unsafe extern "C" fn unfetch(file: *mut ffi::sqlite3_file, at: i64, page: *mut c_void) -> c_int {
    // SAFETY: as of `real`.
    unsafe { below!(file, xUnfetch, at, page) }
}

static METHODS: Real = Real {
    iVersion: 3,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: Some(fetch),
    xUnfetch: Some(unfetch),
};

unsafe extern "C" fn delete(
    vfs: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    syncs: c_int,
) -> c_int {
    // SAFETY: SQLite gives its layer, whose `pAppData` is the layer below, and a name that ends in
    // zero.
    unsafe {
        let lower = (*vfs).pAppData.cast::<ffi::sqlite3_vfs>();
        let code = (*lower).xDelete.expect("every layer deletes")(lower, name, syncs);
        if code == ffi::SQLITE_OK
            && let Some(path) = path(name)
            && let Some(disk) = disk::of(path)
        {
            disk.delete(path, syncs != 0);
        }
        code
    }
}

/// Puts the layer before that of the system, once for the process.
pub(crate) fn install() {
    static DONE: OnceLock<c_int> = OnceLock::new();
    let code = DONE.get_or_init(|| {
        // SAFETY: SQLite is initialized by looking for the layer below, which lives as long as the
        // process. Ours is a copy of it that is leaked, with its own `open` and `delete`; every
        // other function of it is told the layer by a pointer that it does not use, or only for
        // `pAppData` in `xOpen`, which is called with the layer below.
        unsafe {
            let lower = ffi::sqlite3_vfs_find(c"unix".as_ptr());
            assert!(!lower.is_null(), "there is the layer `unix`");
            let size = size_of::<File>() as c_int + (*lower).szOsFile;
            let ours = Box::leak(Box::new(ffi::sqlite3_vfs {
                szOsFile: size,
                pNext: std::ptr::null_mut(),
                zName: c"watched".as_ptr(),
                pAppData: lower.cast(),
                xOpen: Some(open),
                xDelete: Some(delete),
                ..*lower
            }));
            ffi::sqlite3_vfs_register(ours, 1)
        }
    });
    assert_eq!(*code, ffi::SQLITE_OK);
}
