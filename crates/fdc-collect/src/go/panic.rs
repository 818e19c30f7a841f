//! How a test program panicked, from what Go printed.

use std::path::Path;

use fdc_core::evidence::{FailureRecord, Frame};

/// The panic and the calls of its goroutine, innermost first; files below the root by their path
/// from there.
pub(crate) fn failure(errors: &str, root: &Path) -> Option<FailureRecord> {
    let mut lines = errors.lines();
    let message = lines.find_map(|line| line.strip_prefix("panic: "))?;
    let mut frames = Vec::new();
    let mut function = "";
    // Another goroutine follows after an empty line.
    let of_goroutine = lines
        .skip_while(|line| !line.starts_with("goroutine "))
        .skip(1);
    for line in of_goroutine.take_while(|line| !line.is_empty()) {
        match line.strip_prefix('\t') {
            Some(place) => frames.extend(frame(place, function, root)),
            None => function = line,
        }
    }
    Some(FailureRecord {
        exception: Some("panic".to_owned()),
        message: Some(message.to_owned()),
        frames,
    })
}

/// Of `/project/shop/tax.go:12 +0x1d` below `example.com/shop.(*Tax).Rate(0x1)`.
fn frame(place: &str, function: &str, root: &Path) -> Option<Frame> {
    let (file, rest) = place.rsplit_once(".go:")?;
    let file = format!("{file}.go");
    let inside = Path::new(&file).strip_prefix(root).ok();
    let inside = inside.map(|path| path.to_string_lossy().into_owned());
    let own = function.rsplit('/').next().unwrap_or(function);
    let own = own.rsplit_once('(').map_or(own, |(own, _)| own);
    Some(Frame {
        place: inside.unwrap_or(file),
        function: own.rsplit('.').next().unwrap_or(own).to_owned(),
        line: rest.split(' ').next()?.parse().ok()?,
    })
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
