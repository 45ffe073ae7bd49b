//! Elements of drawings in SVG. Colours are classes of drawing.css, for light and dark screens and for paper.

use svg::node::element::Element;
use svg::node::{Node, Text};

/// Styles of all drawings. Each rule is for the inside of an element of the class `rb`.
pub const STYLE: &str = include_str!("drawing.css");

/// A rectangle of a drawing, in its units.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Frame {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Frame {
    /// Returns the frame as steps of an SVG path.
    pub fn path(&self) -> String {
        let [x, y, width, height] = [self.x, self.y, self.width, self.height].map(short);
        format!("M{x} {y}h{width}v{height}h-{width}z")
    }
}

/// Formats a coordinate with at most two decimals.
pub fn short(x: f64) -> String {
    let text = format!("{x:.2}");
    text.trim_end_matches('0').trim_end_matches('.').into()
}

/// Returns an element with a class and other attributes.
pub fn element(name: &str, class: &str, attributes: &[(&str, String)]) -> Element {
    let mut element = Element::new(name);
    if !class.is_empty() {
        element.assign("class", class);
    }
    for (name, value) in attributes {
        element.assign(*name, value.clone());
    }
    element
}

/// Returns an element with a title, which browsers show at the pointer and screen readers read.
pub fn with_title(mut element: Element, title: impl Into<String>) -> Element {
    element.append(holding("title", title));
    element
}

/// Returns an element that holds a text.
pub fn holding(name: &str, text: impl Into<String>) -> Element {
    let mut element = Element::new(name);
    element.append(Text::new(text));
    element
}

pub fn rectangle(frame: Frame, class: &str) -> Element {
    let Frame { x, y, width, height } = frame;
    let [x, y, width, height] = [x, y, width, height].map(short);
    element("rect", class, &[("x", x), ("y", y), ("width", width), ("height", height)])
}

/// The point of a text that lies at the coordinates of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// Returns a text of `size` units. The `anchor` of its baseline lies at `(x, y)`.
pub fn text(
    content: impl Into<String>,
    (x, y): (f64, f64),
    size: f64,
    anchor: Anchor,
    class: &str,
) -> Element {
    let mut attributes = vec![("x", short(x)), ("y", short(y)), ("font-size", short(size))];
    match anchor {
        Anchor::Start => {}
        Anchor::Middle => attributes.push(("text-anchor", "middle".into())),
        Anchor::End => attributes.push(("text-anchor", "end".into())),
    }
    let mut made = element("text", class, &attributes);
    made.append(Text::new(content));
    made
}

/// Returns the approximate width of a text.
pub fn width(text: &str, size: f64) -> f64 {
    0.56 * size * super::chart::real(text.chars().count() as u64)
}

/// Divides a text into lines of about `room` units: at spaces, and after commas of words that are longer than a line.
pub fn lines(content: &str, room: f64, size: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut add = |piece: &str| {
        let line = lines.last_mut().expect("there is always one");
        if !line.is_empty() && width(line, size) + width(piece.trim_end(), size) > room {
            lines.push(piece.into());
        } else {
            line.push_str(piece);
        }
    };
    for word in content.split_inclusive(' ') {
        match width(word.trim_end(), size) > room {
            true => word.split_inclusive(',').for_each(&mut add),
            false => add(word),
        }
    }
    lines.iter().map(|line| line.trim_end().into()).collect()
}

/// Returns a whole drawing of the given size, with a title and a description for screen readers. `style` adds
/// [`STYLE`], for a drawing in a file of its own. A page has the styles once, for all its drawings.
pub fn drawing(size: (f64, f64), title: &str, about: &str, style: bool, parts: Vec<Element>) -> String {
    let (width, height) = (short(size.0), short(size.1));
    let mut root = element(
        "svg",
        "rb",
        &[
            ("xmlns", "http://www.w3.org/2000/svg".into()),
            ("viewBox", format!("0 0 {width} {height}")),
            ("role", "img".into()),
        ],
    );
    if style {
        // 1.75 pixels per unit, since most screens have room. A smaller screen shrinks the drawing.
        root.assign("width", short(size.0 * 1.75));
        root.assign("height", short(size.1 * 1.75));
    }
    root.append(holding("title", title));
    root.append(holding("desc", about));
    if style {
        root.append(holding("style", STYLE));
    }
    for part in parts {
        root.append(part);
    }
    format!("{root}\n")
}
