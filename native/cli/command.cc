#include "cli/command.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/io.h"
#include "core/core.h"

namespace kem::cli {
namespace {

constexpr std::array kCommands{&kRun, &kCheck, &kGlsl, &kSpirv, &kExec, &kFetch, &kDevices, &kInfo, &kBench};

std::string padded(std::string text, size_t width) {
  text.resize(std::max(text.size() + 2, width), ' ');
  return text;
}

std::string program_help() {
  std::string out = "usage: kem COMMAND [OPTION...] [OPERAND...]\n\n";
  for (const Command* command : kCommands) {
    out += "  " + padded(std::string(command->name) + " " + std::string(command->operands), 24) +
           std::string(command->summary) + "\n";
  }
  out +=
      "\n`kem COMMAND --help` lists a command's options.\n"
      "Exit codes: 0 done, 1 the kernel or the work failed, 2 the command line is wrong.\n"
      "Environment variables that configure it (the README has the table):\n";
  for (const std::string_view variable : core::Config::variables()) out += "  " + std::string(variable) + "\n";
  return out;
}

std::string command_help(const Command& command) {
  std::string out = "usage: kem " + std::string(command.name) + " [OPTION...] " + std::string(command.operands) + "\n" +
                    std::string(command.summary) + "\n";
  if (!command.options.empty()) out += "\n";
  for (const Option& option : command.options) {
    const std::string value = option.value.empty() ? "" : " " + std::string(option.value);
    out += "  " + padded("--" + std::string(option.name) + value, 26) + std::string(option.help) + "\n";
  }
  return out;
}

const Command* find(std::string_view name) {
  const auto found = std::ranges::find(kCommands, name, [](const Command* c) { return c->name; });
  return found == kCommands.end() ? nullptr : *found;
}

bool asks_for_help(const std::string& word) { return word == "--help" || word == "-h" || word == "help"; }

}  // namespace

int usage_error(std::string_view command, std::string_view message) {
  const std::string full = command.empty() ? "kem" : "kem " + std::string(command);
  write_error(full + ": " + std::string(message) + "\ntry `" + full + " --help`\n");
  return kUsage;
}

int report_failure(const Error& error, bool json) {
  const std::string_view error_class = name(error.error_class);
  if (json) {
    const nlohmann::json body{{"error", {{"class", error_class}, {"message", error.message}}}};
    write_output(to_text(body) + "\n");
  } else {
    std::string text = "kem: " + std::string(error_class) + ": " + error.message;
    if (text.back() != '\n') text += '\n';
    write_error(text);
  }
  return kFailed;
}

int run_program(const std::vector<std::string>& words) {
  if (words.empty()) {
    write_error(program_help());
    return kUsage;
  }
  if (asks_for_help(words[0])) return write_output(program_help()) ? kDone : kFailed;
  const Command* command = find(words[0]);
  if (command == nullptr) return usage_error("", "no command '" + words[0] + "'");
  const std::span rest = std::span(words).subspan(1);
  if (std::ranges::any_of(rest, [](const std::string& w) { return w == "--help"; })) {
    return write_output(command_help(*command)) ? kDone : kFailed;
  }
  auto arguments = Arguments::parse(rest, command->options);
  if (!arguments) return usage_error(command->name, arguments.error().message);
  const size_t operands = arguments->operands().size();
  if (operands < command->min_operands || operands > command->max_operands) {
    return usage_error(command->name, "expected " + (command->operands.empty() ? std::string("no operands")
                                                                               : std::string(command->operands)));
  }
  return command->run(*arguments);
}

}  // namespace kem::cli
