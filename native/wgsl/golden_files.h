// What the tests over a folder of WGSL files and their expectations share.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace kem::wgsl {

inline std::string read_golden(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The .wgsl files of a folder, without the extension, in order.
inline std::vector<std::string> golden_names(const std::filesystem::path& folder) {
  std::vector<std::string> list;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".wgsl") list.push_back(entry.path().stem().string());
  }
  std::sort(list.begin(), list.end());
  return list;
}

}  // namespace kem::wgsl
