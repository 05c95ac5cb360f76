// Declarations (spec "Variable and Value Declarations", "Structure Types", "Functions").
#include "wgsl/syntax/foreign.h"
#include "wgsl/syntax/parser.h"

namespace kem::wgsl {

const ast::Identifier* Parser::type_specifier() { return template_elaborated_ident("a type"); }

bool Parser::optionally_typed_ident(ast::Variable& variable) {
  if (at_mut()) {
    const Token mut = peek();
    error(mut.span(), "WGSL has no 'mut': 'var' declares what can change, 'let' what cannot");
    if (stopped_) return false;
    next();
  }
  const auto name = expect_identifier("a name");
  if (!name) return false;
  variable.name = *name;
  if (at(TokenKind::BracketLeft)) {
    error_expected("':' and a type after '" + std::string(name->name()) + "'");
    add_note(peek().span(), "the type of an array is written 'array<element, count>'");
    return false;
  }
  if (at(TokenKind::Identifier) && is_foreign_type(name->name())) {
    error_expected("':' and a type after '" + std::string(name->name()) + "'");
    add_note(name->span, "the name comes first, then the type: 'name: type'");
    return false;
  }
  if (!accept(TokenKind::Colon)) return true;
  variable.type = type_specifier();
  return variable.type != nullptr;
}

// 'let mut name', as Rust has it.
bool Parser::at_mut() const {
  const TokenKind kind = peek().kind;
  const bool word = kind == TokenKind::Identifier || kind == TokenKind::Reserved;
  return word && text_of(peek()) == "mut" && peek(1).kind == TokenKind::Identifier;
}

// variable_decl ( '=' expression ) ?
ast::Variable* Parser::variable_decl(ast::Attributes attributes) {
  const Token keyword = next();
  auto* variable = make_node<ast::Variable>(ast::DeclKind::Variable);
  variable->id = module_.variable_count++;
  variable->variable_kind = ast::VariableKind::Var;
  variable->attributes = attributes;
  if (at(TokenKind::TemplateStart)) {
    const auto arguments = template_list();
    if (!arguments) return nullptr;
    variable->template_args = *arguments;
    variable->has_template_list = true;
  }
  if (!optionally_typed_ident(*variable)) return nullptr;
  if (accept(TokenKind::Equal)) {
    variable->initializer = expression();
    if (variable->initializer == nullptr) return nullptr;
  }
  variable->span = span_from(keyword.begin);
  return variable;
}

// 'let', 'const' or 'override' and what follows; only an override may lack its value.
ast::Variable* Parser::value_decl(ast::VariableKind kind, ast::Attributes attributes) {
  const Token keyword = next();
  auto* variable = make_node<ast::Variable>(ast::DeclKind::Variable);
  variable->id = module_.variable_count++;
  variable->variable_kind = kind;
  variable->attributes = attributes;
  if (at(TokenKind::TemplateStart)) {
    error(peek().span(), "'" + std::string(text_of(keyword)) + "' takes no template list: only 'var' does");
    return nullptr;
  }
  if (!optionally_typed_ident(*variable)) return nullptr;
  if (at(TokenKind::Equal)) {
    next();
    variable->initializer = expression();
    if (variable->initializer == nullptr) return nullptr;
  } else if (kind != ast::VariableKind::Override) {
    error_expected("'=' and a value for '" + std::string(variable->name.name()) + "'");
    return nullptr;
  }
  variable->span = span_from(keyword.begin);
  return variable;
}

const ast::Alias* Parser::type_alias_decl() {
  const Token keyword = next();
  const auto name = expect_identifier("a name");
  if (!name || !expect(TokenKind::Equal, "after the name of the alias")) return nullptr;
  const ast::Identifier* type = type_specifier();
  if (type == nullptr) return nullptr;
  auto* alias = make_node<ast::Alias>(ast::DeclKind::Alias);
  alias->name = *name;
  alias->type = type;
  alias->span = span_from(keyword.begin);
  return alias;
}

const ast::Struct* Parser::struct_decl() {
  const Token keyword = next();
  const auto name = expect_identifier("a name");
  const Token open = peek();
  if (!name || !expect(TokenKind::BraceLeft, "and the members of the structure")) return nullptr;
  ListBuilder<const ast::StructMember*> members(member_pool_);
  while (!at(TokenKind::BraceRight)) {
    const ast::StructMember* member = struct_member();
    if (member == nullptr) return nullptr;
    members.add(member);
    if (at(TokenKind::Semicolon)) {
      error(peek().span(), "members of a structure are separated by ',', not ';'");
      if (stopped_) return nullptr;
      next();
    } else if (!accept(TokenKind::Comma)) {
      break;
    }
  }
  if (!at(TokenKind::BraceRight) && members.size() != 0) {
    error_expected("',' or '}' after a member");
    add_note(open.span(), "'{' opened here");
    return nullptr;
  }
  if (members.size() == 0) {
    error(name->span, "structure '" + std::string(name->name()) + "' has no members: it needs one at least");
    if (stopped_) return nullptr;
  }
  next();
  auto* structure = make_node<ast::Struct>(ast::DeclKind::Struct);
  structure->name = *name;
  structure->members = members.finish(module_.arena);
  structure->span = span_from(keyword.begin);
  return structure;
}

const ast::StructMember* Parser::struct_member() {
  const uint32_t begin = peek().begin;
  const auto decorations = attributes();
  if (!decorations) return nullptr;
  const auto name = expect_identifier("the name of a member");
  if (!name) return nullptr;
  if (at(TokenKind::Identifier)) {
    error_expected("':' and a type after '" + std::string(name->name()) + "'");
    add_note(name->span, "members are written 'name: type'");
    return nullptr;
  }
  if (!at(TokenKind::Colon)) {
    expect(TokenKind::Colon, "and a type after '" + std::string(name->name()) + "'");
    return nullptr;
  }
  next();
  const ast::Identifier* type = type_specifier();
  if (type == nullptr) return nullptr;
  auto* member = module_.arena.make<ast::StructMember>();
  member->attributes = *decorations;
  member->name = *name;
  member->type = type;
  member->span = span_from(begin);
  return member;
}

const ast::Function* Parser::function_decl(ast::Attributes decorations) {
  const Token keyword = next();
  auto* function = make_node<ast::Function>(ast::DeclKind::Function);
  function->attributes = decorations;
  const auto name = expect_identifier("the name of a function");
  if (!name) return nullptr;
  function->name = *name;
  const auto parameters = param_list();
  if (!parameters) return nullptr;
  function->parameters = *parameters;
  if (accept(TokenKind::Arrow)) {
    const auto return_attributes = attributes();
    if (!return_attributes) return nullptr;
    function->return_attributes = *return_attributes;
    function->return_type = type_specifier();
    if (function->return_type == nullptr) return nullptr;
  } else if (at(TokenKind::Colon)) {
    error(peek().span(), "the return type follows '->', not ':'");
    return nullptr;
  }
  block_depth_ = 0;
  const Mentions::Scope scope(mentions_);  // of the body alone: the types do not see the parameters
  for (const ast::Parameter* parameter : function->parameters) mentions_.declare(parameter->name.symbol);
  function->body = attributed_body("the function's body");
  function->span = span_from(keyword.begin);
  return function->body == nullptr ? nullptr : function;
}

std::optional<std::span<const ast::Parameter* const>> Parser::param_list() {
  const Token open = peek();
  if (!expect(TokenKind::ParenLeft, "and parameters")) return std::nullopt;
  ListBuilder<const ast::Parameter*> parameters(parameter_pool_);
  while (!at(TokenKind::ParenRight)) {
    const ast::Parameter* parameter = param();
    if (parameter == nullptr) return std::nullopt;
    parameters.add(parameter);
    if (!accept(TokenKind::Comma)) break;
  }
  if (!expect_closing(TokenKind::ParenRight, open)) return std::nullopt;
  return parameters.finish(module_.arena);
}

const ast::Parameter* Parser::param() {
  const uint32_t begin = peek().begin;
  const auto decorations = attributes();
  if (!decorations) return nullptr;
  const auto name = expect_identifier("the name of a parameter");
  if (!name) return nullptr;
  if (!accept(TokenKind::Colon)) {
    expect(TokenKind::Colon, "and a type after '" + std::string(name->name()) + "'");
    if (at(TokenKind::Identifier)) add_note(name->span, "parameters are written 'name: type'");
    return nullptr;
  }
  const ast::Identifier* type = type_specifier();
  if (type == nullptr) return nullptr;
  auto* parameter = module_.arena.make<ast::Parameter>();
  parameter->attributes = *decorations;
  parameter->name = *name;
  parameter->type = type;
  parameter->span = span_from(begin);
  return parameter;
}

const ast::ConstAssert* Parser::const_assert() {
  const Token keyword = next();
  const ast::Expr* condition = expression();
  if (condition == nullptr) return nullptr;
  auto* assertion = make_node<ast::ConstAssert>(ast::DeclKind::ConstAssert);
  assertion->condition = condition;
  assertion->span = span_from(keyword.begin);
  return assertion;
}

}  // namespace kem::wgsl
