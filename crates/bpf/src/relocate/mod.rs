//! CO-RE: an instruction that reads a field by the layout that its program was compiled with is
//! changed to the layout of a target, which is found by names. The rules are those of libbpf
//! (src/relo_core.c), of which `relocate/` follows every kind.

mod compare;
mod find;
mod patch;
mod path;
mod value;

use crate::types::{Relocation, TypeId, TypeKind, Types};
use compare::{Pair, essential};
pub(crate) use find::Target;
pub(crate) use patch::patch;
use path::{Path, numbers};
use value::{Answer, FieldQuestion, answer};

/// The fate of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resolution {
    /// The target has no such thing.
    Missing,
    Value(Change),
}

/// From one value to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub old: u64,
    pub new: u64,
    /// Whether the instruction must have the old value.
    pub certain: bool,
    /// Bytes of what is read there, in the object and in the target.
    pub widths: Option<(u32, u32)>,
    /// Whether a load or store may take the other width.
    pub resizable: bool,
}

/// A relocation that has been looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resolved {
    /// The name, as in the source: `tcp_sock.rcv_rtt_est.time`.
    pub what: String,
    /// Whether it asks if something exists.
    pub asks: bool,
    /// Whether it wants to know where a field lies, to read or write it.
    pub locates: bool,
    pub resolution: Resolution,
}

/// The question of a relocation (`enum bpf_core_relo_kind`).
enum Question {
    Field(FieldQuestion),
    LocalId,
    TargetId,
    TypeExists,
    TypeSize,
    ValueExists,
    Value,
    TypeMatches,
}

fn question(kind: u32) -> Option<Question> {
    Some(match kind {
        0 => Question::Field(FieldQuestion::Offset),
        1 => Question::Field(FieldQuestion::Size),
        2 => Question::Field(FieldQuestion::Exists),
        3 => Question::Field(FieldQuestion::Signed),
        4 => Question::Field(FieldQuestion::LeftShift),
        5 => Question::Field(FieldQuestion::RightShift),
        6 => Question::LocalId,
        7 => Question::TargetId,
        8 => Question::TypeExists,
        9 => Question::TypeSize,
        10 => Question::ValueExists,
        11 => Question::Value,
        12 => Question::TypeMatches,
        _ => return None,
    })
}

/// Looks a relocation up in the target.
///
/// # Errors
///
/// If no compiler leaves such a relocation, or several types of the target answer
/// differently.
pub(crate) fn resolve(
    local: &Types,
    relocation: &Relocation,
    target: &Target,
) -> Result<Resolved, String> {
    let kind = relocation.kind;
    let question =
        question(kind).ok_or_else(|| format!("it is of kind {kind}; known are 0 to 12"))?;
    let path = local.strings().name(relocation.path).ok_or("its path is no string")?;
    let root = local
        .get(relocation.root)
        .ok_or_else(|| format!("its root is type {}, which does not exist", relocation.root))?;
    let name = essential(local.name(root));
    if name.is_empty() && !matches!(question, Question::LocalId) {
        return Err(format!("its root, {} {}, has no name", root.kind.word(), relocation.root));
    }
    let one = One { local, target, root: relocation.root };
    match question {
        Question::Field(question) => one.field(name, path, question),
        Question::ValueExists | Question::Value => {
            one.value(name, path, matches!(question, Question::ValueExists))
        }
        _ if path != "0" => Err(format!("its path is \"{path}\"; that of a type is \"0\"")),
        Question::LocalId => {
            let change = exact(relocation.root as u64, relocation.root as u64);
            Ok(Resolved {
                what: name.to_owned(),
                asks: false,
                locates: false,
                resolution: Resolution::Value(Change { certain: false, ..change }),
            })
        }
        question => one.type_(name, root.kind.word(), &question),
    }
}

fn exact(old: u64, new: u64) -> Change {
    Change { old, new, certain: true, widths: None, resizable: false }
}

/// One relocation.
struct One<'a> {
    local: &'a Types,
    target: &'a Target<'a>,
    root: TypeId,
}

impl<'a> One<'a> {
    fn field(&self, name: &str, path: &str, question: FieldQuestion) -> Result<Resolved, String> {
        let path = Path::of_field(self.local, self.root, path)?;
        let mut what = format!("{name}{path}");
        let asks = question == FieldQuestion::Exists;
        let mut found: Option<(u64, Answer, Path)> = None;
        for candidate in self.target.candidates(self.local, self.root) {
            let Some(there) = self.target.follow(self.local, &path, candidate)? else { continue };
            let new = if asks {
                Answer { value: 1, certain: true, read: None }
            } else {
                answer(self.target.types, &there, question)?
            };
            if found
                .as_ref()
                .is_some_and(|(at, earlier, _)| (*at, earlier.value) != (there.at, new.value))
            {
                return Err(format!(
                    "several types of the name {name} have {what} at different places"
                ));
            }
            found.get_or_insert((there.at, new, there));
        }
        let resolution = if asks {
            Resolution::Value(exact(1, found.is_some() as u64))
        } else if let Some((_, new, _)) = found {
            let old = answer(self.local, &path, question)?;
            Resolution::Value(self.change(old, new))
        } else {
            if self.target.candidates(self.local, self.root).next().is_none() {
                what += &format!(
                    " (there is no struct {name}; if it is the program's own, declare it without preserve_access_index)"
                );
            }
            Resolution::Missing
        };
        Ok(Resolved { what, asks, locates: question == FieldQuestion::Offset, resolution })
    }

    fn change(&self, old: Answer, new: Answer) -> Change {
        let change = Change { certain: old.certain, ..exact(old.value, new.value) };
        let Some((local, target)) = old.read.zip(new.read) else { return change };
        let Some(widths) = self.local.size(local).zip(self.target.types.size(target)) else {
            return change;
        };
        let kinds = self.local.get(local).zip(self.target.types.get(target));
        let resizable = match kinds.map(|(local, target)| (&local.kind, &target.kind)) {
            Some((TypeKind::Pointer(_), TypeKind::Pointer(_))) => true,
            Some((TypeKind::Integer { signed: a, .. }, TypeKind::Integer { signed: b, .. })) => {
                !a && !b
            }
            _ => false,
        };
        Change { widths: Some(widths), resizable, ..change }
    }

    fn value(&self, name: &str, path: &str, asks: bool) -> Result<Resolved, String> {
        let [index] = numbers(path)?[..] else {
            return Err(format!("its path is \"{path}\"; that of a constant is one number"));
        };
        let values =
            |types: &'a Types, id: TypeId| match types.plain(id).map(|(_, plain)| &plain.kind) {
                Some(TypeKind::Enumeration { values, .. }) => Some(&**values),
                _ => None,
            };
        let constant = values(self.local, self.root).and_then(|values| values.get(index as usize));
        let constant = constant.ok_or_else(|| {
            format!("its root, {name}, is no enumeration with a constant {index}")
        })?;
        let constant_name = essential(self.local.value_name(constant));
        let what = format!("{name}::{constant_name}");
        let mut found = None;
        for candidate in self.target.candidates(self.local, self.root) {
            let there = values(self.target.types, candidate).unwrap_or_default();
            let Some(same) = there
                .iter()
                .find(|value| essential(self.target.types.value_name(value)) == constant_name)
            else {
                continue;
            };
            if found.is_some_and(|earlier| !asks && earlier != same.value) {
                return Err(format!(
                    "several enumerations of the name {name} have different values of {constant_name}"
                ));
            }
            found = Some(same.value);
        }
        let resolution = match found {
            found if asks => Resolution::Value(exact(1, found.is_some() as u64)),
            Some(value) => Resolution::Value(exact(constant.value, value)),
            None => Resolution::Missing,
        };
        Ok(Resolved { what, asks, locates: false, resolution })
    }

    fn type_(&self, name: &str, word: &str, question: &Question) -> Result<Resolved, String> {
        let pair = Pair { local: self.local, target: self.target.types };
        let fits = |candidate: &TypeId| match question {
            Question::TypeMatches => pair.types_match((self.root, *candidate)),
            _ => pair.types_compatible((self.root, *candidate)),
        };
        let size = |types: &Types, id: TypeId| {
            types.size(id).map(u64::from).ok_or_else(|| format!("{word} {name} has no size"))
        };
        let mut new = None;
        for candidate in self.target.candidates(self.local, self.root).filter(fits) {
            let value = match question {
                Question::TargetId => candidate as u64,
                Question::TypeSize => size(self.target.types, candidate)?,
                _ => 1,
            };
            if new.is_some_and(|earlier| earlier != value) {
                return Err(format!("several types of the name {name} answer differently"));
            }
            new = Some(value);
        }
        // All answers about a type that the target does not have are 0, as in libbpf.
        let new = new.unwrap_or(0);
        let change = match question {
            Question::TargetId => Change { certain: false, ..exact(self.root as u64, new) },
            Question::TypeSize => exact(size(self.local, self.root)?, new),
            _ => exact(1, new),
        };
        let asks = matches!(question, Question::TypeExists | Question::TypeMatches);
        Ok(Resolved {
            what: format!("{word} {name}"),
            asks,
            locates: false,
            resolution: Resolution::Value(change),
        })
    }
}
