//! Named objects of a scope, and the effect of directives on them.

use super::{Array, Map, Procs, Template, realign, redistribute};
use crate::collective::failure::{Code, Failure};
use crate::layout::notation::{Alignment, Bounded, Directive, Distribution};
use std::collections::BTreeMap;
use std::sync::Arc;

pub type Names = BTreeMap<String, NamedObject>;

#[derive(Clone)]
pub enum NamedObject {
    Procs(Arc<Procs>),
    /// A template: its bounds, and the object once it is distributed.
    Template(Vec<(i64, i64)>, Option<Arc<Template>>),
    /// An array: its bounds, and its map and storage once it is aligned or distributed.
    Array(Vec<(i64, i64)>, Option<Box<MappedArray>>),
}

/// An array that is distributed or aligned.
#[derive(Clone)]
pub struct MappedArray {
    pub map: Map,
    /// True if the array is its own template; others can then be aligned with it.
    pub own: bool,
    /// Storage, if the program has requested it.
    pub array: Option<Arc<Array>>,
}

impl MappedArray {
    /// Returns the storage, unless it is freed.
    pub fn storage(&self) -> Option<Arc<Array>> {
        self.array.clone().filter(|array| !array.is_freed())
    }

    /// Returns the current map: other calls may have moved the array or redistributed its template.
    pub fn current_map(&self) -> Result<Map, Failure> {
        match self.storage() {
            Some(array) => Ok(array.map()),
            None => self.map.realigned(),
        }
    }
}

/// Checks that the names that a directive uses are declared, and that those it declares are not.
pub fn check_names(names: &Names, directive: &Directive) -> Result<(), Failure> {
    let fresh = |name: &String| match names.contains_key(name) {
        true => Err(wrong_state(name, "is declared already")),
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
        Directive::Combined(all) => {
            let mut names = names.clone();
            all.iter().try_for_each(|directive| {
                check_names(&names, directive)?;
                names.extend(declarations(directive));
                Ok(())
            })
        }
    }
}

/// Returns the templates and arrays that a directive declares.
pub fn declarations(directive: &Directive) -> Vec<(String, NamedObject)> {
    let named = |all: &[Bounded], of: fn(Vec<(i64, i64)>) -> NamedObject| {
        all.iter().map(|one| (one.name.clone(), of(one.bounds.clone()))).collect()
    };
    match directive {
        Directive::Template(all) => named(all, |bounds| NamedObject::Template(bounds, None)),
        Directive::Dimension(all) => named(all, |bounds| NamedObject::Array(bounds, None)),
        _ => Vec::new(),
    }
}

/// Returns the arrangement that a distribution names. Without a name, returns the only arrangement, or the only one of
/// the shape that the distribution gives.
fn arrangement(names: &Names, distribution: &Distribution) -> Result<Arc<Procs>, Failure> {
    let procs =
        |named: &NamedObject| if let NamedObject::Procs(procs) = named { Some(procs.clone()) } else { None };
    let named = distribution.onto.as_ref().and_then(|onto| onto.name.as_ref());
    let shape = distribution.onto.as_ref().and_then(|onto| onto.shape.as_ref());
    if let Some(name) = named {
        let found = names.get(name).ok_or_else(|| unknown(name))?;
        return procs(found).ok_or_else(|| wrong_state(name, "is not a processor arrangement"));
    }
    let fits = |procs: &Arc<Procs>| shape.is_none_or(|shape| procs.shape() == &shape[..]);
    let mut all = names.values().filter_map(procs).filter(fits);
    match (all.next(), all.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(Failure::new(
            Code::State,
            "there is no processor arrangement to distribute onto: declare one by PROCESSORS",
        )),
        _ => Err(Failure::new(
            Code::State,
            "there are several processor arrangements: name one of them after ONTO",
        )),
    }
}

/// Distributes a template or an array, or redistributes it, which moves all arrays aligned with it.
pub fn distribute(
    names: &mut Names,
    name: &str,
    distribution: &Distribution,
    again: bool,
) -> Result<(), Failure> {
    let procs = arrangement(names, distribution)?;
    let (bounds, old) = match names.get(name).ok_or_else(|| unknown(name))? {
        NamedObject::Template(bounds, template) => (bounds.clone(), template.clone()),
        NamedObject::Array(bounds, None) => (bounds.clone(), None),
        NamedObject::Array(bounds, Some(mapped)) if mapped.own => {
            (bounds.clone(), mapped.map.template().cloned())
        }
        NamedObject::Array(..) => return Err(wrong_state(name, "is aligned with a template")),
        NamedObject::Procs(_) => return Err(wrong_state(name, "is a processor arrangement")),
    };
    match (again, old.is_some()) {
        (false, true) => {
            return Err(wrong_state(name, "is distributed already: use REDISTRIBUTE to change that"));
        }
        (true, false) => return Err(wrong_state(name, "is not distributed yet: use DISTRIBUTE first")),
        _ => (),
    }
    let (lower, upper): (Vec<i64>, Vec<i64>) = bounds.into_iter().unzip();
    let made = Template::create(&procs, &lower, &upper)?;
    made.distribute(&distribution.apply_to(procs.shape())?)?;
    made.commit()?;
    let Some(old) = old else {
        return match names.get_mut(name) {
            Some(NamedObject::Template(_, template)) => {
                *template = Some(made);
                Ok(())
            }
            Some(NamedObject::Array(_, mapped)) => {
                *mapped = Some(Box::new(MappedArray { map: Map::whole(&made)?, own: true, array: None }));
                Ok(())
            }
            _ => Err(unknown(name)),
        };
    };
    redistribute(&old, &made, &[])
}

/// Aligns an array, or realigns it, which moves it.
pub fn align(names: &mut Names, name: &str, alignment: &Alignment, again: bool) -> Result<(), Failure> {
    let (template, there) =
        match names.get(&alignment.template).ok_or_else(|| unknown(&alignment.template))? {
            NamedObject::Template(bounds, Some(template)) => (template.clone(), bounds.clone()),
            NamedObject::Array(bounds, Some(mapped)) if mapped.own => {
                let template = mapped.map.template().cloned();
                (template.ok_or_else(|| unknown(&alignment.template))?, bounds.clone())
            }
            NamedObject::Array(_, Some(_)) => {
                return Err(wrong_state(
                    &alignment.template,
                    "is aligned with a template itself: align with that template instead",
                ));
            }
            _ => return Err(wrong_state(&alignment.template, "is not a distributed template")),
        };
    let Some(NamedObject::Array(bounds, mapped)) = names.get_mut(name) else {
        return Err(wrong_state(name, "is not an array: declare it by DIMENSION"));
    };
    match (again, mapped.is_some()) {
        (false, true) => return Err(wrong_state(name, "is aligned already: use REALIGN to change that")),
        (true, false) => return Err(wrong_state(name, "is not aligned yet: use ALIGN first")),
        _ => (),
    }
    let (aligns, rest) = alignment.apply(bounds, &there)?;
    let axes: Vec<_> =
        bounds.iter().zip(aligns).map(|(&(lower, upper), align)| (lower, upper, align)).collect();
    let mut map = Map::create(&template, &axes, Some(&rest))?;
    let mut array = None;
    if let Some(old) = mapped {
        let shadow: Vec<_> = old.map.map().axes().iter().map(|axis| axis.shadow).collect();
        map = map.with_shadow(&shadow)?;
        array = old.storage();
        if let Some(array) = &array {
            realign(array, &map, false)?;
        }
    }
    *mapped = Some(Box::new(MappedArray { map, own: false, array }));
    Ok(())
}

pub fn find_mapped<'a>(names: &'a mut Names, name: &str) -> Result<&'a mut MappedArray, Failure> {
    match names.get_mut(name) {
        Some(NamedObject::Array(_, Some(mapped))) => {
            mapped.map = mapped.current_map()?;
            Ok(mapped)
        }
        Some(_) => Err(wrong_state(name, "is not an array that is distributed or aligned")),
        None => Err(unknown(name)),
    }
}

pub fn unknown(name: &str) -> Failure {
    Failure::new(Code::State, format!("{name} is not declared"))
}

pub fn wrong_state(name: &str, what: &str) -> Failure {
    Failure::new(Code::State, format!("{name} {what}"))
}
