#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/core.h"

namespace kem::core {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Variables = std::map<std::string, std::string, std::less<>>;

Result<Config> from(const Variables& variables, std::filesystem::path default_store = "/default") {
  return Config::from_variables(
      [&](std::string_view name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        if (found == variables.end()) return std::nullopt;
        return found->second;
      },
      std::move(default_store));
}

TEST(Config, Defaults) {
  const auto config = from({});
  ASSERT_TRUE(config);
  EXPECT_TRUE(config->arweave.gateways.empty());
  EXPECT_EQ(config->arweave.kernel_store, "/default");
  EXPECT_TRUE(config->arweave.cache.empty()) << "no home, no cache";
  EXPECT_FALSE(config->loop_budget);
  EXPECT_FALSE(config->device.polling);
}

TEST(Config, CacheDirectory) {
  EXPECT_EQ(from({{"HOME", "/home/x"}})->arweave.cache, "/home/x/.cache/kem");
  EXPECT_EQ(from({{"HOME", "/home/x"}, {"XDG_CACHE_HOME", "/c"}})->arweave.cache, "/c/kem");
  EXPECT_EQ(from({{"HOME", "/home/x"}, {"XDG_CACHE_HOME", "relative"}})->arweave.cache, "/home/x/.cache/kem");
  EXPECT_EQ(from({{"HOME", "/home/x"}, {"KEM_CACHE_DIR", "/k"}})->arweave.cache, "/k");
  EXPECT_EQ(from({{"HOME", "/home/x"}, {"KEM_CACHE_DIR", ""}})->arweave.cache, "");
}

TEST(Config, EveryVariable) {
  const auto config = from({{"KEM_GATEWAYS", "https://arweave.net, http://localhost:1984/ ,"},
                            {"KEM_KERNEL_STORE", "/tmp"},
                            {"KEM_CA_FILE", "/etc/passwd"},
                            {"KEM_DEVICE", "llvmpipe"},
                            {"KEM_VALIDATION", "1"},
                            {"KEM_JOB_TIMEOUT_MS", "1500"},
                            {"KEM_MAX_INPUT_BYTES", "1000"},
                            {"KEM_MAX_OUTPUT_BYTES", "2000"},
                            {"KEM_MAX_IN_FLIGHT_BYTES", "3000"},
                            {"KEM_MAX_RESIDENT_BYTES", "4000"},
                            {"KEM_QUEUE_LENGTH", "7"},
                            {"KEM_LOOP_BUDGET", "4294967295"},
                            {"KEM_LANGUAGE_EXTENSIONS", "first"},
                            {"KEM_POLL_US", "70"}});
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_THAT(config->arweave.gateways, ElementsAre("https://arweave.net", "http://localhost:1984/"));
  EXPECT_EQ(config->arweave.kernel_store, "/tmp");
  EXPECT_EQ(config->arweave.ca_file, "/etc/passwd");
  EXPECT_EQ(config->device.selector, "llvmpipe");
  EXPECT_TRUE(config->device.validation);
  EXPECT_EQ(config->limits.job_time, std::chrono::milliseconds(1500));
  EXPECT_EQ(config->limits.input_bytes, 1000u);
  EXPECT_EQ(config->limits.output_bytes, 2000u);
  EXPECT_EQ(config->limits.in_flight_bytes, 3000u);
  EXPECT_EQ(config->limits.resident_bytes, 4000u);
  EXPECT_EQ(config->limits.queue_length, 7u);
  EXPECT_EQ(config->loop_budget, 4294967295u);
  EXPECT_EQ(config->language_extensions, wgsl::LanguageExtensions::First);
  EXPECT_EQ(config->device.polling, std::chrono::microseconds(70));
}

TEST(Config, BadValuesAreErrors) {
  const std::pair<const char*, const char*> rows[] = {
      {"KEM_GATEWAYS", "ftp://x"},       {"KEM_GATEWAYS", "arweave.net"},
      {"KEM_GATEWAYS", "https://"},      {"KEM_GATEWAYS", "https://a b"},
      {"KEM_GATEWAYS", "https://a/?q"},  {"KEM_KERNEL_STORE", "/no/such"},
      {"KEM_CA_FILE", "/no/such"},       {"KEM_VALIDATION", "yes"},
      {"KEM_JOB_TIMEOUT_MS", "0"},       {"KEM_JOB_TIMEOUT_MS", "1s"},
      {"KEM_JOB_TIMEOUT_MS", "-1"},      {"KEM_JOB_TIMEOUT_MS", ""},
      {"KEM_MAX_OUTPUT_BYTES", "1e6"},   {"KEM_QUEUE_LENGTH", "99999999999999"},
      {"KEM_LOOP_BUDGET", "4294967296"}, {"KEM_LOOP_BUDGET", " 1"},
      {"KEM_MAX_IN_FLIGHT_BYTES", "0"},  {"KEM_MAX_RESIDENT_BYTES", "1G"},
      {"KEM_LANGUAGE_EXTENSIONS", ""},   {"KEM_LANGUAGE_EXTENSIONS", "some"},
      {"KEM_POLL_US", "10001"},          {"KEM_POLL_US", "-1"},
  };
  for (const auto& [name, value] : rows) {
    SCOPED_TRACE(std::string(name) + "=" + value);
    const auto config = from({{name, value}});
    if (config) {
      ADD_FAILURE() << "accepted";
      continue;
    }
    EXPECT_EQ(config.error().error_class, ErrorClass::InvalidArgument);
    EXPECT_THAT(config.error().message, HasSubstr(name));
  }
}

TEST(Config, SetKnowsItsNames) {
  Config config;
  EXPECT_FALSE(config.set("KEM_NO_SUCH", "1"));
  for (const std::string_view name : Config::variables()) EXPECT_TRUE(name.starts_with("KEM_"));
  EXPECT_EQ(Config::variables().size(), 15u);
}

}  // namespace
}  // namespace kem::core
