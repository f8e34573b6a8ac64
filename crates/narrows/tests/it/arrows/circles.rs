//! No files of a crate depend on each other in a circle: neither of two such files can be
//! understood alone.

use super::{root, rust_files};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use syn::visit::{self, Visit};
use syn::{Attribute, File, Item, ItemMod, ItemUse, UseTree, Visibility};

/// Names of a module, from the root of its crate.
type Module = Vec<String>;

struct Source {
    module: Module,
    syntax: File,
}

/// Returns the files of a crate that are built without tests.
fn sources(directory: &Path) -> Vec<Source> {
    let source = |file: std::path::PathBuf| {
        let inside = file.strip_prefix(directory).expect("a file of the crate").with_extension("");
        let mut module: Module =
            inside.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        module.pop_if(|last| ["lib", "main", "mod"].contains(&last.as_str()));
        let syntax =
            syn::parse_file(&fs::read_to_string(&file).expect("readable source")).expect("Rust");
        Source { module, syntax }
    };
    // main.rs beside lib.rs is a crate of its own.
    let is_program = |file: &std::path::PathBuf| {
        *file == directory.join("main.rs") && directory.join("lib.rs").exists()
    };
    let all: Vec<Source> =
        rust_files(directory).into_iter().filter(|file| !is_program(file)).map(source).collect();
    let of_tests: BTreeSet<Module> = all.iter().flat_map(test_modules).collect();
    all.into_iter()
        .filter(|source| !of_tests.iter().any(|tests| source.module.starts_with(tests)))
        .collect()
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    let named = |attribute: &Attribute| {
        attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    };
    attributes.iter().any(|attribute| attribute.path().is_ident("cfg") && named(attribute))
}

fn test_modules(source: &Source) -> Vec<Module> {
    let child = |item: &Item| match item {
        Item::Mod(module) if is_for_tests(&module.attrs) => {
            Some(joined(&source.module, &[module.ident.to_string()]))
        }
        _ => None,
    };
    source.syntax.items.iter().filter_map(child).collect()
}

fn joined(module: &[String], names: &[String]) -> Module {
    module.iter().chain(names).cloned().collect()
}

/// Paths that a file uses, in its imports and in its code. A re-export does not count as a use.
struct Named<'a> {
    module: &'a Module,
    paths: Vec<Module>,
    exports: Vec<(String, Module)>,
}

impl Named<'_> {
    /// Returns a path from the crate's root, or `None` if the path begins elsewhere.
    fn absolute(&self, names: &[String], children: &BTreeSet<Module>) -> Option<Module> {
        let (first, rest) = names.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some(joined(self.module, rest)),
            "super" => {
                let ups = names.iter().take_while(|name| *name == "super").count();
                Some(joined(&self.module[..self.module.len().checked_sub(ups)?], &names[ups..]))
            }
            _ => children
                .contains(&joined(self.module, std::slice::from_ref(first)))
                .then(|| joined(self.module, names)),
        }
    }

    fn tree(&mut self, before: &[String], tree: &UseTree, exported: bool) {
        match tree {
            UseTree::Path(path) => {
                self.tree(&joined(before, &[path.ident.to_string()]), &path.tree, exported)
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.tree(before, tree, exported))
            }
            UseTree::Name(name) => {
                self.name(before, name.ident.to_string(), name.ident.to_string(), exported)
            }
            UseTree::Rename(rename) => {
                self.name(before, rename.ident.to_string(), rename.rename.to_string(), exported)
            }
            UseTree::Glob(_) => self.paths.push(before.to_vec()),
        }
    }

    fn name(&mut self, before: &[String], name: String, known_as: String, exported: bool) {
        let path = if name == "self" { before.to_vec() } else { joined(before, &[name]) };
        if exported { self.exports.push((known_as, path)) } else { self.paths.push(path) }
    }
}

impl<'ast> Visit<'ast> for Named<'_> {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.tree(&[], &item.tree, !matches!(item.vis, Visibility::Inherited));
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    /// The path in `pub(in PATH)` is not a use.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 {
            self.paths
                .push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }
}

/// Returns the files that each file of a crate uses.
fn needs(directory: &Path) -> BTreeMap<Module, BTreeSet<Module>> {
    let sources = sources(directory);
    let modules: BTreeSet<Module> = sources.iter().map(|source| source.module.clone()).collect();
    let mut all: BTreeMap<&Module, (Vec<Module>, BTreeMap<String, Module>)> = BTreeMap::new();
    for source in &sources {
        let mut named = Named { module: &source.module, paths: Vec::new(), exports: Vec::new() };
        named.visit_file(&source.syntax);
        let absolute = |path: &Module| named.absolute(path, &modules);
        let paths = named.paths.iter().filter_map(absolute).collect();
        let exports = named
            .exports
            .iter()
            .filter_map(|(name, path)| Some((name.clone(), absolute(path)?)))
            .collect();
        all.insert(&source.module, (paths, exports));
    }
    // Finds the file that defines a path, through re-exports.
    let file_of = |path: &Module| {
        let mut path = path.clone();
        for _ in 0..10 {
            let inside = (0..=path.len())
                .rev()
                .map(|length| &path[..length])
                .find(|prefix| modules.contains(*prefix))?;
            match path.get(inside.len()).and_then(|name| all[&inside.to_vec()].1.get(name)) {
                Some(exported) => path = joined(exported, &path[inside.len() + 1..]),
                None => return Some(inside.to_vec()),
            }
        }
        None
    };
    all.iter()
        .map(|(module, (paths, _))| {
            (
                (*module).clone(),
                paths.iter().filter_map(file_of).filter(|to| to != *module).collect(),
            )
        })
        .collect()
}

/// Returns all files that a file uses, directly or indirectly.
fn reached(needs: &BTreeMap<Module, BTreeSet<Module>>, from: &Module) -> BTreeSet<Module> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        open.extend(needs[module].iter().filter(|next| reached.insert((*next).clone())));
    }
    reached
}

#[test]
fn no_files_of_a_crate_need_each_other() {
    let mut circles = Vec::new();
    let mut files = 0;
    for entry in fs::read_dir(root().join("crates")).expect("crates") {
        let room = entry.expect("an entry").path();
        let needs = needs(&room.join("src"));
        files += needs.len();
        let reach: BTreeMap<&Module, BTreeSet<Module>> =
            needs.keys().map(|module| (module, reached(&needs, module))).collect();
        for (module, direct) in &needs {
            let back: Vec<String> = direct
                .iter()
                .filter(|to| reach[*to].contains(module))
                .map(|to| to.join("::"))
                .collect();
            if !back.is_empty() {
                let room = room.file_name().expect("a name").to_string_lossy();
                circles.push(format!("{room}: {} needs {}", module.join("::"), back.join(", ")));
            }
        }
    }
    circles.sort();
    assert!(files > 300, "only {files} files found");
    assert!(
        circles.is_empty(),
        "files that need each other; give both what they share in a file of its own:\n{}",
        circles.join("\n")
    );
}
