//! LLVM types as lists of scalars with their places in memory.

use super::api::{Module, Ref};

/// The largest value that is flattened into slots.
pub const MAX_LEAVES: usize = 1024;

/// One scalar of a type.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Leaf {
    pub offset: u32,
    pub width: u8,
}

const KIND_VOID: i32 = 0;
const KIND_FLOAT: i32 = 2;
const KIND_DOUBLE: i32 = 3;
const KIND_INTEGER: i32 = 8;
pub const KIND_STRUCT: i32 = 10;
pub const KIND_ARRAY: i32 = 11;
const KIND_POINTER: i32 = 12;
pub const KIND_VECTOR: i32 = 13;

impl Module {
    pub fn kind(&self, ty: Ref) -> i32 {
        llvm!(self, LLVMGetTypeKind(ty))
    }

    pub fn size(&self, ty: Ref) -> u64 {
        llvm!(self, LLVMABISizeOfType(self.layout, ty))
    }

    pub fn type_of(&self, value: Ref) -> Ref {
        llvm!(self, LLVMTypeOf(value))
    }

    /// The scalars of a type, in order, or why it has none that we know.
    pub fn shape(&self, ty: Ref) -> Result<Vec<Leaf>, String> {
        let mut leaves = vec![];
        self.collect(ty, 0, &mut leaves)?;
        Ok(leaves)
    }

    /// The width of a scalar type.
    pub fn scalar_width(&self, ty: Ref) -> Option<u8> {
        match self.kind(ty) {
            KIND_INTEGER => {
                let width = llvm!(self, LLVMGetIntTypeWidth(ty));
                (width <= 128).then_some(width as u8)
            }
            KIND_POINTER | KIND_DOUBLE => Some(64),
            KIND_FLOAT => Some(32),
            _ => None,
        }
    }

    fn collect(&self, ty: Ref, base: u64, leaves: &mut Vec<Leaf>) -> Result<(), String> {
        if leaves.len() > MAX_LEAVES {
            return Err("a value of more than a thousand scalars".to_owned());
        }
        if let Some(width) = self.scalar_width(ty) {
            let offset = u32::try_from(base).map_err(|_| "a huge value".to_owned())?;
            leaves.push(Leaf { offset, width });
            return Ok(());
        }
        match self.kind(ty) {
            KIND_VOID => Ok(()),
            KIND_STRUCT => {
                for index in 0..llvm!(self, LLVMCountStructElementTypes(ty)) {
                    let element = llvm!(self, LLVMStructGetTypeAtIndex(ty, index));
                    let offset = llvm!(self, LLVMOffsetOfElement(self.layout, ty, index));
                    self.collect(element, base + offset, leaves)?;
                }
                Ok(())
            }
            KIND_ARRAY => {
                let element = llvm!(self, LLVMGetElementType(ty));
                let stride = self.size(element);
                let count = llvm!(self, LLVMGetArrayLength2(ty));
                if count > MAX_LEAVES as u64 {
                    return Err("a value of more than a thousand scalars".to_owned());
                }
                (0..count)
                    .try_for_each(|index| self.collect(element, base + index * stride, leaves))
            }
            KIND_VECTOR => {
                let element = llvm!(self, LLVMGetElementType(ty));
                let width = self.scalar_width(element).ok_or("a vector of an unknown type")?;
                // Lanes narrower than a byte are told apart by `packed_lane`; their offset
                // here only serves values that never touch memory.
                let stride = u64::from(width.div_ceil(8));
                let count = u64::from(llvm!(self, LLVMGetVectorSize(ty)));
                (0..count)
                    .try_for_each(|index| self.collect(element, base + index * stride, leaves))
            }
            kind => Err(format!("a value of type kind {kind}")),
        }
    }

    /// The lane width of a vector whose lanes are not whole bytes.
    pub fn packed_lane(&self, ty: Ref) -> Option<u8> {
        if self.kind(ty) != KIND_VECTOR {
            return None;
        }
        let width = self.scalar_width(llvm!(self, LLVMGetElementType(ty)))?;
        (width % 8 != 0).then_some(width)
    }

    pub fn is_pointer(&self, ty: Ref) -> bool {
        self.kind(ty) == KIND_POINTER
    }

    pub fn is_vector(&self, ty: Ref) -> bool {
        self.kind(ty) == KIND_VECTOR
    }
}
