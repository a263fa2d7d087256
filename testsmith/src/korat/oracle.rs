//! Every structure of a scope by brute force: slow, and obviously right.
//!
//! Tries the whole Cartesian product of the field domains, keeps what is a
//! structure (no box with two owners, no dangling weak pointer or index, no
//! slot of an arena that nothing reaches) and satisfies the predicate, and
//! reduces isomorphic ones by their canonical form. Shares nothing with the
//! search but the space, and serves to check it.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::cell::state;
use super::deep::{self, Types};
use super::finitize::{Finitization, FinitizeError};
use super::reach::Reach;
use super::show::Shower;
use super::space::Space;
use super::{Korat, TwinType, guard};

/// Steps one run of the predicate may take.
const STEPS: u64 = 2_000;

/// The canonical forms of all valid structures.
pub fn brute_force<T: Korat>(
    finitization: &Finitization,
) -> Result<BTreeSet<String>, FinitizeError> {
    let (space, root) = Space::build::<T>(finitization)?;
    {
        let inner = space.trail.inner.borrow();
        for (at, field) in inner.fields.iter().enumerate() {
            let header = inner.header(at as u32);
            assert!(header.size > 0, "`{}` has no value to try", field.name);
            header.state.set(state::SEEN);
        }
    }
    let mut found = BTreeSet::new();
    let types = Types::of::<T>();
    guard::quietly(|| {
        loop {
            let root_twin: &T::Twin = if T::Twin::INLINE { &root } else { root.peek() };
            let check = || deep::valid::<T>(root_twin, &types);
            guard::begin(STEPS);
            if catch_unwind(AssertUnwindSafe(check)).unwrap_or(false) {
                size_arenas(&space);
                let mut reach = Reach::new(&space.trail);
                reach.cell(&root);
                if reach.is_structure() {
                    let mut shower = Shower::new(&space.trail);
                    let canonical = root.peek().show(&mut shower).canonical();
                    found.extend(canonical.map(|canonical| format!("{canonical:?}")));
                }
            }
            guard::end();
            super::scratch::undo();
            if !step(&space) {
                break;
            }
        }
    });
    Ok(found)
}

/// Makes every arena as long as its length field says.
fn size_arenas(space: &Space) {
    let mut inner = space.trail.inner.borrow_mut();
    for class in 0..inner.classes.len() {
        if let Some(length) = inner.classes[class].length {
            inner.classes[class].high = inner.header(length).index.get() as i32 - 1;
        }
    }
}

/// Moves to the next element of the product; `false` after the last.
fn step(space: &Space) -> bool {
    let inner = space.trail.inner.borrow();
    for at in 0..inner.fields.len() as u32 {
        let header = inner.header(at);
        let index = &header.index;
        if index.get() + 1 < header.size {
            index.set(index.get() + 1);
            return true;
        }
        index.set(0);
    }
    false
}
