use std::io::{Cursor, Write as _};

use fdc_formats::jacoco::{class_in_archive, classes_in_archive};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn jar() -> Vec<u8> {
    std::fs::read(super::testdata().join("subjects/java/shop.jar")).unwrap()
}

/// The same archive with a zip64 end, as tools write it for more than 65535 entries.
fn with_zip64_end(jar: &[u8]) -> Vec<u8> {
    let end = jar.len() - 22;
    assert!(jar[end..].starts_with(b"PK\x05\x06"), "no comment");
    let number = |at: usize, length: usize| {
        let mut bytes = [0; 8];
        bytes[..length].copy_from_slice(&jar[end + at..end + at + length]);
        u64::from_le_bytes(bytes)
    };
    let (count, size, start) = (number(10, 2), number(12, 4), number(16, 4));
    let mut zip64 = jar[..end].to_vec();
    zip64.extend(b"PK\x06\x06");
    zip64.extend(44u64.to_le_bytes());
    zip64.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    for number in [count, count, size, start] {
        zip64.extend(number.to_le_bytes());
    }
    zip64.extend(b"PK\x06\x07\0\0\0\0");
    zip64.extend((end as u64).to_le_bytes());
    zip64.extend(1u32.to_le_bytes());
    zip64.extend(b"PK\x05\x06\0\0\0\0");
    zip64.extend([0xff; 12]);
    zip64.extend([0, 0]);
    zip64
}

#[test]
fn zip64_archives_are_read() {
    let (jar, zip64) = (jar(), with_zip64_end(&jar()));
    let names = classes_in_archive(&jar).unwrap();
    assert!(names.len() > 1);
    assert_eq!(classes_in_archive(&zip64).unwrap(), names);
    for name in &names {
        let class = class_in_archive(&jar, name).unwrap().unwrap();
        assert!(class.starts_with(b"\xca\xfe\xba\xbe"));
        assert_eq!(class_in_archive(&zip64, name).unwrap(), Some(class));
    }
}

#[test]
fn hostile_names_stay_names() {
    let names = [
        "../../outside.class",
        "/etc/absolute.class",
        "C:\\windows\\drive.class",
        "a/./b/../c.class",
        "\u{1b}[31m\u{202e}.class",
        ".class",
    ];
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for name in names {
        archive
            .start_file(name, SimpleFileOptions::default())
            .unwrap();
        archive.write_all(name.as_bytes()).unwrap();
    }
    let archive = archive.finish().unwrap().into_inner();
    assert_eq!(classes_in_archive(&archive).unwrap(), names);
    for name in names {
        let content = class_in_archive(&archive, name).unwrap();
        assert_eq!(content.as_deref(), Some(name.as_bytes()));
    }
    assert_eq!(class_in_archive(&archive, "outside.class").unwrap(), None);
}

#[test]
fn damaged_and_huge_entries_are_refused_by_name() {
    let jar = jar();
    let names = classes_in_archive(&jar).unwrap();
    let central = |bytes: &[u8]| bytes.windows(4).position(|at| at == b"PK\x01\x02").unwrap();
    let entries = central(&jar);
    let name_at = |text: &[u8]| text.windows(6).position(|at| at == b".class").unwrap();
    let first = entries + name_at(&jar[entries..]);
    let entry = jar[..first].windows(4).rposition(|at| at == b"PK\x01\x02");
    let mut huge = jar.clone();
    let size = entry.unwrap() + 24;
    huge[size..size + 4].copy_from_slice(&0x7fff_ffff_u32.to_le_bytes());
    let error = class_in_archive(&huge, &names[0]).unwrap_err();
    assert_eq!(error, format!("{} of 2147483647 bytes", names[0]));
    for cut in (0..jar.len()).step_by(37) {
        let mut damaged = jar.clone();
        damaged[cut] ^= 0xff;
        for name in &names {
            // Read, refused, or no longer there; never a panic.
            let _ = class_in_archive(&damaged, name);
        }
        assert!(classes_in_archive(&jar[..cut]).is_err(), "{cut} bytes");
    }
}
