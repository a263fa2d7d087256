//! `#[derive(Korat)]`: the twin of a type.
//!
//! For
//! ```ignore
//! #[derive(Korat)]
//! struct Tree { root: Option<Box<Node>>, size: usize }
//! ```
//! the expansion is, leaving out paths,
//! ```ignore
//! struct TreeTwin { root: Lazy<<Option<Box<Node>> as Korat>::Twin>, size: Lazy<usize> }
//! impl TwinType for TreeTwin { .. }   // share, reach and show every field
//! impl Korat for Tree {
//!     type Twin = TreeTwin;
//!     fn choices(builder: &mut Builder) -> Choices<TreeTwin> {
//!         let root = builder.field::<Option<Box<Node>>>("Tree", "root");
//!         let size = builder.field::<usize>("Tree", "size");
//!         Choices::inline(TreeTwin { root, size })
//!     }
//!     fn realize(twin: &TreeTwin, realizer: &mut Realizer) -> Tree {
//!         Tree { root: realizer.field::<Option<Box<Node>>>(&twin.root), .. }
//!     }
//!     ..
//! }
//! ```
//! An enum's twin has the same variants; each is one of the values of a field
//! of that type. An enum without data is its own twin. No unsafe code is ever
//! expanded: what needs it lives in the library.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Data, DeriveInput, Fields, Generics, Member, Result};

use super::attributes::{self, TypeAttributes};
use super::parts::{Part, parts};
use super::{abilities, bounds, necessary, quiet, tokens_or_errors, twin_name};

pub fn derive(input: TokenStream) -> TokenStream {
    tokens_or_errors(syn::parse2(input).and_then(|mut input| {
        bounds::spell_out_self(&mut input);
        expand(&input)
    }))
}

fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let context = Context::new(input)?;
    match &input.data {
        Data::Struct(data) => context.structure(&data.fields),
        Data::Enum(data) if data.variants.is_empty() => {
            Err(syn::Error::new(input.ident.span(), "an enum without variants has no values"))
        }
        Data::Enum(data) if data.variants.iter().all(|v| v.fields.is_empty()) => {
            context.names(&data.variants)
        }
        Data::Enum(data) => context.variants(&data.variants),
        Data::Union(data) => Err(syn::Error::new(
            data.union_token.span,
            "a union cannot be enumerated: nothing says which field is live; use an enum",
        )),
    }
}

/// What every part of the expansion needs.
struct Context<'a> {
    input: &'a DeriveInput,
    twin: Ident,
    generics: Generics,
    attributes: TypeAttributes,
}

impl<'a> Context<'a> {
    fn new(input: &'a DeriveInput) -> Result<Self> {
        let generics = bounds::of_twin(&input.generics)?;
        let twin = twin_name(&input.ident);
        let attributes = attributes::of_type(&input.attrs)?;
        Ok(Context { input, twin, generics, attributes })
    }

    fn structure(&self, fields: &Fields) -> Result<TokenStream> {
        let (name, vis, twin) = (&self.input.ident, &self.input.vis, &self.twin);
        let (_, _, where_clause) = self.generics.split_for_impl();
        let generics = &self.generics;
        let parts = parts(fields)?;
        let body = twin_fields(&parts, true);
        let declaration = match fields {
            Fields::Named(_) => quote!(#vis struct #twin #generics #where_clause { #body }),
            Fields::Unnamed(_) => quote!(#vis struct #twin #generics (#body) #where_clause;),
            Fields::Unit => quote!(#vis struct #twin;),
        };
        let owner = name.to_string();
        let (build, bindings) = self.build(&parts, &owner)?;
        let members: Vec<&Member> = parts.iter().map(|part| &part.member).collect();
        let own: Vec<TokenStream> = members.iter().map(|member| quote!(&self.#member)).collect();
        let twins: Vec<TokenStream> = members.iter().map(|member| quote!(&twin.#member)).collect();
        // An arena is walked last: the index fields say how much of it is used.
        let walk = |arena: bool| {
            let chosen =
                parts.iter().zip(&own).filter(move |(part, _)| part.attributes.arena == arena);
            chosen.filter_map(|(part, place)| part.reach(place))
        };
        let walk = walk(false).chain(walk(true));
        let each = |make: fn(&Part, &TokenStream) -> TokenStream, places: &[TokenStream]| {
            let made = parts.iter().zip(places).map(|(part, place)| make(part, place));
            made.collect::<Vec<TokenStream>>()
        };
        let (share, duplicate) = (each(Part::share, &own), each(Part::duplicate, &own));
        let twin_type = self.twin_type(
            true,
            quote!(#twin { #(#members: #share),* }),
            quote!(#twin { #(#members: #duplicate),* }),
            quote!(#(#walk)*),
            record(&owner, &parts, &each(Part::show, &own)),
        );
        let realize = each(Part::realize, &twins);
        let korat = self.korat(
            quote!(#build ::testsmith::korat::Choices::inline(#twin { #(#members: #bindings),* })),
            quote!(#name { #(#members: #realize),* }),
            record(&owner, &parts, &each(Part::show_real, &own)),
            Inside {
                deep: all_deep(&parts, &twins),
                types: parts.iter().filter_map(Part::types).collect(),
                empty: parts.is_empty(),
            },
        );
        let (abilities, quiet) = (self.abilities(), quiet());
        Ok(quote! {
            #[doc(hidden)]
            #quiet
            #declaration
            #twin_type
            #korat
            #abilities
        })
    }

    /// Statements that build all cells, arenas first, and the bindings.
    fn build(&self, parts: &[Part], owner: &str) -> Result<(TokenStream, Vec<Ident>)> {
        let mut statements = TokenStream::new();
        for arenas in [true, false] {
            for part in parts.iter().filter(|part| part.attributes.arena == arenas) {
                let (binding, build) = (&part.binding, part.build(owner)?);
                statements.extend(quote!(let #binding = #build;));
            }
        }
        if parts.iter().any(|part| part.attributes.arena) {
            statements = quote! {
                let arenas = builder.arenas();
                #statements
                builder.close_arenas(arenas);
            };
        }
        Ok((statements, parts.iter().map(|part| part.binding.clone()).collect()))
    }

    /// An enum without data: its own twin.
    fn names(
        &self,
        variants: &syn::punctuated::Punctuated<syn::Variant, syn::Token![,]>,
    ) -> Result<TokenStream> {
        let (name, vis, twin) = (&self.input.ident, &self.input.vis, &self.twin);
        let idents: Vec<&Ident> = variants.iter().map(|variant| &variant.ident).collect();
        let shown: Vec<String> = idents.iter().map(|ident| format!("{name}::{ident}")).collect();
        let same = quote!(match self { #(#name::#idents => #name::#idents),* });
        let same_twin = quote!(match twin { #(#name::#idents => #name::#idents),* });
        let show = quote!(match self {
            #(#name::#idents => ::testsmith::korat::Shown::Atom(#shown.to_owned())),*
        });
        let twin_type =
            self.twin_type_for(name, false, same.clone(), same, TokenStream::new(), show);
        let choices = quote!(::testsmith::korat::Choices::plain(::std::vec![#(#name::#idents),*]));
        let korat = self.korat(
            choices,
            same_twin,
            quote!(::testsmith::korat::TwinType::show(self, shower)),
            Inside { deep: quote!(true), types: Vec::new(), empty: true },
        );
        Ok(quote! {
            #[doc(hidden)]
            #[allow(unused_imports)]
            #vis use #name as #twin;
            #twin_type
            #korat
        })
    }

    fn variants(
        &self,
        variants: &syn::punctuated::Punctuated<syn::Variant, syn::Token![,]>,
    ) -> Result<TokenStream> {
        let (vis, twin) = (&self.input.vis, &self.twin);
        let generics = &self.generics;
        let (_, _, where_clause) = self.generics.split_for_impl();
        let mut arms = Arms::default();
        for variant in variants {
            self.variant(variant, &mut arms)?;
        }
        let Arms {
            declarations,
            values,
            share,
            duplicate,
            reach,
            show,
            realize,
            show_real,
            deep,
            types,
        } = arms;
        let twin_type = self.twin_type(
            false,
            quote!(match self { #share }),
            quote!(match self { #duplicate }),
            quote!(match self { #reach }),
            quote!(match self { #show }),
        );
        let korat = self.korat(
            quote!(::testsmith::korat::Choices::variants(::std::vec![#values], false)),
            quote!(match twin { #realize }),
            quote!(match self { #show_real }),
            Inside { deep: quote!(match twin { #deep }), types, empty: false },
        );
        let (abilities, quiet) = (self.abilities(), quiet());
        Ok(quote! {
            #[doc(hidden)]
            #quiet
            #vis enum #twin #generics #where_clause { #declarations }
            #twin_type
            #korat
            #abilities
        })
    }

    fn variant(&self, variant: &syn::Variant, arms: &mut Arms) -> Result<()> {
        let (name, twin, ident) = (&self.input.ident, &self.twin, &variant.ident);
        let parts = parts(&variant.fields)?;
        let body = twin_fields(&parts, false);
        arms.declarations.extend(match &variant.fields {
            Fields::Named(_) => quote!(#ident { #body },),
            Fields::Unnamed(_) => quote!(#ident(#body),),
            Fields::Unit => quote!(#ident,),
        });
        let owner = format!("{name}::{ident}");
        let (build, bindings) = self.build(&parts, &owner)?;
        let members: Vec<&Member> = parts.iter().map(|part| &part.member).collect();
        let places: Vec<TokenStream> = bindings.iter().map(|binding| quote!(#binding)).collect();
        let each = |make: fn(&Part, &TokenStream) -> TokenStream| {
            let made = parts.iter().zip(&places).map(|(part, place)| make(part, place));
            made.collect::<Vec<TokenStream>>()
        };
        let pattern = quote!(#twin::#ident { #(#members: #bindings),* });
        arms.values.extend(quote!(builder.variant(|builder| { #build #pattern }),));
        let (share, duplicate) = (each(Part::share), each(Part::duplicate));
        arms.share.extend(quote!(#pattern => #twin::#ident { #(#members: #share),* },));
        arms.duplicate.extend(quote!(#pattern => #twin::#ident { #(#members: #duplicate),* },));
        let reach = parts.iter().zip(&places).filter_map(|(part, place)| part.reach(place));
        arms.reach.extend(quote!(#pattern => { #(#reach)* }));
        let shown = record(&owner, &parts, &each(Part::show));
        arms.show.extend(quote!(#pattern => #shown,));
        let shown = record(&owner, &parts, &each(Part::show_real));
        arms.show_real.extend(quote!(#name::#ident { #(#members: #bindings),* } => #shown,));
        let deep = all_deep(&parts, &places);
        arms.deep.extend(quote!(#pattern => #deep,));
        arms.types.extend(parts.iter().filter_map(Part::types));
        let realize = each(Part::realize);
        arms.realize.extend(quote!(#pattern => #name::#ident { #(#members: #realize),* },));
        Ok(())
    }

    /// What the twin can do because the type can.
    fn abilities(&self) -> TokenStream {
        let (name, arguments) = (&self.input.ident, self.generics.split_for_impl().1);
        abilities::of_twin(&self.twin, &quote!(#name #arguments), &self.generics)
    }

    fn twin_type(
        &self,
        inline: bool,
        share: TokenStream,
        duplicate: TokenStream,
        reach: TokenStream,
        show: TokenStream,
    ) -> TokenStream {
        self.twin_type_for(&self.twin, inline, share, duplicate, reach, show)
    }

    fn twin_type_for(
        &self,
        twin: &Ident,
        inline: bool,
        share: TokenStream,
        duplicate: TokenStream,
        reach: TokenStream,
        show: TokenStream,
    ) -> TokenStream {
        let (impl_generics, arguments, where_clause) = self.generics.split_for_impl();
        let quiet = quiet();
        quote! {
            #[automatically_derived]
            #quiet
            impl #impl_generics ::testsmith::korat::TwinType for #twin #arguments #where_clause {
                const INLINE: bool = #inline;

                fn share(&self) -> Self {
                    #share
                }

                fn duplicate(&self) -> Self {
                    #duplicate
                }

                fn reach(&self, reach: &mut ::testsmith::korat::Reach) {
                    #reach
                }

                fn show(
                    &self,
                    shower: &mut ::testsmith::korat::Shower,
                ) -> ::testsmith::korat::Shown {
                    #show
                }
            }
        }
    }

    /// How the type is asked whether it is valid.
    fn predicate(&self, inside: &Inside) -> Predicate {
        let korat = quote!(::testsmith::korat);
        let span = Span::call_site().located_at(self.input.ident.span());
        if self.attributes.unconstrained {
            let constraint = quote!(#korat::Constraint::Unwanted);
            return Predicate { twin_check: quote!(true), real_check: quote!(true), constraint };
        }
        let rep_ok = necessary::word_for("rep_ok");
        let import = quote!(
            #[allow(unused_imports)]
            use #korat::twin::{Answer as _, AnythingGoes as _};
        );
        // A generic type's `rep_ok` may have bounds that are not known here;
        // falling back to "anything goes" would then hide it without a word.
        if self.generics.type_params().next().is_some() {
            return Predicate {
                twin_check: quote_spanned! {span=>
                    #import
                    let answer = #korat::twin::predicate(#rep_ok, || twin.rep_ok());
                    #korat::twin::of_generic::<Self, _>(answer)
                },
                real_check: quote!(#import self.rep_ok().answer()),
                constraint: quote!(#korat::Constraint::Own),
            };
        }
        let probe = quote_spanned! {span=>
            #korat::twin::Probe::<Self, _, _>::new::<<Self as #korat::Korat>::Twin>(
                |twin| twin.rep_ok(),
                |real| real.rep_ok(),
            )
            .constraint()
        };
        // Nothing can be wrong with a type that has nothing in it.
        let constraint = if inside.empty {
            quote!({ #import match #probe {
                #korat::Constraint::Absent => #korat::Constraint::Unwanted,
                own => own,
            }})
        } else {
            quote!({ #import #probe })
        };
        Predicate {
            twin_check: quote!(#import #korat::twin::predicate(#rep_ok, || twin.rep_ok()).answer()),
            real_check: quote!(#import self.rep_ok().answer()),
            constraint,
        }
    }

    fn korat(
        &self,
        choices: TokenStream,
        realize: TokenStream,
        show_real: TokenStream,
        inside: Inside,
    ) -> TokenStream {
        let (name, twin) = (&self.input.ident, &self.twin);
        let (impl_generics, arguments, where_clause) = self.generics.split_for_impl();
        let text = Literal::string(&name.to_string());
        let declare = self.attributes.objects.as_ref().map(|objects| {
            quote! {
                fn declare(builder: &mut ::testsmith::korat::Builder) {
                    #[allow(unused_variables)]
                    let scope: i64 = builder.scope();
                    builder.count_objects(#text, #objects);
                }
            }
        });
        let Predicate { twin_check, real_check, constraint } = self.predicate(&inside);
        let Inside { deep, types, .. } = inside;
        let quiet = quiet();
        quote! {
            #[automatically_derived]
            #quiet
            impl #impl_generics ::testsmith::korat::Korat for #name #arguments #where_clause {
                type Twin = #twin #arguments;

                fn class_name() -> ::std::string::String {
                    #text.to_owned()
                }

                #declare

                fn choices(
                    builder: &mut ::testsmith::korat::Builder,
                ) -> ::testsmith::korat::Choices<Self::Twin> {
                    #choices
                }

                fn realize(
                    twin: &Self::Twin,
                    realizer: &mut ::testsmith::korat::Realizer,
                ) -> Self {
                    #realize
                }

                fn twin_rep_ok(twin: &Self::Twin) -> bool {
                    #twin_check
                }

                fn twin_deep_ok(
                    twin: &Self::Twin,
                    deep: &mut ::testsmith::korat::Deep,
                ) -> bool {
                    deep.value::<Self>(twin, |deep| #deep)
                }

                fn types(types: &mut ::testsmith::korat::Types) {
                    types.derived::<Self>(#constraint, |types| { #(#types)* });
                }

                fn real_rep_ok(&self) -> bool {
                    #real_check
                }

                fn show_real(
                    &self,
                    shower: &mut ::testsmith::korat::Shower,
                ) -> ::testsmith::korat::Shown {
                    #show_real
                }
            }
        }
    }
}

/// What the type knows of the predicates inside it.
struct Inside {
    /// Asks all fields.
    deep: TokenStream,
    /// Lists the types of all fields.
    types: Vec<TokenStream>,
    /// Whether there is nothing in it.
    empty: bool,
}

/// The calls of `rep_ok`, and what is known of it.
struct Predicate {
    twin_check: TokenStream,
    real_check: TokenStream,
    constraint: TokenStream,
}

/// The fields of a twin.
fn twin_fields(parts: &[Part], visible: bool) -> TokenStream {
    let field = |part: &Part| {
        let ty = part.twin_type();
        let vis = visible.then_some(&part.field.vis);
        let name = part.field.ident.iter();
        quote!(#vis #(#name:)* #ty,)
    };
    parts.iter().map(field).collect()
}

/// Whether the predicates behind all fields hold.
fn all_deep(parts: &[Part], places: &[TokenStream]) -> TokenStream {
    let fields = parts.iter().zip(places).filter_map(|(part, place)| part.deep(place));
    quote!(true #(&& #fields)*)
}

/// The expression that shows a struct or variant by its fields.
fn record(owner: &str, parts: &[Part], shown: &[TokenStream]) -> TokenStream {
    let names = parts.iter().map(|part| &part.written);
    quote! {
        ::testsmith::korat::Shown::record(#owner, ::std::vec![#((#names, #shown)),*])
    }
}

/// The match arms of an enum's twin, one per variant in each.
#[derive(Default)]
struct Arms {
    declarations: TokenStream,
    values: TokenStream,
    share: TokenStream,
    duplicate: TokenStream,
    reach: TokenStream,
    show: TokenStream,
    realize: TokenStream,
    show_real: TokenStream,
    deep: TokenStream,
    types: Vec<TokenStream>,
}
