#include "nif/terms.h"

#include <array>
#include <cstring>

namespace kem::nif {
namespace {

// Longest text that a decoder takes from a list of code points or an atom.
constexpr unsigned kTextLimit = 1u << 20;

// Only for atoms, floats and machine integers: the printing of a huge integer takes quadratic time.
std::string printed(ERL_NIF_TERM term) {
  std::array<char, 64> text{};
  int length = enif_snprintf(text.data(), text.size(), "%T", term);
  std::string result(text.data());
  if (length >= static_cast<int>(text.size())) result += "...";
  return result;
}

std::string describe_integer(ErlNifEnv* env, ERL_NIF_TERM term) {
  ErlNifSInt64 value = 0;
  ErlNifUInt64 positive = 0;
  if (enif_get_int64(env, term, &value) || enif_get_uint64(env, term, &positive)) return printed(term);
  return "an integer of more than 64 bits";
}

void append_utf8(std::string& out, unsigned code_point) {
  auto put = [&out](unsigned byte) { out += static_cast<char>(byte); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | code_point >> 6);
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | code_point >> 18);
    put(0x80 | (code_point >> 12 & 0x3F));
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

// False where the list is improper, too long, or holds anything but code points.
bool text_of_list(ErlNifEnv* env, ERL_NIF_TERM list, std::string& out) {
  unsigned length = 0;
  if (!enif_get_list_length(env, list, &length) || length > kTextLimit) return false;
  ERL_NIF_TERM head = 0;
  while (enif_get_list_cell(env, list, &head, &list)) {
    unsigned code_point = 0;
    if (!enif_get_uint(env, head, &code_point) || code_point > 0x10FFFF) return false;
    append_utf8(out, code_point);
  }
  return true;
}

bool text_of_atom(ErlNifEnv* env, ERL_NIF_TERM atom, std::string& out) {
  std::array<char, 256> text{};
  int size = enif_get_atom(env, atom, text.data(), static_cast<unsigned>(text.size()), ERL_NIF_LATIN1);
  if (size <= 0) return false;
  out = text.data();
  return true;
}

}  // namespace

std::string describe(ErlNifEnv* env, ERL_NIF_TERM term) {
  switch (enif_term_type(env, term)) {
    case ERL_NIF_TERM_TYPE_ATOM:
      return "the atom " + printed(term);
    case ERL_NIF_TERM_TYPE_INTEGER:
      return describe_integer(env, term);
    case ERL_NIF_TERM_TYPE_FLOAT:
      return "the float " + printed(term);
    case ERL_NIF_TERM_TYPE_BITSTRING:
      return enif_is_binary(env, term) ? "a binary" : "a bitstring";
    case ERL_NIF_TERM_TYPE_LIST:
      return "a list";
    case ERL_NIF_TERM_TYPE_TUPLE:
      return "a tuple";
    case ERL_NIF_TERM_TYPE_MAP:
      return "a map";
    case ERL_NIF_TERM_TYPE_FUN:
      return "a fun";
    case ERL_NIF_TERM_TYPE_PID:
      return "a pid";
    case ERL_NIF_TERM_TYPE_PORT:
      return "a port";
    case ERL_NIF_TERM_TYPE_REFERENCE:
      return "a reference";
    default:
      return "another term";
  }
}

tl::unexpected<Error> wrong(ErlNifEnv* env, ERL_NIF_TERM term, std::string_view what, std::string_view wanted) {
  std::string message = "'";
  message.append(what).append("' must be ").append(wanted).append(", got ").append(describe(env, term));
  return fail(ErrorClass::InvalidArgument, std::move(message));
}

Result<std::span<const uint8_t>> decode_binary(ErlNifEnv* env, ERL_NIF_TERM term, std::string_view what) {
  ErlNifBinary binary;
  if (!enif_is_binary(env, term) || !enif_inspect_binary(env, term, &binary)) return wrong(env, term, what, "a binary");
  return std::span<const uint8_t>(binary.data, binary.size);
}

Result<std::string> decode_text(ErlNifEnv* env, ERL_NIF_TERM term, std::string_view what) {
  std::string text;
  if (enif_is_binary(env, term)) {
    KEM_TRY(auto bytes, decode_binary(env, term, what));
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  if (enif_is_atom(env, term) ? text_of_atom(env, term, text) : text_of_list(env, term, text)) return text;
  return wrong(env, term, what, "a text (a binary, string or atom)");
}

Result<uint64_t> decode_integer(ErlNifEnv* env, ERL_NIF_TERM term, std::string_view what, uint64_t least,
                                uint64_t most) {
  ErlNifUInt64 value = 0;
  if (enif_get_uint64(env, term, &value) && value >= least && value <= most) return uint64_t{value};
  return wrong(env, term, what, "an integer from " + std::to_string(least) + " to " + std::to_string(most));
}

Result<double> decode_number(ErlNifEnv* env, ERL_NIF_TERM term, std::string_view what) {
  double real = 0;
  ErlNifSInt64 integer = 0;
  if (enif_get_double(env, term, &real)) return real;
  if (enif_get_int64(env, term, &integer)) return static_cast<double>(integer);
  return wrong(env, term, what, "a number");
}

Result<bool> decode_bool(ErlNifEnv* env, const Atoms& atoms, ERL_NIF_TERM term, std::string_view what) {
  if (enif_is_identical(term, atoms.true_)) return true;
  if (enif_is_identical(term, atoms.false_)) return false;
  return wrong(env, term, what, "true or false");
}

std::string key_text(ErlNifEnv* env, ERL_NIF_TERM key) {
  if (enif_is_atom(env, key)) return printed(key);
  Result<std::string> text = decode_text(env, key, "key");
  return text && text->size() <= 64 ? *text : describe(env, key);
}

ERL_NIF_TERM encode_binary(ErlNifEnv* env, std::string_view bytes) {
  ERL_NIF_TERM term = 0;
  unsigned char* data = enif_make_new_binary(env, bytes.size(), &term);
  if (!bytes.empty()) std::memcpy(data, bytes.data(), bytes.size());
  return term;
}

ERL_NIF_TERM encode_error(ErlNifEnv* env, const Atoms& atoms, const Error& error) {
  if (error.error_class == ErrorClass::Busy) return enif_make_tuple2(env, atoms.error, atoms.of(ErrorClass::Busy));
  ERL_NIF_TERM reason = enif_make_tuple2(env, atoms.of(error.error_class), encode_binary(env, error.message));
  return enif_make_tuple2(env, atoms.error, reason);
}

}  // namespace kem::nif
