//! Graph of the modules of a crate.
//!
//! A module is a file. It uses the targets of its `use` declarations and of its paths; a re-export
//! leads on to its target. A declaration, `mod name;`, is not a use, nor is a re-export of an item
//! that the module itself does not use. Code for tests and fuzzing is ignored, and so are the
//! arguments of macros.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, ItemMod, ItemUse, UseTree, VisRestricted, Visibility};

/// The words of a path from the root of a crate: `["graphql", "schema"]`.
pub type ModulePath = Vec<String>;

#[derive(Default)]
pub struct Modules {
    /// The imports of each module from its own crate, by local name.
    imports: BTreeMap<ModulePath, BTreeMap<String, ModulePath>>,
    /// The uses of each module.
    uses: BTreeMap<ModulePath, BTreeSet<ModulePath>>,
}

impl Modules {
    /// Reads all files below a folder `src`.
    pub fn read(src: &Path) -> Self {
        let mut files = Vec::new();
        let mut waiting = vec![src.to_owned()];
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    waiting.push(path);
                } else if path.extension().is_some_and(|it| it == "rs") {
                    let name = path.strip_prefix(src).unwrap().with_extension("");
                    let words = name.iter().map(|it| it.to_str().unwrap().to_owned());
                    files.push((words.collect(), fs::read_to_string(&path).unwrap()));
                }
            }
        }
        let is_library = files.iter().any(|(words, _): &(ModulePath, _)| words == &["lib"]);
        // A program beside a library is another crate.
        files.retain(|(words, _)| !is_library || (words != &["main"] && words[0] != "bin"));
        Self::of(files)
    }

    /// The same from texts, by the words of their paths.
    pub fn of(files: Vec<(ModulePath, String)>) -> Self {
        let mut files: Vec<_> = files;
        for (words, _) in &mut files {
            if ["lib", "main", "mod"].contains(&words.last().unwrap().as_str()) {
                words.pop();
            }
        }
        let parsed = files.iter().map(|(module, text)| (module, syn::parse_file(text).unwrap()));
        let mut parsed: Vec<_> = parsed.collect();
        let for_tests: Vec<_> = parsed.iter().flat_map(|(it, file)| for_tests(it, file)).collect();
        parsed.retain(|(module, _)| !for_tests.iter().any(|it| module.starts_with(it)));
        let all = parsed.iter().map(|(module, _)| (*module).clone()).collect();
        let mut modules = Self::default();
        for (module, file) in &parsed {
            let mut reader = Reader::new(&all, module);
            reader.visit_file(file);
            let exports = reader.exports.into_iter();
            let used = exports.filter(|(name, _)| reader.mentioned.contains(name));
            reader.uses.extend(used.map(|(_, path)| path));
            modules.imports.insert(module.to_vec(), reader.imports);
            modules.uses.insert(module.to_vec(), reader.uses);
        }
        let uses = modules.uses.iter().map(|(module, paths)| {
            let targets = paths.iter().map(|path| modules.owner(path));
            (module.clone(), targets.filter(|target| target != module).collect())
        });
        Self { uses: uses.collect(), ..modules }
    }

    /// The module in which a path ends, re-exports followed.
    fn owner(&self, path: &[String]) -> ModulePath {
        let mut path = path.to_vec();
        // Two re-exports may lead to each other, as a name for a type and one for a function.
        for _ in 0..16 {
            let depth = (0..=path.len()).rev().find(|it| self.imports.contains_key(&path[..*it]));
            let (module, rest) = path.split_at(depth.unwrap());
            let target = rest.first().and_then(|name| self.imports[module].get(name));
            match target {
                Some(target) => path = target.iter().chain(&rest[1..]).cloned().collect(),
                None => return module.to_vec(),
            }
        }
        Vec::new()
    }

    /// The modules that stand right below the root, each with all that is below it.
    pub fn folders(&self) -> Self {
        let mut folders = Self::default();
        for (module, used) in self.uses.iter().filter(|(module, _)| !module.is_empty()) {
            let used = used.iter().filter(|it| !it.is_empty() && it[0] != module[0]);
            let folder = folders.uses.entry(vec![module[0].clone()]).or_default();
            folder.extend(used.map(|it| vec![it[0].clone()]));
        }
        folders
    }

    /// Groups of modules that use each other, in words.
    pub fn circles(&self) -> Vec<String> {
        let reached: BTreeMap<_, _> = self.uses.keys().map(|it| (it, self.reached(it))).collect();
        let mut circles = BTreeSet::new();
        for (module, from_here) in &reached {
            let group = from_here.iter().filter(|it| reached[*it].contains(module));
            let group: BTreeSet<_> = group.collect();
            let arrows = group.iter().flat_map(|one| {
                let others = self.uses[**one].iter().filter(|it| group.contains(it));
                others.map(|other| format!("{} -> {}", shown(one), shown(other)))
            });
            circles.insert(arrows.collect::<Vec<_>>().join(", "));
        }
        circles.into_iter().filter(|it| !it.is_empty()).collect()
    }

    /// All that a module uses, directly or transitively.
    fn reached(&self, module: &ModulePath) -> BTreeSet<&ModulePath> {
        let mut found = BTreeSet::new();
        let mut waiting: Vec<_> = self.uses[module].iter().collect();
        while let Some(next) = waiting.pop() {
            if found.insert(next) {
                waiting.extend(&self.uses[next]);
            }
        }
        found
    }
}

fn shown(module: &[String]) -> String {
    if module.is_empty() { "the root".to_owned() } else { module.join("::") }
}

/// Visitor of one file.
struct Reader<'a> {
    all: &'a BTreeSet<ModulePath>,
    /// Path of the current module: the file's module, or an inline module.
    here: ModulePath,
    /// Length of the path of the file's module.
    depth: usize,
    imports: BTreeMap<String, ModulePath>,
    uses: BTreeSet<ModulePath>,
    /// True within a re-export.
    exporting: bool,
    exports: BTreeMap<String, ModulePath>,
    /// The names that paths begin with.
    mentioned: BTreeSet<String>,
}

impl<'a> Reader<'a> {
    fn new(all: &'a BTreeSet<ModulePath>, module: &ModulePath) -> Self {
        Self {
            all,
            here: module.clone(),
            depth: module.len(),
            imports: BTreeMap::new(),
            uses: BTreeSet::new(),
            exporting: false,
            exports: BTreeMap::new(),
            mentioned: BTreeSet::new(),
        }
    }

    /// A path from the root; none for a path of another crate, or of something close by.
    fn absolute(&self, words: &[String]) -> Option<ModulePath> {
        let mut base = self.here.clone();
        let mut words = words;
        match words.first()?.as_str() {
            "crate" => {
                base.clear();
                words = &words[1..];
            }
            "self" => words = &words[1..],
            "super" => {
                while let Some((_, rest)) = words.split_first().filter(|(it, _)| *it == "super") {
                    base.pop();
                    words = rest;
                }
            }
            child => {
                let child = [base.as_slice(), &[child.to_owned()]].concat();
                self.all.get(&child)?;
            }
        }
        base.extend_from_slice(words);
        Some(base)
    }

    fn import(&mut self, before: &[String], tree: &UseTree) {
        let with = |name: String| [before, &[name]].concat();
        let (path, name) = match tree {
            UseTree::Path(tree) => return self.import(&with(tree.ident.to_string()), &tree.tree),
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.import(before, tree));
            }
            UseTree::Name(tree) if tree.ident == "self" => {
                (before.to_vec(), before.last().cloned())
            }
            UseTree::Name(tree) => (with(tree.ident.to_string()), Some(tree.ident.to_string())),
            UseTree::Rename(tree) => (with(tree.ident.to_string()), Some(tree.rename.to_string())),
            UseTree::Glob(_) => (before.to_vec(), None),
        };
        let Some(path) = self.absolute(&path) else { return };
        let Some(name) = name.filter(|_| self.here.len() == self.depth) else {
            self.uses.insert(path);
            return;
        };
        // A module that exports its child's item of the same name means the item.
        if path.split_last() != Some((&name, self.here.as_slice())) {
            self.imports.insert(name.clone(), path.clone());
        }
        if self.exporting {
            self.exports.insert(name, path);
        } else {
            self.uses.insert(path);
        }
    }
}

fn is_for_tests(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| {
        let condition = attr.path().is_ident("cfg").then(|| attr.parse_args::<syn::Path>());
        condition.is_some_and(|it| it.is_ok_and(|it| it.is_ident("test") || it.is_ident("fuzzing")))
    })
}

/// The modules in files of their own that a file declares for tests alone.
fn for_tests(module: &[String], file: &syn::File) -> Vec<ModulePath> {
    let declared = file.items.iter().filter_map(|item| match item {
        Item::Mod(it) if it.content.is_none() && is_for_tests(&it.attrs) => Some(&it.ident),
        _ => None,
    });
    declared.map(|name| [module, &[name.to_string()]].concat()).collect()
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let attrs = match item {
            Item::Fn(it) => &it.attrs,
            Item::Impl(it) => &it.attrs,
            Item::Mod(it) => &it.attrs,
            Item::Use(it) => &it.attrs,
            _ => return visit::visit_item(self, item),
        };
        if !is_for_tests(attrs) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        match item {
            ImplItem::Fn(it) if is_for_tests(&it.attrs) => {}
            _ => visit::visit_impl_item(self, item),
        }
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        self.here.push(module.ident.to_string());
        visit::visit_item_mod(self, module);
        self.here.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.exporting = !matches!(item.vis, Visibility::Inherited);
        self.import(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let words: ModulePath = path.segments.iter().map(|it| it.ident.to_string()).collect();
        self.mentioned.extend(words.first().cloned());
        if words.len() > 1 && path.leading_colon.is_none() {
            self.uses.extend(self.absolute(&words));
        }
        visit::visit_path(self, path);
    }

    /// `pub(in crate::a)` uses nothing.
    fn visit_vis_restricted(&mut self, _: &'ast VisRestricted) {}
}
