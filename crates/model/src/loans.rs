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
    /// It would come to hold a borrow of a value made after it. Values go in
    /// reverse order, also when a later call unwinds, so it would be dropped
    /// after what it borrows from.
    Outlived(u32),
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    ty: TypeId,
    /// How many loans on this slot are held by others.
    borrowers: u32,
    /// How many loans this slot holds.
    holds: u32,
    live: bool,
    /// Whether its type has room for a borrow.
    borrows: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Loan {
    borrower: u32,
    owner: u32,
    mutable: bool,
}

/// The loans of one sequence as it grows.
///
/// All loans stand in one short list: few are open at a time, so it is cheaper
/// to look through than a list per slot, and a slot stays so small that the
/// common call, which meets no loan at all, reads a few bytes per argument.
#[derive(Clone, Debug, Default)]
pub struct Loans {
    slots: Vec<Slot>,
    open: Vec<Loan>,
    /// Pairs of a slot and one that shares its loans from now on, whenever the
    /// first acquires more.
    heirs: Vec<(u32, u32)>,
    ended: Vec<u32>,
    pending: Vec<u32>,
}

impl Loans {
    /// Forgets everything but keeps the memory.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.open.clear();
        self.heirs.clear();
    }

    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    #[inline]
    pub fn is_live(&self, slot: u32) -> bool {
        self.slots.get(slot as usize).is_some_and(|slot| slot.live)
    }

    /// Whether any live value borrows from this one.
    #[inline]
    pub fn is_lent(&self, slot: u32) -> bool {
        self.slots[slot as usize].borrowers > 0
    }

    #[inline]
    pub fn ty(&self, slot: u32) -> TypeId {
        self.slots[slot as usize].ty
    }

    /// A new value that borrows nothing.
    #[inline]
    pub fn push(&mut self, ty: TypeId) -> u32 {
        let slot = self.slots.len() as u32;
        self.slots.push(Slot { ty, borrowers: 0, holds: 0, live: true, borrows: false });
        slot
    }

    /// Makes the arguments of a call accessible. The slots ended by that are
    /// returned in the order in which they must be dropped. On a conflict
    /// nothing changes.
    #[inline(always)]
    pub fn access(&mut self, signature: &Signature, args: &[u32]) -> Result<&[u32], Conflict> {
        self.ended.clear();
        // One look at each argument and one branch for all of them: which
        // argument it was matters only when something is wrong.
        let (mut gone, mut twice, mut borrowers) = (false, false, 0);
        for (n, &arg) in args.iter().enumerate() {
            match self.slots.get(arg as usize) {
                Some(slot) => {
                    gone |= !slot.live;
                    borrowers |= slot.borrowers;
                }
                None => gone = true,
            }
            for &other in &args[..n] {
                twice |= other == arg;
            }
        }
        if gone || twice {
            self.check_each(signature, args)?;
        }
        if signature.lends && !signature.acquires.is_empty() {
            self.check_order(signature, args)?;
        }
        if borrowers > 0 {
            self.end_conflicting(signature, args)?;
        }
        Ok(&self.ended)
    }

    #[cold]
    fn check_each(&self, signature: &Signature, args: &[u32]) -> Result<(), Conflict> {
        for (n, (&arg, input)) in args.iter().zip(&signature.inputs).enumerate() {
            if !self.is_live(arg) {
                return Err(Conflict::Gone(arg));
            }
            for (&other, other_input) in args[..n].iter().zip(&signature.inputs) {
                if other == arg && (input.exclusive || other_input.exclusive) {
                    return Err(Conflict::UsedTwice(arg));
                }
            }
        }
        Ok(())
    }

    /// Refuses to let a value, or one that shares its loans, hold a later one.
    #[cold]
    fn check_order(&self, signature: &Signature, args: &[u32]) -> Result<(), Conflict> {
        for acquire in &signature.acquires {
            let (into, from) = (args[acquire.into as usize], args[acquire.from as usize]);
            let held = self.open.iter().filter(|loan| loan.borrower == from).map(|l| l.owner);
            let itself = matches!(acquire.kind, FlowKind::Loan { .. }).then_some(from);
            let Some(latest) = held.chain(itself).max() else { continue };
            if let Some(&early) =
                self.sharers(into, from).iter().find(|slot| self.is_live(**slot) && latest > **slot)
            {
                return Err(Conflict::Outlived(early));
            }
        }
        Ok(())
    }

    /// A slot and all that share the loans it acquires from another: what was
    /// derived from it, and also what it was derived from. A type may be
    /// invariant, and then both have one region.
    fn sharers(&self, into: u32, from: u32) -> Vec<u32> {
        let mut found = if into == from { vec![] } else { vec![into] };
        let mut n = 0;
        while let Some(&sharer) = found.get(n) {
            for &(of, heir) in &self.heirs {
                let other = match () {
                    () if of == sharer => heir,
                    () if heir == sharer => of,
                    () => continue,
                };
                if other != from && self.slots[other as usize].borrows && !found.contains(&other) {
                    found.push(other);
                }
            }
            n += 1;
        }
        found
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
    #[inline(always)]
    pub fn consume(&mut self, signature: &Signature, args: &[u32]) {
        if signature.moves {
            for (&arg, input) in args.iter().zip(&signature.inputs) {
                self.slots[arg as usize].live &= !input.consumes;
            }
        }
    }

    /// Notes that the call was made: moves its arguments, adds its result.
    #[inline(always)]
    pub fn commit(&mut self, signature: &Signature, args: &[u32]) -> u32 {
        self.consume(signature, args);
        let result = self.push(signature.output);
        self.slots[result as usize].borrows = signature.output_borrows;
        if signature.lends {
            self.borrow(signature, args, result);
        }
        // What was moved holds nothing any more; its heirs do.
        if signature.moves && !self.open.is_empty() {
            for (&arg, input) in args.iter().zip(&signature.inputs) {
                if input.consumes {
                    self.release(arg);
                }
            }
        }
        result
    }

    /// Lets the borrows of a call flow into its result and its arguments.
    fn borrow(&mut self, signature: &Signature, args: &[u32], result: u32) {
        for flow in &signature.flows {
            let from = args[flow.input as usize];
            if let FlowKind::Loan { mutable } = flow.kind {
                self.lend(Loan { borrower: result, owner: from, mutable });
            }
            self.inherit(result, from);
        }
        for acquire in &signature.acquires {
            let (into, from) = (args[acquire.into as usize], args[acquire.from as usize]);
            self.acquire(into, from, acquire.kind);
        }
    }

    /// Ends values that must go before the scope ends: those that hold a loan
    /// on a value made after them. Returns them in the order of dropping.
    pub fn close_scope(&mut self) -> Vec<u32> {
        let mut order = vec![];
        let mut early: Vec<u32> =
            self.open.iter().filter(|l| l.owner > l.borrower).map(|l| l.borrower).collect();
        early.sort_unstable();
        for slot in early {
            // One that is ended along with an earlier one is not ended again.
            order.extend_from_slice(self.end(slot));
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
        for loan in &self.open {
            let clash = loan.owner == owner && (loan.mutable || exclusive);
            if clash && self.slots[loan.borrower as usize].live {
                self.pending.push(loan.borrower);
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
        if self.ended.len() < 2 {
            return;
        }
        // Later values first, unless one of those still waiting borrows from it.
        self.ended.sort_unstable_by(|a, b| b.cmp(a));
        let mut waiting = std::mem::take(&mut self.ended);
        while !waiting.is_empty() {
            let lent = |slot: u32| {
                self.open.iter().any(|loan| {
                    loan.owner == slot && loan.borrower != slot && waiting.contains(&loan.borrower)
                })
            };
            let free = waiting.iter().position(|&slot| !lent(slot));
            let next = free.unwrap_or_else(|| self.least_borrowed(&waiting));
            self.ended.push(waiting.remove(next));
        }
    }

    /// Mutual acquisition can make a cycle, in which any order is as good; but
    /// what the cycle borrows from must wait for it. Whoever has the fewest
    /// borrowers, theirs included, lies on a cycle that nobody else borrows from.
    #[cold]
    fn least_borrowed(&self, waiting: &[u32]) -> usize {
        let borrowers = |slot: u32| {
            let mut found = vec![slot];
            let mut n = 0;
            while let Some(&owner) = found.get(n) {
                for loan in self.open.iter().filter(|loan| loan.owner == owner) {
                    if waiting.contains(&loan.borrower) && !found.contains(&loan.borrower) {
                        found.push(loan.borrower);
                    }
                }
                n += 1;
            }
            found.len()
        };
        (0..waiting.len()).min_by_key(|&n| borrowers(waiting[n])).unwrap_or(0)
    }

    fn end_all(&mut self) {
        for n in 0..self.ended.len() {
            let slot = self.ended[n];
            self.slots[slot as usize].live = false;
            self.release(slot);
        }
    }

    /// Gives back all loans that a slot holds.
    fn release(&mut self, borrower: u32) {
        if self.slots[borrower as usize].holds == 0 {
            return;
        }
        self.slots[borrower as usize].holds = 0;
        let slots = &mut self.slots;
        self.open.retain(|loan| {
            let ours = loan.borrower == borrower;
            if ours {
                slots[loan.owner as usize].borrowers -= 1;
            }
            !ours
        });
    }

    fn lend(&mut self, loan: Loan) {
        if loan.owner != loan.borrower && !self.open.contains(&loan) {
            self.open.push(loan);
            self.slots[loan.borrower as usize].holds += 1;
            self.slots[loan.owner as usize].borrowers += 1;
        }
    }

    fn inherit(&mut self, to: u32, from: u32) {
        self.copy_loans(to, from);
        self.heirs.push((from, to));
    }

    fn copy_loans(&mut self, to: u32, from: u32) {
        if self.slots[from as usize].holds == 0 {
            return;
        }
        for n in 0..self.open.len() {
            let loan = self.open[n];
            if loan.borrower == from {
                self.lend(Loan { borrower: to, ..loan });
            }
        }
    }

    /// The container and all that was derived from it share the new loans.
    fn acquire(&mut self, into: u32, from: u32, kind: FlowKind) {
        for slot in self.sharers(into, from) {
            if self.slots[slot as usize].live {
                if let FlowKind::Loan { mutable } = kind {
                    self.lend(Loan { borrower: slot, owner: from, mutable });
                }
                self.copy_loans(slot, from);
            }
        }
        self.heirs.push((from, into));
    }
}

#[cfg(test)]
mod tests;
