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

fn leaf(path: &[&str], label: &str, place: f64, size: usize) -> Leaf {
    Leaf {
        path: path.iter().map(|&name| name.to_owned()).collect(),
        label: label.into(),
        place,
        heat: 1.0 / place,
        size,
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
        prop::collection::vec(name.clone(), 0..3),
        [name.clone(), name.clone(), name],
        0.0..1.0f64,
        0usize..2000,
        prop::collection::vec(0u32..9, 0..4),
    );
    prop::collection::vec(leaf, 0..60).prop_map(|leaves| {
        let numbered = leaves.into_iter().enumerate();
        numbered
            .map(
                |(index, (path, [label, tip, note], heat, size, numbers))| Leaf {
                    path,
                    label,
                    place: index as f64 + 1.0,
                    size,
                    heat,
                    notes: vec![vec![note]],
                    numbers,
                    tip,
                    link: index.is_multiple_of(3).then(|| format!("file-{index}")),
                },
            )
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
    fn every_leaf_is_drawn_or_gathered_once(leaves in leaves()) {
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
        let map = Treemap { title, leaves, ..Treemap::default() };
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
fn leaves_of_a_group_have_areas_in_proportion_to_their_sizes() {
    let leaves = [5, 40, 15, 20].map(|lines| leaf(&["a"], &format!("f{lines}"), 1.0, lines));
    let drawn = tree::layout(&leaves, FRAME);
    let whole = |area: Area| (area.width + 2.0) * (area.height + 2.0);
    let areas: Vec<(usize, f64)> = drawn
        .iter()
        .filter_map(|one| match one.held {
            Held::Leaf(index) => Some((leaves[index].size, whole(one.area))),
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
fn the_first_stands_at_the_top_left_however_small() {
    let mut leaves = vec![leaf(&["src", "a"], "tiny", 1.0, 1)];
    leaves.extend((2..400).map(|i| {
        leaf(
            &["src", &(i % 40).to_string()],
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
