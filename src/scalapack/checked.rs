//! Checked calls, cached by a session for later calls with equal arguments.

use super::{Call, CallTerms};
use crate::layout::strides::Shape;
use crate::runtime::agreement::{Agreement, MessagePattern};
use crate::runtime::session::{KnownPlan, Session};
use crate::system::settings::Settings;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// This rank's checked arguments, without addresses and without facts of other ranks.
pub struct ValidatedCall {
    pub(super) call: Call,
    pub(super) shapes: [Option<Shape>; 2],
    /// The terms that ranks compare, made when first needed.
    terms: OnceLock<CallTerms>,
    /// The plan, if every rank has all arguments: then equal arguments always give the same plan.
    pub(super) plan: OnceLock<KnownPlan>,
    /// The last call's agreement, whose memory is reused.
    agreement: Mutex<Option<Box<Agreement<CallTerms>>>>,
}

impl ValidatedCall {
    /// Returns the call that `session` has cached under `key`, if any.
    pub(super) fn find(session: &Session, key: &[i64]) -> Option<Arc<Self>> {
        let known = session.state().known.find(key);
        known.and_then(|known| known.downcast().ok())
    }

    /// Describes a checked call that is not cached.
    pub(super) fn new(call: Call) -> Self {
        let (terms, plan, agreement) = (OnceLock::new(), OnceLock::new(), Mutex::default());
        Self { shapes: call.shapes(), call, terms, plan, agreement }
    }

    /// Caches the checked `call` in `session` under `key`.
    pub(super) fn store(call: Call, session: &Session, key: &[i64]) -> Arc<Self> {
        let checked = Arc::new(Self::new(call));
        session.state().known.keep(key, checked.clone());
        checked
    }

    /// Returns this rank's terms.
    pub(super) fn terms(&self, session: &Session, settings: &Settings) -> &CallTerms {
        self.terms.get_or_init(|| CallTerms::of(&self.call, session.rank, session.ranks, settings.digest()))
    }

    /// Returns an agreement on `terms` in the memory of the last one.
    pub(super) fn agreement(&self, session: &Session, terms: &CallTerms) -> Box<Agreement<CallTerms>> {
        let kept = self.agreement.lock().unwrap_or_else(PoisonError::into_inner).take();
        match kept {
            Some(mut agreement) => {
                agreement.renew(terms, MessagePattern::Dissemination);
                agreement
            }
            None => Box::new(Agreement::new((session.rank, session.ranks), terms.clone())),
        }
    }

    /// Keeps the agreement of a successful call.
    pub(super) fn keep_agreement(&self, agreement: Box<Agreement<CallTerms>>) {
        *self.agreement.lock().unwrap_or_else(PoisonError::into_inner) = Some(agreement);
    }
}
