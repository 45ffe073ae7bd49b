//! Loads a distributed array from a file. Window by window, each rank reads its part, and the parts are redistributed.
//! If the file has a checksum, the whole file is read once before the array is written.

use super::file::{AgreedFile, Filed, Loaded, allocate_part};
use super::operands::MoveOperands;
use super::progress::FileProgress;
use super::save::combine_checksums;
use super::transfer::execute;
use crate::arrays::npy::{Cut, FileHeader, PRELUDE, TRAILER, sum_of};
use crate::collective::call::{broadcast, confirm_step, session};
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::layout::strides::Shape;
use crate::mpi::{Access, Comm, OpenFile};
use crate::runtime::session::Session;
use std::sync::Arc;

/// Loads the whole array from the file `given.path`, which must have the array's extents and bytes per element, and the
/// element type if the program gives one. If one of these differs or the checksum is wrong, nothing is written to the
/// array. Collective over `comm`.
pub fn load(comm: &Comm, given: Result<Filed<'_>, Failure>, array: &mut impl Loaded) -> Result<(), Failure> {
    load_in_session(&session(comm)?, given, array)
}

pub(super) fn load_in_session(
    session: &Arc<Session>,
    given: Result<Filed<'_>, Failure>,
    array: &mut impl Loaded,
) -> Result<(), Failure> {
    let agreed = AgreedFile::on(session, Operation::Load, given)?;
    let frame =
        confirm_step(session, if session.rank == 0 { FileFrame::read(&agreed).map(Some) } else { Ok(None) })?;
    let frame = FileFrame::from_numbers(&broadcast(
        session,
        0,
        frame.map(|frame| frame.numbers()).as_ref().map(|n| &n[..]),
        5,
    )?);
    let axes = 0..agreed.extents.len();
    let order: Vec<usize> = if frame.fortran { axes.collect() } else { axes.rev().collect() };
    // Equal on all ranks.
    let cut = agreed.cut(&order)?;
    let reads = session.rank < cut.ranks();
    let file = reads.then(|| OpenFile::open(agreed.path, Access::Read)).transpose();
    let file = confirm_step(session, file.map_err(|why| agreed.failure("cannot read", &why)))?;
    let parts = Parts { agreed: &agreed, cut, order, file, data: frame.data };
    let mut progress = FileProgress::new(&agreed, if frame.sum.is_some() { 2 } else { 1 });
    if let Some(wanted) = frame.sum {
        parts.verify(frame.header_sum, wanted, &mut progress)?;
    }
    parts.read(array, &mut progress)
}

/// Values from the header and the trailer of the file, which rank 0 reads and sends to the others.
struct FileFrame {
    data: u64,
    fortran: bool,
    /// Checksum of the file, if it has one.
    sum: Option<u32>,
    header_sum: crc32fast::Hasher,
}

impl FileFrame {
    fn read(agreed: &AgreedFile<'_>) -> Result<Self, Failure> {
        let why = |why: &str| agreed.failure("cannot read", why);
        let bad = |text: String| why(&text);
        let file = OpenFile::open(agreed.path, Access::Read).map_err(bad)?;
        let size = file.size().map_err(bad)?;
        let mut head = vec![0; PRELUDE];
        if size < PRELUDE as u64 {
            return Err(why(&format!("it has {size} bytes, which is too short for a header")));
        }
        file.read(0, &mut head).map_err(bad)?;
        head.resize(FileHeader::length(&head).map_err(bad)?, 0);
        if size < head.len() as u64 {
            return Err(why(&format!("it ends at byte {size}, within its header")));
        }
        file.read(0, &mut head).map_err(bad)?;
        let header = FileHeader::parse(&head).map_err(bad)?;
        check_header(agreed, &header).map_err(bad)?;
        let end = header.data().and_then(|data| data.checked_add(head.len() as u64));
        let end = end.ok_or_else(|| why("its array has more than 2^63 bytes"))?;
        let mut header_sum = crc32fast::Hasher::new();
        header_sum.update(&head);
        let sum = match size.checked_sub(end) {
            None => return Err(why(&format!("it ends at byte {size}, expected {end} bytes"))),
            Some(0) => None,
            Some(more) => {
                let mut rest = vec![0; TRAILER];
                let whole = more == TRAILER as u64;
                let sum = if whole {
                    file.read(end, &mut rest).map(|()| sum_of(&rest)).map_err(bad)?
                } else {
                    None
                };
                let rubbish = || why(&format!("the {more} bytes after the array are not a checksum"));
                Some(sum.ok_or_else(rubbish)?)
            }
        };
        file.close().map_err(bad)?;
        Ok(Self { data: head.len() as u64, fortran: header.fortran, sum, header_sum })
    }

    fn numbers(&self) -> [i64; 5] {
        let data = i64::try_from(self.data).unwrap_or(i64::MAX);
        let crc = i64::from(self.header_sum.clone().finalize());
        [data, self.fortran.into(), self.sum.is_some().into(), self.sum.unwrap_or(0).into(), crc]
    }

    fn from_numbers(numbers: &[i64]) -> Self {
        let crc = |n: i64| u32::try_from(n).unwrap_or(0);
        let data = u64::try_from(numbers[0]).unwrap_or(0);
        let sum = (numbers[2] != 0).then(|| crc(numbers[3]));
        let header_sum = crc32fast::Hasher::new_with_initial_len(crc(numbers[4]), data);
        Self { data, fortran: numbers[1] != 0, sum, header_sum }
    }
}

fn check_header(agreed: &AgreedFile<'_>, header: &FileHeader) -> Result<(), String> {
    if header.shape != agreed.extents {
        return Err(format!("it has an array of extents {:?}, expected {:?}", header.shape, agreed.extents));
    }
    let (has, wanted) = (header.dtype.bytes(), agreed.element as u64);
    match &agreed.dtype {
        Some(dtype) if !dtype.is_like(&header.dtype) => {
            Err(format!("its elements are {}, expected {}", header.dtype.text(), dtype.text()))
        }
        _ if has != wanted => {
            Err(format!("its elements have {has} bytes ({}), expected {wanted}", header.dtype.text()))
        }
        _ => Ok(()),
    }
}

struct Parts<'a> {
    agreed: &'a AgreedFile<'a>,
    cut: Cut,
    order: Vec<usize>,
    file: Option<OpenFile>,
    /// Bytes of the file before the data.
    data: u64,
}

impl Parts<'_> {
    fn failure(&self, why: &str) -> Failure {
        self.agreed.failure("cannot read", why)
    }

    /// Computes the file's checksum and compares it with `wanted`; `sum` is the checksum of the bytes before the data.
    /// Collective.
    fn verify(
        &self,
        mut sum: crc32fast::Hasher,
        wanted: u32,
        progress: &mut FileProgress,
    ) -> Result<(), Failure> {
        let session = self.agreed.session;
        let sums = confirm_step(session, self.sums(progress))?;
        let sums = session.collectives().gather_all(&sums)?;
        combine_checksums(&mut sum, &self.cut, &sums);
        // Equal on all ranks.
        let found = sum.finalize();
        let why = || {
            format!("its checksum is {found:08x}, expected {wanted:08x}: it has changed since it was saved")
        };
        if found == wanted { Ok(()) } else { Err(self.failure(&why())) }
    }

    fn sums(&self, progress: &mut FileProgress) -> Result<Vec<u64>, Failure> {
        let mut sums = Vec::new();
        for window in self.cut.windows() {
            let stretch = self.cut.stretch(&window, self.agreed.session.rank);
            if let (Some(stretch), Some(file)) = (stretch, &self.file) {
                let mut part =
                    allocate_part(Some(Shape::dense(1, &[stretch.bytes])))?.expect("a shape was given");
                file.read(self.data + stretch.start, part.bytes_mut()).map_err(|why| self.failure(&why))?;
                sums.push(u64::from(crc32fast::hash(part.bytes())));
            }
            progress.add(&window, self.agreed.element);
        }
        Ok(sums)
    }

    /// Reads the file into the array, window after window. Collective.
    fn read(&self, array: &mut impl Loaded, progress: &mut FileProgress) -> Result<(), Failure> {
        let session = self.agreed.session;
        let procs = self.agreed.procs(&self.cut)?;
        for window in self.cut.windows() {
            let plan = self.agreed.plan((&procs, &self.cut, &self.order), &window, false, Ok(()))?;
            let part = allocate_part(plan.source().map(|seat| seat.shape.clone())).and_then(|mut part| {
                let stretch = self.cut.stretch(&window, session.rank);
                if let (Some(part), Some(stretch), Some(file)) = (&mut part, stretch, &self.file) {
                    let bytes = part.bytes_mut();
                    file.read(self.data + stretch.start, bytes).map_err(|why| self.failure(&why))?;
                }
                Ok(part)
            });
            let operands = part.and_then(|mut part| {
                let source = part.as_mut().map(|part| part.source());
                Ok(vec![MoveOperands { source, destination: array.destination(&plan)?, plan, update: None }])
            });
            execute(session, operands)?;
            progress.add(&window, self.agreed.element);
        }
        Ok(())
    }
}
