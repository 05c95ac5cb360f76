// The local kernel store: a directory whose index.json maps kernel ids to files.
//
//   {"<TXID>": "double-integer.wgsl",
//    "<TXID>": {"file": "glitch.wgsl", "sha256": "<64 hex digits>"}}
//
// File names are relative, without "..", and must lead to a regular file below the directory, links included.
#pragma once

#include <filesystem>

#include "arweave/source.h"

namespace kem::arweave {

class StoreSource final : public KernelSource {
 public:
  StoreSource(std::filesystem::path directory, Limits limits) : directory_(std::move(directory)), limits_(limits) {}

  // KernelNotFound also where the directory has no index. IoError for a broken index or a missing file,
  // KernelUnverified for bytes that are not the pinned ones.
  Result<Kernel> fetch(std::string_view id, const std::atomic<bool>& cancelled) override;

 private:
  struct Entry {
    std::string file;
    std::string sha256;  // lower-case hex; empty: not pinned
  };
  Result<Entry> look_up(std::string_view id) const;
  Result<std::filesystem::path> resolve(const std::string& file) const;

  const std::filesystem::path directory_;
  const Limits limits_;
};

}  // namespace kem::arweave
