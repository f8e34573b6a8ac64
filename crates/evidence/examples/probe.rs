//! Scratch: runs a search on two threads.
use narrows_evidence::attack::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

struct Threads<'a> { aim: &'a Aim, runs: usize }
impl Evaluate for Threads<'_> {
    type Error = String;
    fn scores(&mut self, trials: &[Trial]) -> Result<Vec<Score>, String> {
        self.runs += trials.len();
        let next = AtomicUsize::new(0);
        let out = Mutex::new(vec![None; trials.len()]);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(trial) = trials.get(at) else { break };
                    let score = self.aim.evaluate(trial, &|| true).map_err(|error| format!("{error}: {:?}", trial.genome));
                    out.lock().unwrap()[at] = Some(score);
                });
            }
        });
        out.into_inner().unwrap().into_iter().map(|score| score.unwrap()).collect()
    }
    fn tell(&mut self, what: &str) { if !what.contains("00") { return } eprintln!("{what}"); }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let arg = |name: &str| args.iter().position(|own| own == name).and_then(|at| args.get(at + 1).cloned());
    let goal = Goal::named(&arg("--goal").unwrap_or("idle".into())).unwrap();
    let mut aim = Aim::new(&args[1], goal);
    if let Some(refs) = arg("--reference") { aim.references = refs.split(',').map(str::to_owned).collect(); }
    if let Some(transport) = arg("--transport") { let (k, v) = transport.split_once('=').unwrap(); aim.transport = format!("{k} = \"{v}\"\n"); }
    let kinds = arg("--genome").map_or(vec![goal.kind()], |own| own.split(',').map(|name| Kind::named(name).unwrap()).collect());
    let budget = arg("--budget").unwrap_or("3000".into()).parse().unwrap();
    let strategy = if arg("--search").as_deref() == Some("random") { Strategy::Random } else { Strategy::Evolve };
    let seed = arg("--seed").unwrap_or("1".into()).parse().unwrap();
    let mut by = Threads { aim: &aim, runs: 0 };
    let plan = Search { kinds, seed, budget, strategy, kept: vec![] };
    let searched = search(&plan, &mut by).unwrap();
    for own in &searched {
        println!("{} evaluated {} highest {:.3}", own.kind.name(), own.evaluated, own.highest);
        for (genome, score) in &own.best { println!("  {score:.3} {}", genome.says()); }
    }
    let cands: Vec<Genome> = searched.iter().flat_map(|own| own.best.iter().map(|(genome, _)| genome.clone())).collect();
    let found = examine(&cands, arg("--findings").unwrap_or("1".into()).parse().unwrap(), seed, &mut by).unwrap();
    for finding in &found.findings {
        println!("{finding:#?}\n{}", aim.text(&finding.genome, &aim.casts()[0], Variant::Plain, "finding"));
    }
    println!("evaluations in all {}", by.runs);
}
