//! `Option`: the values of what is inside, and `None` before them.

use crate::korat::cell::TwinType;
use crate::korat::reach::Reach;
use crate::korat::show::{Shower, Shown};
use crate::korat::space::{Builder, Choices};
use crate::korat::{Deep, Korat, Realizer, Types};

impl<T: TwinType> TwinType for Option<T> {
    const INLINE: bool = false;

    fn share(&self) -> Self {
        self.as_ref().map(T::share)
    }

    fn duplicate(&self) -> Self {
        self.as_ref().map(T::duplicate)
    }

    fn reach(&self, reach: &mut Reach) {
        if let Some(inside) = self {
            inside.reach(reach);
        }
    }

    fn show(&self, shower: &mut Shower) -> Shown {
        match self {
            None => Shown::Nothing,
            Some(inside) => Shown::Some(Box::new(inside.show(shower))),
        }
    }
}

impl<T: Korat> Korat for Option<T> {
    type Twin = Option<T::Twin>;

    fn class_name() -> String {
        format!("Option<{}>", T::class_name())
    }

    fn choices(builder: &mut Builder) -> Choices<Self::Twin> {
        let non_null = builder.is_non_null();
        let (inside, claim) = builder.variant(T::choices);
        let claimed = claim.is_some();
        let none = usize::from(!non_null);
        let mut needs = inside.needs;
        if !needs.is_empty() {
            needs.splice(0..0, (0..none).map(|_| Vec::new()));
        } else if claimed {
            needs = (0..none).map(|_| Vec::new()).collect();
            needs.extend(inside.values.iter().map(|_| claim.needs().clone()));
        }
        let nothing = (0..none).map(|_| None);
        Choices {
            values: nothing.chain(inside.values.into_iter().map(Some)).collect(),
            class: inside.class,
            first: inside.first + none as u32,
            owned: inside.owned,
            terminal: inside.terminal,
            reusable: inside.reusable,
            needs,
        }
    }

    fn realize(twin: &Self::Twin, realizer: &mut Realizer) -> Self {
        twin.as_ref().map(|inside| T::realize(inside, realizer))
    }

    fn twin_rep_ok(twin: &Self::Twin) -> bool {
        twin.as_ref().is_none_or(T::twin_rep_ok)
    }

    fn twin_deep_ok(twin: &Self::Twin, deep: &mut Deep) -> bool {
        twin.as_ref().is_none_or(|inside| T::twin_deep_ok(inside, deep))
    }

    fn types(types: &mut Types) {
        T::types(types);
    }

    fn real_rep_ok(&self) -> bool {
        self.as_ref().is_none_or(T::real_rep_ok)
    }

    fn show_real(&self, shower: &mut Shower) -> Shown {
        match self {
            None => Shown::Nothing,
            Some(inside) => Shown::Some(Box::new(inside.show_real(shower))),
        }
    }
}
