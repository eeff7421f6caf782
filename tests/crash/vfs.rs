//! A VFS (SQLite's layer for file access) between SQLite and its files. It records the operations
//! on files of a watched disk, and injects the faults of that disk. Calls on all other files pass
//! through.
//!
//! It becomes the default VFS of the process at its first use: <https://sqlite.org/vfs.html>.

#![expect(unsafe_code, reason = "SQLite calls a VFS through C function pointers")]

use std::{
    ffi::{CStr, c_char, c_int, c_void},
    path::Path,
    sync::{Arc, OnceLock},
};

use rusqlite::ffi;

use crate::disk::{self, Call, Disk, Inode};

/// A file of this VFS. SQLite allocates it together with the file of the real VFS, which follows in
/// memory.
#[repr(C)]
struct File {
    base: ffi::sqlite3_file,
    watched: *const Watched,
}

/// The simulated disk of a file, and the file's identity on that disk.
struct Watched {
    disk: Arc<Disk>,
    inode: Inode,
}

type Real = ffi::sqlite3_io_methods;

/// Returns the real file that follows a file of this VFS in memory, and the methods of the real
/// file.
///
/// # Safety
/// `file` must be a file that `open` has filled. SQLite calls these methods only on files that
/// `open` has filled. It never calls two methods of one file at once, since each connection is used
/// by one thread.
///
/// The real file follows in memory, because `szOsFile` is the size of both files. Its methods are
/// set, because `open` sets the methods of this VFS only after the real `xOpen` succeeded. They are
/// the methods of the VFS `unix`, which has all methods of version 3.
unsafe fn real(file: *mut ffi::sqlite3_file) -> (*mut ffi::sqlite3_file, &'static Real) {
    // SAFETY: the section `# Safety` of this function has the reasons.
    unsafe {
        let below = file.cast::<File>().add(1).cast::<ffi::sqlite3_file>();
        (below, &*(*below).pMethods)
    }
}

/// Returns the watched disk of a file of this VFS; `None` if the file is on no watched disk.
///
/// # Safety
/// `file` must be a file that `open` has filled. Its pointer `watched` is null, or comes from an
/// `Arc` that only `close` releases.
unsafe fn watched<'f>(file: *mut ffi::sqlite3_file) -> Option<&'f Watched> {
    // SAFETY: the section `# Safety` of this function has the reasons.
    unsafe { (*file.cast::<File>()).watched.as_ref() }
}

/// Calls a method of the real file.
macro_rules! below {
    ($file:expr, $method:ident $(, $argument:expr)*) => {{
        let (below, methods) = real($file);
        methods.$method.expect("the VFS `unix` has all file methods")(below $(, $argument)*)
    }};
}

/// Returns the error code of an injected fault from the calling function, if a fault hits this
/// call.
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
    // SAFETY: SQLite passes this VFS, whose `pAppData` is the real VFS. The memory at `file` has
    // `szOsFile` bytes: for the file of this VFS, and after it for the real file. The real `xOpen`
    // fills the real file. The name is SQLite's own or null, and ends in zero.
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
        let code = (*lower).xOpen.expect("every VFS has `xOpen`")(lower, name, below, flags, found);
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

/// Returns the path of a file; `None` for a temporary file, or for a name that is not UTF-8.
///
/// # Safety
/// `name` must be null, or end in zero and live as long as the path. SQLite passes names that live
/// as long as the call, and null for a temporary file.
unsafe fn path<'n>(name: *const c_char) -> Option<&'n Path> {
    if name.is_null() {
        return None;
    }
    // SAFETY: the section `# Safety` of this function has the reasons.
    unsafe { CStr::from_ptr(name) }.to_str().ok().map(Path::new)
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: SQLite passes a file that `open` has filled. The pointer came from `Arc::into_raw`,
    // and this is the last call for the file.
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
    // SAFETY: SQLite passes a file that `open` has filled, as `real` needs.
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
    // SAFETY: SQLite passes a file that `open` has filled, as `real` needs. It passes `count` bytes
    // of data, and nobody changes them during the call.
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
    // SAFETY: SQLite passes a file that `open` has filled, as `real` needs.
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

/// Records a sync of a watched file without the real sync. That is faster, and the tests do not
/// need the real one.
unsafe extern "C" fn sync(file: *mut ffi::sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: SQLite passes a file that `open` has filled, as `real` needs.
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
    // SAFETY: SQLite passes a file that `open` has filled, as `real` needs.
    unsafe { below!(file, xFileSize, size) }
}

unsafe extern "C" fn lock(file: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    // SAFETY: SQLite passes a file that `open` has filled, as `real` needs.
    unsafe { below!(file, xLock, level) }
}

unsafe extern "C" fn unlock(file: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    // SAFETY: SQLite passes a file that `open` has filled, as `real` needs.
    unsafe { below!(file, xUnlock, level) }
}

unsafe extern "C" fn check_reserved_lock(file: *mut ffi::sqlite3_file, held: *mut c_int) -> c_int {
    // SAFETY: SQLite passes a file that `open` has filled, as `real` needs.
    unsafe { below!(file, xCheckReservedLock, held) }
}

unsafe extern "C" fn file_control(
    file: *mut ffi::sqlite3_file,
    what: c_int,
    with: *mut c_void,
) -> c_int {
    // SAFETY: SQLite passes a file that `open` has filled, as `real` needs.
    unsafe { below!(file, xFileControl, what, with) }
}

unsafe extern "C" fn sector_size(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: SQLite passes a file that `open` has filled, as `real` needs.
    unsafe { below!(file, xSectorSize) }
}

/// Returns the characteristics of the real VFS. The only one is `POWERSAFE_OVERWRITE`: a write does
/// not damage the bytes beside it.
unsafe extern "C" fn device_characteristics(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: SQLite passes a file that `open` has filled, as `real` needs.
    unsafe { below!(file, xDeviceCharacteristics) }
}

unsafe extern "C" fn shm_map(
    file: *mut ffi::sqlite3_file,
    page: c_int,
    size: c_int,
    extends: c_int,
    to: *mut *mut c_void,
) -> c_int {
    // SAFETY: SQLite passes a file that `open` has filled, as `real` needs.
    unsafe { below!(file, xShmMap, page, size, extends, to) }
}

unsafe extern "C" fn shm_lock(
    file: *mut ffi::sqlite3_file,
    offset: c_int,
    count: c_int,
    flags: c_int,
) -> c_int {
    // SAFETY: SQLite passes a file that `open` has filled, as `real` needs.
    unsafe { below!(file, xShmLock, offset, count, flags) }
}

unsafe extern "C" fn shm_barrier(file: *mut ffi::sqlite3_file) {
    // SAFETY: SQLite passes a file that `open` has filled, as `real` needs.
    unsafe { below!(file, xShmBarrier) }
}

unsafe extern "C" fn shm_unmap(file: *mut ffi::sqlite3_file, deletes: c_int) -> c_int {
    // SAFETY: SQLite passes a file that `open` has filled, as `real` needs.
    unsafe { below!(file, xShmUnmap, deletes) }
}

unsafe extern "C" fn fetch(
    file: *mut ffi::sqlite3_file,
    at: i64,
    count: c_int,
    to: *mut *mut c_void,
) -> c_int {
    // SAFETY: SQLite passes a file that `open` has filled, as `real` needs.
    unsafe {
        may_fail!(file, Call::Read, at);
        below!(file, xFetch, at, count, to)
    }
}

unsafe extern "C" fn unfetch(file: *mut ffi::sqlite3_file, at: i64, page: *mut c_void) -> c_int {
    // SAFETY: SQLite passes a file that `open` has filled, as `real` needs.
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
    // SAFETY: SQLite passes this VFS, whose `pAppData` is the real VFS. It also passes a name that
    // ends in zero.
    unsafe {
        let lower = (*vfs).pAppData.cast::<ffi::sqlite3_vfs>();
        let code = (*lower).xDelete.expect("every VFS has `xDelete`")(lower, name, syncs);
        if code == ffi::SQLITE_OK
            && let Some(path) = path(name)
            && let Some(disk) = disk::of(path)
        {
            disk.delete(path, syncs != 0);
        }
        code
    }
}

/// Registers this VFS as the default VFS, once for the process.
pub(crate) fn install() {
    static DONE: OnceLock<c_int> = OnceLock::new();
    let code = DONE.get_or_init(|| {
        // SAFETY: `sqlite3_vfs_find` initializes SQLite, and the VFS `unix` lives as long as the
        // process. This VFS is a leaked copy of that VFS, with its own `open` and `delete`.
        //
        // SQLite passes a pointer to this VFS to the copied functions too. They do not use that
        // pointer. Only `xOpen` uses its `pAppData`, and it is called with the real VFS.
        unsafe {
            let lower = ffi::sqlite3_vfs_find(c"unix".as_ptr());
            assert!(!lower.is_null(), "SQLite must have the VFS `unix`");
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
