//! Checked calls, cached by a session for later calls with equal arguments.

use super::{Call, CallTerms};
use crate::layout::strides::Shape;
use crate::runtime::agreement::{Agreement, MessagePattern};
use crate::runtime::session::{KnownPlan, Session};
use crate::system::settings::Settings;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// This rank's checked arguments, without addresses and without facts of other ranks.
pub struct ValidatedCall {
    pub(super) call: Call,
    pub(super) shapes: [Option<Shape>; 2],
    pub(super) terms: CallTerms,
    /// The plan, if every rank has all arguments: then equal arguments always give the same plan.
    pub(super) plan: OnceLock<KnownPlan>,
    /// Set once a call with these arguments has begun.
    begun: AtomicBool,
    /// The last call's agreement, whose memory the next call reuses.
    agreement: Mutex<Option<Box<Agreement<CallTerms>>>>,
}

impl ValidatedCall {
    /// Returns the call that `session` has cached under `key`, if any.
    pub(super) fn find(session: &Session, key: &[i64]) -> Option<Arc<Self>> {
        let known = session.state().known.find(key);
        known.and_then(|known| known.downcast().ok())
    }

    /// Caches the checked `call` in `session` under `key`.
    pub(super) fn store(call: Call, session: &Session, settings: &Settings, key: &[i64]) -> Arc<Self> {
        let terms = CallTerms::of(&call, session.rank, session.ranks, settings.digest());
        let (plan, begun, agreement) = (OnceLock::new(), AtomicBool::new(false), Mutex::default());
        let checked = Arc::new(Self { shapes: call.shapes(), terms, call, plan, begun, agreement });
        session.state().known.keep(key, checked.clone());
        checked
    }

    /// Returns whether no call with these arguments has begun, and records that one begins.
    pub(super) fn begins(&self) -> bool {
        !self.begun.swap(true, Ordering::Relaxed)
    }

    /// Returns an agreement for rank `me` of `ranks`, reusing the cached one.
    pub(super) fn agreement(&self, me: u32, ranks: u32) -> Box<Agreement<CallTerms>> {
        let kept = self.agreement.lock().unwrap_or_else(PoisonError::into_inner).take();
        match kept {
            Some(mut agreement) => {
                agreement.renew(&self.terms, MessagePattern::Dissemination);
                agreement
            }
            None => Box::new(Agreement::new((me, ranks), self.terms.clone())),
        }
    }

    /// Keeps the agreement of a successful call for reuse.
    pub(super) fn keep_agreement(&self, agreement: Box<Agreement<CallTerms>>) {
        *self.agreement.lock().unwrap_or_else(PoisonError::into_inner) = Some(agreement);
    }
}
