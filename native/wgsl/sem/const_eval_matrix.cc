// Linear algebra: products, transpose, determinant, dot (spec "Matrix arithmetic", "transpose", "determinant").
#include <array>
#include <cstdlib>
#include <vector>

#include "wgsl/sem/const_eval_impl.h"

namespace kem::wgsl::sem::detail {
namespace {

using Column = std::array<double, 4>;
using Columns = std::array<Column, 4>;

struct Shape {
  uint32_t columns, rows;
};

// A matrix's numbers, [column][row]; a vector is one column, or, `as_row`, one row.
Columns numbers(ConstEval& eval, const Value* value, bool as_row, Shape& shape) {
  Columns out{};
  if (const Matrix* matrix = as_matrix(value->type)) {
    shape = {matrix->columns, matrix->rows};
    for (uint32_t c = 0; c < shape.columns; ++c) {
      const Value* column = eval.component(value, c);
      for (uint32_t r = 0; r < shape.rows; ++r) out[c][r] = eval.component(column, r)->real;
    }
    return out;
  }
  const uint32_t width = width_of(value->type);
  shape = as_row ? Shape{width, 1} : Shape{1, width};
  for (uint32_t i = 0; i < width; ++i) (as_row ? out[i][0] : out[0][i]) = eval.component(value, i)->real;
  return out;
}

Evaluated make_vector(ConstEval& eval, const Vector* type, const Column& column) {
  return lift(eval, type, [&](uint32_t i) -> Evaluated { return eval.real(type->element, column[i]); });
}

Evaluated make_matrix(ConstEval& eval, const Matrix* type, const Columns& numbers) {
  std::vector<const Value*> columns;
  for (uint32_t c = 0; c < type->columns; ++c) {
    Evaluated column = make_vector(eval, type->column, numbers[c]);
    if (!column) return column;
    columns.push_back(*column);
  }
  return eval.composite(type, columns);
}

Evaluated transpose(const Call& call) {
  Shape shape{};
  const Columns from = numbers(call.eval, call.args[0], false, shape);
  Columns to{};
  for (uint32_t c = 0; c < shape.columns; ++c) {
    for (uint32_t r = 0; r < shape.rows; ++r) to[r][c] = from[c][r];
  }
  return make_matrix(call.eval, as_matrix(call.result), to);
}

// Laplace expansion along the first column, over the rows that `rows` lists: at most 4 * 3 * 2 products.
double determinant_of(Real& real, const Columns& m, uint32_t first_column, const std::vector<uint32_t>& rows) {
  if (rows.size() == 1) return m[first_column][rows[0]];
  double sum = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    std::vector<uint32_t> others = rows;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const double term = real.mul(m[first_column][rows[i]], determinant_of(real, m, first_column + 1, others));
    sum = i % 2 == 0 ? real.add(sum, term) : real.sub(sum, term);
  }
  return sum;
}

Evaluated determinant(const Call& call) {
  Shape shape{};
  const Columns m = numbers(call.eval, call.args[0], false, shape);
  std::vector<uint32_t> rows;
  for (uint32_t r = 0; r < shape.rows; ++r) rows.push_back(r);
  Real real(call.result);
  const double value = determinant_of(real, m, 0, rows);
  if (!real.finite()) return call.not_finite(call.result);
  return call.eval.real(call.result, value);
}

Evaluated dot_call(const Call& call) { return dot(call.eval, call.args[0], call.args[1]); }

}  // namespace

Evaluated multiply_matrix(ConstEval& eval, const Value* lhs, const Value* rhs, const Type* result) {
  Shape left{}, right{};
  const Columns a = numbers(eval, lhs, true, left);
  const Columns b = numbers(eval, rhs, false, right);
  const Type* scalar = scalar_of(result);
  Real real(scalar);
  Columns product{};
  for (uint32_t c = 0; c < right.columns; ++c) {
    for (uint32_t r = 0; r < left.rows; ++r) {
      double sum = real.mul(a[0][r], b[c][0]);
      for (uint32_t k = 1; k < left.columns; ++k) sum = real.add(sum, real.mul(a[k][r], b[c][k]));
      product[c][r] = sum;
    }
  }
  if (!real.finite()) return error("the matrix product has no finite value in '" + spelling(result) + "'");
  if (const Matrix* matrix = as_matrix(result)) return make_matrix(eval, matrix, product);
  if (left.rows > 1) return make_vector(eval, as_vector(result), product[0]);
  Column row{};  // vec * mat: the product is one row
  for (uint32_t c = 0; c < right.columns; ++c) row[c] = product[c][0];
  return make_vector(eval, as_vector(result), row);
}

Evaluated dot(ConstEval& eval, const Value* lhs, const Value* rhs) {
  const Type* scalar = scalar_of(lhs->type);
  const Value* sum = nullptr;
  for (uint32_t i = 0; i < width_of(lhs->type); ++i) {
    Evaluated term = scalar_binary(eval, ast::BinaryOp::Multiply, lane(eval, lhs, i), lane(eval, rhs, i), scalar);
    if (!term) return term;
    Evaluated next = sum == nullptr ? term : scalar_binary(eval, ast::BinaryOp::Add, sum, *term, scalar);
    if (!next) return next;
    sum = *next;
  }
  return sum;
}

Evaluator find_matrix(Builtin builtin) {
  switch (builtin) {
    case Builtin::Transpose:
      return transpose;
    case Builtin::Determinant:
      return determinant;
    case Builtin::Dot:
      return dot_call;
    default:
      return nullptr;
  }
}

}  // namespace kem::wgsl::sem::detail
