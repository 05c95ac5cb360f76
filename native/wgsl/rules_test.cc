// The programs of test/rules: what the specification accepts and what it refuses, section by section, and for what is
// refused the diagnostic with its place. The format is described there.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "wgsl/wgsl.h"

namespace kem::wgsl {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(KEM_SOURCE_DIR) / "test/rules";
constexpr std::string_view kOpen = "«";
constexpr std::string_view kClose = "»";
constexpr std::string_view kWords = " ## ";

struct Row {
  size_t line = 0;  // in the file
  std::string section;
  bool accepted = false;
  std::string program;
  std::string words;
  std::optional<size_t> begin;  // byte offsets into the program
  size_t end = 0;
};

void append_utf8(std::string& out, uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 63));
  } else {
    out += static_cast<char>(0xE0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 63));
    out += static_cast<char>(0x80 | (c & 63));
  }
}

// Takes markers and escapes off a program's text.
void decode(std::string_view text, Row& row) {
  constexpr std::string_view kLetters = "ntvfr", kMeanings = "\n\t\v\f\r";
  while (!text.empty()) {
    const size_t letter = text[0] == '\\' && text.size() > 1 ? kLetters.find(text[1]) : std::string_view::npos;
    if (text.starts_with(kOpen)) {
      row.begin = row.program.size();
      text.remove_prefix(kOpen.size());
    } else if (text.starts_with(kClose)) {
      row.end = row.program.size();
      text.remove_prefix(kClose.size());
    } else if (letter != std::string_view::npos) {
      row.program += kMeanings[letter];
      text.remove_prefix(2);
    } else if (text.starts_with("\\u") && text.size() >= 6) {
      append_utf8(row.program, static_cast<uint32_t>(std::stoul(std::string(text.substr(2, 4)), nullptr, 16)));
      text.remove_prefix(6);
    } else {
      row.program += text[0];
      text.remove_prefix(1);
    }
  }
}

std::vector<Row> rows_of(const fs::path& path) {
  std::vector<Row> rows;
  std::ifstream file(path, std::ios::binary);
  std::string section;
  size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.starts_with("[")) section = line;
    if (!line.starts_with("+ ") && !line.starts_with("- ")) continue;
    Row row;
    row.line = number;
    row.section = section;
    row.accepted = line[0] == '+';
    std::string_view text = std::string_view(line).substr(2);
    const size_t words = row.accepted ? std::string_view::npos : text.find(kWords);
    if (words != std::string_view::npos) {
      row.words = text.substr(words + kWords.size());
      text = text.substr(0, words);
    }
    decode(text, row);
    rows.push_back(std::move(row));
  }
  return rows;
}

size_t code_points(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

// The first diagnostic of a rendered text: "NAME:LINE:COLUMN SEVERITY: MESSAGE", source line, carets.
struct First {
  size_t column = 0;
  std::string message;
  size_t carets = 0;
};

First first_of(const std::string& rendered) {
  First first;
  std::istringstream lines(rendered);
  std::string header, source, carets;
  std::getline(lines, header);
  std::getline(lines, source);
  std::getline(lines, carets);
  const size_t colon = header.find(':', header.find(':') + 1);
  if (colon == std::string::npos) return first;
  first.column = std::stoul(header.substr(colon + 1));
  first.message = header.substr(header.find(' ', colon));
  first.carets = static_cast<size_t>(std::ranges::count(carets, '^'));
  return first;
}

void expect_refused(const Row& row, const Compilation& compilation) {
  ASSERT_FALSE(compilation.program.has_value()) << "accepted";
  const First first = first_of(compilation.diagnostics);
  EXPECT_NE(first.message.find(row.words), std::string::npos) << compilation.diagnostics;
  EXPECT_FALSE(row.words.empty()) << "the row does not say why";
  if (!row.begin) return;
  const std::string_view program = row.program;
  EXPECT_EQ(first.column, code_points(program.substr(0, *row.begin)) + 1) << compilation.diagnostics;
  EXPECT_EQ(first.carets, std::max<size_t>(1, code_points(program.substr(*row.begin, row.end - *row.begin))))
      << compilation.diagnostics;
}

std::vector<std::string> chapters() {
  std::vector<std::string> list;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".txt") list.push_back(entry.path().stem().string());
  }
  std::sort(list.begin(), list.end());
  return list;
}

class Rules : public ::testing::TestWithParam<std::string> {};

TEST_P(Rules, Hold) {
  const fs::path path = kFolder / (GetParam() + ".txt");
  const std::vector<Row> rows = rows_of(path);
  ASSERT_FALSE(rows.empty());
  Options options;
  options.features.f16 = true;
  options.features.subgroups = true;
  options.features.subgroup_size_control = true;
  for (const Row& row : rows) {
    SCOPED_TRACE(path.filename().string() + ":" + std::to_string(row.line) + " " + row.section + " " + row.program);
    const Compilation compilation = compile(row.program, options);
    if (row.accepted) {
      EXPECT_TRUE(compilation.program.has_value());
      EXPECT_EQ(compilation.diagnostics, "");
    } else {
      expect_refused(row, compilation);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Chapters, Rules, ::testing::ValuesIn(chapters()), [](const auto& chapter) {
  std::string name = chapter.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(RulesFolder, HasEveryChapter) {
  EXPECT_EQ(chapters().size(), 16u);
  size_t rows = 0;
  for (const std::string& chapter : chapters()) rows += rows_of(kFolder / (chapter + ".txt")).size();
  EXPECT_GT(rows, 1500u);
}

}  // namespace
}  // namespace kem::wgsl
