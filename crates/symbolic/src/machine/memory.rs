//! Memory: separate objects of concrete size, bytes that may be symbolic.
//!
//! The upper half of an address names the object, the lower half the place in
//! it, so an access finds its object at once and can never stray into a
//! neighbour. Heap addresses are never used twice in a run; stack addresses
//! are. Uninitialised bytes read as zero. A program may look at its addresses;
//! so there are two layouts, and what differs between them is not claimed.

use std::rc::Rc;

use super::End;
use super::journal::Stretch;
use crate::llvm::{FUNCTION_REGION, Program};
use testsmith_solver::term::{FastMap, Pool, Term};

const HEAP_REGION: u32 = 0x1000_0000;
const STACK_REGION: u32 = 0x2000_0000;
const REGION_END: u32 = 0x3000_0000;
/// Numbers below are the places of globals.
const FIRST_BIRTH: u32 = 0x1000_0000;

/// How the bound of the stack is told: what natively ends there is no failure.
pub const STACK: &str = "bytes of stack";

/// Where objects lie.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Layout {
    /// In the order in which they are made, each at an address fit for anything.
    #[default]
    Ordered,
    /// The other way round, and aligned no better than asked for.
    Scattered,
}

impl Layout {
    /// The place in the region of the object with this number, and the other way round.
    fn place(self, number: u32) -> u32 {
        match self {
            Layout::Ordered => number,
            Layout::Scattered => (STACK_REGION - HEAP_REGION - 1).wrapping_sub(number),
        }
    }

    /// Where an object begins in its part of the address space.
    fn base(self, align: u64) -> u32 {
        /// What is below is left free, so that small offsets stay apart from null.
        const LEAST: u32 = 16;
        let align = (align as u32).max(1);
        match self {
            Layout::Ordered => align.max(LEAST),
            // An odd multiple.
            Layout::Scattered => align * ((LEAST / align) | 1).max(3),
        }
    }
}

/// A scalar: its value in this run, and the term it came from if it depends on the input.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Value {
    pub bits: u128,
    pub term: Option<Term>,
}

impl Value {
    pub fn concrete(bits: u128) -> Value {
        Value { bits, term: None }
    }
}

/// One byte of a term that lies in memory.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Part {
    term: Term,
    byte: u8,
}

/// A piece of memory that is allocated and freed as one.
#[derive(Clone, Debug, Default)]
pub struct Object {
    base: u32,
    align: u32,
    /// Tells objects apart that lie at the same place one after the other.
    birth: u32,
    bytes: Vec<u8>,
    /// Empty as long as every byte is concrete.
    shadow: Vec<Option<Part>>,
    writable: bool,
    live: bool,
}

impl Object {
    fn new(base: u32, bytes: Vec<u8>, writable: bool) -> Object {
        Object { base, align: 1, birth: 0, bytes, shadow: vec![], writable, live: true }
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }
}

enum Global {
    Absent,
    Shared(Rc<Object>),
    Own(Box<Object>),
}

/// The initial contents of globals, shared by all runs.
#[derive(Default)]
pub struct Image {
    globals: Vec<Option<Rc<Object>>>,
}

/// The memory of one run.
pub struct Memory {
    globals: Vec<Global>,
    heap: Vec<Object>,
    stack: Vec<Object>,
    spare: Vec<Object>,
    allocated: u64,
    limit: u64,
    /// What lies on the stack, in bytes, and how much may.
    stacked: u64,
    stack_limit: u64,
    layout: Layout,
    births: u32,
    /// What was done first to each global, and whether it was written at all.
    touched: FastMap<u32, Touched>,
    /// What is written, while it may have to be taken back.
    pub(super) journal: Option<Vec<Stretch>>,
}

#[derive(Copy, Clone, Default)]
struct Touched {
    read_first: bool,
    written: bool,
}

/// Statics of the program, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statics {
    /// Read as they were found.
    pub found: Vec<String>,
    pub written: Vec<String>,
}

/// What is known of the object that an address points into.
#[derive(Copy, Clone, Debug)]
pub struct AddressFacts {
    pub birth: u32,
    /// Its first address, here.
    pub start: u64,
    pub align: u64,
    /// Whether the address differs from every address in another such object.
    pub distinct: bool,
}

fn fault(what: &str) -> End {
    End::Undefined(what.to_owned())
}

impl Memory {
    pub fn new(global_count: u32, limits: (u64, u64), layout: Layout) -> Memory {
        let (limit, stack_limit) = limits;
        let globals = (0..global_count).map(|_| Global::Absent).collect();
        Memory {
            globals,
            heap: vec![],
            stack: vec![],
            spare: vec![],
            allocated: 0,
            limit,
            stacked: 0,
            stack_limit,
            layout,
            // Globals and functions are born before everything else.
            births: FIRST_BIRTH,
            touched: FastMap::default(),
            journal: None,
        }
    }

    /// A new heap object, or the end of the path if memory is used up.
    pub fn allocate(&mut self, size: u64, align: u64) -> Result<u64, End> {
        self.allocated = self.allocated.saturating_add(size);
        if self.allocated > self.limit {
            return Err(End::Limit(format!("the memory bound of {} bytes", self.limit)));
        }
        let base = self.layout.base(align);
        let index = self.layout.place(self.heap.len() as u32);
        let mut object = Object::new(base, vec![0; size as usize], true);
        object.align = align as u32;
        object.birth = self.births;
        self.births += 1;
        self.heap.push(object);
        Ok(u64::from(HEAP_REGION + index) << 32 | u64::from(base))
    }

    pub fn free(&mut self, address: u64) -> Result<(), End> {
        let index = self.heap_index(address);
        match self.heap.get_mut(index) {
            Some(object) if object.live && object.base == address as u32 => {
                object.live = false;
                self.allocated -= object.bytes.len() as u64;
                object.bytes = vec![];
                object.shadow = vec![];
                Ok(())
            }
            _ => Err(fault("freed what is not allocated")),
        }
    }

    fn heap_index(&self, address: u64) -> usize {
        self.layout.place(((address >> 32) as u32).wrapping_sub(HEAP_REGION)) as usize
    }

    /// The size of the heap object at an address.
    pub fn size_of(&self, address: u64) -> Option<u64> {
        self.heap
            .get(self.heap_index(address))
            .filter(|object| object.live)
            .map(|object| object.bytes.len() as u64)
    }

    /// A new object on the stack, until [`Memory::pop_stack`].
    pub fn push_stack(&mut self, size: u64, align: u64) -> Result<u64, End> {
        if size > self.stack_limit - self.stacked {
            return Err(End::Limit(format!("{} {STACK}", self.stack_limit)));
        }
        self.stacked += size;
        let base = self.layout.base(align);
        let mut object = self.spare.pop().unwrap_or_default();
        object.base = base;
        object.align = align as u32;
        object.birth = self.births;
        self.births += 1;
        object.bytes.clear();
        object.bytes.resize(size as usize, 0);
        object.shadow.clear();
        object.writable = true;
        object.live = true;
        let index = self.layout.place(self.stack.len() as u32);
        self.stack.push(object);
        Ok(u64::from(STACK_REGION + index) << 32 | u64::from(base))
    }

    pub fn layout(&self) -> Layout {
        self.layout
    }

    pub fn heap_mark(&self) -> u32 {
        self.heap.len() as u32
    }

    /// Whether the object at an address was made after these marks were taken.
    pub fn is_younger(&self, address: u64, stack: u32, heap: u32) -> bool {
        let region = (address >> 32) as u32;
        match region {
            STACK_REGION..REGION_END => self.layout.place(region - STACK_REGION) >= stack,
            HEAP_REGION..STACK_REGION => self.layout.place(region - HEAP_REGION) >= heap,
            _ => false,
        }
    }

    /// What is known of the object that an address points into, if there is one.
    pub fn standing(
        &mut self,
        program: &Program,
        image: &mut Image,
        address: u64,
    ) -> Result<Option<AddressFacts>, End> {
        let region = (address >> 32) as u32;
        if region == FUNCTION_REGION {
            // The linker may put two functions in one place, or one in two.
            let (birth, distinct) = (region ^ address as u32, false);
            return Ok(Some(AddressFacts { birth, start: address, align: 1, distinct }));
        }
        if region == 0 || region >= REGION_END {
            return Ok(None);
        }
        let Ok(object) = self.object(program, image, address) else { return Ok(None) };
        let start = address & !0xffff_ffff | u64::from(object.base);
        let inside = address >= start && address - start < object.bytes.len() as u64;
        let own = region >= HEAP_REGION;
        let (birth, align) = match own {
            true => (object.birth, u64::from(object.align.max(1))),
            false => (region, program.global_align(region - 1)),
        };
        // Constants may share their bytes with others.
        let distinct = inside && object.live && (own || object.writable);
        Ok(Some(AddressFacts { birth, start, align, distinct }))
    }

    pub fn stack_mark(&self) -> u32 {
        self.stack.len() as u32
    }

    pub fn pop_stack(&mut self, mark: u32) {
        while self.stack.len() as u32 > mark {
            let object = self.stack.pop().expect("the stack is longer than the mark");
            self.stacked -= object.bytes.len() as u64;
            self.spare.push(object);
        }
    }

    /// The object an address points into, if any; the access itself may still be out of it.
    fn object(
        &mut self,
        program: &Program,
        image: &mut Image,
        address: u64,
    ) -> Result<&Object, End> {
        let region = (address >> 32) as u32;
        let missing = || fault("access outside every object");
        if region >= HEAP_REGION {
            let (list, start) = match region {
                STACK_REGION..REGION_END => (&self.stack, STACK_REGION),
                HEAP_REGION..STACK_REGION => (&self.heap, HEAP_REGION),
                _ => return Err(missing()),
            };
            let index = self.layout.place(region - start) as usize;
            return list.get(index).ok_or_else(missing);
        }
        let index = region.wrapping_sub(1) as usize;
        if index >= self.globals.len() {
            return Err(missing());
        }
        if let Global::Absent = self.globals[index] {
            self.globals[index] = Global::Shared(image.global(program, index as u32)?);
        }
        match &self.globals[index] {
            Global::Shared(object) => Ok(object),
            Global::Own(object) => Ok(object),
            Global::Absent => Err(missing()),
        }
    }

    fn object_mut(
        &mut self,
        program: &Program,
        image: &mut Image,
        address: u64,
    ) -> Result<&mut Object, End> {
        let region = (address >> 32) as u32;
        if region >= HEAP_REGION {
            let missing = || fault("access outside every object");
            let layout = self.layout;
            let (list, start) = match region {
                STACK_REGION..REGION_END => (&mut self.stack, STACK_REGION),
                HEAP_REGION..STACK_REGION => (&mut self.heap, HEAP_REGION),
                _ => return Err(missing()),
            };
            return list.get_mut(layout.place(region - start) as usize).ok_or_else(missing);
        }
        self.object(program, image, address)?;
        let global = &mut self.globals[(region - 1) as usize];
        if let Global::Shared(object) = global {
            *global = Global::Own(Box::new((**object).clone()));
        }
        match global {
            Global::Own(object) => Ok(object),
            _ => Err(fault("access outside every object")),
        }
    }

    /// The base address and size of the object that holds these bytes.
    pub fn extent(
        &mut self,
        program: &Program,
        image: &mut Image,
        address: u64,
        len: u64,
    ) -> Result<(u64, u64), End> {
        let object = self.object(program, image, address)?;
        place(object, address, len)?;
        Ok((address & !0xffff_ffff | u64::from(object.base), object.bytes.len() as u64))
    }

    /// Reads `len` bytes, at most 16, as one number.
    pub fn read(
        &mut self,
        access: (&Program, &mut Image, &mut Pool),
        address: u64,
        len: u64,
    ) -> Result<Value, End> {
        let (program, image, pool) = access;
        self.touch((program, image), address, len, false)?;
        let object = self.object(program, image, address)?;
        let start = place(object, address, len)?;
        let len = len as usize;
        let mut word = [0; 16];
        word[..len].copy_from_slice(&object.bytes[start..start + len]);
        let bits = u128::from_le_bytes(word);
        if object.shadow.is_empty() {
            return Ok(Value::concrete(bits));
        }
        Ok(Value { bits, term: gather(pool, object, start, len) })
    }

    /// Writes `len` bytes; the term, if any, is `8 * len` bits wide.
    pub fn write(
        &mut self,
        access: (&Program, &mut Image),
        address: u64,
        len: u64,
        value: Value,
    ) -> Result<(), End> {
        let (program, image) = access;
        self.touch((program, image), address, len, true)?;
        if self.journal.is_some() {
            self.note_before((program, image), address, len)?;
        }
        let object = self.object_mut(program, image, address)?;
        let start = place(object, address, len)?;
        if !object.writable {
            return Err(fault("write to a constant"));
        }
        let len = len as usize;
        object.bytes[start..start + len].copy_from_slice(&value.bits.to_le_bytes()[..len]);
        match value.term {
            Some(term) => {
                if object.shadow.is_empty() {
                    object.shadow = vec![None; object.bytes.len()];
                }
                for (byte, part) in object.shadow[start..start + len].iter_mut().enumerate() {
                    *part = Some(Part { term, byte: byte as u8 });
                }
            }
            None if !object.shadow.is_empty() => object.shadow[start..start + len].fill(None),
            None => {}
        }
        Ok(())
    }

    /// Notes an access to a global. Only what writes all of one makes reading it harmless.
    #[inline]
    fn touch(
        &mut self,
        access: (&Program, &mut Image),
        address: u64,
        len: u64,
        write: bool,
    ) -> Result<(), End> {
        let region = (address >> 32) as u32;
        if region >= HEAP_REGION {
            return Ok(());
        }
        let object = self.object(access.0, access.1, address)?;
        let (writable, whole) = (object.writable, object.len() as u64 == len);
        if writable && write && self.journal.is_some() {
            // Who touched a static first cannot be taken back.
            return Err(fault("a static that is written on trial"));
        }
        if writable {
            let touched = self.touched.entry(region - 1).or_default();
            touched.read_first |= !(touched.written || write && whole);
            touched.written |= write;
        }
        Ok(())
    }

    /// The statics of the program that were touched; the library's are its own affair.
    pub fn statics(&self, program: &Program) -> Statics {
        let mut statics = Statics::default();
        for (index, touched) in &self.touched {
            if program.is_library_global(*index) {
                continue;
            }
            if touched.read_first {
                statics.found.push(program.global_name(*index));
            }
            if touched.written {
                statics.written.push(program.global_name(*index));
            }
        }
        statics
    }

    /// Copies bytes with their terms; the two may overlap.
    pub fn copy(
        &mut self,
        access: (&Program, &mut Image),
        to: u64,
        from: u64,
        len: u64,
    ) -> Result<(), End> {
        if len == 0 {
            return Ok(());
        }
        let (program, image) = access;
        self.touch((program, image), from, len, false)?;
        self.touch((program, image), to, len, true)?;
        if self.journal.is_some() {
            self.note_before((program, image), to, len)?;
        }
        let Stretch { bytes, shadow, .. } = self.stretch((program, image), from, len)?;
        self.lay((program, image), &Stretch { address: to, bytes, shadow })
    }

    /// Puts bytes with their terms where they belong.
    pub(super) fn lay(
        &mut self,
        access: (&Program, &mut Image),
        stretch: &Stretch,
    ) -> Result<(), End> {
        let Stretch { address, bytes, shadow } = stretch;
        let (len, count) = (bytes.len() as u64, bytes.len());
        let target = self.object_mut(access.0, access.1, *address)?;
        let start = place(target, *address, len)?;
        if !target.writable {
            return Err(fault("write to a constant"));
        }
        target.bytes[start..start + count].copy_from_slice(bytes);
        if shadow.iter().any(Option::is_some) {
            if target.shadow.is_empty() {
                target.shadow = vec![None; target.bytes.len()];
            }
            target.shadow[start..start + count].copy_from_slice(shadow);
        } else if !target.shadow.is_empty() {
            target.shadow[start..start + count].fill(None);
        }
        Ok(())
    }

    /// The bytes at an address as they are, with their terms.
    pub(super) fn stretch(
        &mut self,
        access: (&Program, &mut Image),
        address: u64,
        len: u64,
    ) -> Result<Stretch, End> {
        let object = self.object(access.0, access.1, address)?;
        let start = place(object, address, len)?;
        let count = len as usize;
        let bytes = object.bytes[start..start + count].to_vec();
        let shadow = match object.shadow.is_empty() {
            true => vec![],
            false => object.shadow[start..start + count].to_vec(),
        };
        Ok(Stretch { address, bytes, shadow })
    }
}

impl Image {
    fn global(&mut self, program: &Program, index: u32) -> Result<Rc<Object>, End> {
        if self.globals.is_empty() {
            self.globals = vec![None; program.global_count() as usize];
        }
        if let Some(object) = &self.globals[index as usize] {
            return Ok(object.clone());
        }
        let (base, bytes, writable) = program.global(index).map_err(End::Unsupported)?;
        let object = Rc::new(Object::new(base, bytes, writable));
        self.globals[index as usize] = Some(object.clone());
        Ok(object)
    }
}

fn place(object: &Object, address: u64, len: u64) -> Result<usize, End> {
    if !object.live {
        return Err(fault("access to freed memory"));
    }
    let start = (address & 0xffff_ffff).wrapping_sub(u64::from(object.base));
    match start.checked_add(len) {
        Some(end) if end <= object.len() as u64 => Ok(start as usize),
        _ => Err(fault("access outside its object")),
    }
}

/// The term of some bytes, or none if they turn out concrete.
fn gather(pool: &mut Pool, object: &Object, start: usize, len: usize) -> Option<Term> {
    let parts = &object.shadow[start..start + len];
    if parts.iter().all(Option::is_none) {
        return None;
    }
    // The usual case: the very value that was stored is read back.
    if let Some(first) = parts[0].filter(|part| part.byte == 0) {
        let whole = parts.iter().enumerate().all(|(index, part)| {
            part.is_some_and(|p| p.term == first.term && usize::from(p.byte) == index)
        });
        if whole && pool.width(first.term) == 8 * len as u32 {
            return Some(first.term);
        }
    }
    let mut term: Option<Term> = None;
    for (index, part) in parts.iter().enumerate() {
        let byte = match part {
            Some(part) => pool.extract(part.term, u32::from(part.byte) * 8, 8),
            None => pool.number(8, u128::from(object.bytes[start + index])),
        };
        term = Some(match term {
            Some(low) => pool.concat(byte, low),
            None => byte,
        });
    }
    term.filter(|term| pool.constant(*term).is_none())
}
