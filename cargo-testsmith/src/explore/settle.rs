//! Brings the prediction and the native runs together.
//!
//! What fails natively fails, whatever was predicted; what holds has to hold in
//! both. Where they disagree something is wrong with us, and it is told as such.

use std::collections::BTreeSet;

use anyhow::Result;
use testsmith_symbolic::explore::{Case, Exploration, Names, describe};
use testsmith_symbolic::ir::Site;
use testsmith_symbolic::machine::{Assumption, End, Interpreter, Reason};

use super::native::{BRIEF, Description, Fate, Native, PATIENCE, Replayed};
use super::put::{CutShort, Explored, Path, Puts, Settled};

/// With more paths than this only the failing inputs are looked up among them.
const MAX_LOOKED_UP: usize = 512;
/// More disagreements tell nobody more.
const MAX_TOLD: usize = 4;
/// More inputs are not run once more, each in a process of its own. All that one byte can be
/// are run.
const MAX_DOUBTED: usize = 256;
/// How often an input is run whose outcome depends on the order of a hash table. Of four
/// elements in 24 orders, one order is missed once in fifteen.
const ORDERS_TRIED: usize = 64;

/// What the native runs gave.
pub struct Natively {
    /// Of the paths, in their order.
    pub replayed: Vec<Replayed>,
    /// Of the inputs whose paths were cut short.
    pub cut: Vec<Replayed>,
    pub exhausted: Option<Exhausted>,
    /// How many inputs did otherwise after others than alone, in a fresh process.
    pub otherwise: usize,
}

/// Every input there is, run natively and compared with what was predicted of it.
pub struct Exhausted {
    /// How many there are, if all were run: after too many that end their process or do not
    /// end, the rest is not.
    inputs: Option<usize>,
    /// The first that fails natively.
    failing: Option<(Vec<u8>, Replayed)>,
    disagreements: Vec<Disagreement>,
    /// How many did not do as predicted after others, but did so alone.
    otherwise: usize,
    /// How many did not do as predicted, or did not end, and were too many to be run alone.
    unconfirmed: usize,
}

impl Exhausted {
    pub fn compare(
        interpreter: &Interpreter,
        found: &Exploration,
        native: &Native<'_>,
        description: &Description,
        letters: &[u8],
    ) -> Result<Exhausted> {
        let input = |number: usize| match description.max_bytes {
            1 => vec![number as u8],
            _ => vec![(number >> 8) as u8, number as u8],
        };
        let complete = found.ledger.is_complete();
        let fails = |letter: u8| matches!(letter, b'f' | b'd');
        let mut doubtful = vec![];
        for (number, letter) in letters.iter().enumerate() {
            if found.cases.len() > MAX_LOOKED_UP && matches!(*letter, b'p' | b'r') {
                continue;
            }
            let agrees = match found.case_of(&interpreter.pool, &input(number)) {
                Some(case) => !matches!(*letter, b'r' | b'?') && case.passes != fails(*letter),
                None => !complete || *letter == b'r',
            };
            if !agrees {
                doubtful.push(number);
            }
        }
        let mut disagreements = vec![];
        let (mut otherwise, mut unconfirmed) = (0, doubtful.len());
        for number in doubtful.iter().take(MAX_DOUBTED) {
            if disagreements.len() == MAX_TOLD {
                break;
            }
            unconfirmed -= 1;
            // What ran before it in its process may be to blame.
            let replayed = native.alone(&input(*number), BRIEF)?;
            let predicted = found.case_of(&interpreter.pool, &input(*number));
            match disagreement(predicted, &replayed) {
                Some(disagreement) if predicted.is_some() || complete => {
                    disagreements.push(disagreement);
                }
                _ => otherwise += usize::from(letters[*number] != b'?'),
            }
        }
        let mut failing = None;
        let failed = letters.iter().enumerate().filter(|(_, letter)| fails(**letter));
        for (number, _) in failed.take(MAX_DOUBTED) {
            let replayed = native.alone(&input(number), BRIEF)?;
            if replayed.fails() {
                failing = Some((input(number), replayed));
                break;
            }
        }
        Ok(Exhausted {
            inputs: (!letters.contains(&b'?')).then_some(letters.len()),
            failing,
            disagreements,
            otherwise,
            unconfirmed,
        })
    }
}

/// Runs once more what did not do as predicted. Inputs share a process, so an input may
/// have found what another has left there: alone, it finds none. And where the order of a
/// hash table can be seen, one run has one of many. Gives the number of those that were right
/// alone.
pub fn doubt(native: &Native<'_>, cases: &[Case], replayed: &mut [Replayed]) -> Result<usize> {
    let mut otherwise = 0;
    // A failure in one order is one, and passing in one order says little.
    let doubtful = |(case, once): &(&Case, &mut Replayed)| match case.ordered {
        true => !once.fails(),
        false => mismatch(case, once).is_some(),
    };
    for (case, once) in cases.iter().zip(replayed).filter(doubtful).take(MAX_DOUBTED) {
        let mut again = match case.ordered {
            true => native.run(&vec![case.input.clone(); ORDERS_TRIED], PATIENCE)?,
            false => vec![native.alone(&case.input, PATIENCE)?],
        };
        let telling = again.iter().position(|again| match case.ordered {
            true => again.fails(),
            false => mismatch(case, again).is_none(),
        });
        otherwise += usize::from(telling.is_some() && !case.ordered);
        *once = again.swap_remove(telling.unwrap_or(0));
    }
    Ok(otherwise)
}

/// The same for inputs of which nothing was predicted: only a failure counts.
pub fn doubt_failures(
    native: &Native<'_>,
    inputs: &[Vec<u8>],
    replayed: &mut [Replayed],
) -> Result<()> {
    for (input, once) in inputs.iter().zip(replayed).filter(|(_, once)| once.fails()) {
        *once = native.alone(input, BRIEF)?;
    }
    Ok(())
}

pub fn settle(
    puts: &mut Puts<'_>,
    module: &str,
    description: Description,
    found: Exploration,
    natively: Natively,
    ours: &dyn Fn(&Site) -> bool,
) -> Explored {
    let mut voids: Vec<(String, usize)> =
        found.ledger.voids().map(|(why, count)| (why.to_owned(), count)).collect();
    let (mut paths, mut mismatches) = replayed_paths(puts, &found, &natively.replayed, &mut voids);
    let mut cut_short = vec![];
    for (cut, native) in found.cut.iter().zip(&natively.cut) {
        // What is refused natively is none of the inputs that the put is about.
        // One that needs much stack and ends for want of it is no failure of the program's.
        let died = native.fate == Fate::Died && !cut.is_out_of_stack();
        if native.fate == Fate::Failed || died {
            paths.push(path(&cut.input, native));
        }
        let natively = told(native);
        cut_short.push(CutShort { call: native.call.clone(), why: cut.why.clone(), natively });
    }
    let all_run = natively.exhausted.as_ref().and_then(|exhausted| exhausted.inputs);
    let otherwise =
        natively.otherwise + natively.exhausted.as_ref().map_or(0, |exhausted| exhausted.otherwise);
    let says_so = |(assumption, _): (Assumption, _)| assumption == Assumption::FreshProcess;
    if otherwise > 0 && !found.ledger.assumptions().any(says_so) {
        let why = "what an input does depends on what was run before it in its process";
        voids.push((why.to_owned(), otherwise));
    }
    if let Some(exhausted) = natively.exhausted {
        mismatches += exhausted.disagreements.iter().filter(|one| one.is_ours).count();
        voids.extend(exhausted.disagreements.iter().map(|one| (one.to_string(), 1)));
        if exhausted.unconfirmed > 0 {
            let why = "did otherwise than explored after others, and not run alone";
            voids.push((why.to_owned(), exhausted.unconfirmed));
        }
        if let Some((input, native)) = exhausted.failing
            && paths.iter().all(|path| path.passes)
        {
            paths.push(path(&input, &native));
        }
    }
    let settled = if paths.iter().any(|path| !path.passes) {
        Settled::Fails
    } else if voids.is_empty() {
        Settled::Holds
    } else {
        Settled::Undecided
    };
    let assumptions = found.ledger.assumptions();
    Explored {
        module: module.to_owned(),
        description,
        settled,
        paths,
        rejected: found.rejected,
        cut: found.cut.len(),
        cut_short,
        mismatches,
        all_run,
        branches: branches(puts.interpreter(), &found, ours),
        sides_are_clear: found.sides_are_clear(),
        voids,
        assumptions: assumptions
            .map(|(assumption, places)| (assumption, places.iter().cloned().collect()))
            .collect(),
        steps: found.steps,
        time: found.time,
        queries: found.queries,
        function: None,
    }
}

/// The paths with what became of them natively; where that is not what was predicted,
/// a reason more against any claim. Also how many of these are failures of ours.
fn replayed_paths(
    puts: &mut Puts<'_>,
    found: &Exploration,
    replayed: &[Replayed],
    voids: &mut Vec<(String, usize)>,
) -> (Vec<Path>, usize) {
    let mut seen = BTreeSet::new();
    let mut paths = vec![];
    let mut mismatches = 0;
    for (case, native) in found.cases.iter().zip(replayed) {
        if let Some(disagreement) = disagreement(Some(case), native) {
            mismatches += usize::from(disagreement.is_ours);
            voids.push((disagreement.to_string(), 1));
        }
        let adds_branches = case.covered.iter().any(|side| !seen.contains(side));
        seen.extend(case.covered.iter().copied());
        let explanation = match puts.options.explain {
            true => explain(puts, case, native),
            false => vec![],
        };
        let further = case.further;
        paths.push(Path { adds_branches, explanation, further, ..path(&case.input, native) });
    }
    (paths, mismatches)
}

fn path(input: &[u8], native: &Replayed) -> Path {
    Path {
        input: input.to_vec(),
        call: native.call.clone(),
        passes: !native.fails(),
        place: native.place.clone(),
        message: native.message.clone(),
        kills: native.fate == Fate::Died,
        adds_branches: true,
        explanation: vec![],
        further: false,
    }
}

/// What a native run gave, in words.
fn told(native: &Replayed) -> String {
    match native.fate {
        Fate::Passed => "passes".to_owned(),
        Fate::Rejected => "is refused".to_owned(),
        Fate::Failed => format!("fails: {}", native.message),
        Fate::Died | Fate::Hung | Fate::Stopped | Fate::NotRun => native.message.clone(),
    }
}

/// A native run that was not as predicted.
struct Disagreement {
    call: String,
    how: String,
    /// What is undefined may natively do anything, and an order of a hash table may not come
    /// up; whatever else disagrees, testsmith is wrong about.
    is_ours: bool,
}

impl std::fmt::Display for Disagreement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let whose = if self.is_ours { "testsmith is wrong: " } else { "" };
        write!(f, "{whose}{}: {}", self.call, self.how)
    }
}

/// Compares a native run with what was predicted of its input: with none, that it is refused.
fn disagreement(predicted: Option<&Case>, native: &Replayed) -> Option<Disagreement> {
    let how = match predicted {
        Some(case) => mismatch(case, native)?,
        None if native.fate == Fate::Rejected => return None,
        None => format!("natively {}, but refused when explored", told(native)),
    };
    let may_differ = |case: &Case| case.ordered || matches!(case.end, End::Undefined(_));
    let is_ours = !predicted.is_some_and(may_differ);
    Some(Disagreement { call: native.call.clone(), how, is_ours })
}

/// How the native run differs from the predicted one.
fn mismatch(case: &Case, native: &Replayed) -> Option<String> {
    let native_passes = match native.fate {
        Fate::Passed => true,
        Fate::Failed => false,
        Fate::Rejected => return Some("refused natively, but not when explored".to_owned()),
        Fate::Died if matches!(case.end, End::Crashed(_) | End::Undefined(_)) => false,
        Fate::Died | Fate::Hung | Fate::Stopped | Fate::NotRun => {
            return Some(format!("natively {}", native.message));
        }
    };
    if native_passes == case.passes {
        return None;
    }
    let says = |passes: bool| if passes { "passes" } else { "fails" };
    Some(format!(
        "{} natively, but {} when explored ({:?})",
        says(native_passes),
        says(case.passes),
        case.end
    ))
}

/// The decisions of a path, with their places and in terms of the parameters.
fn explain(puts: &mut Puts<'_>, case: &Case, native: &Replayed) -> Vec<String> {
    let folder = format!("{}/", puts.folder.display());
    let interpreter = puts.interpreter_mut();
    let names = Names::new(&mut interpreter.pool, &native.names);
    let mut lines = vec![];
    for decision in &case.decisions {
        let condition = describe(&interpreter.pool, &names, decision.holds);
        lines.push(match decision.reason {
            Reason::Branch(site, _) => {
                let site = interpreter.program.site(site);
                // Files of std stand under a folder of the machine that built it.
                let file = site.file.strip_prefix(&folder).unwrap_or(&site.file);
                let file = file.split_once("/library/").map_or(file, |(_, inside)| inside);
                format!("{file}:{}: {condition}", site.line)
            }
            Reason::HashedAlike => format!("hashing: {condition}"),
            Reason::Joined => format!("ways that meet: {condition}"),
            _ => format!("address or length: {condition}"),
        });
    }
    lines
}

/// Sides taken and sides there are, in the functions that were reached of those that count.
fn branches(
    interpreter: &Interpreter,
    found: &Exploration,
    ours: &dyn Fn(&Site) -> bool,
) -> (usize, usize) {
    let sites = interpreter.program.sites();
    let reached: BTreeSet<&str> = found
        .covered
        .iter()
        .map(|(site, _)| &sites[site.0 as usize])
        .filter(|site| ours(site))
        .map(|site| site.function.as_str())
        .collect();
    let all = sites.iter().filter(|site| ours(site) && reached.contains(site.function.as_str()));
    let all: u32 = all.map(|site| site.ways).sum();
    let taken = found.covered.iter().filter(|(site, _)| ours(&sites[site.0 as usize])).count();
    (taken, all as usize)
}
