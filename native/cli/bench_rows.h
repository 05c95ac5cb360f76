// What benchmarks print: a table of measured values, each beside a floor or a peer and a target where it has one.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kem::cli {

struct BenchRow {
  std::string name;
  double value = 0;
  std::string_view unit;

  // What the value is held against: a floor or a peer measured in the same run, by its name.
  struct Beside {
    std::string name;
    double value;  // in the row's unit
  };
  std::optional<Beside> beside;

  // The target, for the value or, if there is one beside it, for their ratio.
  struct Target {
    enum class Kind { AtMost, AtLeast } kind;
    double bound;
  };
  std::optional<Target> target;

  std::optional<double> ratio() const;
  std::optional<bool> met() const;
};

std::string bench_text(const std::vector<BenchRow>& rows);
nlohmann::ordered_json bench_json(const std::vector<BenchRow>& rows);

// The middle one; 0 of none.
double median_of(std::vector<double> values);

// The median wall time of `work` in microseconds, over `rounds`.
Result<double> median_time(uint64_t rounds, const std::function<Status()>& work);

}  // namespace kem::cli
