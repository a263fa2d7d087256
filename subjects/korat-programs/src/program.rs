//! Random predicates as data.
//!
//! A predicate is a list of clauses that must all hold. The structures of this
//! crate interpret it in their `rep_ok`, once as themselves and once as twins;
//! the models interpret it a third time, in code of their own. The twin's code
//! may name no type of ours, so the structures ask for the running program
//! through the free functions at the end.

use std::cell::Cell;

use crate::forms::FORMS;

/// One clause; what the words mean is up to the structures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clause {
    pub word: &'static str,
    /// How two numbers are compared: 0 `<`, 1 `<=`, 2 `==`, 3 `!=`, 4 `>`.
    pub compare: u8,
    pub number: u8,
    /// Where the fields are that the clause looks at: the way from the root.
    pub paths: Vec<Vec<&'static str>>,
    /// Clauses under a condition, and under its opposite.
    pub then: Vec<Clause>,
    pub otherwise: Vec<Clause>,
}

impl Clause {
    pub fn passes(&self, value: u8) -> bool {
        self.compares(value, self.number)
    }

    pub fn compares(&self, a: u8, b: u8) -> bool {
        match self.compare {
            0 => a < b,
            1 => a <= b,
            2 => a == b,
            3 => a != b,
            _ => a > b,
        }
    }

    /// As `passes`, for a constraint that panics on large values.
    pub fn passes_small(&self, value: u8) -> bool {
        assert!(value < 2, "a constraint that does not like {value}");
        self.passes(value)
    }
}

/// What a generator of programs may use.
pub struct Grammar {
    /// The words of single clauses, and how many paths each takes.
    pub words: &'static [(&'static str, usize)],
    /// A random path.
    pub path: fn(&mut Random) -> Vec<&'static str>,
}

/// How deep conditions nest.
const DEPTH: u32 = 2;

/// A program of one to five clauses.
pub fn random_program(random: &mut Random, grammar: &Grammar) -> Vec<Clause> {
    let count = 1 + random.below(5);
    (0..count).map(|_| random_clause(random, grammar, DEPTH)).collect()
}

fn random_clause(random: &mut Random, grammar: &Grammar, depth: u32) -> Clause {
    if depth > 0 && random.below(3) == 0 {
        let some = |random: &mut Random, least: usize| -> Vec<Clause> {
            let count = least + random.below(2);
            (0..count).map(|_| random_clause(random, grammar, depth - 1)).collect()
        };
        let plain_word = ["if", "or", "twice"][random.below(3)];
        let form = random.pick(FORMS);
        let word = if random.below(2) == 0 { plain_word } else { form };
        let then = some(random, 1);
        let bare = word == "or" || word == "twice";
        let otherwise = if bare { Vec::new() } else { some(random, 0) };
        return Clause { word, then, otherwise, ..plain(random, grammar, "", 1) };
    }
    let (word, paths) = grammar.words[random.below(grammar.words.len())];
    plain(random, grammar, word, paths)
}

fn plain(random: &mut Random, grammar: &Grammar, word: &'static str, paths: usize) -> Clause {
    // Chains take a few; the same path may come up twice.
    let paths = if paths == usize::MAX { 1 + random.below(4) } else { paths };
    Clause {
        word,
        compare: random.below(5) as u8,
        number: random.below(3) as u8,
        paths: (0..paths).map(|_| (grammar.path)(random)).collect(),
        ..Clause::default()
    }
}

/// Random numbers that are the same everywhere.
pub struct Random(pub u64);

impl Random {
    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.draw() % bound as u64) as usize
    }

    pub fn pick(&mut self, words: &[&'static str]) -> &'static str {
        words[self.below(words.len())]
    }
}

thread_local! {
    /// The clauses of the running program, conditions before what they guard.
    static RUNNING: Cell<&'static [Flat]> = const { Cell::new(&[]) };
}

struct Flat {
    clause: Clause,
    then: Vec<usize>,
    otherwise: Vec<usize>,
    /// Whether the clause stands in no condition.
    outermost: bool,
}

/// Makes a program the one that structures interpret on this thread. Programs
/// stay in memory: there are thousands of them at most.
pub fn start(program: &[Clause]) {
    let mut flat = Vec::new();
    for clause in program {
        let at = flatten(clause, &mut flat);
        flat[at].outermost = true;
    }
    RUNNING.set(Vec::leak(flat));
}

fn flatten(clause: &Clause, flat: &mut Vec<Flat>) -> usize {
    let at = flat.len();
    let clause_alone = Clause { then: Vec::new(), otherwise: Vec::new(), ..clause.clone() };
    let empty = Flat { clause: clause_alone, then: vec![], otherwise: vec![], outermost: false };
    flat.push(empty);
    let then = clause.then.iter().map(|inner| flatten(inner, flat)).collect();
    let otherwise = clause.otherwise.iter().map(|inner| flatten(inner, flat)).collect();
    (flat[at].then, flat[at].otherwise) = (then, otherwise);
    at
}

/// How many clauses there are, those in conditions included.
pub fn clauses() -> usize {
    RUNNING.get().len()
}

pub fn outermost(at: usize) -> bool {
    RUNNING.get()[at].outermost
}

pub fn word(at: usize) -> &'static str {
    RUNNING.get()[at].clause.word
}

pub fn passes(at: usize, value: u8) -> bool {
    RUNNING.get()[at].clause.passes(value)
}

pub fn passes_small(at: usize, value: u8) -> bool {
    RUNNING.get()[at].clause.passes_small(value)
}

pub fn compares(at: usize, a: u8, b: u8) -> bool {
    RUNNING.get()[at].clause.compares(a, b)
}

/// A number that says which of several variants of a clause is meant.
pub fn number(at: usize) -> usize {
    usize::from(RUNNING.get()[at].clause.number)
}

/// Whether a chain is strict.
pub fn strict(at: usize) -> bool {
    RUNNING.get()[at].clause.compare.is_multiple_of(2)
}

pub fn paths(at: usize) -> usize {
    RUNNING.get()[at].clause.paths.len()
}

/// A step of a path, or nothing after its end.
pub fn step(at: usize, path: usize, step: usize) -> &'static str {
    RUNNING.get()[at].clause.paths[path].get(step).copied().unwrap_or("")
}

/// The clauses to go on with after a condition.
pub fn chosen(at: usize, condition: bool) -> &'static [usize] {
    let flat = &RUNNING.get()[at];
    if condition { &flat.then } else { &flat.otherwise }
}
