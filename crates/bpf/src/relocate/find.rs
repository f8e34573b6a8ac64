//! The types of the target that a relocation may mean, and the path in them.

use super::compare::{Pair, essential, same_kind};
use super::path::{LONGEST, Path, Step};
use crate::types::{TypeId, TypeKind, Types};
use std::collections::BTreeMap;

/// The types that programs are relocated against, by name.
pub(crate) struct Target<'a> {
    pub(super) types: &'a Types,
    /// By their names without flavour.
    named: BTreeMap<&'a str, Vec<TypeId>>,
}

impl<'a> Target<'a> {
    pub fn new(types: &'a Types) -> Target<'a> {
        let mut named: BTreeMap<&str, Vec<TypeId>> = BTreeMap::new();
        for (id, one) in types.all() {
            let name = essential(types.name(one));
            if !name.is_empty() {
                named.entry(name).or_default().push(id);
            }
        }
        Target { types, named }
    }

    /// The types of the name and the kind of one of an object.
    pub(super) fn candidates(&self, local: &Types, root: TypeId) -> impl Iterator<Item = TypeId> {
        let root = local.get(root);
        let named = root
            .and_then(|root| self.named.get(essential(local.name(root))))
            .map(Vec::as_slice)
            .unwrap_or_default();
        let alike = move |id: &TypeId| {
            root.zip(self.types.get(*id))
                .is_some_and(|(root, one)| same_kind(&root.kind, &one.kind))
        };
        named.iter().copied().filter(alike)
    }

    /// The path of the same names in a type of the target. `None` if it has none.
    ///
    /// # Errors
    ///
    /// If its path were too long, or led beyond all memory.
    pub(super) fn follow(
        &self,
        local: &'a Types,
        path: &Path<'a>,
        candidate: TypeId,
    ) -> Result<Option<Path<'a>>, String> {
        let Some((root, _)) = self.types.plain(candidate) else { return Ok(None) };
        let mut found = Path { steps: Vec::new(), at: 0 };
        let mut reached = root;
        for (place, step) in path.steps.iter().enumerate() {
            if found.steps.len() == LONGEST {
                return Err(format!("its path has more than {LONGEST} steps"));
            }
            if step.name.is_some() {
                match self.member(local, step, reached, &mut found, 0) {
                    Some(next) => reached = next,
                    None => return Ok(None),
                }
                continue;
            }
            if place > 0 {
                match self.types.plain(reached).map(|(_, plain)| &plain.kind) {
                    Some(TypeKind::Array { element, count })
                        if step.index < *count || found.ends_flexible(self.types, *count) =>
                    {
                        reached = *element;
                    }
                    _ => return Ok(None),
                }
            }
            let Some((element, _)) = self.types.plain(reached) else { return Ok(None) };
            found.element(self.types, element, step.index)?;
            reached = element;
        }
        Ok(Some(found))
    }

    /// The member of the name of a step, also within structures without a name: it is added to the
    /// path. Its type.
    fn member(
        &self,
        local: &Types,
        step: &Step<'a>,
        within: TypeId,
        path: &mut Path<'a>,
        depth: usize,
    ) -> Option<TypeId> {
        let (holder, plain) = self.types.plain(within)?;
        let TypeKind::Composite { members, .. } = &plain.kind else { return None };
        if depth == LONGEST {
            return None;
        }
        for (index, member) in (0..).zip(members) {
            let name = self.types.member_name(member);
            if name.is_empty() {
                let before = path.at;
                path.at += member.at as u64;
                if let Some(found) = self.member(local, step, member.kind, path, depth + 1) {
                    return Some(found);
                }
                path.at = before;
            } else if Some(name) == step.name {
                let meant = match &local.get(step.holder)?.kind {
                    TypeKind::Composite { members, .. } => members.get(step.index as usize)?.kind,
                    _ => return None,
                };
                if !(Pair { local, target: self.types }).fields_compatible((meant, member.kind)) {
                    return None;
                }
                path.at += member.at as u64;
                path.steps.push(Step { holder, index, name: Some(name) });
                return Some(member.kind);
            }
        }
        None
    }
}
