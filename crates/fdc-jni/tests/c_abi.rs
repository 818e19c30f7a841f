//! The header and the library, as a C program sees them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn a_c_program_compiles_against_the_header_and_runs() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("fitness");
    let compiled = Command::new(std::env::var_os("CC").unwrap_or("cc".into()))
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I"])
        .arg(here.join("include"))
        .arg(here.join("tests/fitness.c"))
        .arg(library())
        .arg(format!(
            "-Wl,-rpath,{}",
            library().parent().unwrap().display()
        ))
        .arg("-o")
        .arg(&program)
        .output()
        .expect("a C compiler is where Rust's linker is");
    assert!(compiled.status.success(), "{}", text(&compiled.stderr));
    let ran = Command::new(&program)
        .arg(here.join("../../testdata/gzoltar/shop"))
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    assert_eq!(text(&ran.stdout), "every function did as the header says\n");
}

#[test]
fn the_header_declares_what_is_exported_and_nothing_else() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = std::fs::read_to_string(here.join("include/fdc.h")).unwrap();
    let source = std::fs::read_to_string(here.join("src/c.rs")).unwrap();
    let exported: BTreeSet<&str> = source
        .split("extern \"C\" fn ")
        .skip(1)
        .filter_map(|rest| rest.split('(').next())
        .collect();
    let declared: BTreeSet<&str> = header
        .split('(')
        .filter_map(|before| before.rsplit([' ', '*', '\n']).next())
        .filter(|name| name.starts_with("fdc_"))
        .collect();
    assert_eq!(declared, exported);
    assert!(exported.contains("fdc_of_test"));
}

/// Beside the tests, where cargo puts what they depend on.
fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.with_file_name("libfdc_jni.so")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
