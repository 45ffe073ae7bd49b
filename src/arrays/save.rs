//! Saves a distributed array to a file. Window by window, the array is redistributed to the order of the file, and each
//! rank writes its part. The file is written under another name in the same directory and then renamed, so that readers
//! never see an incomplete file.

use super::file::{AgreedFile, Filed, Saved, allocate_part};
use super::operands::MoveOperands;
use super::progress::FileProgress;
use super::transfer::execute;
use crate::arrays::npy::{Cut, Dtype, FileHeader, trailer};
use crate::collective::call::{broadcast, confirm_step, session};
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::mpi::{Access, Comm, OpenFile};
use crate::runtime::session::Session;
use crate::system::digest::digest;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Saves the whole array to the file `given.path`, which is replaced in one step once all data is on the disk. A
/// failure leaves the old file, or none if there was none. Collective over `comm`.
pub fn save(comm: &Comm, given: Result<Filed<'_>, Failure>, array: &impl Saved) -> Result<(), Failure> {
    save_in_session(&session(comm)?, given, array)
}

pub(super) fn save_in_session(
    session: &Arc<Session>,
    given: Result<Filed<'_>, Failure>,
    array: &impl Saved,
) -> Result<(), Failure> {
    let agreed = AgreedFile::on(session, Operation::Save, given)?;
    let order: Vec<usize> = (0..agreed.extents.len()).collect();
    // Equal on all ranks.
    let cut = agreed.cut(&order)?;
    let dtype = agreed.dtype.clone().unwrap_or_else(|| Dtype::plain(agreed.element as u64));
    let header = FileHeader { dtype, fortran: true, shape: agreed.extents.clone() }.bytes();
    let mark = broadcast(session, 0, Some(&[mark()]), 1)?[0];
    let unfinished = confirm_step(session, UnfinishedFile::create(&agreed, mark))?;
    let file = confirm_step(session, unfinished.open(&agreed, cut.ranks()))?;
    let (sums, written) = write(&agreed, (&cut, &order), &file, header.len() as u64, array)?;
    // The first rank synchronizes in `finish`, after it has written header and checksum.
    let synced = written.and_then(|()| match &file {
        Some(file) if session.rank > 0 => file.sync().map_err(|why| agreed.failure("cannot write", &why)),
        _ => Ok(()),
    });
    confirm_step(session, synced)?;
    let sums = session.collectives().gather_all(&sums)?;
    confirm_step(session, unfinished.finish(&agreed, file, &header, &cut, &sums))
}

/// Returns a number that is unique among all calls on all machines.
fn mark() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos());
    digest(&(std::process::id(), now, std::thread::current().id()))
}

/// Writes this rank's part, window after window. Returns the checksums of its parts, and whether all were written.
/// Collective.
fn write(
    agreed: &AgreedFile<'_>,
    (cut, order): (&Cut, &[usize]),
    file: &Option<OpenFile>,
    data: u64,
    array: &impl Saved,
) -> Result<(Vec<u64>, Result<(), Failure>), Failure> {
    let procs = agreed.procs(cut)?;
    let (mut sums, mut written) = (Vec::new(), Ok(()));
    let mut progress = FileProgress::new(agreed, 1);
    for window in cut.windows() {
        // A rank that failed to write reports this when the next window is planned.
        let plan = agreed.plan((&procs, cut, order), &window, true, written.clone())?;
        let mut part = allocate_part(plan.destination().map(|seat| seat.shape.clone()));
        let operands = part.as_mut().map_err(|failure| failure.clone()).and_then(|part| {
            let destination = part.as_mut().map(|part| part.destination());
            Ok(vec![MoveOperands { source: array.source(&plan)?, destination, plan, update: None }])
        });
        execute(agreed.session, operands)?;
        let stretch = cut.stretch(&window, agreed.session.rank);
        if let (Some(mut part), Some(stretch), Some(file)) = (part?, stretch, file) {
            let bytes = part.bytes();
            debug_assert_eq!(bytes.len() as u64, stretch.bytes);
            sums.push(u64::from(crc32fast::hash(bytes)));
            written =
                file.write(data + stretch.start, bytes).map_err(|why| agreed.failure("cannot write", &why));
        }
        progress.add(&window, agreed.element);
    }
    Ok((sums, written))
}

/// A file before its renaming. The rank that created it removes it on drop.
struct UnfinishedFile {
    path: PathBuf,
    mine: bool,
}

impl UnfinishedFile {
    fn create(agreed: &AgreedFile<'_>, mark: i64) -> Result<Self, Failure> {
        let why = |why: &str| agreed.failure("cannot create", why);
        let name = agreed.path.file_name().ok_or_else(|| why("the path has no file name"))?;
        let mut name = name.to_owned();
        name.push(format!(".{mark:016x}.part"));
        let path = agreed.path.with_file_name(name);
        let mine = agreed.session.rank == 0;
        if mine {
            std::fs::OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(&path)
                .map_err(|e| why(&e.to_string()))?;
        }
        Ok(Self { path, mine })
    }

    fn open(&self, agreed: &AgreedFile<'_>, writers: u32) -> Result<Option<OpenFile>, Failure> {
        let writes = agreed.session.rank < writers;
        let file = writes.then(|| OpenFile::open(&self.path, Access::Write)).transpose();
        file.map_err(|why| agreed.failure("cannot write", &why))
    }

    /// Finishes the file, on the first rank, after all ranks have written: header, checksum, synchronization,
    /// renaming.
    fn finish(
        mut self,
        agreed: &AgreedFile<'_>,
        file: Option<OpenFile>,
        header: &[u8],
        cut: &Cut,
        sums: &[Vec<u64>],
    ) -> Result<(), Failure> {
        let why = |why: &str| agreed.failure("cannot write", why);
        let Some(file) = file.filter(|_| self.mine) else { return Ok(()) };
        let mut sum = crc32fast::Hasher::new();
        sum.update(header);
        let end = header.len() as u64 + combine_checksums(&mut sum, cut, sums);
        let trailer = trailer(sum.finalize());
        let all = file.write(0, header).and_then(|()| file.write(end, &trailer)).and_then(|()| file.sync());
        all.and_then(|()| file.close()).map_err(|text| why(&text))?;
        std::fs::rename(&self.path, agreed.path).map_err(|e| why(&e.to_string()))?;
        self.mine = false;
        let folder = agreed.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = std::fs::File::open(folder.unwrap_or(Path::new(".")));
        // The file has its new name even if the folder cannot be opened or synchronized.
        let _ = folder.and_then(|folder| folder.sync_all());
        Ok(())
    }
}

impl Drop for UnfinishedFile {
    fn drop(&mut self) {
        if self.mine {
            // An error cannot be reported here.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Adds the data to a checksum, from the checksums of the ranks' parts in the order of the file. Returns the bytes of
/// the data.
pub(super) fn combine_checksums(sum: &mut crc32fast::Hasher, cut: &Cut, sums: &[Vec<u64>]) -> u64 {
    let mut next: Vec<_> = sums.iter().map(|sums| sums.iter()).collect();
    let mut bytes = 0;
    for window in cut.windows() {
        for (rank, sums) in (0u32..).zip(&mut next) {
            let Some(stretch) = cut.stretch(&window, rank) else { continue };
            let crc = u32::try_from(sums.next().copied().unwrap_or(0)).unwrap_or(0);
            sum.combine(&crc32fast::Hasher::new_with_initial_len(crc, stretch.bytes));
            bytes += stretch.bytes;
        }
    }
    bytes
}
