//! Who borrows from whom.
//!
//! Inside the arena every lifetime is erased, so these rules stand in for the
//! borrow checker: a shared use ends exclusive borrowers, an exclusive use or
//! a move ends all of them, transitively and borrowers first. A call one of
//! whose own arguments would be ended is refused. Where a signature leaves
//! doubt, the flows given here are too many rather than too few: that ends a
//! borrow early and is still a legal program.

use crate::operation::{FlowKind, Signature, TypeId};

/// Why a call cannot be made with these arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// The same value is used twice, at least once exclusively.
    UsedTwice(u32),
    /// The argument is no longer there.
    Gone(u32),
    /// Using another argument would end this one.
    Ended(u32),
}

#[derive(Clone, Debug)]
struct Slot {
    ty: TypeId,
    live: bool,
    /// How many loans on this slot are held by live slots.
    borrowers: u32,
    holds: Vec<Loan>,
    /// Slots whose loans this one shares from now on, when it acquires more.
    heirs: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Loan {
    owner: u32,
    mutable: bool,
}

/// The loans of one sequence as it grows.
#[derive(Clone, Debug, Default)]
pub struct Loans {
    slots: Vec<Slot>,
    len: usize,
    ended: Vec<u32>,
    pending: Vec<u32>,
}

impl Loans {
    /// Forgets everything but keeps the memory.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline]
    pub fn is_live(&self, slot: u32) -> bool {
        (slot as usize) < self.len && self.slots[slot as usize].live
    }

    pub fn ty(&self, slot: u32) -> TypeId {
        self.slots[slot as usize].ty
    }

    /// A new value that borrows nothing.
    #[inline]
    pub fn push(&mut self, ty: TypeId) -> u32 {
        let slot = self.len;
        if slot == self.slots.len() {
            self.slots.push(Slot { ty, live: true, borrowers: 0, holds: vec![], heirs: vec![] });
        } else {
            let reused = &mut self.slots[slot];
            reused.ty = ty;
            reused.live = true;
            reused.borrowers = 0;
            reused.holds.clear();
            reused.heirs.clear();
        }
        self.len += 1;
        slot as u32
    }

    /// Makes the arguments of a call accessible. The slots ended by that are
    /// returned in the order in which they must be dropped. On a conflict
    /// nothing changes.
    #[inline]
    pub fn access(&mut self, signature: &Signature, args: &[u32]) -> Result<&[u32], Conflict> {
        self.ended.clear();
        let mut contested = false;
        for (n, (&arg, input)) in args.iter().zip(&signature.inputs).enumerate() {
            if !self.is_live(arg) {
                return Err(Conflict::Gone(arg));
            }
            for (&other, other_input) in args[..n].iter().zip(&signature.inputs) {
                if other == arg && (input.exclusive || other_input.exclusive) {
                    return Err(Conflict::UsedTwice(arg));
                }
            }
            contested |= self.slots[arg as usize].borrowers > 0;
        }
        if contested {
            self.end_conflicting(signature, args)?;
        }
        Ok(&self.ended)
    }

    fn end_conflicting(&mut self, signature: &Signature, args: &[u32]) -> Result<(), Conflict> {
        self.pending.clear();
        for (&arg, input) in args.iter().zip(&signature.inputs) {
            self.add_conflicting(arg, input.exclusive);
        }
        self.close_over_borrowers();
        if let Some(&arg) = args.iter().find(|arg| self.ended.contains(arg)) {
            self.ended.clear();
            return Err(Conflict::Ended(arg));
        }
        self.order_borrowers_first();
        self.end_all();
        Ok(())
    }

    /// Notes that the arguments a call takes by value are gone, whatever came of it.
    #[inline]
    pub fn consume(&mut self, signature: &Signature, args: &[u32]) {
        for (&arg, input) in args.iter().zip(&signature.inputs) {
            if input.consumes {
                self.slots[arg as usize].live = false;
            }
        }
    }

    /// Notes that the call was made: moves its arguments, adds its result.
    #[inline]
    pub fn commit(&mut self, signature: &Signature, args: &[u32]) -> u32 {
        self.consume(signature, args);
        let result = self.push(signature.output);
        for flow in &signature.flows {
            let from = args[flow.input as usize];
            if let FlowKind::Loan { mutable } = flow.kind {
                self.lend(result, Loan { owner: from, mutable });
            }
            self.inherit(result, from);
        }
        for acquire in &signature.acquires {
            let (into, from) = (args[acquire.into as usize], args[acquire.from as usize]);
            self.acquire(into, from, acquire.kind);
        }
        // What was moved holds nothing any more; its heirs do.
        for (&arg, input) in args.iter().zip(&signature.inputs) {
            if input.consumes && !self.slots[arg as usize].holds.is_empty() {
                self.release(arg);
            }
        }
        result
    }

    /// Ends values that must go before the scope ends: those that hold a loan
    /// on a value made after them. Returns them in the order of dropping.
    pub fn close_scope(&mut self) -> Vec<u32> {
        let mut order = vec![];
        for slot in 0..self.len as u32 {
            let holds_later = self.slots[slot as usize].holds.iter().any(|l| l.owner > slot);
            if self.slots[slot as usize].live && holds_later {
                order.extend_from_slice(self.end(slot));
            }
        }
        order
    }

    /// Ends one value and its borrowers, borrowers first.
    pub fn end(&mut self, slot: u32) -> &[u32] {
        self.ended.clear();
        self.pending.clear();
        if self.is_live(slot) {
            self.pending.push(slot);
            self.close_over_borrowers();
            self.order_borrowers_first();
            self.end_all();
        }
        &self.ended
    }

    fn add_conflicting(&mut self, owner: u32, exclusive: bool) {
        if self.slots[owner as usize].borrowers == 0 {
            return;
        }
        for borrower in 0..self.len {
            let slot = &self.slots[borrower];
            let clash = |loan: &Loan| loan.owner == owner && (loan.mutable || exclusive);
            if slot.live && slot.holds.iter().any(clash) {
                self.pending.push(borrower as u32);
            }
        }
    }

    /// An ended borrower is itself an owner being moved.
    fn close_over_borrowers(&mut self) {
        while let Some(slot) = self.pending.pop() {
            if self.ended.contains(&slot) {
                continue;
            }
            self.ended.push(slot);
            self.add_conflicting(slot, true);
        }
    }

    fn order_borrowers_first(&mut self) {
        // Later values first, unless one of those still waiting borrows from it.
        self.ended.sort_unstable_by(|a, b| b.cmp(a));
        let mut waiting = std::mem::take(&mut self.ended);
        while !waiting.is_empty() {
            let free = |slot: u32| {
                waiting.iter().all(|&other| {
                    other == slot
                        || self.slots[other as usize].holds.iter().all(|l| l.owner != slot)
                })
            };
            // Mutual acquisition can make a cycle; then any order is as good.
            let next = waiting.iter().position(|&slot| free(slot)).unwrap_or(0);
            self.ended.push(waiting.remove(next));
        }
    }

    fn end_all(&mut self) {
        for n in 0..self.ended.len() {
            let slot = self.ended[n];
            self.slots[slot as usize].live = false;
            self.release(slot);
        }
    }

    fn release(&mut self, slot: u32) {
        let mut holds = std::mem::take(&mut self.slots[slot as usize].holds);
        for loan in &holds {
            self.slots[loan.owner as usize].borrowers -= 1;
        }
        holds.clear();
        self.slots[slot as usize].holds = holds;
    }

    fn lend(&mut self, to: u32, loan: Loan) {
        let holds = &mut self.slots[to as usize].holds;
        if loan.owner != to && !holds.contains(&loan) {
            holds.push(loan);
            self.slots[loan.owner as usize].borrowers += 1;
        }
    }

    fn inherit(&mut self, to: u32, from: u32) {
        for n in 0..self.slots[from as usize].holds.len() {
            let loan = self.slots[from as usize].holds[n];
            self.lend(to, loan);
        }
        self.slots[from as usize].heirs.push(to);
    }

    /// The container and all that was derived from it share the new loans.
    fn acquire(&mut self, into: u32, from: u32, kind: FlowKind) {
        let mut todo = vec![into];
        let mut seen = vec![];
        while let Some(slot) = todo.pop() {
            if seen.contains(&slot) || slot == from {
                continue;
            }
            seen.push(slot);
            if let (FlowKind::Loan { mutable }, true) = (kind, self.slots[slot as usize].live) {
                self.lend(slot, Loan { owner: from, mutable });
            }
            for n in 0..self.slots[from as usize].holds.len() {
                let loan = self.slots[from as usize].holds[n];
                if self.slots[slot as usize].live {
                    self.lend(slot, loan);
                }
            }
            todo.extend_from_slice(&self.slots[slot as usize].heirs);
        }
        self.slots[from as usize].heirs.push(into);
    }
}
