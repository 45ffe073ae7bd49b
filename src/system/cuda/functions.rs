//! Types and addresses of the driver's functions.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::transmute;

/// Number of words of a handle.
const WORDS: usize = 8;

/// The driver's description of an allocation for other processes.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IpcHandle([u8; 8 * WORDS]);

impl IpcHandle {
    /// Returns the handle as words, to send it.
    pub fn words(&self) -> [u64; WORDS] {
        let word = |k: usize| self.0[8 * k..8 * k + 8].try_into().expect("eight bytes");
        std::array::from_fn(|k| u64::from_ne_bytes(word(k)))
    }

    /// Returns the handle with these words.
    pub fn of_words(words: [u64; WORDS]) -> Self {
        let mut bytes = [0; 8 * WORDS];
        for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_ne_bytes());
        }
        Self(bytes)
    }
}

/// Declares the table of functions and the function that looks them up.
macro_rules! functions {
    ($($name:ident($($argument:ty),*);)*) => {
        /// Addresses of the driver's functions by their names in `libcuda.so.1`; `None` if an old driver lacks one.
        #[allow(non_snake_case)]
        #[derive(Clone, Copy, Default, Debug)]
        pub struct Functions {
            $(pub $name: Option<unsafe extern "C" fn($($argument),*) -> c_int>,)*
        }

        impl Functions {
            /// # Safety
            /// `find` returns NULL or the address of the driver's function of that name.
            unsafe fn find_all(find: impl Fn(&CStr) -> *mut c_void) -> Self {
                let name = |name: &'static str| CStr::from_bytes_with_nul(name.as_bytes()).expect("one 0");
                Self {$(
                    $name: {
                        let found = find(name(concat!(stringify!($name), "\0")));
                        // SAFETY: the function has this type in `cuda.h`; `Option` of a function has the same bytes,
                        // and NULL is `None`.
                        unsafe {
                            transmute::<*mut c_void, Option<unsafe extern "C" fn($($argument),*) -> c_int>>(found)
                        }
                    },
                )*}
            }
        }
    };
}

functions! {
    cuGetErrorName(c_int, *mut *const c_char);
    cuGetErrorString(c_int, *mut *const c_char);
    cuPointerGetAttributes(c_uint, *mut c_int, *mut *mut c_void, u64);
    cuDeviceGet(*mut c_int, c_int);
    cuDevicePrimaryCtxRetain(*mut *mut c_void, c_int);
    cuCtxPushCurrent_v2(*mut c_void);
    cuCtxPopCurrent_v2(*mut *mut c_void);
    cuMemAlloc_v2(*mut u64, usize);
    cuMemFree_v2(u64);
    cuMemHostRegister_v2(*mut c_void, usize, c_uint);
    cuMemHostUnregister(*mut c_void);
    cuIpcGetMemHandle(*mut IpcHandle, u64);
    cuIpcOpenMemHandle_v2(*mut u64, IpcHandle, c_uint);
    cuIpcCloseMemHandle(u64);
    cuMemcpyHtoDAsync_v2(u64, *const c_void, usize, *mut c_void);
    cuMemcpyDtoHAsync_v2(*mut c_void, u64, usize, *mut c_void);
    cuModuleLoadDataEx(*mut *mut c_void, *const c_void, c_uint, *mut c_int, *mut *mut c_void);
    cuModuleUnload(*mut c_void);
    cuModuleGetFunction(*mut *mut c_void, *mut c_void, *const c_char);
    cuLaunchKernel(
        *mut c_void, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, *mut c_void, *mut *mut c_void,
        *mut *mut c_void
    );
    cuStreamCreate(*mut *mut c_void, c_uint);
    cuStreamDestroy_v2(*mut c_void);
    cuStreamSynchronize(*mut c_void);
    cuStreamGetCtx(*mut c_void, *mut *mut c_void);
    cuStreamIsCapturing(*mut c_void, *mut c_int);
    cuThreadExchangeStreamCaptureMode(*mut c_int);
    cuStreamWaitEvent(*mut c_void, *mut c_void, c_uint);
    cuEventCreate(*mut *mut c_void, c_uint);
    cuEventDestroy_v2(*mut c_void);
    cuEventRecord(*mut c_void, *mut c_void);
}

impl Functions {
    /// Returns the functions of the driver that the process has loaded; `None` if it has not loaded any.
    pub fn of_process() -> Option<Self> {
        // SAFETY: the name is a C string. RTLD_NOLOAD loads nothing.
        let handle = unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        // The handle stays open, so the driver is never unloaded.
        // SAFETY: the handle is open; these are the driver's functions.
        (!handle.is_null()).then(|| unsafe { Self::find_all(|name| libc::dlsym(handle, name.as_ptr())) })
    }
}
