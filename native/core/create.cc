// The engine with the real folders below it, and the blocking form of a call.
#include <future>
#include <utility>

#include "core/engine.h"

namespace kem::core {
namespace {

#ifdef KEM_VALIDATE_SPIRV
constexpr bool kValidateSpirv = true;
#else
constexpr bool kValidateSpirv = false;
#endif

// A fetcher that could not be made: every fetch says why.
class NoFetcher final : public arweave::Fetcher {
 public:
  explicit NoFetcher(Error error) : error_(std::move(error)) {}
  Result<arweave::Kernel> fetch(std::string_view, const std::atomic<bool>*) override { return fail(error_); }

 private:
  const Error error_;
};

std::unique_ptr<arweave::Fetcher> make_fetcher(const Config& config) {
  arweave::Config options = config.arweave;
  if (!options.cache.empty()) options.cache /= "kernels";
  options.limits = config.limits;
  auto fetcher = arweave::Fetcher::create(std::move(options));
  if (fetcher) return *std::move(fetcher);
  return std::make_unique<NoFetcher>(std::move(fetcher).error());
}

class Waiter final : public Client {
 public:
  Waiter(std::promise<Result<Report>> promise, std::vector<uint8_t>& bytes)
      : promise_(std::move(promise)), bytes_(bytes) {}

  std::span<uint8_t> allocate_output(size_t bytes) override {
    bytes_.resize(bytes);
    return bytes_;
  }
  void done(Result<Report> result) noexcept override { promise_.set_value(std::move(result)); }

 private:
  std::promise<Result<Report>> promise_;
  std::vector<uint8_t>& bytes_;  // the waiting thread's
};

}  // namespace

std::unique_ptr<Engine> Engine::create(Config config) {
  Parts parts;
  parts.fetcher = make_fetcher(config);
  CompilerOptions compiler;
  if (!config.arweave.cache.empty()) compiler.cache = config.arweave.cache / "shaders";
  compiler.validate = kValidateSpirv || config.device.validation;
  parts.compiler = make_compiler(std::move(compiler));
  if (!config.arweave.cache.empty()) config.device.pipeline_cache = config.arweave.cache / "pipelines";
  parts.select_devices = [options = config.device] { return vulkan::Selection::make(options); };
  return make_engine(std::move(config), std::move(parts));
}

Result<Output> run(Engine& engine, const Job& job) {
  Output output;
  std::promise<Result<Report>> promise;
  auto future = promise.get_future();
  // The thread has nothing else to do.
  KEM_CHECK(
      engine.submit(job, std::make_unique<Waiter>(std::move(promise), output.bytes), std::chrono::milliseconds(1)));
  KEM_TRY(output.report, future.get());
  return output;
}

}  // namespace kem::core
