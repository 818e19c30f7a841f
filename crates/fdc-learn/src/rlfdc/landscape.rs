//! What a network learned, as numbers to look at: its value over a grid of (split, cover).

use super::network::{Action, Network, State};
use crate::learner::Passage;

/// The rows: from nothing to what real bugs' better candidates reach.
const SPLITS: [f32; 5] = [0.0, 0.5, 1.0, 2.0, 5.0];
/// The columns: the whole range.
const COVERS: [f32; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// The failing test alone.
const EARLY: State = State {
    added: 0.0,
    groups: 1.0,
};
/// Eight tests later.
const LATE: State = State {
    added: 8.0,
    groups: 40.0,
};

/// A network's values in one state, by split, then by cover.
type Landscape = [[f32; COVERS.len()]; SPLITS.len()];

fn landscape(network: &Network, state: State) -> Landscape {
    let scorer = network.at(state);
    SPLITS.map(|split| COVERS.map(|cover| scorer.value(Action { split, cover })))
}

/// How much the value rises from the smallest to the largest cover, the mean over the rows.
fn rise_with_cover(values: &Landscape) -> f32 {
    mean(values.map(|row| row[row.len() - 1] - row[0]))
}

/// How much the value rises from the smallest to the largest split, the mean over the columns.
fn rise_with_split([first, .., last]: &Landscape) -> f32 {
    mean(std::array::from_fn::<_, { COVERS.len() }, _>(|cover| {
        last[cover] - first[cover]
    }))
}

/// The network's values early and late in a selection, and how to read them.
pub(super) fn explain(network: &Network) -> Vec<Passage> {
    let mut heading = "\nWhat the built-in network learned: its value of a candidate\n".to_owned();
    let mut passages = Vec::new();
    let [early, late] = [EARLY, LATE].map(|state| landscape(network, state));
    for (when, state, landscape) in [("early", EARLY, &early), ("late", LATE, &late)] {
        let (tests, groups) = (counted(state.added, "test"), counted(state.groups, "group"));
        heading += &format!("\n{when} ({tests} added, {groups} of suspects):\n");
        passages.push(Passage::Text(std::mem::take(&mut heading)));
        let covers = COVERS.map(|cover| format!(">cover {cover}"));
        let row = |(split, values): (f32, &[f32; _])| {
            let values = values.iter().map(|value| format!("{value:.3}"));
            std::iter::once(split.to_string()).chain(values).collect()
        };
        passages.push(Passage::Columns {
            headings: std::iter::once(">split".to_owned()).chain(covers).collect(),
            rows: SPLITS.into_iter().zip(landscape).map(row).collect(),
        });
    }
    let [from, .., to] = SPLITS;
    let covers = [&early, &late].map(rise_with_cover);
    let splits = [&early, &late].map(rise_with_split);
    let more = covers[1].abs() > covers[0].abs();
    let more_or_less = if more { "more" } else { "less" };
    passages.push(Passage::Text(format!(
        "\nReading it: from no to full cover the value {} early and {} late, so that\n\
         cover counts for {more_or_less} as tests are added; from split {from} to {to} it {} early and {} late.\n",
        change(covers[0]),
        change(covers[1]),
        change(splits[0]),
        change(splits[1]),
    )));
    passages
}

fn counted(number: f32, what: &str) -> String {
    let plural = if number == 1.0 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

fn change(by: f32) -> String {
    let verb = if by < 0.0 { "falls" } else { "rises" };
    format!("{verb} by {:.3}", by.abs())
}

fn mean<const COUNT: usize>(numbers: [f32; COUNT]) -> f32 {
    numbers.iter().sum::<f32>() / COUNT as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model_file::Tensor;
    use crate::rlfdc::network::Shape;

    /// A network whose value is twice the split minus half the cover.
    fn plane() -> Network {
        let mut tensors =
            Network::random(Shape::Full, &mut crate::rlfdc::random::generator(0, 0)).tensors();
        let mut set = |name: &str, values: &[(usize, f32)]| {
            let tensor: &mut Tensor = tensors.iter_mut().find(|t| t.name == name).unwrap();
            tensor.data.fill(0.0);
            for &(place, value) in values {
                tensor.data[place] = value;
            }
        };
        // Units 0 and 1 of both hidden layers carry split and cover to the end.
        set("head.0.weight", &[(0, 1.0), (18 + 1, 1.0)]);
        set("head.0.bias", &[]);
        set("head.2.weight", &[(0, 1.0), (16 + 1, 1.0)]);
        set("head.2.bias", &[]);
        set("head.4.weight", &[(0, 2.0), (1, -0.5)]);
        set("head.4.bias", &[]);
        Network::from_tensors(Shape::Full, &tensors).unwrap()
    }

    #[test]
    fn rises_are_those_of_a_known_plane() {
        let landscape = landscape(&plane(), EARLY);
        assert_eq!(rise_with_split(&landscape), 10.0);
        assert_eq!(rise_with_cover(&landscape), -0.5);
        assert_eq!(SPLITS[2], 1.0);
        assert_eq!(landscape[2], [2.0, 1.875, 1.75, 1.625, 1.5]);
    }
}
