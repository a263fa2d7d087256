//! From a generic API to concrete operations.
//!
//! Proposes drafts and is told which of them compile; never runs a compiler
//! itself. The rounds: what asks for types of other crates with those that the package itself
//! writes out, every other callable with the first menu, those refused with
//! the types that the package writes out and with the next menus, then builders for whatever the accepted drafts take and
//! return, then further instances of callables that make what is still
//! missing, then the guards that ask for preconditions. What remains without a
//! way to be called is a skip.
#![forbid(unsafe_code)]

mod aliases;
mod builders;
mod choose;
mod closures;
mod draft;
mod fakes;
mod flows;
mod guards;
mod implementors;
mod instances;
mod laws;
mod literals;
mod oracles;
mod owning;
mod resolve;
mod rooms;
mod std_traits;

pub use builders::MAX_ELEMENTS;
pub use draft::{Draft, probe};
pub use laws::{LAWS, Law, law};
pub use literals::{pool, range_of};
pub use oracles::mounts;

use choose::{BATCHES, Menu};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use testsmith_model::api::{Api, CallableKind, Param, ParamKind, TypeKind};
use testsmith_model::operation::{
    Abilities, MAX_INPUTS, Operation, OperationKind, Plan, TypeId, TypeInfo,
};
use testsmith_model::skip::{Reason, Skip};
use testsmith_model::ty::{Arg, Lifetime, Substitution, Ty};

/// What the compiler said of a draft: nothing, or why not.
pub type Objection = Option<String>;

/// Why a draft is proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// To be an operation; with the number of the menu, where there are several.
    Call(usize),
    /// To find out whether a type has a size.
    Size,
    /// To find out whether the guard of another draft compiles.
    Guard,
}

/// Types that nest deeper are not built.
const MAX_NESTING: usize = 6;
/// Builders are proposed in rounds; each round may need new types.
const MAX_BUILDER_ROUNDS: usize = 6;
/// More builders than this keep the compiler busy for minutes.
const MAX_BUILDERS: usize = 8000;
/// More instances than this in one round do, too; then the simple ones are asked about.
const MAX_INSTANCES: usize = 8000;
/// Rounds of further instances for types that nothing makes.
const MAX_DEMAND_ROUNDS: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlanningStage {
    Sizes,
    ForeignExamples,
    Menu(usize),
    Examples,
    Build(usize),
    Demand(usize),
    Guards,
    Done,
}

pub struct Planner {
    api: Api,
    menus: Vec<Menu>,
    stage: PlanningStage,
    /// Callables without an accepted draft.
    pending: BTreeSet<u32>,
    refused: BTreeMap<u32, (Reason, String)>,
    proposed: Vec<Draft>,
    purposes: Vec<Purpose>,
    accepted: Vec<Draft>,
    /// Texts already asked about.
    asked: HashSet<String>,
    built: HashSet<Ty>,
    /// How many builders were proposed.
    builders: usize,
    /// Reference types for which a plain borrow was proposed.
    referred: HashSet<Ty>,
    /// Whether generic types were asked about with elements that own memory.
    owned: bool,
}

impl Planner {
    pub fn new(mut api: Api) -> Planner {
        fakes::settle(&mut api);
        Planner {
            menus: choose::menus(),
            stage: PlanningStage::Sizes,
            pending: (0..api.callables.len() as u32).collect(),
            api,
            refused: BTreeMap::new(),
            proposed: vec![],
            purposes: vec![],
            accepted: vec![],
            asked: HashSet::new(),
            built: HashSet::new(),
            builders: 0,
            referred: HashSet::new(),
            owned: false,
        }
    }

    /// The next drafts to ask the compiler about; nothing when done.
    pub fn propose(&mut self) -> &[Draft] {
        self.proposed.clear();
        self.purposes.clear();
        while self.proposed.is_empty() && self.stage != PlanningStage::Done {
            let all = |purpose: Purpose, drafts: Vec<Draft>| {
                drafts.into_iter().map(|draft| (purpose, draft)).collect()
            };
            let drafts: Vec<(Purpose, Draft)> = match self.stage {
                PlanningStage::Sizes => all(Purpose::Size, self.sizes()),
                PlanningStage::Menu(batch) => {
                    BATCHES[batch].clone().flat_map(|turn| self.by_menu(turn)).collect()
                }
                PlanningStage::ForeignExamples => self.by_foreign_example(),
                PlanningStage::Examples => self.by_example(),
                PlanningStage::Build(_) => all(Purpose::Call(0), simple(self.builders())),
                PlanningStage::Demand(_) => all(Purpose::Call(0), simple(self.instances())),
                PlanningStage::Guards => {
                    let questions = self.accepted.iter().filter_map(guards::question);
                    all(Purpose::Guard, questions.collect())
                }
                PlanningStage::Done => vec![],
            };
            self.stage = self.following(drafts.is_empty());
            for (purpose, draft) in drafts {
                if draft.inputs.len() > MAX_INPUTS {
                    let why = format!("takes more than {MAX_INPUTS} arguments");
                    let refuse =
                        |callable| self.refused.insert(callable, (Reason::NoSuchTypes, why));
                    draft.callable.map(refuse);
                    continue;
                }
                if self.asked.insert(probe(&draft, "f")) {
                    self.proposed.push(draft);
                    self.purposes.push(purpose);
                }
            }
        }
        &self.proposed
    }

    /// Takes the compiler's word on the drafts proposed last.
    pub fn learn(&mut self, objections: &[Objection]) {
        let proposed = std::mem::take(&mut self.proposed);
        let purposes = std::mem::take(&mut self.purposes);
        // One menu that works is enough: the first.
        let mut best: HashMap<u32, usize> = HashMap::new();
        for ((draft, purpose), objection) in proposed.iter().zip(&purposes).zip(objections) {
            if let (Purpose::Call(menu), None, Some(callable)) =
                (purpose, objection, draft.callable)
            {
                let best = best.entry(callable).or_insert(*menu);
                *best = (*best).min(*menu);
            }
        }
        for ((draft, purpose), objection) in proposed.into_iter().zip(purposes).zip(objections) {
            match (purpose, objection, draft.callable) {
                (Purpose::Size, Some(why), _) if why.contains("size for values") => {
                    let path = draft.output.path().expect("asked of a local type").to_owned();
                    self.api.unsized_types.insert(path);
                }
                (Purpose::Size, _, _) | (Purpose::Guard, None, _) => {}
                (Purpose::Guard, Some(_), _) => self.drop_guard(&draft),
                (Purpose::Call(menu), None, Some(callable)) => {
                    if best[&callable] == menu {
                        self.pending.remove(&callable);
                        self.accepted.push(draft);
                    }
                }
                (Purpose::Call(_), None, None) => self.accepted.push(draft),
                (Purpose::Call(_), Some(why), Some(callable)) => {
                    let first = why.lines().next().unwrap_or_default().to_owned();
                    self.refused.entry(callable).or_insert((Reason::NoSuchTypes, first));
                }
                (Purpose::Call(_), Some(_), None) => {}
            }
        }
    }

    /// Forgets a guard that does not compile, wherever it stands.
    fn drop_guard(&mut self, question: &Draft) {
        let asked = probe(question, "f");
        for draft in &mut self.accepted {
            if guards::question(draft).is_some_and(|own| probe(&own, "f") == asked) {
                draft.guard = None;
            }
        }
    }

    fn following(&self, empty: bool) -> PlanningStage {
        match self.stage {
            PlanningStage::Sizes => PlanningStage::ForeignExamples,
            PlanningStage::ForeignExamples => PlanningStage::Menu(0),
            PlanningStage::Menu(0) => PlanningStage::Examples,
            PlanningStage::Examples => PlanningStage::Menu(1),
            PlanningStage::Menu(batch) if batch + 1 < BATCHES.len() => {
                PlanningStage::Menu(batch + 1)
            }
            PlanningStage::Menu(_) => PlanningStage::Build(0),
            PlanningStage::Build(round) if !empty && round + 1 < MAX_BUILDER_ROUNDS => {
                PlanningStage::Build(round + 1)
            }
            PlanningStage::Build(_) => PlanningStage::Demand(0),
            PlanningStage::Demand(round) if !empty && round + 1 < MAX_DEMAND_ROUNDS => {
                PlanningStage::Demand(round + 1)
            }
            PlanningStage::Demand(_) => PlanningStage::Guards,
            PlanningStage::Guards | PlanningStage::Done => PlanningStage::Done,
        }
    }

    /// Asks of every local type whether it has a size: private fields do not
    /// show in the documentation.
    fn sizes(&self) -> Vec<Draft> {
        let mut drafts = vec![];
        for def in self.api.types.values() {
            if aliases::has_some(&self.api, &def.path) {
                // It may have a size or not by its arguments; each alias is asked about.
                continue;
            }
            let generics = std::slice::from_ref(&def.generics);
            let mut chooser = choose::Chooser::new(&self.api, generics, &self.menus[0]);
            let arg = |param: &Param| match &param.kind {
                ParamKind::Lifetime => Arg::Lifetime(Lifetime::Elided),
                ParamKind::Type { default: Some(ty), .. } => Arg::Type(ty.clone()),
                ParamKind::Type { bounds, .. } => {
                    Arg::Type(chooser.choose(&param.name, bounds, &Substitution::new(), 0))
                }
                ParamKind::Const { .. } => Arg::Const("4".to_owned()),
            };
            let args = def.generics.params.iter().map(arg).collect();
            let ty = Ty::Adt { path: def.path.clone(), args };
            drafts.push(draft::size_question(&ty));
        }
        drafts
    }

    fn by_menu(&mut self, turn: usize) -> Vec<(Purpose, Draft)> {
        let menu = self.menus[turn].clone();
        let mut drafts = vec![];
        let pending: Vec<u32> = self.pending.iter().copied().collect();
        for number in pending {
            match self.drafts_of(number, &menu, &Substitution::new()) {
                Ok(found) => {
                    drafts.extend(found.into_iter().map(|draft| (Purpose::Call(turn), draft)))
                }
                Err(refused) => {
                    // Only a closure or an object may look different next time.
                    if refused.0 != Reason::NoSuchTypes {
                        self.pending.remove(&number);
                    }
                    self.refused.insert(number, refused);
                }
            }
        }
        drafts
    }

    fn drafts_of(
        &self,
        number: u32,
        menu: &Menu,
        fixed: &Substitution,
    ) -> Result<Vec<Draft>, draft::Refused> {
        let callable = &self.api.callables[number as usize];
        if callable.kind == CallableKind::ForeignTrait {
            let mut chooser = choose::Chooser::new(&self.api, &callable.generics, menu);
            let with = chooser.substitution(callable, fixed);
            let self_ty = callable.self_ty.as_ref().expect("a trait impl has a type");
            let self_ty = resolve::normalize(&self.api, &self_ty.substitute(&with));
            if let Some(mut draft) = std_traits::rewrite(&self.api, callable, &self_ty) {
                draft.callable = Some(number);
                return Ok(vec![draft]);
            }
        }
        let mut drafts = draft::drafts(&self.api, callable, menu, fixed)?;
        for draft in &mut drafts {
            draft.callable = Some(number);
        }
        Ok(drafts)
    }

    /// Builders for every type that an accepted draft takes or returns.
    fn builders(&mut self) -> Vec<Draft> {
        let mut taken: BTreeSet<Ty> = BTreeSet::new();
        let mut made: BTreeSet<Ty> = BTreeSet::new();
        for draft in &self.accepted {
            taken.extend(draft.inputs.iter().map(|input| input.ty.clone()));
            made.insert(draft.output.clone());
        }
        let mut drafts: Vec<Draft> = vec![];
        let of_fakes = |draft: &&Draft| draft.inputs.iter().any(|it| self.api.is_fake(&it.ty));
        for draft in self.accepted.iter().filter(|draft| !of_fakes(draft)) {
            drafts.extend(laws::of_query(&self.api, draft));
            drafts.extend(laws::of_maker(&self.api, draft));
            drafts.extend(laws::of_reader(draft));
        }
        for ty in &taken {
            // A reference as a value of its own is seldom needed.
            if matches!(ty, Ty::Ref { .. }) && self.referred.insert(ty.clone()) {
                drafts.extend(builders::borrowers(&self.api, ty));
            }
        }
        let others = drafts.len();
        let mut open: Vec<Ty> = taken.into_iter().chain(made).collect();
        // Where there are too many, the simple ones come first.
        open.sort_by_key(nesting);
        for ty in open {
            if self.builders + drafts.len() - others >= MAX_BUILDERS {
                break;
            }
            if nesting(&ty) > MAX_NESTING || !self.built.insert(ty.clone()) {
                continue;
            }
            drafts.extend(builders::makers(&self.api, &ty));
            drafts.extend(builders::takers(&self.api, &ty));
            let is_local = ty.path().is_some_and(|path| self.api.types.contains_key(path));
            // A fake is no code of the crate.
            let judged = is_local && !self.api.is_fake(&ty);
            if judged {
                drafts.extend(builders::printed(&self.api, &ty));
                drafts.extend(laws::of_type(&self.api, &ty, &self.accepted));
                drafts.extend(oracles::of_type(&self.api, &ty));
            }
            if may_iterate(&ty) {
                let local = ty.path().is_some_and(|path| self.api.types.contains_key(path));
                let kind = if local { OperationKind::ForeignTrait } else { OperationKind::Builder };
                drafts.extend(std_traits::iterator_methods(&self.api, &ty, kind));
            }
        }
        self.builders += drafts.len() - others;
        drafts
    }

    /// Numbers the types and operations and names what is left out.
    pub fn finish(mut self) -> Plan {
        let reach = self.reach();
        let mut unreachable: BTreeMap<u32, String> = BTreeMap::new();
        let mut kept = vec![];
        for draft in std::mem::take(&mut self.accepted) {
            let missing = draft.inputs.iter().find(|input| !reach.has(&input.ty, input.mode));
            match (missing, draft.callable) {
                (None, _) => kept.push(draft),
                (Some(input), Some(callable)) => {
                    unreachable.insert(callable, input.ty.to_string());
                }
                (Some(_), None) => {}
            }
        }
        // The order of acceptance depends on rounds; the order of the API does not.
        kept.sort_by_cached_key(|draft| (draft.callable.unwrap_or(u32::MAX), draft.path()));
        let mut numbering =
            Numbering { api: self.api.clone(), types: vec![], known: HashMap::new() };
        let idle = fakes::idle(&self.api, &kept);
        let operations: Vec<Operation> =
            kept.into_iter().map(|draft| draft.with_types(|ty| numbering.number(&ty))).collect();
        let called: HashSet<u32> = operations.iter().filter_map(|op| op.callable).collect();
        let mut skips = self.api.skips.clone();
        for (number, callable) in self.api.callables.iter().enumerate() {
            let number = number as u32;
            if called.contains(&number) {
                continue;
            }
            let (reason, detail) = match unreachable.remove(&number) {
                Some(ty) => (Reason::NoValue, ty),
                None => {
                    let refused = self.refused.remove(&number);
                    let (reason, why) = refused.unwrap_or((Reason::NoSuchTypes, String::new()));
                    let missing = (reason == Reason::NoSuchTypes)
                        .then(|| fakes::missing(&self.api, callable, &why));
                    missing.flatten().unwrap_or((reason, why))
                }
            };
            skips.push(Skip {
                path: callable.callee.to_string(),
                reason,
                detail,
                core: callable.is_core(),
            });
        }
        skips.extend(oracles::idle(&self.api, &operations));
        skips.extend(idle);
        let literals = numbering.literals(&self.api);
        Plan {
            krate: self.api.krate.clone(),
            version: self.api.version.clone(),
            edition: self.api.edition.clone(),
            types: numbering.types,
            operations,
            literals,
            skips,
            contracts: self.api.contracts.clone(),
            branches: self.api.branches.clone(),
            mounts: mounts(&self.api.oracles, &self.api.fakes),
            core_callables: self.api.callables.iter().filter(|c| c.is_core()).count() as u32,
            internals: self.api.internals.clone(),
        }
    }
}

/// Gives numbers to types as they come up.
struct Numbering {
    api: Api,
    types: Vec<TypeInfo>,
    known: HashMap<Ty, TypeId>,
}

impl Numbering {
    fn number(&mut self, ty: &Ty) -> TypeId {
        if let Some(id) = self.known.get(ty) {
            return *id;
        }
        let pointee = match ty {
            Ty::Ref { mutable, inner, .. } if !self.api.is_unsized(inner) => {
                Some((self.number(inner), *mutable))
            }
            _ => None,
        };
        let id = TypeId(self.types.len() as u32);
        self.types.push(TypeInfo {
            ty: ty.clone(),
            abilities: Abilities::default(),
            pointee,
            is_reference: matches!(ty, Ty::Ref { .. }),
            variants: self.variants(ty),
            is_fake: self.api.is_fake(ty),
        });
        self.known.insert(ty.clone(), id);
        id
    }

    /// The variants of an enum of the crate that has none with fields.
    fn variants(&self, ty: &Ty) -> Vec<String> {
        let def = ty.path().and_then(|path| self.api.types.get(path));
        match def.map(|def| &def.kind) {
            Some(TypeKind::Enum { fieldless }) if matches!(ty, Ty::Adt { .. }) => fieldless.clone(),
            _ => vec![],
        }
    }

    fn literals(&self, api: &Api) -> Vec<(TypeId, Vec<testsmith_model::sequence::Literal>)> {
        let each = |(n, info): (usize, &TypeInfo)| {
            let pool = literals::pool(&info.ty, &api.literals);
            (!pool.is_empty()).then_some((TypeId(n as u32), pool))
        };
        self.types.iter().enumerate().filter_map(each).collect()
    }
}

/// The drafts as they are; or of too many, those that take and give the simplest types.
fn simple(mut drafts: Vec<Draft>) -> Vec<Draft> {
    if drafts.len() > MAX_INSTANCES {
        drafts.sort_by_cached_key(|draft| {
            let inputs = draft.inputs.iter().map(|input| nesting(&input.ty));
            inputs.chain([nesting(&draft.output)]).max()
        });
        drafts.truncate(MAX_INSTANCES);
    }
    drafts
}

/// How deep types stand inside a type.
fn nesting(ty: &Ty) -> usize {
    let deepest = |types: &mut dyn Iterator<Item = &Ty>| types.map(nesting).max().unwrap_or(0);
    match ty {
        Ty::Adt { args, .. } => 1 + deepest(&mut args.iter().filter_map(|arg| arg.as_type())),
        Ty::Tuple(items) => 1 + deepest(&mut items.iter()),
        Ty::Ref { inner, .. } | Ty::Ptr { inner, .. } => nesting(inner),
        Ty::Slice(inner) | Ty::Array(inner, _) => 1 + nesting(inner),
        _ => 1,
    }
}

/// Collections are not iterators, and asking would cost a probe each.
fn may_iterate(ty: &Ty) -> bool {
    let Some(path) = ty.path() else { return false };
    let is_collection = path.starts_with("std::collections::") && path.matches("::").count() == 2;
    let others =
        ["std::vec::Vec", "std::option::Option", "std::result::Result", "std::string::String"];
    !is_collection && !others.contains(&path)
}
