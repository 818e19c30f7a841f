//! Manifests: every crate takes lints and versions from the workspace, and so does what is packed.

use crate::{crates, none, read};

#[test]
fn every_crate_uses_the_lints_of_the_workspace() {
    let missing: Vec<_> = manifests()
        .into_iter()
        .filter(|path| !read(path).contains("[lints]\nworkspace = true"))
        .collect();
    none(
        &missing,
        "add to these manifests:\n[lints]\nworkspace = true",
    );
}

#[test]
fn versions_of_dependencies_are_in_the_table_of_the_workspace() {
    let mut own = Vec::new();
    for path in manifests() {
        let mut in_dependencies = false;
        for line in read(&path).lines() {
            if line.starts_with('[') {
                in_dependencies = line.contains("dependencies");
            } else if in_dependencies && line.contains(" = ") && !line.contains("workspace = true")
            {
                own.push(format!("{path}: {line}"));
            }
        }
    }
    none(
        &own,
        "put the version into [workspace.dependencies] of Cargo.toml, \
         and NAME.workspace = true into the crate",
    );
}

#[test]
fn what_is_packed_has_the_version_and_the_compiler_of_the_workspace() {
    let version = quoted("Cargo.toml", "version");
    let compiler = quoted("rust-toolchain.toml", "channel");
    let named = [
        ("packaging/homebrew/fdc.rb", format!("fdc-{version}.tar.gz")),
        ("packaging/Dockerfile", format!("FROM rust:{compiler}-")),
        (
            "packaging/Dockerfile",
            format!("RUSTUP_TOOLCHAIN={compiler}\n"),
        ),
        (
            "crates/fdc-cli/Cargo.toml",
            "/fdc-{ version }-{ target }{ archive-suffix }\"".to_owned(),
        ),
        ("scripts/package", "name=fdc-$version-$machine\n".to_owned()),
    ];
    let stale: Vec<_> = named
        .iter()
        .filter(|(path, text)| !read(path).contains(text.as_str()))
        .map(|(path, text)| format!("{path}: expected {text:?}"))
        .collect();
    none(
        &stale,
        "packages are made of, and named by, what the workspace says",
    );
}

/// The value of `key = "value"`, the first in a manifest.
fn quoted(path: &str, key: &str) -> String {
    let text = read(path);
    let start = format!("{key} = \"");
    let value = text.lines().find_map(|line| line.strip_prefix(&start));
    let value = value.unwrap_or_else(|| panic!("{path} has no {key}"));
    value.trim_end_matches('"').to_owned()
}

fn manifests() -> Vec<String> {
    let mut paths: Vec<_> = crates()
        .iter()
        .map(|name| format!("crates/{name}/Cargo.toml"))
        .collect();
    paths.push("benches/Cargo.toml".to_owned());
    paths
}
