// The graph of the uniformity analysis (spec "Analyzing the Uniformity Requirements of a Function"): an edge from a
// to b says that b must be uniform for a to be. Nodes carry why they are there, for diagnostics.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "wgsl/sem/program.h"

namespace kem::wgsl::sem::uniformity {

using Node = uint32_t;
inline constexpr Node kNoNode = 0xffffffff;

enum class Reason : uint8_t {
  None,
  Condition,         // control flow from here on depends on the expression
  ModuleVariable,    // a read of `variable`, which invocations may change
  PointerParameter,  // a read through the pointer `variable`, likewise
  EntryInput,        // the entry point's parameter `variable`
  BuiltinResult,     // the result of the built-in function `name`
  CallResult,        // the result of `function`
  CallOutput         // what `function` leaves in the memory that its argument `index` points to
};

struct Cause {
  Reason reason = Reason::None;
  Span span{};
  const Variable* variable = nullptr;
  const Function* function = nullptr;
  std::string_view name{};
  uint32_t index = 0;
};

class Graph {
 public:
  // Nodes that every graph begins with; then three for each parameter.
  static constexpr Node kMayBeNonUniform = 0;
  static constexpr Node kControlFlowStart = 1;
  static constexpr Node kReturnValue = 2;
  static Node parameter_value(size_t i) { return static_cast<Node>(3 + 3 * i); }
  static Node parameter_contents(size_t i) { return static_cast<Node>(4 + 3 * i); }
  static Node parameter_output(size_t i) { return static_cast<Node>(5 + 3 * i); }

  explicit Graph(size_t parameters) : first_special_end_(parameter_value(parameters)) {
    for (Node i = 0; i < first_special_end_; ++i) add();
  }

  Node add() {
    nodes_.push_back({});
    return static_cast<Node>(nodes_.size() - 1);
  }
  // A node that says why: its cause is listed in a diagnostic whose path leads through it.
  Node add(Cause cause) {
    causes_.push_back(cause);
    nodes_.push_back({kNoNode, static_cast<uint32_t>(causes_.size())});
    return static_cast<Node>(nodes_.size() - 1);
  }
  void edge(Node from, Node to) {
    if (from == to || full()) return;
    ++work_;
    edges_.push_back({to, nodes_[from].first_edge});
    nodes_[from].first_edge = static_cast<uint32_t>(edges_.size() - 1);
  }
  // Other work, in the same measure as edges: so that no text makes the analysis long or large.
  void spend(size_t work) { work_ += work; }
  bool full() const { return work_ >= kMaxWork; }
  bool is_interior(Node node) const { return node >= first_special_end_; }
  size_t size() const { return nodes_.size(); }

  // A search's marks may be kept for further searches, which then look at new nodes only.
  struct Marks {
    std::vector<Node> parent;  // kNoNode: not reached
  };
  Marks marks() const { return {std::vector<Node>(nodes_.size(), kNoNode)}; }
  // Marks everything reachable from `start`, nearest first, and calls reached(node) for each special node met.
  // Special nodes are not searched further: they have no edges, but for the outputs, which are only ever starts.
  template <class F>
  void search(Node start, Marks& marks, F reached) const {
    if (marks.parent[start] != kNoNode) return;
    marks.parent[start] = start;
    std::vector<Node> queue{start};
    for (size_t at = 0; at < queue.size(); ++at) {
      const Node node = queue[at];
      if (!is_interior(node)) reached(node);
      for (uint32_t e = nodes_[node].first_edge; e != kNoNode; e = edges_[e].next) {
        const Node to = edges_[e].to;
        if (marks.parent[to] != kNoNode) continue;
        marks.parent[to] = node;
        queue.push_back(to);
      }
    }
  }
  // The causes on the way from the start of the search that reached `node`, in that order.
  std::vector<Cause> causes_to(Node node, const Marks& marks) const;

 private:
  static constexpr size_t kMaxWork = size_t{1} << 22;  // no honest function comes near
  struct NodeData {
    uint32_t first_edge = kNoNode;
    uint32_t cause = 0;  // in causes_, from 1; 0 for none
  };
  struct Edge {
    Node to;
    uint32_t next;
  };

  Node first_special_end_;
  size_t work_ = 0;
  std::vector<NodeData> nodes_;
  std::vector<Edge> edges_;
  std::vector<Cause> causes_;
};

}  // namespace kem::wgsl::sem::uniformity
