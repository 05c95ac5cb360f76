// The recursive-descent parser's class; private to syntax/. One function per grammar rule, named after it; the
// definitions are spread over parse_*.cc by topic. A function that returns null, nullopt or false has reported an
// error (or met an Error token, which the lexer reported) and leaves recovery to its caller.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/limits.h"
#include "wgsl/syntax/ast.h"
#include "wgsl/syntax/mentions.h"
#include "wgsl/syntax/token.h"

namespace kem::wgsl {

// Collects a list in a pool that all lists of one kind share (they nest), then moves it into the arena.
template <class T>
class ListBuilder {
 public:
  explicit ListBuilder(std::vector<T>& pool) : pool_(pool), begin_(pool.size()) {}
  ~ListBuilder() { pool_.resize(begin_); }
  ListBuilder(const ListBuilder&) = delete;
  ListBuilder& operator=(const ListBuilder&) = delete;

  void add(T item) { pool_.push_back(item); }
  size_t size() const { return pool_.size() - begin_; }
  T operator[](size_t i) const { return pool_[begin_ + i]; }
  std::span<const T> finish(Arena& arena) const { return arena.copy(std::span<const T>(pool_).subspan(begin_)); }

 private:
  std::vector<T>& pool_;
  size_t begin_;
};

class Parser {
 public:
  // `text` is what the tokens point into.
  Parser(std::string_view text, std::vector<Token> tokens, const Limits& limits, Diagnostics& diagnostics,
         ast::Module& module);

  void translation_unit();

 private:
  using Statements = ListBuilder<const ast::Stmt*>;
  using Expressions = ListBuilder<const ast::Expr*>;

  // ---- Tokens and errors (parser.cc)
  const Token& peek() const { return tokens_[position_]; }
  const Token& peek(size_t ahead) const;
  bool at(TokenKind kind) const { return tokens_[position_].kind == kind; }
  bool at_word(std::string_view word) const { return at(TokenKind::Identifier) && text_of(peek()) == word; }
  Token next() {
    const Token token = tokens_[position_];
    if (token.kind != TokenKind::End) {
      ++position_;
      previous_end_ = token.end;
    }
    return token;
  }
  bool accept(TokenKind kind) {
    if (!at(kind)) return false;
    next();
    return true;
  }
  // Consumes `kind` or reports "expected KIND PURPOSE, found ...".
  bool expect(TokenKind kind, std::string_view purpose);
  std::optional<ast::Ident> expect_identifier(std::string_view what) {
    if (!at(TokenKind::Identifier)) return no_identifier(what);
    const Token token = next();
    return ast::Ident{symbols_.intern(text_of(token)), token.span()};
  }
  std::optional<ast::Ident> no_identifier(std::string_view what);
  std::string_view text_of(const Token& token) const { return text_.substr(token.begin, token.end - token.begin); }
  std::string found() const;
  bool error_expected(std::string_view what);                         // false
  bool error(Span span, std::string message, std::string note = {});  // false; the note is of the same span
  void add_note(Span span, std::string message);                      // to the last error
  void advise(const Token& word);                                     // a note if it is another language's
  bool expect_semicolon(std::string_view after);
  bool expect_closing(TokenKind kind, const Token& open);
  Span span_from(uint32_t begin) const { return {begin, previous_end_}; }
  template <class T>
  T* make_node(decltype(T::kind) kind) {
    T* node = module_.arena.make<T>();
    node->kind = kind;
    return node;
  }

  // ---- Module scope (parse_module.cc)
  const ast::Directive* global_directive(bool after_declaration);
  bool directive_names(ast::Directive& directive);
  const ast::Decl* global_decl();
  void recover_declaration(size_t begin);
  bool misplaced_at_module_scope();

  // ---- Declarations (parse_declaration.cc)
  ast::Variable* variable_decl(ast::Attributes attributes);
  ast::Variable* value_decl(ast::VariableKind kind, ast::Attributes attributes);
  bool optionally_typed_ident(ast::Variable& variable);
  bool at_mut() const;
  const ast::Alias* type_alias_decl();
  const ast::Struct* struct_decl();
  const ast::StructMember* struct_member();
  const ast::Function* function_decl(ast::Attributes attributes);
  const ast::Parameter* param();
  std::optional<std::span<const ast::Parameter* const>> param_list();
  const ast::ConstAssert* const_assert();
  const ast::Identifier* type_specifier();

  // ---- Attributes (parse_attribute.cc)
  std::optional<ast::Attributes> attributes();
  const ast::Attribute* attribute();
  bool attribute_arguments(ast::Attribute& attribute);
  bool skip_arguments();
  const ast::DiagnosticControl* diagnostic_control();
  bool refuse_attributes(ast::Attributes attributes, std::string_view where);

  // ---- Statements (parse_statement.cc, parse_control_flow.cc)
  enum class Block : uint8_t { Plain, Loop, Continuing };  // what may end the statement list besides '}'
  const ast::Compound* compound_statement(ast::Attributes attributes, std::string_view of);
  const ast::Compound* attributed_body(std::string_view of);
  bool open_block(std::string_view of, Token& open);
  bool close_block(const Token& open);
  void statement_list(Statements& list, Block block);
  bool statement(Statements& list);
  bool plain_statement(Statements& list);
  const ast::Stmt* simple_statement();
  const ast::Stmt* declaration_statement();
  const ast::Stmt* return_statement();
  const ast::Stmt* if_statement(ast::Attributes attributes);
  ast::If* if_clause(ast::Attributes attributes);
  const ast::Stmt* switch_statement(ast::Attributes attributes);
  const ast::CaseClause* switch_clause();
  bool case_selectors(ast::CaseClause& clause);
  void recover_clause(size_t begin);
  const ast::Stmt* loop_statement(ast::Attributes attributes);
  const ast::Continuing* continuing_statement();
  const ast::Stmt* for_statement(ast::Attributes attributes);
  bool for_header(ast::For& loop);
  const ast::Stmt* while_statement(ast::Attributes attributes);
  const ast::Stmt* updating_or_call_statement();
  const ast::Stmt* assignment(const ast::Expr* lhs, uint32_t begin);
  void no_assignment(const ast::Expr& lhs);
  void skip_do_while();
  bool misplaced_statement();
  void recover_statement(size_t begin);
  bool recover_to_body();
  bool recover_from_header(size_t begin);

  // ---- Expressions (parse_expression.cc)
  const ast::Expr* expression();
  const ast::Expr* expression_rest(const ast::Expr* first);
  const ast::Expr* bitwise_rest(const ast::Expr* first);
  const ast::Expr* short_circuit_rest(const ast::Expr* first);
  const ast::Expr* relational_expression(const Token& before);
  const ast::Expr* relational_rest(const ast::Expr* first);
  const ast::Expr* shift_rest(const ast::Expr* first);
  const ast::Expr* additive_rest(const ast::Expr* first);
  const ast::Expr* multiplicative_rest(const ast::Expr* first);
  const ast::Expr* unary_expression();
  Token next_character();
  const ast::Expr* prefixed_operand();
  const ast::Expr* apply_prefixes(const ListBuilder<Token>& prefixes, const ast::Expr* operand);
  const ast::Expr* singular_rest(const ast::Expr* primary);
  const ast::Expr* primary_expression();
  const ast::Expr* literal();
  const ast::Expr* lhs_expression();
  const ast::Expr* call_rest(const ast::Identifier* callee);
  const ast::Identifier* template_elaborated_ident(std::string_view what);
  std::optional<std::span<const ast::Expr* const>> template_list();
  // Expressions up to `end`, which is consumed; a comma may follow the last.
  std::optional<std::span<const ast::Expr* const>> expression_comma_list(const Token& open, TokenKind end);
  const ast::Expr* binary(ast::BinaryOp op, const ast::Expr* lhs, const ast::Expr* rhs);
  bool error_mixed(const Token& first, const Token& second);
  bool error_no_operand();
  bool is_cast(const ast::Expr& inner);
  template <class T>
  T* make_expression(ast::ExprKind kind, uint32_t begin, uint32_t height);
  bool within_height(uint32_t height, Span span) { return height <= ast::kMaxExpressionHeight || error_height(span); }
  bool error_height(Span span);

  std::string_view text_;
  std::vector<Token> tokens_;
  SymbolTable symbols_;
  Mentions mentions_;
  const Limits& limits_;
  Diagnostics& diagnostics_;
  ast::Module& module_;
  size_t position_ = 0;
  uint32_t previous_end_ = 0;  // of the token consumed last
  uint32_t block_depth_ = 0;   // braces open around statements, the function's own not counted
  uint32_t nesting_ = 0;       // expressions open around this one
  bool unwinding_ = false;     // leave the function: a '}' is missing
  bool stopped_ = false;       // leave everything: limits reached
  Diagnostic* last_error_ = nullptr;
  std::vector<Token> prefix_pool_;
  std::vector<const ast::Expr*> expression_pool_;
  std::vector<const ast::Stmt*> statement_pool_;
  std::vector<const ast::Attribute*> attribute_pool_;
  std::vector<const ast::Parameter*> parameter_pool_;
  std::vector<const ast::StructMember*> member_pool_;
};

}  // namespace kem::wgsl
