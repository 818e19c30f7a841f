//! Which instructions the kernels run on, decided at run time.
//!
//! A kernel is written once, in plain Rust over fixed-size arrays, and compiled twice. Rust neither
//! reorders nor fuses floating-point operations, so both compilations give the same bits.

use std::sync::OnceLock;

/// Set to `portable` to run without AVX2; anything else is ignored.
const SWITCH: &str = "FDC_BACKEND";

/// The instruction set in use.
///
/// The field is private so that `Avx2` exists only where the processor was seen to have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backend(Instructions);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instructions {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Backend {
    /// What every processor of the target architecture can do.
    pub const PORTABLE: Self = Self(Instructions::Portable);

    /// AVX2, if this processor has it.
    pub fn avx2() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Some(Self(Instructions::Avx2));
        }
        None
    }

    /// The fastest there is, or the portable one if `FDC_BACKEND=portable` at the first call.
    pub fn detect() -> Self {
        static DETECTED: OnceLock<Backend> = OnceLock::new();
        *DETECTED.get_or_init(|| {
            let forced = std::env::var_os(SWITCH).is_some_and(|value| value == "portable");
            if forced { None } else { Self::avx2() }.unwrap_or(Self::PORTABLE)
        })
    }

    #[inline]
    pub(super) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            Instructions::Portable => kernel.run(),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `with_avx2` needs a processor with AVX2, and `Backend::avx2`, the only place
            // that makes this variant, has seen that this one is.
            #[allow(unsafe_code, reason = "the dispatch to AVX2, checked at run time")]
            Instructions::Avx2 => unsafe { with_avx2(kernel) },
        }
    }
}

/// A computation compiled for every backend.
///
/// `run` and all it calls must be `#[inline(always)]`: what is not inlined into [`Backend::run`]'s
/// AVX2 branch is compiled for the baseline, which is correct but slow.
pub(super) trait Kernel {
    type Output;

    fn run(self) -> Self::Output;
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}
