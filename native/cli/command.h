// The subcommands of `kem`: a table of rows, one file a command.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/arguments.h"

namespace kem::cli {

// What the program exits with; also documented in its help.
enum Exit : int {
  kDone = 0,
  kFailed = 1,  // the kernel or the work failed
  kUsage = 2,   // the command line is wrong
};

struct Command {
  std::string_view name;
  std::string_view operands;  // synopsis of what is no option, e.g. "FILE"
  size_t min_operands;
  size_t max_operands;
  std::string_view summary;
  std::span<const Option> options;
  int (*run)(const Arguments& arguments);
};

extern const Command kRun, kCheck, kGlsl, kSpirv, kExec, kFetch, kDevices, kInfo, kBench;

// Runs one command line (without the program's name) and returns the exit code.
int run_program(const std::vector<std::string>& words);

// Tells of a failure: as text on standard error or, for programs, as {"error": ...} on standard output.
int report_failure(const Error& error, bool json);
int usage_error(std::string_view command, std::string_view message);

}  // namespace kem::cli
