use std::process::Command;

/// Runs the package's own program.
#[test]
fn the_program_refuses_words() {
    let till = Command::new(env!("CARGO_BIN_EXE_till")).args(["100", "x"]).output().unwrap();
    assert_eq!(till.status.code(), Some(2));
}

/// Cargo runs tests in the package's folder, with variables of the package.
#[test]
fn a_test_runs_where_cargo_runs_it() {
    let manifest = std::fs::read_to_string("Cargo.toml").unwrap();
    assert!(manifest.contains("name = \"till\""));
    assert_eq!(std::env::var("CARGO_PKG_NAME").unwrap(), "till");
    assert_eq!(std::env::var("TILL_SETTING").as_deref(), Ok("from cargo's configuration"));
    assert_eq!(std::env::var_os("RUSTC_WORKSPACE_WRAPPER"), None);
}
