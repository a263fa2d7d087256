//! Edges to files, lines and functions, by the debug information of the
//! harness.
//!
//! Every basic block is counted, so the code from one edge's address to the
//! next is one block, and its rows in the line table are the lines that ran.
//! This is exact at opt-level 0; an optimised build merges and moves lines.
//!
//! Coverable is what was compiled into the harness: a generic function that
//! nobody called and code behind a disabled `cfg` are not counted, because they
//! do not exist there.

use std::cell::RefCell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};

use addr2line::{Loader, Location};
use object::{Object, ObjectSymbol, SymbolKind};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("failed to read the harness {path}: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("failed to read the debug information of {path}: {reason}")]
    Debug { path: PathBuf, reason: String },
}

/// An edge as the worker reports it; its index is its place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub address: u64,
    pub entry: bool,
}

/// Where an edge begins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Relative to the source root.
    pub file: PathBuf,
    pub line: u32,
    pub function: String,
}

/// The meaning of the edges of one harness in the sources of one crate.
pub struct Sources {
    loader: Loader,
    root: PathBuf,
    functions: Functions,
    /// Per edge: its place, if that is in the crate, and the lines of its block
    /// by file (index into `files`).
    edges: Vec<Meaning>,
    files: Vec<PathBuf>,
    /// Files of the line table and what they are beneath the root.
    known: RefCell<HashMap<String, Option<PathBuf>>>,
}

#[derive(Clone, Debug, Default)]
struct Meaning {
    entry: bool,
    place: Option<Place>,
    lines: Vec<(usize, u32)>,
}

impl Sources {
    /// Reads the debug information of `executable` for these edges. Only files
    /// beneath `root`, the folder of the target crate's sources, count.
    pub fn read(executable: &Path, edges: &[Edge], root: &Path) -> Result<Sources, Error> {
        let unreadable = |source| Error::Read { path: executable.to_owned(), source };
        let root = std::path::absolute(root).map_err(unreadable)?;
        let root = root.canonicalize().unwrap_or(root);
        let bytes = std::fs::read(executable).map_err(unreadable)?;
        let malformed = |reason: String| Error::Debug { path: executable.to_owned(), reason };
        let functions = Functions::read(&bytes).map_err(|e| malformed(e.to_string()))?;
        let loader = Loader::new(executable).map_err(|e| malformed(e.to_string()))?;
        let mut sources = Sources {
            loader,
            root,
            functions,
            edges: Vec::new(),
            files: Vec::new(),
            known: RefCell::default(),
        };
        sources.edges = sources.meanings(edges);
        Ok(sources)
    }

    fn meanings(&mut self, edges: &[Edge]) -> Vec<Meaning> {
        let mut order: Vec<usize> = (0..edges.len()).collect();
        order.sort_by_key(|&index| edges[index].address);
        let mut meanings = vec![Meaning::default(); edges.len()];
        let mut files = BTreeMap::new();
        for (position, &index) in order.iter().enumerate() {
            let start = edges[index].address;
            let next = order.get(position + 1).map_or(u64::MAX, |&next| edges[next].address);
            let end = next.min(self.functions.end_of(start));
            let lines = self.lines_between(start, end, &mut files);
            let place = self.locate(start);
            meanings[index] = Meaning { entry: edges[index].entry, place, lines };
        }
        let mut names: Vec<(PathBuf, usize)> = files.into_iter().collect();
        names.sort_by_key(|(_, number)| *number);
        self.files = names.into_iter().map(|(file, _)| file).collect();
        meanings
    }

    /// The lines of the crate in a range of code. New files get the next number.
    fn lines_between(
        &self,
        start: u64,
        end: u64,
        files: &mut BTreeMap<PathBuf, usize>,
    ) -> Vec<(usize, u32)> {
        let Ok(rows) = self.loader.find_location_range(start, end.max(start + 1)) else {
            return Vec::new();
        };
        let mut lines = Vec::new();
        for (address, _, location) in rows {
            // A row may begin before the block that it reaches into.
            let Some((file, line)) = self.resolve(address.max(start), Some(location)) else {
                continue;
            };
            let number = files.len();
            let number = match files.entry(file) {
                Entry::Occupied(entry) => *entry.get(),
                Entry::Vacant(entry) => *entry.insert(number),
            };
            lines.push((number, line));
        }
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// The file and line of the crate that an address stands for. Code of
    /// others that was inlined into the crate stands for the line that called
    /// it.
    fn resolve(&self, address: u64, location: Option<Location<'_>>) -> Option<(PathBuf, u32)> {
        if let Some(found) = location.and_then(|location| self.own(&location)) {
            return Some(found);
        }
        let mut frames = self.loader.find_frames(address).ok()?;
        while let Ok(Some(frame)) = frames.next() {
            if let Some(found) = frame.location.and_then(|location| self.own(&location)) {
                return Some(found);
            }
        }
        None
    }

    fn own(&self, location: &Location<'_>) -> Option<(PathBuf, u32)> {
        let line = location.line.filter(|line| *line > 0)?;
        Some((self.inside(location.file?)?, line))
    }

    /// The path relative to the root, if the file lies beneath it. Asked for
    /// every row of the line table, so the answers are kept.
    fn inside(&self, file: &str) -> Option<PathBuf> {
        if let Some(known) = self.known.borrow().get(file) {
            return known.clone();
        }
        let plain = normal(Path::new(file));
        let inside = match plain.strip_prefix(&self.root) {
            Ok(file) => Some(file.to_owned()),
            // The build may have gone through a link to the root.
            Err(_) => plain
                .canonicalize()
                .ok()
                .and_then(|real| real.strip_prefix(&self.root).ok().map(Path::to_owned)),
        };
        self.known.borrow_mut().insert(file.to_owned(), inside.clone());
        inside
    }

    /// Where an address of the harness is in the sources of the crate: the site
    /// of a comparison, for one. `None` when it is elsewhere.
    pub fn locate(&self, address: u64) -> Option<Place> {
        let location = self.loader.find_location(address).ok()?;
        let (file, line) = self.resolve(address, location)?;
        let function = self.functions.name_of(address).unwrap_or_default();
        Some(Place { file, line, function })
    }

    /// Where an edge begins; `None` when that is not in the crate.
    pub fn place(&self, edge: usize) -> Option<&Place> {
        self.edges.get(edge)?.place.as_ref()
    }

    /// The lines of an edge's block, with their files.
    pub fn lines(&self, edge: usize) -> impl Iterator<Item = (&Path, u32)> {
        let lines = self.edges.get(edge).map_or(&[][..], |meaning| &meaning.lines);
        lines.iter().map(|(file, line)| (self.files[*file].as_path(), *line))
    }

    /// What a set of covered edges means for the crate.
    pub fn summary(&self, covered: impl Fn(usize) -> bool) -> Summary {
        let empty = |file: &PathBuf| FileCoverage { file: file.clone(), ..Default::default() };
        let mut files: Vec<FileCoverage> = self.files.iter().map(empty).collect();
        let numbers: HashMap<&Path, usize> =
            self.files.iter().enumerate().map(|(number, file)| (file.as_path(), number)).collect();
        let mut functions = BTreeMap::new();
        for (index, meaning) in self.edges.iter().enumerate() {
            let covered = covered(index);
            for (file, line) in &meaning.lines {
                *files[*file].lines.entry(*line).or_default() |= covered;
            }
            let Some(place) = &meaning.place else { continue };
            let Some(&number) = numbers.get(place.file.as_path()) else { continue };
            let file = &mut files[number];
            file.edges += 1;
            file.edges_covered += usize::from(covered);
            if meaning.entry {
                // Instances of a generic function begin at the same line.
                let function = functions.entry((number, place.line)).or_insert_with(|| {
                    FunctionCoverage { name: place.function.clone(), line: place.line, covered }
                });
                function.covered |= covered;
            }
        }
        for ((file, _), function) in functions {
            files[file].functions.push(function);
        }
        files.sort_by(|a, b| a.file.cmp(&b.file));
        Summary { files }
    }
}

/// The coverage of a crate, by file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub files: Vec<FileCoverage>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileCoverage {
    /// Relative to the source root.
    pub file: PathBuf,
    /// Every line that has code, and whether it ran.
    pub lines: BTreeMap<u32, bool>,
    /// By line; instances of a generic function count once.
    pub functions: Vec<FunctionCoverage>,
    pub edges: usize,
    pub edges_covered: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionCoverage {
    pub name: String,
    pub line: u32,
    pub covered: bool,
}

impl FileCoverage {
    pub fn lines_covered(&self) -> usize {
        self.lines.values().filter(|covered| **covered).count()
    }

    pub fn functions_covered(&self) -> usize {
        self.functions.iter().filter(|function| function.covered).count()
    }
}

impl Summary {
    pub fn lines(&self) -> usize {
        self.files.iter().map(|file| file.lines.len()).sum()
    }

    pub fn lines_covered(&self) -> usize {
        self.files.iter().map(FileCoverage::lines_covered).sum()
    }

    pub fn functions(&self) -> usize {
        self.files.iter().map(|file| file.functions.len()).sum()
    }

    pub fn functions_covered(&self) -> usize {
        self.files.iter().map(FileCoverage::functions_covered).sum()
    }
}

/// The functions of the executable by address, from its symbol table: debug
/// information of line tables only has no names.
struct Functions(Vec<(u64, u64, String)>);

impl Functions {
    fn read(bytes: &[u8]) -> Result<Functions, object::Error> {
        let file = object::File::parse(bytes)?;
        let text = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text);
        let mut functions: Vec<(u64, u64, String)> = text
            .map(|symbol| {
                let name = symbol.name().unwrap_or_default().to_owned();
                (symbol.address(), symbol.size(), name)
            })
            .collect();
        functions.sort_unstable();
        Ok(Functions(functions))
    }

    fn containing(&self, address: u64) -> Option<(usize, &(u64, u64, String))> {
        let after = self.0.partition_point(|(start, _, _)| *start <= address);
        let index = after.checked_sub(1)?;
        Some((index, &self.0[index]))
    }

    /// Where the function around an address ends.
    fn end_of(&self, address: u64) -> u64 {
        match self.containing(address) {
            // Some formats know no sizes; then the next function ends this one.
            Some((index, (_, 0, _))) => self.0.get(index + 1).map_or(u64::MAX, |next| next.0),
            Some((_, (start, size, _))) => start + size,
            None => address,
        }
    }

    fn name_of(&self, address: u64) -> Option<String> {
        let (_, (_, _, name)) = self.containing(address)?;
        Some(format!("{:#}", rustc_demangle::demangle(name)))
    }
}

/// A path without `.` and `..`, by its text alone.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_made_plain_without_asking_the_disk() {
        assert_eq!(normal(Path::new("/a/./b/../c")), Path::new("/a/c"));
        assert_eq!(normal(Path::new("/../a")), Path::new("/a"));
    }

    #[test]
    fn functions_are_found_by_address_and_end_where_their_size_says() {
        let functions = Functions(vec![
            (10, 5, "_ZN1a1bE".to_owned()),
            (20, 0, "c".to_owned()),
            (30, 4, "d".to_owned()),
        ]);
        assert_eq!(functions.name_of(12).as_deref(), Some("a::b"));
        assert_eq!(functions.end_of(12), 15);
        assert_eq!(functions.end_of(22), 30);
        assert_eq!(functions.end_of(5), 5);
    }
}
