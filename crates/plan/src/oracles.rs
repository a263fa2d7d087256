//! Oracles: claims about values that the user has written down.
//!
//! They are laws in all but their origin: an operation that returns whether the
//! claim holds. Which type is meant by a name the compiler says.

use crate::draft::Draft;
use crate::laws::{claim, signature};
use std::collections::BTreeSet;
use testsmith_model::api::{Api, Docs, Fake, Oracle};
use testsmith_model::operation::{Mount, Operation};
use testsmith_model::skip::{Reason, Skip};
use testsmith_model::ty::Ty;
use testsmith_model::{Call, Callee};

/// The user's own claims about values of a type.
pub fn of_type(api: &Api, ty: &Ty) -> Vec<Draft> {
    let meant = api.oracles.iter().filter(|oracle| oracle.subject == ty.name());
    meant.map(|oracle| of_oracle(api, ty, oracle)).collect()
}

fn of_oracle(api: &Api, ty: &Ty, oracle: &Oracle) -> Draft {
    let places: Vec<String> = (0..oracle.values).map(|n| format!("{{{n}}}")).collect();
    let plain = format!("{}::{}({})", oracle.module, oracle.name, places.join(", "));
    let call = match oracle.fallible {
        true => Call::template(
            &format!("{plain}.map_err(|why| why.to_string()).is_ok()"),
            &format!("{plain}.map_err(|why| eprintln!(\"{{why}}\")).is_ok()"),
        ),
        false => Call::template(&plain, &plain),
    };
    let callee = Callee::Claim { claim: oracle.name.clone(), of: ty.clone(), law: None };
    let (inputs, flows) = signature(api, &vec![Ty::shared(ty.clone()); oracle.values]);
    Draft {
        flows: flows.flows,
        acquires: flows.acquires,
        place: Some(oracle.place.clone()),
        ..claim(callee, call, inputs, Docs::default())
    }
}

/// The files that the oracles stand in, and the fakes of the test code.
pub fn mounts(oracles: &[Oracle], fakes: &[Fake]) -> Vec<Mount> {
    let mount = |module: &str, file: &str| Mount { module: module.into(), file: file.into() };
    let of_oracles = oracles.iter().map(|oracle| mount(&oracle.module, &oracle.place.0));
    let mounted = fakes.iter().filter_map(|fake| fake.mounted.as_ref());
    let of_fakes = mounted.map(|fake| mount(&fake.module, &fake.place.0));
    let all: BTreeSet<Mount> = of_oracles.chain(of_fakes).collect();
    all.into_iter().collect()
}

/// Oracles that no operation asks: a claim that is never checked is told.
pub fn idle(api: &Api, operations: &[Operation]) -> Vec<Skip> {
    let asked = |oracle: &&Oracle| {
        !operations.iter().any(|operation| operation.place.as_ref() == Some(&oracle.place))
    };
    let skip = |oracle: &Oracle| Skip {
        path: format!("{}::{}", oracle.module, oracle.name),
        reason: Reason::NoValue,
        detail: format!("&{}", oracle.subject),
        core: false,
    };
    api.oracles.iter().filter(asked).map(skip).collect()
}
