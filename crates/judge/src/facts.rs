//! What the rules of the policy may look at.

use crate::arguments;
use crate::by_hand::{
    assembled, constructs, is_put_together, of_several_lists, speaks_for_the_crate,
};
use crate::contract::BrokenContract;
use crate::guesses::{
    OF_STD, bits, indices_in, is_a_back_door, is_a_convention, is_about_a_query, is_internal,
    is_unchecked, keeps_memory, names_an_index_or_size, own_words, takes_an_answer,
    takes_steady_answers,
};
use crate::large;
use crate::made_for_another::{made_for_another, made_of_another, of_two_owners};
use crate::needed::{
    complained_of, depends_on, is_announced, is_interrupted, is_iterator, is_numbered,
};
use crate::places;
use crate::support::Support;
use crate::way::{lineage, root};
use std::collections::BTreeSet;
use testsmith_model::call::Form;
use testsmith_model::operation::{Input, Mode, Operation, OperationKind};
use testsmith_model::outcome::{Ending, Outcome, Panic, Phase};
use testsmith_model::ty::Ty;
use testsmith_model::{Plan, Sequence, Step, TypeId};

/// One failure, seen from all sides.
pub struct Facts<'f> {
    pub(crate) plan: &'f Plan,
    /// The operation under way; none while a literal is shown or dropped.
    pub operation: Option<&'f Operation>,
    pub outcome: &'f Outcome,
    /// The integers that the call was given, as far as they are known.
    given: Vec<i128>,
    /// The numbers with a fraction that it was given, as far as they are known.
    pub(crate) floats: Vec<f64>,
    /// Those in the lists that it was given.
    pub(crate) floats_in_lists: Vec<f64>,
    /// An integer of the test stands somewhere in what the call depends on.
    pub numbered: bool,
    /// A call before had a key that nobody has given out.
    pub made_up_keys: bool,
    /// So had this one.
    made_up_here: bool,
    /// The sequence starts from a number so far from zero that arithmetic on it
    /// may well overflow, or made one.
    pub large_number: bool,
    /// A call before was told to count from near the end of a type, or a value was put
    /// together so.
    pub near_the_end: bool,
    /// An unsafe function was called, which asks more of its caller than types do.
    pub unsafe_call: bool,
    /// What is called, or its type, says that it is there for the crate itself.
    pub internal: bool,
    /// A value that the call depends on was put together from public fields.
    pub by_hand: bool,
    /// It depends on a value that was put together from parts which the documentation hides.
    pub of_hidden_parts: bool,
    /// The types of the values that the test made, or changed, by their public fields.
    constructed: Vec<TypeId>,
    /// The structs that the test put together from more than one field.
    assembled: Vec<String>,
    /// The sequence went where the caller has to keep promises that no type
    /// can check.
    pub back_door: bool,
    /// The call keeps memory from being freed, by its documentation or its type.
    pub keeps_memory: bool,
    /// So did a call before: what it let go of is never given back.
    pub kept_before: bool,
    /// A closure of the test answered with a value.
    pub answered: bool,
    /// All that did are handed to iterators, which ask them item by item, and answer alike
    /// whenever they are asked the same.
    pub adapted: bool,
    /// A call that this one depends on, or itself, was interrupted by a panic of the test's own
    /// code.
    pub interrupted: bool,
    /// A call was handed a closure of the test.
    pub closures: bool,
    /// What made one of its arguments is documented to make what panics later.
    pub announced: bool,
    /// A call was given what was made for another value of the same type, or of another number.
    pub made_for_another: bool,
    /// A value that says where was used with something that did not give it out.
    pub carried_place: bool,
    /// The call was told a place beyond all memory.
    pub far_place: bool,
    /// The index that the panic complains of was told to what made the value, with a text or a list.
    pub told_before: bool,
    /// It, or what it was made from, was given a number that is none.
    pub given_nan: bool,
    /// What made one of its values was told a place outside of the text that it was given.
    pub told_outside: bool,
    /// What made one of its values was given several lists, and could not refuse them.
    pub of_several_lists: bool,
    /// It was told by the test what the crate itself tells one after the other.
    pub spoken_for: bool,
    /// It brings two values together that borrow from different ones.
    pub of_two_owners: bool,
    /// A method that only looks is asked of a value after calls through shared references.
    pub shared_before: bool,
    /// A call before made a fake of a trait.
    pub with_fake: bool,
    /// How far the type keeps the claim, where that was looked at.
    pub support: Option<Support>,
    /// The position that was given is known to be right.
    pub right_position: bool,
    /// Of several zeros that were given one is known to be enough.
    pub by_one_zero: bool,
    /// The most elements that a list or a text was made of at once.
    pub largest: u128,
    /// The type that the call is about in the end.
    pub(crate) root: Option<String>,
    /// The types of what the call is about, and of what that shows.
    lineage: BTreeSet<String>,
}

impl<'f> Facts<'f> {
    pub fn new(plan: &'f Plan, sequence: &Sequence, outcome: &'f Outcome) -> Facts<'f> {
        let here = outcome.step as usize;
        let operation = match sequence.steps().nth(here) {
            Some(Step::Call(op, _)) => Some(plan.operation(*op)),
            _ => None,
        };
        let given = arguments::numbers(sequence, here, &outcome.values);
        let before = || sequence.steps().take(here);
        let sizes = large::sizes(plan, sequence, here);
        let large_number = large::is_there(plan, sequence, outcome, &sizes);
        let calls = || {
            before().filter_map(|step| match step {
                Step::Call(op, _) => Some(plan.operation(*op)),
                Step::Literal(..) => None,
            })
        };
        let unsafe_call = calls().chain(operation).any(|operation| operation.call.in_unsafe);
        let by_hand = depends_on(plan, sequence, here, is_put_together);
        let of_hidden_parts = depends_on(plan, sequence, here, |call| call.docs.hidden);
        let back_door = calls().any(is_a_back_door) || operation.is_some_and(is_unchecked);
        let keeps_memory = operation.is_some_and(|operation| keeps_memory(plan, operation));
        // What a law says in closures is its own claim.
        let of_code = operation.filter(|operation| operation.kind != OperationKind::Law);
        let answered = calls().chain(of_code).any(takes_an_answer);
        let adapted = answered && calls().chain(of_code).all(|operation| adapts(plan, operation));
        let closures = calls().chain(of_code).any(|operation| operation.call.has_closures());
        let (made_up_keys, made_up_here) = made_up(plan, sequence, here);
        let made_for_another = made_for_another(plan, sequence, here)
            || made_of_another(plan, sequence, here, &outcome.values);
        Facts {
            plan,
            operation,
            outcome,
            given,
            floats: arguments::floats(sequence, here, &outcome.values),
            floats_in_lists: arguments::floats_in_lists(plan, sequence, here),
            numbered: is_numbered(plan, sequence, here),
            made_up_keys,
            made_up_here,
            large_number,
            near_the_end: arguments::near_the_end(plan, sequence, here, &outcome.values),
            unsafe_call,
            internal: operation.is_some_and(|operation| is_internal(plan, &operation.callee)),
            by_hand,
            of_hidden_parts,
            constructed: calls().filter_map(constructs).collect(),
            assembled: assembled(plan, calls()),
            back_door,
            keeps_memory,
            kept_before: calls().any(|operation| operation.docs.keeps_memory),
            answered,
            adapted,
            interrupted: is_interrupted(plan, sequence, outcome),
            closures,
            announced: is_announced(plan, sequence, here),
            made_for_another,
            carried_place: places::carried(plan, sequence, here),
            far_place: places::far(plan, sequence, here),
            told_before: places::told_before(plan, sequence, here, &complained_of(outcome)),
            given_nan: arguments::is_given_nan(plan, sequence, here, &outcome.values),
            told_outside: places::told_outside(plan, sequence, here),
            of_several_lists: of_several_lists(plan, sequence, here),
            spoken_for: speaks_for_the_crate(plan, sequence, here),
            of_two_owners: of_two_owners(plan, sequence, here),
            shared_before: operation.is_some_and(is_about_a_query)
                && arguments::is_shared_before(plan, sequence, here),
            with_fake: calls().any(|operation| plan.ty(operation.output).is_fake),
            support: None,
            right_position: false,
            by_one_zero: false,
            largest: large::largest(sequence, &sizes),
            root: root(plan, sequence, here),
            lineage: lineage(plan, sequence, here),
        }
    }

    pub fn panic(&self) -> Option<&Panic> {
        match &self.outcome.ending {
            Ending::Panicked(panic) => Some(panic),
            _ => None,
        }
    }

    /// How many of the integers that the call was given are this.
    pub(crate) fn times_given(&self, number: i128) -> usize {
        self.given.iter().filter(|given| **given == number).count()
    }

    /// Whether the panic's message contains one of these.
    pub fn says(&self, words: &[&str]) -> bool {
        self.panic().is_some_and(|panic| words.iter().any(|word| panic.message.contains(word)))
    }

    /// Whether the panic's message speaks of a parameter by its name. Short names
    /// are words of any sentence, and what the standard library says is about no parameter.
    pub fn says_a_parameter(&self) -> bool {
        let Some(panic) = self.panic() else { return false };
        let said = own_words(&panic.message);
        let words = || said.split(|c: char| !c.is_alphanumeric() && c != '_');
        self.operation.is_some_and(|operation| {
            let named = |name: &str| name.len() > 3 && words().any(|word| word == name);
            operation.inputs.iter().any(|input| input.name != "self" && named(&input.name))
        })
    }

    pub(crate) fn contract(&self) -> Option<BrokenContract<'_>> {
        BrokenContract::read(&self.panic()?.message)
    }

    /// The value that the call is about, or that it is a view of, was put together from several
    /// public fields. What a variant without names holds is all there is to it.
    pub fn is_put_together_here(&self) -> bool {
        let receiver = self.operation.and_then(|operation| operation.inputs.first());
        let Some(ty) = receiver.map(|input| self.root_of(input)) else { return false };
        // What takes parts in has to look at them; what only borrows them cannot be right.
        let shown = self.lineage.iter().map(String::as_str).filter(|_| ty.borrows());
        let is_assembled = |path: &str| self.assembled.iter().any(|known| known == path);
        ty.path().into_iter().chain(shown).any(is_assembled)
    }

    /// A contract of the code under test was broken.
    pub fn breaks_a_contract(&self) -> bool {
        self.contract().is_some()
    }

    /// An invariant does not hold for a value that the test has put together from public
    /// fields, and the method found it so: it was broken before, or the method was given
    /// such a value in a way in which nothing is checked before.
    pub fn put_together_against_its_invariant(&self) -> bool {
        let Some(contract) = self.contract().filter(|contract| contract.kind == "invariant") else {
            return false;
        };
        let Some(name) = contract.type_name() else { return false };
        let is_it = |ty: TypeId| self.plan.ty(ty).ty.name() == name;
        let unchecked = |operation: &Operation| {
            let mut inputs = operation.inputs.iter().enumerate();
            inputs.any(|(at, input)| is_it(input.ty) && (at > 0 || input.mode == Mode::Shared))
        };
        self.constructed.iter().any(|ty| is_it(*ty))
            && (contract.moment == "before" || self.operation.is_some_and(unchecked))
    }

    /// The precondition of the very function that the test called was broken,
    /// by the test itself or by a law that calls it.
    pub fn breaks_its_precondition(&self) -> bool {
        let law = self.kind() == Some(OperationKind::Law) && !self.is_an_oracle();
        self.contract().is_some_and(|contract| {
            contract.kind == "requires"
                && contract.depth == "0"
                && (law || Some(contract.name) == self.name())
        })
    }

    /// A claim of the user's own: it stands somewhere in their code.
    pub fn is_an_oracle(&self) -> bool {
        self.kind() == Some(OperationKind::Law)
            && self.operation.is_some_and(|operation| operation.place.is_some())
    }

    /// The claim is a convention, and the type does not keep it for nearly all of its values.
    pub fn is_no_convention_here(&self) -> bool {
        self.operation.is_some_and(is_a_convention) && self.support.is_some_and(|s| !s.is_earned())
    }

    /// The function says that it never returns, or the one that a law asks: by its documentation,
    /// or by its type.
    pub fn never_returns(&self) -> bool {
        let says_so = |operation: &Operation| {
            operation.docs.endless || self.plan.ty(operation.output).ty.any(is_empty)
        };
        self.operation.is_some_and(|operation| match &operation.call.form {
            Form::Template { about: Some(about), .. } => {
                let asked = about.full();
                let is_it = |other: &&Operation| other.call.full() == asked;
                self.plan.operations.iter().filter(is_it).any(says_so)
            }
            _ => says_so(operation),
        })
    }

    /// The claim is one that some types have reasons not to keep.
    pub fn is_weak(&self) -> bool {
        self.kind() == Some(OperationKind::Law)
            && self.operation.is_some_and(|operation| operation.docs.weak)
    }

    /// The call itself is interrupted by a panic of the test's own code.
    pub fn is_interrupted_here(&self) -> bool {
        self.operation.is_some_and(|operation| operation.panics_by_design)
    }

    pub fn is_calling(&self) -> bool {
        self.outcome.phase == Phase::Calling
    }

    pub fn kind(&self) -> Option<OperationKind> {
        self.operation.map(|operation| operation.kind)
    }

    /// The documentation says something about panics.
    pub fn documents_panics(&self) -> bool {
        let documents =
            |operation: &Operation| operation.docs.panics_section || operation.docs.mentions_panic;
        // The method of a trait is most often the inherent one of its name, and
        // documented there.
        let receiver = |operation: &Operation| operation.inputs.first().map(|input| input.ty);
        let twin = |operation: &Operation| {
            matches!(operation.kind, OperationKind::LocalTrait | OperationKind::ForeignTrait)
                && self.plan.operations.iter().any(|other| {
                    other.kind == OperationKind::Inherent
                        && other.callee.name() == operation.callee.name()
                        && receiver(other) == receiver(operation)
                        && documents(other)
                })
        };
        self.operation.is_some_and(|operation| documents(operation) || twin(operation))
    }

    /// The documentation says that the type does not keep something exactly: where it is shown,
    /// read or compared.
    pub fn documents_loss(&self) -> bool {
        let of = self.operation.and_then(|operation| operation.callee.of());
        let says = |operation: &Operation| {
            operation.kind == OperationKind::ForeignTrait && operation.docs.inexact
        };
        self.plan.operations.iter().any(|other| other.callee.of() == of && says(other))
    }

    /// The documentation, of the operation or of another of its type, says when it is to be
    /// called.
    pub fn documents_order(&self) -> bool {
        let Some(operation) = self.operation else { return false };
        let name = operation.callee.name();
        let path = |operation: &Operation| operation.callee.of()?.path().map(str::to_owned);
        let own = path(operation);
        let names_it = |other: &Operation| {
            path(other) == own && other.docs.order.iter().any(|word| word == name)
        };
        !operation.docs.order.is_empty()
            || own.is_some() && self.plan.operations.iter().any(names_it)
    }

    /// The function itself panics on purpose, and says why.
    pub fn is_meant(&self) -> bool {
        let said = self.panic().is_some_and(|panic| !panic.message.is_empty());
        said && self.panics_by(&["panic"]) && self.is_in_the_entry()
    }

    /// The documentation says what one of the arguments must be.
    pub fn documents_demands(&self) -> bool {
        self.operation.is_some_and(|operation| !operation.docs.demands.is_empty())
    }

    /// Some argument is an index or a size, by its type or by its name, or is the
    /// very index that the panic complains of, which may also stand for a key.
    pub fn takes_an_index_or_size(&self) -> bool {
        let by_type = |ty: &Ty| {
            ty.any(|ty| match ty {
                Ty::Prim(name) => matches!(name.as_str(), "usize" | "isize"),
                Ty::Adt { path, .. } => {
                    let ends = ["Index", "Idx", "Id", "Key", "Handle"];
                    path.starts_with("std::ops::Range")
                        || ends.iter().any(|end| path.ends_with(end))
                }
                _ => false,
            })
        };
        let named = self.panic().map(|panic| indices_in(&panic.message)).unwrap_or_default();
        let made_up = self.made_up_keys || self.made_up_here;
        if named.iter().any(|index| made_up || self.given.contains(index)) {
            return true;
        }
        self.operation.is_some_and(|operation| {
            operation.inputs.iter().any(|input| {
                let ty = &self.plan.ty(input.ty).ty;
                by_type(ty) || (bits(ty).is_some() && names_an_index_or_size(&input.name))
            })
        })
    }

    /// Some argument is a list of numbers that count items: places in another one, or sizes.
    pub fn takes_a_list_of_places(&self) -> bool {
        let is_place = |ty: &Ty| matches!(ty, Ty::Prim(name) if name == "usize");
        let inputs = self.operation.map(|operation| operation.inputs.as_slice());
        inputs.unwrap_or_default().iter().any(|input| match self.root_of(input) {
            Ty::Slice(item) => is_place(item),
            ty => ty.path() == Some("std::vec::Vec") && ty.any(is_place),
        })
    }

    /// It reads from one slice or text, or from its value, and writes to another slice, whose size
    /// the caller chose. What works on one in place has nothing to be too small, and what is only
    /// an index goes wrong by itself.
    pub fn fills_a_buffer(&self) -> bool {
        let inputs = self.operation.map(|operation| operation.inputs.as_slice());
        let slices = inputs.unwrap_or_default().iter().filter_map(|input| {
            match (&self.plan.ty(input.ty).ty, self.root_of(input)) {
                (ty, Ty::Slice(_)) => Some(input.mode == Mode::Exclusive || is_exclusive(ty)),
                (_, Ty::Prim(name)) if name == "str" => Some(false),
                _ => None,
            }
        });
        let (written, read): (Vec<bool>, Vec<bool>) = slices.partition(|written| *written);
        let writes_its_value = self.says(&["out of range for slice"])
            && inputs.is_some_and(|inputs| {
                inputs.first().is_some_and(|it| it.name == "self" && it.mode != Mode::Exclusive)
            });
        !written.is_empty() && (!read.is_empty() || writes_its_value)
    }

    /// It gives what lies between two values of one type as a number without a sign.
    pub fn is_a_difference(&self) -> bool {
        self.operation.is_some_and(|operation| {
            let unsigned = matches!(&self.plan.ty(operation.output).ty,
                Ty::Prim(name) if name.starts_with('u'));
            let pair = match operation.inputs.as_slice() {
                [one, other, ..] => self.root_of(one) == self.root_of(other),
                _ => false,
            };
            unsigned && pair && self.says(&["subtract with overflow"])
        })
    }

    /// What an input is, through references.
    fn root_of(&self, input: &Input) -> &Ty {
        self.plan.ty(input.ty).ty.behind_references()
    }

    /// It is no method, and one of its arguments says where to look.
    pub fn is_told_where(&self) -> bool {
        let method = |operation: &Operation| operation.inputs.iter().any(|i| i.name == "self");
        self.operation.is_some_and(|operation| !method(operation)) && self.takes_an_index_or_size()
    }

    /// The function is about dividing, by its name.
    pub fn divides(&self) -> bool {
        let stems = ["div", "rem", "mod", "quot", "recip", "inv", "ratio"];
        let name = self.name().unwrap_or_default();
        name.contains("multiple_of")
            || name.split('_').any(|word| stems.iter().any(|stem| word.starts_with(stem)))
    }

    /// The function is there to give nothing where others panic: by the convention of the standard
    /// library it says so in its name, and by its type that it can.
    pub fn is_checked(&self) -> bool {
        let named = self.name().is_some_and(|name| name.split('_').any(|word| word == "checked"));
        named && self.promises_failure()
    }

    /// The function is arithmetic by its name.
    pub fn calculates(&self) -> bool {
        const NAMES: [&str; 12] = [
            "abs", "add", "div", "mul", "neg", "pow", "powi", "product", "rem", "square", "sub",
            "sum",
        ];
        self.name().is_some_and(|name| name.split('_').all(|word| NAMES.contains(&word)))
    }

    /// The name of the function that was called.
    pub(crate) fn name(&self) -> Option<&str> {
        self.operation.map(|operation| operation.callee.name())
    }

    /// The call was handed several closures of the test, which may have to fit each other.
    pub fn takes_several_closures(&self) -> bool {
        let called = self.operation.filter(|operation| operation.kind != OperationKind::Law);
        called.is_some_and(|operation| operation.call.closures.len() > 1)
    }

    /// It panics in words of its author's.
    pub fn refuses_in_words(&self) -> bool {
        let origin = self.panic().and_then(|panic| panic.origin.as_deref());
        let expects = |statement: &str| statement.trim_start_matches('.').starts_with("expect(");
        self.panics_by(&["panic"]) || origin.is_some_and(|origin| expects(&origin.statement))
    }

    /// The code that panicked begins with one of these macros.
    pub fn panics_by(&self, macros: &[&str]) -> bool {
        self.panic().and_then(|panic| panic.origin.as_deref()).is_some_and(|origin| {
            let path = origin.statement.split('!').next().unwrap_or_default();
            macros.contains(&path.rsplit("::").next().unwrap_or_default().trim())
        })
    }

    /// The place of the panic is the call of a macro of the crate's own.
    pub(crate) fn is_made_by_a_macro(&self) -> bool {
        let origin = self.panic().and_then(|panic| panic.origin.as_deref());
        let name = origin.and_then(|origin| origin.statement.split_once('!')).map(|(name, _)| name);
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        name.is_some_and(|name| {
            let own = !OF_STD.contains(&name.rsplit("::").next().unwrap_or(name));
            own && !name.is_empty() && name.chars().all(is_word)
        })
    }

    /// The panic stands in the very function that the test called.
    pub fn is_in_the_entry(&self) -> bool {
        let origin = self.panic().and_then(|panic| panic.origin.as_deref());
        origin.is_some_and(|origin| Some(origin.function.as_str()) == self.name())
    }

    /// The code that panicked speaks of an argument of the call.
    pub fn mentions_an_argument(&self) -> bool {
        let Some(origin) = self.panic().and_then(|panic| panic.origin.as_deref()) else {
            return false;
        };
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let words: Vec<&str> = origin.statement.split(|c| !is_word(c)).collect();
        self.operation.is_some_and(|operation| {
            let mut names = operation.inputs.iter().map(|input| input.name.as_str());
            // `radix` inside is `default_radix` outside; short parts are words of any code.
            let part =
                |name: &str| name.split('_').any(|part| part.len() > 4 && words.contains(&part));
            let named = |name: &str| words.contains(&name) || part(name);
            names.any(|name| !name.is_empty() && name != "self" && named(name))
        })
    }

    /// The call goes through a trait of another crate, whose documentation is not known here.
    pub fn is_of_a_foreign_trait(&self) -> bool {
        self.operation.is_some_and(|operation| {
            let trait_ = operation.callee.trait_();
            operation.kind == OperationKind::ForeignTrait
                && trait_.is_some_and(|trait_| {
                    trait_.path.contains("::") && !trait_.path.starts_with("std::")
                })
        })
    }

    /// The call goes through a trait with this name.
    pub fn is_of_trait(&self, names: &[&str]) -> bool {
        let trait_ = self.operation.and_then(|operation| operation.callee.trait_());
        trait_.is_some_and(|trait_| names.contains(&trait_.name()))
    }
}

/// Whether there is no value of a type.
pub(crate) fn is_empty(ty: &Ty) -> bool {
    match ty {
        Ty::Prim(name) => name == "!",
        ty => ty.path() == Some("std::convert::Infallible"),
    }
}

fn is_exclusive(ty: &Ty) -> bool {
    matches!(ty, Ty::Ref { mutable: true, .. })
}

/// Whether an operation takes no answer of the test, or makes an iterator of steady ones.
fn adapts(plan: &Plan, operation: &Operation) -> bool {
    !takes_an_answer(operation)
        || (takes_steady_answers(operation) && is_iterator(plan, operation.output))
}

/// Whether keys were made up before a step, and at it.
fn made_up(plan: &Plan, sequence: &Sequence, here: usize) -> (bool, bool) {
    let keys = arguments::made_up_keys(plan, sequence, here);
    let before = keys.iter().take(here).any(|made_up| *made_up);
    (before, keys.get(here).is_some_and(|made_up| *made_up))
}

#[cfg(test)]
mod tests;
