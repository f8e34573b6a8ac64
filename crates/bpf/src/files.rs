//! Controllers from files: an object, or a source that is compiled first, becomes an entry of the
//! registry, with the program's variables as parameters.

use crate::around::{Around, Conditions, Shown};
use crate::compile::Clang;
use crate::functions::SimulatedKernel;
use crate::link::{Settings, complete_tables, link};
use crate::machine::Code;
use crate::program::{Program, Variable};
use crate::shown::structures;
use crate::socket::Field;
use narrows_control::{
    Basis, Build, Built, EntryRef, FileForm, KeptFile, OwnedEntry, Session, Setup, Source,
};
use narrows_files::{Limit, read as read_file};
use narrows_params::{Need, ParamError, ParamKind, Params, Spec, Words, word as kept_word};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The longest object or source: one with a kernel's types has less than 1 MB.
const LONGEST: Limit = Limit::mib(16);
/// The ends of sources' and of objects' names.
const SOURCE: &str = ".c";
const ENDS: [&str; 5] = [".bpf.c", ".bpf.o", ".c", ".o", ""];

/// Parameters that every program has beside its own.
const HZ: &str = "hz";
const ISN: &str = "isn";
/// Which table, in objects with several.
pub(crate) const OPS: &str = "ops";
/// Which structure traces show.
pub(crate) const STATE: &str = "state";
/// The help text of a program's own parameters.
const OWN_VARIABLE: &str = "a variable of the program";
/// All of these: the parameters that every program has beside its own, and `ops`, which a file with
/// several tables has.
pub const OURS: [&str; 4] = [HZ, ISN, OPS, STATE];
/// Words for the structure that is called as the controller is, or as it with `_state`, and for
/// none.
const OWN: &str = "own";
const NONE: &str = "none";
/// `CONFIG_HZ` of most distributions' kernels, and the values that kernels can have.
const USUAL_HZ: u32 = 250;
const HZ_RANGE: (f64, f64) = (24.0, 1200.0);

/// The controller of a file. Loads and registers it in the session at the first call, under the stem
/// of the file name, or as `STEM.bpf` if another controller has that name.
///
/// # Errors
///
/// The file cannot be read, compiled or linked, or is no controller: the file, the place in it, the
/// reason and a remedy.
pub fn entry(session: &Session, path: &str) -> Result<EntryRef, String> {
    let unreadable = |error: std::io::Error| {
        format!(
            "{path}: it cannot be read: {error}; give the path of a BPF source (.bpf.c) or object (.o)"
        )
    };
    let own = fs::canonicalize(path).map_err(unreadable)?;
    session.loaded(&own, || make(session, path, read(path)?))
}

/// The content of a file, compiled if it is a source.
///
/// # Errors
///
/// It cannot be read or compiled.
pub fn read(path: &str) -> Result<KeptFile, String> {
    if path.ends_with(SOURCE) && fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return Err(format!(
            "{path}: it is not a regular file, which the compiler reads, too; give the path of a BPF source (.bpf.c)"
        ));
    }
    let content = content(path)?;
    if !path.ends_with(SOURCE) {
        return Ok(KeptFile {
            form: FileForm::Object,
            object: content,
            source: None,
            notes: Vec::new(),
        });
    }
    let clang = Clang::find(Path::new(path)).map_err(|error| error.to_string())?;
    let compiled = clang.compile(Path::new(path), &[]).map_err(|error| error.to_string())?;
    let warned = (!compiled.said.is_empty())
        .then(|| format!("{} says: {}", clang.version, compiled.said.trim_end()));
    let source = Source {
        name: path.rsplit('/').next().unwrap_or(path).to_owned(),
        text: content,
        compiler: clang.version.clone(),
    };
    Ok(KeptFile {
        form: FileForm::Object,
        object: compiled.object,
        source: Some(source),
        notes: warned.into_iter().collect(),
    })
}

fn content(path: &str) -> Result<Vec<u8>, String> {
    read_file(Path::new(path), LONGEST).map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge => format!("{path}: {error}; give the object of one controller"),
        _ => format!("{path}: it cannot be read: {error}; give the path of a BPF source (.bpf.c) or object (.o)"),
    })
}

fn stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    ENDS.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name).to_owned()
}

/// Links an object for a host with so many ticks per second, and makes it ready for the machine.
/// `ops` is the table, if the object has several.
///
/// # Errors
///
/// It cannot be taken.
pub fn code(path: &str, object: &[u8], hz: u32, ops: Option<&str>) -> Result<Arc<Code>, String> {
    let settings = Settings { hz, ops: ops.map(str::to_owned), ..Settings::default() };
    let program =
        link(path, object, &settings, &SimulatedKernel).map_err(|error| error.to_string())?;
    Code::new(Arc::new(program)).map(Arc::new).map_err(|error| format!("{path}: {error}"))
}

/// The variables that users can set, beside which there are `hz`, `isn`, `state`, and with several
/// tables `ops`.
pub fn parameters(program: &Program) -> impl Iterator<Item = &Variable> + Clone {
    program.variables.iter().filter(|variable| !OURS.contains(&variable.name.as_str()))
}

/// The complete tables of an object by their variables, if there are several: one has to be chosen
/// then.
fn several_tables(path: &str, object: &[u8]) -> Result<Vec<&'static str>, String> {
    let tables = complete_tables(object).map_err(|problem| format!("{path}: {problem}"))?;
    Ok(if tables.len() > 1 {
        tables.iter().map(|table| kept_word(table)).collect()
    } else {
        Vec::new()
    })
}

fn make(session: &Session, path: &str, mut file: KeptFile) -> Result<EntryRef, String> {
    let tables = several_tables(path, &file.object)?;
    // Without a choice the only table is meant.
    let choices: Vec<Option<&'static str>> =
        if tables.is_empty() { vec![None] } else { tables.iter().copied().map(Some).collect() };
    let mut codes = BTreeMap::new();
    let mut refused = BTreeMap::new();
    for ops in choices {
        match code(path, &file.object, USUAL_HZ, ops) {
            Ok(code) => drop(codes.insert((USUAL_HZ, ops), code)),
            Err(reason) => drop(refused.insert(ops, reason)),
        }
    }
    if codes.is_empty() {
        return Err(refused.into_values().next().unwrap_or_default());
    }
    let programs: Vec<&Program> = codes.values().map(|code| code.program().as_ref()).collect();
    for note in programs.iter().flat_map(|program| &program.notes) {
        if !file.notes.contains(note) {
            file.notes.push(note.clone());
        }
    }
    let program = programs[0];
    for variable in
        program.variables.iter().filter(|variable| OURS.contains(&variable.name.as_str()))
    {
        file.notes.push(format!(
            "its variable {0} cannot be set: {0} is a parameter of every program; rename it",
            variable.name
        ));
    }
    let file = Arc::new(file);
    let variables: Vec<Variable> = parameters(program).cloned().collect();
    let structures = structures(&program.types);
    let params = specs(&variables, &tables, &structures);
    let needs = needs(&programs);
    let controls = programs.iter().any(|program| program.callbacks.contains_key("cong_control"));
    let named = programs.iter().map(|program| program.name.as_str()).collect::<Vec<_>>().join(", ");
    let codes = Mutex::new(codes.clone());
    let shared = Shared {
        path: path.to_owned(),
        file: Arc::clone(&file),
        tables,
        refused,
        structures,
        codes,
        variables,
    };
    let build =
        Build::Shared(Arc::new(move |setup: &Setup, params: &Params| shared.build(setup, params)));
    let entry = |name| OwnedEntry {
        name,
        summary: format!("{named} in BPF, from {path}"),
        source: path.to_owned(),
        basis: if controls { Basis::Model } else { Basis::Loss },
        needs: needs.clone(),
        params: params.clone(),
        build: build.clone(),
    };
    session
        .register_file(&stem(path), "bpf", entry, &file)
        .map_err(|refused| format!("{path}: {refused}"))
}

fn specs(
    variables: &[Variable],
    tables: &[&'static str],
    structures: &BTreeMap<&'static str, Arc<[Shown]>>,
) -> Vec<Spec> {
    let own = variables.iter().map(|variable| {
        let name = kept_word(&variable.name);
        if variable.boolean {
            return Spec::new(
                name,
                ParamKind::Flag { default: variable.initial != 0 },
                OWN_VARIABLE,
            );
        }
        let bits = 8 * variable.size as i32;
        let (min, max) = if variable.signed {
            (-(2_f64.powi(bits - 1)), 2_f64.powi(bits - 1) - 1.0)
        } else {
            (0.0, 2_f64.powi(bits) - 1.0)
        };
        let default =
            if variable.signed { variable.initial as f64 } else { variable.initial as u64 as f64 };
        whole(name, default, (min, max), OWN_VARIABLE)
    });
    let ours = [
        whole(
            HZ,
            USUAL_HZ as f64,
            HZ_RANGE,
            "clock ticks per second of the simulated kernel (CONFIG_HZ)",
        ),
        whole(ISN, 1.0, (0.0, u32::MAX as f64), "sequence number before the first byte"),
    ];
    let state = [OWN, NONE].into_iter().chain(structures.keys().copied()).collect();
    let state = word(
        STATE,
        OWN,
        state,
        "the structure of the private area that traces show; own: NAME or NAME_state of the controller's name, if there is one",
    );
    let ops = (!tables.is_empty()).then(|| {
        word(OPS, "", tables.to_vec(), "the controller, of those in the file; one must be chosen")
    });
    own.chain(ours).chain([state]).chain(ops).collect()
}

fn word(
    name: &'static str,
    default: &'static str,
    words: Vec<&'static str>,
    help: &'static str,
) -> Spec {
    Spec::new(name, ParamKind::Choice { default, options: Words::listed(words) }, help)
}

const fn whole(
    name: &'static str,
    default: f64,
    (min, max): (f64, f64),
    help: &'static str,
) -> Spec {
    Spec::new(name, ParamKind::Number { default, min, max, unit: "", whole: true }, help)
}

/// Signals that the programs of a file need: their socket shows the data in flight, `cong_control`
/// gets samples of the rate and sets a pace. A signal that one program needs, all get.
fn needs(programs: &[&Program]) -> Vec<Need> {
    const STATUS: Field = Field::of("tcp_sock.inet_conn.icsk_inet.sk.sk_pacing_status");
    const NEEDS_ECN: u32 = 2;
    /// Stores of 32 bits: of a constant, of a register, and of several of them at once.
    const STORES: [u8; 3] = [0x62, 0x63, 0xc3];
    let controls = programs.iter().any(|program| program.callbacks.contains_key("cong_control"));
    let stores = |instruction: &crate::program::Instruction| {
        STORES.contains(&instruction.code) && instruction.off as usize == STATUS.offset()
    };
    let paces = controls || programs.iter().any(|program| program.code.iter().any(stores));
    let marks = programs.iter().any(|program| program.flags & NEEDS_ECN != 0);
    let all = [
        (true, Need::Outstanding),
        (controls, Need::RateSample),
        (paces, Need::Pacing),
        (marks, Need::EcnCounts),
    ];
    all.into_iter().filter_map(|(needed, need)| needed.then_some(need)).collect()
}

/// The settings with which an object was linked: ticks per second, and a table if there are
/// several.
type Linked = (u32, Option<&'static str>);

/// State that all connections of an entry share.
struct Shared {
    path: String,
    file: Arc<KeptFile>,
    variables: Vec<Variable>,
    /// Those to choose from; empty if there is one.
    tables: Vec<&'static str>,
    /// Those of them that cannot be taken, and why.
    refused: BTreeMap<Option<&'static str>, String>,
    structures: BTreeMap<&'static str, Arc<[Shown]>>,
    /// By ticks per second, which programs may have been told when they were linked, and by table.
    codes: Mutex<BTreeMap<Linked, Arc<Code>>>,
}

impl Shared {
    fn build(&self, setup: &Setup, params: &Params) -> Result<Built, ParamError> {
        let number = |name: &str| {
            params.text(name).and_then(|text| text.parse::<f64>().ok()).unwrap_or_default()
        };
        let flag = |name: &str| {
            if params.text(name).is_some_and(|text| text == "true") { 1.0 } else { 0.0 }
        };
        let hz = number(HZ) as u32;
        let set = self.variables.iter().filter_map(|variable| {
            let value =
                if variable.boolean { flag(&variable.name) } else { number(&variable.name) };
            let bits = if variable.signed { value as i64 as u64 } else { value as u64 };
            (bits != variable.initial as u64).then(|| {
                (variable.region, variable.offset, bits.to_le_bytes()[..variable.size].to_vec())
            })
        });
        let code = self.code(hz, self.table(params)?);
        let state = params.text(STATE).unwrap_or_default();
        let own = &code.program().name;
        let named = if state == OWN {
            [own.clone(), format!("{own}_state")]
        } else {
            [state.clone(), state]
        };
        let shown = named
            .iter()
            .find_map(|name| self.structures.get(name.as_str()))
            .cloned()
            .unwrap_or_default();
        let conditions = Conditions { hz, isn: number(ISN) as u32, shown, set: set.collect() };
        Ok(Built::new(Around::new(code, conditions, setup)))
    }

    /// The table that was chosen; `None` if there is but one.
    fn table(&self, params: &Params) -> Result<Option<&'static str>, ParamError> {
        let chosen = params
            .text(OPS)
            .and_then(|text| self.tables.iter().copied().find(|table| *table == text));
        match chosen {
            None if !self.tables.is_empty() => {
                let allowed = format!("one of {}", self.tables.join(", "));
                Err(ParamError::Unset { entry: params.entry().to_owned(), name: OPS, allowed })
            }
            Some(table) if self.refused.contains_key(&chosen) => Err(ParamError::Unfit {
                entry: params.entry().to_owned(),
                name: OPS,
                value: table,
                reason: self.refused[&chosen].clone(),
            }),
            chosen => Ok(chosen),
        }
    }

    fn code(&self, hz: u32, ops: Option<&'static str>) -> Arc<Code> {
        let mut codes = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        let linked = || {
            code(&self.path, &self.file.object, hz, ops).expect("an object that was linked before")
        };
        Arc::clone(codes.entry((hz, ops)).or_insert_with(linked))
    }
}
