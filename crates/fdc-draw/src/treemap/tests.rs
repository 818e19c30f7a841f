use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;

use super::*;

const FRAME: Area = Area {
    x: 10.0,
    y: 20.0,
    width: 900.0,
    height: 500.0,
};

fn leaf(file: &str, method: &str, rank: f64, lines: usize) -> Leaf {
    Leaf {
        file: file.into(),
        method: method.into(),
        rank,
        score: 1.0 / rank,
        lines,
        ..Leaf::default()
    }
}

fn is_inside(part: Area, whole: Area) -> bool {
    let slack = 1e-6;
    part.width >= 0.0
        && part.height >= 0.0
        && part.x >= whole.x - slack
        && part.y >= whole.y - slack
        && part.x + part.width <= whole.x + whole.width + slack
        && part.y + part.height <= whole.y + whole.height + slack
}

fn overlap(a: Area, b: Area) -> bool {
    let slack = 1e-6;
    a.x + a.width > b.x + slack
        && b.x + b.width > a.x + slack
        && a.y + a.height > b.y + slack
        && b.y + b.height > a.y + slack
}

fn check_apart(areas: &[Area], frame: Area) {
    for (index, &area) in areas.iter().enumerate() {
        assert!(is_inside(area, frame), "{area:?}");
        for &other in &areas[..index] {
            assert!(!overlap(area, other), "{area:?} {other:?}");
        }
    }
}

/// Elements with their attributes' names, in order; the document must be well formed.
fn elements(svg: &Svg) -> Vec<(String, Vec<String>)> {
    let text = svg.document();
    let mut reader = Reader::from_str(&text);
    let mut found = Vec::new();
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Start(tag) | Event::Empty(tag) => {
                let name = tag.name().as_ref().to_owned();
                let attributes = tag.attributes().map(|attribute| {
                    let attribute = attribute.expect("well-formed");
                    attribute.key.as_ref().to_owned()
                });
                found.push((name, attributes.collect()));
            }
            Event::Eof => return found,
            _ => {}
        }
    }
}

fn leaves() -> impl Strategy<Value = Vec<Leaf>> {
    let name = prop_oneof![
        4 => "[a-c](/[a-c]){0,3}",
        2 => "[ab]\\.[A-C]#[a-e]\\(\\)",
        1 => any::<String>(),
        1 => Just("</title><script>alert(1)</script>\" onload=\"x".to_owned()),
        1 => Just("\u{1b}[2J\u{202e}\u{9b}\0\n".to_owned()),
    ];
    let leaf = (
        name.clone(),
        name,
        0.0..1.0f64,
        0usize..2000,
        prop::collection::vec(0u32..9, 0..4),
    );
    prop::collection::vec(leaf, 0..60).prop_map(|leaves| {
        let numbered = leaves.into_iter().enumerate();
        numbered
            .map(|(index, (file, method, score, lines, groups))| Leaf {
                file,
                method,
                rank: index as f64 + 1.0,
                score,
                lines,
                groups,
                link: index.is_multiple_of(3).then(|| format!("file-{index}")),
            })
            .collect()
    })
}

proptest! {
    #[test]
    fn parts_fill_the_frame_in_proportion_and_do_not_overlap(
        sizes in prop::collection::vec(1u32..5000, 1..80)
    ) {
        let sizes: Vec<f64> = sizes.into_iter().map(f64::from).collect();
        let parts = FRAME.parts(&sizes);
        prop_assert_eq!(parts.len(), sizes.len());
        let total: f64 = sizes.iter().sum();
        for (part, size) in parts.iter().zip(&sizes) {
            let wanted = FRAME.size() * size / total;
            prop_assert!((part.size() - wanted).abs() < 1e-6 * FRAME.size(), "{part:?} {wanted}");
        }
        check_apart(&parts, FRAME);
    }

    #[test]
    fn every_method_is_drawn_or_gathered_once(leaves in leaves()) {
        prop_assume!(!leaves.is_empty());
        let drawn = tree::layout(&leaves, FRAME);
        let mut seen = Vec::new();
        for one in &drawn {
            match &one.held {
                Held::Heading(_) => {}
                Held::Leaf(index) => seen.push(*index),
                Held::More(indices) => {
                    prop_assert!(indices.len() > 1);
                    seen.extend(indices);
                }
            }
        }
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..leaves.len()).collect::<Vec<_>>());
        let areas: Vec<Area> = drawn.iter().map(|one| one.area).collect();
        check_apart(&areas, FRAME);
    }

    #[test]
    fn names_bring_no_element_and_no_attribute(leaves in leaves(), title in any::<String>()) {
        let map = Treemap { title, leaves };
        let svg = map.svg();
        prop_assert_eq!(&svg, &map.svg(), "the same twice");
        for (element, attributes) in elements(&svg) {
            let allowed: &[&str] = match element.as_str() {
                "svg" => &["xmlns", "width", "height", "viewBox", "role", "aria-label", "font-family", "font-size"],
                "title" | "desc" => &[],
                "rect" => &["class", "x", "y", "width", "height", "fill"],
                "text" => &["class", "x", "y", "font-size", "fill", "text-anchor", "font-weight"],
                "g" => &["class", "role", "data-groups", "aria-hidden", "pointer-events"],
                "a" => &["class", "href", "aria-label", "data-groups"],
                other => return Err(TestCaseError::fail(format!("<{other}>"))),
            };
            for attribute in attributes {
                prop_assert!(allowed.contains(&&*attribute), "{attribute} of <{element}>");
            }
        }
    }
}

#[test]
fn methods_of_a_class_have_areas_in_proportion_to_their_lines() {
    let leaves = [5, 40, 15, 20].map(|lines| leaf("a.py", &format!("f{lines}"), 1.0, lines));
    let drawn = tree::layout(&leaves, FRAME);
    let whole = |area: Area| (area.width + 2.0) * (area.height + 2.0);
    let areas: Vec<(usize, f64)> = drawn
        .iter()
        .filter_map(|one| match one.held {
            Held::Leaf(index) => Some((leaves[index].lines, whole(one.area))),
            _ => None,
        })
        .collect();
    assert_eq!(areas.len(), 4);
    let unit = areas[0].1 / areas[0].0 as f64;
    for (lines, area) in areas {
        assert!((area / unit - lines as f64).abs() < 1e-6, "{lines} {area}");
    }
}

#[test]
fn the_most_suspicious_stands_at_the_top_left_however_small() {
    let mut leaves = vec![leaf("src/a.py", "src/a.py::tiny", 1.0, 1)];
    leaves.extend((2..400).map(|i| {
        leaf(
            &format!("src/{}.py", i % 40),
            &format!("f{i}"),
            f64::from(i),
            30,
        )
    }));
    let drawn = tree::layout(&leaves, FRAME);
    let first = drawn.iter().find(|one| matches!(one.held, Held::Leaf(0)));
    let first = first.expect("it is drawn").area;
    for one in &drawn {
        if !matches!(one.held, Held::Heading(_)) {
            assert!(first.x <= one.area.x + 1e-6 || first.y <= one.area.y + 1e-6);
        }
    }
}

#[test]
fn nothing_and_one_method_are_pictures_too() {
    let empty = Treemap::default().svg();
    assert!(empty.element().contains("No line is under suspicion."));
    let one = Treemap {
        title: "one".into(),
        leaves: vec![leaf("a/b.py", "a/b.py::f", 1.0, 0)],
    };
    let text = one.svg().element();
    assert!(text.contains("role=\"img\""), "nothing to follow");
    assert!(text.contains("a/b.py::f, place 1, score 1.000: 0 lines under suspicion"));
}

#[test]
fn thousands_of_long_names_stay_a_small_picture() {
    let long = "Long".repeat(500);
    let leaves: Vec<Leaf> = (0..5_000)
        .map(|i| {
            let class = format!("p{}.{long}{}", i % 50, i % 700);
            let mut one = leaf(
                &class,
                &format!("{class}#m{i}()"),
                f64::from(i + 1),
                1 + i as usize % 30,
            );
            one.groups = (0..40).map(|g| g + i / 100).collect();
            one.link = (i < 20).then(|| format!("file-{i}"));
            one
        })
        .collect();
    let map = Treemap {
        title: long,
        leaves,
    };
    let text = map.svg().element();
    assert!(text.len() < 400_000, "{}", text.len());
    assert!(text.contains("and "), "some are gathered");
    assert!(text.contains("p0.Long"), "the first is drawn");
}

#[test]
fn methods_that_share_a_group_say_so() {
    let mut leaves = vec![
        leaf("a.C", "a.C#f()", 2.0, 4),
        leaf("a.C", "a.C#g(int)", 2.0, 4),
        leaf("a.D", "a.D#h()", 3.0, 4),
    ];
    for (leaf, groups) in leaves.iter_mut().zip([&[1, 2][..], &[1], &[3]]) {
        leaf.groups = groups.to_vec();
    }
    leaves[0].link = Some("file-1-7".into());
    let map = Treemap {
        title: "t".into(),
        leaves,
    };
    let text = map.svg().element();
    assert!(text.contains("role=\"group\""), "there is a link to follow");
    assert!(text.contains("href=\"#file-1-7\""));
    assert!(text.contains("a.C#f(), place 2, score 0.500: 4 lines under suspicion; cannot be told apart: group 1 with 1 other method"));
    assert!(text.contains("a.D#h(), place 3, score 0.333: 4 lines under suspicion; no other method is in a group with it"));
    assert!(
        text.contains(">g(int)<") || text.contains(" g(int)<"),
        "{text}"
    );
    assert!(
        text.contains(">C<") && text.contains(">D<") && text.contains(">a<"),
        "{text}"
    );
}
