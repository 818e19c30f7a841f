//! Tests that do not end as tests should. The file `trouble`, if there is one, says which do.

fn wanted(trouble: &str) -> bool {
    std::fs::read_to_string("trouble").is_ok_and(|list| list.lines().any(|line| line == trouble))
}

#[test]
fn hangs() {
    if wanted("hang") {
        till::forever();
    }
}

#[test]
fn aborts() {
    if wanted("abort") {
        till::give_up("abort");
    }
}

#[test]
fn exits() {
    if wanted("exit") {
        till::give_up("exit");
    }
}

#[test]
fn overflows() {
    if wanted("overflow") {
        till::give_up("overflow");
    }
}

/// Passes when it is run the first time, fails the second, and so on.
#[test]
fn wavers() {
    if wanted("waver") {
        let passed = std::path::Path::new("wavered");
        if passed.exists() {
            std::fs::remove_file(passed).unwrap();
            panic!("not this time");
        }
        std::fs::write(passed, "").unwrap();
    }
}
