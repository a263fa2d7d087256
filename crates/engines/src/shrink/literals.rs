//! Literals that say less than the one that is there.

use testsmith_model::sequence::Literal;
use testsmith_model::{EditStep, TypeId};

/// Pieces of a text up to this long are cut out wherever they stand; of longer
/// texts, only pieces of at least a sixteenth are.
const MAX_CUTS: usize = 16;

/// Simpler literals for a step, those that change the most first.
pub(super) fn simpler_literals(step: &EditStep) -> Vec<EditStep> {
    let EditStep::Literal(ty, literal) = step else { return vec![] };
    let simpler: Vec<Literal> = match literal {
        Literal::Int(n) => {
            let size = |n: i128| n.unsigned_abs();
            // Usual ones, then what is half of it, and ever nearer to it.
            let nearer =
                (1..i128::BITS).map(|part| n / (1 << part.min(126))).take_while(|d| *d != 0);
            let fewer = [0, 1, 2, 3, 10, 100].into_iter().chain(nearer.map(|less| n - less));
            fewer.filter(|m| size(*m) < size(*n)).map(Literal::Int).collect()
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

/// Two texts without what they begin with, or end with, in common.
pub(super) fn shorter_together(one: &EditStep, other: &EditStep) -> Vec<(EditStep, EditStep)> {
    let (EditStep::Literal(ty, Literal::Str(a)), EditStep::Literal(other_ty, Literal::Str(b))) =
        (one, other)
    else {
        return vec![];
    };
    let same = |(x, y): &(char, char)| x == y;
    let length = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
        pairs.take_while(same).map(|(c, _)| c.len_utf8()).sum()
    };
    let begin = length(&mut a.chars().zip(b.chars()));
    let end = length(&mut a.chars().rev().zip(b.chars().rev()));
    let step = |ty: &TypeId, text: &str| EditStep::Literal(*ty, Literal::Str(text.into()));
    let both = |a: &str, b: &str| (step(ty, a), step(other_ty, b));
    let mut shorter = vec![];
    if begin > 0 {
        shorter.push(both(&a[begin..], &b[begin..]));
    }
    if end > 0 {
        shorter.push(both(&a[..a.len() - end], &b[..b.len() - end]));
    }
    shorter
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
    fn numbers_come_nearer_to_the_least_that_will_do() {
        let step = |n: i128| EditStep::Literal(TypeId(0), Literal::Int(n));
        let mut number = -7391;
        // Whatever is further from zero than 1234 will do.
        let does = |step: &EditStep| matches!(step, EditStep::Literal(_, Literal::Int(..-1234)));
        while let Some(EditStep::Literal(_, Literal::Int(next))) =
            simpler_literals(&step(number)).into_iter().find(does)
        {
            assert!(next > number);
            number = next;
        }
        assert_eq!(number, -1235);
        assert!(simpler_literals(&step(i128::MIN)).len() < 140);
    }

    #[test]
    fn two_texts_lose_what_they_have_in_common() {
        let step = |text: &str| EditStep::Literal(TypeId(0), Literal::Str(text.into()));
        let shorter = shorter_together(&step("a-Xé"), &step("a-xé"));
        assert_eq!(shorter, [(step("Xé"), step("xé")), (step("a-X"), step("a-x"))]);
        assert_eq!(shorter_together(&step("ab"), &step("cd")), []);
    }

    #[test]
    fn texts_lose_halves_before_letters() {
        let shorter = shorter_texts("moz:");
        assert_eq!(shorter, ["", "a", "m", "z:", "mo", "oz:", "mz:", "mo:", "moz"]);
        assert_eq!(shorter_texts("a"), Vec::<String>::new());
        assert!(shorter_texts(&"x".repeat(1000)).len() < 50);
    }
}
