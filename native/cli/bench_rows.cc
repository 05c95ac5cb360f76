#include "cli/bench_rows.h"

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

namespace kem::cli {
namespace {

// Three significant digits or more, no exponent.
std::string number(double value) {
  std::ostringstream text;
  const int decimals = value < 1 ? 3 : value < 10 ? 2 : value < 1000 ? 1 : 0;
  text << std::fixed << std::setprecision(decimals) << value;
  return text.str();
}

std::string bound_text(const BenchRow& row) {
  const auto& target = *row.target;
  return (target.kind == BenchRow::Target::Kind::AtMost ? "<= " : ">= ") + number(target.bound) +
         (row.beside ? " x" : "");
}

}  // namespace

std::optional<double> BenchRow::ratio() const {
  if (!beside || beside->value == 0) return std::nullopt;
  return value / beside->value;
}

std::optional<bool> BenchRow::met() const {
  if (!target) return std::nullopt;
  const std::optional<double> measured = beside ? ratio() : value;
  if (!measured) return std::nullopt;
  return target->kind == Target::Kind::AtMost ? *measured <= target->bound : *measured >= target->bound;
}

std::string bench_text(const std::vector<BenchRow>& rows) {
  std::ostringstream text;
  for (const BenchRow& row : rows) {
    text << std::left << std::setw(46) << row.name << std::right << std::setw(10) << number(row.value) << " "
         << std::left << std::setw(5) << row.unit;
    if (const auto ratio = row.ratio()) {
      text << "  " << row.beside->name << " " << number(row.beside->value) << ", " << number(*ratio) << " x";
    }
    if (row.target) text << "  target " << bound_text(row);
    if (const auto met = row.met()) text << (*met ? "  met" : "  NOT MET");
    text << "\n";
  }
  return text.str();
}

nlohmann::ordered_json bench_json(const std::vector<BenchRow>& rows) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const BenchRow& row : rows) {
    nlohmann::ordered_json one{{"name", row.name}, {"value", row.value}, {"unit", row.unit}};
    if (row.beside) one["beside"] = {{"name", row.beside->name}, {"value", row.beside->value}};
    if (const auto ratio = row.ratio()) one["ratio"] = *ratio;
    if (row.target) one["target"] = bound_text(row);
    if (const auto met = row.met()) one["met"] = *met;
    all.push_back(std::move(one));
  }
  return all;
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Result<double> median_time(uint64_t rounds, const std::function<Status()>& work) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  for (uint64_t i = 0; i < rounds; ++i) {
    const auto begin = Clock::now();
    KEM_CHECK(work());
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  return median_of(std::move(times));
}

}  // namespace kem::cli
