#include "nif/config.h"

#include <algorithm>
#include <map>

namespace kem::nif {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

Status check_name(const std::string& name) {
  auto known = core::Config::variables();
  if (!name.starts_with("KEM_") || std::find(known.begin(), known.end(), name) != known.end()) return {};
  return fail(ErrorClass::InvalidArgument, "there is no setting '" + name + "'");
}

}  // namespace

Result<core::Config> decode_config(ErlNifEnv* env, ERL_NIF_TERM variables, ERL_NIF_TERM default_store) {
  Variables values;
  auto keep = [&](ERL_NIF_TERM key, ERL_NIF_TERM value) -> Status {
    KEM_TRY(std::string name, decode_text(env, key, "variable"));
    KEM_CHECK(check_name(name));
    KEM_TRY(values[name], decode_text(env, value, name));
    return {};
  };
  KEM_CHECK(for_each_pair(env, variables, "variables", keep));
  KEM_TRY(std::string store, decode_text(env, default_store, "default_store"));
  auto lookup = [&values](std::string_view name) -> std::optional<std::string> {
    auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  };
  return core::Config::from_variables(lookup, store);
}

}  // namespace kem::nif
