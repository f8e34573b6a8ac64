//! Files of an experiment never make the program panic: its file, its state and its periods, separated
//! by lines of "---".

#![no_main]

use libfuzzer_sys::fuzz_target;
use narrows_deploy::Experiment;
use narrows_deploy::result::{Ended, Summary, page, status_text};
use narrows_deploy::state::State;
use narrows_deploy::trial::{KeptPeriod, Trial};

fuzz_target!(|text: &str| {
    let mut parts = text.splitn(3, "---\n");
    let [file, state, periods] = [(); 3].map(|()| parts.next().unwrap_or_default());
    let experiment = Experiment::read(file, "fuzz.toml", &|_| Ok(()));
    let state = State::read(state);
    let kept = KeptPeriod::read(periods, "periods.jsonl");
    state.iter().for_each(|own| assert!(!status_text(own, false).is_empty()));
    let (Ok(experiment), Ok(state), Ok(kept)) = (experiment, state, kept) else { return };
    let Ok(mut trial) = Trial::new(&experiment) else { return };
    if trial.restore(kept).is_ok() {
        let ended = Ended { experiment: &experiment, trial: &trial, state: &state, plan: None };
        assert!(!page(&ended).is_empty() && !Summary::of(&ended).json().is_empty());
    }
});
