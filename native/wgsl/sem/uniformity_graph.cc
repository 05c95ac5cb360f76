#include "wgsl/sem/uniformity_graph.h"

#include <algorithm>

namespace kem::wgsl::sem::uniformity {

std::vector<Cause> Graph::causes_to(Node node, const Marks& marks) const {
  std::vector<Cause> causes;
  for (Node at = node;; at = marks.parent[at]) {
    if (nodes_[at].cause != 0) causes.push_back(causes_[nodes_[at].cause - 1]);
    if (marks.parent[at] == at) break;
  }
  std::ranges::reverse(causes);
  return causes;
}

}  // namespace kem::wgsl::sem::uniformity
