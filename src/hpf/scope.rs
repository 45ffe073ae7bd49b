//! HPF's directives carried out: names of a program's scope, and the objects that they stand for.
//!
//! It knows names; what a line says is read in [`text`](crate::text).

use super::call::{Call, session, settings};
use super::facts::{self, Facts};
use super::failure::{Code, Failure};
use super::{Array, Map, Procs, Template, realign, redistribute};
use crate::mpi::Comm;
use crate::session::Session;
use crate::text::{Alignment, Directive, Distribution, TextError};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The names of a program's scope.
pub struct Scope {
    comm: Comm,
    session: Weak<Session>,
    names: Mutex<Names>,
}

type Names = BTreeMap<String, Named>;

/// What a name stands for.
#[derive(Clone)]
enum Named {
    Procs(Arc<Procs>),
    /// A template with its bounds, and the object once it is distributed.
    Template(Vec<(i64, i64)>, Option<Arc<Template>>),
    /// An array with its bounds; its map once it is aligned or distributed; its storage if it was asked for.
    Array(Vec<(i64, i64)>, Option<Box<Mapped>>),
}

#[derive(Clone)]
struct Mapped {
    map: Map,
    /// Whether it is its own template, so that others can be aligned with it.
    own: bool,
    array: Option<Arc<Array>>,
}

impl From<TextError> for Failure {
    fn from(error: TextError) -> Self {
        Self::new(Code::Text, error.to_string())
    }
}

impl Scope {
    /// Collective over `comm`: a scope without names. Arrangements are of ranks of `comm`.
    pub fn create(comm: &Comm) -> Result<Arc<Self>, Failure> {
        Self::create_if(comm, None)
    }

    /// The same, where the caller may have found already that it cannot go on.
    pub fn create_if(comm: &Comm, failure: Option<Failure>) -> Result<Arc<Self>, Failure> {
        let session = session(comm)?;
        let failure = failure.or(settings().1);
        Call::begin(&session).agree(Facts::new(session.rank, facts::SCOPE, &[Some(0)], failure))?;
        let names = Mutex::default();
        Ok(Arc::new(Self { comm: *comm, session: Arc::downgrade(&session), names }))
    }

    fn session(&self) -> Result<Arc<Session>, Failure> {
        super::call::usable()?;
        let gone = || Failure::new(Code::State, "the communicator of the scope is freed");
        self.session.upgrade().ok_or_else(gone)
    }

    /// Collective over the scope's communicator: carries out a directive, which all ranks give alike. One about
    /// several names stops at the first of them that fails.
    pub fn directive(&self, line: &str) -> Result<(), Failure> {
        self.directive_if(Ok(line))
    }

    /// The same, where the caller may have found already that it cannot go on.
    pub fn directive_if(&self, line: Result<&str, Failure>) -> Result<(), Failure> {
        let session = self.session()?;
        let read = settings().1.map_or(line, Err).and_then(|line| Ok((line, crate::text::directive(line)?)));
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        // What the names stand for decides on what ranks do together, so it is looked at before.
        let planned = read.and_then(|(line, directive)| {
            known(&names, &directive)?;
            Ok((number(line), directive))
        });
        let value = planned.as_ref().ok().map(|(number, _)| *number);
        let failure = planned.as_ref().err().cloned();
        Call::begin(&session).agree(Facts::new(session.rank, facts::DIRECTIVE, &[value], failure))?;
        self.carry_out(&mut names, planned?.1)
    }

    fn carry_out(&self, names: &mut Names, directive: Directive) -> Result<(), Failure> {
        match directive {
            Directive::Processors(all) => {
                for one in all {
                    let shape: Vec<i64> = one.shape.iter().map(|&extent| extent.into()).collect();
                    let procs = Procs::create(&self.comm, &shape, None)?;
                    names.insert(one.name, Named::Procs(procs));
                }
            }
            Directive::Template(all) => {
                names.extend(all.into_iter().map(|one| (one.name, Named::Template(one.bounds, None))));
            }
            Directive::Dimension(all) => {
                names.extend(all.into_iter().map(|one| (one.name, Named::Array(one.bounds, None))));
            }
            Directive::Distribute { again, distribution, names: these } => {
                for name in these {
                    distribute(names, &name, &distribution, again)?;
                }
            }
            Directive::Align { again, alignment, names: these } => {
                for name in these {
                    align(names, &name, &alignment, again)?;
                }
            }
            Directive::Shadow(widths) => {
                for name in widths.names {
                    let mapped = mapped(names, &name)?;
                    if mapped.array.as_ref().is_some_and(|array| !array.is_freed()) {
                        return Err(state(&name, "has storage already"));
                    }
                    mapped.map = mapped.map.with_shadow(&widths.widths)?;
                }
            }
            Directive::Dynamic(_) => (),
        }
        Ok(())
    }

    fn find<T>(&self, name: &str, of: impl FnOnce(&Named) -> Option<T>, kind: &str) -> Result<T, Failure> {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let name = name.to_ascii_uppercase();
        let named = names.get(&name).ok_or_else(|| unknown(&name))?;
        of(named).ok_or_else(|| state(&name, &format!("is no {kind}")))
    }

    /// The arrangement of that name.
    pub fn procs(&self, name: &str) -> Result<Arc<Procs>, Failure> {
        let of = |named: &Named| if let Named::Procs(procs) = named { Some(procs.clone()) } else { None };
        self.find(name, of, "processor arrangement")
    }

    /// The template of that name, which is distributed.
    pub fn template(&self, name: &str) -> Result<Arc<Template>, Failure> {
        let of = |named: &Named| match named {
            Named::Template(_, template) => template.clone(),
            Named::Array(_, Some(mapped)) if mapped.own => mapped.map.template().cloned(),
            _ => None,
        };
        self.find(name, of, "template that is distributed")
    }

    /// The map of the array of that name, as it is now.
    pub fn map(&self, name: &str) -> Result<Map, Failure> {
        let of = |named: &Named| match named {
            Named::Array(_, Some(mapped)) => Some(mapped.map.clone()),
            _ => None,
        };
        self.find(name, of, "array that is distributed or aligned")
    }

    /// Collective: the array of that name with its storage, of elements of `element` bytes; made at the first call.
    pub fn array(&self, name: &str, element: usize) -> Result<Arc<Array>, Failure> {
        self.array_if(Ok((name, element)))
    }

    /// The same, where the caller may have found already that it cannot go on.
    pub fn array_if(&self, given: Result<(&str, usize), Failure>) -> Result<Arc<Array>, Failure> {
        let known = given.and_then(|(name, element)| {
            let map = self.map(name)?;
            let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
            let made = mapped(&mut names, &name.to_ascii_uppercase())?.array.clone();
            let made = made.filter(|array| !array.is_freed());
            match &made {
                Some(array) if array.element() != element => {
                    Err(state(name, &format!("has elements of {} bytes", array.element())))
                }
                _ => Ok((name, map, element, made)),
            }
        });
        if let Ok((.., Some(made))) = known {
            return Ok(made);
        }
        let with = known.as_ref().map_err(Failure::clone).map(|(_, map, element, _)| (map, *element));
        let array = Array::within(&self.session()?, with)?;
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        mapped(&mut names, &known?.0.to_ascii_uppercase())?.array = Some(array.clone());
        Ok(array)
    }
}

/// Whether the names that a directive uses are there, and those that it declares are not.
fn known(names: &Names, directive: &Directive) -> Result<(), Failure> {
    let fresh = |name: &String| match names.contains_key(name) {
        true => Err(state(name, "is declared already")),
        false => Ok(()),
    };
    let there = |name: &String| if names.contains_key(name) { Ok(()) } else { Err(unknown(name)) };
    match directive {
        Directive::Processors(all) => all.iter().try_for_each(|one| fresh(&one.name)),
        Directive::Template(all) | Directive::Dimension(all) => {
            all.iter().try_for_each(|one| fresh(&one.name))
        }
        Directive::Distribute { distribution, names: these, .. } => {
            these.iter().try_for_each(there)?;
            arrangement(names, distribution).map(drop)
        }
        Directive::Align { alignment, names: these, .. } => {
            these.iter().try_for_each(there)?;
            there(&alignment.template)
        }
        Directive::Dynamic(these) => these.iter().try_for_each(there),
        Directive::Shadow(widths) => widths.names.iter().try_for_each(there),
    }
}

/// The arrangement that a distribution is onto: the one that it names, or the only one that there is.
fn arrangement(names: &Names, distribution: &Distribution) -> Result<Arc<Procs>, Failure> {
    let procs = |named: &Named| if let Named::Procs(procs) = named { Some(procs.clone()) } else { None };
    let named = distribution.onto.as_ref().and_then(|onto| onto.name.as_ref());
    let shape = distribution.onto.as_ref().and_then(|onto| onto.shape.as_ref());
    if let Some(name) = named {
        let found = names.get(name).ok_or_else(|| unknown(name))?;
        return procs(found).ok_or_else(|| state(name, "is no processor arrangement"));
    }
    let fits = |procs: &Arc<Procs>| shape.is_none_or(|shape| procs.shape() == &shape[..]);
    let mut all = names.values().filter_map(procs).filter(fits);
    match (all.next(), all.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(Failure::new(Code::State, "there is no processor arrangement to distribute onto")),
        _ => {
            Err(Failure::new(Code::State, "there are several processor arrangements: ONTO has to say which"))
        }
    }
}

fn distribute(
    names: &mut Names,
    name: &str,
    distribution: &Distribution,
    again: bool,
) -> Result<(), Failure> {
    let procs = arrangement(names, distribution)?;
    let (bounds, old) = match names.get(name).ok_or_else(|| unknown(name))? {
        Named::Template(bounds, template) => (bounds.clone(), template.clone()),
        Named::Array(bounds, None) => (bounds.clone(), None),
        Named::Array(bounds, Some(mapped)) if mapped.own => (bounds.clone(), mapped.map.template().cloned()),
        Named::Array(..) => return Err(state(name, "is aligned with a template")),
        Named::Procs(_) => return Err(state(name, "is a processor arrangement")),
    };
    match (again, old.is_some()) {
        (false, true) => return Err(state(name, "is distributed already: REDISTRIBUTE changes that")),
        (true, false) => return Err(state(name, "is not distributed yet: DISTRIBUTE comes first")),
        _ => (),
    }
    let (lower, upper): (Vec<i64>, Vec<i64>) = bounds.into_iter().unzip();
    let made = Template::create(&procs, &lower, &upper)?;
    made.distribute(&distribution.dealt(procs.shape())?)?;
    made.commit()?;
    let Some(old) = old else {
        return match names.get_mut(name) {
            Some(Named::Template(_, template)) => {
                *template = Some(made);
                Ok(())
            }
            Some(Named::Array(_, mapped)) => {
                *mapped = Some(Box::new(Mapped { map: Map::whole(&made)?, own: true, array: None }));
                Ok(())
            }
            _ => Err(unknown(name)),
        };
    };
    redistribute(&old, &made, &[])?;
    for named in names.values_mut() {
        if let Named::Array(_, Some(mapped)) = named {
            if mapped.map.template().is_some_and(|template| Arc::ptr_eq(template, &old)) {
                mapped.map = mapped.map.realigned()?;
            }
        }
    }
    Ok(())
}

fn align(names: &mut Names, name: &str, alignment: &Alignment, again: bool) -> Result<(), Failure> {
    let (template, there) =
        match names.get(&alignment.template).ok_or_else(|| unknown(&alignment.template))? {
            Named::Template(bounds, Some(template)) => (template.clone(), bounds.clone()),
            Named::Array(bounds, Some(mapped)) if mapped.own => {
                let template = mapped.map.template().cloned();
                (template.ok_or_else(|| unknown(&alignment.template))?, bounds.clone())
            }
            Named::Array(_, Some(_)) => {
                return Err(state(&alignment.template, "is aligned with a template itself: align with that"));
            }
            _ => return Err(state(&alignment.template, "is no template that is distributed")),
        };
    let Some(Named::Array(bounds, mapped)) = names.get_mut(name) else {
        return Err(state(name, "is no array: DIMENSION declares one"));
    };
    match (again, mapped.is_some()) {
        (false, true) => return Err(state(name, "is aligned already: REALIGN changes that")),
        (true, false) => return Err(state(name, "is not aligned yet: ALIGN comes first")),
        _ => (),
    }
    let (aligns, rest) = alignment.between(bounds, &there)?;
    let axes: Vec<_> =
        bounds.iter().zip(aligns).map(|(&(lower, upper), align)| (lower, upper, align)).collect();
    let mut map = Map::create(&template, &axes, Some(&rest))?;
    let mut array = None;
    if let Some(old) = mapped {
        let shadow: Vec<_> = old.map.map().axes().iter().map(|axis| axis.shadow).collect();
        map = map.with_shadow(&shadow)?;
        array = old.array.clone().filter(|array| !array.is_freed());
        if let Some(array) = &array {
            realign(array, &map, false)?;
        }
    }
    *mapped = Some(Box::new(Mapped { map, own: false, array }));
    Ok(())
}

fn mapped<'a>(names: &'a mut Names, name: &str) -> Result<&'a mut Mapped, Failure> {
    match names.get_mut(name) {
        Some(Named::Array(_, Some(mapped))) => Ok(mapped),
        Some(_) => Err(state(name, "is no array that is distributed or aligned")),
        None => Err(unknown(name)),
    }
}

fn unknown(name: &str) -> Failure {
    Failure::new(Code::State, format!("{name} is not declared"))
}

fn state(name: &str, what: &str) -> Failure {
    Failure::new(Code::State, format!("{name} {what}"))
}

/// A number that tells lines apart.
fn number(line: &str) -> i64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    i64::try_from(hasher.finish() >> 1).unwrap_or(0)
}
