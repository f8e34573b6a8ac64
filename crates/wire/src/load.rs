//! The two bits in which routers tell their load, and where they stand in the ECN field.

use crate::Ecn;
use narrows_params::Param;

/// How loaded the most loaded hop is, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LoadCode {
    /// Below 80 % of what the router aims at.
    Low,
    /// From there to 100 %.
    High,
    /// More.
    Overload,
}

impl LoadCode {
    const ALL: [LoadCode; 3] = [LoadCode::Low, LoadCode::High, LoadCode::Overload];
}

/// Which ECN code points stand for which load. 00 is left alone: its sender does not speak VCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodePoints {
    /// 01 low, 10 high, 11 overload.
    Paper,
    /// ECT(0) low, ECT(1) high, CE overload: a stock sender emits ECT(0) only.
    AccEcn,
}

impl CodePoints {
    /// The parameter by which routers and senders choose.
    pub const PARAM: Param<CodePoints> = Param::choice(
        "codes",
        "paper",
        &[("paper", CodePoints::Paper), ("accecn", CodePoints::AccEcn)],
        "code points of low load, high load, overload: 01, 10, 11, or ECT(0), ECT(1), CE (stock senders emit ECT(0)); equal in routers and senders",
    );

    /// The code point that stands for `load`.
    pub fn of(self, load: LoadCode) -> Ecn {
        match (self, load) {
            (_, LoadCode::Overload) => Ecn::Ce,
            (CodePoints::Paper, LoadCode::Low) | (CodePoints::AccEcn, LoadCode::High) => Ecn::Ect1,
            (CodePoints::Paper, LoadCode::High) | (CodePoints::AccEcn, LoadCode::Low) => Ecn::Ect0,
        }
    }

    /// The load that a packet tells; `None` for 00.
    pub fn load(self, ecn: Ecn) -> Option<LoadCode> {
        LoadCode::ALL.into_iter().find(|load| self.of(*load) == ecn)
    }

    /// The highest load whose code point `arrived`; `None` if no packet carried a code.
    pub fn highest(self, arrived: impl Fn(Ecn) -> bool) -> Option<LoadCode> {
        LoadCode::ALL.into_iter().rev().find(|load| arrived(self.of(*load)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_of_the_paper_ascend_and_those_for_accurate_ecn_begin_with_ect0() {
        let bits = |points: CodePoints| LoadCode::ALL.map(|load| points.of(load) as u8);
        assert_eq!(bits(CodePoints::Paper), [0b01, 0b10, 0b11]);
        assert_eq!(bits(CodePoints::AccEcn), [0b10, 0b01, 0b11]);
        for points in [CodePoints::Paper, CodePoints::AccEcn] {
            assert_eq!(points.load(Ecn::NotEct), None);
            assert!(
                LoadCode::ALL.into_iter().all(|load| points.load(points.of(load)) == Some(load))
            );
        }
    }

    #[test]
    fn of_the_packets_of_one_acknowledgement_the_highest_load_counts() {
        let highest = |codes: CodePoints, seen: &[Ecn]| codes.highest(|ecn| seen.contains(&ecn));
        assert_eq!(highest(CodePoints::Paper, &[Ecn::Ect0, Ecn::Ect1]), Some(LoadCode::High));
        assert_eq!(highest(CodePoints::AccEcn, &[Ecn::Ect0, Ecn::Ect1]), Some(LoadCode::High));
        assert_eq!(highest(CodePoints::Paper, &[Ecn::Ect1]), Some(LoadCode::Low));
        assert_eq!(
            highest(CodePoints::Paper, &[Ecn::Ect0, Ecn::Ect1, Ecn::Ce]),
            Some(LoadCode::Overload)
        );
        assert_eq!(highest(CodePoints::Paper, &[Ecn::NotEct]), None);
    }
}
