//! A module with addresses for its functions and globals, lowered on demand.
//!
//! Addresses are fixed when the module is read, so constants that hold them are
//! plain numbers and every run of the program sees the same ones.

use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use super::api::{LlvmError, Module, Ref};
use super::constant::{VALUE_ALIAS, VALUE_FUNCTION, VALUE_GLOBAL};
use super::lower;
use crate::ir::{Function, FunctionId, Origin, PlaceId, Site, SiteId};
use crate::machine::Place;

/// The upper half of every function's address.
pub const FUNCTION_REGION: u32 = 0x7f00_0000;
/// Functions lie this far apart.
const FUNCTION_STRIDE: u64 = 16;

struct Entry {
    value: Ref,
    symbol: String,
    name: String,
    body: Option<Rc<Function>>,
}

struct Global {
    value: Ref,
    address: u64,
}

/// A compiled program, ready to be run by the machine.
pub struct Program {
    pub(super) module: Module,
    functions: Vec<Entry>,
    function_ids: HashMap<Ref, FunctionId>,
    globals: Vec<Global>,
    global_ids: HashMap<Ref, u32>,
    sites: Vec<Site>,
    places: Vec<Place>,
    place_ids: HashMap<Place, PlaceId>,
}

impl Program {
    /// Reads bitcode and keeps what the functions accepted by `is_entry` reach.
    /// `is_entry` is given demangled paths.
    pub fn open(
        library: &Path,
        bitcode: &Path,
        is_entry: &dyn Fn(&str) -> bool,
    ) -> Result<Program, LlvmError> {
        let module = Module::open(library, bitcode)?;
        let mut entries = vec![];
        let mut function = llvm!(module, LLVMGetFirstFunction(module.module));
        while !function.is_null() {
            let symbol = module.symbol(function);
            if is_entry(&demangle(&symbol)) {
                entries.push(symbol);
            }
            function = llvm!(module, LLVMGetNextFunction(function));
        }
        let keep: Vec<String> = entries.iter().map(|s| format!("preserve-gv={s}")).collect();
        // `sroa` keeps locals in registers: a third of the steps less. Nothing that folds
        // branches is run, because the branches of the source are what is explored.
        if !keep.is_empty() {
            module.run_passes(&format!("internalize<{}>,globaldce", keep.join(";")))?;
        }
        module.run_passes("function(sroa)")?;
        Ok(Program::index(module))
    }

    fn index(module: Module) -> Program {
        let mut program = Program {
            module,
            functions: vec![],
            function_ids: HashMap::new(),
            globals: vec![],
            global_ids: HashMap::new(),
            sites: vec![],
            places: vec![],
            place_ids: HashMap::new(),
        };
        let mut value = llvm!(program.module, LLVMGetFirstFunction(program.module.module));
        while !value.is_null() {
            let symbol = program.module.symbol(value);
            let name = demangle(&symbol);
            program.function_ids.insert(value, FunctionId(program.functions.len() as u32));
            program.functions.push(Entry { value, symbol, name, body: None });
            value = llvm!(program.module, LLVMGetNextFunction(value));
        }
        let mut value = llvm!(program.module, LLVMGetFirstGlobal(program.module.module));
        while !value.is_null() {
            let align = u64::from(llvm!(program.module, LLVMGetAlignment(value))).max(16);
            let index = program.globals.len() as u32;
            let address = u64::from(index + 1) << 32 | align;
            program.global_ids.insert(value, index);
            program.globals.push(Global { value, address });
            value = llvm!(program.module, LLVMGetNextGlobal(value));
        }
        program
    }

    /// The functions whose demangled path is accepted.
    pub fn find(&self, accepts: &dyn Fn(&str) -> bool) -> Vec<(FunctionId, &str)> {
        let entries = self.functions.iter().enumerate();
        let accepted = entries.filter(|(_, entry)| accepts(&entry.name));
        accepted.map(|(index, entry)| (FunctionId(index as u32), entry.name.as_str())).collect()
    }

    pub fn name(&self, id: FunctionId) -> &str {
        &self.functions[id.0 as usize].name
    }

    pub fn symbol(&self, id: FunctionId) -> &str {
        &self.functions[id.0 as usize].symbol
    }

    /// Whether the function has a body in this program.
    pub fn is_defined(&self, id: FunctionId) -> bool {
        llvm!(self.module, LLVMIsDeclaration(self.functions[id.0 as usize].value)) == 0
    }

    /// The body, lowered the first time it is asked for.
    pub fn body(&mut self, id: FunctionId) -> Rc<Function> {
        if let Some(body) = &self.functions[id.0 as usize].body {
            return body.clone();
        }
        let entry = &self.functions[id.0 as usize];
        let (value, name) = (entry.value, entry.name.clone());
        let body = Rc::new(lower::lower(self, value, name));
        self.functions[id.0 as usize].body = Some(body.clone());
        body
    }

    /// The function at an address.
    pub fn function_at(&self, address: u64) -> Option<FunctionId> {
        let offset = address & 0xffff_ffff;
        let inside =
            (address >> 32) as u32 == FUNCTION_REGION && offset.is_multiple_of(FUNCTION_STRIDE);
        let index = (offset / FUNCTION_STRIDE) as usize;
        (inside && index < self.functions.len()).then_some(FunctionId(index as u32))
    }

    /// How many globals there are; they are the objects 1 to this number.
    pub fn global_count(&self) -> u32 {
        self.globals.len() as u32
    }

    /// The path of a global.
    pub fn global_name(&self, index: u32) -> String {
        demangle(&self.module.symbol(self.globals[index as usize].value))
    }

    /// Whether a global belongs to the library: its locks, caches and counters.
    pub fn is_library_global(&self, index: u32) -> bool {
        let name = self.global_name(index);
        let path = name.trim_start_matches(['<', '&']);
        ["std::", "core::", "alloc::", "hashbrown::", "std_detect::", "testsmith::", "panic_"]
            .iter()
            .any(|krate| path.starts_with(krate))
    }

    /// How a global is aligned.
    pub fn global_align(&self, index: u32) -> u64 {
        let value = self.globals[index as usize].value;
        u64::from(llvm!(self.module, LLVMGetAlignment(value))).max(1)
    }

    /// The first bytes of a global and whether it may be written.
    pub fn global(&self, index: u32) -> Result<(u32, Vec<u8>, bool), String> {
        let global = &self.globals[index as usize];
        let base = (global.address & 0xffff_ffff) as u32;
        if llvm!(self.module, LLVMIsDeclaration(global.value)) != 0 {
            return Err(format!("the foreign variable {}", self.module.symbol(global.value)));
        }
        let ty = llvm!(self.module, LLVMGlobalGetValueType(global.value));
        let mut bytes = vec![0; self.module.size(ty) as usize];
        let initialiser = llvm!(self.module, LLVMGetInitializer(global.value));
        self.initialise(initialiser, &mut bytes)?;
        let writable = llvm!(self.module, LLVMIsGlobalConstant(global.value)) == 0;
        Ok((base, bytes, writable))
    }

    /// The conditional jumps of the functions lowered so far.
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    pub fn site(&self, id: SiteId) -> &Site {
        &self.sites[id.0 as usize]
    }

    pub(super) fn new_site(&mut self, site: Site) -> SiteId {
        self.sites.push(site);
        SiteId(self.sites.len() as u32 - 1)
    }

    pub fn place(&self, id: PlaceId) -> &Place {
        &self.places[id.0 as usize]
    }

    pub(super) fn place_of(&mut self, instruction: Ref) -> PlaceId {
        let (file, line, column) = self.module.outer_place(instruction);
        let place = Place { file, line, column };
        let next = PlaceId(self.places.len() as u32);
        let id = *self.place_ids.entry(place.clone()).or_insert(next);
        if id == next {
            self.places.push(place);
        }
        id
    }

    /// Whose code a function is, by the file it is written in.
    pub(super) fn origin(&self, value: Ref) -> Origin {
        match self.module.file_of(value) {
            Some(file) => origin_of(&file),
            // What has no source was made by the compiler: shims, `__rust_try`.
            None => Origin::Library,
        }
    }

    pub(super) fn function_id(&self, value: Ref) -> Option<FunctionId> {
        self.function_ids.get(&value).copied()
    }

    /// The address of a function, a global, or what an alias stands for.
    pub(super) fn address(&self, value: Ref) -> Result<u64, String> {
        match self.value_kind(value) {
            VALUE_FUNCTION => {
                let id = self.function_ids.get(&value).ok_or("an unlisted function")?;
                Ok((u64::from(FUNCTION_REGION) << 32) | (u64::from(id.0) * FUNCTION_STRIDE))
            }
            VALUE_GLOBAL => {
                let index = self.global_ids.get(&value).ok_or("an unlisted global")?;
                Ok(self.globals[*index as usize].address)
            }
            VALUE_ALIAS => {
                let aliasee = llvm!(self.module, LLVMAliasGetAliasee(value));
                match self.constant(aliasee)?[..] {
                    [address] => Ok(address as u64),
                    _ => Err("an alias of an aggregate".to_owned()),
                }
            }
            kind => Err(format!("the address of a value of kind {kind}")),
        }
    }
}

fn origin_of(file: &str) -> Origin {
    let file = file.replace('\\', "/");
    let table = |part: &str| {
        part.strip_prefix("hashbrown-").is_some_and(|v| v.starts_with(|c: char| c.is_ascii_digit()))
    };
    if file.split('/').any(table) {
        return Origin::Table;
    }
    let library = match file.strip_prefix("/rustc/") {
        Some(rest) => rest.split_once("/library/").map(|(_, inside)| inside),
        None => file.split_once("/rustlib/src/rust/library/").map(|(_, inside)| inside),
    };
    match library {
        Some(inside) if inside.starts_with("std/src/collections/hash/") => Origin::Table,
        Some(inside)
            if inside.starts_with("core/src/ptr/")
                || matches!(inside, "core/src/cmp.rs" | "core/src/hash/mod.rs") =>
        {
            Origin::Pointer
        }
        Some(_) => Origin::Library,
        None if file.starts_with("/rust/deps/") => Origin::Library,
        None => Origin::User,
    }
}

fn demangle(symbol: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(symbol))
}

#[cfg(test)]
mod tests {
    use super::{Origin, origin_of};

    #[test]
    fn the_file_says_whose_code_it_is() {
        let of = |file: &str| origin_of(file);
        assert_eq!(of("/rustc/59807616/library/core/src/option.rs"), Origin::Library);
        assert_eq!(of("/rustc/59807616/library/std/src/collections/hash/map.rs"), Origin::Table);
        assert_eq!(of("/rustc/59807616/library/core/src/ptr/mut_ptr.rs"), Origin::Pointer);
        assert_eq!(of("/rust/deps/hashbrown-0.16.1/src/raw.rs"), Origin::Table);
        assert_eq!(of("/rust/deps/addr2line-0.25.1/src/lib.rs"), Origin::Library);
        assert_eq!(
            of("/home/x/.cargo/registry/src/index/hashbrown-0.17.1/src/map.rs"),
            Origin::Table
        );
        assert_eq!(of("/home/x/hashbrown-fork/src/map.rs"), Origin::User);
        assert_eq!(of("/home/x/library/core/src/lib.rs"), Origin::User);
    }
}
