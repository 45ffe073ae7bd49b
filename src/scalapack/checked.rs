//! WHAT does a session keep of a call, for those with the same arguments?

use super::{Call, Terms};
use crate::layout::strides::Shape;
use crate::runtime::agreement::{Agreement, MessagePattern};
use crate::runtime::session::{KnownPlan, Session};
use crate::system::settings::Settings;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What this rank's arguments come to, checked: all that does not depend on addresses, nor on what other ranks give. A session keeps
/// it for calls that give the same.
pub struct Checked {
    pub(super) call: Call,
    pub(super) shapes: [Option<Shape>; 2],
    pub(super) terms: Terms,
    /// The plan, where no other rank knows more: then the same arguments always come to the same.
    pub(super) plan: OnceLock<KnownPlan>,
    /// The last call's agreement, whose memory the next one uses.
    agreement: Mutex<Option<Box<Agreement<Terms>>>>,
}

impl Checked {
    /// What the session keeps of a call with the numbers `key`.
    pub(super) fn known(session: &Session, key: &[i64]) -> Option<Arc<Self>> {
        let known = session.state().known.find(key);
        known.and_then(|known| known.downcast().ok())
    }

    /// `call`, which is checked, and which `session` keeps by the numbers `key`.
    pub(super) fn kept(call: Call, session: &Session, settings: &Settings, key: &[i64]) -> Arc<Self> {
        let terms = Terms::of(&call, session.rank, session.ranks, settings.digest());
        let (plan, agreement) = (OnceLock::new(), Mutex::default());
        let checked = Arc::new(Self { shapes: call.shapes(), terms, call, plan, agreement });
        session.state().known.keep(key, checked.clone());
        checked
    }

    /// An agreement on it, of rank `me` of `ranks`.
    pub(super) fn agreement(&self, me: u32, ranks: u32) -> Box<Agreement<Terms>> {
        let kept = self.agreement.lock().unwrap_or_else(PoisonError::into_inner).take();
        match kept {
            Some(mut agreement) => {
                agreement.renew(&self.terms, MessagePattern::Passed);
                agreement
            }
            None => Box::new(Agreement::new((me, ranks), self.terms.clone())),
        }
    }

    /// Keeps the agreement of a call that succeeded.
    pub(super) fn keep(&self, agreement: Box<Agreement<Terms>>) {
        *self.agreement.lock().unwrap_or_else(PoisonError::into_inner) = Some(agreement);
    }
}
