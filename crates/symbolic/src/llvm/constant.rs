//! Constants of a module as numbers, and initialisers of globals as bytes.

use super::api::Ref;
use super::program::Program;
use super::shape::{KIND_ARRAY, KIND_STRUCT};
use testsmith_solver::term::mask;

// The kinds of values, as LLVM's C interface numbers them.
pub const VALUE_FUNCTION: i32 = 5;
pub const VALUE_ALIAS: i32 = 6;
pub const VALUE_GLOBAL: i32 = 8;
const VALUE_EXPRESSION: i32 = 10;
const VALUE_ARRAY: i32 = 11;
const VALUE_STRUCT: i32 = 12;
const VALUE_VECTOR: i32 = 13;
const VALUE_UNDEF: i32 = 14;
const VALUE_ZERO: i32 = 15;
const VALUE_DATA_ARRAY: i32 = 16;
const VALUE_DATA_VECTOR: i32 = 17;
const VALUE_INT: i32 = 18;
const VALUE_FLOAT: i32 = 19;
const VALUE_NULL: i32 = 20;
pub const VALUE_ASM: i32 = 23;
const VALUE_POISON: i32 = 25;

impl Program {
    pub(super) fn value_kind(&self, value: Ref) -> i32 {
        llvm!(self.module, LLVMGetValueKind(value))
    }

    /// The scalars of a constant, in the order of its type's leaves.
    pub(super) fn constant(&self, value: Ref) -> Result<Vec<u128>, String> {
        let ty = self.module.type_of(value);
        match self.value_kind(value) {
            VALUE_FUNCTION | VALUE_ALIAS | VALUE_GLOBAL => {
                Ok(vec![u128::from(self.address(value)?)])
            }
            VALUE_INT => Ok(vec![self.integer(value)?]),
            VALUE_FLOAT => Ok(vec![self.float(value)?]),
            // An undefined value may be anything; zero is one of the allowed choices.
            VALUE_UNDEF | VALUE_POISON | VALUE_ZERO | VALUE_NULL => {
                Ok(vec![0; self.module.shape(ty)?.len()])
            }
            VALUE_ARRAY | VALUE_STRUCT | VALUE_VECTOR | VALUE_DATA_ARRAY | VALUE_DATA_VECTOR => {
                let mut numbers = vec![];
                for index in 0.. {
                    let element = llvm!(self.module, LLVMGetAggregateElement(value, index));
                    if element.is_null() {
                        break;
                    }
                    numbers.extend(self.constant(element)?);
                }
                Ok(numbers)
            }
            VALUE_EXPRESSION => Ok(vec![self.expression(value)?]),
            kind => Err(format!("a constant of kind {kind}")),
        }
    }

    fn single(&self, value: Ref) -> Result<u128, String> {
        match self.constant(value)?[..] {
            [number] => Ok(number),
            _ => Err("a constant expression over an aggregate".to_owned()),
        }
    }

    fn integer(&self, value: Ref) -> Result<u128, String> {
        let ty = self.module.type_of(value);
        let width = self.module.scalar_width(ty).ok_or("an integer of more than 128 bits")?;
        if width <= 64 {
            return Ok(u128::from(llvm!(self.module, LLVMConstIntGetZExtValue(value)))
                & mask(u32::from(width)));
        }
        // The C interface gives 64 bits only; the printed form is `i128 -170…`.
        let printed = self.module.print(value);
        let digits = printed.rsplit(' ').next().unwrap_or_default();
        let number = digits.parse::<i128>().map(|n| n as u128).or_else(|_| digits.parse::<u128>());
        Ok(number.map_err(|_| format!("the constant {printed}"))? & mask(u32::from(width)))
    }

    fn float(&self, value: Ref) -> Result<u128, String> {
        let mut inexact = 0;
        let number = llvm!(self.module, LLVMConstRealGetDouble(value, &mut inexact));
        match self.module.scalar_width(self.module.type_of(value)) {
            Some(32) => Ok(u128::from((number as f32).to_bits())),
            Some(64) => Ok(u128::from(number.to_bits())),
            _ => Err("a float that is neither f32 nor f64".to_owned()),
        }
    }

    fn expression(&self, value: Ref) -> Result<u128, String> {
        let opcode = llvm!(self.module, LLVMGetConstOpcode(value));
        let operand = |index| llvm!(self.module, LLVMGetOperand(value, index));
        let ty = self.module.type_of(value);
        let width = u32::from(self.module.scalar_width(ty).ok_or("a wide constant expression")?);
        let number = match opcode {
            29 => self.element_address(value)?,
            39 | 40 | 41 | 60 | 69 | 30 => self.single(operand(0))?,
            8 => self.single(operand(0))?.wrapping_add(self.single(operand(1))?),
            10 => self.single(operand(0))?.wrapping_sub(self.single(operand(1))?),
            25 => self.single(operand(0))? ^ self.single(operand(1))?,
            other => return Err(format!("a constant expression with opcode {other}")),
        };
        Ok(number & mask(width))
    }

    fn element_address(&self, value: Ref) -> Result<u128, String> {
        let module = &self.module;
        let mut ty = llvm!(module, LLVMGetGEPSourceElementType(value));
        let mut address = self.single(llvm!(module, LLVMGetOperand(value, 0)))? as u64;
        for index in 1..llvm!(module, LLVMGetNumOperands(value)) as u32 {
            let number = self.single(llvm!(module, LLVMGetOperand(value, index)))? as u64;
            if index > 1 && module.kind(ty) == KIND_STRUCT {
                let field = number as u32;
                let offset = llvm!(module, LLVMOffsetOfElement(module.layout, ty, field));
                address = address.wrapping_add(offset);
                ty = llvm!(module, LLVMStructGetTypeAtIndex(ty, field));
            } else {
                if index > 1 {
                    ty = llvm!(module, LLVMGetElementType(ty));
                }
                address = address.wrapping_add(number.wrapping_mul(module.size(ty)));
            }
        }
        Ok(u128::from(address))
    }

    /// Writes an initialiser into the bytes of a global.
    pub(super) fn initialise(&self, value: Ref, bytes: &mut [u8]) -> Result<(), String> {
        let module = &self.module;
        let ty = module.type_of(value);
        match self.value_kind(value) {
            VALUE_ZERO | VALUE_UNDEF | VALUE_POISON | VALUE_NULL => Ok(()),
            VALUE_DATA_ARRAY if module.size(llvm!(module, LLVMGetElementType(ty))) == 1 => {
                let mut len = 0;
                let text = llvm!(module, LLVMGetAsString(value, &mut len));
                // SAFETY: LLVM returns `len` bytes that live as long as the module.
                let data = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), len) };
                bytes[..len].copy_from_slice(data);
                Ok(())
            }
            VALUE_STRUCT | VALUE_ARRAY | VALUE_DATA_ARRAY
                if matches!(module.kind(ty), KIND_STRUCT | KIND_ARRAY) =>
            {
                for index in 0.. {
                    let element = llvm!(module, LLVMGetAggregateElement(value, index));
                    if element.is_null() {
                        break;
                    }
                    let offset = if module.kind(ty) == KIND_STRUCT {
                        llvm!(module, LLVMOffsetOfElement(module.layout, ty, index))
                    } else {
                        u64::from(index) * module.size(llvm!(module, LLVMGetElementType(ty)))
                    };
                    self.initialise(element, &mut bytes[offset as usize..])?;
                }
                Ok(())
            }
            _ => {
                if module.packed_lane(ty).is_some() {
                    return Err("a global of packed lanes".to_owned());
                }
                let shape = module.shape(ty)?;
                for (leaf, number) in shape.iter().zip(self.constant(value)?) {
                    let (start, len) = (leaf.offset as usize, usize::from(leaf.width.div_ceil(8)));
                    bytes[start..start + len].copy_from_slice(&number.to_le_bytes()[..len]);
                }
                Ok(())
            }
        }
    }
}
