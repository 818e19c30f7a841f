//! Random sizes, numbers and orders of calls through the C functions: a call succeeds exactly if
//! its sizes fit and the fitness is open, and nothing crashes.
#![allow(unsafe_code, reason = "calls what C calls")]

use std::ffi::{CStr, CString};
use std::ptr;

use fdc_jni::Handle;
use fdc_jni::c::*;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Call {
    Test(usize),
    Tests(usize, usize),
    Suite(usize, usize),
    Keep(usize),
    Element(u32),
    Close,
}

fn any_call() -> impl Strategy<Value = Call> {
    let words = || prop_oneof![0usize..4, 0usize..40];
    let tests = || prop_oneof![4 => 0usize..12, 1 => Just(usize::MAX), 1 => any::<usize>()];
    prop_oneof![
        4 => words().prop_map(Call::Test),
        3 => (words(), 0usize..12).prop_map(|(words, tests)| Call::Tests(words, tests)),
        3 => (words(), tests()).prop_map(|(words, tests)| Call::Suite(words, tests)),
        3 => words().prop_map(Call::Keep),
        1 => any::<u32>().prop_map(Call::Element),
        1 => Just(Call::Close),
    ]
}

/// Whether the call says that it succeeded, and whether it left a message if not.
fn make(fitness: Handle, call: &Call, memory: &[u64]) -> bool {
    let mut values = [f64::NAN; 12];
    let value = values.as_mut_ptr();
    let row = memory.as_ptr();
    // SAFETY: `memory` and `values` have room for every size that `any_call` makes.
    let succeeded = unsafe {
        match *call {
            Call::Test(words) => fdc_of_test(fitness, row, words, value) == 0,
            Call::Tests(words, tests) => fdc_of_tests(fitness, row, words, value, tests) == 0,
            Call::Suite(words, tests) => fdc_of_suite(fitness, row, words, tests, value) == 0,
            Call::Keep(words) => fdc_keep(fitness, row, words) == 0,
            Call::Element(line) => fdc_element(fitness, c"a.B".as_ptr(), line) == -1,
            Call::Close => fdc_close(fitness) == 0,
        }
    };
    let message = unsafe { CStr::from_ptr(fdc_last_error()) };
    assert!(succeeded || !message.is_empty());
    match call {
        Call::Test(_) | Call::Suite(..) => assert_eq!(succeeded, !values[0].is_nan()),
        Call::Tests(_, tests) if succeeded => {
            assert!(values[..*tests].iter().all(|value| !value.is_nan()));
            assert!(values[*tests..].iter().all(|value| value.is_nan()));
        }
        _ => {}
    }
    succeeded
}

proptest! {
    #[test]
    fn a_call_succeeds_exactly_if_its_sizes_fit(
        elements in prop_oneof![0usize..130, 0usize..2000],
        words in prop_oneof![0usize..4, 0usize..40],
        metric in prop::sample::select(vec!["rlfdc", "ddu", "tfd", "additional", "sharp", "random"]),
        memory in prop::collection::vec(any::<u64>(), 40),
        calls in prop::collection::vec(any_call(), 1..20),
        foreign in any::<i64>(),
    ) {
        let metric = CString::new(metric).unwrap();
        // SAFETY: at most 40 words are read.
        let fitness = unsafe {
            fdc_open_plain(elements, memory.as_ptr(), words, metric.as_ptr(), ptr::null())
        };
        let each = elements.div_ceil(64);
        prop_assert_eq!(fitness > 0, elements > 0 && words == each);
        let mut open = fitness > 0;
        let mut kept = 0;
        for call in &calls {
            let fits = match *call {
                Call::Test(words) | Call::Keep(words) => words == each,
                Call::Tests(words, tests) | Call::Suite(words, tests) => {
                    tests.checked_mul(each) == Some(words)
                }
                Call::Element(_) | Call::Close => true,
            };
            prop_assert_eq!(make(fitness, call, &memory), open && fits, "{:?}", call);
            kept += i64::from(open && fits && matches!(call, Call::Keep(_)));
            open &= !matches!(call, Call::Close);
            prop_assert_eq!(fdc_kept(fitness), if open { kept } else { -2 });
        }
        if open {
            prop_assert_eq!(fdc_elements(fitness), elements as i64);
            prop_assert_eq!(fdc_close(fitness), 0);
        }
        // Tests of one file run side by side, but no other opens this many.
        if !(1..1 << 40).contains(&foreign) {
            prop_assert!(!make(foreign, &calls[0], &memory));
        }
    }

    #[test]
    fn any_text_is_a_metric_or_an_error(text in "\\PC{0,20}", row in any::<u64>()) {
        let metric = CString::new(text.replace('\0', "")).unwrap();
        // SAFETY: one word is read.
        let fitness = unsafe { fdc_open_plain(64, &row, 1, metric.as_ptr(), ptr::null()) };
        let message = unsafe { CStr::from_ptr(fdc_last_error()) };
        prop_assert!(fitness > 0 || !message.is_empty());
        if fitness > 0 {
            fdc_close(fitness);
        }
    }
}
