#include "wgsl/glsl/writer.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

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

std::string_view unary_text(ast::UnaryOp op) {
  switch (op) {
    case ast::UnaryOp::Not:
      return "!";
    case ast::UnaryOp::Complement:
      return "~";
    default:
      return "-";
  }
}

std::string_view binary_text(ast::BinaryOp op) {
  static constexpr std::string_view kTexts[] = {" + ",  " - ",  " * ",  " / ",  " % ",  " & ", " | ",  " ^ ", " << ",
                                                " >> ", " && ", " || ", " == ", " != ", " < ", " <= ", " > ", " >= "};
  return kTexts[static_cast<size_t>(op)];
}

bool is_runtime_structure(const sem::Type* type) {
  const auto* structure = sem::as_struct(type);
  if (structure == nullptr || structure->members.empty()) return false;
  const auto* array = sem::as_array(structure->members.back().type);
  return array != nullptr && array->count_kind == sem::Array::Count::Runtime;
}

}  // namespace

class Writer::Impl {
 public:
  Impl(const ir::Module& module, size_t max_bytes)
      : module_(module), max_bytes_(max_bytes), types_(names_), value_names_(module) {
    value_names_.fit();
    for (const ir::Function* f : module_.functions) name(*f);
  }

  bool function(const ir::Function& f) {
    value_names_.fit();
    for (; declared_ < module_.variables.size(); ++declared_) variables_ += variable(*module_.variables[declared_]);
    if (!function_names_.contains(&f)) name(f);
    write_function(f);
    return !too_long_;
  }

  Result<std::string> finish() {
    if (module_.orders_storage) make_coherent();
    uses_group_ |= std::ranges::any_of(module_.loop_weights, [](uint32_t most) { return most != 1; });
    std::string head = header();
    (head += types_.declarations()) += immediates() + variables_ + helpers_.definitions();
    std::string text = out_.take();
    text.insert(0, head);  // moves it within its memory, which for a large module is less work than more memory
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
    std::array<uint32_t, 3> size = module_.workgroup_size;
    if (module_.in_one_row()) size = {size[0] * size[1] * size[2], 1, 1};
    text += "layout(local_size_x = " + std::to_string(size[0]) + ", local_size_y = " + std::to_string(size[1]) +
            ", local_size_z = " + std::to_string(size[2]) + ") in;\n";
    if (immediate_.empty()) text += push_constants();
    if (uses_budget_) text += "layout(constant_id = 0) const uint kem_loop_budget = 4294967295u;\n";
    if (uses_group_) text += "layout(constant_id = 1) const uint kem_loop_group = 1u;\n";
    return text + loop_weights();
  }

  std::string loop_weights() const {
    std::string text;
    for (size_t k = 0; k < module_.loop_weights.size(); ++k) {
      const uint32_t most = module_.loop_weights[k];
      text += "#define " + std::string(row(ir::Intrinsic::LoopWeight).text) + std::to_string(k);
      text += most == 1                        ? " 1u\n"
              : most == ir::Module::kAnyWeight ? " kem_loop_group\n"
                                               : " min(kem_loop_group, " + std::to_string(most) + "u)\n";
    }
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
    const std::string name(names_.value(v.name));
    value_names_[&v] = name_texts_.copy(name);
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
        if (v.zeroed_by_entry_point) return types_.text(store) + " " + name + ";\n";
        const std::string initial = v.initializer != nullptr ? types_.constant(v.initializer) : types_.zero(store);
        return types_.text(store) + " " + name + " = " + initial + ";\n";
      }
    }
  }

  // A block with one member, which needs no name of the block before its own, or, for a structure that ends in a
  // runtime-sized array, with that structure's members.
  std::string buffer(const ir::Variable& v, const sem::Type* store, const std::string& name) {
    std::string text =
        "layout(std430, set = " + std::to_string(v.group) + ", binding = " + std::to_string(v.binding) + ") ";
    if (v.space == AddressSpace::Uniform) {
      uses_uniform_ = true;
      text += "uniform ";
    } else {
      if (v.access == sem::AccessMode::Read) {
        text += "readonly ";
      } else {
        written_buffers_.push_back(variables_.size() + text.size());
      }
      text += "buffer ";
    }
    (text += names_.type(v.name)) += " {\n";
    if (is_runtime_structure(store)) {
      Text members;
      types_.append_members(members, sem::as_struct(store), Placement::Buffer);
      return text + std::string(members.view()) + "} " + name + ";\n";
    }
    return text + "  " + types_.text(store, Placement::Buffer) + " " + name + ";\n};\n";
  }

  void name(const ir::Function& f) { function_names_[&f] = &f == module_.entry ? "main" : names_.value(f.name); }

  // Whether barriers order storage is known when all functions are.
  void make_coherent() {
    for (auto place = written_buffers_.rbegin(); place != written_buffers_.rend(); ++place) {
      variables_.insert(*place, "coherent ");
    }
  }

  void write_function(const ir::Function& f) {
    begin_line();
    types_.append_text(out_, f.return_type);
    put(" ", function_names_[&f], "(");
    for (const ir::Parameter* p : f.parameters) {
      if (p != f.parameters.front()) put(", ");
      const auto* pointer = sem::as_pointer(p->type);
      if (pointer != nullptr) {
        put("inout ");
      } else if (p->type->is_scalar() || sem::as_vector(p->type) != nullptr) {
        put("const ");  // else glslang passes a copy in memory; of what has an index it would make one for each use
      }
      type_and_name(pointer != nullptr ? pointer->store : p->type, *p);
    }
    end_line(") {");
    body(f.body, true);
    line("}");
  }

  // ---- Text

  template <class... Parts>
  void put(const Parts&... parts) {
    ((out_ += parts), ...);
  }

  void begin_line() { out_.spaces(indent_ * 2); }
  void end_line(std::string_view end) {
    put(end, '\n');
    too_long_ |= out_.size() > max_bytes_;
  }
  void line(std::string_view text) {
    begin_line();
    end_line(text);
  }

  // ---- Statements

  void body(const ir::Block* block, bool outermost = false, const Instruction* left_out = nullptr) {
    ++indent_;
    for (const Instruction* i : block->instructions) {
      if (too_long_) break;
      const bool needless = outermost && i->op == Op::Return && i->operands.empty();  // the end returns anyway
      if (!i->forwarded && !needless && i != left_out) statement(*i);
    }
    --indent_;
  }

  void statement(const Instruction& i) {
    switch (i.op) {
      case Op::If:
        return conditional(i);
      case Op::Switch:
        return switch_statement(i);
      case Op::Loop:
        return loop(i);
      case Op::Break:
        return line("break;");
      case Op::Continue:
        return line("continue;");
      case Op::Unreachable:
        return;
      default:
        break;
    }
    begin_line();
    simple_statement(i);
    end_line(";");
  }

  void simple_statement(const Instruction& i) {
    switch (i.op) {
      case Op::Var:
        if (i.operands.empty()) return type_and_name(sem::as_pointer(i.type)->store, i);
        return declare(i, sem::as_pointer(i.type)->store, [&] { expression(i.operands[0]); });
      case Op::Store:
        expression(i.operands[0]);
        put(" = ");
        return expression(i.operands[1]);
      case Op::Return:
        put("return");
        if (i.operands.empty()) return;
        put(" ");
        return expression(i.operands[0]);
      default:
        if (i.type->is(TypeKind::Void)) return expression(i);
        return declare(i, i.type, [&] { expression(i); });
    }
  }

  template <class Initial>
  void declare(const Instruction& i, const sem::Type* type, Initial initial) {
    type_and_name(type, i);
    put(" = ");
    initial();
  }

  // The name is given before the type, which may be a structure of the same stem that has none yet.
  void type_and_name(const sem::Type* type, const Value& v) {
    const std::string_view given = name(&v);
    types_.append_text(out_, type);
    put(" ", given);
  }

  // Gives a value its name.
  std::string_view name(const Value* v) { return value_names_[v] = names_.value(v->name); }

  void conditional(const Instruction& i) {
    begin_line();
    put("if (");
    expression(i.operands[0]);
    end_line(") {");
    body(i.blocks[0]);
    const ir::Block* other = i.blocks.size() > 1 ? i.blocks[1] : nullptr;
    if (other != nullptr && !other->instructions.empty()) {
      line("} else {");
      body(other);
    }
    line("}");
  }

  // The condition under which a loop goes on, where it says so before all else: `if (c) { break; }`. Else null.
  static const Instruction* first_exit(const ir::Block& block) {
    for (const Instruction* i : block.instructions) {
      if (i->forwarded) continue;
      const bool exit = i->op == Op::If && i->blocks[0]->instructions.size() == 1 &&
                        i->blocks[0]->instructions[0]->op == Op::Break &&
                        (i->blocks.size() < 2 || i->blocks[1] == nullptr || i->blocks[1]->instructions.empty());
      return exit ? i : nullptr;
    }
    return nullptr;
  }

  // `while (true)` would have a condition too.
  void loop(const Instruction& i) {
    const Instruction* exit = first_exit(*i.blocks[0]);
    begin_line();
    if (exit == nullptr) {
      put("for (;;");
    } else {
      put("while (");
      negation(exit->operands[0]);
    }
    end_line(") {");
    body(i.blocks[0], false, exit);
    line("}");
  }

  void negation(const Value* condition) {
    const Instruction* i = written_in_place(condition);
    if (i != nullptr && i->op == Op::Unary) return expression(i->operands[0]);
    put("!");
    operand(condition);
  }

  void switch_statement(const Instruction& i) {
    begin_line();
    put("switch (");
    expression(i.operands[0]);
    end_line(") {");
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

  // The operation that is written where `v` is used; null if `v` has a name or is a constant.
  static const Instruction* written_in_place(const Value* v) {
    if (v->kind != ir::ValueKind::Instruction) return nullptr;
    const auto& i = static_cast<const Instruction&>(*v);
    return i.forwarded ? &i : nullptr;
  }

  void expression(const Value* v) {
    if (v->kind == ir::ValueKind::Constant) {
      return types_.append_constant(out_, static_cast<const ir::Constant*>(v)->value);
    }
    if (const Instruction* i = written_in_place(v)) return expression(*i);
    put(value_names_[v]);
  }

  // As it stands before `.x` or `[i]`, or beside an operator.
  void operand(const Value* v) {
    const size_t begin = out_.size();
    expression(v);
    if (!is_open(v, begin)) return;
    out_.insert(begin, '(');
    out_ += ')';
  }

  // Whether what has been written for `v`, from `begin` on, needs parentheses as an operand.
  bool is_open(const Value* v, size_t begin) const {
    if (v->kind == ir::ValueKind::Constant) return out_[begin] == '-';
    const Instruction* i = written_in_place(v);
    if (i == nullptr) return false;
    if (i->op == Op::Load) return is_open(i->operands[0], begin);
    return i->op == Op::Unary || i->op == Op::Binary ||
           (i->op == Op::Intrinsic && ir::row(i->intrinsic).form == IntrinsicForm::Ternary);
  }

  void expression(const Instruction& i) {
    switch (i.op) {
      case Op::Load:
        return expression(i.operands[0]);
      case Op::Access:
        return access(i);
      case Op::ArrayLength:
        put("uint(");
        expression(i.operands[0]);
        return put(".length())");
      case Op::Unary:
        put(unary_text(i.unary));
        return operand(i.operands[0]);
      case Op::Binary:
        operand(i.operands[0]);
        put(binary_text(i.binary));
        return operand(i.operands[1]);
      case Op::Convert:
      case Op::Construct:
        types_.append_text(out_, i.type);
        return arguments(i);
      case Op::Swizzle:
        operand(i.operands[0]);
        put(".");
        for (uint32_t k = 0; k < sem::width_of(i.type); ++k) out_ += "xyzw"[i.swizzle[k]];
        return;
      case Op::Intrinsic:
        return intrinsic(i);
      case Op::Call:
        put(function_names_[i.callee]);
        return arguments(i);
      default:
        return;
    }
  }

  void arguments(const Instruction& i) {
    put("(");
    for (size_t k = 0; k < i.operands.size(); ++k) {
      if (k != 0) put(", ");
      expression(i.operands[k]);
    }
    put(")");
  }

  void access(const Instruction& i) {
    const Value* base = i.operands[0];
    const auto* pointer = sem::as_pointer(base->type);
    const sem::Type* type = pointer != nullptr ? pointer->store : base->type;
    operand(base);
    for (size_t k = 1; k < i.operands.size(); ++k) {
      if (const auto* structure = sem::as_struct(type)) {
        const auto& member = structure->members[static_cast<size_t>(*ir::constant_integer(i.operands[k]))];
        out_ += '.';
        Names::append_member(out_, member.name, member.index);
        type = member.type;
        continue;
      }
      const auto constant = ir::constant_integer(i.operands[k]);
      const auto* vector = sem::as_vector(type);
      if (vector != nullptr && constant) {
        put(".");
        out_ += "xyzw"[*constant & 3];
      } else {
        put("[");
        constant ? out_.number(*constant) : expression(i.operands[k]);
        put("]");
      }
      const auto* array = sem::as_array(type);
      type = vector != nullptr ? vector->element : array != nullptr ? array->element : sem::as_matrix(type)->column;
    }
  }

  void intrinsic(const Instruction& i) {
    const ir::IntrinsicRow& row = ir::row(i.intrinsic);
    switch (row.form) {
      case IntrinsicForm::Value:
        uses_budget_ |= i.intrinsic == ir::Intrinsic::LoopBudget;
        uses_group_ |= i.intrinsic == ir::Intrinsic::LoopGroup;
        return put(row.text);
      case IntrinsicForm::Numbered:
        put(row.text);
        return out_.number(*ir::constant_integer(i.operands[0]));
      case IntrinsicForm::Ternary:
        operand(i.operands[0]);
        put(" ? ");
        operand(i.operands[1]);
        put(" : ");
        return operand(i.operands[2]);
      case IntrinsicForm::AtomicLoad:
      case IntrinsicForm::AtomicStore:
        uses_scopes_ = true;
        put(row.text);
        arguments(i);
        out_.drop_last();
        return put(", gl_ScopeDevice, 0, 0)");
      case IntrinsicForm::Helper:
        helpers_.use(i.intrinsic, i.operands.empty() ? nullptr : i.operands[0]->type);
        uses_scopes_ |= i.intrinsic == ir::Intrinsic::StorageBarrier;
        break;
      case IntrinsicForm::Function:
        break;
    }
    put(row.text);
    arguments(i);
  }

  const ir::Module& module_;
  const size_t max_bytes_;
  Names names_;
  Types types_;
  Helpers helpers_;
  Arena name_texts_;
  ir::IdTable<std::string_view> value_names_;
  std::unordered_map<const ir::Function*, std::string_view> function_names_;
  std::string variables_;
  size_t declared_ = 0;                  // of the module's variables
  std::vector<size_t> written_buffers_;  // where in variables_ the word "buffer" of each stands
  Text out_;
  std::string immediate_;  // the push constant block's last member, for the var<immediate>
  size_t indent_ = 0;
  bool too_long_ = false;
  bool uses_uniform_ = false, uses_scopes_ = false, uses_budget_ = false, uses_group_ = false;
};

Writer::Writer(const ir::Module& module, size_t max_bytes) : impl_(std::make_unique<Impl>(module, max_bytes)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() = default;

bool Writer::function(const ir::Function& function) { return impl_->function(function); }
Result<std::string> Writer::finish() { return impl_->finish(); }

Result<std::string> write(const ir::Module& module, size_t max_bytes, const Prepare& prepare) {
  Writer writer(module, max_bytes);
  for (ir::Function* f : module.functions) {
    if (prepare) prepare(*f);
    if (!writer.function(*f)) break;
  }
  return writer.finish();
}

}  // namespace kem::wgsl::glsl
