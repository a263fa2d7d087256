//! Inputs for the sides of branches that one path takes together.
//!
//! Ways that meet again are joined, so one input of a path does not take all of
//! them. When all paths are visited, each side that no input has taken is asked
//! for with the paths that hold it: the input found is run like any other and
//! has a case of its own. No verdict waits for these.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{Explorer, Link, Reason, Sides, bytes, conditions};
use crate::ir::SiteId;
use crate::machine::{Decision, End};
use testsmith_solver::Answer;
use testsmith_solver::term::{Assignment, Term};

/// So many paths are kept on which a side may be taken.
const MOST_PATHS: usize = 64;

/// A path on which a side is taken if a condition holds.
pub(super) struct Chance {
    path: Option<Rc<Link>>,
    condition: Term,
    end: End,
    known: Rc<Assignment>,
}

/// The sides that other inputs of a path take, by site and way.
pub(super) type Chances = BTreeMap<(SiteId, u32), Vec<Chance>>;

impl Explorer<'_> {
    /// Keeps the sides that a path takes and its input does not.
    pub(super) fn note_chances(
        &mut self,
        path: &Option<Rc<Link>>,
        joined: Sides,
        end: &End,
        known: &Rc<Assignment>,
    ) {
        for (side, condition) in joined {
            let counts = (self.counts)(self.interpreter.program.site(side.0));
            if self.found.covered.contains(&side) || !counts {
                continue;
            }
            let chances = self.chances.entry(side).or_default();
            if chances.len() >= MOST_PATHS {
                self.found.unclear.insert(side);
                continue;
            }
            let (path, end, known) = (path.clone(), end.clone(), Rc::clone(known));
            chances.push(Chance { path, condition, end, known });
        }
    }

    /// Finds an input for every side that no input takes yet and some path does.
    pub(super) fn represent(&mut self) {
        for (side, chances) in std::mem::take(&mut self.chances) {
            for chance in chances {
                if self.found.covered.contains(&side) {
                    break;
                }
                if self.stop().is_some() {
                    self.found.unclear.insert(side);
                    break;
                }
                let path = conditions(&chance.path);
                let condition = chance.condition;
                match self.chain.ask(&self.interpreter.pool, &path, condition, &chance.known) {
                    Answer::Unsat => {}
                    Answer::Unknown(_) => {
                        self.found.unclear.insert(side);
                    }
                    Answer::Sat(model) => self.visit_side(&path, &chance, &model),
                }
            }
        }
    }

    fn visit_side(&mut self, path: &[Term], chance: &Chance, model: &Assignment) {
        let input = bytes(model, self.settings.input_len);
        let mut run = self.run(&input, path);
        let same = match (&run.end, &chance.end) {
            // What lies beside an object depends on where it lies.
            (End::Undefined(_), End::Undefined(_)) => true,
            (one, other) => one == other,
        };
        if run.diverged || run.decisions.len() != path.len() || !same {
            self.found.ledger.void("inputs of one path do not end alike".to_owned());
        }
        // What makes the case smaller must not lead it to another side.
        run.decisions.push(Decision { holds: chance.condition, reason: Reason::Joined });
        self.keep(run, input, true);
    }
}
