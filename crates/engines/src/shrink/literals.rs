//! Literals that say less than the one that is there.

use testsmith_model::EditStep;
use testsmith_model::sequence::Literal;

/// Pieces of a text up to this long are cut out wherever they stand; of longer
/// texts, only pieces of at least a sixteenth are.
const MAX_CUTS: usize = 16;

/// Simpler literals for a step, those that change the most first.
pub(super) fn simpler_literals(step: &EditStep) -> Vec<EditStep> {
    let EditStep::Literal(ty, literal) = step else { return vec![] };
    let simpler: Vec<Literal> = match literal {
        Literal::Int(n) => {
            let size = |n: i128| n.unsigned_abs();
            let fewer = [0, 1, 2, 3, 10, 100, n / 2];
            fewer.into_iter().filter(|m| size(*m) < size(*n)).map(Literal::Int).collect()
        }
        Literal::Float(bits) if f64::from_bits(*bits) != 0.0 => {
            let simple = [0.0, 1.0].into_iter().filter(|f: &f64| f.to_bits() != *bits);
            simple.map(|f| Literal::Float(f.to_bits())).collect()
        }
        Literal::Str(text) => {
            shorter_texts(text).into_iter().map(|text| Literal::Str(text.into())).collect()
        }
        Literal::Char(c) if *c != 'a' => vec![Literal::Char('a')],
        _ => vec![],
    };
    simpler.into_iter().map(|literal| EditStep::Literal(*ty, literal)).collect()
}

/// The text with a piece cut out, long pieces first, and the shortest texts.
fn shorter_texts(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut shorter = match letters.as_slice() {
        [] | ['a'] => vec![],
        [_] => vec![String::new(), "a".to_owned()],
        _ => vec![String::new(), "a".to_owned(), letters[0].to_string()],
    };
    shorter.retain(|short| short.len() < text.len() || short.as_str() < text);
    let mut size = letters.len() / 2;
    while size > 0 && letters.len().div_ceil(size) <= MAX_CUTS {
        for at in (0..letters.len()).step_by(size) {
            let rest = letters[..at].iter().chain(letters.iter().skip(at + size));
            shorter.push(rest.collect());
        }
        size /= 2;
    }
    shorter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_lose_halves_before_letters() {
        let shorter = shorter_texts("moz:");
        assert_eq!(shorter, ["", "a", "m", "z:", "mo", "oz:", "mz:", "mo:", "moz"]);
        assert_eq!(shorter_texts("a"), Vec::<String>::new());
        assert!(shorter_texts(&"x".repeat(1000)).len() < 50);
    }
}
