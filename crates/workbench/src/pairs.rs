//! The pairs of a matrix: the cells that they need, and the matrix of their runs.

use narrows_measure::harm::YARDSTICK;
use narrows_report::{Grid, Matrix, Pairing, Runs};

/// Name of the axis of pairings.
pub const FLOW: &str = "flow";
/// Name of the axis of buffers.
pub const BUFFER: &str = "link.bottleneck.buffer";

/// Returns the pairings to run: each controller alone, each pair, and the pairings of the
/// yardstick.
pub fn pairings(names: &[String]) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = Vec::new();
    let yardstick: Vec<Vec<String>> =
        vec![vec![YARDSTICK[0].to_owned()], YARDSTICK.map(str::to_owned).to_vec()];
    let solo = names.iter().map(|name| vec![name.clone()]);
    let pairs = names
        .iter()
        .enumerate()
        .flat_map(|(i, one)| names[i..].iter().map(move |two| vec![one.clone(), two.clone()]));
    for pairing in solo.chain(pairs).chain(yardstick) {
        let turned: Vec<String> = pairing.iter().rev().cloned().collect();
        if !all.contains(&pairing) && !all.contains(&turned) {
            all.push(pairing);
        }
    }
    all
}

/// Builds the matrix of a complete grid. One axis of the grid is the pairing, the others are the
/// network. Returns `None` without controllers, or if the grid does not match their pairings.
pub fn of(names: &[String], grid: &Grid, runs: &[Pairing]) -> Option<Matrix> {
    let seeds = grid.seeds.len();
    let lengths: Vec<usize> = grid.axes.iter().map(|axis| axis.labels.len()).collect();
    let flows = grid.axes.iter().position(|axis| axis.name == FLOW)?;
    // Each controller has a pairing alone.
    if names.is_empty()
        || names.len() > lengths[flows]
        || runs.len() != lengths.iter().product::<usize>() * seeds
    {
        return None;
    }
    let pairings = pairings(names);
    if lengths[flows] != pairings.len() {
        return None;
    }
    // Runs are in order, with the last axis fastest.
    let after: usize = lengths[flows + 1..].iter().product();
    let cell = |network: usize, pairing: usize| {
        (network / after * pairings.len() + pairing) * after + network % after
    };
    let find = |network: usize, wanted: &[&str]| -> Vec<Pairing> {
        let place = pairings
            .iter()
            .position(|pairing| pairing.iter().map(String::as_str).eq(wanted.iter().copied()));
        place.map_or(Vec::new(), |place| runs[cell(network, place) * seeds..][..seeds].to_vec())
    };
    let named = |network: usize| {
        let (mut left, mut words) = (network, Vec::new());
        for (axis, length) in
            grid.axes.iter().zip(&lengths).filter(|(axis, _)| axis.name != FLOW).rev()
        {
            let label = &axis.labels[left % length];
            words.push(if axis.name == BUFFER { format!("buffer {label}") } else { label.clone() });
            left /= length;
        }
        words.reverse();
        words.join(", ")
    };
    let networks: usize = lengths.iter().product::<usize>() / pairings.len();
    Some(Matrix::of(&Runs {
        controllers: names.to_vec(),
        conditions: (0..networks).map(named).collect(),
        solo: &|network, own| find(network, &[own]),
        pair: &|network, own, other| find(network, &[own, other]),
    }))
}
