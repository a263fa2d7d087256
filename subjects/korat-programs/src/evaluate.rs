//! What the models share: programs as conjunctions, where a panic means that
//! a structure is not valid.

use crate::program::Clause;

/// Whether all clauses hold; `None` when one of them panics.
fn conjunction(clauses: &[Clause], mut holds: impl FnMut(&Clause) -> Option<bool>) -> Option<bool> {
    for clause in clauses {
        if !holds(clause)? {
            return Some(false);
        }
    }
    Some(true)
}

/// Whether a whole program holds.
pub fn all(program: &[Clause], holds: impl FnMut(&Clause) -> Option<bool>) -> bool {
    conjunction(program, holds) == Some(true)
}

/// A clause with clauses under it, at a number of the structure; `root` is the
/// number that direct forms look at.
pub fn condition(
    clause: &Clause,
    condition: bool,
    root: u8,
    mut holds: impl FnMut(&Clause) -> Option<bool>,
) -> Option<bool> {
    match clause.word {
        "if" if condition => return conjunction(&clause.then, holds),
        "if" => return conjunction(&clause.otherwise, holds),
        "or" if condition => return Some(true),
        "or" | "twice" => return conjunction(&clause.then, holds),
        _ => {}
    }
    let strict = clause.compare.is_multiple_of(2);
    let passes = clause.passes(root);
    let mut part =
        |then: bool| conjunction(if then { &clause.then } else { &clause.otherwise }, &mut holds);
    Some(match clause.word {
        "not" | "no clause" | "some and" | "opposite" => !part(true)?,
        "stored" => {
            let ok = part(true)?;
            part(false)? && !ok
        }
        "chosen" => {
            if part(true)? {
                part(false)?
            } else {
                strict
            }
        }
        "either" | "any" => part(true)? || part(false)?,
        "differ" | "counted" => part(true)? != part(false)?,
        "guarded" => match clause.number {
            0 => part(true)? == strict,
            _ => {
                if part(true)? {
                    !strict
                } else {
                    part(false)?
                }
            }
        },
        "every" => part(true)? && part(false)?,
        // The second part is looked at after each clause of the first.
        "every clause" => {
            for inner in &clause.then {
                if !holds(inner)? || !strict && !conjunction(&clause.otherwise, &mut holds)? {
                    return Some(false);
                }
            }
            true
        }
        "none or" => part(true)?,
        "strange" | "strange part" => !(part(true)? && part(false)?),
        "tried" => (part(true)? && part(false)?) == strict,
        "direct not" | "direct said" | "direct while" => !passes,
        "direct let" => passes == strict,
        "direct or" => passes || part(true)?,
        "direct if" => {
            if passes {
                part(true)?
            } else {
                !part(false)?
            }
        }
        "direct match" => {
            if passes {
                part(true)?
            } else {
                strict
            }
        }
        "direct closure" => !passes && part(true)?,
        // Both sides are looked at.
        "direct and" => part(true)? & passes,
        word => panic!("no such word: {word}"),
    })
}
