// The text form of the IR, for golden tests and for reading what a pass did:
//
//   var %0 data: ptr<storage, array<u32>, read_write> @group(0) @binding(1)
//   fn %4 main(%3 id: vec3<u32> @builtin(global_invocation_id)) @workgroup_size(64, 1, 1) {
//     %5: u32 = access %3, 0u
//     if %9 {
//       store %7, 1u
//     }
//   }
#include <cmath>
#include <cstdio>
#include <utility>

#include "wgsl/ir/intrinsic.h"
#include "wgsl/ir/ir.h"

namespace kem::wgsl::ir {
namespace {

std::string scalar_text(const sem::Value& value) {
  char text[64];
  switch (value.type->kind) {
    case sem::TypeKind::Bool:
      return value.boolean ? "true" : "false";
    case sem::TypeKind::I32:
      return std::to_string(value.integer) + "i";
    case sem::TypeKind::U32:
      return std::to_string(value.integer) + "u";
    case sem::TypeKind::F16:
      std::snprintf(text, sizeof text, "%.9gh", value.real);
      return text;
    default:
      std::snprintf(text, sizeof text, "%.9gf", value.real);
      return text;
  }
}

std::string constant_text(const sem::Value& value) {
  if (value.type->is_scalar()) return scalar_text(value);
  std::string text = sem::spelling(value.type) + "(";
  for (size_t i = 0; i < value.components.size(); ++i) {
    if (i != 0) text += ", ";
    text += constant_text(*value.components[i]);
  }
  return text + ")";
}

const char* op_name(Op op) {
  static constexpr const char* kNames[] = {"var",      "load",    "store",      "access",  "array_length", "unary",
                                           "binary",   "convert", "construct",  "swizzle", "builtin",      "intrinsic",
                                           "call",     "if",      "switch",     "loop",    "break_if",     "break",
                                           "continue", "return",  "unreachable"};
  return kNames[static_cast<size_t>(op)];
}

const char* unary_name(ast::UnaryOp op) {
  static constexpr const char* kNames[] = {"negate", "not", "complement", "indirection", "address_of"};
  return kNames[static_cast<size_t>(op)];
}

const char* binary_name(ast::BinaryOp op) {
  static constexpr const char* kNames[] = {"add", "sub",         "mul",        "div", "rem", "and", "or", "xor", "shl",
                                           "shr", "logical_and", "logical_or", "eq",  "ne",  "lt",  "le", "gt",  "ge"};
  return kNames[static_cast<size_t>(op)];
}

class Printer {
 public:
  std::string run(const Module& module) {
    for (const Variable* v : module.variables) variable(*v);
    for (const Function* f : module.functions) function(*f, f == module.entry ? &module : nullptr);
    return std::move(out_);
  }

 private:
  static std::string ref(const Value* v) {
    if (v == nullptr) return "null";
    if (v->kind == ValueKind::Constant) return constant_text(*static_cast<const Constant*>(v)->value);
    return "%" + std::to_string(v->id);
  }
  static std::string named(const Value& v) {
    return ref(&v) + (v.name.empty() ? "" : " " + std::string(v.name)) + ": " + sem::spelling(v.type);
  }
  void line(const std::string& text) { out_ += std::string(indent_ * 2, ' ') + text + "\n"; }

  void variable(const Variable& v) {
    std::string text = "var " + named(v);
    if (v.space == AddressSpace::Uniform || v.space == AddressSpace::Storage) {
      text += " @group(" + std::to_string(v.group) + ") @binding(" + std::to_string(v.binding) + ")";
    }
    if (v.initializer != nullptr) text += " = " + constant_text(*v.initializer);
    line(text);
  }

  void function(const Function& f, const Module* entry_of) {
    std::string text = "fn %" + std::to_string(f.id) + " " + std::string(f.name) + "(";
    for (size_t i = 0; i < f.parameters.size(); ++i) {
      if (i != 0) text += ", ";
      text += named(*f.parameters[i]);
      if (f.parameters[i]->builtin) text += " @builtin(" + std::string(sem::name(*f.parameters[i]->builtin)) + ")";
    }
    text += ")";
    if (!f.return_type->is(sem::TypeKind::Void)) text += " -> " + sem::spelling(f.return_type);
    if (entry_of != nullptr) {
      const auto& size = entry_of->workgroup_size;
      text += " @workgroup_size(" + std::to_string(size[0]) + ", " + std::to_string(size[1]) + ", " +
              std::to_string(size[2]) + ")";
    }
    line(text + " {");
    body(f.body);
    line("}");
  }

  void body(const Block* block) {
    ++indent_;
    if (block != nullptr) {
      for (const Instruction* i : block->instructions) instruction(*i);
    }
    --indent_;
  }

  static std::string operation(const Instruction& i) {
    switch (i.op) {
      case Op::Unary:
        return unary_name(i.unary);
      case Op::Binary:
        return binary_name(i.binary);
      case Op::Builtin:
        return std::string(sem::name(i.builtin));
      case Op::Intrinsic:
        return "!" + std::string(name(i.intrinsic));
      case Op::Call:
        return i.callee == nullptr ? "call null"
                                   : "call %" + std::to_string(i.callee->id) + " " + std::string(i.callee->name);
      case Op::Swizzle: {
        std::string text = "swizzle .";
        for (uint32_t k = 0; k < sem::width_of(i.type); ++k) text += "xyzw"[i.swizzle[k] & 3];
        return text;
      }
      default:
        return op_name(i.op);
    }
  }

  void instruction(const Instruction& i) {
    if (i.op == Op::Switch) return switch_statement(i);
    std::string text = i.type->is(sem::TypeKind::Void) ? "" : named(i) + " = ";
    text += operation(i);
    for (size_t k = 0; k < i.operands.size(); ++k) text += (k == 0 ? " " : ", ") + ref(i.operands[k]);
    if (i.forwarded) text += " @forwarded";
    if (i.blocks.empty()) return line(text);
    line(text + " {");
    body(i.blocks[0]);
    if (i.blocks.size() > 1 && i.blocks[1] != nullptr) {
      line(i.op == Op::Loop ? "} continuing {" : "} else {");
      body(i.blocks[1]);
    }
    line("}");
  }

  void switch_statement(const Instruction& i) {
    line("switch " + (i.operands.empty() ? "null" : ref(i.operands[0])) + " {");
    ++indent_;
    for (const SwitchCase& c : i.cases) {
      std::string text = "case ";
      for (size_t k = 0; k < c.selectors.size(); ++k) text += (k == 0 ? "" : ", ") + constant_text(*c.selectors[k]);
      if (c.is_default) text += c.selectors.empty() ? "default" : ", default";
      line(text + " {");
      body(c.block);
      line("}");
    }
    --indent_;
    line("}");
  }

  std::string out_;
  size_t indent_ = 0;
};

}  // namespace

std::string print(const Module& module) { return Printer().run(module); }

}  // namespace kem::wgsl::ir
