// For tests: a module with one entry point, and a builder at its start.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wgsl/ir/builder.h"

namespace kem::wgsl::ir {

struct TestModule {
  sem::TypeTable types;
  Module module;
  Function* entry;
  Builder b;

  TestModule() : entry(start()), b(module, entry->body->instructions) {}

  const Type* i32() { return types.i32(); }
  const Type* u32() { return types.u32(); }
  const Type* f32() { return types.f32(); }
  const Type* vec(const Type* element, uint32_t width) { return types.vec(element, width); }

  Variable* variable(AddressSpace space, const Type* store, AccessMode access, std::string_view name) {
    Variable* v = module.variable(types.pointer(space, store, access), name);
    v->binding = static_cast<uint32_t>(module.variables.size());
    module.variables.push_back(v);
    return v;
  }
  Variable* storage(const Type* store, std::string_view name) {
    return variable(AddressSpace::Storage, store, AccessMode::ReadWrite, name);
  }
  Parameter* builtin(const Type* type, sem::BuiltinValue which, std::string_view name) {
    Parameter* p = module.parameter(type, name, static_cast<uint32_t>(entry->parameters.size()));
    p->builtin = which;
    entry->parameters.push_back(p);
    return p;
  }
  // A function in front of the entry point.
  Function* function(std::string_view name, const Type* result, const std::vector<const Type*>& parameters) {
    Function* f = module.function(name, result);
    for (const Type* type : parameters) {
      f->parameters.push_back(module.parameter(type, "p", static_cast<uint32_t>(f->parameters.size())));
    }
    module.functions.insert(module.functions.end() - 1, f);
    return f;
  }
  const Type* structure(std::string_view name, std::vector<sem::StructMember> members) {
    for (uint32_t k = 0; k < members.size(); ++k) members[k].index = k;
    return types.make_struct(name, members, nullptr);
  }
  // A member with @align and @size, 0 for none.
  static sem::StructMember member(std::string_view name, const Type* type, uint64_t align = 0, uint64_t size = 0) {
    return {name, type, 0, 0, align, size, nullptr};
  }
  Builder in(Block* block) { return Builder(module, block->instructions); }
  std::string print() const { return ir::print(module); }
  // The instructions alone: the lines of the entry point's body, without their indentation.
  std::string body() const {
    std::string text = print();
    text = text.substr(text.rfind("\nfn ") + 1);
    text = text.substr(text.find('\n') + 1);
    return text.substr(0, text.rfind('}'));
  }

 private:
  Function* start() {
    module.types = &types;
    Function* f = module.function("main", types.void_type());
    module.functions.push_back(f);
    module.entry = f;
    return f;
  }
};

}  // namespace kem::wgsl::ir
