#include "cli/engine.h"

#include <filesystem>

namespace kem::cli {

Result<core::Config> engine_config() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  std::filesystem::path store;
  if (!error) store = program.parent_path().parent_path() / "kernels";
  if (!std::filesystem::is_directory(store, error)) store.clear();
  KEM_TRY(core::Config config, core::Config::from_environment(store));
  config.device.most = 1;
  return config;
}

Result<std::unique_ptr<core::Engine>> make_engine() {
  KEM_TRY(core::Config config, engine_config());
  return core::Engine::create(std::move(config));
}

}  // namespace kem::cli
