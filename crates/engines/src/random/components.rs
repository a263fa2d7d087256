//! The component set: values of earlier legal sequences, by type, from which
//! new sequences are extended.
//!
//! A value equal to one that was there before is not kept again: otherwise
//! most of the set would be empty containers. Only where two equal values can be
//! told apart, by their hash or by their text, both are kept, as twins: a law
//! about equal values is seldom asked about others. Each type has a bounded number of
//! components; when all places are taken, a new value may drive out any other,
//! the less likely the more there were.

use super::steps::{Outline, Recipe};
use super::trace::Trace;
use crate::hash::{Mixing, mix};
use crate::rng::Rng;
use crate::stage::{Shelved, Stage};
use std::collections::HashSet;
use std::rc::Rc;
use testsmith_model::operation::Sameness;
use testsmith_model::{Heuristic, Heuristics, OpId, Plan, TypeId};

/// Components of one type.
const MAX_MEMBERS: usize = 128;
/// A component takes at most this many calls to make, and if a clone stands for
/// them, the repetitions of one call besides.
const MAX_CALLS: usize = 30;
/// Values that are remembered as seen; past this all are taken for new.
const MAX_SEEN: usize = 1 << 18;
/// When all places are taken, a new value is kept once in as many times as the
/// places were filled, but not more seldom than this.
const DRIVES_OUT_ONCE_IN: usize = 32;
/// A known value is looked at once in so many times for a shorter recipe.
const SHORTEN_ONCE_IN: usize = 16;
/// Pairs of twins of one type; later ones are not noted. Nothing drives them out.
const MAX_TWINS: usize = 8;
/// Values that cannot be told apart are offered this seldom.
const UNKNOWN_ONCE_IN: usize = 8;

#[repr(align(64))]
pub(super) struct Member {
    pub(super) recipe: Rc<Recipe>,
    /// What is asked of the recipe when it is placed.
    pub(super) outline: Outline,
    /// Where the stage keeps a clone of the value.
    pub(super) shelved: Option<Shelved>,
    /// What is learnt of it as an argument goes by this number.
    pub(super) id: u32,
    /// What its text is known by, where equal values may have others.
    look: Option<u64>,
}

/// What is asked for most arguments comes first, in one line of the processor's cache.
#[repr(C, align(64))]
struct Kind {
    members: Vec<Member>,
    /// Members, by their numbers for good, that are equal and yet can be told apart.
    twins: Vec<(u32, u32)>,
    /// Whether values of the type are worth keeping.
    kept: bool,
    /// Whether the stage can keep clones.
    cloneable: bool,
    /// Whether equal values may have different texts.
    shown: bool,
    sameness: Sameness,
    /// Values that were new.
    distinct: usize,
    /// What tells the members apart, side by side.
    identities: Vec<u64>,
}

impl Kind {
    /// Where an equal value is.
    fn equal(&self, stage: &mut impl Stage, slot: u32) -> Option<usize> {
        let equals =
            |member: &Member| member.shelved.is_some_and(|shelved| stage.equals(slot, shelved));
        self.members.iter().position(equals)
    }

    fn is_twin(&self, id: u32) -> bool {
        self.twins.iter().any(|(a, b)| *a == id || *b == id)
    }
}

pub(super) struct Components {
    kinds: Vec<Kind>,
    seen: HashSet<u64, Mixing>,
    pruning: bool,
    twins: bool,
    made: u32,
    /// Recipes that have not been reported.
    news: Vec<Rc<Recipe>>,
}

impl Components {
    /// Nothing is kept of types that borrow: their owners are gone with the
    /// sequence. Numbers and the like come from their literals.
    pub(super) fn new(plan: &Plan, useful: &[bool], heuristics: Heuristics) -> Components {
        let on = heuristics.has(Heuristic::Components);
        let literal = |ty: usize| plan.literals.iter().any(|(of, _)| of.index() == ty);
        let kinds = plan.types.iter().enumerate().map(|(n, info)| Kind {
            kept: on && useful[n] && !info.may_borrow() && !(info.abilities.copy && literal(n)),
            cloneable: info.abilities.clone,
            shown: info.abilities.debug && info.abilities.partial_eq,
            sameness: info.abilities.sameness(),
            members: vec![],
            distinct: 0,
            identities: vec![],
            twins: vec![],
        });
        Components {
            kinds: kinds.collect(),
            seen: HashSet::default(),
            pruning: heuristics.has(Heuristic::Pruning),
            twins: heuristics.has(Heuristic::Twins),
            made: 0,
            news: vec![],
        }
    }

    #[inline]
    pub(super) fn keeps(&self, ty: TypeId) -> bool {
        self.kinds[ty.index()].kept
    }

    #[inline]
    pub(super) fn count(&self, ty: TypeId) -> usize {
        self.kinds[ty.index()].members.len()
    }

    #[inline]
    pub(super) fn member(&self, ty: TypeId, n: usize) -> &Member {
        &self.kinds[ty.index()].members[n]
    }

    #[inline]
    pub(super) fn has_twins(&self, ty: TypeId) -> bool {
        !self.kinds[ty.index()].twins.is_empty()
    }

    /// Where the twin of a member is, if it has one; with none given, any twin.
    pub(super) fn twin(&self, ty: TypeId, of: Option<u32>, rng: &mut Rng) -> Option<usize> {
        let kind = &self.kinds[ty.index()];
        let one = |(a, b): (u32, u32), rng: &mut Rng| if rng.chance(1, 2) { a } else { b };
        let id = match of {
            None => one(kind.twins[rng.below(kind.twins.len())], rng),
            Some(id) => {
                let (a, b) = *kind.twins.iter().find(|(a, b)| *a == id || *b == id)?;
                if a == id { b } else { a }
            }
        };
        kind.members.iter().position(|member| member.id == id)
    }

    /// Drops a component that does not come out the same any more.
    pub(super) fn remove(&mut self, ty: TypeId, n: usize) {
        let kind = &mut self.kinds[ty.index()];
        let Member { id, .. } = kind.members.swap_remove(n);
        kind.identities.swap_remove(n);
        kind.twins.retain(|(a, b)| *a != id && *b != id);
    }

    /// The recipes of the components made since this was last asked.
    pub(super) fn take_news(&mut self) -> Vec<Rc<Recipe>> {
        std::mem::take(&mut self.news)
    }

    /// Keeps the value of a slot unless an equal one was there before. Says
    /// whether it was kept.
    pub(super) fn offer(
        &mut self,
        stage: &mut impl Stage,
        trace: &mut Trace,
        slot: u32,
        repetitions: u64,
        rng: &mut Rng,
    ) -> bool {
        let ty = stage.loans().ty(slot);
        let sameness = self.kinds[ty.index()].sameness;
        let mut identity = 0;
        if self.pruning {
            match sameness {
                Sameness::Hash | Sameness::Debug => match stage.identity(slot, sameness) {
                    Some(number) => identity = number,
                    None => return false,
                },
                Sameness::PartialEq => {}
                Sameness::Unknown if !rng.chance(1, UNKNOWN_ONCE_IN) => return false,
                Sameness::Unknown => {}
            }
            if let Some(known) = self.known(stage, ty, slot, identity) {
                let Known::Member(n) = known else { return false };
                if !rng.chance(1, SHORTEN_ONCE_IN) {
                    return false;
                }
                if !self.looks_new(stage, ty, slot) {
                    self.shorten(stage, ty, n, trace, slot);
                    return false;
                }
            }
        }
        let kind = &mut self.kinds[ty.index()];
        kind.distinct += 1;
        let crowd = (kind.distinct / MAX_MEMBERS).clamp(1, DRIVES_OUT_ONCE_IN);
        let full = kind.members.len() == MAX_MEMBERS;
        if full && !rng.chance(1, crowd) {
            return false;
        }
        let repetitions = if kind.cloneable { repetitions as usize } else { 0 };
        let recipe = recipe(stage, trace, slot);
        if recipe.calls() > MAX_CALLS + repetitions {
            return false;
        }
        self.keep(stage, ty, slot, identity, recipe, rng)
    }

    fn keep(
        &mut self,
        stage: &mut impl Stage,
        ty: TypeId,
        slot: u32,
        identity: u64,
        recipe: Recipe,
        rng: &mut Rng,
    ) -> bool {
        let look = self.look(stage, ty, slot);
        let kind = &mut self.kinds[ty.index()];
        let place = (kind.members.len() == MAX_MEMBERS).then(|| rng.below(MAX_MEMBERS));
        if place.is_some_and(|n| kind.is_twin(kind.members[n].id)) {
            return false;
        }
        let over = place.and_then(|n| kind.members[n].shelved);
        let shelved = stage.shelve(slot, &recipe, over);
        if kind.cloneable && shelved.is_none() {
            // It is too large, or its clone panics.
            return false;
        }
        self.made += 1;
        let recipe = Rc::new(recipe);
        self.news.push(Rc::clone(&recipe));
        let outline = recipe.outline();
        let member = Member { recipe, outline, shelved, id: self.made, look };
        let pairs = self.twins && kind.twins.len() < MAX_TWINS;
        if pairs && let Some(twin) = kind.equal(stage, slot).map(|n| kind.members[n].id) {
            kind.twins.push((twin, member.id));
        }
        match place {
            Some(n) => {
                kind.members[n] = member;
                kind.identities[n] = identity;
            }
            None => {
                kind.members.push(member);
                kind.identities.push(identity);
            }
        }
        true
    }

    /// What the text of a value is known by, if equal values may have others.
    fn look(&self, stage: &mut impl Stage, ty: TypeId, slot: u32) -> Option<u64> {
        let shown = self.twins && self.kinds[ty.index()].shown;
        if shown { stage.identity(slot, Sameness::Debug) } else { None }
    }

    /// Whether a value that equals another can be told apart from all that are here.
    fn looks_new(&self, stage: &mut impl Stage, ty: TypeId, slot: u32) -> bool {
        let kind = &self.kinds[ty.index()];
        if kind.twins.len() == MAX_TWINS {
            return false;
        }
        let look = self.look(stage, ty, slot);
        look.is_some() && kind.members.iter().all(|member| member.look != look)
    }

    /// Whether an equal value was seen before, and where it is if it is here.
    fn known(
        &mut self,
        stage: &mut impl Stage,
        ty: TypeId,
        slot: u32,
        identity: u64,
    ) -> Option<Known> {
        let kind = &self.kinds[ty.index()];
        let by_hash = match kind.sameness {
            Sameness::Unknown => return None,
            Sameness::PartialEq => return kind.equal(stage, slot).map(Known::Member),
            Sameness::Hash => true,
            Sameness::Debug => false,
        };
        let key = mix(identity, u64::from(ty.0));
        if !self.seen.contains(&key) {
            if self.seen.len() < MAX_SEEN {
                self.seen.insert(key);
            }
            return None;
        }
        // A hash may leave out what equality looks at.
        let mut unequal = false;
        for (n, member) in kind.members.iter().enumerate() {
            if kind.identities[n] == identity {
                match member.shelved.filter(|_| by_hash) {
                    Some(shelved) if !stage.equals(slot, shelved) => unequal = true,
                    _ => return Some(Known::Member(n)),
                }
            }
        }
        (!unequal).then_some(Known::Gone)
    }

    /// Takes a shorter recipe for a value that is already here.
    fn shorten(
        &mut self,
        stage: &mut impl Stage,
        ty: TypeId,
        n: usize,
        trace: &mut Trace,
        slot: u32,
    ) {
        let recipe = recipe(stage, trace, slot);
        let member = &mut self.kinds[ty.index()].members[n];
        if recipe.steps.len() < member.recipe.steps.len() {
            if let Some(shelved) = member.shelved {
                stage.rewrite(shelved, &recipe);
            }
            member.outline = recipe.outline();
            member.recipe = Rc::new(recipe);
            self.news.push(Rc::clone(&member.recipe));
        }
    }
}

enum Known {
    Member(usize),
    /// Seen before, but not kept or driven out since.
    Gone,
}

fn recipe(stage: &impl Stage, trace: &mut Trace, slot: u32) -> Recipe {
    trace.recipe(slot, &|op: OpId| stage.signature(op))
}
