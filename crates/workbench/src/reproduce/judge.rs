//! Judgement of claims by the values of runs.

use narrows_report::JudgedClaim;
use narrows_scenario::paper::{Asked, By, Claim, Over, Seeds, Than};

/// Judges a claim. `values` returns a value per seed for a cell. `label` names a cell. `simulated`
/// maps a cell on the kernel to its counterpart in the simulator.
pub fn judge(
    claim: &Claim,
    values: &dyn Fn(usize, &Asked) -> Vec<Option<f64>>,
    label: &dyn Fn(usize) -> String,
    simulated: &dyn Fn(usize) -> Option<usize>,
) -> JudgedClaim {
    let of_seeds = |cell: usize, asked: &Asked| match claim.seeds {
        Seeds::Mean => mean(&values(cell, asked)),
        Seeds::Median => quantile(&values(cell, asked), 0.5),
        Seeds::LowerQuartile => quantile(&values(cell, asked), 0.25),
        Seeds::UpperQuartile => quantile(&values(cell, asked), 0.75),
    };
    let sides = |place: usize, than: &Than| {
        Some([
            of_seeds(claim.cells[place], &claim.asked)?,
            of_seeds(than.cells[place], &than.asked)?,
        ])
    };
    let compared = |[own, other]: [f64; 2], by: By| match by {
        By::Ratio => Some(own / other).filter(|ratio| ratio.is_finite()),
        By::Difference => Some(own - other),
    };
    let value_at = |cell: usize, other: Option<usize>| match (&claim.than, other) {
        (Some(than), Some(other)) => {
            compared([of_seeds(cell, &claim.asked)?, of_seeds(other, &than.asked)?], than.by)
        }
        _ => of_seeds(cell, &claim.asked),
    };
    let other = |place: usize| claim.than.as_ref().map(|than| than.cells[place]);
    let places = 0..claim.cells.len();
    let measured: Vec<Option<f64>> =
        places.clone().map(|place| value_at(claim.cells[place], other(place))).collect();
    let together = |values: &[Option<f64>]| match claim.over {
        Over::Worst => worst(claim, values),
        Over::Mean => (mean(values), None),
        Over::Median => (quantile(values, 0.5), None),
    };
    let (value, place) = together(&measured);
    // Compute the value of the simulator too, if the kernel ran all cells of the claim.
    let beside = |place: usize| match other(place) {
        Some(other) => value_at(simulated(claim.cells[place])?, Some(simulated(other)?)),
        None => value_at(simulated(claim.cells[place])?, None),
    };
    let simulated: Vec<Option<f64>> = places.map(beside).collect();
    let simulated = if place.is_some() {
        place.and_then(|place| simulated[place])
    } else {
        together(&simulated).0
    };
    let cell = place.filter(|_| measured.len() > 1).map(|place| label(claim.cells[place]));
    let sides = place.zip(claim.than.as_ref()).and_then(|(place, than)| sides(place, than));
    JudgedClaim { claim: claim.clone(), measured: value, simulated, cell, sides }
}

/// Returns the mean, or `None` if one of the values is undefined.
fn mean(values: &[Option<f64>]) -> Option<f64> {
    let sum = values.iter().try_fold(0.0, |sum, value| Some(sum + (*value)?))?;
    (!values.is_empty()).then(|| sum / values.len() as f64)
}

/// Returns the quantile `share` with linear interpolation, or `None` if one of the values is
/// undefined.
fn quantile(values: &[Option<f64>], share: f64) -> Option<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().collect::<Option<_>>()?;
    sorted.sort_by(f64::total_cmp);
    let place = share * (sorted.len().checked_sub(1)?) as f64;
    let [below, above] = [sorted[place.floor() as usize], sorted[place.ceil() as usize]];
    Some(below + (above - below) * place.fract())
}

/// Returns the value that is farthest outside of the bounds, or else closest to a bound, with its
/// index. An undefined value is worse than all others.
fn worst(claim: &Claim, values: &[Option<f64>]) -> (Option<f64>, Option<usize>) {
    let room = |value: &Option<f64>| match value {
        None => f64::NEG_INFINITY,
        Some(value) => {
            let above = claim.min.map_or(f64::INFINITY, |min| value - min);
            above.min(claim.max.map_or(f64::INFINITY, |max| max - value))
        }
    };
    let place = (0..values.len()).min_by(|a, b| room(&values[*a]).total_cmp(&room(&values[*b])));
    (place.and_then(|place| values[place]), place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_report::Verdict;
    use narrows_scenario::paper::{Figure, Mode};

    /// A claim about three buffers with two seeds each.
    fn claim(keys: &str) -> Claim {
        let text = format!(
            "duration = \"1 s\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"1 Mbit/s\"\n[[flow]]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"cubic\"\n\
             [sweep]\nlink.l.buffer = [\"1 bdp\", \"2 bdp\", \"3 bdp\"]\nseeds = 2\n[figure]\ntitle = \"t\"\nsource = \"s\"\nabout = \"a\"\n\
             [[claim]]\nsays = \"c\"\npublished = \"p\"\nsource = \"s\"\nmetric = \"goodput\"\ntolerance = \"t\"\n{keys}\n"
        );
        Figure::parse(&text, "t.toml")
            .unwrap_or_else(|error| panic!("{}", error.short()))
            .plan(Mode::default())
            .expect("it is simulated")
            .claims[0]
            .clone()
    }

    const VALUES: [[Option<f64>; 2]; 3] =
        [[Some(1.0), Some(3.0)], [Some(10.0), Some(10.0)], [Some(5.0), Some(7.0)]];

    fn judged(keys: &str, values: [[Option<f64>; 2]; 3]) -> JudgedClaim {
        judge(
            &claim(keys),
            &|cell, _| values[cell].to_vec(),
            &|cell| format!("cell {cell}"),
            &|_| None,
        )
    }

    fn found(keys: &str) -> (Option<f64>, Option<String>, Verdict) {
        let judged = judged(keys, VALUES);
        (judged.measured, judged.cell.clone(), judged.verdict())
    }

    #[test]
    fn the_worst_cell_is_the_one_farthest_out() {
        // The means over seeds are 2, 10 and 6.
        assert_eq!(found("min = 2"), (Some(2.0), Some("cell 0".to_owned()), Verdict::Holds));
        assert_eq!(found("max = 9"), (Some(10.0), Some("cell 1".to_owned()), Verdict::Fails));
        assert_eq!(
            found("min = 1\nmax = 12"),
            (Some(2.0), Some("cell 0".to_owned()), Verdict::Holds)
        );
        assert_eq!(
            found("at.\"link.l.buffer\" = \"3 bdp\"\nmin = 7"),
            (Some(6.0), None, Verdict::Fails)
        );
    }

    #[test]
    fn cells_can_be_taken_together() {
        assert_eq!(found("over = \"mean\"\nmin = 6\nmax = 6").2, Verdict::Holds);
        assert_eq!(found("over = \"median\"\nmin = 6\nmax = 6").0, Some(6.0));
    }

    #[test]
    fn seeds_can_be_taken_by_their_quantiles() {
        let seeds = [1.0, 2.0, 3.0, 4.0, 100.0].map(Some);
        for (name, value) in
            [("mean", 22.0), ("median", 3.0), ("lower-quartile", 2.0), ("upper-quartile", 4.0)]
        {
            let claim =
                claim(&format!("seeds = \"{name}\"\nat.\"link.l.buffer\" = \"1 bdp\"\nmin = 0"));
            assert_eq!(
                judge(&claim, &|_, _| seeds.to_vec(), &|_| String::new(), &|_| None).measured,
                Some(value),
                "{name}"
            );
        }
        // The quartiles lie between the two seeds, on both sides of a comparison.
        assert_eq!(
            found("seeds = \"lower-quartile\"\nmin = 2"),
            (Some(1.5), Some("cell 0".to_owned()), Verdict::Fails)
        );
        let at =
            "at = { link.l.buffer = \"3 bdp\" }\nthan = { link.l.buffer = \"1 bdp\" }\nmin = 1";
        assert_eq!(
            judged(&format!("seeds = \"upper-quartile\"\n{at}"), VALUES).sides,
            Some([6.5, 2.5])
        );
    }

    #[test]
    fn cells_are_compared_by_their_means() {
        let at =
            "at = { link.l.buffer = [\"2 bdp\", \"3 bdp\"] }\nthan = { link.l.buffer = \"1 bdp\" }";
        assert_eq!(
            found(&format!("{at}\nmin = 3")),
            (Some(3.0), Some("cell 2".to_owned()), Verdict::Holds)
        );
        assert_eq!(
            found(&format!("{at}\nby = \"difference\"\nmax = 7")),
            (Some(8.0), Some("cell 1".to_owned()), Verdict::Fails)
        );
        assert_eq!(judged(&format!("{at}\nmin = 3"), VALUES).sides, Some([6.0, 2.0]));
        let nothing = [[Some(0.0), Some(0.0)], VALUES[1], VALUES[2]];
        assert_eq!(
            judged(&format!("{at}\nmin = 3"), nothing).measured,
            None,
            "a multiple of nothing is no number"
        );
    }

    #[test]
    fn what_is_not_defined_does_not_hold() {
        let hole = [VALUES[0], [Some(10.0), None], VALUES[2]];
        for keys in [
            "max = 100",
            "seeds = \"median\"\nmax = 100",
            "over = \"mean\"\nmax = 100",
            "over = \"median\"\nmax = 100",
        ] {
            let judged = judged(keys, hole);
            assert_eq!((judged.measured, judged.verdict()), (None, Verdict::Fails), "{keys}");
        }
    }

    #[test]
    fn a_known_miss_is_explained_and_a_known_miss_that_holds_is_told() {
        assert_eq!(found("max = 9\nknown = \"why\"").2, Verdict::Explained);
        assert_eq!(found("max = 11\nknown = \"why\"").2, Verdict::Unexpected);
    }
}
