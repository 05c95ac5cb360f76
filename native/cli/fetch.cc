// kem fetch: the source that a TXID stands for.
#include <array>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/engine.h"
#include "cli/io.h"
#include "cli/translate.h"

namespace kem::cli {
namespace {

constexpr std::array kOptions{Option{"out", "FILE", "write the source there (standard output)"}, kJsonOption};

Status fetch(const Arguments& arguments) {
  KEM_TRY(const core::Config config, engine_config());
  KEM_TRY(const auto fetcher, arweave::Fetcher::create(config.arweave));
  KEM_TRY(const arweave::Kernel kernel, fetcher->fetch(arguments.operands()[0]));
  const auto path = arguments.single("out");
  const std::span bytes{reinterpret_cast<const uint8_t*>(kernel.source.data()), kernel.source.size()};
  if (path) KEM_CHECK(write_file(*path, bytes));
  if (arguments.json()) {
    nlohmann::json body{{"origin", kernel.origin}, {"bytes", kernel.source.size()}};
    if (!path) body["source"] = kernel.source;
    write_output(to_text(body) + "\n");
  } else if (!path) {
    write_output(bytes);
  }
  return {};
}

int run(const Arguments& arguments) {
  const Status done = fetch(arguments);
  return done ? kDone : report_failure(done.error(), arguments.json());
}

}  // namespace

const Command kFetch{"fetch", "TXID", 1, 1, "fetch a kernel's source", kOptions, run};

}  // namespace kem::cli
