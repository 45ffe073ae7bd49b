//! WHAT does the environment ask for? Read once; an unusable value is an error at the first call. Ranks compare their
//! settings like arguments, since they decide on the order of messages.
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `REBLOCK_SCHEDULER` | the scheduler to use, by name | the cheapest |
//! | `REBLOCK_NETWORK` | between nodes: start-up in µs, bandwidth in GB/s | `2,10` |
//! | `REBLOCK_NODE` | within a node: the same | `0.5,6.7` |
//! | `REBLOCK_COPY` | packing and unpacking, in GB/s | `6.7` |
//! | `REBLOCK_WINDOW` | steps in flight | `4` |

use crate::schedule::machine::Machine;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

/// What the environment asks for.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The scheduler to use.
    pub scheduler: Option<String>,
    /// Ranks on different nodes.
    pub network: Machine,
    /// Ranks on one node.
    pub node: Machine,
}

impl Settings {
    /// This process's settings.
    pub fn of_process() -> Result<&'static Self, String> {
        static READ: OnceLock<Result<Settings, String>> = OnceLock::new();
        READ.get_or_init(|| Self::read(|name| std::env::var(name).ok())).as_ref().map_err(Clone::clone)
    }

    /// Settings from variables.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let mut settings = Self {
            scheduler: variable("REBLOCK_SCHEDULER").filter(|name| !name.is_empty()),
            network: Machine::NETWORK,
            node: Machine::NODE,
        };
        for (name, machine) in
            [("REBLOCK_NETWORK", &mut settings.network), ("REBLOCK_NODE", &mut settings.node)]
        {
            if let Some(value) = variable(name) {
                let numbers = value.split_once(',').and_then(|(a, b)| positive(a).zip(positive(b)));
                let expected = "a start-up in microseconds and a bandwidth in GB/s, as in 2,10";
                let (start_up, bandwidth) = numbers.ok_or_else(|| unusable(name, &value, expected))?;
                (machine.start_up, machine.byte) = (start_up * 1e-6, 1e-9 / bandwidth);
            }
        }
        if let Some(value) = variable("REBLOCK_COPY") {
            let bandwidth =
                positive(&value).ok_or_else(|| unusable("REBLOCK_COPY", &value, "a bandwidth in GB/s"))?;
            (settings.network.copy, settings.node.copy) = (1e-9 / bandwidth, 1e-9 / bandwidth);
        }
        if let Some(value) = variable("REBLOCK_WINDOW") {
            let window = value.trim().parse().ok().filter(|w| (1..=1024).contains(w));
            let window =
                window.ok_or_else(|| unusable("REBLOCK_WINDOW", &value, "a number from 1 to 1024"))?;
            (settings.network.window, settings.node.window) = (window, window);
        }
        Ok(settings)
    }

    /// A number that tells settings apart: the same on all ranks of a job, which run the same program.
    pub fn digest(&self) -> i64 {
        let mut hasher = DefaultHasher::new();
        format!("{self:?}").hash(&mut hasher);
        i64::try_from(hasher.finish() >> 1).expect("63 bits")
    }
}

fn positive(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|n: &f64| n.is_finite() && *n > 0.0)
}

fn unusable(name: &str, value: &str, expected: &str) -> String {
    format!("{name} is {value}, expected {expected}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, value: &str) -> Result<Settings, String> {
        Settings::read(|n| (n == name).then(|| value.into()))
    }

    #[test]
    fn variables_change_the_machine() {
        let plain = Settings::read(|_| None).unwrap();
        assert_eq!((plain.network, plain.node), (Machine::NETWORK, Machine::NODE));
        let s = read("REBLOCK_NETWORK", "5, 2.5").unwrap();
        assert!((s.network.start_up - 5e-6).abs() < 1e-12 && (s.network.byte - 4e-10).abs() < 1e-16);
        assert_eq!(s.node, Machine::NODE);
        assert_eq!(read("REBLOCK_WINDOW", "8").unwrap().network.window, 8);
        assert_eq!(read("REBLOCK_SCHEDULER", "classes").unwrap().scheduler.as_deref(), Some("classes"));
        assert_ne!(s.digest(), plain.digest());
    }

    #[test]
    fn unusable_values_are_named() {
        for (name, value) in [
            ("REBLOCK_NETWORK", "fast"),
            ("REBLOCK_NODE", "1,0"),
            ("REBLOCK_COPY", "-3"),
            ("REBLOCK_WINDOW", "0"),
            ("REBLOCK_WINDOW", "many"),
        ] {
            let error = read(name, value).unwrap_err();
            assert!(error.starts_with(&format!("{name} is {value}, expected ")), "{error}");
        }
    }
}
