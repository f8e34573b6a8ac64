//! Controllers from files: an object, or a source that is compiled first, becomes an entry of the registry, with the program's variables as parameters.

use crate::around::{Around, Conditions, Shown};
use crate::compile::Clang;
use crate::functions::SimulatedKernel;
use crate::link::{Settings, link};
use crate::machine::Code;
use crate::program::{Program, Variable};
use crate::socket::Field;
use narrows_control::{Basis, Build, Built, Entry, KeptFile, Refused, Setup, Source, register_file};
use narrows_params::{Kind, Need, ParamError, Params, Spec};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The longest object or source, in bytes: one with a kernel's types has less than 1 MB.
const LONGEST: u64 = 16 << 20;
/// The ends of sources' and of objects' names.
const SOURCE: &str = ".c";
const ENDS: [&str; 5] = [".bpf.c", ".bpf.o", ".c", ".o", ""];

/// Parameters that every program has beside its own.
const HZ: &str = "hz";
const ISN: &str = "isn";
/// `CONFIG_HZ` of most distributions' kernels, and the values that kernels can have.
const USUAL_HZ: u32 = 250;
const HZ_RANGE: (f64, f64) = (24.0, 1200.0);

/// The files loaded so far.
static LOADED: Mutex<BTreeMap<PathBuf, &'static Entry>> = Mutex::new(BTreeMap::new());

/// The controller of a file, which is loaded and registered at the first call: by the file's stem, or `STEM.bpf` where a controller has that name.
///
/// # Errors
///
/// The file cannot be read, compiled or linked, or is no controller: the file, the place in it, the reason and a remedy.
pub fn entry(path: &str) -> Result<&'static Entry, String> {
    let unreadable =
        |error: std::io::Error| format!("{path}: it cannot be read: {error}; give the path of a BPF source (.bpf.c) or object (.o)");
    let own = fs::canonicalize(path).map_err(unreadable)?;
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(entry) = loaded.get(&own) {
        return Ok(entry);
    }
    let file = read(path)?;
    let entry = make(path, file)?;
    loaded.insert(own, entry);
    Ok(entry)
}

/// What a file holds, compiled if it is a source.
///
/// # Errors
///
/// It cannot be read or compiled.
pub fn read(path: &str) -> Result<KeptFile, String> {
    let content = content(path)?;
    if !path.ends_with(SOURCE) {
        return Ok(KeptFile { object: content, source: None, notes: Vec::new() });
    }
    let clang = Clang::find(Path::new(path)).map_err(|error| error.to_string())?;
    let compiled = clang.compile(Path::new(path), &[]).map_err(|error| error.to_string())?;
    let warned = (!compiled.said.is_empty()).then(|| format!("{} says: {}", clang.version, compiled.said.trim_end()));
    let source = Source { name: path.rsplit('/').next().unwrap_or(path).to_owned(), text: content, compiler: clang.version.clone() };
    Ok(KeptFile { object: compiled.object, source: Some(source), notes: warned.into_iter().collect() })
}

fn content(path: &str) -> Result<Vec<u8>, String> {
    let mut content = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut content));
    match read {
        Err(error) => Err(format!("{path}: it cannot be read: {error}; give the path of a BPF source (.bpf.c) or object (.o)")),
        Ok(_) if content.len() as u64 > LONGEST => {
            Err(format!("{path}: it is longer than {} MiB; give the object of one controller", LONGEST >> 20))
        }
        Ok(_) => Ok(content),
    }
}

fn stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    ENDS.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name).to_owned()
}

/// Links an object for a host with so many ticks per second, and makes it ready for the machine.
///
/// # Errors
///
/// It cannot be taken.
pub fn code(path: &str, object: &[u8], hz: u32) -> Result<Arc<Code>, String> {
    let settings = Settings { hz, ..Settings::default() };
    let program = link(path, object, &settings, &SimulatedKernel).map_err(|error| error.to_string())?;
    Code::new(Arc::new(program)).map(Arc::new).map_err(|error| format!("{path}: {error}"))
}

/// The variables that users can set, beside which there are `hz` and `isn`.
pub fn parameters(program: &Program) -> impl Iterator<Item = &Variable> {
    program.variables.iter().filter(|variable| ![HZ, ISN].contains(&variable.name.as_str()))
}

fn make(path: &str, mut file: KeptFile) -> Result<&'static Entry, String> {
    let code = code(path, &file.object, USUAL_HZ)?;
    let program = code.program();
    file.notes.extend(program.notes.iter().cloned());
    let file: &'static KeptFile = Box::leak(Box::new(file));
    let variables: Vec<Variable> = parameters(program).cloned().collect();
    let shared = Shared {
        path: path.to_owned(),
        object: &file.object,
        shown: shown(program),
        codes: Mutex::new(BTreeMap::from([(USUAL_HZ, Arc::clone(&code))])),
        variables,
    };
    let (params, needs) = (specs(&shared.variables), needs(program));
    let controls = program.callbacks.contains_key("cong_control");
    let summary = leaked(format!("{} in BPF, from {path}", program.name));
    let source = leaked(path.to_owned());
    let build = Build::Shared(Arc::new(move |setup: &Setup, params: &Params| shared.build(setup, params)));
    let entry = |name: &'static str| Entry {
        name,
        kernel: None,
        summary,
        source,
        basis: if controls { Basis::Model } else { Basis::Loss },
        needs,
        numbered: false,
        params,
        build: build.clone(),
    };
    // Each name that is taken leaves a few bytes behind.
    let own = stem(path);
    let names = std::iter::once(own.clone()).chain([format!("{own}.bpf")]).chain((2..).map(|number| format!("{own}.bpf-{number}")));
    for name in names {
        let entry: &'static Entry = Box::leak(Box::new(entry(leaked(name))));
        match register_file(entry, file) {
            Ok(()) => return Ok(entry),
            Err(refused @ Refused::Name { .. }) => return Err(format!("{path}: {refused}")),
            Err(Refused::Taken { .. } | Refused::OtherName { .. }) => {}
        }
    }
    unreachable!("some number is free")
}

/// Entries live as long as the program.
fn leaked(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

fn specs(variables: &[Variable]) -> &'static [Spec] {
    let own = variables.iter().map(|variable| {
        let bits = 8 * variable.size as i32;
        let (min, max) =
            if variable.signed { (-(2_f64.powi(bits - 1)), 2_f64.powi(bits - 1) - 1.0) } else { (0.0, 2_f64.powi(bits) - 1.0) };
        let default = if variable.signed { variable.initial as f64 } else { variable.initial as u64 as f64 };
        whole(leaked(variable.name.clone()), default, (min, max), "a variable of the program")
    });
    let ours = [
        whole(HZ, USUAL_HZ as f64, HZ_RANGE, "clock ticks per second of the simulated kernel (CONFIG_HZ)"),
        whole(ISN, 1.0, (0.0, u32::MAX as f64), "sequence number before the first byte"),
    ];
    Box::leak(own.chain(ours).collect())
}

const fn whole(name: &'static str, default: f64, (min, max): (f64, f64), help: &'static str) -> Spec {
    Spec { name, kind: Kind::Number { default, min, max, unit: "", whole: true }, help, need: None }
}

/// What the program cannot do without: its socket shows what is outstanding, `cong_control` gets samples of the rate and sets a pace.
fn needs(program: &Program) -> &'static [Need] {
    const STATUS: Field = Field::of("tcp_sock.inet_conn.icsk_inet.sk.sk_pacing_status");
    const NEEDS_ECN: u32 = 2;
    /// Stores of 32 bits: of a constant, of a register, and of several of them at once.
    const STORES: [u8; 3] = [0x62, 0x63, 0xc3];
    let controls = program.callbacks.contains_key("cong_control");
    let stores =
        |instruction: &crate::program::Instruction| STORES.contains(&instruction.code) && instruction.off as usize == STATUS.offset();
    let paces = controls || program.code.iter().any(stores);
    let all =
        [(true, Need::Outstanding), (controls, Need::RateSample), (paces, Need::Pacing), (program.flags & NEEDS_ECN != 0, Need::EcnCounts)];
    Box::leak(all.into_iter().filter_map(|(needed, need)| needed.then_some(need)).collect())
}

/// What traces show of the private area: the integers of the structure that is called as the controller is, if there is one.
fn shown(program: &Program) -> Arc<[Shown]> {
    const AREA: u64 = 13 * 64;
    let members = program.types.members(&program.name).unwrap_or_default();
    let fitting = members.into_iter().filter(|member| (1..=64).contains(&member.bits) && member.at + member.bits as u64 <= AREA);
    fitting.map(|member| Shown { name: leaked(member.name), bit: member.at as usize, bits: member.bits, signed: member.signed }).collect()
}

/// What all connections of an entry share.
struct Shared {
    path: String,
    object: &'static [u8],
    variables: Vec<Variable>,
    shown: Arc<[Shown]>,
    /// By ticks per second, which programs may have been told when they were linked.
    codes: Mutex<BTreeMap<u32, Arc<Code>>>,
}

impl Shared {
    fn build(&self, setup: &Setup, params: &Params) -> Result<Built, ParamError> {
        let number = |name: &str| params.text(name).and_then(|text| text.parse::<f64>().ok()).unwrap_or_default();
        let hz = number(HZ) as u32;
        let set = self.variables.iter().filter_map(|variable| {
            let value = number(&variable.name);
            let bits = if variable.signed { value as i64 as u64 } else { value as u64 };
            (bits != variable.initial as u64).then(|| (variable.region, variable.offset, bits.to_le_bytes()[..variable.size].to_vec()))
        });
        let conditions = Conditions { hz, isn: number(ISN) as u32, shown: Arc::clone(&self.shown), set: set.collect() };
        Ok(Built::new(Around::new(self.code(hz), conditions, setup)))
    }

    fn code(&self, hz: u32) -> Arc<Code> {
        let mut codes = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        let linked = || code(&self.path, self.object, hz).expect("an object that was linked before");
        Arc::clone(codes.entry(hz).or_insert_with(linked))
    }
}
