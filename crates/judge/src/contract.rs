//! What the message of a broken contract tells.
//!
//! Reads the machine-readable last line, which `docs/contracts.md` describes. Decides
//! nothing: whose fault it is depends on what the test did.

/// A broken contract, as its message tells it.
pub struct BrokenContract<'m> {
    pub kind: &'m str,
    pub moment: &'m str,
    pub depth: &'m str,
    pub name: &'m str,
    function: &'m str,
}

impl<'m> BrokenContract<'m> {
    pub fn read(message: &'m str) -> Option<BrokenContract<'m>> {
        let line = message.lines().last()?.trim();
        let fields = line.strip_prefix("[testsmith-contract 1; ")?.strip_suffix(']')?;
        let field = |name: &str| {
            fields.split("; ").find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
        };
        Some(BrokenContract {
            kind: field("kind")?,
            moment: field("moment")?,
            depth: field("depth")?,
            name: field("name")?,
            function: field("function")?,
        })
    }

    /// The name of the type whose method it is, without path and arguments.
    pub fn type_name(&self) -> Option<&'m str> {
        // `a::Till<u8>::total` or `<a::Till<u8> as a::Count>::total`.
        let path = match self.function.strip_prefix('<') {
            Some(inside) => inside.split_once(" as ")?.0,
            None => before_last_name(self.function)?,
        };
        let path = path.split('<').next()?;
        path.rsplit("::").next()
    }
}

/// The path without its last name; colons inside of angle brackets do not count.
fn before_last_name(path: &str) -> Option<&str> {
    let mut angles = 0_i32;
    let mut last = None;
    for (at, character) in path.char_indices() {
        match character {
            '<' => angles += 1,
            '>' => angles -= 1,
            ':' if angles == 0 && path[at..].starts_with("::") => last = Some(at),
            _ => {}
        }
    }
    last.map(|at| &path[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_is_found_in_the_functions_path() {
        let type_name = |function: &'static str| {
            let (kind, moment, depth, name) = ("invariant", "before", "0", "f");
            BrokenContract { kind, moment, depth, name, function }.type_name()
        };
        assert_eq!(type_name("shop::Span::raise"), Some("Span"));
        assert_eq!(type_name("shop::Basket<alloc::string::String>::add"), Some("Basket"));
        assert_eq!(type_name("<shop::Till<a::B> as shop::Count<c::D>>::total"), Some("Till"));
        assert_eq!(type_name("alone"), None);
    }
}
