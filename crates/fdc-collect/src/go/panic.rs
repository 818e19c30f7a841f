//! How a test program panicked, from what Go printed.

use std::path::Path;

use fdc_core::evidence::FailureRecord;
use fdc_formats::trace;

/// The panic and the calls of its goroutine, innermost first; files below the root by their path
/// from there.
pub(crate) fn failure(errors: &str, root: &Path) -> Option<FailureRecord> {
    let mut lines = errors.match_indices("panic: ").map(|(at, _)| at);
    let start = lines.find(|&at| at == 0 || errors[..at].ends_with('\n'))?;
    let mut found = trace::failure(&errors[start..]);
    for frame in &mut found.frames {
        if let Ok(inside) = Path::new(&frame.place).strip_prefix(root) {
            frame.place = inside.to_string_lossy().into_owned();
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calls_of_the_panicking_goroutine_are_read() {
        let errors = "loose words\npanic: runtime error: index out of range [3] [recovered]\n\
            \tpanic: again\n\ngoroutine 7 [running]:\ntesting.tRunner.func1.2({0x1, 0x2})\n\
            \t/usr/go/src/testing/testing.go:1632 +0x230\n\
            example.com/shop.(*Tax).Rate(...)\n\t/project/shop/tax.go:12 +0x1d\n\n\
            goroutine 1 [chan receive]:\nmain.main()\n\t/project/main.go:3 +0x1\n";
        let found = failure(errors, Path::new("/project")).unwrap();
        let message = "runtime error: index out of range [3] [recovered]";
        assert_eq!(found.message.as_deref(), Some(message));
        let frames = found.frames.iter();
        let frames: Vec<_> = frames
            .map(|frame| (&*frame.place, &*frame.function, frame.line))
            .collect();
        let outside = ("/usr/go/src/testing/testing.go", "2", 1632);
        assert_eq!(frames, [outside, ("shop/tax.go", "Rate", 12)]);
        assert_eq!(failure("exit status 1\n", Path::new("/")), None);
    }
}
