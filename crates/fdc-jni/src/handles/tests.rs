use fdc_core::coverage::TestId;
use fdc_core::fitness::Fitness;
use fdc_core::metric::{Agnostic, Kind, Metric};
use fdc_core::suite::Suite;

use super::*;

fn plain(elements: usize, row: &[u64], metric: &str) -> Result<Handle> {
    open(|| Opened::plain(elements, row, metric, None))
}

fn value(handle: Handle, row: &[u64]) -> Result<f64> {
    read(handle, |opened| Ok(opened.fitness.of_test(row)?))
}

#[test]
fn a_closed_or_foreign_number_is_an_error() {
    let handle = plain(6, &[0b1111], "total").unwrap();
    assert_eq!(value(handle, &[0b110]).unwrap(), 2.0);
    close(handle).unwrap();
    let other = plain(6, &[0b1111], "total").unwrap();
    assert_ne!(handle, other, "numbers are not used twice");
    for foreign in [handle, 0, -1, i64::MAX, i64::MIN] {
        assert!(matches!(value(foreign, &[0]), Err(Problem::NotOpen)));
        assert!(matches!(close(foreign), Err(Problem::NotOpen)));
    }
    close(other).unwrap();
}

struct Panics;

impl Agnostic for Panics {
    fn score(&self, _: &Suite<'_>, _: &[TestId]) -> Vec<f64> {
        panic!("out of values")
    }
}

#[test]
fn a_panic_is_an_error_and_the_next_call_works() {
    let metric = Metric::new("panics", Kind::Agnostic(Box::new(Panics)));
    let fitness = Fitness::new(metric, (0..6).collect(), &[0b1111]).unwrap();
    let mut opened = Opened::plain(6, &[0b1111], "total", None).unwrap();
    opened.fitness = fitness;
    let handle = open(|| Ok(opened)).unwrap();
    let message = value(handle, &[0b110]).unwrap_err().to_string();
    assert_eq!(message, "a bug in fdc: out of values; please report it");
    assert!(value(handle, &[0b110]).is_err());
    assert_eq!(
        read(handle, |opened| Ok(opened.fitness.groups())).unwrap(),
        1
    );
    close(handle).unwrap();
}

#[test]
fn a_change_that_panics_leaves_nothing_to_be_used() {
    let handle = plain(6, &[0b1111], "total").unwrap();
    let cut = change(handle, |_| -> Result<()> { panic!("half way") });
    assert!(matches!(cut, Err(Problem::Panic(_))));
    assert!(matches!(value(handle, &[0]), Err(Problem::HalfChanged)));
    close(handle).unwrap();
}

#[test]
fn many_threads_use_one_number() {
    let handle = plain(130, &[u64::MAX, u64::MAX, 3], "tfd").unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8u64 {
            scope.spawn(move || {
                for turn in 0..200u64 {
                    let row = [1 << (turn % 64), thread, 0];
                    assert!(value(handle, &row).unwrap() >= 1.0);
                    if turn % 50 == thread {
                        change(handle, |opened| Ok(opened.fitness.keep(&row)?)).unwrap();
                    }
                }
            });
        }
    });
    assert_eq!(
        read(handle, |opened| Ok(opened.fitness.kept())).unwrap(),
        32
    );
    close(handle).unwrap();
}
