#include "wgsl/syntax/lexer.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "wgsl/syntax/unicode.h"

namespace kem::wgsl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Lexed {
  std::vector<std::string> tokens;  // kinds that have no spelling are marked: id:, word:, num:, error:
  std::vector<std::string> messages;
};

Lexed lex_text(std::string_view text) {
  const Source source{std::string(text)};
  Diagnostics diagnostics;
  const auto tokens = lex(source, diagnostics);
  Lexed result;
  for (const Token& t : tokens) {
    const std::string word = source.text().substr(t.begin, t.end - t.begin);
    switch (t.kind) {
      case TokenKind::End:
        break;
      case TokenKind::Error:
        result.tokens.push_back("error:" + word);
        break;
      case TokenKind::Identifier:
        result.tokens.push_back("id:" + word);
        break;
      case TokenKind::Reserved:
        result.tokens.push_back("word:" + word);
        break;
      case TokenKind::Number:
        result.tokens.push_back("num:" + word);
        break;
      case TokenKind::TemplateStart:
        result.tokens.push_back("[<");
        break;
      case TokenKind::TemplateEnd:
        result.tokens.push_back(">]");
        break;
      default:
        result.tokens.emplace_back(spelling(t.kind));
        EXPECT_EQ(spelling(t.kind), word);
    }
  }
  EXPECT_EQ(tokens.back().kind, TokenKind::End);
  for (const Diagnostic& d : diagnostics.all()) result.messages.push_back(d.message);
  return result;
}

std::vector<std::string> tokens_of(std::string_view text) { return lex_text(text).tokens; }

// The text with template delimiters written as [< and >].
std::string with_templates(std::string_view text) {
  std::string joined;
  for (const std::string& token : lex_text(text).tokens) {
    const size_t colon = token.find(':');
    joined += colon == std::string::npos || token == ":" ? token : token.substr(colon + 1);
    joined += ' ';
  }
  if (!joined.empty()) joined.pop_back();
  return joined;
}

TEST(Lexer, EverySyntacticTokenAndKeywordIsRead) {
  const auto check = [](std::string_view text) {
    const Source source{std::string(text)};
    Diagnostics diagnostics;
    const auto tokens = lex(source, diagnostics);
    ASSERT_EQ(tokens.size(), 2u) << text;
    EXPECT_EQ(spelling(tokens[0].kind), text);
    EXPECT_EQ(tokens[0].end, text.size());
    EXPECT_FALSE(diagnostics.has_errors()) << text;
  };
#define KEM_ROW(id, spelling) check(spelling);
  KEM_WGSL_PUNCTUATION(KEM_ROW)
  KEM_WGSL_KEYWORDS(KEM_ROW)
#undef KEM_ROW
}

TEST(Lexer, LongestMatch) {
  EXPECT_THAT(tokens_of("a+++b"), ElementsAre("id:a", "++", "+", "id:b"));
  EXPECT_THAT(tokens_of("a<<=b"), ElementsAre("id:a", "<<=", "id:b"));
  EXPECT_THAT(tokens_of("->-=--"), ElementsAre("->", "-=", "--"));
  EXPECT_THAT(tokens_of("&&&=|||"), ElementsAre("&&", "&=", "||", "|"));
  EXPECT_THAT(tokens_of("!==="), ElementsAre("!=", "=="));
  EXPECT_THAT(tokens_of("letx let"), ElementsAre("id:letx", "let"));
  EXPECT_THAT(tokens_of("1.5.x"), ElementsAre("num:1.5", ".", "id:x"));
  EXPECT_THAT(tokens_of(".5 . 5"), ElementsAre("num:.5", ".", "num:5"));
  EXPECT_THAT(tokens_of("_ _a a_"), ElementsAre("_", "id:_a", "id:a_"));
}

TEST(Lexer, CommentsSeparateTokensAndNest) {
  EXPECT_THAT(tokens_of("a/**/b"), ElementsAre("id:a", "id:b"));
  EXPECT_THAT(tokens_of("a/* /* */ */b"), ElementsAre("id:a", "id:b"));
  EXPECT_THAT(tokens_of("a/*/ */b"), ElementsAre("id:a", "id:b"));
  EXPECT_THAT(tokens_of("a // /* \nb"), ElementsAre("id:a", "id:b"));
  EXPECT_THAT(tokens_of("//"), IsEmpty());
}

TEST(Lexer, LineCommentsEndAtEveryLineBreak) {
  for (const char* line_break : {"\n", "\v", "\f", "\r", "\r\n", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
    EXPECT_THAT(tokens_of(std::string("// x") + line_break + "a"), ElementsAre("id:a"));
  }
}

TEST(Lexer, UnterminatedBlockCommentIsAnError) {
  const Lexed lexed = lex_text("a /* /* */");
  EXPECT_THAT(lexed.tokens, ElementsAre("id:a", "error:/* /* */"));
  EXPECT_THAT(lexed.messages, ElementsAre(HasSubstr("no end")));
}

TEST(Lexer, BlankspaceIsPatternWhiteSpace) {
  EXPECT_THAT(tokens_of("a\t\n\v\f\r\xC2\x85\xE2\x80\x8E\xE2\x80\x8F\xE2\x80\xA8\xE2\x80\xA9 b"),
              ElementsAre("id:a", "id:b"));
  const Lexed no_break_space = lex_text("\xC2\xA0");
  EXPECT_THAT(no_break_space.tokens, ElementsAre("error:\xC2\xA0"));
}

TEST(Lexer, IdentifiersFollowUnicode14) {
  for (const char* name : {"Δέλτα", "réflexion", "Кызыл", "𐰓𐰏𐰇", "朝焼け", "سلام", "검정", "שָׁלוֹם", "गुलाबी", "փիրուզ"}) {
    EXPECT_THAT(tokens_of(name), ElementsAre(std::string("id:") + name));
  }
  EXPECT_THAT(tokens_of("e\xCC\x81"), ElementsAre("id:e\xCC\x81"));  // U+0301 continues
  EXPECT_THAT(lex_text("\xCC\x81").messages, testing::SizeIs(1));    // and does not start
  EXPECT_THAT(lex_text("🎉").messages, testing::SizeIs(1));
}

TEST(Lexer, TwoUnderscoresAreRefused) {
  EXPECT_THAT(lex_text("__a").messages, ElementsAre(HasSubstr("two underscores")));
  EXPECT_THAT(lex_text("a__b").messages, IsEmpty());
}

TEST(Lexer, ReservedWordsAreTokensOfTheirOwn) {
  EXPECT_THAT(tokens_of("target NULL yield do float"),
              ElementsAre("word:target", "word:NULL", "word:yield", "word:do", "id:float"));
}

TEST(Lexer, TextThatIsNotUtf8IsRefusedWhole) {
  for (const char* text :
       {"a\xFF", "a\xC0\x80", "a\xE2\x82", "a\xED\xA0\x80", "a\xF4\x90\x80\x80", "// \x80", "a\xE0\x80\x80"}) {
    const Lexed lexed = lex_text(text);
    EXPECT_THAT(lexed.tokens, IsEmpty());
    EXPECT_THAT(lexed.messages, ElementsAre(HasSubstr("not UTF-8")));
  }
}

TEST(Lexer, NullAndByteOrderMarkAreRefused) {
  EXPECT_THAT(lex_text(std::string_view("a\0b", 3)).messages, ElementsAre(HasSubstr("U+0000")));
  EXPECT_THAT(lex_text(std::string_view("// \0", 4)).messages, ElementsAre(HasSubstr("U+0000")));
  EXPECT_THAT(lex_text("\xEF\xBB\xBF"
                       "a")
                  .messages,
              ElementsAre(HasSubstr("byte order mark")));
}

TEST(Lexer, StrayCharactersAreExplained) {
  EXPECT_THAT(lex_text("#include <x>\na").tokens, ElementsAre("error:#include <x>", "id:a"));
  EXPECT_THAT(lex_text("#define X").messages, ElementsAre(HasSubstr("no preprocessor")));
  EXPECT_THAT(lex_text("\"a b\" c").tokens, ElementsAre("error:\"a b\"", "id:c"));
  EXPECT_THAT(lex_text("a ? b : c").messages, ElementsAre(HasSubstr("select")));
  EXPECT_THAT(lex_text("$").messages, ElementsAre("'$' is not used in WGSL"));
}

TEST(Lexer, BrokenNumbersAreOneToken) {
  EXPECT_THAT(lex_text("0x").tokens, ElementsAre("error:0x"));
  EXPECT_THAT(lex_text("1u32").tokens, ElementsAre("error:1u32"));
  EXPECT_THAT(lex_text("0xg + 1").tokens, ElementsAre("error:0xg", "+", "num:1"));
}

TEST(Lexer, StopsWhenDiagnosticsAreFull) {
  const Lexed lexed = lex_text(std::string(1000, '$'));
  EXPECT_EQ(lexed.messages.size(), 25u);
}

TEST(Unicode, TablesAreSortedAndDisjoint) {
  for (const auto ranges : {xid_start_ranges(), xid_continue_ranges()}) {
    ASSERT_FALSE(ranges.empty());
    for (size_t i = 0; i < ranges.size(); ++i) {
      EXPECT_LE(ranges[i].first, ranges[i].last);
      if (i > 0) {
        EXPECT_LT(ranges[i - 1].last + 1, ranges[i].first);
      }
    }
  }
  EXPECT_FALSE(is_xid_start(0x1E4F0));  // Unicode 15
  EXPECT_TRUE(is_xid_start(0x1DF00));   // Unicode 14
}

// Spec "Template Lists" and its notes.
TEST(TemplateLists, SpecificationExamples) {
  EXPECT_EQ(with_templates("A(B<C, D>(E))"), "A ( B [< C , D >] ( E ) )");
  EXPECT_EQ(with_templates("a<b || c>d"), "a < b || c > d");
  EXPECT_EQ(with_templates("a<b && c>d"), "a < b && c > d");
  EXPECT_EQ(with_templates("array<i32,select(2,3,a>b)>"), "array [< i32 , select ( 2 , 3 , a > b ) >]");
  EXPECT_EQ(with_templates("a[b<d]>()"), "a [ b < d ] > ( )");
  EXPECT_EQ(with_templates("A<B<<C>"), "A [< B << C >]");
  EXPECT_EQ(with_templates("A<B<=C>"), "A [< B <= C >]");
  EXPECT_EQ(with_templates("A<(B>=C)>"), "A [< ( B >= C ) >]");
  EXPECT_EQ(with_templates("A<(B!=C)>"), "A [< ( B != C ) >]");
  EXPECT_EQ(with_templates("A<(B==C)>"), "A [< ( B == C ) >]");
}

TEST(TemplateLists, ClosingTokensAreSplit) {
  EXPECT_EQ(with_templates("a<b<c>>"), "a [< b [< c >] >]");
  EXPECT_EQ(with_templates("a<b<c<d>>>"), "a [< b [< c [< d >] >] >]");
  EXPECT_EQ(with_templates("a<b>=c"), "a [< b >] = c");
  EXPECT_EQ(with_templates("a<b<c>>=d"), "a [< b [< c >] >] = d");
  EXPECT_EQ(with_templates("a<b>==c"), "a [< b >] == c");
}

TEST(TemplateLists, OtherTokensAreJoined) {
  EXPECT_EQ(with_templates("a >> b >= c >>= d > e"), "a >> b >= c >>= d > e");
  EXPECT_EQ(with_templates("a > > b > = c"), "a > > b > = c");
}

TEST(TemplateLists, CandidatesAreDropped) {
  EXPECT_EQ(with_templates("a < b; c > d"), "a < b ; c > d");
  EXPECT_EQ(with_templates("a < b { c > d"), "a < b { c > d");
  EXPECT_EQ(with_templates("a < b : c > d"), "a < b : c > d");
  EXPECT_EQ(with_templates("a < b = c > d"), "a < b = c > d");
  EXPECT_EQ(with_templates("a < b += c > d"), "a < b += c > d");
  EXPECT_EQ(with_templates("(a < b) > c"), "( a < b ) > c");
  EXPECT_EQ(with_templates("1 < b > c"), "1 < b > c");
  EXPECT_EQ(with_templates("true < b > c"), "true < b > c");
  EXPECT_EQ(with_templates("if a < b { }"), "if a < b { }");
}

TEST(TemplateLists, KeywordsAndCommentsBefore) {
  EXPECT_EQ(with_templates("var<private> x"), "var [< private >] x");
  EXPECT_EQ(with_templates("a /* x */ < b >"), "a [< b >]");
}

TEST(TemplateLists, LinearInUnclosedCandidates) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "a<";
  EXPECT_EQ(lex_text(text).tokens.size(), 200'000u);
}

}  // namespace
}  // namespace kem::wgsl
