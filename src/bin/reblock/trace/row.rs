//! A row of the page's table: the calls of one shape. Each figure is a text, with a number to sort by.

use super::course::{Course, course};
use crate::drawing::{Movement, Time, steps, timeline, times};
use reblock::trial::{Entry, Quantiles, Statistics, Versus, bytes, count_text, duration, percent};
use serde::Serialize;

#[derive(Serialize)]
pub struct Row {
    number: usize,
    call: String,
    extents: String,
    from: String,
    to: String,
    cells: Vec<Cell>,
    bars: String,
    result: String,
    differs: bool,
    facts: Vec<(&'static str, String)>,
    drawings: Vec<Figure>,
    not_drawn: String,
}

/// A drawing with its caption, and its name for screen readers.
#[derive(Serialize)]
struct Figure {
    caption: &'static str,
    name: String,
    drawing: String,
}

/// A cell of the table: a text, a note beside it, and the number to sort by.
#[derive(Serialize)]
struct Cell {
    text: String,
    note: String,
    key: f64,
}

impl Cell {
    fn new(text: String, key: f64) -> Self {
        Self { text, note: String::new(), key }
    }
}

/// Returns the column heads of [`Row::cells`], for a launch with compared calls or for a launch without.
pub fn columns(was_compared: bool) -> Vec<&'static str> {
    match was_compared {
        true => {
            let saved = "saved in later calls (and in the first)";
            vec!["calls", "ScaLAPACK, median", "reblock, median", "times as fast", saved]
        }
        false => vec!["calls", "median", "99 % within", "in all", "sent by a call"],
    }
}

/// Returns the seconds that reblock took in the calls of a shape. If calls were compared, sums the times of the
/// compared calls, each on its slowest rank. Otherwise adds the first call's time on its slowest rank and the sum of
/// all later calls, averaged over the ranks.
pub fn reblock_seconds(entry: &Entry) -> f64 {
    let figures = &entry.figures;
    match &figures.versus {
        Some(versus) => versus.first[0] + versus.ours.total(),
        None => figures.first + figures.time.total() / real(figures.participants.max(1)),
    }
}

/// Returns the number of calls whose results differed.
pub fn different(entry: &Entry) -> u64 {
    entry.figures.versus.as_ref().map_or(0, |versus| versus.different)
}

/// Returns the seconds that ScaLAPACK took, if the calls were compared.
pub fn scalapack_seconds(entry: &Entry) -> Option<f64> {
    entry.figures.versus.as_ref().map(|versus| versus.first[1] + versus.theirs.total())
}

/// Returns the row of `entry`, with drawings if `drawn` is set. `was_compared` says whether the launch compared calls
/// of any shape.
pub fn row(number: usize, entry: &Entry, was_compared: bool, drawn: bool) -> Result<Row, String> {
    let Entry { shape, figures } = entry;
    let extents: Vec<String> = shape.extents.iter().map(u64::to_string).collect();
    let different = different(entry);
    let result = match (&figures.versus, different) {
        (None, _) => "not compared".into(),
        (Some(Versus { rounded: 1.., .. }), 0) => "equal but for rounding".into(),
        (_, 0) => "equal".into(),
        (Some(versus), n) => format!("DIFFERENT in {n} of {}", versus.compared),
    };
    let mut row = Row {
        number,
        call: shape.call.clone(),
        extents: extents.join(" × "),
        from: side(&shape.from, &shape.from.to_string()),
        to: side(&shape.to, &shape.to.to_string()),
        cells: cells(entry, was_compared),
        bars: bars(figures)?,
        result,
        differs: different > 0,
        facts: facts(entry),
        drawings: Vec::new(),
        not_drawn: String::new(),
    };
    let course =
        if drawn { course(entry) } else { Err("a page has drawings of the first shapes only".into()) };
    // If the run has recorded a reason, the fact "schedule" has it, and a reason computed here might contradict it.
    if figures.schedule.as_ref().is_some_and(|schedule| schedule.why.is_empty()) {
        let why = course.as_ref().ok().map(|course| course.choice.why.clone());
        row.facts.extend(why.filter(|why| !why.is_empty()).map(|why| ("why this schedule", why)));
    }
    match course {
        Ok(course) => draw(&mut row, &course, entry),
        Err(why) => row.not_drawn = why,
    }
    Ok(row)
}

/// Maximum number of messages of a shape that a page adds up.
const MAX_MESSAGES: u64 = 1 << 18;

/// Draws the calls of a row. `not_drawn` gets the reasons why drawings are missing, each reason once.
fn draw(row: &mut Row, course: &Course, entry: &Entry) {
    let (shape, figures) = (&entry.shape, &entry.figures);
    let movement = match (shape.part.0.as_str(), course.traffic.messages()) {
        ("whole", 0..=MAX_MESSAGES) => {
            let axes: Vec<usize> = (0..course.traffic.dims.len()).collect();
            Movement::new(&course.traffic, [&row.from, &row.to], &axes, None).map(|drawn| drawn.parts())
        }
        ("whole", _) => Err("there are too many messages".into()),
        _ => Err("only a trapezoid of the section moves".into()),
    };
    let mut missing = Vec::new();
    let mut drawn = |drawing: Result<String, String>, caption, name: &str| match drawing {
        Ok(drawing) => {
            row.drawings.push(Figure { caption, name: format!("{name} of shape {}", row.number), drawing })
        }
        Err(why) if !missing.contains(&why) => missing.push(why),
        Err(_) => {}
    };
    let [owners, messages] = match movement {
        Ok(parts) => parts.map(Ok),
        Err(why) => [Err(why.clone()), Err(why)],
    };
    drawn(owners, "Who owns what, before and after", "Tiles with their owners");
    drawn(
        messages,
        "Messages: who sends how much to whom, darker for more bytes, with the sums of both sides",
        "Matrix of messages",
    );
    // Reports of earlier versions have no times of a single call.
    if !figures.timeline.is_empty() {
        drawn(
            timeline(&figures.timeline, &course.traffic),
            "One call, as measured: a bar is the call on a rank, grey the time in which the rank waited. Clocks of nodes may differ",
            "Times by rank",
        );
    }
    let chart = match course.schedule.scheduler.for_nodes && course.traffic.nodes().is_none() {
        true => Err("the trace does not say which ranks share a node, on which the steps depend".into()),
        false => steps(&course.traffic, &course.schedule),
    };
    drawn(
        chart,
        "Steps by port: when sender n (n →) sends, and receiver n (→ n) receives, if all steps are equally fast",
        "Chart of steps by port",
    );
    row.not_drawn = missing.join("; ");
}

/// Returns `notation`, a layout as text, followed by the properties that the notation leaves out.
fn side(side: &reblock::trial::CallLayout, notation: &str) -> String {
    let list = |text: &str, numbers: Vec<String>| format!("{text} ({})", numbers.join(","));
    let mut text = notation.to_string();
    if side.starts.iter().any(|&start| start > 0) {
        text +=
            &list(", from", side.starts.iter().map(|start| start.saturating_add(1).to_string()).collect());
    }
    if side.firsts.iter().any(|&first| first > 0) {
        text += &list(", first block at", side.firsts.iter().map(u32::to_string).collect());
    }
    for (d, &[origin, stride, step]) in side.aligns.iter().enumerate() {
        if (origin, stride) != (0, 1) {
            text += &format!(", dimension {} aligned with {stride}*i+{origin}, i from 0", d + 1);
        }
        if step != 1 {
            text += &format!(", step {step} in dimension {}", d + 1);
        }
    }
    let copies = side.grid.iter().skip(side.formats.len()).map(|&extent| u64::from(extent));
    match copies.fold(1, u64::saturating_mul) {
        // The grid of an array in boxes has only the set of ranks.
        copies if copies != 1 && !side.boxes => text + &format!(", {copies} copies"),
        _ => text,
    }
}

fn cells(entry: &Entry, was_compared: bool) -> Vec<Cell> {
    let figures = &entry.figures;
    let time = |seconds: f64| Cell::new(duration(seconds), seconds);
    let calls = Cell::new(figures.calls.to_string(), real(figures.calls));
    if !was_compared {
        let (median, p99) = typical_times(&figures.time, figures.first);
        let sent = Cell::new(bytes(figures.sent), real(figures.sent));
        return vec![calls, time(median), time(p99), time(reblock_seconds(entry)), sent];
    }
    let Some(versus) = &figures.versus else {
        let none = || Cell::new("–".into(), f64::MIN);
        return vec![calls, none(), time(typical_times(&figures.time, figures.first).0), none(), none()];
    };
    let [ours, theirs] = medians(versus);
    let ratio = theirs / ours.max(1e-9);
    let ratio = match versus.shows_difference() {
        Some(false) => Cell::new("not shown".into(), 1.0),
        _ => Cell::new(format!("{ratio:.2}"), ratio),
    };
    vec![calls, time(theirs), time(ours), ratio, saved_time_cell(versus)]
}

/// Returns a cell with the time that reblock saved in later calls, to which the medians and ratios also refer. The note
/// has the time saved in the first call; the key is the sum of both times, in seconds.
fn saved_time_cell(versus: &Versus) -> Cell {
    let signed = |saved: f64| format!("{}{}", if saved < 0.0 { "−" } else { "" }, duration(saved.abs()));
    let (later, first) = (versus.theirs.total() - versus.ours.total(), versus.first[1] - versus.first[0]);
    let text = if versus.ours.count() == 0 { "–".into() } else { signed(later) };
    Cell { text, note: format!("({})", signed(first)), key: later + first }
}

/// Returns the median and the 99th percentile of later calls, in seconds. If there was only one call, both are the time
/// of that call.
fn typical_times(spread: &Quantiles, first: f64) -> (f64, f64) {
    match spread.count() {
        0 => (first, first),
        _ => (spread.quantile(0.5), spread.quantile(0.99)),
    }
}

fn medians(versus: &Versus) -> [f64; 2] {
    [typical_times(&versus.ours, versus.first[0]).0, typical_times(&versus.theirs, versus.first[1]).0]
}

fn bars(figures: &Statistics) -> Result<String, String> {
    let bar = |colour, spread: &Quantiles, first| {
        let (median, p99) = typical_times(spread, first);
        let least = if spread.count() == 0 { first } else { spread.least() };
        Time { colour, median, spread: (least, p99) }
    };
    match &figures.versus {
        Some(versus) => times(&[
            bar(Time::SCALAPACK, &versus.theirs, versus.first[1]),
            bar(Time::REBLOCK, &versus.ours, versus.first[0]),
        ]),
        None => times(&[bar(Time::REBLOCK, &figures.time, figures.first)]),
    }
}

fn facts(entry: &Entry) -> Vec<(&'static str, String)> {
    let Entry { shape, figures } = entry;
    let mut facts = vec![
        (
            "section",
            format!("{}, {} bytes per element, {}", bytes(shape.bytes()), shape.element, shape.part.0),
        ),
        ("ranks", format!("{} of {} took part", figures.participants, shape.ranks)),
        (
            "a call sends",
            format!(
                "{} in {}; {} stay",
                bytes(figures.sent),
                count_text(figures.messages, "message"),
                bytes(figures.kept)
            ),
        ),
        ("buffers", format!("at most {} on a rank", bytes(figures.buffers))),
    ];
    let all = figures.first + figures.time.total();
    if all > 0.0 {
        let waiting = percent((figures.waiting / all).min(1.0));
        facts.push(("waiting for other ranks", format!("{waiting} of reblock's time")));
    }
    facts.push(("first call, with its plan", first(figures)));
    if let Some(versus) = &figures.versus {
        let spread = |spread: &Quantiles| match spread.count() {
            0 => "one call only".into(),
            _ => format!(
                "{} to {}, 99 % within {}",
                duration(spread.least()),
                duration(spread.greatest()),
                duration(spread.quantile(0.99))
            ),
        };
        facts.push(("ScaLAPACK's later calls", spread(&versus.theirs)));
        facts.push(("reblock's later calls", spread(&versus.ours)));
        let [ours, theirs] = versus.memory.map(bytes);
        facts.push((
            "memory that a call took",
            format!("ScaLAPACK at most {theirs} on a rank, reblock {ours}"),
        ));
    }
    facts.push(("transport, calls of all ranks", figures.transports.text()));
    let ways = figures.ways.text();
    if !ways.is_empty() {
        facts.push(("calls of all ranks, by way", ways));
    }
    if let Some(schedule) = &figures.schedule {
        facts.push(("schedule", schedule.text()));
    }
    facts
}

fn first(figures: &Statistics) -> String {
    match &figures.versus {
        Some(versus) => {
            let [ours, theirs] = versus.first.map(duration);
            format!("ScaLAPACK {theirs}, reblock {ours}")
        }
        None => duration(figures.first),
    }
}

#[allow(clippy::cast_precision_loss)]
fn real(n: u64) -> f64 {
    n as f64
}
