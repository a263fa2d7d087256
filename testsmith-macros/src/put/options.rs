//! What stands in the parentheses of `#[put(…)]`.

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprArray, ExprLit, Ident, Lit, LitInt, LitStr, Meta, MetaNameValue};
use syn::{Token, parenthesized};

/// Elements per collection when the attribute does not say.
const DEFAULT_LEN: usize = 4;
/// Nesting of derived types when the attribute does not say.
const DEFAULT_DEPTH: usize = 4;
/// Random inputs under `cargo test` when the attribute does not say.
const DEFAULT_CASES: u32 = 256;

/// The options of a put.
pub struct Options {
    pub should_panic: Option<Option<String>>,
    pub len: usize,
    /// Bounds of single parameters.
    pub lens: Vec<(Ident, usize)>,
    pub depth: usize,
    pub cases: u32,
    /// The put may pass although its assumptions refuse every input.
    pub allow_empty: bool,
    /// Candidate values of single parameters.
    pub values: Vec<(Ident, Vec<Expr>)>,
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> syn::Result<Options> {
        let mut options = Options {
            should_panic: None,
            len: DEFAULT_LEN,
            lens: vec![],
            depth: DEFAULT_DEPTH,
            cases: DEFAULT_CASES,
            allow_empty: false,
            values: vec![],
        };
        while !input.is_empty() {
            options.one(input)?;
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(options)
    }
}

/// Lengths are encoded in one byte; a larger bound would be claimed but not explored.
fn length(number: &LitInt) -> syn::Result<usize> {
    match number.base10_parse()? {
        len @ 0..=255 => Ok(len),
        _ => Err(syn::Error::new(number.span(), "a length is one byte: at most 255")),
    }
}

fn text_of(value: &Expr) -> syn::Result<String> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text.value()),
        other => Err(syn::Error::new_spanned(other, "the expected text is a string")),
    }
}

impl Options {
    fn one(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        let name: Ident = input.parse()?;
        let number = |input: ParseStream<'_>| -> syn::Result<LitInt> {
            input.parse::<Token![=]>()?;
            input.parse()
        };
        match name.to_string().as_str() {
            "should_panic" => {
                let text = match input.peek(Token![=]) {
                    true => {
                        input.parse::<Token![=]>()?;
                        Some(input.parse::<LitStr>()?.value())
                    }
                    false => None,
                };
                self.should_panic = Some(text);
            }
            "len" if input.peek(syn::token::Paren) => {
                let inner;
                parenthesized!(inner in input);
                let bound = |input: ParseStream<'_>| -> syn::Result<(Ident, usize)> {
                    let name = input.parse()?;
                    input.parse::<Token![=]>()?;
                    Ok((name, length(&input.parse()?)?))
                };
                self.lens = Punctuated::<_, Token![,]>::parse_terminated_with(&inner, bound)?
                    .into_iter()
                    .collect();
            }
            "len" => self.len = length(&number(input)?)?,
            "depth" => self.depth = number(input)?.base10_parse()?,
            "allow_empty" => self.allow_empty = true,
            "cases" => self.cases = number(input)?.base10_parse()?,
            "values" => {
                let inner;
                parenthesized!(inner in input);
                let values = |input: ParseStream<'_>| -> syn::Result<(Ident, Vec<Expr>)> {
                    let name = input.parse()?;
                    input.parse::<Token![=]>()?;
                    Ok((name, input.parse::<ExprArray>()?.elems.into_iter().collect()))
                };
                self.values = Punctuated::<_, Token![,]>::parse_terminated_with(&inner, values)?
                    .into_iter()
                    .collect();
            }
            other => {
                let text = format!(
                    "no option of a put is called {other}: \
                     should_panic, len, depth, cases, values, allow_empty"
                );
                return Err(syn::Error::new(name.span(), text));
            }
        }
        Ok(())
    }

    /// Takes in a `#[should_panic]` that stands beside the attribute and means the same.
    pub fn take_should_panic(&mut self, attribute: &Attribute) -> syn::Result<()> {
        let text = match &attribute.meta {
            Meta::Path(_) => None,
            Meta::NameValue(pair) => Some(text_of(&pair.value)?),
            Meta::List(list) => {
                let pair: MetaNameValue = list.parse_args()?;
                if !pair.path.is_ident("expected") {
                    let error = "expected `#[should_panic(expected = \"text\")]`";
                    return Err(syn::Error::new_spanned(&pair.path, error));
                }
                Some(text_of(&pair.value)?)
            }
        };
        if self.should_panic.is_some() {
            let error = "said twice: `#[should_panic]` beside a put means `#[put(should_panic)]`";
            return Err(syn::Error::new_spanned(attribute, error));
        }
        self.should_panic = Some(text);
        Ok(())
    }

    pub fn len_of(&self, parameter: &Ident) -> usize {
        self.lens.iter().find(|(name, _)| name == parameter).map_or(self.len, |(_, len)| *len)
    }

    pub fn values_of(&self, parameter: &Ident) -> Option<&[Expr]> {
        self.values.iter().find(|(name, _)| name == parameter).map(|(_, values)| values.as_slice())
    }
}
