//! What can be asked beside plain queries: names of an enum, two values at once, and what a
//! function compares itself.

use testsmith_infer::{Data, Reduction, watches};
use testsmith_model::branch::{Branch, Side};
use testsmith_model::call::Form;
use testsmith_model::observation::{Observed, Occasion, Row, Term, UNKNOWN, Watch};
use testsmith_model::operation::{Abilities, Input};
use testsmith_model::relation::Relation;
use testsmith_model::sequence::Step;
use testsmith_model::{Call, Callee, Mode, OpId, Operation, OperationKind, Plan, Sequence};
use testsmith_model::{Ty, TypeId, TypeInfo};

const LAMP: TypeId = TypeId(0);
const COLOUR: TypeId = TypeId(1);
const COUNT: TypeId = TypeId(2);
const ANSWER: TypeId = TypeId(3);
const UNIT: TypeId = TypeId(4);

const NEW: OpId = OpId(0);
const COLOUR_OF: OpId = OpId(1);
const LEN: OpId = OpId(2);
const LIT_WITHIN: OpId = OpId(3);
const PAINT: OpId = OpId(4);
const LIGHT: OpId = OpId(5);

/// A row of lamps of one colour, whose type can be compared or not.
fn plan(comparable: bool) -> Plan {
    let lamp = Ty::adt("a::Lamps", vec![]);
    let method = |name: &str, inputs: &[(&str, TypeId, Mode)], output: TypeId| {
        let input = |(name, ty, mode): &(&str, TypeId, Mode)| Input {
            name: (*name).to_owned(),
            ty: *ty,
            mode: *mode,
        };
        let (of, method) = (lamp.clone(), !inputs.is_empty());
        let form = Form::Member { of, name: name.to_owned(), generics: vec![], method };
        Operation {
            kind: OperationKind::Inherent,
            inputs: inputs.iter().map(input).collect(),
            core: true,
            ..Operation::aside(Callee::member(&lamp, name), Call::new(form, vec![]), output)
        }
    };
    let (looks, changes) = (("self", LAMP, Mode::Shared), ("self", LAMP, Mode::Exclusive));
    let copy = Abilities { copy: true, ..Abilities::default() };
    let colour = Abilities { partial_eq: comparable, ..copy };
    let variants = ["Red", "Green", "Blue"].map(str::to_owned).to_vec();
    Plan {
        krate: "a".to_owned(),
        types: vec![
            TypeInfo::owned(lamp.clone(), Abilities::default()),
            TypeInfo { variants, ..TypeInfo::owned(Ty::adt("a::Colour", vec![]), colour) },
            TypeInfo::owned(Ty::prim("usize"), copy),
            TypeInfo::owned(Ty::prim("bool"), copy),
            TypeInfo::owned(Ty::unit(), copy),
        ],
        operations: vec![
            method("new", &[], LAMP),
            method("colour", &[looks], COLOUR),
            method("len", &[looks], COUNT),
            method(
                "lit_within",
                &[looks, ("from", COUNT, Mode::Own), ("to", COUNT, Mode::Own)],
                ANSWER,
            ),
            method("paint", &[changes, ("colour", COLOUR, Mode::Own)], UNIT),
            method("light", &[changes, ("from", COUNT, Mode::Own), ("to", COUNT, Mode::Own)], UNIT),
        ],
        ..Plan::default()
    }
}

/// What a call answers to a question, before it or after.
type Answer<'a> = &'a dyn Fn(&Term, bool) -> i64;

fn watch_of(watches: &[Watch], op: OpId) -> usize {
    let of = |watch: &Watch| watch.occasion == Occasion::Call { op };
    watches.iter().position(of).expect("it is watched")
}

/// What is known after calls of an operation that gave these answers, by the question.
fn seen<'p>(plan: &'p Plan, op: OpId, rows: &[Answer<'_>]) -> (Data<'p>, usize) {
    let all = watches(plan, &|_| true);
    let watch = watch_of(&all, op);
    let Watch { before, after, .. } = all[watch].clone();
    let rows = rows.iter().map(|answer| Row {
        watch: watch as u32,
        sequence: 0,
        step: 1,
        slots: vec![0; plan.operation(op).inputs.len()],
        before: before.iter().map(|term| answer(term, false)).collect(),
        after: after.iter().map(|term| answer(term, true)).collect(),
        times: 20,
    });
    let rows: Vec<Row> = rows.collect();
    let sequences = vec![Sequence::from_steps(vec![Step::Call(NEW, Box::new([]))])];
    let mut data = Data::new(plan, all);
    data.add(Observed { sequences, rows, ..Observed::default() });
    (data, watch)
}

fn words(data: &Data, watch: usize) -> Vec<String> {
    let all = data.contracts().into_iter().filter(|contract| contract.watch == watch);
    all.map(|contract| format!("{} {}", contract.clause.kind.word(), data.words(&contract)))
        .collect()
}

/// Lamps are painted in each colour, and were red or green before.
fn painted(comparable: bool) -> Vec<String> {
    let plan = plan(comparable);
    let row = |was: i64, given: i64| {
        move |term: &Term, after: bool| match term {
            Term::Itself { .. } => given,
            Term::Query { op: COLOUR_OF, .. } if after => given,
            Term::Query { op: COLOUR_OF, .. } => was,
            Term::Query { op: LEN, .. } => 4 + was + given,
            _ => UNKNOWN,
        }
    };
    let rows: Vec<_> = [0, 1].iter().flat_map(|a| [0, 1, 2].map(|b| row(*a, b))).collect();
    let rows: Vec<Answer<'_>> = rows.iter().map(|row| row as _).collect();
    let (data, watch) = seen(&plan, PAINT, &rows);
    words(&data, watch)
}

#[test]
fn a_name_is_told_where_it_is_always_that_one_or_the_one_that_was_given() {
    let all = painted(true);
    assert!(all.contains(&"ensures self.colour() == old(colour)".to_owned()), "{all:?}");
    let ordered = |clause: &&String| clause.contains("colour() <") || clause.contains("colour() >");
    assert_eq!(all.iter().find(ordered), None, "names have no order");
    let all = painted(false);
    let equal = |clause: &&String| clause.contains("self.colour() == old(colour)");
    assert_eq!(all.iter().find(equal), None, "they cannot be compared");
    let told =
        "ensures old(matches!(colour, Colour::Blue)) ==> matches!(self.colour(), Colour::Blue)";
    assert!(all.contains(&told.to_owned()), "{all:?}");
}

#[test]
fn a_query_takes_two_values_of_the_call_if_they_are_of_its_types() {
    let plan = plan(true);
    let all = watches(&plan, &|_| true);
    let asks = |op: OpId| {
        let watch = &all[watch_of(&all, op)];
        let two = |term: &&Term| matches!(term, Term::WithTwo { .. });
        watch.before.iter().filter(two).copied().collect::<Vec<Term>>()
    };
    let ask = |with, and| Term::WithTwo { op: LIT_WITHIN, at: 0, with, and };
    assert_eq!(asks(LIGHT), [ask(1, 2), ask(2, 1)]);
    assert_eq!(asks(PAINT), [], "a colour is no place in the row");
    assert_eq!(asks(LIT_WITHIN), [], "to ask the operation itself would say nothing");
    let row = |from: i64| {
        move |term: &Term, after: bool| match term {
            Term::WithTwo { with: 1, .. } => i64::from(after),
            Term::Itself { at: 1 } => from,
            Term::Itself { at: 2 } => from + 3,
            _ => UNKNOWN,
        }
    };
    let rows: Vec<_> = (0..6).map(row).collect();
    let rows: Vec<Answer<'_>> = rows.iter().map(|row| row as _).collect();
    let (data, watch) = seen(&plan, LIGHT, &rows);
    let all = words(&data, watch);
    assert!(all.contains(&"ensures self.lit_within(from, to)".to_owned()), "{all:?}");
    assert!(!all.iter().any(|clause| clause.contains("lit_within(to, from)")), "{all:?}");
}

/// `light` compares `to + 2` with the length.
fn compares(owner: &str) -> Plan {
    let side = |of: &str, member: Option<&str>| Side {
        of: of.to_owned(),
        member: member.map(str::to_owned),
    };
    let branch = Branch {
        owner: owner.to_owned(),
        function: "light".to_owned(),
        left: side("to", None),
        relation: Relation::Less,
        right: Some(side("self", Some("len"))),
        plus: -2,
    };
    Plan { branches: vec![branch], ..plan(true) }
}

#[test]
fn what_a_function_compares_is_a_condition_and_both_its_sides_are_wanted() {
    let row = |len: i64| {
        move |term: &Term, _: bool| match term {
            Term::Query { op: LEN, .. } => len,
            Term::Itself { at: 1 } => 0,
            Term::Itself { at: 2 } => len - 3,
            _ => UNKNOWN,
        }
    };
    let rows: Vec<_> = (3..12).map(row).collect();
    let rows: Vec<Answer<'_>> = rows.iter().map(|row| row as _).collect();
    let needs = "requires to + 2 < self.len()".to_owned();
    for (owner, known) in [("Lamps", true), ("Torches", false)] {
        let plan = compares(owner);
        let (data, watch) = seen(&plan, LIGHT, &rows);
        let all = words(&data, watch);
        assert_eq!(all.contains(&needs), known, "{owner}: {all:?}");
        let wanted = Reduction::new(&data).branches(watch);
        assert_eq!(wanted.len(), usize::from(known), "the side where it was never called");
    }
}

#[test]
fn what_nobody_has_is_asked_of_the_store() {
    let plan = compares("Lamps");
    let row = |len: i64, to: i64| {
        move |term: &Term, _: bool| match term {
            Term::Query { op: LEN, .. } => len,
            Term::Itself { at: 1 } => 0,
            Term::Itself { at: 2 } => to,
            _ => UNKNOWN,
        }
    };
    let rows: Vec<_> = (3..12).map(|len| row(len, 0)).collect();
    let rows: Vec<Answer<'_>> = rows.iter().map(|row| row as _).collect();
    let (data, watch) = seen(&plan, LIGHT, &rows);
    let reduction = Reduction::new(&data);
    let contract = data
        .contracts()
        .into_iter()
        .find(|contract| contract.watch == watch && data.words(contract) == "self.len() >= 1");
    let contract = contract.expect("all had a length");
    let goals = reduction.goals(&contract);
    let asked: Vec<String> = goals.iter().flat_map(|goal| reduction.conditions(goal)).collect();
    assert_eq!(asked, ["a::Lamps: len < 1"]);
    let known =
        testsmith_infer::Goal { wants: vec![(contract.clause.atom, true)], ..goals[0].clone() };
    assert_eq!(reduction.conditions(&known), [""; 0], "such values are there");
}
