//! Cycles of a graph: its strongly connected components.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

/// The edges of a graph: each node with the nodes that it points to.
pub(super) type Edges = BTreeMap<usize, BTreeSet<usize>>;

/// Returns the components of more than one node, each in ascending order.
pub(super) fn of(nodes: usize, edges: &Edges) -> Vec<Vec<usize>> {
    let mut graph = DiGraph::<(), (), usize>::default();
    let nodes: Vec<_> = (0..nodes).map(|_| graph.add_node(())).collect();
    for (&from, targets) in edges {
        for &to in targets {
            graph.add_edge(nodes[from], nodes[to], ());
        }
    }
    let several = tarjan_scc(&graph)
        .into_iter()
        .filter(|nodes| nodes.len() > 1);
    let mut cycles: Vec<Vec<usize>> = several
        .map(|nodes| nodes.into_iter().map(NodeIndex::index).collect())
        .collect();
    for cycle in &mut cycles {
        cycle.sort_unstable();
    }
    cycles.sort();
    cycles
}

#[cfg(test)]
mod tests {
    use super::{Edges, of};

    #[test]
    fn only_strongly_connected_components_are_found() {
        let edges: Edges = [
            (0, [1, 3].into()),
            (1, [2].into()),
            (2, [0, 4].into()),
            (4, [5].into()),
            (5, [4].into()),
            (6, [0].into()),
        ]
        .into();
        assert_eq!(of(7, &edges), [vec![0, 1, 2], vec![4, 5]]);
    }
}
