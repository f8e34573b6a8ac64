//! Feed-forward networks of plain weights. The same weights and inputs give the same outputs on
//! every machine: sums run in one order, in double precision.

use std::fmt;
use thiserror::Error;

/// The most layers of a network; ours. Published agents have up to four.
pub const MOST_LAYERS: usize = 16;
/// The most weights and biases of a network; ours. Aurora's has 1,570.
pub const MOST_WEIGHTS: usize = 1_000_000;

/// A layer: outputs = activation(weights · inputs + biases).
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// A row for each output, with a weight for each input.
    pub weights: Vec<Vec<f64>>,
    /// One for each output.
    pub biases: Vec<f64>,
    /// The function that each sum goes through.
    pub activation: Activation,
}

/// A function of each output of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// The sum itself.
    None,
    /// The hyperbolic tangent.
    Tanh,
    /// The sum, or 0 if it is negative.
    Relu,
}

impl Activation {
    /// All of them.
    pub const ALL: [Activation; 3] = [Activation::None, Activation::Tanh, Activation::Relu];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Activation::None => "none",
            Activation::Tanh => "tanh",
            Activation::Relu => "relu",
        }
    }

    fn of(self, sum: f64) -> f64 {
        match self {
            Activation::None => sum,
            Activation::Tanh => libm::tanh(sum),
            Activation::Relu => sum.max(0.0),
        }
    }
}

impl fmt::Display for Activation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why layers are no network: where, what is there, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NeuralNetworkError {
    /// None, or too many.
    #[error("layers: there are {count}; give 1 to {MOST_LAYERS}")]
    Layers {
        /// How many there are.
        count: usize,
    },
    /// More weights than are taken.
    #[error("layers: they have {count} weights and biases; give at most {MOST_WEIGHTS}")]
    Weights {
        /// How many there are, of weights and biases.
        count: usize,
    },
    /// A layer without outputs.
    #[error("layers[{layer}].weights: it has no rows; give one for each output")]
    Empty {
        /// The layer, from 0.
        layer: usize,
    },
    /// A row that does not fit its inputs.
    #[error(
        "layers[{layer}].weights[{row}]: it has {count} numbers; give {inputs}, one for each {of}"
    )]
    Row {
        /// The layer, from 0.
        layer: usize,
        /// The row, from 0.
        row: usize,
        /// How many numbers it has.
        count: usize,
        /// How many inputs the layer has.
        inputs: usize,
        /// Where these come from.
        of: &'static str,
    },
    /// Biases that do not fit the rows.
    #[error(
        "layers[{layer}].biases: there are {count}; give {outputs}, one for each row of its weights"
    )]
    Biases {
        /// The layer, from 0.
        layer: usize,
        /// How many biases it has.
        count: usize,
        /// How many rows it has.
        outputs: usize,
    },
    /// A last layer that does not fit what the preset takes.
    #[error(
        "layers[{layer}].weights: the last layer has {count} rows; give {outputs}, one for each number that the preset takes"
    )]
    Outputs {
        /// The layer, from 0.
        layer: usize,
        /// How many rows it has.
        count: usize,
        /// How many the preset takes.
        outputs: usize,
    },
    /// A weight or bias that is not finite.
    #[error("{place}: it is {value}; give a finite number")]
    Number {
        /// Where it is: `layers[0].weights[2][7]`.
        place: String,
        /// The value: `NaN`, `inf` or `-inf`.
        value: String,
    },
}

/// Layers that fit each other.
#[derive(Clone, Debug, PartialEq)]
pub struct NeuralNetwork {
    layers: Vec<Layer>,
}

impl NeuralNetwork {
    /// A network of these layers, the first of which takes so many inputs and the last of which
    /// gives so many outputs.
    ///
    /// # Errors
    ///
    /// Sizes that do not fit, too many weights, or one that is not finite: the place, the value and
    /// the remedy.
    pub fn new(
        layers: Vec<Layer>,
        inputs: usize,
        outputs: usize,
    ) -> Result<NeuralNetwork, NeuralNetworkError> {
        if layers.is_empty() || layers.len() > MOST_LAYERS {
            return Err(NeuralNetworkError::Layers { count: layers.len() });
        }
        let count = layers
            .iter()
            .map(|layer| layer.biases.len() + layer.weights.iter().map(Vec::len).sum::<usize>())
            .sum();
        if count > MOST_WEIGHTS {
            return Err(NeuralNetworkError::Weights { count });
        }
        let mut fed = (inputs, "number of an observation");
        for (index, layer) in layers.iter().enumerate() {
            layer.check(index, fed)?;
            fed = (layer.weights.len(), "output of the layer before");
        }
        match layers.last().map_or(0, |last| last.weights.len()) {
            fitting if fitting == outputs => Ok(NeuralNetwork { layers }),
            count => Err(NeuralNetworkError::Outputs { layer: layers.len() - 1, count, outputs }),
        }
    }

    /// Its layers, the first one first.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// How many weights and biases it has.
    pub fn weights(&self) -> usize {
        self.layers.iter().map(|layer| layer.weights.len() * (layer.weights[0].len() + 1)).sum()
    }

    /// The outputs for these inputs. `room` is memory that calls can share, so that they allocate
    /// none.
    pub fn outputs<'r>(&self, inputs: &[f32], room: &'r mut [Vec<f64>; 2]) -> &'r [f64] {
        let [values, next] = room;
        values.clear();
        values.extend(inputs.iter().map(|input| f64::from(*input)));
        for layer in &self.layers {
            next.clear();
            next.extend(layer.weights.iter().zip(&layer.biases).map(|(row, bias)| {
                let sum = row
                    .iter()
                    .zip(&*values)
                    .fold(*bias, |sum, (weight, value)| sum + weight * value);
                layer.activation.of(sum)
            }));
            std::mem::swap(values, next);
        }
        values
    }
}

impl Layer {
    fn check(
        &self,
        layer: usize,
        (inputs, of): (usize, &'static str),
    ) -> Result<(), NeuralNetworkError> {
        let outputs = self.weights.len();
        if outputs == 0 {
            return Err(NeuralNetworkError::Empty { layer });
        }
        if let Some((row, numbers)) =
            self.weights.iter().enumerate().find(|(_, numbers)| numbers.len() != inputs)
        {
            return Err(NeuralNetworkError::Row { layer, row, count: numbers.len(), inputs, of });
        }
        if self.biases.len() != outputs {
            return Err(NeuralNetworkError::Biases { layer, count: self.biases.len(), outputs });
        }
        let weights = self.weights.iter().enumerate().flat_map(|(row, numbers)| {
            numbers.iter().enumerate().map(move |(column, value)| {
                (value, format!("layers[{layer}].weights[{row}][{column}]"))
            })
        });
        let biases = self
            .biases
            .iter()
            .enumerate()
            .map(|(row, value)| (value, format!("layers[{layer}].biases[{row}]")));
        match weights.chain(biases).find(|(value, _)| !value.is_finite()) {
            None => Ok(()),
            Some((value, place)) => {
                Err(NeuralNetworkError::Number { place, value: value.to_string() })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(weights: &[&[f64]], biases: &[f64], activation: Activation) -> Layer {
        Layer {
            weights: weights.iter().map(|row| row.to_vec()).collect(),
            biases: biases.to_vec(),
            activation,
        }
    }

    #[test]
    fn layers_feed_each_other() {
        let layers = vec![
            layer(&[&[1.0, 2.0], &[-1.0, 0.5]], &[0.5, 0.0], Activation::Relu),
            layer(&[&[0.25, 8.0]], &[-1.0], Activation::Tanh),
        ];
        let network = NeuralNetwork::new(layers, 2, 1).expect("they fit");
        assert_eq!(network.weights(), 9);
        let mut room = Default::default();
        // 1 + 4 + 0.5 = 5.5 and -1 + 1 = 0; tanh(5.5/4 - 1).
        assert_eq!(network.outputs(&[1.0, 2.0], &mut room), [libm::tanh(0.375)]);
        // -3 + 0 + 0.5 < 0 and 3 + 0 = 3; tanh(24 - 1).
        assert_eq!(network.outputs(&[-3.0, 0.0], &mut room), [libm::tanh(23.0)]);
        let linear =
            NeuralNetwork::new(vec![layer(&[&[2.0, -1.0]], &[3.0], Activation::None)], 2, 1)
                .expect("it fits");
        assert_eq!(linear.outputs(&[0.5, 10.0], &mut room), [-6.0]);
    }

    #[test]
    fn errors_name_place_value_and_remedy() {
        let good = || layer(&[&[1.0, 2.0]], &[0.0], Activation::None);
        let refused = |layers: Vec<Layer>| {
            NeuralNetwork::new(layers, 2, 1).expect_err("no network").to_string()
        };
        assert_eq!(refused(Vec::new()), "layers: there are 0; give 1 to 16");
        assert_eq!(refused(vec![good(); 17]), "layers: there are 17; give 1 to 16");
        assert_eq!(
            refused(vec![layer(&[&[1.0]], &[0.0], Activation::None)]),
            "layers[0].weights[0]: it has 1 numbers; give 2, one for each number of an observation"
        );
        assert_eq!(
            refused(vec![good(), good()]),
            "layers[1].weights[0]: it has 2 numbers; give 1, one for each output of the layer before"
        );
        assert_eq!(
            refused(vec![layer(&[&[1.0, 2.0]], &[], Activation::None)]),
            "layers[0].biases: there are 0; give 1, one for each row of its weights"
        );
        assert_eq!(
            refused(vec![layer(&[&[1.0, 2.0], &[1.0, 2.0]], &[0.0, 0.0], Activation::None)]),
            "layers[0].weights: the last layer has 2 rows; give 1, one for each number that the preset takes"
        );
        assert_eq!(
            refused(vec![layer(&[], &[], Activation::None)]),
            "layers[0].weights: it has no rows; give one for each output"
        );
        assert_eq!(
            refused(vec![layer(&[&[1.0, f64::NAN]], &[0.0], Activation::None)]),
            "layers[0].weights[0][1]: it is NaN; give a finite number"
        );
        assert_eq!(
            refused(vec![layer(&[&[1.0, 2.0]], &[f64::NEG_INFINITY], Activation::None)]),
            "layers[0].biases[0]: it is -inf; give a finite number"
        );
        let wide = Layer {
            weights: vec![vec![0.0; 2]; 400_000],
            biases: vec![0.0; 400_000],
            activation: Activation::None,
        };
        assert_eq!(
            refused(vec![wide]),
            "layers: they have 1200000 weights and biases; give at most 1000000"
        );
    }
}
