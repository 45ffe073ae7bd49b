//! Text about the growth of figures with the number of ranks: a row for each number of ranks and each scheduler, then
//! the schedulers without figures, with the reasons.

use super::{Growth, Stage};
use crate::columns::Side::{Left, Right};
use crate::columns::{grouped, table};
use reblock_plan::schedule::table::TABLE;

pub fn text(growth: &Growth) -> String {
    let head = ["ranks", "messages", "", "", "steps", "cost, bytes", "contention"];
    let mut rows = vec![head.map(String::from).to_vec()];
    for stage in &growth.stages {
        rows.extend(stage_rows(stage));
    }
    let mut text = String::from(
        "Counted message by message, without what ranks keep; contention is the most messages of a port in a step;\n* is what \
         the chooser takes, + was counted dimension by dimension, with what ranks keep\n\n",
    );
    text += &table(&[Right, Right, Left, Left, Right, Right, Right], &rows);
    if let (Some(first), Some(last)) = (growth.stages.first(), growth.stages.last()) {
        let side = |name: &str, stage: &Stage| {
            vec![name.to_string(), stage.from.clone(), "->".into(), stage.to.clone(), shape(stage)]
        };
        text += "\nLayouts\n";
        text += &table(&[Left, Left, Left, Left, Left], &[side("first", first), side("last", last)]);
    }
    text += "\nLeft out\n";
    text += &table(&[Left, Left, Left], &left_out(&growth.stages));
    text += &format!("\nNo further: {}\n", growth.ended);
    text
}

fn shape(stage: &Stage) -> String {
    let extents: Vec<String> = stage.shape.iter().map(|&n| grouped(n)).collect();
    format!("{} elements", extents.join(" x "))
}

fn stage_rows(stage: &Stage) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for scheduler in &stage.schedulers {
        let Some(count) = &scheduler.count else { continue };
        let marks = [(scheduler.name == stage.taken, "*"), (count.by_dimension, "+")];
        rows.push(vec![
            String::new(),
            String::new(),
            marks.iter().filter(|(holds, _)| *holds).map(|(_, mark)| *mark).collect(),
            scheduler.name.into(),
            grouped(count.steps),
            grouped(count.cost_bytes),
            grouped(count.contention),
        ]);
    }
    if let Some(first) = rows.first_mut() {
        (first[0], first[1]) = (grouped(stage.ranks), grouped(stage.messages));
    }
    rows
}

/// Returns the schedulers that were left out, each with the reason and its range of ranks.
fn left_out(stages: &[Stage]) -> Vec<Vec<String>> {
    let mut reasons: Vec<(&str, &str, u64, u64)> = Vec::new();
    for stage in stages {
        for scheduler in &stage.schedulers {
            let Some(why) = &scheduler.left_out else { continue };
            match reasons.iter_mut().find(|(name, reason, ..)| *name == scheduler.name && reason == why) {
                Some((_, _, _, last)) => *last = stage.ranks,
                None => reasons.push((scheduler.name, why, stage.ranks, stage.ranks)),
            }
        }
    }
    reasons.sort_by_key(|(name, ..)| TABLE.iter().position(|scheduler| scheduler.name == *name));
    let ranks = |first: u64, last: u64| match first == last {
        true => format!("at {} ranks", grouped(first)),
        false => format!("at {} to {} ranks", grouped(first), grouped(last)),
    };
    let row = |(name, why, first, last): (&str, &str, u64, u64)| {
        vec![name.to_string(), ranks(first, last), why.to_string()]
    };
    reasons.into_iter().map(row).collect()
}
