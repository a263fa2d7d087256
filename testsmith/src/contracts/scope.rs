//! What the current thread is doing: how deep in contracted calls it is,
//! whether a clause is being evaluated, and which objects have a method running.
//!
//! One word of thread-local memory holds the depth and the flag, so that a
//! checked call costs a few loads and stores. Nothing here knows what a clause
//! says.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::check::{StaticClause, raises};

/// Set while a clause is evaluated. Contracts met then are not checked, as in
/// Eiffel: otherwise `len` and `is_empty` could not be specified by each other.
const IN_CLAUSE: u32 = 1 << 31;

/// What the clauses and bodies of a thread ask for. One place, so that a call looks it up
/// once; nothing in it has to be dropped, so that looking it up is nothing but an address.
struct Thread {
    /// The depth, and [`IN_CLAUSE`]. Only its own thread looks at it; an atomic, because the
    /// compiler then counts in memory and does not keep the count in a register over a body.
    state: AtomicU32,
    /// The object whose method began last, address and type. Apart, because one object
    /// at a time is by far the commonest case, and its address alone says whether there
    /// is one.
    address: Cell<usize>,
    type_name: Cell<&'static str>,
}

thread_local! {
    static THREAD: Thread = const {
        Thread { state: AtomicU32::new(0), address: Cell::new(NOWHERE), type_name: Cell::new("") }
    };
    /// The objects that wait for the last one to end.
    static WAITING: RefCell<Vec<Object>> = const { RefCell::new(Vec::new()) };
}

#[inline]
fn state() -> u32 {
    THREAD.with(|thread| thread.state.load(Relaxed))
}

#[inline]
fn set_state(state: u32) {
    THREAD.with(|thread| thread.state.store(state, Relaxed));
}

/// No reference has this address.
const NOWHERE: usize = 0;

/// How much of a call the thread has to know. Constant once it is compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tracking {
    /// Nothing: neither its clauses nor its body can reach another contract.
    Nothing,
    /// That its body is running. The clauses reach no other contract and can be
    /// evaluated at any time: whether they were due is asked when one does not hold.
    Body,
    /// All of it.
    Whole,
}

/// One contracted call, from before its first clause until after its last.
///
/// Dropping it restores what was there, also when the body panics. A call from
/// which nothing can ask how deep it is need not be tracked: the thread never
/// hears of it, unless a clause fails.
#[derive(Debug)]
pub struct Scope {
    saved: u32,
    tracking: Tracking,
}

impl Scope {
    /// Enters a call whose first clauses call other code.
    #[inline]
    pub fn enter(tracking: Tracking) -> Scope {
        let scope = Scope::begin(tracking);
        scope.after();
        scope
    }

    /// Enters a call whose first clauses call nothing, or that has none.
    #[inline]
    pub fn begin(tracking: Tracking) -> Scope {
        Scope { saved: if tracking == Tracking::Whole { state() } else { 0 }, tracking }
    }

    /// Whether this call is checked: it is not part of evaluating a clause. One
    /// that is not tracked is always checked, and [`Scope::raises`] makes good.
    #[inline]
    pub fn active(&self) -> bool {
        self.saved & IN_CLAUSE == 0
    }

    /// How many contracted calls were running when this one began.
    #[inline]
    pub fn depth(&self) -> Depth {
        if self.tracking == Tracking::Whole { Depth(self.saved) } else { Depth::UNKNOWN }
    }

    /// The body starts: calls made from here, until the value is dropped, are one level
    /// deeper.
    #[inline]
    #[must_use]
    pub fn body(&self) -> Inside {
        match self.tracking {
            Tracking::Whole if self.active() => set_state(self.saved + 1),
            Tracking::Body => set_state(state() + 1),
            Tracking::Whole | Tracking::Nothing => {}
        }
        Inside { deeper: self.tracking == Tracking::Body }
    }

    /// The body has ended and clauses that call other code follow.
    #[inline]
    pub fn after(&self) {
        if self.tracking == Tracking::Whole {
            set_state(self.saved | IN_CLAUSE);
        }
    }

    /// Whether a clause of this call is due: that of one which is tracked is not even
    /// evaluated else.
    pub fn is_due(&self) -> bool {
        self.tracking == Tracking::Whole || !evaluating()
    }

    /// Whether a clause of this call that does not hold is to be raised.
    #[inline]
    pub fn raises(&self, clause: &'static StaticClause) -> bool {
        match self.tracking {
            Tracking::Whole => raises(clause),
            Tracking::Nothing | Tracking::Body => raises_untracked(clause),
        }
    }
}

/// A body that is running, where the thread knows of nothing else of the call.
#[derive(Debug)]
pub struct Inside {
    deeper: bool,
}

impl Drop for Inside {
    #[inline]
    fn drop(&mut self) {
        if self.deeper {
            set_state(state() - 1);
        }
    }
}

/// Whether an invariant is due in a call of which the thread may not know.
pub fn is_due(depth: Depth, object: Object) -> bool {
    depth != Depth::UNKNOWN || (!evaluating() && !is_at_work(object.address, object.type_name))
}

/// Whether a clause is due in a call of which the thread may not know: that of one which
/// is tracked is not even evaluated else.
pub fn is_due_untracked(depth: Depth) -> bool {
    depth != Depth::UNKNOWN || !evaluating()
}

#[cold]
#[inline(never)]
fn raises_untracked(clause: &'static StaticClause) -> bool {
    !evaluating() && raises(clause)
}

/// A depth that is found out only where it is wanted, when a clause fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Depth(u32);

impl Depth {
    const UNKNOWN: Depth = Depth(u32::MAX);

    /// The number of contracted calls.
    pub fn calls(self) -> u32 {
        (if self == Depth::UNKNOWN { state() } else { self.0 }) & !IN_CLAUSE
    }

    /// That of a call whose body has this depth.
    pub fn around(self) -> Depth {
        Depth(self.calls().saturating_sub(1))
    }
}

impl Drop for Scope {
    #[inline]
    fn drop(&mut self) {
        if self.tracking == Tracking::Whole {
            set_state(self.saved);
        }
    }
}

/// Whether a clause is being evaluated.
#[inline]
pub(crate) fn evaluating() -> bool {
    state() & IN_CLAUSE != 0
}

/// An object with an invariant, told apart by address and type: a wrapper and
/// its first field have the same address but not the same type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Object {
    pub(super) address: usize,
    pub(super) type_name: &'static str,
}

impl Object {
    #[inline]
    pub fn of<T: ?Sized>(value: &T) -> Object {
        let address = std::ptr::from_ref(value).cast::<()>().addr();
        Object { address, type_name: std::any::type_name::<T>() }
    }

    /// The object whose method began last, if any is running.
    fn current() -> Option<Object> {
        THREAD.with(|thread| {
            let (address, type_name) = (thread.address.get(), thread.type_name.get());
            (address != NOWHERE).then_some(Object { address, type_name })
        })
    }
}

/// Keeps an object marked as having a method running.
#[derive(Debug)]
pub struct Running {
    outermost: bool,
    /// This call marked the object.
    marks: bool,
    /// No other object waits for it.
    alone: bool,
}

impl Running {
    /// Marks the object, unless it is marked already or this call is itself part
    /// of a clause. With `shared` the body hands the object to others; else nobody can ask
    /// for it while the body runs, because the body has it alone, and the call only looks.
    /// With `total`, a call that is not tracked as a whole does not even look: then the
    /// invariant can be evaluated at any time, and whether it was due is asked when it
    /// does not hold.
    #[inline]
    pub fn mark(scope: &Scope, object: Object, shared: bool, total: bool) -> Running {
        let whole = scope.tracking == Tracking::Whole;
        if total && !whole {
            return Running { outermost: true, marks: false, alone: true };
        }
        let Object { address, type_name } = object;
        let active = if whole { scope.active() } else { !evaluating() };
        THREAD.with(|thread| {
            let alone = thread.address.get() == NOWHERE;
            let outermost = active && (alone || !is_at_work(address, type_name));
            let marks = whole && shared && outermost;
            if marks {
                if !alone {
                    wait();
                }
                thread.address.set(address);
                thread.type_name.set(type_name);
            }
            Running { outermost, marks, alone }
        })
    }

    /// Whether the invariant is due: this is the outermost call on the object.
    #[inline]
    pub fn outermost(&self) -> bool {
        self.outermost
    }
}

/// Whether a method of an object is running. Takes its parts, which are in
/// registers, and not the object, which would have to be in memory.
#[cold]
#[inline(never)]
fn is_at_work(address: usize, type_name: &'static str) -> bool {
    let object = Object { address, type_name };
    let waiting = || WAITING.with_borrow(|waiting| waiting.contains(&object));
    Object::current() == Some(object) || waiting()
}

/// Lets the current object wait.
#[cold]
#[inline(never)]
fn wait() {
    WAITING.with_borrow_mut(|waiting| waiting.extend(Object::current()));
}

/// The object that began to wait last goes on.
#[cold]
#[inline(never)]
fn resume() {
    if let Some(last) = WAITING.with_borrow_mut(Vec::pop) {
        THREAD.with(|thread| {
            thread.address.set(last.address);
            thread.type_name.set(last.type_name);
        });
    }
}

impl Drop for Running {
    #[inline]
    fn drop(&mut self) {
        match (self.marks, self.alone) {
            (true, true) => THREAD.with(|thread| thread.address.set(NOWHERE)),
            (true, false) => resume(),
            (false, _) => {}
        }
    }
}

/// Polls the body of an `async fn` one level deeper, and with its object marked
/// as running if there is one: a future may move between threads and be
/// interleaved with others, so neither can be held across an await.
pub fn deeper<'a, F: Future>(
    mut future: Pin<&'a mut F>,
    object: Option<Object>,
) -> impl Future<Output = F::Output> + use<'a, F> {
    poll_fn(move |context| {
        let scope = Scope::begin(Tracking::Whole);
        let _running = object.map(|object| Running::mark(&scope, object, true, false));
        let _inside = scope.body();
        future.as_mut().poll(context)
    })
}

/// Runs code as part of a clause: contracts met inside are not checked.
#[inline]
pub fn in_clause<R>(evaluate: impl FnOnce() -> R) -> R {
    let _scope = Scope::enter(Tracking::Whole);
    evaluate()
}
