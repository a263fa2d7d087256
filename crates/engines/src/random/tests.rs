//! The engine on a stage of lists of numbers, where every value can be seen.

use super::*;
use crate::stage::{Halt, Shelved, Stage};
use std::collections::HashSet;
use testsmith_model::message::{ArgumentLimit, Component};
use testsmith_model::operation::{Abilities, Operation, Sameness, Signature, TypeInfo};
use testsmith_model::sequence::{Builder, Literal, Sequence, Step};
use testsmith_model::ty::Ty;
use testsmith_model::{Heuristic, Heuristics, Loans, Mode, OpId, Plan, TypeId};

const NUMBER: TypeId = TypeId(0);
const LIST: TypeId = TypeId(1);
const UNIT: TypeId = TypeId(2);

const NEW: OpId = OpId(0);
const PUSH: OpId = OpId(1);
const TAKE: OpId = OpId(2);
const JOIN: OpId = OpId(3);

const NUMBERS: [i128; 5] = [0, 1, 2, 50, 5000];

/// `new() -> List`, `push(&mut List, Number)`, `take(&mut List, Number)` which
/// panics past the end, `join(List, List) -> List`.
fn plan() -> Plan {
    let operation = Operation::of_types;
    let info = |name: &str, copy| {
        TypeInfo::owned(
            Ty::prim(name),
            Abilities { copy, clone: true, eq: true, hash: true, ..Default::default() },
        )
    };
    let list = (LIST, Mode::Exclusive);
    Plan {
        types: vec![info("number", true), info("list", false), info("unit", true)],
        operations: vec![
            operation(&[], LIST),
            operation(&[list, (NUMBER, Mode::Own)], UNIT),
            operation(&[list, (NUMBER, Mode::Own)], UNIT),
            operation(&[(LIST, Mode::Own), (LIST, Mode::Own)], LIST),
        ],
        literals: vec![(NUMBER, NUMBERS.map(Literal::Int).to_vec())],
        ..Plan::default()
    }
}

/// Every value is a list; a number is a list of one.
#[derive(Default)]
struct Lists {
    signatures: Vec<Signature>,
    loans: Loans,
    values: Vec<Vec<i128>>,
    steps: Vec<Step>,
    /// Per slot, the step that made it.
    made_by: Vec<u32>,
    shelf: Vec<(Vec<i128>, Component)>,
    /// Really called: the operation and the number passed, if any.
    called: Vec<(OpId, Option<i128>)>,
    panics: usize,
    /// This sequence has panicked.
    panicked: bool,
    heavy: bool,
    /// Lists of one length are equal.
    loose: bool,
}

impl Lists {
    fn new() -> Lists {
        Lists { signatures: plan().signatures(), ..Lists::default() }
    }

    fn clear(&mut self) {
        self.loans.clear();
        self.values.clear();
        self.steps.clear();
        self.made_by.clear();
        self.panicked = false;
    }

    fn sequence(&self) -> Sequence {
        Sequence::from_steps(self.steps.clone())
    }

    /// The next step makes the next slot.
    fn note(&mut self, step: Step) {
        self.made_by.push(self.steps.len() as u32);
        self.steps.push(step);
    }
}

impl Stage for Lists {
    fn loans(&self) -> &Loans {
        &self.loans
    }

    fn signature(&self, op: OpId) -> &Signature {
        &self.signatures[op.index()]
    }

    fn literal(&mut self, ty: TypeId, n: usize) -> Result<u32, Halt> {
        let literal = numbered(&plan().literals[0].1).nth(n).expect("it is a number");
        let Literal::Int(number) = literal else { panic!("{literal:?}") };
        self.values.push(vec![number]);
        self.note(Step::Literal(ty, literal));
        Ok(self.loans.push(ty))
    }

    fn text(&mut self, _: TypeId, _: &std::sync::Arc<str>) -> Result<u32, Halt> {
        unreachable!("no type here takes texts")
    }

    fn is_refusal(&mut self, _: u32) -> bool {
        false
    }

    fn call(&mut self, op: OpId, args: &[u32]) -> Option<Result<u32, Halt>> {
        self.loans.access(&self.signatures[op.index()], args).ok()?;
        let number = args.get(1).filter(|_| op != JOIN).map(|arg| self.values[*arg as usize][0]);
        self.called.push((op, number));
        self.heavy = op == PUSH && number == Some(5000);
        let here = self.steps.len() as u32;
        let back = args.iter().map(|arg| here - self.made_by[*arg as usize]);
        self.note(Step::Call(op, back.collect()));
        let mut result = vec![];
        match (op, number) {
            (PUSH, Some(number)) => self.values[args[0] as usize].push(number),
            (TAKE, Some(number)) => {
                let list = &mut self.values[args[0] as usize];
                if number as usize >= list.len() {
                    self.panics += 1;
                    self.panicked = true;
                    return Some(Err(Halt::Panicked));
                }
                list.remove(number as usize);
            }
            (JOIN, _) => {
                for arg in args {
                    result.extend_from_slice(&self.values[*arg as usize]);
                }
            }
            _ => {}
        }
        self.values.push(result);
        Some(Ok(self.loans.commit(&self.signatures[op.index()], args)))
    }

    fn was_heavy(&self) -> bool {
        self.heavy
    }

    fn place(&mut self, shelved: Shelved) -> Result<u32, Halt> {
        let (value, Component { sequence, value: made_by }) = &self.shelf[shelved.0 as usize];
        self.made_by.push(self.steps.len() as u32 + made_by);
        self.values.push(value.clone());
        self.steps.extend(sequence.steps().cloned());
        Ok(self.loans.push(LIST))
    }

    fn identity(&mut self, slot: u32, by: Sameness) -> Option<u64> {
        use std::hash::{DefaultHasher, Hash, Hasher};
        assert_eq!(by, Sameness::Hash);
        // The order is left out, as a careless hash may do.
        let mut hasher = DefaultHasher::new();
        let mut sorted = self.values[slot as usize].clone();
        sorted.sort_unstable();
        sorted.hash(&mut hasher);
        Some(hasher.finish())
    }

    fn equals(&mut self, slot: u32, shelved: Shelved) -> bool {
        let (one, other) = (&self.values[slot as usize], &self.shelf[shelved.0 as usize].0);
        if self.loose { one.len() == other.len() } else { one == other }
    }

    fn shelve(&mut self, slot: u32, recipe: &Recipe, over: Option<Shelved>) -> Option<Shelved> {
        let kept = (self.values[slot as usize].clone(), recipe.component(&plan()));
        match over {
            Some(shelved) => self.shelf[shelved.0 as usize] = kept,
            None => self.shelf.push(kept),
        }
        over.or(Some(Shelved(self.shelf.len() as u32 - 1)))
    }

    fn rewrite(&mut self, shelved: Shelved, recipe: &Recipe) {
        self.shelf[shelved.0 as usize].1 = recipe.component(&plan());
    }
}

/// Grows so many sequences of up to five extensions and shows each before its
/// values are gone.
fn run(
    heuristics: Heuristics,
    limits: &[ArgumentLimit],
    sequences: usize,
    mut each: impl FnMut(&mut Lists),
) -> (Engine, Lists) {
    let mut lists = Lists::new();
    let mut engine = Engine::new(&plan(), heuristics, &[], limits);
    engine.start(7);
    for _ in 0..sequences {
        lists.clear();
        engine.begin(true);
        for _ in 0..5 {
            if engine.extend(&mut lists).is_err() {
                break;
            }
        }
        engine.end(&mut lists);
        each(&mut lists);
    }
    (engine, lists)
}

/// The value of a component, made from scratch.
fn value_of(component: &Component) -> Vec<i128> {
    let mut lists = Lists::new();
    for step in component.sequence.steps() {
        match step {
            Step::Literal(ty, Literal::Int(number)) => {
                let pool = &plan().literals[0].1;
                let at = numbered(pool).position(|known| known == Literal::Int(*number));
                let n = at.expect("of the pool");
                lists.literal(*ty, n).expect("there is room");
            }
            Step::Call(op, back) => {
                let here = lists.steps.len() as u32;
                let args: Vec<u32> = back.iter().map(|distance| here - distance).collect();
                lists.call(*op, &args).expect("legal").expect("it completes");
            }
            step => panic!("{step:?} is not of the plan"),
        }
    }
    lists.values[component.value as usize].clone()
}

fn longest(heuristics: Heuristics) -> usize {
    let mut longest = 0;
    run(heuristics, &[], 2000, |lists| {
        longest = lists.values.iter().map(Vec::len).max().unwrap_or(0).max(longest);
    });
    longest
}

#[test]
fn the_same_seed_makes_the_same_calls() {
    let calls = |heuristics| run(heuristics, &[], 300, |_| ()).1.called;
    assert_eq!(calls(Heuristics::ALL), calls(Heuristics::ALL));
    assert_eq!(calls(Heuristics::walk()), calls(Heuristics::walk()));
    assert_ne!(calls(Heuristics::ALL), calls(Heuristics::walk()));
}

#[test]
fn values_of_earlier_sequences_lead_further_than_a_walk_of_the_same_length() {
    let components = Heuristics::ALL.without(Heuristic::Repetition);
    let (with, without) = (longest(components), longest(Heuristics::walk()));
    assert!(with >= 2 * without, "{with} and {without}");
}

#[test]
fn a_component_made_from_scratch_is_the_value_that_was_kept() {
    let (mut engine, lists) = run(Heuristics::ALL, &[], 300, |_| ());
    let components = engine.take_components();
    let plan = plan();
    let shelved: HashSet<&Vec<i128>> = lists.shelf.iter().map(|(value, _)| value).collect();
    for component in &components {
        let mut builder = Builder::new(&plan);
        assert_eq!(builder.append(&component.sequence), Ok(0), "{component:?}");
    }
    // Some were driven out since; none of those left is another value.
    let made: HashSet<Vec<i128>> = components.iter().map(value_of).collect();
    assert!(shelved.len() > 50, "{}", shelved.len());
    assert!(shelved.iter().all(|value| made.contains(*value)));
    assert!(engine.take_components().is_empty(), "each is told once");
}

#[test]
fn no_two_components_are_equal_though_hashes_are() {
    let few = Heuristics::ALL.without(Heuristic::Variety);
    let (_, lists) = run(few, &[], 300, |_| ());
    let distinct: HashSet<&Vec<i128>> = lists.shelf.iter().map(|(value, _)| value).collect();
    assert_eq!(distinct.len(), lists.shelf.len());
    let sorted = |(list, _): &(Vec<i128>, Component)| {
        let mut sorted = list.clone();
        sorted.sort_unstable();
        sorted
    };
    let hashes: HashSet<Vec<i128>> = lists.shelf.iter().map(sorted).collect();
    assert!(hashes.len() < distinct.len(), "lists in another order are kept");
    let without = few.without(Heuristic::Pruning);
    let (_, lists) = run(without, &[], 300, |_| ());
    let distinct: HashSet<&Vec<i128>> = lists.shelf.iter().map(|(value, _)| value).collect();
    assert!(distinct.len() < lists.shelf.len(), "without pruning there are equal ones");
}

#[test]
fn every_sequence_is_legal_and_ends_in_the_same_values_when_run_from_scratch() {
    let plan = plan();
    let mut completed = 0;
    run(Heuristics::ALL, &[], 500, |lists| {
        let sequence = lists.sequence();
        let mut builder = Builder::new(&plan);
        assert_eq!(builder.append(&sequence), Ok(0));
        let slot = lists.values.len().saturating_sub(1);
        if !lists.panicked && lists.loans.is_live(slot as u32) {
            completed += 1;
            let component = Component { sequence, value: lists.made_by[slot] };
            assert_eq!(value_of(&component), lists.values[slot]);
        }
    });
    assert!(completed > 200, "{completed}");
}

#[test]
fn a_number_at_its_limit_or_beyond_is_not_passed() {
    let limit = ArgumentLimit { op: PUSH, input: 1, number: 50, costly: true };
    let pushed = |heuristics| {
        let (_, lists) = run(heuristics, &[limit], 500, |_| ());
        let pushed = lists.called.iter().filter(|(op, _)| *op == PUSH);
        pushed.filter_map(|(_, number)| *number).max()
    };
    assert!(pushed(Heuristics::ALL).is_some_and(|most| most < 50));
    assert_eq!(pushed(Heuristics::ALL.without(Heuristic::Limits)), Some(5000));
}

#[test]
fn a_number_that_made_a_call_heavy_is_not_passed_again() {
    let heavy = |heuristics| {
        let (_, lists) = run(heuristics, &[], 500, |_| ());
        lists.called.iter().filter(|call| **call == (PUSH, Some(5000))).count()
    };
    assert_eq!(heavy(Heuristics::ALL), 1);
    assert!(heavy(Heuristics::ALL.without(Heuristic::Limits)) > 50);
}

#[test]
fn much_memory_is_an_excess_only_where_an_operation_has_done_without() {
    let mut learned = learned::Learned::new(&plan(), &[], Heuristics::ALL);
    assert!(!learned.is_excess(NEW, true), "it may never make anything small");
    assert!(!learned.is_excess(NEW, false));
    assert!(learned.is_excess(NEW, true));
    assert!(!learned.is_excess(PUSH, true), "each operation counts for itself");
}

#[test]
fn arguments_that_panic_are_passed_less_and_the_operation_still_completes() {
    let rate = |heuristics| {
        let (engine, lists) = run(heuristics, &[], 2000, |_| ());
        (lists.panics as f64 / lists.called.len() as f64, engine.completed()[TAKE.index()])
    };
    let (walking, _) = rate(Heuristics::walk());
    let (learnt, completed) = rate(Heuristics::ALL);
    assert!(learnt < walking / 4.0, "{learnt} and {walking}");
    assert!(completed > 20, "{completed}");
}

#[test]
fn a_call_is_repeated_on_one_list() {
    let most_in_a_row = |heuristics| {
        let (_, lists) = run(heuristics, &[], 300, |_| ());
        let rows = lists.called.chunk_by(|a, b| a.0 == PUSH && b.0 == PUSH);
        rows.map(<[_]>::len).max().unwrap_or(0)
    };
    assert!(most_in_a_row(Heuristics::ALL) > 50);
    assert!(most_in_a_row(Heuristics::ALL.without(Heuristic::Repetition)) < 20);
}

#[test]
fn a_repeated_call_is_given_numbers_in_turn_and_what_it_made_is_kept() {
    let most_distinct = |heuristics| {
        let (_, lists) = run(heuristics, &[], 600, |_| ());
        let distinct =
            |(list, _): &(Vec<i128>, Component)| list.iter().collect::<HashSet<_>>().len();
        lists.shelf.iter().map(distinct).max().unwrap_or(0)
    };
    let few = Heuristics::ALL.without(Heuristic::Variety);
    assert!(most_distinct(few) > 50);
    let without = most_distinct(few.without(Heuristic::Repetition));
    assert!(without <= NUMBERS.len(), "only the pool is left: {without}");
}

#[test]
fn steps_are_known_by_the_same_hash_whole_or_in_pieces() {
    let mut first = Steps::default();
    first.call(NEW, std::iter::empty());
    first.literal(NUMBER, 1);
    let mut second = first.clone();
    second.call(PUSH, [0, 1].into_iter());
    let mut whole = first.clone();
    whole.append(&second);
    assert_eq!(whole.digest(), first.digest().append(second.digest()));
    let mut swapped = second.clone();
    swapped.append(&first);
    assert_ne!(whole.digest().hash, swapped.digest().hash);
}

#[test]
fn equal_values_that_can_be_told_apart_are_passed_together() {
    let together = |heuristics| {
        let mut lists = Lists { loose: true, ..Lists::new() };
        let mut engine = Engine::new(&plan(), heuristics, &[TAKE], &[]);
        engine.start(7);
        let mut together = 0;
        for _ in 0..2000 {
            lists.clear();
            engine.begin(true);
            let _ = engine.extend(&mut lists);
            let joins = lists.called.drain(..).any(|(op, _)| op == JOIN);
            let [.., one, other, _] = &lists.values[..] else { continue };
            together += usize::from(joins && one.len() == other.len() && one != other);
            engine.end(&mut lists);
        }
        together
    };
    let (with, without) =
        (together(Heuristics::ALL), together(Heuristics::ALL.without(Heuristic::Twins)));
    assert!(with > 2 * without && with > 50, "{with} and {without}");
}

#[test]
fn a_sequence_that_does_not_grow_ends_after_its_first_call() {
    let mut lists = Lists::new();
    let heuristics = Heuristics::ALL.without(Heuristic::Growing);
    let mut engine = Engine::new(&plan(), heuristics, &[TAKE], &[]);
    engine.begin(true);
    assert_eq!(engine.extend(&mut lists), Ok(()));
    assert_eq!(engine.extend(&mut lists), Err(Halt::Full));
}

#[test]
fn no_sequence_begins_with_a_call_that_was_made_after_the_same_steps() {
    let repeated = |heuristics: Heuristics| {
        let mut seen = HashSet::new();
        let mut repeated = 0;
        // Sequences of one call under test show their beginnings.
        run(heuristics.without(Heuristic::Growing), &[], 1000, |lists| {
            repeated += usize::from(!lists.called.is_empty() && !seen.insert(lists.sequence()));
            lists.called.clear();
        });
        repeated
    };
    let (with, without) =
        (repeated(Heuristics::ALL), repeated(Heuristics::ALL.without(Heuristic::Duplicates)));
    assert!(with * 20 < without, "{with} and {without}");
}

#[test]
fn a_call_that_panicked_is_not_made_again_after_the_same_steps() {
    let repeated = |heuristics| {
        let mut seen = HashSet::new();
        let mut repeated = 0;
        run(heuristics, &[], 1000, |lists| {
            repeated += usize::from(lists.panicked && !seen.insert(lists.sequence()));
        });
        repeated
    };
    let few = Heuristics::ALL.without(Heuristic::Variety);
    let blind = few.without(Heuristic::Panics).without(Heuristic::Arguments);
    assert_eq!(repeated(blind), 0);
    assert!(repeated(blind.without(Heuristic::Duplicates)) > 0);
}

#[test]
fn an_adopted_component_is_where_the_next_sequences_start() {
    let (mut first, _) = run(Heuristics::ALL, &[], 300, |_| ());
    let components = first.take_components();
    let mut lists = Lists::new();
    let mut engine = Engine::new(&plan(), Heuristics::ALL, &[], &[]);
    for component in &components {
        lists.clear();
        engine.begin(false);
        engine.adopt(&mut lists, component);
    }
    assert!(engine.take_components().is_empty(), "they are no news");
    assert!(lists.shelf.len() > 50, "{}", lists.shelf.len());
    assert!(NEW.index() < engine.completed().len());
}

#[test]
fn numbers_that_are_not_of_the_pool_are_passed_as_well() {
    let others = |heuristics: Heuristics| {
        let heuristics = heuristics.without(Heuristic::Repetition).without(Heuristic::Sizes);
        let (_, lists) = run(heuristics, &[], 300, |_| ());
        let numbers = lists.called.iter().filter_map(|(_, number)| *number);
        numbers.filter(|number| !NUMBERS.contains(number)).collect::<HashSet<_>>().len()
    };
    assert!(others(Heuristics::ALL) > 50);
    assert_eq!(others(Heuristics::ALL.without(Heuristic::Variety)), 0);
}
