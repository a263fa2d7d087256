//! The loans against a reference that follows the rules word by word, on
//! random tables of operations.

use super::*;
use crate::operation::{Access, Acquire, Flow, Inputs, Mode};
use std::collections::BTreeSet;

/// The rules over plain sets, with no thought of speed.
#[derive(Default)]
struct Reference {
    live: Vec<bool>,
    /// Whether there is room for a borrow: never in a value that was pushed.
    borrows: Vec<bool>,
    /// Borrower, owner, mutable.
    loans: BTreeSet<(u32, u32, bool)>,
    heirs: BTreeSet<(u32, u32)>,
}

impl Reference {
    fn push(&mut self) -> u32 {
        self.live.push(true);
        self.borrows.push(false);
        self.live.len() as u32 - 1
    }

    /// Everything that goes when these loans do: a borrower of what goes, too.
    fn closure(&self, mut gone: BTreeSet<u32>) -> BTreeSet<u32> {
        loop {
            let more = self.loans.iter().filter(|(borrower, owner, _)| {
                gone.contains(owner) && self.live[*borrower as usize] && !gone.contains(borrower)
            });
            let more: Vec<u32> = more.map(|(borrower, _, _)| *borrower).collect();
            if more.is_empty() {
                return gone;
            }
            gone.extend(more);
        }
    }

    fn access(&self, signature: &Signature, args: &[u32]) -> Result<BTreeSet<u32>, Conflict> {
        let mut direct = BTreeSet::new();
        for (n, (&arg, input)) in args.iter().zip(&signature.inputs).enumerate() {
            if !self.live[arg as usize] {
                return Err(Conflict::Gone(arg));
            }
            let same = |m: usize| args[m] == arg;
            let clash = |m: usize| input.exclusive || signature.inputs[m].exclusive;
            if (0..n).any(|m| same(m) && clash(m)) {
                return Err(Conflict::UsedTwice(arg));
            }
        }
        self.check_order(signature, args)?;
        for (&arg, input) in args.iter().zip(&signature.inputs) {
            let ended = self.loans.iter().filter(|(borrower, owner, mutable)| {
                *owner == arg && (*mutable || input.exclusive) && self.live[*borrower as usize]
            });
            direct.extend(ended.map(|(borrower, _, _)| *borrower));
        }
        let gone = self.closure(direct);
        match args.iter().find(|arg| gone.contains(arg)) {
            Some(arg) => Err(Conflict::Ended(*arg)),
            None => Ok(gone),
        }
    }

    /// Nothing comes to hold what was made after it.
    fn check_order(&self, signature: &Signature, args: &[u32]) -> Result<(), Conflict> {
        for acquire in &signature.acquires {
            let (into, from) = (args[acquire.into as usize], args[acquire.from as usize]);
            let held = self.loans.iter().filter(|(borrower, _, _)| *borrower == from);
            let mut owners: BTreeSet<u32> = held.map(|(_, owner, _)| *owner).collect();
            if matches!(acquire.kind, FlowKind::Loan { .. }) {
                owners.insert(from);
            }
            for slot in self.sharers(into, from) {
                let late = owners.iter().any(|owner| *owner > slot);
                if late && self.live[slot as usize] {
                    return Err(Conflict::Outlived(slot));
                }
            }
        }
        Ok(())
    }

    /// All that share what `into` acquires from `from`: the heirs, in both
    /// directions, of a type with room for a borrow.
    fn sharers(&self, into: u32, from: u32) -> BTreeSet<u32> {
        let mut reached = BTreeSet::from([into]);
        reached.remove(&from);
        loop {
            let mut next = BTreeSet::new();
            for &(a, b) in &self.heirs {
                next.extend(reached.contains(&a).then_some(b));
                next.extend(reached.contains(&b).then_some(a));
            }
            next.retain(|slot| *slot != from && self.borrows[*slot as usize]);
            if next.is_subset(&reached) {
                return reached;
            }
            reached.extend(next);
        }
    }

    fn end(&mut self, gone: &BTreeSet<u32>) {
        for slot in gone {
            self.live[*slot as usize] = false;
        }
        self.loans.retain(|(borrower, _, _)| !gone.contains(borrower));
    }

    fn share(&mut self, to: u32, from: u32, kind: FlowKind) {
        let held = self.loans.iter().filter(|(borrower, _, _)| *borrower == from);
        let mut shared: Vec<(u32, bool)> = held.map(|(_, owner, m)| (*owner, *m)).collect();
        if let FlowKind::Loan { mutable } = kind {
            shared.push((from, mutable));
        }
        let others = shared.into_iter().filter(|(owner, _)| *owner != to);
        self.loans.extend(others.map(|(owner, mutable)| (to, owner, mutable)));
    }

    fn commit(&mut self, signature: &Signature, args: &[u32]) -> u32 {
        let consumed = args.iter().zip(&signature.inputs).filter(|(_, input)| input.consumes);
        let consumed: BTreeSet<u32> = consumed.map(|(arg, _)| *arg).collect();
        for slot in &consumed {
            self.live[*slot as usize] = false;
        }
        let result = self.push();
        self.borrows[result as usize] = signature.output_borrows;
        for flow in &signature.flows {
            let from = args[flow.input as usize];
            self.share(result, from, flow.kind);
            self.heirs.insert((from, result));
        }
        for acquire in &signature.acquires {
            let (into, from) = (args[acquire.into as usize], args[acquire.from as usize]);
            let mut reached = self.sharers(into, from);
            reached.retain(|slot| self.live[*slot as usize]);
            for slot in reached {
                // Sharing reads what `from` holds, which this never changes.
                self.share(slot, from, acquire.kind);
            }
            self.heirs.insert((from, into));
        }
        self.loans.retain(|(borrower, _, _)| !consumed.contains(borrower));
        result
    }

    /// Whether `a` borrows from `b`, directly or not.
    fn depends(&self, a: u32, b: u32) -> bool {
        self.closure(BTreeSet::from([b])).contains(&a)
    }

    /// No value goes before one that borrows from it, unless each borrows from
    /// the other.
    fn assert_borrowers_first(&self, order: &[u32]) {
        for (n, early) in order.iter().enumerate() {
            for late in &order[n + 1..] {
                let direct = self.loans.iter().any(|(b, o, _)| b == late && o == early);
                assert!(
                    !direct || self.depends(*early, *late),
                    "v{early} goes before v{late}, which borrows from it"
                );
            }
        }
    }
}

/// A small generator of numbers; the crate has none.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % bound
    }

    fn kind(&mut self) -> FlowKind {
        match self.below(3) {
            0 => FlowKind::Inherit,
            n => FlowKind::Loan { mutable: n == 1 },
        }
    }

    fn signature(&mut self) -> Signature {
        let modes = [Mode::Own, Mode::Shared, Mode::Shared, Mode::Exclusive, Mode::Reborrow];
        let access = |mode: Mode, copy: bool| {
            let consumes = mode == Mode::Own && !copy;
            let exclusive = consumes || matches!(mode, Mode::Exclusive | Mode::Reborrow);
            Access { ty: TypeId(0), mode, exclusive, consumes }
        };
        let inputs: Inputs = (0..self.below(4))
            .map(|_| access(modes[self.below(modes.len())], self.below(3) == 0))
            .collect();
        let (mut flows, mut acquires) = (vec![], vec![]);
        for n in 0..inputs.len() {
            if self.below(2) == 0 {
                flows.push(Flow { input: n as u8, kind: self.kind() });
            }
            let from = self.below(inputs.len());
            if from != n && self.below(6) == 0 {
                acquires.push(Acquire { into: n as u8, from: from as u8, kind: self.kind() });
            }
        }
        let output = TypeId(self.below(5) as u32);
        let output_borrows = self.below(3) > 0;
        Signature { output_borrows, ..Signature::new(inputs, output, flows, acquires) }
    }
}

#[test]
fn loans_follow_the_rules_on_random_operations() {
    let (mut made, mut refused, mut ended) = (0, 0, 0);
    let mut loans = Loans::default();
    for seed in 1..=300 {
        let mut numbers = Numbers(seed * 0x9e37_79b9);
        let table: Vec<Signature> = (0..8).map(|_| numbers.signature()).collect();
        let mut reference = Reference::default();
        loans.clear();
        for _ in 0..60 {
            let signature = &table[numbers.below(table.len())];
            if loans.is_empty() || numbers.below(5) == 0 {
                assert_eq!(loans.push(TypeId(1)), reference.push());
                continue;
            }
            let args: Vec<u32> =
                signature.inputs.iter().map(|_| numbers.below(loans.len()) as u32).collect();
            let expected = reference.access(signature, &args);
            let order = loans.access(signature, &args).map(<[u32]>::to_vec);
            match (order, expected) {
                (Ok(order), Ok(gone)) => {
                    assert_eq!(order.iter().copied().collect::<BTreeSet<_>>(), gone);
                    assert_eq!(order.len(), gone.len(), "nothing is dropped twice");
                    reference.assert_borrowers_first(&order);
                    ended += gone.len();
                    reference.end(&gone);
                    let result = loans.commit(signature, &args);
                    assert_eq!(result, reference.commit(signature, &args));
                    assert_eq!(loans.ty(result), signature.output);
                    made += 1;
                }
                // Which of several early ones is named does not matter.
                (Err(Conflict::Outlived(_)), Err(Conflict::Outlived(_))) => refused += 1,
                (Err(conflict), Err(expected)) => {
                    assert_eq!(conflict, expected);
                    refused += 1;
                }
                (got, expected) => panic!("{got:?}, but the rules say {expected:?}"),
            }
            let live: Vec<bool> = (0..loans.len() as u32).map(|slot| loans.is_live(slot)).collect();
            assert_eq!(live, reference.live, "seed {seed}");
        }
        assert_closes_as(&mut loans, &mut reference);
    }
    assert!(made > 2000 && refused > 2000 && ended > 500, "{made} {refused} {ended}");
}

/// Whoever borrows from a later value goes first, with its own borrowers.
fn assert_closes_as(loans: &mut Loans, reference: &mut Reference) {
    let early = reference
        .loans
        .iter()
        .filter(|(borrower, owner, _)| owner > borrower && reference.live[*borrower as usize]);
    let gone = reference.closure(early.map(|(borrower, _, _)| *borrower).collect());
    let order = loans.close_scope();
    assert_eq!(order.iter().copied().collect::<BTreeSet<_>>(), gone);
    assert_eq!(order.len(), gone.len(), "nothing is dropped twice");
    reference.assert_borrowers_first(&order);
    reference.end(&gone);
    assert!(
        (0..loans.len() as u32).all(|slot| loans.is_live(slot) == reference.live[slot as usize])
    );
}

#[test]
fn a_cleared_table_of_loans_remembers_nothing() {
    let mut loans = Loans::default();
    let own = Access { ty: TypeId(0), mode: Mode::Exclusive, exclusive: true, consumes: false };
    let flow = Flow { input: 0, kind: FlowKind::Loan { mutable: true } };
    let lend = Signature::new(Inputs::from_iter([own]), TypeId(1), vec![flow], vec![]);
    loans.push(TypeId(0));
    loans.commit(&lend, &[0]);
    assert_eq!(loans.access(&lend, &[0]), Ok(&[1][..]));
    loans.clear();
    assert!(loans.is_empty() && !loans.is_live(0));
    loans.push(TypeId(0));
    assert_eq!(loans.access(&lend, &[0]), Ok(&[][..]));
}
