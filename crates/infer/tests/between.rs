//! Where values lack what a call in between needs, another call comes first.

use testsmith_infer::{Data, Reduction, watches};
use testsmith_model::call::Form;
use testsmith_model::observation::{Observed, Occasion, Row, Watch};
use testsmith_model::operation::{Abilities, Input};
use testsmith_model::sequence::Step;
use testsmith_model::{Call, Callee, Mode, OpId, Operation, OperationKind, Plan, Sequence};
use testsmith_model::{Ty, TypeId, TypeInfo};

const LIST: TypeId = TypeId(0);
const ANSWER: TypeId = TypeId(1);
const UNIT: TypeId = TypeId(2);

const NEW: OpId = OpId(0);
const FILL: OpId = OpId(1);
const START: OpId = OpId(2);
const PICK: OpId = OpId(5);

/// A list with a cursor: `new`, `fill`, `start`, which needs something to be on, `is_empty`,
/// `is_off`, and `pick`.
fn plan() -> Plan {
    let list = Ty::adt("a::List", vec![]);
    let method = |name: &str, mode: Option<Mode>, output: TypeId| {
        let input = |mode: Mode| Input { name: "self".to_owned(), ty: LIST, mode };
        let (of, method) = (list.clone(), mode.is_some());
        let form = Form::Member { of, name: name.to_owned(), generics: vec![], method };
        Operation {
            kind: OperationKind::Inherent,
            inputs: mode.map(input).into_iter().collect(),
            core: true,
            ..Operation::aside(Callee::member(&list, name), Call::new(form, vec![]), output)
        }
    };
    let info = |ty| TypeInfo::owned(ty, Abilities::default());
    let (changes, looks) = (Some(Mode::Exclusive), Some(Mode::Shared));
    Plan {
        krate: "a".to_owned(),
        types: vec![info(list.clone()), info(Ty::prim("bool")), info(Ty::unit())],
        operations: vec![
            method("new", None, LIST),
            method("fill", changes, UNIT),
            method("start", changes, UNIT),
            method("is_empty", looks, ANSWER),
            method("is_off", looks, ANSWER),
            method("pick", changes, UNIT),
        ],
        ..Plan::default()
    }
}

/// What was seen of a call: `is_empty` and `is_off`, before and after.
fn row(watches: &[Watch], op: OpId, sequence: u32, before: [i64; 2], after: [i64; 2]) -> Row {
    let occasion = Occasion::Call { op };
    let watch = watches.iter().position(|watch| watch.occasion == occasion).expect("it is watched");
    let (before, after) = (before.to_vec(), after.to_vec());
    Row { watch: watch as u32, sequence, step: 1, slots: vec![0], before, after, times: 20 }
}

/// Only empty lists were picked from; to start one was of use only if it was filled.
fn seen(plan: &Plan, filled: bool) -> Data<'_> {
    let all = watches(plan, &|_| true);
    let mut rows = vec![
        row(&all, PICK, 0, [1, 1], [1, 1]),
        row(&all, START, 1, [1, 1], [1, 1]),
        row(&all, FILL, 2, [1, 1], [0, 1]),
    ];
    if filled {
        rows.push(Row { step: 2, ..row(&all, START, 3, [0, 1], [0, 0]) });
    }
    let of = |op: OpId| vec![Step::Call(NEW, [].into()), Step::Call(op, [1].into())];
    let mut sequences: Vec<Sequence> =
        [PICK, START, FILL].map(|op| Sequence::from_steps(of(op))).to_vec();
    let longer = [of(FILL), vec![Step::Call(START, [2].into())]].concat();
    sequences.push(Sequence::from_steps(longer));
    let mut data = Data::new(plan, all);
    data.add(Observed { sequences, rows, ..Observed::default() });
    data
}

/// The operations of all sequences that would have `pick` called where the list is not off.
fn proposed(data: &Data, empty: bool) -> Vec<Vec<OpId>> {
    let reduction = Reduction::new(data);
    let of_pick = |contract: &testsmith_infer::Contract| {
        *data.occasion(contract) == Occasion::Call { op: PICK }
            && data.words(contract) == "self.is_off()"
    };
    let contract = data.contracts().into_iter().find(of_pick).expect("it was always off");
    let mut goal = reduction.goals(&contract).remove(0);
    if empty {
        // Nothing that was ever seen is off and empty, and nothing makes it so.
        let atom = goal.wants[0].0;
        goal.wants.push((testsmith_infer::Atom { a: 0, b: 0, ..atom }, true));
    }
    let ops = |sequence: &Sequence| {
        let call = |step: &Step| match step {
            Step::Call(op, _) => Some(*op),
            Step::Literal(..) => None,
        };
        sequence.steps().filter_map(call).collect()
    };
    reduction.propose_between(&goal).iter().map(ops).collect()
}

#[test]
fn a_call_is_made_on_values_that_have_what_it_needs() {
    let plan = plan();
    let all = proposed(&seen(&plan, true), false);
    assert!(all.contains(&vec![NEW, FILL, START, PICK]), "{all:?}");
    let useless = vec![NEW, START, PICK];
    let first = all.iter().position(|ops| *ops == useless);
    let good = all.iter().position(|ops| ops.ends_with(&[FILL, START, PICK]));
    assert!(good < first.or(Some(usize::MAX)), "{all:?}");
}

#[test]
fn nobody_knows_what_was_never_seen() {
    let plan = plan();
    let all = proposed(&seen(&plan, false), false);
    assert!(all.iter().all(|ops| ops.last() == Some(&PICK)), "{all:?}");
    assert!(!all.contains(&vec![NEW, FILL, START, PICK]), "{all:?}");
    let none = proposed(&seen(&plan, true), true);
    assert!(none.len() <= 45, "there is a cut-off");
}
