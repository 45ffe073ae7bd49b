//! ONTO HOW FEW messages can those of a dimension be folded, so that the messages of a port stay apart?
//!
//! Messages are dealt into forests of stars ([`Star`]), and forests are taken two by two. A port of the side that is not busier, a
//! *leaf*, has at most one message in each of the two: it lies between a star of the one and a star of the other. So leaves are the
//! edges of a bipartite graph between stars, of which each has up to m, and by König's theorem m *colours* are enough for leaves of
//! a star to have different ones. Now all leaves of a colour may stand for one, and all ports of the busier side for one:
//! m leaves around it, with one message of either forest each. No two messages of a port have become the same.
//!
//! More than two forests have no such colours in general.

use super::super::super::graph::{Edge, Graph};
use super::super::super::{colouring, levels};
use super::super::star::Star;

/// What a group of forests becomes together with other messages: their labels, and the messages.
pub type Part = (Vec<u32>, Graph);

/// A dimension that is folded.
pub struct Fold {
    pub star: Star,
    /// What each message becomes: its forest, times the size of a star, and the colour of its leaf.
    pub labels: Vec<u32>,
    /// The longest message of each label; 0 if there is none.
    pub longest: Vec<u64>,
    /// Forests that are folded together.
    pub groups: Vec<Vec<u32>>,
}

impl Fold {
    /// The messages of `graph` in forests of such stars.
    pub fn new(graph: &Graph, star: Star) -> Self {
        let forests = levels::wide(graph, star.room()).0.steps;
        let groups = groups(graph, &forests);
        let colours: Vec<Vec<u32>> =
            groups.iter().map(|group| leaves(graph, star, &forests, group)).collect();
        let mut group_of = vec![0; forests.len().max(1)];
        for (k, group) in groups.iter().enumerate() {
            group.iter().for_each(|&forest| group_of[forest as usize] = k);
        }
        let label = |(e, &forest): (&Edge, &u32)| {
            forest * star.size + colours[group_of[forest as usize]][leaf(star, e) as usize]
        };
        let labels: Vec<u32> = graph.edges().iter().zip(&forests).map(label).collect();
        let mut longest = graph.longest(&labels);
        longest.resize(groups.iter().map(Vec::len).sum::<usize>() * star.size as usize, 0);
        Self { star, labels, longest, groups }
    }

    /// What those of a group become together with each of `others`.
    pub fn times(&self, group: &[u32], others: &Graph) -> Part {
        let size = self.star.size;
        let labels: Vec<u32> = group
            .iter()
            .flat_map(|forest| forest * size..(forest + 1) * size)
            .filter(|&label| self.longest[label as usize] > 0)
            .collect();
        let (senders, receivers) = if self.star.gathers { (size, 1) } else { (1, size) };
        let edge = |e: &Edge, label: u32| Edge {
            sender: e.sender * senders + label % senders,
            receiver: e.receiver * receivers + label % receivers,
            bytes: e.bytes.saturating_mul(self.longest[label as usize]),
        };
        let edges = others.edges().iter().flat_map(|e| labels.iter().map(move |&label| edge(e, label)));
        let graph = Graph::new(others.senders() * senders, others.receivers() * receivers, edges.collect());
        (labels, graph)
    }
}

/// Two forests each, one of long messages and one of short ones: where one side has most of the long messages, the other may have
/// most of the short ones.
fn groups(graph: &Graph, forests: &[u32]) -> Vec<Vec<u32>> {
    let longest = graph.longest(forests);
    let mut all: Vec<u32> = (0..).take(longest.len()).collect();
    all.sort_by_key(|&forest| std::cmp::Reverse(longest[forest as usize]));
    let (long, short) = all.split_at(all.len().div_ceil(2));
    let partner = short.iter().rev().map(Some).chain(std::iter::repeat(None));
    long.iter()
        .zip(partner)
        .map(|(&one, other)| std::iter::once(one).chain(other.copied()).collect())
        .collect()
}

fn leaf(star: Star, e: &Edge) -> u32 {
    if star.gathers { e.sender } else { e.receiver }
}

/// The colour of each leaf in the forests of a group.
fn leaves(graph: &Graph, star: Star, forests: &[u32], group: &[u32]) -> Vec<u32> {
    let (centres, leaves) = if star.gathers {
        (graph.receivers(), graph.senders())
    } else {
        (graph.senders(), graph.receivers())
    };
    // A leaf without a message in a forest is a star of its own there.
    let alone = |leaf: u32| Edge { sender: centres + leaf, receiver: centres + leaf, bytes: 1 };
    let mut between: Vec<Edge> = (0..leaves).map(alone).collect();
    for (e, forest) in graph.edges().iter().zip(forests) {
        let centre = if star.gathers { e.receiver } else { e.sender };
        let ends = &mut between[leaf(star, e) as usize];
        match group.iter().position(|one| one == forest) {
            Some(0) => ends.sender = centre,
            Some(_) => ends.receiver = centre,
            None => continue,
        }
        // Long ones first: so they gather in few colours.
        ends.bytes = ends.bytes.max(e.bytes);
    }
    colouring::fewest(&Graph::new(centres + leaves, centres + leaves, between))
}
