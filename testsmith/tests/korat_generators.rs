//! Generators lose nothing and add nothing, whatever the order in which they
//! meet a field and however often. Each case once lost or made up structures.

use std::rc::Rc;

use testsmith::korat::{Finitization, Search, brute_force};
use testsmith::{Korat, korat};

/// The number of structures, which is the same with generators, without, and
/// by brute force.
fn count<T: Korat>(finitization: Finitization) -> u64 {
    let expected = brute_force::<T>(&finitization).expect("a space").len() as u64;
    for generators in [true, false] {
        for reuse in [true, false] {
            let search = Search::<T>::within(finitization.clone());
            let found = search.generators(generators).reuse(reuse).run().count_valid();
            assert_eq!(found, expected, "generators {generators}, reuse {reuse}");
        }
    }
    expected
}

#[derive(Korat)]
struct Queue {
    first: Option<Rc<Item>>,
    last: Option<Rc<Item>>,
}

#[derive(Korat)]
struct Item {
    next: Option<Rc<Item>>,
}

#[korat]
impl Queue {
    /// Looks at the last item before the list that leads to it.
    fn rep_ok(&self) -> bool {
        if let Some(last) = &self.last
            && last.next.is_some()
        {
            return false;
        }
        if !korat::acyclic_list(&self.first, |item| &item.next) {
            return false;
        }
        let mut at = &self.first;
        while let Some(item) = at {
            if item.next.is_none() {
                return self.last.as_ref().is_some_and(|last| Rc::ptr_eq(last, item));
            }
            at = &item.next;
        }
        self.last.is_none()
    }
}

#[test]
fn a_queue_that_looks_at_its_last_item_first_is_a_list() {
    assert_eq!(count::<Queue>(Finitization::new(2)), 3);
}

#[derive(Korat)]
struct TwoLists {
    one: Option<Rc<Item>>,
    two: Option<Rc<Item>>,
}

#[korat]
impl TwoLists {
    fn rep_ok(&self) -> bool {
        korat::acyclic_list(&self.one, |item| &item.next)
            && korat::acyclic_list(&self.two, |item| &item.next)
    }
}

#[test]
fn two_lists_may_share_their_items() {
    assert_eq!(count::<TwoLists>(Finitization::new(2)), 10);
}

#[derive(Korat)]
struct TwoTrees {
    #[korat(index(slots))]
    one: Option<usize>,
    #[korat(index(slots))]
    two: Option<usize>,
    #[korat(arena)]
    slots: Vec<Slot>,
}

#[derive(Korat)]
struct Slot {
    #[korat(index(slots))]
    next: Option<usize>,
}

#[korat]
impl TwoTrees {
    fn rep_ok(&self) -> bool {
        korat::tree_in(&self.slots, &self.one, |slot| [&slot.next])
            && korat::tree_in(&self.slots, &self.two, |slot| [&slot.next])
    }
}

#[test]
fn two_trees_may_share_the_slots_of_their_arena() {
    assert_eq!(count::<TwoTrees>(Finitization::new(2)), 10);
}

/// A structure of three numbers with a predicate of generators.
macro_rules! numbers {
    ($name:ident, |$it:ident| $predicate:expr) => {
        #[derive(Korat)]
        struct $name {
            a: u8,
            b: u8,
            c: u8,
            v: [u8; 3],
        }

        #[korat]
        impl $name {
            fn rep_ok(&self) -> bool {
                let $it = self;
                $predicate
            }
        }
    };
}

/// Every number from zero to two; what a predicate does not name has one value.
fn numbers(name: &str, named: &[&str]) -> Finitization {
    ["a", "b", "c", "v"].iter().fold(Finitization::new(2), |finitization, field| {
        let most = if named.contains(field) { 2 } else { 0 };
        finitization.field(&format!("{name}.{field}"), 0..=most)
    })
}

numbers!(HeldAfter, |it| {
    korat::non_descending(&[korat::field(&it.a), korat::field(&it.b)])
        && korat::holds(&it.a, korat::greater(0))
});

#[test]
fn a_field_of_a_chain_may_be_held_again() {
    assert_eq!(count::<HeldAfter>(numbers("HeldAfter", &["a", "b"])), 3);
}

numbers!(BesideItself, |it| {
    korat::non_descending(&[korat::field(&it.a), korat::field(&it.a)]) && it.b < 3
});

numbers!(LessThanItself, |it| {
    korat::ascending(&[korat::field(&it.a), korat::field(&it.b), korat::field(&it.b)])
});

#[test]
fn a_field_may_stand_beside_itself() {
    assert_eq!(count::<BesideItself>(numbers("BesideItself", &["a", "b"])), 9);
    assert_eq!(count::<LessThanItself>(numbers("LessThanItself", &["a", "b"])), 0);
}

numbers!(Twice, |it| {
    let clause = [korat::field(&it.a), korat::field(&it.b)];
    korat::non_descending(&clause) && korat::non_descending(&clause)
});

#[test]
fn the_same_chain_twice_is_the_same_as_once() {
    assert_eq!(count::<Twice>(numbers("Twice", &["a", "b"])), 6);
}

numbers!(SortedAndHeld, |it| korat::sorted(&it.v) && korat::holds(&it.v[0], korat::greater(0)));

#[test]
fn an_element_of_a_sorted_sequence_may_be_held_again() {
    // Three numbers out of 1 and 2 in order; out of 0 to 2 it would be ten.
    assert_eq!(count::<SortedAndHeld>(numbers("SortedAndHeld", &["v"])), 4);
}

numbers!(Forked, |it| {
    korat::non_descending(&[korat::field(&it.a), korat::field(&it.b)])
        && korat::non_descending(&[korat::field(&it.a), korat::field(&it.c)])
});

#[test]
fn one_field_may_begin_two_chains() {
    assert_eq!(count::<Forked>(numbers("Forked", &["a", "b", "c"])), 14);
}

numbers!(Ring, |it| {
    korat::non_descending(&[korat::field(&it.a), korat::field(&it.b), korat::field(&it.c)])
        && korat::non_descending(&[korat::field(&it.c), korat::field(&it.a)])
});

#[test]
fn chains_may_lead_back_to_where_they_began() {
    assert_eq!(count::<Ring>(numbers("Ring", &["a", "b", "c"])), 3);
}

numbers!(Reading, |it| {
    korat::holds(&it.a, |a| *a <= it.b) && korat::holds(&it.b, |b| *b != it.a || *b == it.c)
});

#[test]
fn a_constraint_that_reads_fields_is_a_plain_check() {
    // Pairs a <= b: three of them equal, and then c is the same.
    assert_eq!(count::<Reading>(numbers("Reading", &["a", "b", "c"])), 3 * 3 + 3);
}

numbers!(Nested, |it| {
    korat::holds(&it.a, |a| korat::holds(&it.b, |b| a <= b)) && korat::holds(&it.b, korat::less(2))
});

#[test]
fn a_generator_inside_a_constraint_is_a_plain_check() {
    assert_eq!(count::<Nested>(numbers("Nested", &["a", "b"])), 3);
}

numbers!(Panicking, |it| {
    let table = [true, false];
    korat::holds(&it.a, |a| table[usize::from(*a)] || it.b == 1)
});

#[test]
fn a_constraint_that_panics_on_one_value_keeps_the_others() {
    // 0 with any b, 1 with one b, 2 is no index.
    assert_eq!(count::<Panicking>(numbers("Panicking", &["a", "b"])), 4);
}

#[derive(Korat)]
struct Walked {
    head: Option<Rc<Cell>>,
}

#[derive(Korat)]
struct Cell {
    next: Option<Rc<Cell>>,
    #[korat(values = 0..=1)]
    key: u8,
}

#[korat]
impl Walked {
    /// Three steps along a list that may be a ring: fields meet themselves.
    fn rep_ok(&self) -> bool {
        let mut keys = Vec::new();
        let mut at = &self.head;
        while let Some(cell) = at {
            keys.push(korat::field(&cell.key));
            if keys.len() == 3 {
                break;
            }
            at = &cell.next;
        }
        korat::non_descending(&keys)
    }
}

#[test]
fn fields_that_meet_themselves_by_aliasing_stay_in_order() {
    // Nothing; one cell alone or a ring (2 keys each); two cells in a row, with
    // the second a ring, and as a ring of two, whose keys are equal.
    assert_eq!(count::<Walked>(Finitization::new(2)), 1 + 2 + 2 + 3 + 3 + 2);
}

#[derive(Korat)]
struct Counted {
    #[korat(index(slots))]
    head: Option<usize>,
    #[korat(arena)]
    slots: Vec<Numbered>,
}

#[derive(Korat)]
struct Numbered {
    #[korat(index(slots))]
    next: Option<usize>,
    #[korat(values = 0..=1)]
    key: u8,
}

#[korat]
impl Counted {
    /// Reads the slots before any index leads to them.
    fn rep_ok(&self) -> bool {
        self.slots.iter().all(|slot| slot.key < 2)
    }
}

#[test]
fn slots_that_are_read_before_they_are_reached_are_all_found() {
    // No slot; one (alone or a ring); two (in a row, to either one).
    assert_eq!(count::<Counted>(Finitization::new(2)), 1 + 2 * 2 + 3 * 4);
}
