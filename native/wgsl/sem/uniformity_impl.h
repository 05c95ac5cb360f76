// What the uniformity analysis' files share. Private to native/wgsl/sem/uniformity*.cc.
#pragma once

#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.h"
#include "wgsl/sem/pointer_roots.h"
#include "wgsl/sem/program.h"
#include "wgsl/sem/uniformity_graph.h"
#include "wgsl/syntax/ast.h"

namespace kem::wgsl::sem::uniformity {

// Something that must be uniform, or a diagnostic of `severity` results: control flow at a call, an argument's
// value, or what an argument points to.
struct Requirement {
  enum class Kind : uint8_t { ControlFlow, Value, Contents };
  Severity severity;
  Kind kind;
  const ast::Call* call;
  uint32_t argument = 0;               // Value, Contents
  std::string_view builtin{};          // the built-in function that requires it, or …
  const Function* callee = nullptr;    // … the function, of which
  const Requirement* inner = nullptr;  // this requirement is why
  std::string_view rule{};             // the triggering rule; "" cannot be filtered
};

// Spec "Terminology and Concepts": whose invocations must agree. Where language extension subgroup_uniformity is not
// available there is one analysis, of workgroups and draws, that also holds subgroup operations; else these go by a
// second analysis of their own.
enum class Scope : uint8_t { All, Workgroup, Subgroup };

// The tags of one function (spec "Call site tag", "Function tag", "Parameter tag", "Parameter return tag", "Pointer
// parameter tag"). Null requirement: no restriction.
struct Summary {
  struct Parameter {
    const Requirement* value_required = nullptr;
    const Requirement* contents_required = nullptr;
    bool value_returned = false;
    bool contents_returned = false;
    bool output_may_be_non_uniform = false;
    std::optional<Cause> output_cause;
    std::vector<uint32_t> output_values;    // parameters whose values reach what this one points to
    std::vector<uint32_t> output_contents;  // parameters whose contents do
  };
  const Requirement* control_flow_required = nullptr;
  bool return_may_be_non_uniform = false;
  std::optional<Cause> return_cause;
  std::vector<Parameter> parameters;
};

// The nearest enclosing diagnostic filter of one rule (spec "Diagnostic Filtering"), found in logarithmic time.
class FilterIndex {
 public:
  FilterIndex(const std::vector<DiagnosticFilter>& filters, std::string_view rule);
  Severity at(Span location) const;  // Error where no filter applies

 private:
  struct Range {
    Span span;
    Severity severity;
    size_t parent;  // index + 1 of the range around it; 0 for none
  };
  std::vector<Range> ranges_;  // by begin
};

struct Context {
  Context(const Info& program, Scope analysed)
      : info(program),
        scope(analysed),
        derivative(program.filters, "derivative_uniformity"),
        subgroup(program.filters, "subgroup_uniformity") {}

  const Info& info;
  const Scope scope;
  FilterIndex derivative;
  FilterIndex subgroup;
  std::unordered_map<const Function*, Summary> summaries;
  std::deque<Requirement> requirements;  // addresses are kept by summaries
};

// Which function-scope variables each loop and switch may write.
class Writes {
 public:
  Writes(const Info& info, const Function& function, const PointerRoots& roots);
  const std::vector<const Variable*>& of(const ast::Stmt* statement) const;  // by Variable::id, ascending

 private:
  void statement(const ast::Stmt* statement);
  void gather(const ast::Stmt* statement);
  void branches(const ast::If* statement);
  void calls(const ast::Stmt* statement);
  void write(const ast::Expr* view);

  const Info& info_;
  const PointerRoots& roots_;
  std::unordered_map<const ast::Stmt*, std::vector<const Variable*>> writes_;
  std::vector<const Variable*>* innermost_ = nullptr;
};

// Whether the memory belongs to the function's own variables: those whose values the analysis follows.
bool is_tracked(const Variable* variable);
bool is_view(const Type* type);  // a reference or a pointer

// Walks one function and builds its graph.
class Builder {
 public:
  Builder(Context& context, const Function& function);
  void run();

  Graph graph;
  struct Placed {
    Requirement requirement;
    Node node;
  };
  std::vector<Placed> required;

 private:
  // Spec "Statement Behavior Analysis".
  enum Behavior : uint8_t { kNext = 1, kBreak = 2, kContinue = 4, kReturn = 8 };
  struct Result {
    Node cf;
    uint8_t behavior;
  };
  // The values of the variables that `statement` writes where control flow joins at its head, its continuing part
  // or its end: a node each, with an edge per arrival. Made by the first arrival, so that variables declared in a
  // loop's body before it are known in the continuing part.
  struct Join {
    const ast::Stmt* statement;
    bool arrived = false;
    std::vector<std::pair<uint32_t, Node>> nodes{};  // by Variable::id, ascending
    size_t seen = 0;                                 // entries of the journal that earlier arrivals took in
  };
  struct Frame {  // what break and continue leave
    Join* breaks;
    Join* continues;  // null in a switch
  };
  struct Outcome {
    Result result;
    std::vector<std::pair<uint32_t, Node>> changed;
  };

  // uniformity_statements.cc
  Result statements(Node cf, std::span<const ast::Stmt* const> list);
  Result statement(Node cf, const ast::Stmt* statement);
  Result if_statement(Node cf, const ast::If* statement);
  Result switch_statement(Node cf, const ast::Switch* statement);
  Result loop_statement(Node cf, const ast::Loop* statement);
  Result for_statement(Node cf, const ast::For* statement);
  Result while_statement(Node cf, const ast::While* statement);
  template <class Body, class Continuing>
  Result loop(Node cf, const ast::Stmt* statement, Body body, Continuing continuing);
  void declaration(Node cf, const ast::Variable* variable);
  void assign(Node cf, const ast::Expr* lhs, const ast::Expr* rhs, bool reads_lhs);
  void return_statement(Node cf, const ast::Return* statement);
  void leave_function();
  Node condition(Node cf, const ast::Expr* expression);

  // Values of variables.
  struct Slot {
    Node value = kNoNode;
    uint32_t stamp = 0;  // the last list of changes that it was in
  };
  Node current(const Variable* variable) const { return current(variable->id); }
  Node current(uint32_t id) const;
  Slot& slot(uint32_t id);
  bool first_seen(uint32_t id);
  void set(const Variable* variable, Node value) { set(variable->id, value); }
  void set(uint32_t id, Node value);
  std::vector<std::pair<uint32_t, Node>> changes_since(size_t mark);
  void roll_back(size_t mark);
  void join(std::span<const Outcome> outcomes);
  void arrive(Join& join);
  void continue_from(const Join& join);

  // uniformity_expressions.cc
  Node value(Node cf, const ast::Expr* expression);
  Node value(Node cf, const ast::Expr* expression, bool loaded);
  Node leaf(Node cf, const ast::Expr* expression, bool loaded);
  Node combine(Node cf, const ast::Expr* expression, Node left);
  Node short_circuit(Node cf, const ast::Binary* expression, Node left);
  Node identifier(Node cf, const ast::Identifier* expression, bool loaded);
  Node parameter(Node cf, const ast::Identifier* expression, const Variable* variable, bool loaded);
  Node contents(const Variable* root, Span span);
  Node call(Node cf, const ast::Call* call);
  Node call_builtin(Node cf, const ast::Call* call, Builtin builtin, std::span<const Node> arguments);
  Node call_function(Node cf, const ast::Call* call, const Function& callee, std::span<const Node> arguments);
  void write_outputs(const ast::Call* call, const Function& callee, Node called, std::span<const Node> arguments,
                     std::span<const Node> argument_contents);
  void require(Requirement requirement, Node node);
  void require_in_workgroup(Requirement requirement, Node cf, Builtin builtin, std::span<const Node> arguments);
  void require_in_subgroup(Requirement requirement, Node cf, Builtin builtin, std::span<const Node> arguments);
  bool loads(const ast::Expr* expression) const;
  Node joined(std::initializer_list<Node> nodes);

  Context& context_;
  const Function& function_;
  PointerRoots roots_;
  Writes writes_;
  std::vector<Frame> frames_;
  std::vector<Slot> current_;  // by Variable::id, from first_id_ on
  uint32_t first_id_ = 0;
  std::vector<std::pair<uint32_t, Node>> log_;  // variable, its value before: for roll_back
  std::vector<uint32_t> journal_;               // every variable whose value changed, in order
  uint32_t stamp_ = 0;
  std::vector<Node> returned_;  // by parameter: the last value that a return recorded
};

}  // namespace kem::wgsl::sem::uniformity
