//! What the programs of this folder share: their input, and how they are called.

/// The bytes of the input, taken from the front.
pub struct Input<'a>(pub &'a [u8]);

#[allow(dead_code)]
impl Input<'_> {
    pub fn take<const N: usize>(&mut self) -> [u8; N] {
        let (head, tail) = self.0.split_first_chunk::<N>().expect("long enough");
        self.0 = tail;
        *head
    }
    pub fn u8(&mut self) -> u8 { self.take::<1>()[0] }
    pub fn u32(&mut self) -> u32 { u32::from_le_bytes(self.take()) }
    pub fn i32(&mut self) -> i32 { i32::from_le_bytes(self.take()) }
    pub fn u64(&mut self) -> u64 { u64::from_le_bytes(self.take()) }
    pub fn f32(&mut self) -> f32 { f32::from_le_bytes(self.take()) }
    pub fn f64(&mut self) -> f64 { f64::from_le_bytes(self.take()) }
}

#[macro_export]
macro_rules! programs {
    ($($name:ident($input:ident) $body:block)*) => { $(
        pub mod $name {
            use super::*;
            #[unsafe(no_mangle)]
            pub fn $name(data: *const u8, len: usize) -> i64 {
                let bytes = unsafe { std::slice::from_raw_parts(data, len) };
                #[allow(unused_mut)]
                let mut $input = Input(bytes);
                $body
            }
        }
    )* };
}

/// Called natively: the value, or `i64::MIN` for a panic.
#[unsafe(no_mangle)]
pub extern "C" fn replay(program: extern "Rust" fn(*const u8, usize) -> i64, data: *const u8, len: usize) -> i64 {
    std::panic::set_hook(Box::new(|_| {}));
    std::panic::catch_unwind(|| program(data, len)).unwrap_or(i64::MIN)
}
