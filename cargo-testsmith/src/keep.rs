//! What outlives a run, in the store of the out-folder.
//!
//! No run depends on it: whatever is wrong with the store is said once, and the run goes
//! on without. What no longer fits the plan is left out when it is read.

use crate::console::Console;
use crate::pipeline::Session;
use crate::stored::{Names, Stored};
use std::collections::{BTreeSet, HashSet};
use testsmith_model::message::Component;
use testsmith_model::{Plan, Sequence};
use testsmith_store::{Condition, Contract, Error, Kept, Seen, Store, Value};

/// Sequences of earlier runs that are run again for their objects.
const MAX_EARLIER: usize = 1000;
/// Objects that are taken for one condition, as many as tuples are tried for a goal.
const MOST_LOOKED_UP: usize = 45;

pub(crate) struct Keeper<'k> {
    /// None once something was wrong with it.
    store: Option<Store>,
    console: &'k Console,
    krate: String,
}

impl<'k> Keeper<'k> {
    pub(crate) fn open(session: &'k Session) -> Keeper<'k> {
        let console = &session.console;
        let opened = Store::open(&session.out.join(testsmith_store::FILE));
        let store = opened.map_err(|error| say(console, &error)).ok();
        Keeper { store, console, krate: session.plan.krate.clone() }
    }

    /// Reads something, or nothing if it cannot be read.
    pub(crate) fn read<T: Default>(
        &mut self,
        read: impl FnOnce(&Store, &str) -> Result<T, Error>,
    ) -> T {
        let Some(store) = &self.store else { return T::default() };
        match read(store, &self.krate) {
            Ok(read) => read,
            Err(error) => {
                say(self.console, &error);
                self.store = None;
                T::default()
            }
        }
    }

    /// Writes something; what has to go for it is told.
    pub(crate) fn write(
        &mut self,
        what: &str,
        write: impl FnOnce(&mut Store, &str) -> Result<Kept, Error>,
    ) {
        let Some(store) = &mut self.store else { return };
        match write(store, &self.krate) {
            Ok(Kept { dropped: 0, .. }) => {}
            Ok(Kept { stored, dropped }) => self.console.say(&format!(
                "the store keeps {stored} {what}; {dropped} had to go to stay within its bounds"
            )),
            Err(error) => {
                say(self.console, &error);
                self.store = None;
            }
        }
    }

    /// The components of earlier runs that still make sense.
    pub(crate) fn components(&mut self, plan: &Plan) -> Vec<Component> {
        let names = Names::new(plan);
        let component = |Value { steps, slot }: Value| {
            let sequence = sequence(plan, &names, &steps)?;
            ((slot as usize) < sequence.len()).then_some(Component { sequence, value: slot })
        };
        self.read(Store::components).into_iter().filter_map(component).collect()
    }

    /// The sequences of objects of earlier runs that still make sense, the latest first.
    pub(crate) fn objects(&mut self, plan: &Plan) -> Vec<Sequence> {
        let names = Names::new(plan);
        let mut seen = HashSet::new();
        let objects = self.read(Store::seen).objects.into_iter().rev();
        let texts =
            objects.map(|object| object.value.steps).filter(|text| seen.insert(text.clone()));
        texts.filter_map(|text| sequence(plan, &names, &text)).take(MAX_EARLIER).collect()
    }

    /// Keeps what stateful testing has learned. Contracts are those of this run.
    pub(crate) fn put_learned(&mut self, seen: &Seen, contracts: &[Contract]) {
        self.write("objects", |store, krate| store.put_seen(krate, seen));
        self.write("contracts", |store, krate| {
            store.forget_contracts(krate)?;
            store.put_contracts(krate, contracts)
        });
    }

    /// Keeps the latest components, each once.
    pub(crate) fn put_components(&mut self, plan: &Plan, components: &[Component]) {
        let mut seen = HashSet::new();
        let latest = components.iter().rev().filter(|c| seen.insert((&c.sequence, c.value)));
        let mut latest: Vec<&Component> = latest.take(testsmith_store::MAX_COMPONENTS).collect();
        // Earlier ones are simpler, and come first again.
        latest.reverse();
        let value = |c: &Component| Value { steps: steps(plan, &c.sequence), slot: c.value };
        let values: Vec<Value> = latest.into_iter().map(value).collect();
        self.write("components", |store, krate| store.put_components(krate, &values));
    }
}

/// A sequence as it is kept.
pub(crate) fn steps(plan: &Plan, sequence: &Sequence) -> String {
    serde_json::to_string(&Stored::new(plan, sequence)).expect("names and numbers are JSON")
}

/// The sequence that was kept, if it still fits the plan.
pub(crate) fn sequence(plan: &Plan, names: &Names, steps: &str) -> Option<Sequence> {
    let stored: Stored = serde_json::from_str(steps).ok()?;
    stored.sequence_by(plan, names).ok()
}

/// The sequences of stored objects that satisfy one of these conditions, the first of each;
/// nothing if the store cannot be read.
pub(crate) fn look_up(session: &Session, asked: &[String]) -> Vec<Sequence> {
    let Ok(store) = Store::open_to_read(&session.out.join(testsmith_store::FILE)) else {
        return vec![];
    };
    let (plan, names) = (&session.plan, Names::new(&session.plan));
    let mut found: BTreeSet<String> = BTreeSet::new();
    for condition in asked.iter().filter_map(|text| Condition::parse(text).ok()) {
        let objects = store.objects(&plan.krate, &condition, MOST_LOOKED_UP).unwrap_or_default();
        found.extend(objects.into_iter().map(|object| object.value.steps));
    }
    found.iter().filter_map(|steps| sequence(plan, &names, steps)).collect()
}

fn say(console: &Console, error: &Error) {
    console.say(&format!("going on without what earlier runs have left: {error}"));
}
