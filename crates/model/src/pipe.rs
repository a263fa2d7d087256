//! Messages on a pipe: the length, four bytes little-endian, then the bytes.

use crate::wire::Wire;

/// A message longer than this is a mistake.
pub const MAX_MESSAGE: u32 = 1 << 30;

pub fn send(message: &impl Wire, to: &mut impl std::io::Write) -> std::io::Result<()> {
    let bytes = message.to_bytes();
    to.write_all(&(bytes.len() as u32).to_le_bytes())?;
    to.write_all(&bytes)?;
    to.flush()
}

pub fn receive<T: Wire>(from: &mut impl std::io::Read) -> std::io::Result<T> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > MAX_MESSAGE {
        return Err(std::io::Error::other("a message is too long"));
    }
    let mut bytes = vec![0; length as usize];
    from.read_exact(&mut bytes)?;
    T::from_bytes(&bytes).map_err(std::io::Error::other)
}
