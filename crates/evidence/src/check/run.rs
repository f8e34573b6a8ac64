//! The runs of a check, and how each is named by a number.

/// How a run differs from the suite's scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variant {
    /// Not at all.
    Plain,
    /// Hosts send without their random delay.
    Prompt,
    /// Acknowledgements have 1 ms of uniform jitter.
    Jitter,
    /// It lasts twice as long.
    Long,
    /// On the Linux kernel, over emulated links.
    Kernel,
}

impl Variant {
    /// Those that differ and should not matter.
    pub const OTHERS: [Variant; 3] = [Variant::Prompt, Variant::Jitter, Variant::Long];

    /// It in words.
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
    /// The grid's place in the suite.
    pub grid: u16,
    /// The part of the grid.
    pub part: u8,
    /// The cell.
    pub cell: u16,
    /// The place of the pair in the part.
    pub pair: u8,
    /// How it differs.
    pub variant: Variant,
    /// The seed.
    pub seed: u16,
}

impl Run {
    /// The number that stands for it in files: of equal suites and players, equal runs have equal numbers.
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

    /// The run of a number.
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
