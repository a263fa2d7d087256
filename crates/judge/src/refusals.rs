//! What code says in words of its author's when it gives up, and to whom.
//!
//! Nobody writes a sentence into a panic that cannot come: it is for whoever calls the function
//! that it stands in. What a function says of itself, that it is broken inside, is for its author.

use crate::checks::OF_THE_LANGUAGE;
use crate::facts::Facts;
use crate::guesses::{code_in, own_words};
use crate::words::ASSERTIONS;
use testsmith_model::operation::{Operation, OperationKind};
use testsmith_model::ty::Ty;

/// What is said of a failure that is nobody's but the author's.
const ITS_OWN_FAULT: [&str; 7] =
    ["bug", "corrupt", "corrupted", "impossible", "internal", "invariant", "unreachable"];

/// What is said to somebody who is to do something in another way.
const DEMANDS: [&str; 20] = [
    "after",
    "always",
    "before",
    "call",
    "can't",
    "cannot",
    "consider",
    "expected",
    "expects",
    "first",
    "forbidden",
    "instead",
    "must",
    "need",
    "needs",
    "only",
    "required",
    "requires",
    "should",
    "use",
];

/// What must not fail, whatever its author says: who compares, copies, drops or shows a value has
/// asked for nothing.
const UNASKED: [&str; 10] =
    ["clone", "cmp", "default", "drop", "eq", "fmt", "hash", "ne", "partial_cmp", "size_hint"];

impl Facts<'_> {
    /// The code gives up in words, by a panic or by an assertion, in the function that was called or
    /// in another that anybody can call: it refuses what its caller does. A text that a function
    /// reads and may find wrong is no such thing, nor is what a function must not refuse.
    pub fn refuses_its_caller(&self) -> bool {
        let Some(panic) = self.panic() else { return false };
        let Some(origin) = panic.origin.as_deref() else { return false };
        let written = match self.panics_by(&ASSERTIONS) {
            true => words_of_an_assertion(&panic.message),
            false if self.panics_by(&["panic"]) => panic.message.as_str(),
            false => "",
        };
        let for_callers = self.is_in_the_entry() || self.can_be_called(&origin.function);
        !written.is_empty()
            && written != "explicit panic"
            && for_callers
            && !blames_itself(&origin.statement)
            && !UNASKED.contains(&origin.function.as_str())
            && !self.only_reads()
    }

    /// The function is given texts or bytes and nothing else, and could say that they are wrong.
    fn only_reads(&self) -> bool {
        let is_text = |ty: &Ty| match ty.behind_references() {
            Ty::Prim(name) => name == "str",
            Ty::Slice(item) => **item == Ty::prim("u8"),
            ty => ty.path() == Some("std::string::String"),
        };
        self.promises_failure()
            && self.operation.is_some_and(|operation| {
                let mut inputs = operation.inputs.iter();
                inputs.len() > 0 && inputs.all(|input| is_text(&self.plan.ty(input.ty).ty))
            })
    }

    /// A function of this name can be called by anybody.
    fn can_be_called(&self, name: &str) -> bool {
        self.plan.operations.iter().any(|operation: &Operation| {
            operation.kind != OperationKind::Law && operation.callee.name() == name
        })
    }

    /// What it says when it panics is about a function that anybody can call, by its name and as
    /// code, and what is to be done: it speaks to whoever calls that. What an assertion quotes of
    /// itself speaks to nobody, and what is said of a fault inside to the author.
    pub fn speaks_to_its_caller(&self) -> bool {
        let Some(panic) = self.panic() else { return false };
        let said = own_words(&panic.message);
        // A text that it quotes may look like a name, and a contract names its own function.
        let language = OF_THE_LANGUAGE.iter().any(|words| said.contains(words));
        let origin = panic.origin.as_deref();
        let itself = origin.is_some_and(|origin| blames_itself(&origin.statement));
        let written = !language && !itself && self.contract().is_none();
        written
            && words(said).any(|word| DEMANDS.contains(&word.as_str()))
            && code_in(said).any(|name| self.can_be_called(name))
    }
}

/// What an assertion says besides what it quotes of itself.
fn words_of_an_assertion(message: &str) -> &str {
    match message.strip_prefix("assertion ") {
        None => message,
        Some(quoted) if quoted.starts_with("failed: ") => "",
        Some(quoted) => {
            let said = quoted.split_once("` failed: ").map_or("", |(_, said)| said);
            said.lines().next().unwrap_or_default()
        }
    }
}

/// Whether what a statement says is about a fault of whoever wrote it. What is shown besides, as a text
/// that a test has spelled, says nothing of that, so the message is not asked.
fn blames_itself(statement: &str) -> bool {
    let quoted = statement.split('"').skip(1).step_by(2);
    // What stands in braces is shown.
    quoted
        .flat_map(|said| said.split('{').map(|part| part.rsplit('}').next().unwrap_or(part)))
        .any(|said| words(said).any(|word| ITS_OWN_FAULT.contains(&word.as_str())))
}

fn words(said: &str) -> impl Iterator<Item = String> {
    said.split(|c: char| !c.is_alphanumeric() && c != '\'').map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assertion_says_what_it_does_not_quote() {
        assert_eq!(words_of_an_assertion("assertion failed: n < 3"), "");
        assert_eq!(
            words_of_an_assertion("assertion `left == right` failed\n  left: 1\n right: 2"),
            ""
        );
        let with_words = "assertion `left == right` failed: one for each\n  left: 1\n right: 2";
        assert_eq!(words_of_an_assertion(with_words), "one for each");
        assert_eq!(words_of_an_assertion("a path has to begin"), "a path has to begin");
    }

    #[test]
    fn who_speaks_of_a_fault_inside_blames_itself() {
        assert!(blames_itself(r#"panic!("Internal error: no root")"#));
        assert!(blames_itself(r#"assert!(is_there, "this is a bug")"#));
        assert!(!blames_itself(r#"panic!("the debugger is not there: {bug}")"#));
        assert!(!blames_itself("assert!(!bug)"));
    }
}
