//! What a search comes to, as text and as JSON.

use super::answer::{Answer, Disagreement, Missed, State};
use super::describe::Description;
use super::native::End;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write;
use testsmith_reach::{Argument, Call, FnId, Found, Mode, Sureness, TypeId, Wrap};

/// Clauses that are shown as not translated.
const MAX_SHOWN: usize = 12;

/// Everything about one goal; also the schema of `--format json`.
#[derive(Serialize)]
pub(super) struct Report {
    pub(super) goal: String,
    /// The clauses that are to hold.
    pub(super) clauses: Vec<String>,
    /// `reached`, `contradictory`, `unreached`, `unknown`, `disagrees` or `unmade`.
    pub(super) verdict: &'static str,
    /// Why it was not reached, in words.
    pub(super) why: Option<String>,
    pub(super) states: Vec<StateReport>,
    pub(super) runs: usize,
    pub(super) wrong_runs: usize,
    pub(super) milliseconds: f64,
    /// Which goal it was of all that were searched for, the cheapest first.
    pub(super) order: usize,
    pub(super) disagreements: Vec<DisagreementReport>,
    pub(super) broken_contracts: Vec<BrokenReport>,
    /// What the search knows nothing of, and why.
    pub(super) free: Vec<FreeReport>,
    /// Whether contracts speak of each other without end.
    pub(super) endless: bool,
}

#[derive(Serialize)]
pub(super) struct StateReport {
    pub(super) calls: Vec<String>,
    /// The call that is possible then.
    pub(super) then: Option<String>,
    /// What that call came to, if it failed.
    pub(super) fails: Option<String>,
    pub(super) state: Vec<QueryReport>,
    pub(super) tries: usize,
    pub(super) milliseconds: f64,
    /// What was assumed not to change: the call and the query.
    pub(super) assumed: Vec<(String, String)>,
}

#[derive(Serialize)]
pub(super) struct QueryReport {
    pub(super) query: String,
    pub(super) observed: Option<String>,
    pub(super) predicted: Option<String>,
    /// `follows`, `assumed` or `open`.
    pub(super) by: &'static str,
}

#[derive(Serialize)]
pub(super) struct DisagreementReport {
    pub(super) calls: Vec<String>,
    pub(super) query: String,
    pub(super) predicted: String,
    pub(super) observed: String,
    /// Whether the contracts say so, or only the assumption that nothing else changes.
    pub(super) contract: bool,
}

#[derive(Serialize)]
pub(super) struct BrokenReport {
    pub(super) calls: Vec<String>,
    pub(super) why: String,
}

#[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FreeReport {
    pub(super) of: String,
    pub(super) clause: String,
    pub(super) why: String,
}

impl Report {
    pub(super) fn new(description: &Description, answer: &Answer) -> Report {
        let words = Words { description };
        let (verdict, why) = match &answer.missed {
            None => ("reached", None),
            Some(Missed::Contradictory) => {
                ("contradictory", Some("no state at all satisfies it".to_owned()))
            }
            Some(Missed::Unsatisfied { room }) => {
                let why = format!(
                    "no state satisfies it with texts of at most {} characters and lists of at \
                     most {} elements",
                    room.text, room.written
                );
                ("unreached", Some(why))
            }
            Some(Missed::Unreached { bound }) => {
                let others = if answer.states.is_empty() { "" } else { "other " };
                ("unreached", Some(format!("no {others}calls up to {bound} lead there")))
            }
            Some(Missed::Unknown(why)) => ("unknown", Some(why.clone())),
            Some(Missed::Spent) => ("unknown", Some("it would take too much".to_owned())),
            Some(Missed::Disagrees { tries }) => {
                ("disagrees", Some(format!("{tries} sequences did not do what contracts say")))
            }
            Some(Missed::Unmade(why)) => ("unmade", Some(why.clone())),
        };
        Report {
            goal: answer.goal.of.clone(),
            clauses: answer.goal.clauses.iter().map(|clause| clause.text.clone()).collect(),
            verdict,
            why,
            states: answer.states.iter().map(|state| words.state(state, answer.function)).collect(),
            runs: answer.runs,
            wrong_runs: answer.wrong_runs,
            milliseconds: answer.time.as_secs_f64() * 1000.0,
            order: 0,
            disagreements: words.disagreements(&answer.disagreements),
            broken_contracts: answer
                .broken
                .iter()
                .map(|broken| BrokenReport {
                    calls: words.calls(&broken.calls, &broken.objects),
                    why: broken.why.clone(),
                })
                .collect(),
            free: answer
                .free
                .iter()
                .map(|it| FreeReport {
                    of: it.of.clone(),
                    clause: it.clause.clone(),
                    why: it.why.clone(),
                })
                .collect(),
            endless: answer.was_cut,
        }
    }

    /// Of a function that has a precondition and cannot be called.
    pub(super) fn skipped(goal: String, clauses: Vec<String>, why: String) -> Report {
        Report {
            goal,
            clauses,
            verdict: "unmade",
            why: Some(why),
            states: vec![],
            runs: 0,
            wrong_runs: 0,
            milliseconds: 0.0,
            order: 0,
            disagreements: vec![],
            broken_contracts: vec![],
            free: vec![],
            endless: false,
        }
    }

    /// Whether it is as it should be: reached, and no contract wrong.
    pub(super) fn is_well(&self) -> bool {
        let wrong = self.disagreements.iter().any(|it| it.contract);
        !self.states.is_empty() && !wrong && self.broken_contracts.is_empty()
    }

    pub(super) fn text(&self, brief: bool) -> String {
        let mut out = String::new();
        let about = self.clauses.join(", ");
        let why = self.why.as_deref().unwrap_or_default();
        let _ = match self.verdict {
            "reached" => writeln!(out, "{}: reached", self.goal),
            "contradictory" => writeln!(out, "{}: contradictory: {why}: {about}", self.goal),
            verdict => writeln!(out, "{}: {verdict}: {why}: {about}", self.goal),
        };
        if !brief || self.verdict != "reached" {
            self.states.iter().for_each(|state| state.write(&mut out));
        }
        for it in &self.broken_contracts {
            let _ = writeln!(out, "  a contract is broken on the way:");
            write_calls(&mut out, &it.calls);
            let _ = writeln!(out, "    // {}", first_line(&it.why));
        }
        for it in self.disagreements.iter().filter(|it| it.contract || !brief) {
            let says = match it.contract {
                true => "contracts and code disagree",
                false => "a contract is too weak: it does not say what it changes",
            };
            let _ = writeln!(out, "  {says}, after");
            write_calls(&mut out, &it.calls);
            let _ = writeln!(out, "    {} is {}, expected {}", it.query, it.observed, it.predicted);
        }
        if !brief || self.verdict != "reached" {
            self.write_free(&mut out);
        }
        if self.endless {
            let _ = writeln!(out, "  contracts speak of each other without end; that was cut");
        }
        out
    }

    fn write_free(&self, out: &mut String) {
        if self.free.is_empty() {
            return;
        }
        let _ = writeln!(out, "  not translated, and so not reckoned with:");
        let all: BTreeSet<&FreeReport> = self.free.iter().collect();
        for it in all.iter().take(MAX_SHOWN) {
            let _ = writeln!(out, "    {}: {}: {}", it.of, it.clause, it.why);
        }
        if all.len() > MAX_SHOWN {
            let _ = writeln!(out, "    and {} more", all.len() - MAX_SHOWN);
        }
    }
}

impl StateReport {
    fn write(&self, out: &mut String) {
        let tries = match self.tries {
            1 => "at the first try".to_owned(),
            tries => format!("at try {tries}"),
        };
        let _ = writeln!(
            out,
            "  by {} calls, {tries}, in {:.0} ms:",
            self.calls.len(),
            self.milliseconds
        );
        write_calls(out, &self.calls);
        if let Some(then) = &self.then {
            let _ = writeln!(out, "    {then};");
        }
        if let Some(fails) = &self.fails {
            let _ = writeln!(out, "    // {}", first_line(fails));
        }
        if !self.state.is_empty() {
            let _ = writeln!(out, "  state:");
        }
        for query in &self.state {
            let value = query.observed.as_deref().or(query.predicted.as_deref()).unwrap_or("?");
            let _ = write!(out, "    {} = {value}", query.query);
            let _ = match (&query.observed, &query.predicted, query.by) {
                (None, ..) => writeln!(out, "  (predicted, not observed)"),
                (Some(_), None, _) => writeln!(out, "  (left open by the contracts)"),
                (Some(seen), Some(said), _) if seen != said => writeln!(out, "  (expected {said})"),
                (_, _, "assumed") => writeln!(out, "  (assumed unchanged)"),
                _ => writeln!(out),
            };
        }
    }
}

fn write_calls(out: &mut String, calls: &[String]) {
    for call in calls {
        let _ = writeln!(out, "    {call};");
    }
}

fn first_line(text: &str) -> &str {
    text.split("  [testsmith-contract").next().unwrap_or(text).trim()
}

/// Calls and objects by names that a person would give them.
pub(super) struct Words<'w> {
    pub(super) description: &'w Description,
}

impl Words<'_> {
    fn state(&self, state: &State, function: Option<FnId>) -> StateReport {
        let State { found, shown, tries, time, .. } = state;
        let system = &self.description.system;
        let names = self.names(&found.objects);
        let then = function.map(|function| self.spelled(function, &found.goal, &names));
        let last = found.calls.len();
        let mut rows = vec![];
        for it in found.predictions.iter().filter(|it| it.after == last) {
            let args: Vec<String> = it.args.iter().map(|arg| argument(arg, &names)).collect();
            let name = &system.functions[it.query].name;
            let observed = shown.observed.iter().find(|seen| {
                (seen.after, seen.object, seen.query) == (last, it.object, it.query)
                    && seen.args == it.args
            });
            let by = match it.sureness {
                Sureness::Follows => "follows",
                Sureness::Assumed => "assumed",
                Sureness::Open => "open",
            };
            let row = QueryReport {
                query: format!("{}.{name}({})", names[it.object], args.join(", ")),
                observed: observed.map(|seen| seen.text.clone()),
                predicted: it.value.as_ref().map(ToString::to_string),
                by,
            };
            if row.observed.is_some() || row.predicted.is_some() {
                rows.push(row);
            }
        }
        let path = |id: &FnId| system.functions[*id].path(system);
        StateReport {
            calls: self.calls(&found.calls, &found.objects),
            then,
            fails: match &shown.end {
                End::Failed(why) => Some(why.clone()),
                _ => None,
            },
            state: rows,
            tries: *tries,
            milliseconds: time.as_secs_f64() * 1000.0,
            assumed: assumed(found).iter().map(|(a, b)| (path(a), path(b))).collect(),
        }
    }

    fn disagreements(&self, all: &[Disagreement]) -> Vec<DisagreementReport> {
        let report = |it: &Disagreement| DisagreementReport {
            calls: self.calls(&it.calls, &it.objects),
            query: format!(
                "{}.{}()",
                self.names(&it.objects)[it.object],
                self.description.system.functions[it.query].name
            ),
            predicted: it.predicted.to_string(),
            observed: it.observed.clone(),
            contract: it.follows,
        };
        all.iter().map(report).collect()
    }

    /// A name for each object: its type, and a number where there are several.
    fn names(&self, objects: &[TypeId]) -> Vec<String> {
        let mut names: Vec<String> = vec![];
        for ty in objects {
            let base = snake(&self.description.system.types[*ty].name);
            let taken = |name: &String| names.contains(name);
            let mut name = base.clone();
            let mut n = 1;
            while taken(&name) {
                n += 1;
                name = format!("{base}_{n}");
            }
            names.push(name);
        }
        names
    }

    pub(super) fn calls(&self, calls: &[Call], objects: &[TypeId]) -> Vec<String> {
        let names = self.names(objects);
        let one = |call: &Call| {
            let text = self.spelled(call.function, &call.arguments, &names);
            let ret = &self.description.system.functions[call.function].ret;
            match (call.makes, ret.made_object()) {
                (Some(object), Some((_, wrap))) => {
                    let unwrap = if wrap == Wrap::Bare { "" } else { ".unwrap()" };
                    format!("let mut {} = {text}{unwrap}", names[object])
                }
                _ => text,
            }
        };
        calls.iter().map(one).collect()
    }

    fn spelled(&self, function: FnId, arguments: &[Argument], names: &[String]) -> String {
        let system = &self.description.system;
        let known = &system.functions[function];
        let given: Vec<String> = known
            .params
            .iter()
            .zip(arguments)
            .map(|(param, argument)| match (argument, param.mode) {
                (Argument::Object(object), Mode::Own) => names[*object].clone(),
                (Argument::Object(object), Mode::Shared) => format!("&{}", names[*object]),
                (Argument::Object(object), Mode::Exclusive) => format!("&mut {}", names[*object]),
                (Argument::Value(value), _) => value.to_string(),
            })
            .collect();
        match given.split_first() {
            Some((receiver, rest)) if known.is_method() => {
                let receiver = receiver.trim_start_matches("&mut ").trim_start_matches('&');
                format!("{receiver}.{}({})", known.name, rest.join(", "))
            }
            _ => format!("{}({})", known.path(system), given.join(", ")),
        }
    }
}

fn argument(argument: &Argument, names: &[String]) -> String {
    match argument {
        Argument::Object(object) => format!("&{}", names[*object]),
        Argument::Value(value) => value.to_string(),
    }
}

/// Assumptions about queries that the state is told by.
fn assumed(found: &Found) -> Vec<(FnId, FnId)> {
    let by_assumption = |query: FnId| {
        let all = found.predictions.iter();
        all.into_iter().any(|it| it.query == query && it.sureness == Sureness::Assumed)
    };
    found.assumed.iter().copied().filter(|(_, query)| by_assumption(*query)).collect()
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for (n, c) in name.chars().enumerate() {
        if c.is_uppercase() && n > 0 {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}
