//! What stands in for the world outside the program.
//!
//! A function is run from its own code unless it is listed here. A model that
//! can change what a program does is named in the report of every run that
//! used it; one that takes a single answer of many, such as the time, voids the
//! claim as well. Allocation and the comparison of bytes are exact and go unnamed.
//! Whatever is neither listed nor in the program ends the path as unsupported:
//! threads, files, the network.

use super::unwind::REJECT;
use super::{Assumption, End, Machine, Reason, Value};
use crate::ir::FunctionId;
use crate::llvm::Program;
use testsmith_solver::term::Op;

/// How a function is called.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Role {
    /// By running its code.
    Body,
    /// It starts a panic with a text.
    Panic,
    /// Every panic that shows itself comes here with its place.
    PanicHook,
    /// Its code is run: the input is refused, and unwinding says so.
    Reject,
    /// Its code is run; it may look through a hash table.
    Signs,
    LoadsGroup,
    /// Its code is run, and an address becomes text.
    ShowsAddress,
    /// Its code is run, and finds no arguments.
    Arguments,
    /// Its code is run, unless it adds to a text that nobody will see.
    Formatter,
    /// Its code is run, but what it yields depends on the model of hashing.
    HashIteration,
    /// Its code is run once it is decided whether its bytes are UTF-8.
    TextCheck,
    Model(Model),
    /// It is declared only.
    Foreign,
}

/// The functions with a model.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Model {
    /// The process is left: no path goes on.
    Exit,
    /// Unwinding begins.
    Raise,
    /// Nothing that the program can see.
    Silent,
    Refusing,
    Abort,
    Allocate,
    AllocateZeroed,
    Reallocate,
    Deallocate,
    Malloc,
    Calloc,
    Realloc,
    Free,
    AlignedMalloc,
    Compare,
    CompareEqual,
    Copy,
    Set,
    Length,
    FindByte,
    HashWrite,
    HashWriteText,
    HashFinish,
    RandomKeys,
    Write,
    WriteVector,
    Environment,
    Clock,
    ErrorNumber,
    CpuFeatures,
    AtExit,
    IsText,
}

const BY_SYMBOL: &[(&str, Model)] = &[
    ("abort", Model::Abort),
    ("exit", Model::Exit),
    ("_exit", Model::Exit),
    ("_Unwind_RaiseException", Model::Raise),
    ("malloc", Model::Malloc),
    ("calloc", Model::Calloc),
    ("realloc", Model::Realloc),
    ("free", Model::Free),
    ("posix_memalign", Model::AlignedMalloc),
    ("memcmp", Model::Compare),
    ("bcmp", Model::CompareEqual),
    ("memcpy", Model::Copy),
    ("memmove", Model::Copy),
    ("memset", Model::Set),
    ("strlen", Model::Length),
    ("memchr", Model::FindByte),
    ("write", Model::Write),
    ("writev", Model::WriteVector),
    ("getenv", Model::Environment),
    ("clock_gettime", Model::Clock),
    ("__errno_location", Model::ErrorNumber),
    ("__cxa_thread_atexit_impl", Model::AtExit),
];

impl Role {
    pub fn of(program: &Program, id: FunctionId) -> Role {
        let (name, symbol) = (program.name(id), program.symbol(id));
        if let Some((_, model)) = BY_SYMBOL.iter().find(|(known, _)| *known == symbol) {
            // A program may define a function of such a name itself. Moving and comparing
            // bytes means the same whoever does it.
            let bytes =
                matches!(model, Model::Compare | Model::CompareEqual | Model::Copy | Model::Set);
            if bytes || !program.is_defined(id) {
                return Role::Model(*model);
            }
        }
        if let Some(role) = Role::by_name(name) {
            return role;
        }
        if program.is_defined(id) { Role::Body } else { Role::Foreign }
    }

    fn by_name(name: &str) -> Option<Role> {
        let is = |symbol: &str| name == symbol || name.strip_prefix("__rustc::") == Some(symbol);
        match name {
            "core::panicking::panic_fmt" => return Some(Role::Panic),
            "std::panicking::panic_with_hook" | "std::panicking::rust_panic_with_hook" => {
                return Some(Role::PanicHook);
            }
            REJECT => return Some(Role::Reject),
            "core::core_arch::x86::sse2::_mm_movemask_epi8" => return Some(Role::Signs),
            "core::core_arch::x86::sse2::_mm_load_si128"
            | "core::core_arch::x86::sse2::_mm_loadu_si128" => return Some(Role::LoadsGroup),
            "core::fmt::pointer_fmt_inner" => return Some(Role::ShowsAddress),
            "std::env::args" | "std::env::args_os" => return Some(Role::Arguments),
            _ if is_formatter(name) => return Some(Role::Formatter),
            _ => {}
        }
        if name == "core::str::converts::from_utf8" {
            return Some(Role::TextCheck);
        }
        let model = if name.starts_with("core::panicking::panic_nounwind")
            || name.starts_with("core::panicking::panic_cannot_unwind")
            || name == "std::process::abort"
        {
            Model::Abort
        } else if is("__rdl_alloc") {
            Model::Allocate
        } else if is("__rdl_alloc_zeroed") {
            Model::AllocateZeroed
        } else if is("__rdl_realloc") {
            Model::Reallocate
        } else if is("__rdl_dealloc") {
            Model::Deallocate
        } else if name == "testsmith::put::is_text" {
            Model::IsText
        } else if name == "std::panicking::default_hook" {
            Model::Silent
        } else if name == "testsmith::put::check::is_running" {
            Model::Refusing
        } else if name.starts_with("std::") && name.ends_with("::hashmap_random_keys") {
            Model::RandomKeys
        } else if name.contains("std_detect::detect") && name.ends_with("detect_and_initialize") {
            Model::CpuFeatures
        } else {
            return Role::hashing(name);
        };
        Some(Role::Model(model))
    }

    fn hashing(name: &str) -> Option<Role> {
        let keyed = ["<std::hash::random::DefaultHasher as ", "<core::hash::sip::"];
        if keyed.iter().any(|prefix| name.starts_with(prefix)) {
            let model = match name.rsplit("::").next()? {
                "write" => Model::HashWrite,
                "write_str" => Model::HashWriteText,
                "finish" => Model::HashFinish,
                _ => return None,
            };
            return Some(Role::Model(model));
        }
        if cfg!(target_arch = "x86_64") {
            // Who goes through a table is seen by what it reads.
            return None;
        }
        let tables = ["hash::map::", "hash::set::", "hashbrown::map::", "hashbrown::set::"];
        let iterates = name.contains(" as core::iter::traits::iterator::Iterator>::");
        // Methods that visit all elements by an iterator of the table's own.
        let visits = name.ends_with("::retain") || name.contains("::retain::<");
        let subject = name.split(" as ").next().unwrap_or_default();
        let subject = match subject.strip_prefix('<') {
            Some(inner) => inner.split('<').next().unwrap_or_default(),
            None => subject,
        };
        ((iterates || visits) && tables.iter().any(|table| subject.contains(table)))
            .then_some(Role::HashIteration)
    }
}

/// The functions that write a number, a character or a text, and do nothing else.
fn is_formatter(name: &str) -> bool {
    const PLAIN: &[&str] = &[
        "u8",
        "u16",
        "u32",
        "u64",
        "u128",
        "usize",
        "i8",
        "i16",
        "i32",
        "i64",
        "i128",
        "isize",
        "f32",
        "f64",
        "bool",
        "char",
        "str",
        "alloc::string::String",
    ];
    let Some((ty, rest)) = name.strip_prefix('<').and_then(|n| n.split_once(" as core::fmt::"))
    else {
        return false;
    };
    rest.ends_with(">::fmt") && PLAIN.contains(&ty.trim_start_matches('&'))
}

/// Up to two scalars.
type Results = [Option<Value>; 2];

fn nothing() -> Results {
    [None, None]
}

fn one(bits: u64) -> Results {
    [Some(Value::concrete(u128::from(bits))), None]
}

impl Machine<'_> {
    pub(super) fn model(
        &mut self,
        model: Model,
        callee: FunctionId,
        args: &[Value],
    ) -> Result<Results, End> {
        match model {
            Model::Exit => {
                let code = self.address(args[0])? as u32 as i32;
                Err(End::Crashed(format!("the process was left with exit code {code}")))
            }
            Model::Silent => Ok(nothing()),
            Model::Refusing => Ok(one(u64::from(self.is_rejecting()))),
            Model::Abort => {
                let name = self.interpreter.program.name(callee);
                Err(End::Crashed(format!("aborted by {name}")))
            }
            Model::Allocate | Model::AllocateZeroed => {
                let (size, align) = (self.address(args[0])?, self.address(args[1])?);
                self.assume(Assumption::Allocation);
                Ok(one(self.memory.allocate(size, align)?))
            }
            Model::Deallocate | Model::Free => {
                let address = self.address(args[0])?;
                if address != 0 {
                    self.memory.free(address)?;
                }
                Ok(nothing())
            }
            Model::Reallocate => {
                let (old, align) = (self.address(args[0])?, self.address(args[2])?);
                let size = self.address(args[3])?;
                Ok(one(self.reallocate(old, size, align)?))
            }
            Model::Malloc => {
                let size = self.address(args[0])?;
                Ok(one(self.memory.allocate(size, 16)?))
            }
            Model::Calloc => {
                let (count, size) = (self.address(args[0])?, self.address(args[1])?);
                Ok(one(self.memory.allocate(count.saturating_mul(size), 16)?))
            }
            Model::Realloc => {
                let (old, size) = (self.address(args[0])?, self.address(args[1])?);
                Ok(one(self.reallocate(old, size, 16)?))
            }
            Model::AlignedMalloc => {
                let (place, align) = (self.address(args[0])?, self.address(args[1])?);
                let size = self.address(args[2])?;
                let address = self.memory.allocate(size, align)?;
                self.store(place, 8, Value::concrete(u128::from(address)))?;
                Ok(one(0))
            }
            Model::Compare => Ok([Some(self.compare_bytes(args)?), None]),
            Model::CompareEqual => Ok([Some(self.compare_equal(args)?), None]),
            Model::Copy => {
                self.copy_bytes(args)?;
                Ok([Some(args[0]), None])
            }
            Model::Set => {
                let byte = self.extract(0, 8, args[1]);
                self.set_bytes(&[args[0], byte, args[2]])?;
                Ok([Some(args[0]), None])
            }
            Model::Length | Model::FindByte => self.search(model, args),
            Model::IsText => Ok([Some(self.is_text(args)?), None]),
            Model::HashWrite => {
                self.hash_write(args[0], args[1], args[2], false)?;
                Ok(nothing())
            }
            Model::HashWriteText => {
                self.hash_write(args[0], args[1], args[2], true)?;
                Ok(nothing())
            }
            Model::HashFinish => Ok([Some(self.hash_finish(args[0])?), None]),
            _ => self.system(model, args),
        }
    }

    /// What std asks of the system.
    fn system(&mut self, model: Model, args: &[Value]) -> Result<Results, End> {
        match model {
            Model::RandomKeys => {
                let key = |bits| Some(Value::concrete(bits));
                Ok([key(0x0123_4567_89ab_cdef), key(0xfedc_ba98_7654_3210)])
            }
            Model::Write => {
                let file = self.address(args[0])?;
                if file != 1 && file != 2 {
                    return Err(End::Unsupported(format!("a write to file number {file}")));
                }
                self.assume(Assumption::Output);
                Ok([Some(args[2]), None])
            }
            Model::WriteVector => {
                let (list, count) = (self.address(args[1])?, self.address(args[2])?);
                self.assume(Assumption::Output);
                let mut total = 0;
                for index in 0..count {
                    let len = self.fetch(list + index * 16 + 8, 8)?;
                    total += self.address(len)?;
                }
                Ok(one(total))
            }
            Model::Environment => {
                self.fixes(Assumption::Environment);
                Ok(one(0))
            }
            Model::Clock => {
                /// Where the model's time begins, in seconds.
                const EPOCH: u64 = 1_700_000_000;
                self.fixes(Assumption::Clock);
                let place = self.address(args[1])?;
                self.clock += 1;
                self.store(place, 8, Value::concrete(u128::from(EPOCH)))?;
                self.store(place + 8, 8, Value::concrete(u128::from(self.clock * 1000)))?;
                Ok(one(0))
            }
            Model::ErrorNumber => {
                let address = match self.errno {
                    Some(address) => address,
                    None => self.memory.allocate(4, 4)?,
                };
                self.errno = Some(address);
                Ok(one(address))
            }
            Model::CpuFeatures => {
                self.assume(Assumption::PlainCpu);
                Ok([Some(Value::concrete(0)), Some(Value::concrete(0))])
            }
            Model::AtExit => {
                self.assume(Assumption::ThreadExit);
                Ok(one(0))
            }
            _ => unreachable!("{model:?} is not of the system"),
        }
    }

    /// A model that takes one of many possible answers: nothing is claimed about the others.
    pub(super) fn fixes(&mut self, assumption: Assumption) {
        self.assume(assumption);
        let name = assumption.name();
        self.voids.insert(format!("the model {name} gives one of many possible answers"));
    }

    fn reallocate(&mut self, old: u64, size: u64, align: u64) -> Result<u64, End> {
        let new = self.memory.allocate(size, align)?;
        if old != 0 {
            let kept = self.memory.size_of(old).unwrap_or(0).min(size);
            self.copy(new, old, kept)?;
            self.memory.free(old)?;
        }
        Ok(new)
    }

    /// The bytes at both places, as many as the third argument says.
    fn both(&mut self, args: &[Value]) -> Result<Vec<(Value, Value)>, End> {
        let (a, b) = (self.address(args[0])?, self.address(args[1])?);
        let len = self.address(args[2])?;
        (0..len).map(|index| Ok((self.fetch(a + index, 1)?, self.fetch(b + index, 1)?))).collect()
    }

    /// Negative, zero or positive, by the first byte that differs.
    fn compare_bytes(&mut self, args: &[Value]) -> Result<Value, End> {
        let mut result = Value::concrete(0);
        for (a, b) in self.both(args)?.into_iter().rev() {
            let equal = self.binary(Op::Eq, 8, a, b);
            let less = self.binary(Op::Ult, 8, a, b);
            let (minus, plus) = (Value::concrete(0xffff_ffff), Value::concrete(1));
            let order = self.select(32, less, minus, plus);
            result = self.select(32, equal, result, order);
        }
        Ok(result)
    }

    fn compare_equal(&mut self, args: &[Value]) -> Result<Value, End> {
        let mut equal = Value::concrete(1);
        for (a, b) in self.both(args)? {
            let same = self.binary(Op::Eq, 8, a, b);
            equal = self.binary(Op::And, 1, equal, same);
        }
        let differs = self.not(1, equal);
        Ok(self.zero_extend(32, differs))
    }

    /// `strlen` and `memchr`: one decision per byte looked at.
    fn search(&mut self, model: Model, args: &[Value]) -> Result<Results, End> {
        let start = self.address(args[0])?;
        let (wanted, limit) = match model {
            Model::FindByte => (self.extract(0, 8, args[1]), self.address(args[2])?),
            _ => (Value::concrete(0), u64::MAX),
        };
        for index in 0..limit {
            let byte = self.fetch(start + index, 1)?;
            let equal = self.binary(Op::Eq, 8, byte, wanted);
            if let Some(condition) = equal.term {
                self.decide(condition, equal.bits == 1, Reason::Enumerated)?;
            }
            if equal.bits == 1 {
                return Ok(one(if model == Model::FindByte { start + index } else { index }));
            }
        }
        Ok(one(0))
    }

    pub(super) fn copy_bytes(&mut self, args: &[Value]) -> Result<(), End> {
        let len = self.address(args[2])?;
        let (to, from) = (self.address(args[0])?, self.address(args[1])?);
        self.copy(to, from, len)
    }

    pub(super) fn set_bytes(&mut self, args: &[Value]) -> Result<(), End> {
        let (to, len) = (self.address(args[0])?, self.address(args[2])?);
        for index in 0..len {
            self.store(to + index, 1, args[1])?;
        }
        Ok(())
    }
}
