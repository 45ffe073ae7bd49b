//! Policy that reads the number of ranks from a file. Writers should rename the file into place, so that readers never
//! see an incomplete file. Without a file the job keeps its size.

use super::{Now, Policy, number_of};
use std::io::{ErrorKind, Read};
use std::path::PathBuf;

/// Reads the number of ranks from a file.
pub struct File {
    path: PathBuf,
    /// True if an unreadable file, or one without a number of ranks, has been reported; reset by the next number.
    reported: bool,
}

/// Maximum bytes read from the file; a number of ranks is shorter.
const MAX_BYTES: u64 = 64;

impl File {
    /// Creates the policy that reads the file at `path`.
    pub fn new(path: PathBuf) -> Self {
        Self { path, reported: false }
    }

    /// Returns the text of the file; `None` if there is no file.
    fn text(&self) -> Result<Option<String>, String> {
        let read = std::fs::File::open(&self.path).and_then(|file| {
            let mut bytes = Vec::new();
            file.take(MAX_BYTES).read_to_end(&mut bytes).map(|_| bytes)
        });
        match read {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(why) if why.kind() == ErrorKind::NotFound => Ok(None),
            Err(why) => Err(why.to_string()),
        }
    }
}

impl Policy for File {
    fn ask(&mut self, _: &Now) -> Result<Option<u32>, String> {
        let problem = match self.text() {
            Ok(None) => return Ok(None),
            Ok(Some(text)) => match number_of(&text) {
                Some(ranks) => {
                    self.reported = false;
                    return Ok(Some(ranks));
                }
                None => format!(" has {:?}, expected a number of ranks", text.trim()),
            },
            Err(why) => format!(": {why}"),
        };
        match std::mem::replace(&mut self.reported, true) {
            true => Ok(None),
            false => Err(format!("{}{problem}", self.path.display())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_file_is_reported_once() {
        let path = std::env::temp_dir().join(format!("reblock-policy-{}", std::process::id()));
        let (mut file, now) = (File::new(path.clone()), Now { ranks: 2, seconds: 1.0 });
        assert_eq!(file.ask(&now), Ok(None), "no file");
        let long = "1".repeat(1000);
        for invalid in ["", "many", "-3", "0", "4 8", "2147483648", "99999999999999", &long, "\u{0}\n\n4"] {
            std::fs::write(&path, invalid).unwrap();
            let why = file.ask(&now).unwrap_err();
            assert!(!why.contains('\n') && why.contains("expected a number of ranks"), "{why}");
            assert_eq!(file.ask(&now), Ok(None), "already reported");
            for other in ["other", "-1", invalid] {
                std::fs::write(&path, other).unwrap();
                assert_eq!(file.ask(&now), Ok(None), "an earlier text was reported");
            }
            std::fs::write(&path, " 4\n").unwrap();
            assert_eq!((file.ask(&now), file.ask(&now)), (Ok(Some(4)), Ok(Some(4))));
        }
        std::fs::write(&path, [0xff, 0xfe]).unwrap();
        assert!(file.ask(&now).is_err());
        std::fs::write(&path, "5").unwrap();
        assert_eq!(file.ask(&now), Ok(Some(5)));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(file.ask(&now), Ok(None), "the file was removed");
        std::fs::create_dir(&path).unwrap();
        assert!(file.ask(&now).unwrap_err().starts_with(&format!("{}: ", path.display())));
        assert_eq!(file.ask(&now), Ok(None), "already reported");
        std::fs::remove_dir(&path).unwrap();
    }

    #[test]
    fn a_reader_never_sees_a_part_of_a_file() {
        let path = std::env::temp_dir().join(format!("reblock-replaced-{}", std::process::id()));
        let beside = path.with_extension("new");
        let (mut file, now) = (File::new(path.clone()), Now { ranks: 2, seconds: 1.0 });
        let writer = std::thread::spawn({
            let path = path.clone();
            move || {
                for round in 0..2000 {
                    let text = if round % 2 == 0 { "7\n" } else { "1234567890" };
                    std::fs::write(&beside, text).unwrap();
                    std::fs::rename(&beside, &path).unwrap();
                }
            }
        });
        let mut seen = [0; 3];
        while !writer.is_finished() {
            match file.ask(&now).unwrap() {
                None => seen[0] += 1,
                Some(7) => seen[1] += 1,
                Some(1_234_567_890) => seen[2] += 1,
                other => panic!("{other:?}"),
            }
        }
        writer.join().unwrap();
        assert_eq!(file.ask(&now), Ok(Some(1_234_567_890)), "{seen:?}");
        std::fs::remove_file(&path).unwrap();
    }
}
