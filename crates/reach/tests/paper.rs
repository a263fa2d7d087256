//! The running example of the paper (figure 1, `sum_up`) and its examples from the third on,
//! each a test of the rule that it stands for.

mod support;

use support::{calls, found, int, method, object, param, state_of};
use testsmith_reach::{
    Concrete, Function, Goal, Mode, Reached, Search, Sort, Sureness, System, TypeDef,
};

const STACK: usize = 0;

/// Figure 1. The model field says how many there are; everything else is a query.
fn figure_1() -> System {
    let stack = |name: &str, mode| method(name, STACK, mode);
    let push = Function {
        params: vec![
            param("self", Sort::Object(STACK), Mode::Exclusive),
            param("elem", Sort::Float { width: 64 }, Mode::Own),
        ],
        ..stack("push", Mode::Exclusive)
    };
    let query = |name: &str, ret: Sort| Function { ret, ..stack(name, Mode::Shared).pure() };
    let mut model = query("m_size", int());
    model.callable = false;
    let sum_up = Function::new(
        "sum_up",
        None,
        vec![param("stack", Sort::Object(STACK), Mode::Exclusive)],
        Sort::Unit,
    );
    System {
        types: vec![object("Stack")],
        functions: vec![
            Function::new("new", Some(STACK), vec![], Sort::Object(STACK))
                .ensures("ret.m_size() == 0"),
            push.ensures("self.m_size() == old(self.m_size()) + 1"),
            stack("pop", Mode::Exclusive)
                .requires("self.size() > 0")
                .ensures("self.size() == old(self.size()) - 1"),
            query("size", int()).ensures("ret == self.m_size() && self.m_size() >= 0"),
            query("empty", Sort::Bool).ensures("ret == (self.m_size() == 0)"),
            query("peek", Sort::Float { width: 64 }).requires("self.size() > 0"),
            model,
            sum_up.requires("stack.size() >= 2").ensures("stack.size() == 1"),
        ],
        ..System::default()
    }
}

fn function(system: &System, name: &str) -> usize {
    system.functions.iter().position(|function| function.name == name).expect("it is there")
}

#[test]
fn example_3_the_virtual_state_is_queries_and_models() {
    let system = figure_1();
    let names: Vec<&str> = system
        .virtual_state(STACK)
        .into_iter()
        .map(|query| system.functions[query].name.as_str())
        .collect();
    assert_eq!(names, ["size", "empty", "peek", "m_size"]);
}

#[test]
fn example_4_calls_compose_one_after_the_other() {
    let system = figure_1();
    let found = found(&system, Goal::state(&system, "Stack: m_size() == 2").unwrap(), 4);
    assert_eq!(calls(&system, &found), ["Stack::new", "Stack::push", "Stack::push"]);
    let sizes: Vec<Option<Concrete>> =
        (1..=3).map(|after| support::predicted(&system, &found, after, 0, "m_size")).collect();
    assert_eq!(sizes, [0, 1, 2].map(|n| Some(Concrete::Int(n))));
}

#[test]
fn example_5_a_bound_is_reached_one_step_at_a_time() {
    let system = figure_1();
    for n in 0..4 {
        let goal = Goal::state(&system, &format!("Stack: size() == {n}")).unwrap();
        assert_eq!(found(&system, goal, 5).calls.len(), n + 1, "{n} elements");
    }
}

#[test]
fn example_6_a_state_that_satisfies_but_cannot_be_is_not_given() {
    let system = figure_1();
    let goal = Goal::precondition(&system, function(&system, "sum_up"));
    let found = found(&system, goal, 5);
    let state = state_of(&system, &found, 0);
    assert_eq!(state["size"], Some(Concrete::Int(2)));
    assert_eq!(state["empty"], Some(Concrete::Bool(false)));
    let goal = Goal::state(&system, "Stack: size() == 2 && empty()").unwrap();
    assert!(matches!(Search::new(&system, goal, 5).next_state(), Reached::Contradictory));
}

#[test]
fn example_7_without_a_call_there_is_no_object() {
    let system = figure_1();
    let goal = Goal::precondition(&system, function(&system, "sum_up"));
    let mut search = Search::new(&system, goal, 0);
    assert!(matches!(search.next_state(), Reached::Unreached { bound: 0 }));
    // What the constructor does not say, nobody assumes.
    let silent = System {
        functions: system
            .functions
            .iter()
            .map(|it| match it.name.as_str() {
                "new" => Function { ensures: vec![], ..it.clone() },
                _ => it.clone(),
            })
            .collect(),
        ..system.clone()
    };
    let goal = Goal::state(&silent, "Stack: size() == 7").unwrap();
    assert_eq!(calls(&silent, &self::found(&silent, goal, 3)), ["Stack::new"]);
}

#[test]
fn example_8_the_objects_that_matter_are_those_of_the_parameters() {
    let system = figure_1();
    let found = found(&system, Goal::precondition(&system, function(&system, "sum_up")), 5);
    assert_eq!(found.objects, [STACK]);
}

#[test]
fn example_9_exactly_one_call_is_made_at_each_step() {
    let system = figure_1();
    let goal = Goal::state(&system, "Stack: size() == 1").unwrap();
    let mut search = Search::new(&system, goal, 3);
    let mut seen = vec![];
    for _ in 0..3 {
        let Reached::Found(found) = search.next_state() else { break };
        seen.push(calls(&system, &found));
        search.learn(testsmith_reach::Lesson::Wrong {
            calls: found.calls.clone(),
            goal: found.goal.clone(),
        });
    }
    assert!(seen.iter().all(|calls| calls[..] == ["Stack::new", "Stack::push"]), "{seen:?}");
    assert_eq!(seen.len(), 3, "the argument of push is part of the model");
}

#[test]
fn example_10_the_goal_holds_at_the_last_step_and_not_before() {
    let system = figure_1();
    let found = found(&system, Goal::precondition(&system, function(&system, "sum_up")), 5);
    assert_eq!(calls(&system, &found), ["Stack::new", "Stack::push", "Stack::push"]);
    let before = support::predicted(&system, &found, 2, 0, "size");
    assert_eq!(before, Some(Concrete::Int(1)));
}

#[test]
fn example_11_a_pure_method_changes_nothing() {
    let system = figure_1();
    // `peek` could be anything, but it is the same before and after what touches nothing.
    let goal = Goal::state(&system, "Stack: size() == 1 && peek() == 2.5").unwrap();
    let found = found(&system, goal, 4);
    assert!(found.calls.iter().all(|call| !system.functions[call.function].pure));
}

/// Examples 12 to 14: an array whose elements are asked by their positions.
fn sorted_array() -> System {
    let array = 0;
    let at = Function {
        params: vec![
            param("self", Sort::Object(array), Mode::Shared),
            param("index", Sort::USIZE, Mode::Own),
        ],
        ret: Sort::Int { width: 32, signed: true },
        ..method("element_at", array, Mode::Shared).pure()
    };
    let set = Function {
        params: vec![
            param("self", Sort::Object(array), Mode::Exclusive),
            param("index", Sort::USIZE, Mode::Own),
            param("value", Sort::Int { width: 32, signed: true }, Mode::Own),
        ],
        ..method("set", array, Mode::Exclusive)
    };
    System {
        types: vec![object("Array")],
        functions: vec![
            Function::new("zeros", Some(array), vec![], Sort::Object(array))
                .ensures("ret.size() == 3")
                .ensures("forall(0..3, |i| ret.element_at(i) == 0)"),
            Function { ret: Sort::USIZE, ..method("size", array, Mode::Shared).pure() },
            at.requires("self.size() > index"),
            set.requires("index < self.size()")
                .ensures("self.element_at(index) == value")
                .ensures("unchanged(self.size())"),
        ],
        ..System::default()
    }
}

#[test]
fn examples_12_and_13_a_query_with_two_arguments_has_two_references() {
    let system = sorted_array();
    let goal = Goal::state(&system, "Array: element_at(1) == 4 && element_at(2) == 4").unwrap();
    let found = found(&system, goal, 4);
    assert_eq!(calls(&system, &found), ["Array::zeros", "Array::set", "Array::set"]);
    let goal = Goal::state(&system, "Array: element_at(1) == 4 && element_at(0 + 1) == 5").unwrap();
    let contradiction = Search::new(&system, goal, 4).next_state();
    assert!(matches!(contradiction, Reached::Contradictory), "equal arguments, equal answers");
}

#[test]
fn example_14_a_reference_is_legal_where_its_precondition_holds() {
    let system = sorted_array();
    let goal = Goal::state(&system, "Array: element_at(3) == 4").unwrap();
    let reached = Search::new(&system, goal, 4).next_state();
    assert!(matches!(reached, Reached::Unreached { .. }), "there are three elements");
}

#[test]
fn examples_15_and_16_contracts_of_queries_link_what_calls_speak_of() {
    // `push` speaks of the model and `pop` of the query: without the contract of `size`,
    // nothing connects them.
    let system = figure_1();
    let goal = Goal::state(&system, "Stack: size() == 1 && m_size() == 1").unwrap();
    let chained = found(&system, goal, 4);
    let state = state_of(&system, &chained, 0);
    assert_eq!(state["m_size"], Some(Concrete::Int(1)));
    let size = chained
        .predictions
        .iter()
        .find(|it| it.after == chained.calls.len() && system.functions[it.query].name == "size");
    assert_eq!(size.expect("size is predicted").sureness, Sureness::Follows);
    let goal = Goal::state(&system, "Stack: size() == 1 && m_size() == 2").unwrap();
    assert!(matches!(Search::new(&system, goal, 4).next_state(), Reached::Contradictory));
}

#[test]
fn contracts_that_speak_of_each_other_without_end_are_cut() {
    let system = System {
        types: vec![TypeDef { variants: None, ..object("Tower") }],
        functions: vec![
            Function::new("new", Some(0), vec![], Sort::Object(0)),
            Function {
                params: vec![
                    param("self", Sort::Object(0), Mode::Shared),
                    param("n", Sort::USIZE, Mode::Own),
                ],
                ret: Sort::USIZE,
                ..method("height", 0, Mode::Shared).pure()
            }
            .ensures("ret == self.height(n + 1) + 1"),
        ],
        ..System::default()
    };
    let goal = Goal::state(&system, "Tower: height(0) == 9").unwrap();
    let mut search = Search::new(&system, goal, 2);
    assert!(matches!(search.next_state(), Reached::Found(_)));
    assert!(search.was_cut());
}

/// A tank that is filled, or not: a call that refuses leaves everything as it was, though its
/// contract speaks of the amount where it does not refuse.
fn tank() -> System {
    const TANK: usize = 0;
    let query = |name: &str, ret: Sort| Function { ret, ..method(name, TANK, Mode::Shared).pure() };
    let fill = Function {
        params: vec![
            param("self", Sort::Object(TANK), Mode::Exclusive),
            param("more", int(), Mode::Own),
        ],
        ret: Sort::Bool,
        ..method("fill", TANK, Mode::Exclusive)
    };
    System {
        types: vec![object("Tank")],
        functions: vec![
            Function::new("new", Some(TANK), vec![], Sort::Object(TANK))
                .ensures("ret.amount() == 0 && !ret.is_dirty()"),
            fill.ensures("ret == (more < 10)")
                .ensures("ret -> self.amount() == old(self.amount()) + more")
                .ensures("ret -> !self.is_dirty()"),
            method("spill", TANK, Mode::Exclusive)
                .requires("self.amount() > 0")
                .ensures("self.is_dirty()"),
            query("amount", int()),
            query("is_dirty", Sort::Bool),
        ],
        ..System::default()
    }
}

#[test]
fn a_behaviour_leaves_alone_what_only_another_one_changes() {
    let system = tank();
    // If filling in vain could make it dirty, it would be the shorter way.
    let found = found(&system, Goal::state(&system, "Tank: is_dirty()").unwrap(), 4);
    assert_eq!(calls(&system, &found), ["Tank::new", "Tank::fill", "Tank::spill"]);
    let goal = Goal::state(&system, "Tank: amount() > 30").unwrap();
    let found = support::found(&system, goal, 6);
    let fills = calls(&system, &found).iter().filter(|it| *it == "Tank::fill").count();
    assert_eq!(fills, 4, "each adds nine at most");
}

#[test]
fn what_is_asked_with_an_open_value_is_not_foretold() {
    const THING: usize = 0;
    let query =
        |name: &str, ret: Sort| Function { ret, ..method(name, THING, Mode::Shared).pure() };
    let mut is = query("is", Sort::Bool);
    is.params.push(param("number", int(), Mode::Own));
    let system = System {
        types: vec![object("Thing")],
        functions: vec![
            Function::new("new", Some(THING), vec![], Sort::Object(THING))
                .ensures("ret.is(ret.number())"),
            query("number", int()),
            is,
        ],
        ..System::default()
    };
    // Nobody says which number it is, so that it is this one does not follow.
    let found = found(&system, Goal::state(&system, "Thing: is(number())").unwrap(), 2);
    let asked: Vec<_> = found.predictions.iter().filter(|it| !it.args.is_empty()).collect();
    assert!(!asked.is_empty(), "it is asked all the same");
    assert!(asked.iter().all(|it| it.value.is_none()), "{asked:?}");
}
