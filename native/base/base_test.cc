#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/result.h"

namespace kem {
namespace {

TEST(ErrorClass, NamesAndStatuses) {
  EXPECT_EQ(name(ErrorClass::InvalidKernel), "invalid_kernel");
  EXPECT_EQ(http_status(ErrorClass::KernelNotFound), 404);
  EXPECT_EQ(name(ErrorClass::Internal), "internal");
}

Result<int> half(int n) {
  if (n % 2 != 0) return fail(ErrorClass::InvalidArgument, "odd");
  return n / 2;
}

Result<int> quarter(int n) {
  KEM_TRY(const int h, half(n));
  return half(h);
}

TEST(Result, TryHandsErrorsOn) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(6).error().message, "odd");
}

TEST(Lines, PositionsCountCodePointsAndEveryLineBreak) {
  const Lines lines("a\r\nb\xC2\x85\xC3\xA9x\xE2\x80\xA8z");
  EXPECT_EQ(lines.position(0).line, 1u);
  EXPECT_EQ(lines.position(3).line, 2u);
  const auto x = lines.position(8);  // after the two bytes of 'é'
  EXPECT_EQ(x.line, 3u);
  EXPECT_EQ(x.column, 2u);
  EXPECT_EQ(lines.position(12).line, 4u);
  EXPECT_EQ(lines[2], "b");
}

TEST(Diagnostics, RenderShowsLineAndCaret) {
  const Source source("let a = 1;\nlet b = foo;\n", "k.wgsl");
  Diagnostics diagnostics;
  diagnostics.error({19, 22}, "unresolved identifier 'foo'").notes.push_back({{0, 3}, "declared here"});
  EXPECT_EQ(render(source, diagnostics),
            "k.wgsl:2:9 error: unresolved identifier 'foo'\n"
            "  let b = foo;\n"
            "          ^^^\n"
            "k.wgsl:1:1 note: declared here\n"
            "  let a = 1;\n"
            "  ^^^\n");
}

TEST(Diagnostics, LocateTellsWhatRenderShows) {
  const Source source("let \xC3\xA9 = 1;\nlet b = foo +\n  bar;\n" + std::string(300, 'x'), "k.wgsl");
  Diagnostics diagnostics;
  Diagnostic& first = diagnostics.warning({20, 31}, "two lines");
  first.rule = "some_rule";
  first.notes.push_back({{4, 6}, "declared here"});
  diagnostics.error({40, 42}, "on a line too long to show");
  diagnostics.error({0, 0}, "of no length");
  const auto located = locate(source, diagnostics);
  ASSERT_EQ(located.size(), 3u);
  EXPECT_EQ(located[0].severity, Severity::Warning);
  EXPECT_EQ(located[0].rule, "some_rule");
  EXPECT_EQ(located[0].message, "two lines");
  EXPECT_EQ(located[0].location.line, 2u);
  EXPECT_EQ(located[0].location.column, 9u);
  EXPECT_EQ(located[0].location.length, 5u);
  EXPECT_EQ(located[0].location.span.end, 31u);
  ASSERT_EQ(located[0].notes.size(), 1u);
  EXPECT_EQ(located[0].notes[0].location.column, 5u);
  EXPECT_EQ(located[0].notes[0].location.length, 1u);
  EXPECT_EQ(located[1].location.line, 4u);
  EXPECT_EQ(located[1].location.length, 2u);
  EXPECT_EQ(located[1].rule, "");
  EXPECT_EQ(located[2].location.length, 1u);
  EXPECT_EQ(render(source, diagnostics),
            "k.wgsl:2:9 warning: two lines\n"
            "  let b = foo +\n"
            "          ^^^^^\n"
            "k.wgsl:1:5 note: declared here\n"
            "  let \xC3\xA9 = 1;\n"
            "      ^\n"
            "k.wgsl:4:8 error: on a line too long to show\n"
            "k.wgsl:1:1 error: of no length\n"
            "  let \xC3\xA9 = 1;\n"
            "  ^\n");
}

TEST(Diagnostics, LongMessagesAreShortened) {
  const Source source("x", "k");
  Diagnostics diagnostics;
  std::string name = "unknown '";
  for (int i = 0; i < 5000; ++i) name += "\u00e9";
  diagnostics.error({0, 1}, name + "' here");
  const std::string text = render(source, diagnostics);
  EXPECT_LT(text.size(), 2100u);
  EXPECT_TRUE(text.starts_with("k:1:1 error: unknown '\u00e9"));
  EXPECT_NE(text.find("\u00e9 ... \u00e9"), std::string::npos);
  EXPECT_NE(text.find("\u00e9' here\n"), std::string::npos);
}

TEST(Diagnostics, KeepsAtMostItsLimit) {
  Diagnostics diagnostics(3);
  for (int i = 0; i < 10; ++i) diagnostics.error({}, "x").notes.push_back({{}, "n"});
  EXPECT_EQ(diagnostics.all().size(), 3u);
  EXPECT_TRUE(diagnostics.full());
}

TEST(Digest, KnownAnswers) {
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const auto bytes = unbase64url("btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg");
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->size(), 32u);
  EXPECT_EQ(base64url(*bytes), "btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg");
  EXPECT_FALSE(unhex("0"));
  EXPECT_FALSE(unhex("zz"));
  EXPECT_EQ(*unhex("01fF"), (std::vector<uint8_t>{1, 255}));
}

}  // namespace
}  // namespace kem
