//! Inputs made to hang the program, fill the memory or read what they should not.

use std::path::{Path, PathBuf};

use fdc_formats::{Project, Reading, format_named, read_inputs};
use tempfile::TempDir;

const INFO: &str = "SF:shop.c\nDA:1,1\nend_of_record\n";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn read(paths: &[PathBuf], root: &Path) -> Result<Reading, String> {
    let reading = read_inputs(paths, None, &[], &Project::new(root));
    reading.map_err(|error| {
        let advice = error.advice().unwrap_or_default();
        format!("{error}\n{advice}")
    })
}

#[test]
fn a_few_bytes_do_not_stand_for_more_lines_than_a_program_has() {
    let beyond = "mode: set\nbig.go:1.1,2000001.1 1 1\n";
    let made = folder(&[("big.out", beyond)]);
    let error = read(&[made.path().join("big.out")], made.path()).unwrap_err();
    assert!(
        error.contains("line 2: expected file:line.column"),
        "{error}"
    );
    // Each file is within its limit, and together they are not.
    let profile = |name: &str| format!("mode: set\n{name}.go:1.1,2000000.1 1 1\n");
    let names = ["a", "b", "c", "d", "e", "f"];
    let files: Vec<(String, String)> = names.map(|own| (format!("{own}.out"), profile(own))).into();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (&**name, &**text))
        .collect();
    let made = folder(&files);
    let error = read(&[made.path().to_owned()], made.path()).unwrap_err();
    let expected = "expected at most 10000000 lines in all files together, found 12000000\n\
                    the coverage is damaged, or of too much: measure a part of the program";
    assert!(error.ends_with(expected), "{error}");
}

#[test]
fn a_manifest_reads_below_its_folder_and_below_the_root_alone() {
    let made = folder(&[
        ("secret/x.info", INFO),
        ("project/cov/in.info", INFO),
        ("project/lists/beside.info", INFO),
    ]);
    let at = |path: &str| made.path().join(path);
    let manifest = at("project/lists/manifest.csv");
    let absolute = |path: &str| at(path).display().to_string();
    let try_path = |path: &str, root: &str| {
        std::fs::write(&manifest, format!("test,outcome,path\nt,fail,{path}\n")).unwrap();
        read(std::slice::from_ref(&manifest), &at(root)).map(drop)
    };
    for inside in [
        "beside.info",
        "../cov/in.info",
        &absolute("project/cov/in.info"),
    ] {
        try_path(inside, "project").unwrap();
    }
    // The manifest's own folder is enough where nothing is known of the project.
    try_path("beside.info", "absent").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(at("secret/x.info"), at("project/lists/link.info")).unwrap();
    let outside = [
        "../../secret/x.info",
        &absolute("secret/x.info"),
        #[cfg(unix)]
        "link.info",
    ];
    for outside in outside {
        let error = try_path(outside, "project").unwrap_err();
        let secret = at("secret/x.info").canonicalize().unwrap();
        let expected = format!(
            "expected files below its own folder or the project's root, found {}\n\
             move the files there, or name the project's root with --source",
            secret.display()
        );
        assert!(error.ends_with(&expected), "{error}");
    }
}

#[test]
fn a_database_that_computes_its_tables_is_refused() {
    let made = folder(&[]);
    let path = made.path().join(".coverage");
    let database = rusqlite::Connection::open(&path).unwrap();
    let endless = "CREATE TABLE coverage_schema (version); INSERT INTO coverage_schema VALUES (7);
        CREATE VIEW context AS WITH RECURSIVE n (id) AS
            (VALUES (1) UNION ALL SELECT id + 1 FROM n) SELECT id, 'a' AS context FROM n";
    database.execute_batch(endless).unwrap();
    drop(database);
    let error = read(&[path], made.path()).unwrap_err();
    let expected = "expected coverage.py's table coverage_schema, found ";
    assert!(error.contains(expected), "{error}");
}

/// Sockets stand for all that is no plain file: they can be made without a program, and a reader
/// that opened one would fail instead of waiting.
#[cfg(unix)]
#[test]
fn what_is_no_plain_file_is_passed_over_in_folders_and_refused_in_manifests() {
    use std::os::unix::net::UnixListener;
    let made = folder(&[
        ("cov/a.info", INFO),
        ("manifest.csv", "test,outcome,path\nt,fail,cov/b.info\n"),
        ("bugs/readme", ""),
    ]);
    let at = |path: &str| made.path().join(path);
    let _sockets = ["cov/b.info", "bugs/b.json"].map(|path| UnixListener::bind(at(path)).unwrap());
    let reading = read(&[at("cov")], made.path()).unwrap();
    assert_eq!(reading.spectrum.tests.len(), 1);
    let note = format!(
        "{} is a socket: it is passed over",
        at("cov/b.info").display()
    );
    assert!(reading.notes.contains(&note), "{:?}", reading.notes);
    let error = read(&[at("manifest.csv")], made.path()).unwrap_err();
    assert!(
        error.contains("expected a plain file, found a socket"),
        "{error}"
    );
    let collection = fdc_formats::collection::Collection::read(&[at("bugs")]).unwrap();
    assert_eq!(collection.broken.len(), 1);
    let error = collection.broken[0].to_string();
    assert!(
        error.ends_with("expected a plain file, found a socket"),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn outcomes_of_no_known_format_are_read_from_a_pipe_as_from_a_file() {
    use std::io::Write as _;
    use std::os::fd::AsRawFd as _;
    let made = folder(&[("a.info", INFO), ("outcomes.txt", "all fine\n")]);
    let (reader, mut writer) = std::io::pipe().unwrap();
    writer.write_all(b"all fine\n").unwrap();
    drop(writer);
    let pipe = PathBuf::from(format!("/dev/fd/{}", reader.as_raw_fd()));
    let refused = |outcomes: PathBuf| {
        let project = Project::new(made.path());
        let coverage = made.path().join("a.info");
        let error =
            read_inputs(&[coverage], None, std::slice::from_ref(&outcomes), &project).unwrap_err();
        error.to_string().replace(outcomes.to_str().unwrap(), "it")
    };
    assert_eq!(refused(pipe), refused(made.path().join("outcomes.txt")));
}

#[cfg(unix)]
#[test]
fn a_database_is_not_read_from_a_pipe() {
    use std::os::fd::AsRawFd as _;
    let (reader, writer) = std::io::pipe().unwrap();
    drop(writer);
    let path = PathBuf::from(format!("/dev/fd/{}", reader.as_raw_fd()));
    for name in ["coverage.py", "case"] {
        let error = format_named(name).unwrap().read(&path).unwrap_err();
        let expected = "expected a plain file, found a pipe";
        assert!(error.to_string().ends_with(expected), "{error}");
    }
}
