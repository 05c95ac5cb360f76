#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>

#include "core/core.h"

namespace kem::core {
namespace {

constexpr size_t kMostGateways = 16;
constexpr uint64_t kMostBytes = uint64_t{1} << 40;
constexpr uint64_t kMostMilliseconds = 24ull * 60 * 60 * 1000;
constexpr uint64_t kMostQueued = 1u << 20;
constexpr uint64_t kMostPolling = 10'000;  // microseconds

tl::unexpected<Error> bad_value(std::string_view variable, std::string_view value, const std::string& expected) {
  return fail(ErrorClass::InvalidArgument,
              std::string(variable) + " is '" + std::string(value) + "'; it must be " + expected);
}

Result<uint64_t> number(std::string_view variable, std::string_view text, uint64_t least, uint64_t most) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    return bad_value(variable, text, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

Status set_gateways(Config& config, std::string_view variable, std::string_view value) {
  std::vector<std::string> gateways;
  while (!value.empty()) {
    const size_t comma = value.find(',');
    const std::string_view gateway = trim(value.substr(0, comma));
    value = comma == std::string_view::npos ? std::string_view() : value.substr(comma + 1);
    if (gateway.empty()) continue;
    if (Status status = arweave::check_gateway(gateway); !status) {
      return fail(status.error().error_class, std::string(variable) + ": " + status.error().message);
    }
    gateways.emplace_back(gateway);
  }
  if (gateways.size() > kMostGateways) {
    return bad_value(variable, std::to_string(gateways.size()) + " gateways",
                     "at most " + std::to_string(kMostGateways));
  }
  config.arweave.gateways = std::move(gateways);
  return {};
}

Status set_store(Config& config, std::string_view variable, std::string_view value) {
  std::error_code error;
  if (!value.empty() && !std::filesystem::is_directory(value, error)) {
    return bad_value(variable, value, "an existing directory, or empty for none");
  }
  config.arweave.kernel_store = value;
  return {};
}

Status set_cache(Config& config, std::string_view, std::string_view value) {
  config.arweave.cache = value;
  return {};
}

Status set_ca_file(Config& config, std::string_view variable, std::string_view value) {
  std::error_code error;
  if (!value.empty() && !std::filesystem::is_regular_file(value, error)) {
    return bad_value(variable, value, "a file of PEM certificates, or empty for the system's");
  }
  config.arweave.ca_file = value;
  return {};
}

Status set_device(Config& config, std::string_view, std::string_view value) {
  config.device.selector = value;
  return {};
}

Status set_validation(Config& config, std::string_view variable, std::string_view value) {
  if (value != "0" && value != "1" && !value.empty()) return bad_value(variable, value, "0 or 1");
  config.device.validation = value == "1";
  return {};
}

Status set_job_time(Config& config, std::string_view variable, std::string_view value) {
  KEM_TRY(const uint64_t milliseconds, number(variable, value, 1, kMostMilliseconds));
  config.limits.job_time = std::chrono::milliseconds(milliseconds);
  return {};
}

// A limit that is a number from `least` to `most`.
template <auto Limit, uint64_t least, uint64_t most>
Status set_limit(Config& config, std::string_view variable, std::string_view value) {
  KEM_TRY(config.limits.*Limit, number(variable, value, least, most));
  return {};
}

Status set_loop_budget(Config& config, std::string_view variable, std::string_view value) {
  KEM_TRY(const uint64_t budget, number(variable, value, 1, std::numeric_limits<uint32_t>::max()));
  config.loop_budget = static_cast<uint32_t>(budget);
  return {};
}

Status set_language_extensions(Config& config, std::string_view variable, std::string_view value) {
  if (value != "all" && value != "first") return bad_value(variable, value, "all or first");
  config.language_extensions = value == "all" ? wgsl::LanguageExtensions::All : wgsl::LanguageExtensions::First;
  return {};
}

Status set_polling(Config& config, std::string_view variable, std::string_view value) {
  KEM_TRY(const uint64_t microseconds, number(variable, value, 0, kMostPolling));
  config.device.polling = std::chrono::microseconds(microseconds);
  return {};
}

struct Row {
  std::string_view variable;
  Status (*set)(Config&, std::string_view variable, std::string_view value);
};

constexpr std::array kRows{
    Row{"KEM_GATEWAYS", set_gateways},
    Row{"KEM_KERNEL_STORE", set_store},
    Row{"KEM_CACHE_DIR", set_cache},
    Row{"KEM_CA_FILE", set_ca_file},
    Row{"KEM_DEVICE", set_device},
    Row{"KEM_VALIDATION", set_validation},
    Row{"KEM_JOB_TIMEOUT_MS", set_job_time},
    Row{"KEM_MAX_INPUT_BYTES", set_limit<&Limits::input_bytes, 1, kMostBytes>},
    Row{"KEM_MAX_OUTPUT_BYTES", set_limit<&Limits::output_bytes, 1, kMostBytes>},
    Row{"KEM_MAX_IN_FLIGHT_BYTES", set_limit<&Limits::in_flight_bytes, 1, kMostBytes>},
    Row{"KEM_MAX_RESIDENT_BYTES", set_limit<&Limits::resident_bytes, 0, kMostBytes>},
    Row{"KEM_QUEUE_LENGTH", set_limit<&Limits::queue_length, 1, kMostQueued>},
    Row{"KEM_LOOP_BUDGET", set_loop_budget},
    Row{"KEM_LANGUAGE_EXTENSIONS", set_language_extensions},
    Row{"KEM_POLL_US", set_polling},
};

constexpr auto kNames = [] {
  std::array<std::string_view, kRows.size()> names;
  for (size_t i = 0; i < names.size(); ++i) names[i] = kRows[i].variable;
  return names;
}();

// The XDG base directory specification: relative paths there are ignored.
std::filesystem::path default_cache(const Config::Lookup& lookup) {
  if (const auto base = lookup("XDG_CACHE_HOME"); base && base->starts_with('/')) {
    return std::filesystem::path(*base) / "kem";
  }
  if (const auto home = lookup("HOME"); home && home->starts_with('/')) {
    return std::filesystem::path(*home) / ".cache" / "kem";
  }
  return {};
}

}  // namespace

Status Config::set(std::string_view variable, std::string_view value) {
  for (const Row& row : kRows) {
    if (row.variable == variable) return row.set(*this, variable, value);
  }
  return fail(ErrorClass::InvalidArgument, "there is no option '" + std::string(variable) + "'");
}

std::span<const std::string_view> Config::variables() { return kNames; }

Result<Config> Config::from_variables(const Lookup& lookup, std::filesystem::path default_store) {
  Config config;
  config.arweave.cache = default_cache(lookup);
  config.arweave.kernel_store = std::move(default_store);
  for (const Row& row : kRows) {
    if (const auto value = lookup(row.variable)) KEM_CHECK(row.set(config, row.variable, *value));
  }
  return config;
}

Result<Config> Config::from_environment(std::filesystem::path default_store) {
  const auto lookup = [](std::string_view variable) -> std::optional<std::string> {
    const char* value = std::getenv(std::string(variable).c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  };
  return from_variables(lookup, std::move(default_store));
}

}  // namespace kem::core
