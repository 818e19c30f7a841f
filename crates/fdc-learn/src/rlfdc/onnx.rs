//! Export to [ONNX](https://onnx.ai), for whoever wants to run a model elsewhere.
//!
//! Operator set 17. Inputs `state` `[2]` (tests added, groups) and `actions` `[N, 2]` (split,
//! cover; one column for a network that reads only one of them), output `value` `[N]`, all `f32`.
//! The state is embedded once, as in [`Network::at`]. A network always gives the same bytes.

mod protobuf;

use super::network::{Network, Shape};
use crate::model_file::Tensor;
use protobuf::Message;

const IR_VERSION: u64 = 8;
const OPERATOR_SET: u64 = 17;
/// `TensorProto.DataType`
const FLOAT: u64 = 1;
const INT64: u64 = 7;

/// The bytes of a `ModelProto`. Field numbers are those of onnx.proto; comments name them in order.
pub fn export(network: &Network, fdc_version: &str) -> Vec<u8> {
    // OperatorSetIdProto: domain, version.
    let opset = Message::default().text(1, "").number(2, OPERATOR_SET);
    // StringStringEntryProto: key, value.
    let shape = Message::default().text(1, "network");
    let shape = shape.text(2, network.shape().id());
    let graph = graph_of(network).finish(network.shape());
    // ModelProto: IR version, producer's name and version, graph, operator set, metadata.
    let model = Message::default().number(1, IR_VERSION).text(2, "fdc");
    let model = model.text(3, fdc_version).message(7, &graph);
    model.message(8, &opset).message(14, &shape).into_bytes()
}

/// Nodes and constants in the order in which they are needed.
#[derive(Default)]
struct Graph {
    nodes: Vec<Message>,
    constants: Vec<Message>,
}

fn graph_of(network: &Network) -> Graph {
    let (shape, tensors) = (network.shape(), network.tensors());
    let tensor = |name: &str| {
        let found = tensors.iter().find(|tensor| tensor.name == name);
        found.expect("a tensor of the shape")
    };
    let mut graph = Graph::default();
    let mut context = "state".to_owned();
    if shape.embeds() {
        for layer in ["embed.0", "embed.2"] {
            context = graph.dense(&context, layer, &tensor);
            context = graph.rectified(&context, layer);
        }
    }
    let (action, from_state) = divided(&turned(tensor("head.0.weight")), shape.actions());
    graph.constant(&from_state);
    graph.constant(&action);
    let shared = graph.node("MatMul", [&context, &from_state.name], "head.0.context");
    let shared = graph.biased(&shared, "head.0", tensor("head.0.bias"));
    let own = graph.node("MatMul", ["actions", &action.name], "head.0.action");
    let hidden = graph.node("Add", [&own, &shared], "head.0.sum");
    let hidden = graph.rectified(&hidden, "head.0");

    let wide = graph.dense(&hidden, "head.2", &tensor);
    let wide = graph.rectified(&wide, "head.2");
    let column = graph.dense(&wide, "head.4", &tensor);
    // Not a weight vector to begin with: onnxruntime refuses its product with no candidates.
    graph.array("value.axes", &[1], INT64, 1i64.to_le_bytes().to_vec());
    graph.node("Squeeze", [&column, "value.axes"], "value");
    graph
}

impl Graph {
    fn constant(&mut self, tensor: &Tensor) {
        let bytes = tensor.data.iter().flat_map(|number| number.to_le_bytes());
        self.array(&tensor.name, &tensor.shape, FLOAT, bytes.collect());
    }

    fn array(&mut self, name: &str, sizes: &[usize], kind: u64, bytes: Vec<u8>) {
        // TensorProto: dimensions, kind of data, name, data.
        let sizes = sizes.iter().map(|&size| size as u64);
        let array = sizes.fold(Message::default(), |array, size| array.number(1, size));
        let array = array.number(2, kind).text(8, name).bytes(9, &bytes);
        self.constants.push(array);
    }

    /// Adds a node and returns the name of its output, which is its own name as well.
    fn node<const N: usize>(&mut self, operator: &str, inputs: [&str; N], output: &str) -> String {
        // NodeProto: inputs, output, name, operator.
        let inputs = inputs.into_iter();
        let node = inputs.fold(Message::default(), |node, input| node.text(1, input));
        self.nodes
            .push(node.text(2, output).text(3, output).text(4, operator));
        output.to_owned()
    }

    /// A layer without its ReLU.
    fn dense<'a>(&mut self, input: &str, layer: &str, get: &impl Fn(&str) -> &'a Tensor) -> String {
        let weight = turned(get(&format!("{layer}.weight")));
        self.constant(&weight);
        let product = self.node("MatMul", [input, &weight.name], &format!("{layer}.product"));
        self.biased(&product, layer, get(&format!("{layer}.bias")))
    }

    fn biased(&mut self, product: &str, layer: &str, bias: &Tensor) -> String {
        self.constant(bias);
        self.node("Add", [product, &bias.name], &format!("{layer}.biased"))
    }

    fn rectified(&mut self, sum: &str, layer: &str) -> String {
        self.node("Relu", [sum], &format!("{layer}.output"))
    }

    fn finish(self, shape: Shape) -> Message {
        // GraphProto: nodes, name, constants, inputs, output.
        let nodes = self.nodes.iter();
        let graph = nodes.fold(Message::default(), |graph, node| graph.message(1, node));
        let constants = self.constants.iter();
        let graph = constants.fold(graph.text(2, "rlfdc"), |graph, own| graph.message(5, own));
        let [candidates, actions] = [None, Some(shape.actions())];
        graph
            .message(11, &array_of("state", &[Some(2)]))
            .message(11, &array_of("actions", &[candidates, actions]))
            .message(12, &array_of("value", &[candidates]))
    }
}

/// A `ValueInfoProto` of `f32`s; a dimension without a size has one number per candidate, `N`.
fn array_of(name: &str, sizes: &[Option<usize>]) -> Message {
    // TensorShapeProto: dimensions, each a value or a parameter.
    let shape = sizes.iter().fold(Message::default(), |shape, size| {
        let dimension = match size {
            Some(size) => Message::default().number(1, *size as u64),
            None => Message::default().text(2, "N"),
        };
        shape.message(1, &dimension)
    });
    // TypeProto.Tensor: type of the elements, shape; in a TypeProto; beside the name.
    let tensor = Message::default().number(1, FLOAT).message(2, &shape);
    let kind = Message::default().message(1, &tensor);
    Message::default().text(1, name).message(2, &kind)
}

/// A weight with a row per input, as `MatMul` wants it on the right.
fn turned(weight: &Tensor) -> Tensor {
    let (outputs, inputs) = (weight.shape[0], weight.shape[1]);
    let columns = (0..inputs).flat_map(|from| (0..outputs).map(move |to| to * inputs + from));
    let data = columns.map(|place| weight.data[place]).collect();
    Tensor {
        name: weight.name.clone(),
        shape: vec![inputs, outputs],
        data,
    }
}

/// The first `rows` rows, which belong to the action, and the rest, which belong to the state.
fn divided(weight: &Tensor, rows: usize) -> (Tensor, Tensor) {
    let (inputs, outputs) = (weight.shape[0], weight.shape[1]);
    let (upper, lower) = weight.data.split_at(rows * outputs);
    let part = |name: &str, rows: usize, data: &[f32]| Tensor {
        name: format!("{}.{name}", weight.name),
        shape: vec![rows, outputs],
        data: data.to_vec(),
    };
    (
        part("action", rows, upper),
        part("context", inputs - rows, lower),
    )
}
