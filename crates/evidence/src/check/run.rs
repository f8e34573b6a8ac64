//! The runs of a check, and their numbers in files.

/// The difference between a run and the suite's scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variant {
    /// No difference.
    Plain,
    /// Hosts send without their random delay.
    Prompt,
    /// Acknowledgements have 1 ms of uniform jitter.
    Jitter,
    /// The run takes twice as long.
    Long,
    /// The run is on the Linux kernel, over emulated links.
    Kernel,
}

impl Variant {
    /// Variants with differences that should not matter.
    pub const OTHERS: [Variant; 3] = [Variant::Prompt, Variant::Jitter, Variant::Long];

    /// Describes the variant.
    pub fn text(self) -> &'static str {
        match self {
            Variant::Plain => "as it is",
            Variant::Prompt => "without the hosts' random delay",
            Variant::Jitter => "with 1 ms of jitter on the way back",
            Variant::Long => "twice as long",
            Variant::Kernel => "on the kernel",
        }
    }
}

/// A run: a cell of a grid with a pair of controllers, a variant and a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// Index of the grid in the suite.
    pub grid: u16,
    /// Index of the part in the grid.
    pub part: u8,
    /// Index of the cell.
    pub cell: u16,
    /// Index of the pair in the part.
    pub pair: u8,
    /// Difference from the suite's scenario.
    pub variant: Variant,
    /// The seed.
    pub seed: u16,
}

impl Run {
    /// Returns the number of the run in files. For equal suites and players, equal runs have equal
    /// numbers.
    pub fn number(self) -> u64 {
        let parts = [
            (u64::from(self.grid), 12),
            (u64::from(self.part), 4),
            (u64::from(self.cell), 16),
            (u64::from(self.pair), 8),
            (self.variant as u64, 4),
            (u64::from(self.seed), 16),
        ];
        parts.into_iter().fold(0, |all, (part, bits)| all << bits | part)
    }

    /// Returns the run with this number.
    pub fn of(number: u64) -> Run {
        let field = |from: u32, bits: u32| number >> from & ((1 << bits) - 1);
        let variant = match field(16, 4) {
            1 => Variant::Prompt,
            2 => Variant::Jitter,
            3 => Variant::Long,
            4 => Variant::Kernel,
            _ => Variant::Plain,
        };
        Run {
            grid: field(48, 12) as u16,
            part: field(44, 4) as u8,
            cell: field(28, 16) as u16,
            pair: field(20, 8) as u8,
            variant,
            seed: field(0, 16) as u16,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stands_for_one_run() {
        for variant in
            [Variant::Plain, Variant::Prompt, Variant::Jitter, Variant::Long, Variant::Kernel]
        {
            let run = Run { grid: 4095, part: 15, cell: 65_535, pair: 255, variant, seed: 1030 };
            assert_eq!(Run::of(run.number()), run);
            let run = Run { grid: 1, part: 0, cell: 3, pair: 2, variant, seed: 1 };
            assert_eq!(Run::of(run.number()), run);
        }
    }
}
