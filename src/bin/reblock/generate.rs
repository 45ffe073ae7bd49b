//! WHICH manual pages and completions does the command have? They are made from the same definition as its help. It knows where a
//! prefix has them, and nothing else about installing.

use crate::arguments::Arguments;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use std::path::Path;

/// Each shell's folder for completions, in `share`.
const SHELLS: &[(Shell, &str)] = &[
    (Shell::Bash, "bash-completion/completions"),
    (Shell::Zsh, "zsh/site-functions"),
    (Shell::Fish, "fish/vendor_completions.d"),
];

/// Writes them into `prefix`: one page for the command, and one for each subcommand.
pub fn generate(prefix: &Path) -> Result<(), String> {
    let share = prefix.join("share");
    let command = shown(Arguments::command());
    let pages = made(&share.join("man/man1"))?;
    // Names of subcommands' pages and their synopses are known once it is built.
    let mut built = command.clone().disable_help_subcommand(true);
    built.build();
    for page in std::iter::once(&built).chain(built.get_subcommands()) {
        let (name, text) = manual(page).map_err(|error| failed(&pages, &error))?;
        let file = pages.join(name);
        std::fs::write(&file, text).map_err(|error| failed(&file, &error))?;
    }
    for (shell, folder) in SHELLS {
        let folder = made(&share.join(folder))?;
        clap_complete::generate_to(*shell, &mut command.clone(), "reblock", &folder)
            .map_err(|error| failed(&folder, &error))?;
    }
    // bash-completion finds a file by the name of the command.
    let bash = share.join(SHELLS[0].1);
    std::fs::rename(bash.join("reblock.bash"), bash.join("reblock")).map_err(|error| failed(&bash, &error))
}

/// The manual page of the command or of one of its subcommands, and its file's name.
fn manual(command: &Command) -> std::io::Result<(String, String)> {
    let page = clap_mangen::Man::new(command.clone())
        .source(concat!("reblock ", env!("CARGO_PKG_VERSION")))
        .manual("reblock");
    let mut text = Vec::new();
    page.render(&mut text)?;
    // What is behind the options begins with examples.
    let text = String::from_utf8_lossy(&text).replace(".SH EXTRA\n", ".SH \"EXAMPLES AND NOTES\"\n");
    Ok((page.get_filename(), text))
}

/// The command without what its help hides.
fn shown(command: Command) -> Command {
    let whole = command.clone();
    let empty = Command::new("reblock").version(env!("CARGO_PKG_VERSION"));
    let kept = whole.get_subcommands().filter(|sub| !sub.is_hide_set()).cloned();
    let top = command.get_about().cloned().map_or(empty.clone(), |about| empty.about(about));
    let top = whole.get_after_help().cloned().map_or(top.clone(), |examples| top.after_help(examples));
    top.arg_required_else_help(true).disable_help_subcommand(true).subcommands(kept)
}

fn made(folder: &Path) -> Result<std::path::PathBuf, String> {
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    Ok(folder.to_owned())
}

fn failed(folder: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", folder.display())
}
