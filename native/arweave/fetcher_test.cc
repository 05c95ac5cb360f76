#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <algorithm>
#include <thread>

#include "arweave/arweave.h"
#include "arweave/source.h"
#include "arweave/test_server.h"
#include "base/digest.h"

namespace kem::arweave {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kId = "btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg";
const std::string kKernel = "@compute @workgroup_size(1) fn main() {} // \xc3\xa9\n";

std::string closed_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  EXPECT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), length), 0);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
  ::close(socket);
  return std::to_string(ntohs(address.sin_port));
}

class FetcherTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    // The loopback server is to be asked, whatever proxy the environment names.
    ::setenv("no_proxy", "127.0.0.1", 1);
    server_ = new TestServer;
  }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
  }
  void SetUp() override { ASSERT_FALSE(server_->port().empty()) << "python3 cannot run testdata/server.py"; }

  // The fetcher of gateways that behave so.
  std::unique_ptr<Fetcher> fetcher(const std::vector<std::string>& behaviours) {
    for (const std::string& behaviour : behaviours) {
      config.gateways.push_back(behaviour.starts_with("http") ? behaviour : server_->gateway(behaviour));
    }
    auto created = Fetcher::create(config);
    EXPECT_TRUE(created) << (created ? "" : created.error().message);
    return created ? std::move(*created) : nullptr;
  }

  Error error(const std::vector<std::string>& behaviours) {
    const auto kernel = fetcher(behaviours)->fetch(kId);
    if (!kernel) return kernel.error();
    ADD_FAILURE() << "accepted: " << kernel->source;
    return {};
  }

  static int count(const std::string& behaviour) {
    Config asking;
    asking.gateways = {server_->gateway("count/" + behaviour)};
    const auto answer = (*Fetcher::create(asking))->fetch(kId);
    return answer ? std::stoi(answer->source) : -1;
  }

  static TestServer* server_;
  Config config;
};

TestServer* FetcherTest::server_ = nullptr;

TEST_F(FetcherTest, AnswersAndRedirects) {
  for (const char* behaviour : {"ok", "redirect", "absolute", "hops/5", "ok/"}) {
    SCOPED_TRACE(behaviour);
    config.gateways.clear();
    const auto kernel = fetcher({behaviour})->fetch(kId);
    ASSERT_TRUE(kernel) << kernel.error().message;
    EXPECT_EQ(kernel->source, kKernel);
    EXPECT_EQ(kernel->origin, server_->gateway(behaviour));
  }
}

TEST_F(FetcherTest, AsksForTheIdWithItsUserAgent) {
  EXPECT_EQ(fetcher({"named"})->fetch(kId)->source, "// " + kId + "\n");
  config.gateways.clear();
  config.user_agent = "kem-test/7";
  EXPECT_EQ(fetcher({"agent"})->fetch(kId)->source, "// kem-test/7");
}

struct RefusalRow {
  const char* behaviour;
  ErrorClass error;
  const char* reason;
};

TEST_F(FetcherTest, Refusals) {
  using E = ErrorClass;
  const RefusalRow rows[] = {
      {"missing", E::KernelNotFound, "HTTP status 404"},
      {"gone", E::KernelNotFound, "HTTP status 410"},
      {"broken", E::GatewayUnavailable, "HTTP status 500"},
      {"pending", E::GatewayUnavailable, "HTTP status 202"},
      {"loop", E::GatewayUnavailable, "redirects more than 5 times"},
      {"hops/6", E::GatewayUnavailable, "redirects more than 5 times"},
      {"nowhere", E::GatewayUnavailable, "without a place"},
      {"ftp", E::GatewayUnavailable, "not http or https"},
      {"file", E::GatewayUnavailable, "not http or https"},
      {"truncated", E::GatewayUnavailable, "shorter than announced"},
      {"announced", E::KernelTooLarge, "more than 1048576 bytes"},
      {"endless", E::KernelTooLarge, "more than 1048576 bytes"},
      {"html", E::GatewayUnavailable, "HTML page"},
      {"markup", E::GatewayUnavailable, "HTML page"},
      {"latin", E::InvalidKernel, "invalid UTF-8 at offset 3"},
      {"surrogate", E::InvalidKernel, "invalid UTF-8 at offset 3"},
      {"nul", E::InvalidKernel, "NUL byte at offset 2"},
      {"empty", E::InvalidKernel, "no bytes"},
  };
  for (const RefusalRow& row : rows) {
    SCOPED_TRACE(row.behaviour);
    config.gateways.clear();
    const Error refusal = error({row.behaviour});
    EXPECT_EQ(name(refusal.error_class), name(row.error));
    EXPECT_THAT(refusal.message, AllOf(HasSubstr(row.reason), HasSubstr(kId)));
  }
}

TEST_F(FetcherTest, ConnectionRefused) {
  const Error refusal = error({"http://127.0.0.1:" + closed_port()});
  EXPECT_EQ(refusal.error_class, ErrorClass::GatewayUnavailable);
  EXPECT_THAT(refusal.message, HasSubstr("connect"));
}

TEST_F(FetcherTest, SlowAndStalledGatewaysAreGivenUp) {
  config.limits.fetch_time = 300ms;
  EXPECT_EQ(error({"slow"}).error_class, ErrorClass::GatewayUnavailable);
  config.gateways.clear();
  config.limits.fetch_time = 60s;
  config.stall_time = 1s;
  const Error stalled = error({"stalled"});
  EXPECT_EQ(stalled.error_class, ErrorClass::GatewayUnavailable);
  EXPECT_THAT(stalled.message, HasSubstr("too slow"));
}

TEST_F(FetcherTest, FailsOverInOrder) {
  const auto kernel =
      fetcher({"http://127.0.0.1:" + closed_port(), "broken", "missing", "html", "ok", "never"})->fetch(kId);
  ASSERT_TRUE(kernel) << kernel.error().message;
  EXPECT_EQ(kernel->origin, server_->gateway("ok"));
  EXPECT_EQ(count("never"), 0);
}

TEST_F(FetcherTest, AMixOfReasonsIsUnavailableWithEachOfThem) {
  const Error refusal = error({"missing", "broken", "announced"});
  EXPECT_EQ(refusal.error_class, ErrorClass::GatewayUnavailable);
  EXPECT_THAT(refusal.message, AllOf(HasSubstr("/missing: HTTP status 404"), HasSubstr("/broken: HTTP status 500"),
                                     HasSubstr("/announced: more than")));
  config.gateways.clear();
  EXPECT_EQ(error({"missing", "gone"}).error_class, ErrorClass::KernelNotFound);
}

TEST_F(FetcherTest, NoGatewayAtAll) {
  const Error refusal = error({});
  EXPECT_EQ(refusal.error_class, ErrorClass::KernelNotFound);
  EXPECT_THAT(refusal.message, HasSubstr("no gateway is configured"));
}

TEST_F(FetcherTest, TlsIsVerifiedAndNeverLeft) {
  const TemporaryDirectory directory;
  const TestServer tls(directory.path());
  ASSERT_FALSE(tls.port().empty()) << "openssl cannot make a certificate";
  const Error distrust = error({tls.gateway("ok")});
  EXPECT_EQ(distrust.error_class, ErrorClass::GatewayUnavailable);
  EXPECT_THAT(distrust.message, HasSubstr("certificate"));

  config.gateways.clear();
  config.ca_file = directory.path() / "cert.pem";
  const auto kernel = fetcher({tls.gateway("redirect")})->fetch(kId);
  ASSERT_TRUE(kernel) << kernel.error().message;
  EXPECT_EQ(kernel->source, kKernel);

  config.gateways.clear();
  const Error downgrade = error({tls.gateway("downgrade/" + server_->port())});
  EXPECT_EQ(downgrade.error_class, ErrorClass::GatewayUnavailable);
  EXPECT_THAT(downgrade.message, HasSubstr("from https to http"));
}

TEST_F(FetcherTest, CancellationEndsADownload) {
  const auto slow = fetcher({"slow"});
  std::atomic<bool> cancelled{false};
  std::thread canceller([&] {
    while (count("slow") < 1) std::this_thread::sleep_for(5ms);
    cancelled = true;
  });
  const auto kernel = slow->fetch(kId, &cancelled);
  canceller.join();
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().error_class, ErrorClass::Cancelled);
}

TEST_F(FetcherTest, ConcurrentFetchesShareOneDownload) {
  const int before = count("soon");
  const auto shared = fetcher({"soon"});
  std::vector<std::thread> threads;
  threads.reserve(12);
  std::atomic<int> good{0};
  for (int i = 0; i < 12; ++i) {
    threads.emplace_back([&] { good += shared->fetch(kId).has_value(); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 12);
  EXPECT_EQ(count("soon"), before + 1);
}

TEST_F(FetcherTest, TheLeadersCancellationLeavesTheOthersTheirKernel) {
  const int before = count("soon");
  const auto shared = fetcher({"soon"});
  std::atomic<bool> cancelled{false};
  std::thread leader([&] { shared->fetch(kId, &cancelled); });
  while (count("soon") == before) std::this_thread::sleep_for(5ms);
  std::thread canceller([&] { cancelled = true; });
  const auto kernel = shared->fetch(kId);
  leader.join();
  canceller.join();
  EXPECT_TRUE(kernel) << kernel.error().message;
}

TEST_F(FetcherTest, TheDiskCacheOutlivesFetcherAndServer) {
  const TemporaryDirectory directory;
  config.cache = directory.path() / "new" / "cache";
  TestServer passing;
  ASSERT_TRUE(fetcher({passing.gateway("ok")})->fetch(kId));
  passing.stop();
  const auto kernel = (*Fetcher::create(config))->fetch(kId);
  ASSERT_TRUE(kernel) << kernel.error().message;
  EXPECT_EQ(kernel->origin, "cache");
  EXPECT_EQ(kernel->source, kKernel);

  directory.write("new/cache/sha256/" + hex(sha256(kKernel)), "fn main() { evil(); }");
  const auto corrupt = (*Fetcher::create(config))->fetch(kId);
  ASSERT_FALSE(corrupt) << "corrupt bytes were served";
  EXPECT_EQ(corrupt.error().error_class, ErrorClass::GatewayUnavailable);

  config.gateways.clear();
  const auto again = fetcher({"ok"})->fetch(kId);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->origin, server_->gateway("ok"));
  EXPECT_EQ((*Fetcher::create(config))->fetch(kId)->origin, "cache");
}

TEST_F(FetcherTest, MemoryAnswersTheSecondFetch) {
  const int before = count("named");
  const auto same = fetcher({"named"});
  ASSERT_TRUE(same->fetch(kId));
  ASSERT_TRUE(same->fetch(kId));
  EXPECT_EQ(count("named"), before + 1);
}

TEST_F(FetcherTest, AnUnusableCacheDirectoryIsOnlyNoCache) {
  const TemporaryDirectory directory;
  config.cache = directory.write("file", "not a directory");
  EXPECT_TRUE(fetcher({"ok"})->fetch(kId));
}

class StoreTest : public ::testing::Test {
 protected:
  Result<Kernel> fetch(const std::string& index) {
    directory.write("index.json", index);
    Config config;
    config.kernel_store = directory.path();
    return (*Fetcher::create(config))->fetch(kId);
  }
  std::string refusal(const std::string& index) {
    const auto kernel = fetch(index);
    return kernel ? "accepted" : std::string(name(kernel.error().error_class));
  }

  TemporaryDirectory directory;
};

TEST_F(StoreTest, FileNamesAndPins) {
  directory.write("double.wgsl", kKernel);
  directory.write("more/double.wgsl", kKernel);
  const std::string digest = hex(sha256(kKernel));
  for (const std::string& entry :
       {std::string(R"("double.wgsl")"), std::string(R"("more/double.wgsl")"),
        std::string(R"({"file": "double.wgsl"})"), R"({"file": "double.wgsl", "sha256": ")" + digest + R"("})"}) {
    std::string index = "{\"" + kId + "\": ";
    (index += entry) += "}";
    const auto kernel = fetch(index);
    ASSERT_TRUE(kernel) << kernel.error().message;
    EXPECT_EQ(kernel->source, kKernel);
    EXPECT_EQ(kernel->origin, "store");
  }
}

TEST_F(StoreTest, Refusals) {
  directory.write("double.wgsl", kKernel);
  directory.write("nul.wgsl", std::string("fn\0main", 7));
  directory.write("large.wgsl", std::string(Limits{}.source_bytes + 1, ' '));
  directory.write("directory/file", "");
  const TemporaryDirectory outside;
  outside.write("secret", "fn main() {}");
  std::filesystem::create_symlink(outside.path() / "secret", directory.path() / "link.wgsl");
  std::filesystem::create_symlink(outside.path(), directory.path() / "away");
  std::filesystem::create_symlink("double.wgsl", directory.path() / "inside.wgsl");
  const auto entry = [](const std::string& value) { return "{\"" + kId + "\": " + value + "}"; };
  EXPECT_EQ(refusal("{}"), "kernel_not_found");
  EXPECT_EQ(refusal("not JSON"), "io_error");
  EXPECT_EQ(refusal("[]"), "io_error");
  EXPECT_EQ(refusal(entry("7")), "io_error");
  EXPECT_EQ(refusal(entry(R"({"sha256": "00"})")), "io_error");
  EXPECT_EQ(refusal(entry(R"({"file": "double.wgsl", "sha256": "00"})")), "io_error");
  EXPECT_EQ(refusal(entry(R"({"file": "double.wgsl", "sha256": ")" + std::string(64, '0') + "\"}")),
            "kernel_unverified");
  EXPECT_EQ(refusal(entry(R"("")")), "io_error");
  EXPECT_EQ(refusal(entry(R"("missing.wgsl")")), "io_error");
  EXPECT_EQ(refusal(entry(R"("directory")")), "io_error");
  EXPECT_EQ(refusal(entry("\"" + outside.path().string() + "/secret\"")), "io_error");
  EXPECT_EQ(refusal(entry("\"../" + outside.path().filename().string() + "/secret\"")), "io_error");
  EXPECT_EQ(refusal(entry(R"("link.wgsl")")), "io_error");
  EXPECT_EQ(refusal(entry(R"("away/secret")")), "io_error");
  EXPECT_EQ(refusal(entry(R"("inside.wgsl")")), "accepted");
  EXPECT_EQ(refusal(entry(R"("nul.wgsl")")), "invalid_kernel");
  EXPECT_EQ(refusal(entry(R"("large.wgsl")")), "kernel_too_large");
  std::filesystem::remove(directory.path() / "index.json");
  Config config;
  config.kernel_store = directory.path();
  EXPECT_EQ((*Fetcher::create(config))->fetch(kId).error().error_class, ErrorClass::KernelNotFound);
}

TEST_F(StoreTest, TheProjectsOwnStoreHasTheSeedKernels) {
  Config config;
  config.kernel_store = KEM_SOURCE_DIR "/kernels";
  const auto kernel = (*Fetcher::create(config))->fetch(kId);
  ASSERT_TRUE(kernel) << kernel.error().message;
  EXPECT_THAT(kernel->source, HasSubstr("@compute"));
}

TEST(KernelId, Syntax) {
  EXPECT_TRUE(check_kernel_id(kId));
  EXPECT_TRUE(check_kernel_id(std::string(43, 'A')));
  const std::string bad[] = {"",
                             "short",
                             kId + "A",
                             kId.substr(1),
                             std::string(42, 'A') + "B",
                             std::string(42, 'A') + "=",
                             std::string(42, 'A') + "+",
                             std::string(20, 'A') + "/" + std::string(22, 'A'),
                             std::string(20, 'A') + std::string(1, '\0') + std::string(22, 'A'),
                             "../" + std::string(40, 'A')};
  for (const std::string& id : bad) {
    const Status status = check_kernel_id(id);
    ASSERT_FALSE(status) << id;
    EXPECT_EQ(status.error().error_class, ErrorClass::InvalidKernelId);
  }
}

TEST(Content, Utf8) {
  const std::string good[] = {"a",
                              "\xc2\x80",
                              "\xe0\xa0\x80",
                              "\xed\x9f\xbf",
                              "\xee\x80\x80",
                              "\xf0\x90\x80\x80",
                              "\xf4\x8f\xbf\xbf",
                              "\xef\xbb\xbf fn"};
  for (const std::string& text : good) EXPECT_TRUE(check_content(text, Limits{})) << testing::PrintToString(text);
  const std::string bad[] = {"\x80",
                             "\xc0\x80",
                             "\xc1\xbf",
                             "\xc2",
                             "\xe0\x9f\xbf",
                             "\xed\xa0\x80",
                             "\xe1\x80",
                             "\xf0\x8f\xbf\xbf",
                             "\xf4\x90\x80\x80",
                             "\xf5\x80\x80\x80",
                             "a\xff",
                             "\xe1\x80\xc0"};
  for (const std::string& text : bad) EXPECT_FALSE(check_content(text, Limits{})) << testing::PrintToString(text);
}

TEST(Fetcher, GatewaysMustBeUrls) {
  Config config;
  config.gateways = {"gopher://x"};
  EXPECT_FALSE(Fetcher::create(config));
}

}  // namespace
}  // namespace kem::arweave
