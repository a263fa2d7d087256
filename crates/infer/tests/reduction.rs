//! From a plan to questions, from answers to clauses, from clauses to calls.

use testsmith_infer::{Contract, Data, Reduction, watches};
use testsmith_model::call::Form;
use testsmith_model::observation::{Observed, Occasion, Row, Term, Watch};
use testsmith_model::operation::{Abilities, Input};
use testsmith_model::sequence::Step;
use testsmith_model::{Call, Callee, Mode, OpId, Operation, OperationKind, Plan, Sequence};
use testsmith_model::{Ty, TypeId, TypeInfo};

const SET: TypeId = TypeId(0);
const ANSWER: TypeId = TypeId(1);
const COUNT: TypeId = TypeId(2);
const UNIT: TypeId = TypeId(3);

const NEW: OpId = OpId(0);
const FILL: OpId = OpId(1);
const IS_EMPTY: OpId = OpId(2);
const COUNT_OF: OpId = OpId(3);
const MERGE: OpId = OpId(4);

/// `new`, `fill(&mut self)`, `is_empty(&self)`, `count(&self)`, `merge(&mut self, &other)`.
fn plan() -> Plan {
    let set = Ty::adt("a::Set", vec![]);
    let method = |name: &str, inputs: &[(&str, Mode)], output: TypeId| {
        let input =
            |(name, mode): &(&str, Mode)| Input { name: (*name).to_owned(), ty: SET, mode: *mode };
        let of = set.clone();
        let method = !inputs.is_empty();
        let form = Form::Member { of, name: name.to_owned(), generics: vec![], method };
        Operation {
            kind: OperationKind::Inherent,
            inputs: inputs.iter().map(input).collect(),
            core: true,
            ..Operation::aside(Callee::member(&set, name), Call::new(form, vec![]), output)
        }
    };
    let looks = ("self", Mode::Shared);
    let info = |ty| TypeInfo::owned(ty, Abilities::default());
    Plan {
        krate: "a".to_owned(),
        types: vec![
            info(set.clone()),
            info(Ty::prim("bool")),
            info(Ty::prim("usize")),
            info(Ty::unit()),
        ],
        operations: vec![
            method("new", &[], SET),
            method("fill", &[("self", Mode::Exclusive)], UNIT),
            method("is_empty", &[looks], ANSWER),
            method("count", &[looks], COUNT),
            method("merge", &[("self", Mode::Exclusive), ("other", Mode::Shared)], UNIT),
        ],
        ..Plan::default()
    }
}

fn call(op: OpId, back: &[u32]) -> Step {
    Step::Call(op, back.into())
}

fn watch_of(watches: &[Watch], occasion: &Occasion) -> u32 {
    watches.iter().position(|watch| watch.occasion == *occasion).expect("it is watched") as u32
}

/// A row with `is_empty` and `count` of each value, before and after.
fn row(watch: u32, sequence: u32, step: u32, slots: &[u32], counts: [&[i64]; 2]) -> Row {
    let answers = |counts: &[i64]| {
        counts.iter().flat_map(|count| [i64::from(*count == 0), *count]).collect::<Vec<i64>>()
    };
    let [before, after] = counts.map(answers);
    Row { watch, sequence, step, slots: slots.to_vec(), before, after, times: 20 }
}

#[test]
fn queries_are_asked_of_what_a_call_is_given_and_of_what_it_may_change() {
    let plan = plan();
    let all = watches(&plan, &|_| true);
    let merge = &all[watch_of(&all, &Occasion::Call { op: MERGE }) as usize];
    let ask = |op, at| Term::Query { op, at };
    let own = [ask(IS_EMPTY, 0), ask(COUNT_OF, 0)];
    assert_eq!(merge.before, [own, [ask(IS_EMPTY, 1), ask(COUNT_OF, 1)]].concat());
    assert_eq!(merge.after, own, "what is only read does not change");
    let count = &all[watch_of(&all, &Occasion::Call { op: COUNT_OF }) as usize];
    assert_eq!(count.before, [ask(IS_EMPTY, 0)], "the question itself says nothing");
    let some = watches(&plan, &|op| op != IS_EMPTY);
    let merge = &some[watch_of(&some, &Occasion::Call { op: MERGE }) as usize];
    assert_eq!(merge.after, [ask(COUNT_OF, 0)], "what is unfit is not asked");
}

/// Merges were only made with empty sets; a set with something in it was seen elsewhere.
fn seen(plan: &Plan) -> Data<'_> {
    let all = watches(plan, &|_| true);
    let (merge, fill, set) = (
        watch_of(&all, &Occasion::Call { op: MERGE }),
        watch_of(&all, &Occasion::Call { op: FILL }),
        watch_of(&all, &Occasion::Values { types: vec![SET] }),
    );
    let mut rows: Vec<Row> = (0..3).map(|n| row(merge, 0, 2, &[0, 1], [&[n, 0], &[n]])).collect();
    rows.extend((0..3).map(|n| row(set, 0, 3, &[0], [&[n], &[]])));
    rows.push(row(fill, 1, 1, &[0], [&[0], &[2]]));
    let sequences = vec![
        Sequence::from_steps(vec![call(NEW, &[]), call(NEW, &[]), call(MERGE, &[2, 1])]),
        Sequence::from_steps(vec![call(NEW, &[]), call(FILL, &[1])]),
    ];
    let mut data = Data::new(plan, all);
    data.add(Observed { sequences, rows, ..Observed::default() });
    data
}

fn of_merge(data: &Data) -> Vec<(String, Contract)> {
    let all = data.contracts().into_iter();
    let merges = all.filter(|c| *data.occasion(c) == Occasion::Call { op: MERGE });
    merges.map(|c| (format!("{} {}", c.clause.kind.word(), data.words(&c)), c)).collect()
}

#[test]
fn what_all_calls_have_in_common_is_told_once_and_in_words() {
    let plan = plan();
    let data = seen(&plan);
    let told: Vec<String> = of_merge(&data).into_iter().map(|(text, _)| text).collect();
    let wanted = ["requires other.is_empty()", "ensures self.count() == old(self.count())"];
    assert_eq!(told, wanted);
}

#[test]
fn a_call_is_proposed_on_a_value_that_breaks_the_clause() {
    let plan = plan();
    let mut data = seen(&plan);
    let (_, contract) = of_merge(&data).remove(0);
    let reduction = Reduction::new(&data);
    let goal = reduction.goals(&contract).remove(0);
    assert!(
        reduction.is_reached(&goal, &[1, 0, 0, 2]) && !reduction.is_reached(&goal, &[0, 2, 1, 0])
    );
    let proposed: Vec<Sequence> = reduction.propose(&goal).collect();
    assert!(!proposed.is_empty());
    for sequence in &proposed {
        let steps: Vec<&Step> = sequence.steps().collect();
        let last = steps.last().expect("a call");
        let Step::Call(MERGE, args) = last else { panic!("{sequence:?}") };
        let other = steps.len() - 1 - args[1] as usize;
        // The only way to something that is not empty.
        let filled = steps.iter().enumerate().any(
            |(at, step)| matches!(step, Step::Call(FILL, back) if at - back[0] as usize == other),
        );
        assert!(filled || matches!(steps[other], Step::Call(NEW, _)), "{sequence:?}");
    }
    assert!(proposed.iter().any(|s| s.steps().any(|step| matches!(step, Step::Call(FILL, _)))));
    // It succeeds, so the clause was none.
    assert!(!data.refutes(&contract));
    let all = watches(&plan, &|_| true);
    let merge = watch_of(&all, &Occasion::Call { op: MERGE });
    let rows = vec![row(merge, 0, 1, &[0, 1], [&[1, 2], &[3]])];
    data.add(Observed { sequences: vec![proposed[0].clone()], rows, ..Observed::default() });
    assert!(data.refutes(&contract));
    let told: Vec<String> = of_merge(&data).into_iter().map(|(text, _)| text).collect();
    assert!(!told.contains(&"requires other.is_empty()".to_owned()), "{told:?}");
}

#[test]
fn what_is_missing_is_brought_about_by_a_call_that_was_seen_to_do_so() {
    let plan = plan();
    let data = seen(&plan);
    let (_, contract) = of_merge(&data).remove(0);
    let reduction = Reduction::new(&data);
    let goal = reduction.goals(&contract).remove(0);
    let between = reduction.propose_between(&goal);
    let is_it = |sequence: &Sequence| {
        let ops: Vec<OpId> = sequence
            .steps()
            .filter_map(|step| match step {
                Step::Call(op, _) => Some(*op),
                Step::Literal(..) => None,
            })
            .collect();
        ops.ends_with(&[FILL, MERGE])
    };
    assert!(between.iter().any(is_it), "{between:?}");
    assert!(between.len() <= 45, "there is a cut-off");
}

#[test]
fn numbers_that_meet_and_answers_about_more_than_one_thing_are_corners() {
    let plan = plan();
    let data = seen(&plan);
    let watch = watch_of(&data.watches, &Occasion::Call { op: MERGE }) as usize;
    let reduction = Reduction::new(&data);
    let corners = reduction.corners(watch);
    assert_eq!(corners.len(), 0, "one number of each value, and nothing that takes both");
    // With another number of the same value, the two may meet.
    let mut two = plan.clone();
    let mut room = two.operations[COUNT_OF.index()].clone();
    room.callee = Callee::member(&Ty::adt("a::Set", vec![]), "room");
    two.operations.push(room);
    let data = Data::new(&two, watches(&two, &|_| true));
    let watch = watch_of(&data.watches, &Occasion::Call { op: MERGE }) as usize;
    let reduction = Reduction::new(&data);
    let corners = reduction.corners(watch);
    assert_eq!(corners.len(), 2, "of itself and of the other");
    let terms = &data.watches[watch].before;
    let columns: Vec<Vec<Term>> = corners
        .iter()
        .map(|goal| goal.wants[0].0.variables().map(|column| terms[column]).collect())
        .collect();
    let room = OpId(two.operations.len() as u32 - 1);
    let meet = |at| vec![Term::Query { op: room, at }, Term::Query { op: COUNT_OF, at }];
    assert_eq!(columns, [meet(0), meet(1)]);
}
