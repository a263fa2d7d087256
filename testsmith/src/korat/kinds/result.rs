//! `Result`: the values of both sides, errors after the rest unless only the
//! good side has objects of its own, which come last in every domain.

use crate::korat::cell::TwinType;
use crate::korat::finitize::FinitizeError;
use crate::korat::reach::Reach;
use crate::korat::show::{Shower, Shown};
use crate::korat::space::{Builder, Choices, Claim};
use crate::korat::trail::{NO_CLASS, Needs};
use crate::korat::{Deep, Korat, Realizer, Types};

impl<T: TwinType, E: TwinType> TwinType for Result<T, E> {
    const INLINE: bool = false;

    fn share(&self) -> Self {
        self.as_ref().map(T::share).map_err(E::share)
    }

    fn duplicate(&self) -> Self {
        self.as_ref().map(T::duplicate).map_err(E::duplicate)
    }

    fn reach(&self, reach: &mut Reach) {
        match self {
            Ok(value) => value.reach(reach),
            Err(error) => error.reach(reach),
        }
    }

    fn show(&self, shower: &mut Shower) -> Shown {
        match self {
            Ok(value) => side("Ok", value.show(shower)),
            Err(error) => side("Err", error.show(shower)),
        }
    }
}

fn side(name: &str, inside: Shown) -> Shown {
    Shown::Call { name: name.to_owned(), parts: vec![inside] }
}

/// What each value of a side claims; a side as a whole may claim something.
fn needs<V>(choices: &Choices<V>, claim: &Claim) -> Vec<Needs> {
    if choices.needs.is_empty() {
        return choices.values.iter().map(|_| claim.needs().clone()).collect();
    }
    choices.needs.clone()
}

impl<T: Korat, E: Korat> Korat for Result<T, E> {
    type Twin = Result<T::Twin, E::Twin>;

    fn class_name() -> String {
        format!("Result<{}, {}>", T::class_name(), E::class_name())
    }

    fn choices(builder: &mut Builder) -> Choices<Self::Twin> {
        let (good, good_claim) = builder.variant(T::choices);
        let (bad, bad_claim) = builder.variant(E::choices);
        if good.class != NO_CLASS && bad.class != NO_CLASS {
            let field = builder.name();
            builder.fail(FinitizeError::TwoPointers { field });
        }
        let (good_needs, bad_needs) = (needs(&good, &good_claim), needs(&bad, &bad_claim));
        let (first_of_good, first_of_bad) = (good.first, bad.first);
        let (good_class, bad_class) = (good.class, bad.class);
        let terminal = good.terminal && bad.terminal;
        let (owned, reusable) = (good.owned || bad.owned, good.reusable && bad.reusable);
        let good: Vec<Self::Twin> = good.values.into_iter().map(Ok).collect();
        let bad: Vec<Self::Twin> = bad.values.into_iter().map(Err).collect();
        let (values, mut claims, class, first) = if good_class == NO_CLASS {
            let first = good.len() as u32 + first_of_bad;
            let values: Vec<Self::Twin> = good.into_iter().chain(bad).collect();
            (values, [good_needs, bad_needs].concat(), bad_class, first)
        } else {
            let first = bad.len() as u32 + first_of_good;
            let values: Vec<Self::Twin> = bad.into_iter().chain(good).collect();
            (values, [bad_needs, good_needs].concat(), good_class, first)
        };
        if claims.iter().all(Needs::is_empty) {
            claims.clear();
        }
        Choices { values, class, first, owned, terminal, needs: claims, reusable }
    }

    fn realize(twin: &Self::Twin, realizer: &mut Realizer) -> Self {
        match twin {
            Ok(value) => Ok(T::realize(value, realizer)),
            Err(error) => Err(E::realize(error, realizer)),
        }
    }

    fn twin_rep_ok(twin: &Self::Twin) -> bool {
        match twin {
            Ok(value) => T::twin_rep_ok(value),
            Err(error) => E::twin_rep_ok(error),
        }
    }

    fn twin_deep_ok(twin: &Self::Twin, deep: &mut Deep) -> bool {
        match twin {
            Ok(value) => T::twin_deep_ok(value, deep),
            Err(error) => E::twin_deep_ok(error, deep),
        }
    }

    fn types(types: &mut Types) {
        T::types(types);
        E::types(types);
    }

    fn real_rep_ok(&self) -> bool {
        match self {
            Ok(value) => value.real_rep_ok(),
            Err(error) => error.real_rep_ok(),
        }
    }

    fn show_real(&self, shower: &mut Shower) -> Shown {
        match self {
            Ok(value) => side("Ok", value.show_real(shower)),
            Err(error) => side("Err", error.show_real(shower)),
        }
    }
}
