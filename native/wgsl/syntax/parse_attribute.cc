// Attributes and diagnostic controls (spec "Attributes", "Diagnostic Filtering").
#include <algorithm>
#include <array>

#include "wgsl/syntax/parser.h"
#include "wgsl/syntax/suggest.h"

namespace kem::wgsl {
namespace {

using ast::AttributeKind;

struct AttributeRow {
  AttributeKind kind;
  std::string_view spelling;
  size_t min;
  size_t max;
};

constexpr AttributeRow kAttributes[] = {
#define KEM_ROW(id, spelling, min, max) {AttributeKind::id, spelling, min, max},
    KEM_WGSL_ATTRIBUTES(KEM_ROW)
#undef KEM_ROW
};

constexpr auto kSpellings = [] {
  std::array<std::string_view, std::size(kAttributes)> spellings{};
  for (size_t i = 0; i < spellings.size(); ++i) spellings[i] = kAttributes[i].spelling;
  return spellings;
}();

const AttributeRow* find_attribute(std::string_view name) {
  const auto row = std::find_if(std::begin(kAttributes), std::end(kAttributes),
                                [name](const AttributeRow& r) { return r.spelling == name; });
  return row == std::end(kAttributes) ? nullptr : row;
}

bool takes_names(AttributeKind kind) { return kind == AttributeKind::Builtin || kind == AttributeKind::Interpolate; }

std::string argument_count(const AttributeRow& row) {
  if (row.max == 0) return "no arguments";
  const std::string most = std::to_string(row.max);
  if (row.min == row.max) return most + (row.max == 1 ? " argument" : " arguments");
  const bool two = row.min + 1u == row.max;
  return std::to_string(row.min) + (two ? " or " : " to ") + most + " arguments";
}

}  // namespace

std::optional<ast::Attributes> Parser::attributes() {
  if (!at(TokenKind::At)) return ast::Attributes{};
  ListBuilder<const ast::Attribute*> list(attribute_pool_);
  while (at(TokenKind::At)) {
    const ast::Attribute* one = attribute();
    if (one == nullptr) return std::nullopt;
    list.add(one);
  }
  return list.finish(module_.arena);
}

const ast::Attribute* Parser::attribute() {
  const Token begin = next();
  const Token name = peek();
  if (name.kind != TokenKind::Identifier && !is_keyword(name.kind)) {
    error_expected("the name of an attribute");
    return nullptr;
  }
  auto* result = module_.arena.make<ast::Attribute>();
  const AttributeRow* row = find_attribute(text_of(name));
  if (row == nullptr) {
    const std::string word(text_of(name));
    error(cover(begin.span(), name.span()), "unknown attribute '@" + word + "'");
    if (word == "stage") add_note(name.span(), "write '@compute', '@vertex' or '@fragment'");
    if (const auto near = suggest(word, kSpellings)) {
      add_note(name.span(), "did you mean '@" + std::string(*near) + "'?");
    }
    next();
    return skip_arguments() ? result : nullptr;
  }
  next();
  result->kind = row->kind;
  if (row->kind == AttributeKind::Diagnostic) {
    result->diagnostic = diagnostic_control();
    if (result->diagnostic == nullptr) return nullptr;
  } else if (!attribute_arguments(*result)) {
    return nullptr;
  }
  result->span = span_from(begin.begin);
  const size_t count = takes_names(row->kind) ? result->names.size() : result->args.size();
  if (row->kind != AttributeKind::Diagnostic && (count < row->min || count > row->max)) {
    error(result->span,
          "'@" + std::string(row->spelling) + "' takes " + argument_count(*row) + ", not " + std::to_string(count));
    return nullptr;
  }
  return result;
}

// Passes over the parentheses behind an attribute that we do not know, so that the rest is still checked.
bool Parser::skip_arguments() {
  if (!at(TokenKind::ParenLeft)) return true;
  const Token open = next();
  return expression_comma_list(open, TokenKind::ParenRight).has_value();
}

bool Parser::attribute_arguments(ast::Attribute& attribute) {
  const AttributeRow& row = kAttributes[static_cast<size_t>(attribute.kind)];
  if (row.max == 0 && at(TokenKind::ParenLeft)) {
    return error(peek().span(), "'@" + std::string(row.spelling) + "' takes no arguments, so no parentheses");
  }
  if (row.max == 0) return true;
  const Token open = peek();
  if (!expect(TokenKind::ParenLeft, "after '@" + std::string(row.spelling) + "'")) return false;
  if (!takes_names(attribute.kind)) {
    const auto list = expression_comma_list(open, TokenKind::ParenRight);
    if (!list) return false;
    attribute.args = *list;
    return true;
  }
  std::vector<ast::Ident> names;
  while (!at(TokenKind::ParenRight)) {
    const auto name = expect_identifier("a name");
    if (!name) return false;
    names.push_back(*name);
    if (!accept(TokenKind::Comma)) break;
  }
  attribute.names = module_.arena.copy(names);
  return expect_closing(TokenKind::ParenRight, open);
}

const ast::DiagnosticControl* Parser::diagnostic_control() {
  const Token open = peek();
  if (!expect(TokenKind::ParenLeft, "after 'diagnostic'")) return nullptr;
  const auto severity = expect_identifier("a severity: error, warning, info or off");
  if (!severity || !expect(TokenKind::Comma, "after the severity")) return nullptr;
  auto rule = expect_identifier("the name of a diagnostic rule");
  if (!rule) return nullptr;
  ast::Ident rule_namespace{};
  if (accept(TokenKind::Period)) {
    rule_namespace = *rule;
    rule = expect_identifier("the name of a diagnostic rule");
    if (!rule) return nullptr;
  }
  accept(TokenKind::Comma);
  if (!expect_closing(TokenKind::ParenRight, open)) return nullptr;
  return module_.arena.make<ast::DiagnosticControl>(*severity, rule_namespace, *rule);
}

bool Parser::refuse_attributes(ast::Attributes attributes, std::string_view where) {
  if (attributes.empty()) return true;
  return error(attributes.front()->span, "attributes are not allowed on " + std::string(where));
}

}  // namespace kem::wgsl
