#include "wgsl/syntax/ast_printer.h"

#include <array>
#include <charconv>

namespace kem::wgsl::ast {
namespace {

constexpr std::array<std::string_view, 18> kBinary = {"+",  "-",  "*",  "/",  "%",  "&", "|",  "^", "<<",
                                                      ">>", "&&", "||", "==", "!=", "<", "<=", ">", ">="};
constexpr std::array<std::string_view, 5> kUnary = {"-", "!", "~", "*", "&"};
constexpr std::array<std::string_view, 7> kSuffix = {"", "", "i", "u", "", "f", "h"};
constexpr std::array<std::string_view, 4> kVariable = {"var", "let", "const", "override"};
constexpr std::array<std::string_view, 3> kDirective = {"enable", "requires", "diagnostic"};
constexpr std::string_view kAttributeNames[] = {
#define KEM_ROW(id, spelling, min, max) spelling,
    KEM_WGSL_ATTRIBUTES(KEM_ROW)
#undef KEM_ROW
};

class Printer {
 public:
  std::string take() { return std::move(out_); }

  void module(const Module& m) {
    for (const Directive* d : m.directives) directive(*d);
    for (const Decl* d : m.declarations) {
      declaration(*d);
      out_ += '\n';
    }
  }

  void expression(const Expr& e) {
    switch (e.kind) {
      case ExprKind::Literal:
        return literal(static_cast<const Literal&>(e));
      case ExprKind::Identifier:
        return identifier(static_cast<const Identifier&>(e));
      case ExprKind::Call: {
        const auto& call = static_cast<const Call&>(e);
        out_ += "(call ";
        identifier(*call.callee);
        expressions(call.args);
        out_ += ')';
        return;
      }
      case ExprKind::Index: {
        const auto& index = static_cast<const Index&>(e);
        return form("index", {index.object, index.index});
      }
      case ExprKind::Member: {
        const auto& member = static_cast<const Member&>(e);
        out_ += "(. ";
        expression(*member.object);
        out_.append(" ").append(member.name()).append(")");
        return;
      }
      case ExprKind::Unary: {
        const auto& unary = static_cast<const Unary&>(e);
        return form(kUnary[static_cast<size_t>(unary.op)], {unary.operand});
      }
      case ExprKind::Binary: {
        const auto& binary = static_cast<const Binary&>(e);
        return form(kBinary[static_cast<size_t>(binary.op)], {binary.lhs, binary.rhs});
      }
    }
  }

 private:
  void form(std::string_view head, std::initializer_list<const Expr*> items) {
    out_.append("(").append(head);
    for (const Expr* e : items) {
      out_ += ' ';
      expression(*e);
    }
    out_ += ')';
  }

  // Null prints as '_': nothing was written there ('default' within case selectors).
  void expressions(std::span<const Expr* const> list) {
    for (const Expr* e : list) {
      out_ += ' ';
      optional(e);
    }
  }
  void optional(const Expr* e) {
    if (e == nullptr) {
      out_ += '_';
    } else {
      expression(*e);
    }
  }

  void literal(const Literal& e) {
    if (e.literal_kind == LiteralKind::Bool) {
      out_ += e.int_value != 0 ? "true" : "false";
    } else if (e.literal_kind <= LiteralKind::U32) {
      out_ += std::to_string(e.int_value);
    } else {
      std::array<char, 32> digits{};
      const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), e.float_value).ptr;
      const std::string_view text(digits.data(), static_cast<size_t>(end - digits.data()));
      out_.append(text);
      if (text.find_first_of(".e") == std::string_view::npos) out_ += ".0";
    }
    out_ += kSuffix[static_cast<size_t>(e.literal_kind)];
  }

  void identifier(const Identifier& e) {
    out_ += e.name();
    template_list(e.has_template_list, e.template_args());
  }

  void template_list(bool present, std::span<const Expr* const> arguments) {
    if (!present) return;
    out_ += '<';
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (i > 0) out_ += ' ';
      expression(*arguments[i]);
    }
    out_ += '>';
  }

  void control(const DiagnosticControl& c) {
    out_.append(" ").append(c.severity.name()).append(" ");
    if (!c.rule_namespace.name().empty()) out_.append(c.rule_namespace.name()).append(".");
    out_ += c.rule.name();
  }

  void attributes(Attributes list) {
    for (const Attribute* a : list) {
      out_.append(" (@").append(kAttributeNames[static_cast<size_t>(a->kind)]);
      expressions(a->args);
      for (const Ident& n : a->names) out_.append(" ").append(n.name());
      if (a->diagnostic != nullptr) control(*a->diagnostic);
      out_ += ')';
    }
  }

  void directive(const Directive& d) {
    out_.append("(").append(kDirective[static_cast<size_t>(d.kind)]);
    for (const Ident& n : d.names) out_.append(" ").append(n.name());
    if (d.diagnostic != nullptr) control(*d.diagnostic);
    out_ += ")\n";
  }

  void declaration(const Decl& d) {
    switch (d.kind) {
      case DeclKind::Variable:
        return variable(static_cast<const Variable&>(d));
      case DeclKind::Alias: {
        const auto& alias = static_cast<const Alias&>(d);
        out_.append("(alias ").append(alias.name.name()).append(" ");
        expression(*alias.type);
        out_ += ')';
        return;
      }
      case DeclKind::Struct: {
        const auto& s = static_cast<const Struct&>(d);
        out_.append("(struct ").append(s.name.name());
        for (const StructMember* m : s.members) named("member", m->attributes, m->name, *m->type);
        out_ += ')';
        return;
      }
      case DeclKind::Function:
        return function(static_cast<const Function&>(d));
      case DeclKind::ConstAssert:
        return form("const_assert", {static_cast<const ConstAssert&>(d).condition});
    }
  }

  void named(std::string_view head, Attributes list, const Ident& name, const Expr& type) {
    out_.append(" (").append(head);
    attributes(list);
    out_.append(" ").append(name.name()).append(" ");
    expression(type);
    out_ += ')';
  }

  void variable(const Variable& v) {
    out_.append("(").append(kVariable[static_cast<size_t>(v.variable_kind)]);
    template_list(v.has_template_list, v.template_args);
    attributes(v.attributes);
    out_.append(" ").append(v.name.name()).append(" ");
    optional(v.type);
    out_ += ' ';
    optional(v.initializer);
    out_ += ')';
  }

  void function(const Function& f) {
    out_ += "(fn";
    attributes(f.attributes);
    out_.append(" ").append(f.name.name());
    for (const Parameter* p : f.parameters) named("param", p->attributes, p->name, *p->type);
    out_ += " (->";
    attributes(f.return_attributes);
    if (f.return_type != nullptr) {
      out_ += ' ';
      expression(*f.return_type);
    }
    out_ += ')';
    line();
    statement(*f.body);
    close();
  }

  void line() {
    ++depth_;
    newline();
  }
  void newline() { out_.append("\n").append(depth_ * 2, ' '); }
  void close() {
    --depth_;
    out_ += ')';
  }

  void block(std::string_view head, Attributes list, std::span<const Stmt* const> statements) {
    out_.append("(").append(head);
    attributes(list);
    ++depth_;
    for (const Stmt* s : statements) {
      newline();
      statement(*s);
    }
    close();
  }

  void opening(std::string_view head, Attributes list) {
    out_.append("(").append(head);
    attributes(list);
  }

  void statement(const Stmt& s) {
    switch (s.kind) {
      case StmtKind::Compound: {
        const auto& c = static_cast<const Compound&>(s);
        return block("block", c.attributes, c.statements);
      }
      case StmtKind::Declaration:
        return variable(*static_cast<const Declaration&>(s).variable);
      case StmtKind::Assign: {
        const auto& a = static_cast<const Assign&>(s);
        const std::string op = a.compound ? std::string(kBinary[static_cast<size_t>(a.op)]) + "=" : "=";
        return form(op, {a.lhs, a.rhs});
      }
      case StmtKind::Phony:
        return form("_=", {static_cast<const Phony&>(s).rhs});
      case StmtKind::Increment: {
        const auto& i = static_cast<const Increment&>(s);
        return form(i.decrement ? "--" : "++", {i.lhs});
      }
      case StmtKind::If:
        return conditional(static_cast<const If&>(s));
      case StmtKind::Switch:
        return switch_statement(static_cast<const Switch&>(s));
      case StmtKind::Loop:
        return loop(static_cast<const Loop&>(s));
      case StmtKind::For:
        return for_loop(static_cast<const For&>(s));
      case StmtKind::While: {
        const auto& w = static_cast<const While&>(s);
        opening("while", w.attributes);
        out_ += ' ';
        expression(*w.condition);
        line();
        statement(*w.body);
        return close();
      }
      case StmtKind::Break:
        out_ += "(break)";
        return;
      case StmtKind::Continue:
        out_ += "(continue)";
        return;
      case StmtKind::Discard:
        out_ += "(discard)";
        return;
      case StmtKind::Return: {
        const auto& r = static_cast<const Return&>(s);
        return r.value == nullptr ? form("return", {}) : form("return", {r.value});
      }
      case StmtKind::Call:
        return expression(*static_cast<const CallStmt&>(s).call);
      case StmtKind::ConstAssert:
        return declaration(*static_cast<const ConstAssertStmt&>(s).assertion);
    }
  }

  // `else if` prints flat, however long the chain is.
  void conditional(const If& first) {
    opening("if", first.attributes);
    const If* clause = &first;
    for (;;) {
      out_ += ' ';
      expression(*clause->condition);
      line();
      statement(*clause->then_block);
      if (clause->else_block == nullptr) break;
      newline();
      if (clause->else_block->kind != StmtKind::If) {
        out_ += "else ";
        statement(*clause->else_block);
        break;
      }
      out_ += "else-if";
      --depth_;
      clause = static_cast<const If*>(clause->else_block);
    }
    close();
  }

  void switch_statement(const Switch& s) {
    opening("switch", s.attributes);
    out_ += ' ';
    expression(*s.condition);
    attributes(s.body_attributes);
    for (const CaseClause* c : s.clauses) {
      line();
      out_ += c->is_default_alone ? "(default" : "(case";
      expressions(c->selectors);
      line();
      statement(*c->body);
      close();
      --depth_;
    }
    out_ += ')';
  }

  void loop(const Loop& l) {
    opening("loop", l.attributes);
    line();
    block("body", l.body_attributes, l.statements);
    if (l.continuing != nullptr) {
      newline();
      block("continuing", l.continuing->attributes, l.continuing->statements);
      if (l.continuing->break_if != nullptr) {
        newline();
        form("break-if", {l.continuing->break_if});
      }
    }
    close();
  }

  void for_loop(const For& f) {
    opening("for", f.attributes);
    out_ += ' ';
    optional_statement(f.initializer);
    out_ += ' ';
    optional(f.condition);
    out_ += ' ';
    optional_statement(f.update);
    line();
    statement(*f.body);
    close();
  }

  void optional_statement(const Stmt* s) {
    if (s == nullptr) {
      out_ += '_';
    } else {
      statement(*s);
    }
  }

  std::string out_;
  size_t depth_ = 0;
};

}  // namespace

std::string print(const Module& module) {
  Printer printer;
  printer.module(module);
  return printer.take();
}

std::string print(const Expr& expression) {
  Printer printer;
  printer.expression(expression);
  return printer.take();
}

}  // namespace kem::wgsl::ast
