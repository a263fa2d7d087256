//! The values of primitive types that are worth trying.

use testsmith_model::api::Literals;
use testsmith_model::sequence::Literal;
use testsmith_model::ty::Ty;

/// The literals for a type, or none where it has no literals.
pub fn pool(ty: &Ty, mined: &Literals) -> Vec<Literal> {
    let mut pool = match ty {
        Ty::Prim(name) => primitive(name, mined),
        Ty::Ref { mutable: false, inner, .. } if **inner == Ty::prim("str") => strings(mined),
        Ty::Adt { path, .. } if path == "std::string::String" => strings(mined),
        _ => vec![],
    };
    let mut seen = std::collections::HashSet::new();
    pool.retain(|literal| seen.insert(literal.clone()));
    pool
}

/// The least and the greatest value of an integer type.
pub fn range_of(name: &str) -> Option<(i128, i128)> {
    Some(match name {
        "i8" => (i8::MIN.into(), i8::MAX.into()),
        "i16" => (i16::MIN.into(), i16::MAX.into()),
        "i32" => (i32::MIN.into(), i32::MAX.into()),
        "i64" | "isize" => (i64::MIN.into(), i64::MAX.into()),
        "i128" => (i128::MIN, i128::MAX),
        "u8" => (0, u8::MAX.into()),
        "u16" => (0, u16::MAX.into()),
        "u32" => (0, u32::MAX.into()),
        "u64" | "usize" => (0, u64::MAX.into()),
        // Values past the range of i128 are written as their two's complement.
        "u128" => (0, i128::MAX),
        _ => return None,
    })
}

fn primitive(name: &str, mined: &Literals) -> Vec<Literal> {
    match name {
        "bool" => vec![Literal::Bool(false), Literal::Bool(true)],
        "char" => {
            let usual = ['a', 'Z', '0', ' ', 'é', '\0', '\u{10ffff}'];
            usual
                .iter()
                .chain(&TRAPS_IN_CHARS)
                .chain(&mined.chars)
                .copied()
                .map(Literal::Char)
                .collect()
        }
        "f32" | "f64" => {
            let usual = [0.0, 1.0, -1.0, 0.5, -0.0, 1e10, f64::NAN, f64::INFINITY, f64::MAX];
            usual.iter().chain(&mined.floats).map(|f| Literal::Float(f.to_bits())).collect()
        }
        _ => match range_of(name) {
            Some((least, greatest)) => {
                let usual = [0, 1, -1, 2, 3, 10, 7, 100, greatest, least];
                let fits = |n: &&i128| (least..=greatest).contains(*n);
                usual.iter().chain(&mined.ints).filter(fits).copied().map(Literal::Int).collect()
            }
            None => vec![],
        },
    }
}

/// Letters whose lower or upper case has another length, and marks that join
/// the letter before them.
const TRAPS_IN_CHARS: [char; 4] = ['ß', 'İ', '\u{301}', '\u{200d}'];

/// Texts on which code that thinks in bytes, in chars or in left and right goes
/// wrong: modifiers and joiners of emoji, an odd number of flag letters, marks,
/// a line end of two bytes, a byte order mark, right to left, case.
const TRAPS_IN_TEXT: [&str; 9] = [
    "👩\u{1f3fd}\u{1f3fd}",
    "👨\u{200d}👩\u{200d}👧",
    "🇩🇪🇫",
    "e\u{301}\u{327}",
    "a\r\nb",
    "\u{feff}a",
    "\u{202e}שלום",
    "ßİ",
    "\0",
];

fn strings(mined: &Literals) -> Vec<Literal> {
    let usual = ["", "a", "b", "A", "abc", "0", "1.0", " ", "é", "-1"];
    let usual = usual.into_iter().chain(TRAPS_IN_TEXT).map(str::to_owned);
    // What the code compares letters with is worth as much in a text.
    let marks = mined.chars.iter().filter(|c| !c.is_alphanumeric()).map(char::to_string);
    let all = usual.chain(mined.strings.iter().cloned()).chain(marks);
    all.map(|text| Literal::Str(text.into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mined_values_out_of_range_are_left_out() {
        let mined = Literals { ints: vec![300, 42], ..Literals::default() };
        let pool = pool(&Ty::prim("u8"), &mined);
        assert!(pool.contains(&Literal::Int(42)));
        assert!(pool.contains(&Literal::Int(255)));
        assert!(!pool.contains(&Literal::Int(300)));
        assert!(!pool.contains(&Literal::Int(-1)));
    }
}
