// libFuzzer target: any bytes become tokens that lie in the text, in order, with only blanks, comments and reported
// errors between them; a token lexed alone is the same token; literals decode; template lists only relabel '<', '>'.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "wgsl/fuzz_mutator.h"
#include "wgsl/syntax/lexer.h"
#include "wgsl/syntax/number.h"

namespace {

using namespace kem;
using namespace kem::wgsl;

void demand(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "lexer: %s\n", what);
  std::abort();
}

void check_order(const std::vector<Token>& tokens, size_t size) {
  demand(!tokens.empty() && tokens.back().kind == TokenKind::End, "no End token");
  uint32_t end = 0;
  for (const Token& token : tokens) {
    demand(token.begin >= end && token.end >= token.begin && token.end <= size, "a token out of place");
    demand((token.kind == TokenKind::End) == (&token == &tokens.back()), "an End token before the end");
    end = token.end;
  }
}

void check_alone(const Token& token, std::string_view text) {
  if (token.kind == TokenKind::Number) static_cast<void>(decode_number(text));
  if (!spelling(token.kind).empty()) demand(spelling(token.kind) == text, "a token with another spelling");
  Diagnostics diagnostics;
  const auto alone = lex(Source(std::string(text)), diagnostics);
  demand(alone.size() == 2 && alone[0].end == text.size(), "alone it is another token");
  const bool delimits = token.kind == TokenKind::TemplateStart || token.kind == TokenKind::TemplateEnd;
  demand(delimits || alone[0].kind == token.kind, "alone it is another token");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Source source(std::string(reinterpret_cast<const char*>(data), size));
  Diagnostics diagnostics;
  const std::vector<Token> tokens = lex(source, diagnostics);
  check_order(tokens, size);
  bool has_error = false;
  const size_t step = tokens.size() / 8 + 1;  // some tokens of a long text stand for all
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    has_error |= token.kind == TokenKind::Error;
    if (i % step != size % step || token.kind == TokenKind::Error || token.kind == TokenKind::End) continue;
    check_alone(token, std::string_view(source.text()).substr(token.begin, token.end - token.begin));
  }
  demand(!has_error || diagnostics.has_errors(), "an error that is not reported");
  static_cast<void>(render(source, diagnostics));
  return 0;
}
