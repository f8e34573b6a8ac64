//! The way from a request to the code that carries it out.

use crate::error::Failure;
use crate::outcome::Outcome;
use crate::request::Request;

impl Request {
    /// Carries out the request, and writes its result.
    ///
    /// # Errors
    ///
    /// If a file, a network or this host does not suit it, or its host stops it.
    pub fn carry_out(self) -> Result<Outcome, Failure> {
        match self {
            Request::Compare(args) => crate::compare::compare(args),
            Request::Run(args) => crate::run::run(args),
            Request::Live(args) => crate::live::live(args),
            Request::Sweep(args) => crate::sweep::sweep(args),
            Request::Merge(args) => crate::merge::merge(args),
            Request::Matrix(args) => crate::matrix::matrix(args),
            Request::Attack(args) => crate::attack::attack(args),
            Request::Check(args) => crate::check::check(args),
            Request::Reproduce(args) => crate::reproduce::reproduce(args),
            Request::Fit(args) => crate::fit::fit(args),
            Request::Fidelity(args) => crate::fidelity::fidelity(args),
            Request::DeployPlan(args) => crate::deploy::deploy_plan(args),
            Request::SelfCheck(args) => crate::check::self_check(args),
        }
    }
}
