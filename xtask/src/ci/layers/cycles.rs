//! Cycles of a graph: its strongly connected components, found by Tarjan's algorithm.

use std::collections::{BTreeMap, BTreeSet};

/// The edges of a graph: each node with the nodes that it points to.
pub(super) type Edges = BTreeMap<usize, BTreeSet<usize>>;

/// Returns the components of more than one node, each in ascending order.
pub(super) fn of(nodes: usize, edges: &Edges) -> Vec<Vec<usize>> {
    let mut search = Search {
        edges,
        next: 0,
        visited: vec![None; nodes],
        path: Vec::new(),
        found: Vec::new(),
    };
    for node in 0..nodes {
        search.visit(node);
    }
    search.found.sort();
    search.found
}

/// The state of a visited node.
#[derive(Clone, Copy)]
struct Visited {
    number: usize,
    is_on_path: bool,
}

struct Search<'a> {
    edges: &'a Edges,
    next: usize,
    visited: Vec<Option<Visited>>,
    path: Vec<usize>,
    found: Vec<Vec<usize>>,
}

impl Search<'_> {
    /// Returns the lowest index on the path that is reachable from the node.
    fn visit(&mut self, node: usize) -> usize {
        if let Some(visited) = self.visited[node] {
            return if visited.is_on_path {
                visited.number
            } else {
                usize::MAX
            };
        }
        let number = self.next;
        self.next += 1;
        self.visited[node] = Some(Visited {
            number,
            is_on_path: true,
        });
        self.path.push(node);
        let mut lowest = number;
        for &target in self.edges.get(&node).into_iter().flatten() {
            lowest = lowest.min(self.visit(target));
        }
        if lowest == number {
            self.close(node);
        }
        lowest
    }

    /// Removes a complete component from the path.
    fn close(&mut self, first: usize) {
        let Some(start) = self.path.iter().position(|&node| node == first) else {
            return;
        };
        let mut group = self.path.split_off(start);
        for &node in &group {
            if let Some(visited) = &mut self.visited[node] {
                visited.is_on_path = false;
            }
        }
        if group.len() > 1 {
            group.sort_unstable();
            self.found.push(group);
        }
    }
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
