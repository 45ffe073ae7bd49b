//! Scopes: HPF's directives, executed on the names of a program. The parser is in
//! [`notation`](crate::layout::notation).

use super::names::{
    NamedObject, Names, align, check_names, declarations, distribute, find_mapped, unknown, wrong_state,
};
use super::{Array, Map, Procs, Template};
use crate::collective::call::{agree_on, session, with_valid_settings};
use crate::collective::failure::{Code, Failure};
use crate::collective::operations::Operation;
use crate::collective::refuse::session_or_refuse;
use crate::layout::notation::{Directive, TextError};
use crate::mpi::Comm;
use crate::runtime::session::Session;
use crate::system::digest::digest;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A program's scope: the names that its directives declare, and their objects.
pub struct Scope {
    comm: Comm<'static>,
    session: Weak<Session>,
    names: Mutex<Names>,
}

impl From<TextError> for Failure {
    fn from(error: TextError) -> Self {
        Self::new(Code::Text, error.to_string())
    }
}

impl Scope {
    /// Makes a scope without names. Its arrangements consist of ranks of `comm`. Collective over `comm`.
    pub fn create(comm: &Comm) -> Result<Arc<Self>, Failure> {
        Self::create_if(comm, None)
    }

    /// Makes a scope as [`Self::create`] does; a failure makes all ranks fail.
    pub fn create_if(comm: &Comm, failure: Option<Failure>) -> Result<Arc<Self>, Failure> {
        let session = session(comm)?;
        agree_on(&session, Operation::Scope, &[], with_valid_settings(failure.map_or(Ok(()), Err)))?;
        let names = Mutex::default();
        Ok(Arc::new(Self { comm: comm.without_lifetime(), session: Arc::downgrade(&session), names }))
    }

    fn session(&self) -> Result<Arc<Session>, Failure> {
        session_or_refuse(&self.session, "the communicator of the scope has been freed")
    }

    /// Executes a directive, which must be equal on all ranks. If it names several objects, it stops at the first
    /// failure. Collective over the scope's communicator.
    pub fn directive(&self, line: &str) -> Result<(), Failure> {
        self.directive_if(Ok(line))
    }

    /// Executes a directive as [`Self::directive`] does; `Err` makes all ranks fail.
    pub fn directive_if(&self, line: Result<&str, Failure>) -> Result<(), Failure> {
        let session = self.session()?;
        let read =
            with_valid_settings(line).and_then(|line| Ok((line, crate::layout::notation::directive(line)?)));
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        // Checked before the agreement, because later collective calls depend on the names.
        let value = read.as_ref().ok().map(|(line, _)| digest(line));
        let mine = read.and_then(|(_, directive)| check_names(&names, &directive).map(|()| directive));
        let directive = agree_on(&session, Operation::Directive, &[value], mine)?;
        self.carry_out(&mut names, directive)
    }

    fn carry_out(&self, names: &mut Names, directive: Directive) -> Result<(), Failure> {
        match directive {
            Directive::Processors(all) => {
                for one in all {
                    let shape: Vec<i64> = one.shape.iter().map(|&extent| extent.into()).collect();
                    let procs = Procs::create(&self.comm, &shape, None)?;
                    names.insert(one.name, NamedObject::Procs(procs));
                }
            }
            Directive::Template(_) | Directive::Dimension(_) => names.extend(declarations(&directive)),
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
                    let mapped = find_mapped(names, &name)?;
                    if mapped.storage().is_some() {
                        return Err(wrong_state(&name, "has storage already"));
                    }
                    mapped.map = mapped.map.with_shadow(&widths.widths)?;
                }
            }
            Directive::Dynamic(_) => (),
            Directive::Combined(all) => {
                all.into_iter().try_for_each(|directive| self.carry_out(names, directive))?;
            }
        }
        Ok(())
    }

    fn find<T>(
        &self,
        name: &str,
        of: impl FnOnce(&NamedObject) -> Option<T>,
        kind: &str,
    ) -> Result<T, Failure> {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let name = name.to_ascii_uppercase();
        let named = names.get(&name).ok_or_else(|| unknown(&name))?;
        of(named).ok_or_else(|| wrong_state(&name, &format!("is not {kind}")))
    }

    /// Returns the arrangement with that name.
    pub fn procs(&self, name: &str) -> Result<Arc<Procs>, Failure> {
        let of = |named: &NamedObject| {
            if let NamedObject::Procs(procs) = named { Some(procs.clone()) } else { None }
        };
        self.find(name, of, "a processor arrangement")
    }

    /// Returns the template with that name, which must be distributed.
    pub fn template(&self, name: &str) -> Result<Arc<Template>, Failure> {
        let of = |named: &NamedObject| match named {
            NamedObject::Template(_, template) => template.clone(),
            NamedObject::Array(_, Some(mapped)) if mapped.own => mapped.map.template().cloned(),
            _ => None,
        };
        self.find(name, of, "a distributed template")
    }

    /// Returns the current map of the array with that name.
    pub fn map(&self, name: &str) -> Result<Map, Failure> {
        let of = |named: &NamedObject| match named {
            NamedObject::Array(_, Some(mapped)) => Some(mapped.current_map()),
            _ => None,
        };
        self.find(name, of, "an array that is distributed or aligned")?
    }

    /// Returns the array with that name and its storage, which the first call allocates, with elements of `element`
    /// bytes. Collective over the scope's communicator.
    pub fn array(&self, name: &str, element: usize) -> Result<Arc<Array>, Failure> {
        self.array_if(Ok((name, element)))
    }

    /// Returns an array as [`Self::array`] does; `Err` makes all ranks fail.
    pub fn array_if(&self, given: Result<(&str, usize), Failure>) -> Result<Arc<Array>, Failure> {
        let session = self.session()?;
        let known = with_valid_settings(given).and_then(|(name, element)| {
            let map = self.map(name)?;
            let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
            let made = find_mapped(&mut names, &name.to_ascii_uppercase())?.storage();
            match &made {
                Some(array) if array.element() != element => {
                    Err(wrong_state(name, &format!("has elements of {} bytes", array.element())))
                }
                _ => Ok((name, map, element, made)),
            }
        });
        // All ranks agree on the name, so all see whether the array has storage already.
        let value = known.as_ref().ok().map(|(name, ..)| digest(&name.to_ascii_uppercase()));
        let (name, map, element, made) = agree_on(&session, Operation::Named, &[value], known)?;
        if let Some(made) = made {
            return Ok(made);
        }
        let array = Array::create_in_session(&session, Ok((&map, element)))?;
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        find_mapped(&mut names, &name.to_ascii_uppercase())?.array = Some(array.clone());
        Ok(array)
    }
}
