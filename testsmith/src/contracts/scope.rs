//! What the current thread is doing: how deep in contracted calls it is,
//! whether a clause is being evaluated, and which objects have a method running.
//!
//! One word of thread-local memory holds the depth and the flag, so that a
//! checked call costs a few loads and stores. Nothing here knows what a clause
//! says.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::Pin;

/// Set while a clause is evaluated. Contracts met then are not checked, as in
/// Eiffel: otherwise `len` and `is_empty` could not be specified by each other.
const IN_CLAUSE: u32 = 1 << 31;

thread_local! {
    static STATE: Cell<u32> = const { Cell::new(0) };
    /// The object whose method began last, and those that wait for it to end.
    /// Apart, because one object at a time is by far the commonest case.
    static CURRENT: Cell<Object> = const { Cell::new(Object::NONE) };
    static WAITING: RefCell<Vec<Object>> = const { RefCell::new(Vec::new()) };
}

/// One contracted call, from before its first clause until after its last.
///
/// Dropping it restores what was there, also when the body panics.
#[derive(Debug)]
pub struct Scope {
    saved: u32,
}

impl Scope {
    /// Enters a call whose first clauses call other code.
    #[inline]
    pub fn enter() -> Scope {
        let saved = STATE.get();
        STATE.set(saved | IN_CLAUSE);
        Scope { saved }
    }

    /// Enters a call whose first clauses call nothing, or that has none.
    #[inline]
    pub fn begin() -> Scope {
        Scope { saved: STATE.get() }
    }

    /// Enters a call from which nothing can ask how deep it is: the thread need
    /// not know of it, unless a clause fails.
    #[inline]
    pub fn unseen() -> Unseen {
        Unseen
    }

    /// Whether this call is checked: it is not part of evaluating a clause.
    #[inline]
    pub fn active(&self) -> bool {
        self.saved & IN_CLAUSE == 0
    }

    /// How many contracted calls were running when this one began.
    #[inline]
    pub fn depth(&self) -> u32 {
        self.saved & !IN_CLAUSE
    }

    /// The body starts: calls made from here are one level deeper.
    #[inline]
    pub fn body(&self) {
        if self.active() {
            STATE.set(self.saved + 1);
        }
    }

    /// The body has ended and clauses that call other code follow.
    #[inline]
    pub fn after(&self) {
        STATE.set(self.saved | IN_CLAUSE);
    }
}

impl Drop for Scope {
    #[inline]
    fn drop(&mut self) {
        STATE.set(self.saved);
    }
}

/// A [`Scope`] that leaves no trace.
#[derive(Debug)]
pub struct Unseen;

impl Unseen {
    #[inline]
    pub fn active(&self) -> bool {
        true
    }

    #[inline]
    pub fn body(&self) {}
}

/// An object with an invariant, told apart by address and type: a wrapper and
/// its first field have the same address but not the same type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Object {
    address: usize,
    type_name: &'static str,
}

impl Object {
    /// No reference has this address.
    const NONE: Object = Object { address: 0, type_name: "" };

    #[inline]
    pub fn of<T: ?Sized>(value: &T) -> Object {
        let address = std::ptr::from_ref(value).cast::<()>().addr();
        Object { address, type_name: std::any::type_name::<T>() }
    }
}

/// Keeps an object marked as having a method running.
#[derive(Debug)]
pub struct Running {
    /// What was current before; nothing if this call did not mark the object.
    before: Option<Object>,
}

impl Running {
    /// Marks the object, unless it is marked already or this call is itself part
    /// of a clause.
    #[inline]
    pub fn mark(scope: &Scope, object: Object) -> Running {
        let before = CURRENT.get();
        let free = before.address == 0;
        let marks = scope.active() && (free || wait_for(before, object));
        if marks {
            CURRENT.set(object);
        }
        Running { before: marks.then_some(before) }
    }

    /// Whether the invariant is due: this is the outermost call on the object.
    #[inline]
    pub fn outermost(&self) -> bool {
        self.before.is_some()
    }
}

/// Lets the current object wait, unless the new one is already at work.
#[inline(never)]
fn wait_for(current: Object, object: Object) -> bool {
    WAITING.with_borrow_mut(|waiting| {
        let is_new = current != object && !waiting.contains(&object);
        if is_new {
            waiting.push(current);
        }
        is_new
    })
}

#[inline(never)]
fn resume() {
    WAITING.with_borrow_mut(|waiting| waiting.pop());
}

impl Drop for Running {
    #[inline]
    fn drop(&mut self) {
        if let Some(before) = self.before {
            if before.address != 0 {
                resume();
            }
            CURRENT.set(before);
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
        let scope = Scope::begin();
        let _running = object.map(|object| Running::mark(&scope, object));
        scope.body();
        future.as_mut().poll(context)
    })
}

/// Runs code as part of a clause: contracts met inside are not checked.
#[inline]
pub fn in_clause<R>(evaluate: impl FnOnce() -> R) -> R {
    let _scope = Scope::enter();
    evaluate()
}
