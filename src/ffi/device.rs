//! Sets the CUDA stream of a program that uses GPUs.

use super::outcome::status_of;
use crate::pack::place::set_stream;
use crate::system::cuda::ProgramStream;
use std::ffi::c_void;

/// Sets the CUDA stream on which the program works on arrays in the memory of a GPU: a `cudaStream_t` or `CUstream`;
/// NULL: the legacy default stream, which is also used before the first call. Each later call of this thread reads and
/// writes such arrays after all work that the program has enqueued on the stream before that call. Not collective:
/// ranks and threads may set different streams. A stream that the driver refuses, or that is being captured into a
/// graph, is an error in those calls. The stream may be of any device of the process.
///
/// # Safety
/// The stream exists until another stream, or NULL, is set. A request does not need the stream after the call that
/// starts the request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_device_stream(stream: *mut c_void) -> i32 {
    status_of(|| {
        // SAFETY: this fn's contract.
        set_stream(unsafe { ProgramStream::of_handle(stream) });
        Ok(())
    })
}
