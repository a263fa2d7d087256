//! Texts put together from others.
//!
//! Pieces of a grammar are found in a crate's sources, whole sentences of it
//! seldom. So a text is changed as a fuzzer would: its numbers become extreme,
//! another is joined to it, its tokens are dropped, repeated and exchanged. A
//! text that an operation did not refuse is kept for it and changed further.

use super::sizes::GREATEST;
use crate::hash::{Mixer, Mixing, mix};
use crate::rng::Rng;
use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;
use testsmith_model::operation::OperationKind;
use testsmith_model::sequence::Literal;
use testsmith_model::ty::{Lifetime, Ty};
use testsmith_model::{OpId, Plan, TypeId};

/// Texts kept for one operation.
const MAX_FRUITFUL: usize = 256;
/// A new text drives out the one with the most tokens of so many.
const COMPARED: usize = 3;
/// Shapes that are remembered; past this no more texts are kept.
const MAX_SHAPES: usize = 1 << 16;
/// No text is longer than this many bytes.
const MAX_LENGTH: usize = 128;
const MAX_EDITS: usize = 4;
/// A token is repeated a few times, and now and then so often.
const MANY_TIMES: usize = 40;
/// What a long text is made of if it is made of nothing special: one byte, two, three and
/// four, lines and words.
const LETTERS: [&str; 7] = ["a", "é", "字", "👩", "a\n", "\r\n", "aé "];
/// Letters of two, three and four bytes, marks without a width, letters whose case has another
/// length, spaces, ends of lines, and what controls a terminal.
const UNUSUAL: [char; 24] = [
    'é', 'ß', 'ä', 'İ', 'ſ', '字', '…', '👩', '𝒳', '\u{301}', '\u{200d}', '\u{fe0f}', '\u{a0}',
    '\u{3000}', '\u{2028}', '\u{feff}', '\0', '\t', '\n', '\r', '\u{1b}', '\u{7f}', '\u{80}', '"',
];
/// What opens something nests, if it is repeated.
const OPENING: [&str; 4] = ["[", "(", "{", "<"];
/// Powers of ten, and the greatest numbers of types.
const ROUND: [&str; 16] = [
    "0",
    "1",
    "10",
    "100",
    "1000",
    "1000000",
    "1000000000",
    "127",
    "255",
    "32767",
    "65535",
    "2147483647",
    "4294967295",
    "9223372036854775807",
    "18446744073709551615",
    "340282366920938463463374607431768211455",
];
/// Numbers at which clocks, calendars and the same types wrap.
const ODD: [&str; 22] = [
    "2",
    "7",
    "9",
    "12",
    "13",
    "23",
    "24",
    "28",
    "29",
    "31",
    "32",
    "59",
    "60",
    "99",
    "128",
    "256",
    "366",
    "9999",
    "65536",
    "2147483648",
    "4294967296",
    "18446744073709551616",
];

pub(super) struct Texts {
    /// Per type: whether a text that is made on the way can be one of its
    /// values.
    takes: Vec<bool>,
    /// Per operation: whether it is likely to look into the texts it is given.
    reads: Vec<bool>,
    /// Those that do and may be called.
    readers: Vec<OpId>,
    /// The literals of the plan.
    pieces: Vec<Arc<str>>,
    /// Per operation: texts that it did not refuse, one of each shape, with the
    /// number of their tokens.
    fruitful: Vec<Vec<(Arc<str>, usize)>>,
    shapes: HashSet<u64, Mixing>,
    /// Per operation: how many marks it was given so often that nothing can follow them.
    nested: Vec<usize>,
    /// What opens something: first what the crate knows, which is so many of it.
    opening: [&'static str; OPENING.len()],
    known: usize,
    /// What stands between the tokens of the pieces.
    marks: Vec<char>,
    /// The text under way, and where its tokens begin and end.
    text: String,
    bounds: Vec<usize>,
}

impl Texts {
    pub(super) fn new(plan: &Plan, avoid: &[OpId]) -> Texts {
        let pool = |n: usize| {
            let mut pools = plan.literals.iter();
            pools.find(|(ty, _)| ty.index() == n).map_or(&[][..], |(_, pool)| pool.as_slice())
        };
        let is_text = |n: usize| matches!(pool(n).first(), Some(Literal::Str(_)));
        // What is static outlives the sequence that made it.
        let is_static =
            |ty: &Ty| matches!(ty, Ty::Ref { lifetime, .. } if *lifetime == Lifetime::Static);
        let types = plan.types.iter().enumerate();
        let takes: Vec<bool> = types.map(|(n, info)| is_text(n) && !is_static(&info.ty)).collect();
        // A key of a map is only compared; a text beside nothing but literals,
        // or one that may be refused, is likely to be parsed.
        let reads = |op: OpId| {
            let operation = plan.operation(op);
            let given = operation.inputs.iter().any(|input| takes[input.ty.index()]);
            let plain = operation.inputs.iter().all(|input| !pool(input.ty.index()).is_empty());
            let may_refuse = plan.ty(operation.output).ty.path() == Some("std::result::Result");
            operation.kind != OperationKind::Builder && given && (plain || may_refuse)
        };
        let text = |literal: &Literal| match literal {
            Literal::Str(text) => Some(Arc::clone(text)),
            _ => None,
        };
        let first = (0..plan.types.len()).find(|n| is_text(*n));
        let pieces: Vec<Arc<str>> = first.map_or(&[][..], pool).iter().filter_map(text).collect();
        let mut marks: Vec<char> =
            pieces.iter().flat_map(|text| text.chars()).filter(|c| !c.is_alphanumeric()).collect();
        marks.sort_unstable();
        marks.dedup();
        let reads: Vec<bool> = plan.op_ids().map(reads).collect();
        let is_known = |mark: &&str| marks.iter().any(|c| mark.starts_with(*c));
        let mut opening = OPENING;
        opening.sort_by_key(|mark| !is_known(mark));
        let drawn = |op: &OpId| reads[op.index()] && !avoid.contains(op);
        Texts {
            readers: plan.op_ids().filter(drawn).collect(),
            takes,
            reads,
            pieces,
            fruitful: vec![vec![]; plan.operations.len()],
            shapes: HashSet::default(),
            nested: vec![0; plan.operations.len()],
            known: OPENING.iter().filter(|mark| is_known(mark)).count(),
            opening,
            marks,
            text: String::new(),
            bounds: vec![],
        }
    }

    #[inline]
    pub(super) fn takes(&self, ty: TypeId) -> bool {
        self.takes[ty.index()]
    }

    #[inline]
    pub(super) fn reads(&self, op: OpId) -> bool {
        self.reads[op.index()]
    }

    /// An operation that is likely to look into texts.
    pub(super) fn reader(&self, rng: &mut Rng) -> Option<OpId> {
        (!self.readers.is_empty()).then(|| self.readers[rng.below(self.readers.len())])
    }

    /// An operation took this text and did not refuse it: keeps it for that
    /// operation, if no text of its shape was kept before.
    pub(super) fn keep(&mut self, op: OpId, text: &Arc<str>, rng: &mut Rng) {
        bound(text, &mut self.bounds);
        let shape = mix(shape(text, &self.bounds), u64::from(op.0));
        if self.shapes.len() == MAX_SHAPES || !self.shapes.insert(shape) {
            return;
        }
        let tokens = self.bounds.len();
        let texts = &mut self.fruitful[op.index()];
        if texts.len() < MAX_FRUITFUL {
            texts.push((Arc::clone(text), tokens));
            return;
        }
        let drawn: [usize; COMPARED] = std::array::from_fn(|_| rng.below(MAX_FRUITFUL));
        if let Some(longest) = drawn.into_iter().max_by_key(|n| texts[*n].1)
            && tokens <= texts[longest].1
        {
            texts[longest] = (Arc::clone(text), tokens);
        }
    }

    /// A literal of the plan.
    pub(super) fn piece(&self, n: usize) -> Option<Arc<str>> {
        self.pieces.get(n).cloned()
    }

    /// A text for an operation that is likely to be new, made of this one or of any.
    pub(super) fn compose(&mut self, op: OpId, base: Option<Arc<str>>, rng: &mut Rng) -> Arc<str> {
        self.text.clear();
        let base = base.unwrap_or_else(|| self.any(op, rng));
        self.text.push_str(&base);
        for _ in 0..MAX_EDITS {
            self.edit(op, rng);
            if rng.chance(1, 2) {
                break;
            }
        }
        if self.text.len() > MAX_LENGTH {
            let end = (0..=MAX_LENGTH).rev().find(|end| self.text.is_char_boundary(*end));
            self.text.truncate(end.unwrap_or_default());
        }
        Arc::from(self.text.as_str())
    }

    /// A text of so many bytes, or letters: a piece again and again, rather one that nests, with something before it
    /// and behind it or not, and now and then one letter of two bytes where the others have
    /// one. Its first texts of the greatest size an operation gets in turn: of each mark that opens
    /// something, those that the crate knows first, and of nothing else.
    pub(super) fn stretch(&mut self, op: OpId, size: usize, rng: &mut Rng) -> Arc<str> {
        let turn = self.nested[op.index()];
        if size == GREATEST && turn < OPENING.len() {
            self.nested[op.index()] += 1;
            return Arc::from(self.opening[turn].repeat(size));
        }
        let base = self.any(op, rng);
        bound(&base, &mut self.bounds);
        let token = self.token(rng);
        let nests = size > MAX_LENGTH && rng.chance(1, 2);
        let piece = match rng.below(4) {
            _ if nests => self.opening(rng).to_owned(),
            0 => LETTERS[rng.below(LETTERS.len())].to_owned(),
            1 if !self.marks.is_empty() => self.marks[rng.below(self.marks.len())].to_string(),
            2 => base.to_string(),
            _ => base[token.clone()].to_owned(),
        };
        let piece = if piece.is_empty() { LETTERS[0] } else { &piece };
        let (before, after) = match rng.chance(1, 3) {
            true => (&base[..token.start], &base[token.end..]),
            false => ("", ""),
        };
        let length = |text: &str, by_letters: bool| match by_letters {
            true => text.chars().count(),
            false => text.len(),
        };
        let by_letters = rng.chance(1, 2);
        let rest = size.saturating_sub(length(before, by_letters) + length(after, by_letters));
        let (times, missing) = (rest / length(piece, by_letters), rest % length(piece, by_letters));
        let mut text = [before, &piece.repeat(times), &LETTERS[0].repeat(missing)].concat();
        if rng.chance(1, 4) {
            // At one of the ends, or where half of it is over.
            let at = [0, text.len() / 2, text.len().saturating_sub(1)][rng.below(3)];
            let at = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
            text.insert_str(at, LETTERS[1 + rng.below(LETTERS.len() - 1)]);
        }
        text.push_str(after);
        Arc::from(text)
    }

    /// A mark that opens something, rather one that the crate knows.
    fn opening(&self, rng: &mut Rng) -> &'static str {
        let among = if self.known == 0 { OPENING.len() } else { self.known };
        self.opening[rng.below(among)]
    }

    /// A text to start from or to take something of.
    fn any(&self, op: OpId, rng: &mut Rng) -> Arc<str> {
        let fruitful = &self.fruitful[op.index()];
        if !fruitful.is_empty() && rng.chance(2, 3) {
            return Arc::clone(&fruitful[rng.below(fruitful.len())].0);
        }
        let piece = self.pieces.get(rng.below(self.pieces.len().max(1)));
        piece.map_or_else(|| Arc::from(""), Arc::clone)
    }

    fn edit(&mut self, op: OpId, rng: &mut Rng) {
        bound(&self.text, &mut self.bounds);
        match rng.below(12) {
            0..4 => self.renumber(rng),
            10.. => self.respell(rng),
            4..6 => self.join(op, rng),
            6 => {
                let token = self.token(rng);
                self.text.replace_range(token, "");
            }
            7 => {
                let token = self.token(rng);
                let times = if rng.chance(1, 16) { MANY_TIMES } else { 1 + rng.below(3) };
                let more = self.text[token.clone()].repeat(times);
                self.text.insert_str(token.end, &more);
            }
            8 => {
                let other = self.any(op, rng);
                let token = self.token(rng);
                bound(&other, &mut self.bounds);
                let new = self.token(rng);
                // One in two takes the place of another token.
                let place = if rng.chance(1, 2) { token } else { token.end..token.end };
                self.text.replace_range(place, &other[new]);
            }
            _ if rng.chance(1, 2) => self.text = self.text.to_uppercase(),
            _ => self.text = self.text.to_lowercase(),
        }
    }

    /// A letter that is written otherwise than most, in some place or in that of another:
    /// whoever counts bytes for letters, or letters for columns, goes wrong behind it.
    fn respell(&mut self, rng: &mut Rng) {
        let at = rng.below(self.text.len() + 1);
        let at = (0..=at).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or_default();
        let letter = UNUSUAL[rng.below(UNUSUAL.len())];
        match self.text[at..].chars().next().filter(|_| rng.chance(1, 2)) {
            Some(other) => {
                self.text.replace_range(at..at + other.len_utf8(), letter.encode_utf8(&mut [0; 4]));
            }
            None => self.text.insert(at, letter),
        }
    }

    /// One of the tokens that were bounded last; empty where there is none.
    fn token(&self, rng: &mut Rng) -> Range<usize> {
        match self.bounds.len() - 1 {
            0 => 0..0,
            tokens => {
                let n = rng.below(tokens);
                self.bounds[n]..self.bounds[n + 1]
            }
        }
    }

    /// Other numbers in the place of every second, or of nothing.
    fn renumber(&mut self, rng: &mut Rng) {
        let mut has_numbers = false;
        // From the end, so that the bounds before a change stay true.
        for n in (1..self.bounds.len()).rev() {
            let token = self.bounds[n - 1]..self.bounds[n];
            if self.text.as_bytes()[token.start].is_ascii_digit() {
                has_numbers = true;
                if rng.chance(1, 2) {
                    self.text.replace_range(token, number(rng));
                }
            }
        }
        if !has_numbers {
            let place = self.bounds[rng.below(self.bounds.len())];
            self.text.insert_str(place, number(rng));
        }
    }

    /// Another text before or behind, with or without a mark in between.
    fn join(&mut self, op: OpId, rng: &mut Rng) {
        let other = self.any(op, rng);
        let mark = match self.marks.len() {
            0 => None,
            marks => rng.chance(1, 2).then(|| self.marks[rng.below(marks)]),
        };
        if rng.chance(1, 3) {
            self.text.insert_str(0, &other);
            if let Some(mark) = mark {
                self.text.insert(other.len(), mark);
            }
        } else {
            self.text.extend(mark);
            self.text.push_str(&other);
        }
    }
}

fn number(rng: &mut Rng) -> &'static str {
    if rng.chance(3, 4) { ROUND[rng.below(ROUND.len())] } else { ODD[rng.below(ODD.len())] }
}

/// Texts with the same words and marks are of one shape, whatever their numbers
/// and however wide the gaps.
fn shape(text: &str, bounds: &[usize]) -> u64 {
    let mut hasher = Mixer::default();
    for token in bounds.windows(2).map(|ends| &text[ends[0]..ends[1]]) {
        if token.starts_with(|c: char| c.is_ascii_digit()) {
            '0'.hash(&mut hasher);
        } else if !token.starts_with(char::is_whitespace) {
            token.hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// Where tokens begin and end: runs of digits, runs of letters, and whatever
/// else there is, one character each.
fn bound(text: &str, bounds: &mut Vec<usize>) {
    let kind = |c: char| match c {
        _ if c.is_ascii_digit() => 0,
        _ if c.is_alphabetic() => 1,
        _ => 2,
    };
    bounds.clear();
    let mut last = None;
    for (at, c) in text.char_indices() {
        let kind = kind(c);
        if last != Some(kind) || kind == 2 {
            bounds.push(at);
        }
        last = Some(kind);
    }
    // The end of one is the beginning of the next, and the last has one, too.
    if bounds.is_empty() {
        bounds.push(0);
    }
    if !text.is_empty() {
        bounds.push(text.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith_model::operation::{Mode, Operation, TypeInfo};

    const PARSE: OpId = OpId(0);

    fn texts(pieces: &[&str]) -> Texts {
        let pool = pieces.iter().map(|text| Literal::Str((*text).into())).collect();
        let ty = TypeInfo::owned(Ty::adt("std::string::String", vec![]), Default::default());
        let plan = Plan {
            types: vec![ty],
            operations: vec![Operation::of_types(&[(TypeId(0), Mode::Shared)], TypeId(0))],
            literals: vec![(TypeId(0), pool)],
            ..Plan::default()
        };
        Texts::new(&plan, &[])
    }

    fn composed(pieces: &[&str], times: usize) -> HashSet<Arc<str>> {
        let (mut texts, mut rng) = (texts(pieces), Rng::new(1));
        (0..times).map(|_| texts.compose(PARSE, None, &mut rng)).collect()
    }

    #[test]
    fn tokens_are_runs_of_digits_or_letters_or_single_marks() {
        let mut bounds = vec![];
        bound("12ms--é7", &mut bounds);
        assert_eq!(bounds, [0, 2, 4, 5, 6, 8, 9]);
        bound("", &mut bounds);
        assert_eq!(bounds, [0]);
    }

    #[test]
    fn numbers_become_extreme_and_texts_are_joined() {
        let made = composed(&["7s", "30ms"], 10_000);
        assert!(made.contains("18446744073709551615s"));
        assert!(made.contains("7s30ms"));
        assert!(made.contains("s") && made.contains("7S"));
        assert!(made.iter().all(|text| text.len() <= MAX_LENGTH));
    }

    #[test]
    fn letters_of_several_bytes_come_into_texts_that_have_none() {
        let made = composed(&["wrap it"], 10_000);
        let inside = |text: &Arc<str>| text.starts_with("wr") && text.ends_with(" it");
        assert!(made.iter().any(|text| inside(text) && text.contains('字')));
        assert!(made.iter().any(|text| inside(text) && text.contains('\u{1b}')));
    }

    #[test]
    fn long_texts_are_as_long_as_they_should_be_but_for_a_letter() {
        let (mut texts, mut rng) = (texts(&["[7s]", "字", ""]), Rng::new(1));
        let mut made = HashSet::new();
        for size in [15, 4096] {
            for _ in 0..500 {
                let text = texts.stretch(PARSE, size, &mut rng);
                let (bytes, letters) = (text.len(), text.chars().count());
                let about = size..=size + 4;
                assert!(about.contains(&bytes) || about.contains(&letters), "{size}: {text}");
                made.insert(text);
            }
        }
        assert!(made.contains("[".repeat(4096).as_str()) && made.contains("é".repeat(15).as_str()));
    }

    #[test]
    fn every_mark_that_opens_something_is_nested_once_those_of_the_crate_first() {
        let (mut texts, mut rng) = (texts(&["{a}"]), Rng::new(1));
        let mut next = || texts.stretch(PARSE, GREATEST, &mut rng).chars().next();
        let first: Vec<char> = (0..OPENING.len()).filter_map(|_| next()).collect();
        assert_eq!(first, ['{', '[', '(', '<']);
    }

    #[test]
    fn a_text_is_made_of_the_one_beside_it() {
        let (mut texts, mut rng) = (texts(&["zz"]), Rng::new(1));
        let made: HashSet<Arc<str>> = (0..1000)
            .map(|_| texts.compose(PARSE, Some("kitten-sitting".into()), &mut rng))
            .collect();
        assert!(made.contains("kitten-") && made.contains("kitten--sitting"));
    }

    #[test]
    fn any_text_can_be_edited() {
        assert!(!composed(&["", "\0", "👩\u{1f3fd}", "ßİ"], 10_000).is_empty());
        assert!(!composed(&[], 100).is_empty());
    }

    #[test]
    fn a_text_that_was_not_refused_is_changed_further() {
        let (mut texts, mut rng) = (texts(&["a"]), Rng::new(1));
        texts.keep(PARSE, &"1.2.3-rc".into(), &mut rng);
        assert!((0..100).any(|_| texts.compose(PARSE, None, &mut rng).contains("2.3-rc")));
    }

    #[test]
    fn one_text_of_each_shape_is_kept() {
        let (mut texts, mut rng) = (texts(&["a"]), Rng::new(1));
        for text in ["7d", "30d", "7h", "7 h", "7h7d"] {
            texts.keep(PARSE, &text.into(), &mut rng);
        }
        let kept: Vec<&str> = texts.fruitful[0].iter().map(|(text, _)| &**text).collect();
        assert_eq!(kept, ["7d", "7h", "7h7d"]);
    }
}
