//! The path of a relocation: from a root through members and elements.

use crate::types::{TypeId, TypeKind, Types};
use std::fmt::{self, Display, Formatter};

/// The most steps of a path, as in libbpf (`BPF_CORE_SPEC_MAX_LEN`).
pub(super) const LONGEST: usize = 64;

/// A step of a path: to a member, or to an element of an array. Structures without a name are
/// passed without a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step<'a> {
    /// Of a member the structure that has it; of an element its type.
    pub holder: TypeId,
    pub index: u32,
    /// Of a member.
    pub name: Option<&'a str>,
}

/// A path with what it comes to.
#[derive(Clone, Debug)]
pub(super) struct Path<'a> {
    pub steps: Vec<Step<'a>>,
    /// In bits from the root.
    pub at: u64,
}

impl<'a> Path<'a> {
    /// The path of a field, as the compiler writes it: `0:1:2`. The first number counts elements of
    /// the root, each other members or elements.
    ///
    /// # Errors
    ///
    /// The defect of a path.
    pub fn of_field(types: &'a Types, root: TypeId, text: &str) -> Result<Path<'a>, String> {
        let mut numbers = numbers(text)?.into_iter();
        let first = numbers.next().ok_or("its path is empty")?;
        let (root, _) = types.plain(root).ok_or("its root is no type")?;
        let size = types.size(root).ok_or("its root has no size")?;
        let steps = vec![Step { holder: root, index: first, name: None }];
        let mut path = Path { steps, at: bits(first, size)? };
        let mut reached = root;
        for index in numbers {
            let (holder, plain) = types.plain(reached).ok_or("its path leads to no type")?;
            match &plain.kind {
                TypeKind::Composite { members, .. } => {
                    let member = members.get(index as usize).ok_or_else(|| {
                        format!("its path has a member {index} of {}", members.len())
                    })?;
                    path.at += member.at as u64;
                    let name = types.member_name(member);
                    if !name.is_empty() {
                        path.steps.push(Step { holder, index, name: Some(name) });
                    }
                    reached = member.kind;
                }
                TypeKind::Array { element, count } => {
                    if index >= *count && !path.ends_flexible(types, *count) {
                        return Err(format!("its path has an element {index} of {count}"));
                    }
                    let (element, _) = types.plain(*element).ok_or("its path leads to no type")?;
                    path.element(types, element, index)?;
                    reached = element;
                }
                other => {
                    return Err(format!(
                        "its path goes into a type without parts, {}",
                        other.word()
                    ));
                }
            }
        }
        Ok(path)
    }

    /// Goes on to an element of an array.
    pub fn element(&mut self, types: &Types, element: TypeId, index: u32) -> Result<(), String> {
        let size = types.size(element).ok_or("its path leads to a type without a size")?;
        self.at =
            self.at.checked_add(bits(index, size)?).ok_or("its path leads beyond all memory")?;
        self.steps.push(Step { holder: element, index, name: None });
        Ok(())
    }

    /// Whether an array of so many elements, to which the latest step led, has as many as there is
    /// memory: the last member of a structure, without elements.
    pub fn ends_flexible(&self, types: &Types, count: u32) -> bool {
        let last = |step: &Step| match types.get(step.holder).map(|holder| &holder.kind) {
            Some(TypeKind::Composite { members, .. }) => {
                step.name.is_some() && step.index as usize + 1 == members.len()
            }
            _ => false,
        };
        count == 0 && self.steps.last().is_some_and(last)
    }
}

/// The numbers of a path.
pub(super) fn numbers(text: &str) -> Result<Vec<u32>, String> {
    let numbers: Vec<u32> = text
        .split(':')
        .take(LONGEST + 1)
        .map(|number| {
            number.parse().map_err(|_| {
                format!("its path is \"{text}\", and not numbers with colons between them")
            })
        })
        .collect::<Result<_, String>>()?;
    if numbers.len() > LONGEST {
        Err(format!("its path has more than {LONGEST} steps"))
    } else {
        Ok(numbers)
    }
}

fn bits(index: u32, size: u32) -> Result<u64, String> {
    (index as u64 * size as u64)
        .checked_mul(8)
        .ok_or_else(|| "its path leads beyond all memory".to_owned())
}

/// As in C: `.rcv_rtt_est.time`, `.s[1].v`.
impl Display for Path<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (place, step) in self.steps.iter().enumerate() {
            match step.name {
                Some(name) => write!(f, ".{name}")?,
                None if place > 0 || step.index > 0 => write!(f, "[{}]", step.index)?,
                None => {}
            }
        }
        Ok(())
    }
}
