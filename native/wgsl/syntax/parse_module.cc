// The translation unit: directives, then declarations; recovery between declarations.
#include "wgsl/syntax/foreign.h"
#include "wgsl/syntax/parser.h"
#include "wgsl/syntax/suggest.h"

namespace kem::wgsl {
namespace {

constexpr std::string_view kDeclarations[] = {"alias", "const",    "const_assert", "diagnostic", "enable",
                                              "fn",    "override", "requires",     "struct",     "var"};

bool begins_directive(TokenKind kind) {
  return kind == TokenKind::KwEnable || kind == TokenKind::KwRequires || kind == TokenKind::KwDiagnostic;
}

// Tokens that begin a declaration and cannot stand within a function.
bool begins_global_only(TokenKind kind) {
  return kind == TokenKind::KwFn || kind == TokenKind::KwStruct || kind == TokenKind::KwAlias ||
         kind == TokenKind::KwOverride || begins_directive(kind);
}

bool begins_global_decl(TokenKind kind) {
  return begins_global_only(kind) || kind == TokenKind::KwVar || kind == TokenKind::KwConst ||
         kind == TokenKind::KwConstAssert;
}

}  // namespace

void Parser::translation_unit() {
  std::vector<const ast::Directive*> directives;
  std::vector<const ast::Decl*> declarations;
  std::vector<std::span<const ast::Mention>> mentions;
  std::vector<uint32_t> first_expressions;
  constexpr size_t kFew = 32;
  declarations.reserve(kFew);
  mentions.reserve(kFew);
  first_expressions.reserve(kFew);
  bool declared = false;
  while (!at(TokenKind::End) && !stopped_) {
    if (accept(TokenKind::Semicolon)) {
      declared = true;
      continue;
    }
    const size_t begin = position_;
    unwinding_ = false;
    const bool is_directive = begins_directive(peek().kind);
    const uint32_t first_expression = module_.expression_count;
    mentions_.begin();
    const ast::Directive* directive = is_directive ? global_directive(declared) : nullptr;
    const ast::Decl* declaration = is_directive ? nullptr : global_decl();
    declared |= !is_directive;
    if (directive != nullptr) directives.push_back(directive);
    if (declaration != nullptr) {
      declarations.push_back(declaration);
      mentions.push_back(mentions_.found(module_.arena));
      first_expressions.push_back(first_expression);
    }
    if (directive == nullptr && declaration == nullptr) recover_declaration(begin);
  }
  module_.directives = module_.arena.copy(directives);
  first_expressions.push_back(module_.expression_count);
  module_.symbol_count = symbols_.count();
  module_.declarations = module_.arena.copy(declarations);
  module_.mentions = module_.arena.copy(mentions);
  module_.first_expressions = module_.arena.copy(first_expressions);
}

const ast::Directive* Parser::global_directive(bool after_declaration) {
  const Token keyword = next();
  if (after_declaration) {
    error(keyword.span(), "directives must come before all declarations");
    if (stopped_) return nullptr;
  }
  auto* directive = module_.arena.make<ast::Directive>();
  directive->kind = keyword.kind == TokenKind::KwEnable     ? ast::DirectiveKind::Enable
                    : keyword.kind == TokenKind::KwRequires ? ast::DirectiveKind::Requires
                                                            : ast::DirectiveKind::Diagnostic;
  if (directive->kind == ast::DirectiveKind::Diagnostic) {
    directive->diagnostic = diagnostic_control();
    if (directive->diagnostic == nullptr) return nullptr;
  } else if (!directive_names(*directive)) {
    return nullptr;
  }
  if (!expect_semicolon("the directive")) return nullptr;
  directive->span = span_from(keyword.begin);
  return directive;
}

bool Parser::directive_names(ast::Directive& directive) {
  std::vector<ast::Ident> names;
  do {
    const auto name = expect_identifier("the name of an extension");
    if (!name) return false;
    names.push_back(*name);
  } while (accept(TokenKind::Comma) && !at(TokenKind::Semicolon));
  directive.names = module_.arena.copy(names);
  return true;
}

const ast::Decl* Parser::global_decl() {
  const auto decorations = attributes();
  if (!decorations) return nullptr;
  const Token first = peek();
  const ast::Decl* result = nullptr;
  switch (first.kind) {
    case TokenKind::KwFn:
      return function_decl(*decorations);
    case TokenKind::KwVar:
      result = variable_decl(*decorations);
      break;
    case TokenKind::KwOverride:
      result = value_decl(ast::VariableKind::Override, *decorations);
      break;
    case TokenKind::KwStruct:
      if (!refuse_attributes(*decorations, "a structure")) return nullptr;
      return struct_decl();
    case TokenKind::KwConst:
      if (!refuse_attributes(*decorations, "a 'const' declaration")) return nullptr;
      result = value_decl(ast::VariableKind::Const, {});
      break;
    case TokenKind::KwAlias:
      if (!refuse_attributes(*decorations, "a type alias")) return nullptr;
      result = type_alias_decl();
      break;
    case TokenKind::KwConstAssert:
      if (!refuse_attributes(*decorations, "'const_assert'")) return nullptr;
      result = const_assert();
      break;
    default:
      misplaced_at_module_scope();
      return nullptr;
  }
  if (result == nullptr) return nullptr;
  return expect_semicolon("the " + std::string(spelling(first.kind)) + " declaration") ? result : nullptr;
}

bool Parser::misplaced_at_module_scope() {
  const Token token = peek();
  const std::string word(text_of(token));
  switch (token.kind) {
    case TokenKind::KwLet:
      return error(token.span(), "'let' only declares within functions: at module scope write 'const' or 'override'");
    case TokenKind::BracketLeft:
      return error(token.span(), "attributes are written '@name', not '[[name]]'");
    case TokenKind::BraceRight:
      return error(token.span(), "this '}' closes nothing");
    case TokenKind::KwIf:
    case TokenKind::KwFor:
    case TokenKind::KwWhile:
    case TokenKind::KwLoop:
    case TokenKind::KwSwitch:
    case TokenKind::KwReturn:
      return error(token.span(), "'" + word + "' is a statement, and statements only stand within functions");
    case TokenKind::Reserved:
      if (word == "static_assert") return error(token.span(), "write 'const_assert' for 'static_assert'");
      if (word == "type" || word == "typedef" || word == "using") {
        return error(token.span(), "write 'alias' for '" + word + "'");
      }
      break;
    default:
      break;
  }
  error_expected("a declaration: var, const, override, fn, struct, alias or const_assert");
  if (is_foreign_type(word)) {  // a function or a variable as C has them
    const bool function = peek(2).kind == TokenKind::ParenLeft;
    add_note(token.span(), function ? "functions are written 'fn name(parameter: type) -> type { ... }'"
                                    : "variables are written 'var<private> name: type;'");
  } else {
    advise(token);
  }
  if (token.kind != TokenKind::Identifier || !foreign_word(word).empty()) return false;
  if (const auto keyword = suggest(word, kDeclarations)) {
    add_note(token.span(), "did you mean '" + std::string(*keyword) + "'?");
  }
  return false;
}

// Goes on after the ';' or the braces that end the broken declaration, or where another one surely begins.
// `begin` is where the broken one began; at least one token is consumed.
void Parser::recover_declaration(size_t begin) {
  uint32_t depth = 0;
  while (!at(TokenKind::End) && !stopped_) {
    const TokenKind kind = peek().kind;
    if (position_ > begin && begins_global_only(kind)) return;
    if (position_ > begin && depth == 0 && begins_global_decl(kind)) return;
    next();
    if (kind == TokenKind::Semicolon && depth == 0) return;
    if (kind == TokenKind::BraceLeft) ++depth;
    if (kind == TokenKind::BraceRight && (depth == 0 || --depth == 0)) return;
  }
}

}  // namespace kem::wgsl
