//! Manual pages and completions for shells, made from the definition of the command line and placed in a prefix.

use crate::arguments::Arguments;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use std::path::Path;

/// Folders in `share` for the completions of each shell.
const SHELLS: &[(Shell, &str)] = &[
    (Shell::Bash, "bash-completion/completions"),
    (Shell::Zsh, "zsh/site-functions"),
    (Shell::Fish, "fish/vendor_completions.d"),
];

/// Writes the manual pages and the completions into `prefix`. The command and each subcommand have a page.
pub fn generate(prefix: &Path) -> Result<(), String> {
    let share = prefix.join("share");
    let command = without_hidden(Arguments::command());
    let pages = create_folder(&share.join("man/man1"))?;
    // `build` sets names and synopses of the subcommands' pages.
    let mut built = command.clone().disable_help_subcommand(true);
    built.build();
    for page in std::iter::once(&built).chain(built.get_subcommands()) {
        let (name, text) = manual(page).map_err(|error| failed(&pages, &error))?;
        let file = pages.join(name);
        std::fs::write(&file, text).map_err(|error| failed(&file, &error))?;
    }
    for (shell, folder) in SHELLS {
        let folder = create_folder(&share.join(folder))?;
        clap_complete::generate_to(*shell, &mut command.clone(), "reblock", &folder)
            .map_err(|error| failed(&folder, &error))?;
    }
    // bash-completion finds a file by the name of the command.
    let bash = share.join(SHELLS[0].1);
    std::fs::rename(bash.join("reblock.bash"), bash.join("reblock")).map_err(|error| failed(&bash, &error))
}

/// Returns the manual page of the command or a subcommand, and the name of its file.
fn manual(command: &Command) -> std::io::Result<(String, String)> {
    let page = clap_mangen::Man::new(command.clone())
        .source(concat!("reblock ", env!("CARGO_PKG_VERSION")))
        .manual("reblock");
    let mut text = Vec::new();
    page.render(&mut text)?;
    // The section after the options begins with examples.
    let text = String::from_utf8_lossy(&text).replace(".SH EXTRA\n", ".SH \"EXAMPLES AND NOTES\"\n");
    Ok((page.get_filename(), text))
}

/// Returns the command without its hidden parts.
fn without_hidden(command: Command) -> Command {
    let whole = command.clone();
    let empty = Command::new("reblock").version(env!("CARGO_PKG_VERSION"));
    let kept = whole.get_subcommands().filter(|sub| !sub.is_hide_set()).cloned();
    let top = command.get_about().cloned().map_or(empty.clone(), |about| empty.about(about));
    let top = whole.get_after_help().cloned().map_or(top.clone(), |examples| top.after_help(examples));
    top.arg_required_else_help(true).disable_help_subcommand(true).subcommands(kept)
}

fn create_folder(folder: &Path) -> Result<std::path::PathBuf, String> {
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    Ok(folder.to_owned())
}

fn failed(folder: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", folder.display())
}
