// Spec "Template Lists": which '<' and '>' delimit template lists. Private to syntax/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "wgsl/syntax/token.h"

namespace kem::wgsl {

// Takes the tokens one after the other, with each '>' on its own, and adds them to a list: as TemplateStart and
// TemplateEnd where they delimit a template list; what else begins with '>' is joined to '>=', '>>' and '>>='.
//
// The specification's algorithm walks code points; on tokens the steps are the same, because literals, comments and the
// operators '<<', '<=', '!=', '==', '&&' and '||' are already single tokens. '<=' after something other than an
// identifier is taken as a comparison, too (the algorithm's assumption 4). Linear in the number of tokens.
class TemplateLists {
 public:
  explicit TemplateLists(std::vector<Token>& tokens) : tokens_(tokens) {}

  void add(Token token);

 private:
  // A '<' that may begin a template list.
  struct Candidate {
    size_t token;  // in the list
    uint32_t depth;
  };

  void greater(Token token);
  bool join(Token token, TokenKind left, TokenKind joined);
  void drop_from_depth();
  void clear();

  std::vector<Token>& tokens_;
  uint32_t depth_ = 0;  // of parentheses and brackets
  std::vector<Candidate> pending_;
};

}  // namespace kem::wgsl
