#include "wgsl/glsl/writer.h"

#include <unordered_map>
#include <utility>

#include "wgsl/glsl/helpers.h"
#include "wgsl/glsl/types.h"
#include "wgsl/ir/builder.h"

namespace kem::wgsl::glsl {
namespace {

using ir::Instruction;
using ir::IntrinsicForm;
using ir::Op;
using ir::Value;
using sem::AddressSpace;
using sem::TypeKind;

// An expression's text, and whether it can stand before `.x` or `[i]`, or as an operand, as it is.
struct Text {
  std::string text;
  bool closed = true;
};

std::string operand_text(const Text& t) { return t.closed ? t.text : "(" + t.text + ")"; }

const char* unary_text(ast::UnaryOp op) {
  switch (op) {
    case ast::UnaryOp::Not:
      return "!";
    case ast::UnaryOp::Complement:
      return "~";
    default:
      return "-";
  }
}

const char* binary_text(ast::BinaryOp op) {
  static constexpr const char* kTexts[] = {" + ",  " - ",  " * ",  " / ",  " % ",  " & ", " | ",  " ^ ", " << ",
                                           " >> ", " && ", " || ", " == ", " != ", " < ", " <= ", " > ", " >= "};
  return kTexts[static_cast<size_t>(op)];
}

bool is_runtime_structure(const sem::Type* type) {
  const auto* structure = sem::as_struct(type);
  if (structure == nullptr || structure->members.empty()) return false;
  const auto* array = sem::as_array(structure->members.back().type);
  return array != nullptr && array->count_kind == sem::Array::Count::Runtime;
}

class Writer {
 public:
  Writer(const ir::Module& module, size_t max_bytes) : module_(module), max_bytes_(max_bytes), types_(names_) {}

  Result<std::string> run() {
    for (const ir::Function* f : module_.functions) {
      function_names_[f] = f == module_.entry ? "main" : names_.value(f->name);
    }
    std::string variables;
    for (const ir::Variable* v : module_.variables) variables += variable(*v);
    for (const ir::Function* f : module_.functions) function(*f);
    std::string text = header() + types_.declarations() + immediates() + variables + helpers_.definitions() + out_;
    if (types_.too_large()) {
      return fail(ErrorClass::UnsupportedKernel, "the kernel's constants have more than " +
                                                     std::to_string(Types::kMaxConstantScalars) + " components");
    }
    if (text.size() > max_bytes_ || too_long_) {
      return fail(ErrorClass::UnsupportedKernel,
                  "the kernel's translation is longer than " + std::to_string(max_bytes_) + " bytes");
    }
    return text;
  }

 private:
  // ---- Declarations

  std::string header() const {
    std::string text = "#version 460\n";
    const auto require = [&](bool needed, const char* extension) {
      if (needed) text += std::string("#extension ") + extension + " : require\n";
    };
    require(uses_uniform_, "GL_EXT_scalar_block_layout");
    require(uses_scopes_, "GL_KHR_memory_scope_semantics");
    require(module_.uses_f16, "GL_EXT_shader_explicit_arithmetic_types_float16");
    require(module_.uses_f16, "GL_EXT_shader_16bit_storage");
    for (const char* extension :
         {"GL_KHR_shader_subgroup_basic", "GL_KHR_shader_subgroup_vote", "GL_KHR_shader_subgroup_arithmetic",
          "GL_KHR_shader_subgroup_ballot", "GL_KHR_shader_subgroup_shuffle", "GL_KHR_shader_subgroup_shuffle_relative",
          "GL_KHR_shader_subgroup_quad"}) {
      require(module_.uses_subgroups, extension);
    }
    require(module_.uses_subgroups && module_.uses_f16, "GL_EXT_shader_subgroup_extended_types_float16");
    const auto& size = module_.workgroup_size;
    text += "layout(local_size_x = " + std::to_string(size[0]) + ", local_size_y = " + std::to_string(size[1]) +
            ", local_size_z = " + std::to_string(size[2]) + ") in;\n";
    if (immediate_.empty()) text += push_constants();
    if (uses_budget_) text += "layout(constant_id = 0) const uint kem_loop_budget = 4294967295u;\n";
    return text;
  }

  std::string push_constants() const {
    return "layout(push_constant, std430) uniform KemDispatch {\n  uvec4 base;\n  uvec4 count;\n" + immediate_ +
           "} kem_dispatch;\n";
  }
  // With a var<immediate>, the block comes after the types that it is made of.
  std::string immediates() const { return immediate_.empty() ? "" : push_constants(); }

  std::string variable(const ir::Variable& v) {
    const sem::Type* store = sem::as_pointer(v.type)->store;
    const std::string name = names_.value(v.name);
    value_names_[&v] = name;
    switch (v.space) {
      case AddressSpace::Uniform:
      case AddressSpace::Storage:
        return buffer(v, store, name);
      case AddressSpace::Immediate:
        immediate_ = "  " + types_.text(store, Placement::Buffer) + " immediate;\n";
        value_names_[&v] = "kem_dispatch.immediate";
        return "";
      case AddressSpace::Workgroup:
        return "shared " + types_.text(store) + " " + name + ";\n";
      default: {
        const std::string initial = v.initializer != nullptr ? types_.constant(v.initializer) : types_.zero(store);
        return types_.text(store) + " " + name + " = " + initial + ";\n";
      }
    }
  }

  // A block with one member, or, for a structure that ends in a runtime-sized array, with that structure's members.
  std::string buffer(const ir::Variable& v, const sem::Type* store, const std::string& name) {
    std::string text =
        "layout(std430, set = " + std::to_string(v.group) + ", binding = " + std::to_string(v.binding) + ") ";
    if (v.space == AddressSpace::Uniform) {
      uses_uniform_ = true;
      text += "uniform ";
    } else {
      text += v.access == sem::AccessMode::Read ? "readonly buffer " : coherent() ? "coherent buffer " : "buffer ";
    }
    text += names_.type(v.name) + " {\n";
    if (is_runtime_structure(store)) {
      text += types_.members(sem::as_struct(store), Placement::Buffer, "  ");
    } else {
      text += "  " + types_.text(store, Placement::Buffer) + " inner;\n";
      value_names_[&v] = name + ".inner";
    }
    return text + "} " + name + ";\n";
  }

  // Writes that a storageBarrier orders must be seen by the workgroup's other invocations.
  bool coherent() {
    if (!coherent_) {
      coherent_ = false;
      for (const ir::Function* f : module_.functions) find_storage_barrier(f->body);
    }
    return *coherent_;
  }
  void find_storage_barrier(const ir::Block* block) {
    for (const Instruction* i : block->instructions) {
      if (i->op == Op::Intrinsic && i->intrinsic == ir::Intrinsic::StorageBarrier) coherent_ = true;
      for (const ir::Block* b : i->blocks) {
        if (b != nullptr) find_storage_barrier(b);
      }
      for (const ir::SwitchCase& c : i->cases) find_storage_barrier(c.block);
    }
  }

  void function(const ir::Function& f) {
    std::string text = types_.text(f.return_type) + " " + function_names_[&f] + "(";
    for (const ir::Parameter* p : f.parameters) {
      if (p != f.parameters.front()) text += ", ";
      const auto* pointer = sem::as_pointer(p->type);
      const std::string name = names_.value(p->name);
      value_names_[p] = name;
      text += (pointer != nullptr ? "inout " + types_.text(pointer->store) : types_.text(p->type)) + " " + name;
    }
    line(text + ") {");
    body(f.body, true);
    line("}");
  }

  // ---- Statements

  void line(const std::string& text) {
    if (out_.size() > max_bytes_) {
      too_long_ = true;
      return;
    }
    out_.append(indent_ * 2, ' ').append(text).append("\n");
  }

  void body(const ir::Block* block, bool outermost = false) {
    ++indent_;
    for (const Instruction* i : block->instructions) {
      if (too_long_) break;
      const bool needless = outermost && i->op == Op::Return && i->operands.empty();  // the end returns anyway
      if (!i->forwarded && !needless) statement(*i);
    }
    --indent_;
  }

  void statement(const Instruction& i) {
    switch (i.op) {
      case Op::Var: {
        const std::string initial = text(i.operands[0]);
        declare(i, sem::as_pointer(i.type)->store, initial);
        return;
      }
      case Op::Store:
        return line(text(i.operands[0]) + " = " + text(i.operands[1]) + ";");
      case Op::If:
        return conditional(i);
      case Op::Switch:
        return switch_statement(i);
      case Op::Loop:
        line("while (true) {");
        body(i.blocks[0]);
        return line("}");
      case Op::Break:
        return line("break;");
      case Op::Continue:
        return line("continue;");
      case Op::Return:
        return line(i.operands.empty() ? "return;" : "return " + text(i.operands[0]) + ";");
      case Op::Unreachable:
        return;
      default:
        break;
    }
    const std::string value = expression(i).text;
    if (i.type->is(TypeKind::Void)) return line(value + ";");
    declare(i, i.type, value);
  }

  void declare(const Instruction& i, const sem::Type* type, const std::string& initial) {
    const std::string name = names_.value(i.name);
    value_names_[&i] = name;
    line(types_.text(type) + " " + name + " = " + initial + ";");
  }

  void conditional(const Instruction& i) {
    line("if (" + text(i.operands[0]) + ") {");
    body(i.blocks[0]);
    const ir::Block* other = i.blocks.size() > 1 ? i.blocks[1] : nullptr;
    if (other != nullptr && !other->instructions.empty()) {
      line("} else {");
      body(other);
    }
    line("}");
  }

  void switch_statement(const Instruction& i) {
    line("switch (" + text(i.operands[0]) + ") {");
    ++indent_;
    for (const ir::SwitchCase& c : i.cases) {
      for (const sem::Value* selector : c.selectors) line("case " + types_.constant(selector) + ":");
      if (c.is_default) line("default:");
      line("{");
      body(c.block);
      ++indent_;
      if (c.block->instructions.empty() || !leaves(c.block->instructions.back()->op)) line("break;");
      --indent_;
      line("}");
    }
    --indent_;
    line("}");
  }

  static bool leaves(Op op) { return op == Op::Break || op == Op::Continue || op == Op::Return; }

  // ---- Expressions

  std::string text(const Value* v) { return expression(v).text; }
  std::string operand(const Value* v) { return operand_text(expression(v)); }

  Text expression(const Value* v) {
    if (v->kind == ir::ValueKind::Constant) {
      std::string constant = types_.constant(static_cast<const ir::Constant*>(v)->value);
      const bool closed = constant.front() != '-';
      return {std::move(constant), closed};
    }
    if (v->kind == ir::ValueKind::Instruction) {
      const auto& i = static_cast<const Instruction&>(*v);
      if (i.forwarded) return expression(i);
    }
    return {value_names_[v]};
  }

  Text expression(const Instruction& i) {
    switch (i.op) {
      case Op::Load:
        return expression(i.operands[0]);
      case Op::Access:
        return {access(i)};
      case Op::ArrayLength:
        return {"uint(" + text(i.operands[0]) + ".length())"};
      case Op::Unary:
        return {unary_text(i.unary) + operand(i.operands[0]), false};
      case Op::Binary:
        return {operand(i.operands[0]) + binary_text(i.binary) + operand(i.operands[1]), false};
      case Op::Convert:
      case Op::Construct:
        return {types_.text(i.type) + arguments(i)};
      case Op::Swizzle: {
        std::string components;
        for (uint32_t k = 0; k < sem::width_of(i.type); ++k) components += "xyzw"[i.swizzle[k]];
        return {operand(i.operands[0]) + "." + components};
      }
      case Op::Intrinsic:
        return intrinsic(i);
      case Op::Call:
        return {function_names_[i.callee] + arguments(i)};
      default:
        return {};
    }
  }

  std::string arguments(const Instruction& i) {
    std::string list = "(";
    for (size_t k = 0; k < i.operands.size(); ++k) list += (k == 0 ? "" : ", ") + text(i.operands[k]);
    return list + ")";
  }

  std::string access(const Instruction& i) {
    const Value* base = i.operands[0];
    const auto* pointer = sem::as_pointer(base->type);
    const sem::Type* type = pointer != nullptr ? pointer->store : base->type;
    std::string path = operand(base);
    for (size_t k = 1; k < i.operands.size(); ++k) {
      if (const auto* structure = sem::as_struct(type)) {
        const auto& member = structure->members[static_cast<size_t>(*ir::constant_integer(i.operands[k]))];
        path += "." + Names::member(member.name, member.index);
        type = member.type;
        continue;
      }
      const auto constant = ir::constant_integer(i.operands[k]);
      if (const auto* vector = sem::as_vector(type)) {
        path += constant ? std::string(".") + "xyzw"[*constant & 3] : "[" + text(i.operands[k]) + "]";
        type = vector->element;
        continue;
      }
      path += "[" + (constant ? std::to_string(*constant) : text(i.operands[k])) + "]";
      const auto* array = sem::as_array(type);
      type = array != nullptr ? array->element : sem::as_matrix(type)->column;
    }
    return path;
  }

  Text intrinsic(const Instruction& i) {
    const ir::IntrinsicRow& row = ir::row(i.intrinsic);
    switch (row.form) {
      case IntrinsicForm::Value:
        uses_budget_ |= i.intrinsic == ir::Intrinsic::LoopBudget;
        return {std::string(row.text)};
      case IntrinsicForm::Ternary:
        return {operand(i.operands[0]) + " ? " + operand(i.operands[1]) + " : " + operand(i.operands[2]), false};
      case IntrinsicForm::AtomicLoad:
        uses_scopes_ = true;
        return {"atomicLoad(" + text(i.operands[0]) + ", gl_ScopeDevice, 0, 0)"};
      case IntrinsicForm::AtomicStore:
        uses_scopes_ = true;
        return {"atomicStore(" + text(i.operands[0]) + ", " + text(i.operands[1]) + ", gl_ScopeDevice, 0, 0)"};
      case IntrinsicForm::Helper:
        helpers_.use(i.intrinsic, i.operands.empty() ? nullptr : i.operands[0]->type);
        uses_scopes_ |= i.intrinsic == ir::Intrinsic::StorageBarrier;
        break;
      case IntrinsicForm::Function:
        break;
    }
    return {std::string(row.text) + arguments(i)};
  }

  const ir::Module& module_;
  const size_t max_bytes_;
  Names names_;
  Types types_;
  Helpers helpers_;
  std::unordered_map<const Value*, std::string> value_names_;
  std::unordered_map<const ir::Function*, std::string> function_names_;
  std::string out_;
  std::string immediate_;  // the push constant block's last member, for the var<immediate>
  size_t indent_ = 0;
  bool too_long_ = false;
  bool uses_uniform_ = false, uses_scopes_ = false, uses_budget_ = false;
  std::optional<bool> coherent_;
};

}  // namespace

Result<std::string> write(const ir::Module& module, size_t max_bytes) { return Writer(module, max_bytes).run(); }

}  // namespace kem::wgsl::glsl
