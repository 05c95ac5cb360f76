#include "spirv/built_ins.h"

#include <glslang/MachineIndependent/Initialize.h>
#include <glslang/MachineIndependent/ParseHelper.h>
#include <glslang/MachineIndependent/Scan.h>
#include <glslang/MachineIndependent/ScanContext.h>
#include <glslang/MachineIndependent/preprocessor/PpContext.h>
#include <glslang/Public/ShaderLang.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "spirv/resource_limits.h"

namespace kem::spirv {
namespace {

constexpr int kVersion = 460;
constexpr EProfile kProfile = ECoreProfile;
constexpr EShMessages kMessages = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);

glslang::SpvVersion target() {
  glslang::SpvVersion version;
  version.spv = glslang::EShTargetSpv_1_3;
  version.vulkan = glslang::EShTargetVulkan_1_1;
  version.vulkanGlsl = 100;
  return version;
}

// A declaration that has one of these words belongs to types that no shader of ours has.
constexpr std::string_view kForeign[] = {
    "sampler",   "texture", "image",       "Image",    "subpass",
    "double",    "dvec",    "dmat",        "64_t",     "i64vec",
    "int8_t",    "i8vec",   "u8vec",       "int16_t",  "i16vec",
    "u16vec",    "coopmat", "atomic_uint", "rayQuery", "accelerationStructure",
    "hitObject",
};

bool is_foreign(std::string_view declaration) {
  return std::any_of(std::begin(kForeign), std::end(kForeign),
                     [&](std::string_view word) { return declaration.find(word) != std::string_view::npos; });
}

// The declarations of glslang's text that are not foreign.
std::string own_declarations(std::string_view text) {
  std::string own;
  int braces = 0;
  size_t begin = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    braces += text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
    if (text[at] != ';' || braces != 0) continue;
    const std::string_view declaration = text.substr(begin, at + 1 - begin);
    if (!is_foreign(declaration)) own += declaration;
    begin = at + 1;
  }
  return own;
}

// The extensions that our writer asks for.
constexpr const char* kExtensions[] = {
    "GL_EXT_scalar_block_layout",
    "GL_EXT_shader_16bit_storage",
    "GL_EXT_shader_explicit_arithmetic_types_float16",
    "GL_EXT_shader_subgroup_extended_types_float16",
    "GL_KHR_memory_scope_semantics",
    "GL_KHR_shader_subgroup_arithmetic",
    "GL_KHR_shader_subgroup_ballot",
    "GL_KHR_shader_subgroup_basic",
    "GL_KHR_shader_subgroup_quad",
    "GL_KHR_shader_subgroup_shuffle",
    "GL_KHR_shader_subgroup_shuffle_relative",
    "GL_KHR_shader_subgroup_vote",
};

class Context : public glslang::TParseContext {
 public:
  using glslang::TParseContext::TParseContext;

  void set_shader(Tree& tree, Pool& pool) {
    tree_ = &tree;
    pool_ = &pool;
  }

  // A shader may ask for these extensions; glslang's own list has two hundred.
  void allow_extensions() {
    for (const char* name : kExtensions) extensionBehavior[name] = glslang::EBhDisable;
  }

  // The parser asks this for every operand.
  void rValueErrorCheck(const glslang::TSourceLoc& at, const char* op, glslang::TIntermTyped* node) override {
    if (tree_ != nullptr) {
      tree_->set_calls_aside();
      if (!pool_->refill()) return error(at, "too large", "", "");  // and so the end of the text, for the parser
    }
    TParseContext::rValueErrorCheck(at, op, node);
  }

 private:
  Tree* tree_ = nullptr;  // null: built-ins are parsed
  Pool* pool_ = nullptr;
};

// A parser and what it refers to, for one text.
class Parser {
 public:
  Parser(glslang::TSymbolTable& symbols, glslang::TIntermediate& tree, bool built_ins, EShLanguage stage,
         EShMessages messages, TInfoSink& log)
      : context_(symbols, tree, built_ins, kVersion, kProfile, target(), stage, log, true, messages, &entry_point_),
        preprocessor_(context_, "", includer_),
        scanner_(context_) {
    context_.setScanContext(&scanner_);
    context_.setPpContext(&preprocessor_);
  }

  // Of what a shader of its own needs, built-ins don't.
  void prepare_shader(Tree& tree, Pool& pool) {
    context_.set_shader(tree, pool);
    context_.setLimits(resource_limits());
    context_.allow_extensions();
  }

  bool run(std::string_view text) {
    const char* const data = text.data();
    size_t size = text.size();
    glslang::TInputScanner input(1, &data, &size);
    return context_.parseShaderStrings(preprocessor_, input);
  }

 private:
  const glslang::TString entry_point_;
  Context context_;
  glslang::TShader::ForbidIncluder includer_;
  glslang::TPpContext preprocessor_;
  glslang::TScanContext scanner_;
};

}  // namespace

bool Tree::finish(std::string_view glsl) {
  if (glsl.find("precise") != std::string_view::npos) return postProcess(getTreeRoot(), EShLangCompute);
  glslang::TIntermAggregate* const root = getTreeRoot()->getAsAggregate();
  if (root != nullptr && root->getOp() == glslang::EOpNull) root->setOperator(glslang::EOpSequence);
  return true;
}

bool Tree::check(TInfoSink& log) {
  const auto refuse = [&](const char* what, std::string_view name) {
    log.info << "ERROR: " << what << std::string(name).c_str() << "\n";
    return false;
  };
  if (getNumEntryPoints() != 1) return refuse("a shader needs one function main()", {});
  if (getNumPushConstants() > 1) return refuse("more than one block of push constants", {});
  enum class Mark { None, Open, Done };
  struct Function {
    bool has_body = false;
    std::vector<std::string_view> callees;
    Mark mark = Mark::None;
  };
  std::unordered_map<std::string_view, Function> functions;
  for (TIntermNode* node : getTreeRoot()->getAsAggregate()->getSequence()) {
    const glslang::TIntermAggregate* function = node->getAsAggregate();
    if (function != nullptr && function->getOp() == glslang::EOpFunction)
      functions[function->getName()].has_body = true;
  }
  calls_.splice(calls_.end(), callGraph);
  for (const glslang::TCall& call : calls_) functions[call.caller].callees.emplace_back(call.callee);
  std::vector<std::string_view> path{getEntryPointMangledName()};  // deep chains of calls: no recursion here
  while (!path.empty()) {
    const std::string_view name = path.back();
    Function& function = functions[name];
    function.mark = Mark::Open;
    if (function.callees.empty()) {
      function.mark = Mark::Done;
      path.pop_back();
      continue;
    }
    const std::string_view callee = function.callees.back();
    function.callees.pop_back();
    const Function& called = functions[callee];
    if (!called.has_body) return refuse("no body of function ", callee);
    if (called.mark == Mark::Open) return refuse("recursion of function ", callee);
    if (called.mark == Mark::None) path.push_back(callee);
  }
  return true;
}

// glslang's levels: 0 common built-ins, 1 the stage's, 2 those of one compilation, 3 the shader's globals.
BuiltIns::BuiltIns() {
  const ThreadPool use(pool_);
  TInfoSink log;
  glslang::TBuiltIns texts;
  texts.initialize(kVersion, kProfile, target());
  for (const auto& text : {texts.getCommonString(), texts.getStageString(EShLangCompute)}) {
    whole_ = parse_level(own_declarations(text), EShLangCompute, log) && whole_;
  }
  // What is common to all stages is described with the fragment stage.
  for (const EShLanguage stage : {EShLangFragment, EShLangCompute}) {
    texts.identifyBuiltIns(kVersion, kProfile, target(), stage, symbols_);
  }
  symbols_.readOnly();
}

BuiltIns::~BuiltIns() = default;

bool BuiltIns::parse_level(std::string_view text, EShLanguage stage, TInfoSink& log) {
  glslang::TIntermediate tree(stage, kVersion, kProfile);
  tree.setSource(glslang::EShSourceGlsl);
  Parser parser(symbols_, tree, true, stage, EShMsgDefault, log);
  symbols_.push();
  return parser.run(text);
}

bool BuiltIns::parse(std::string_view glsl, Pool& pool, Tree& tree, TInfoSink& log) const {
  if (!whole_) {
    log.info << "glslang does not parse its own built-in functions\n";
    return false;
  }
  tree.setSource(glslang::EShSourceGlsl);
  tree.setVersion(kVersion);
  tree.setProfile(kProfile);
  tree.setSpv(target());
  tree.setEntryPointName("main");
  glslang::TSymbolTable symbols;
  symbols.adoptLevels(symbols_);
  symbols.push();  // level 2
  Parser parser(symbols, tree, false, EShLangCompute, kMessages, log);
  parser.prepare_shader(tree, pool);
  symbols.push();  // level 3
  if (!parser.run(glsl) || tree.getTreeRoot() == nullptr || !tree.finish(glsl)) return false;
  tree.setUniqueId(static_cast<unsigned long long>(symbols.getMaxSymbolId()));
  return tree.check(log);
}

}  // namespace kem::spirv
