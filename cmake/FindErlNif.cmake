# ErlNif::ErlNif: the include directory of erl_nif.h. Looked for in ERLANG_ROOT_DIR (which rebar3 sets in hooks),
# then in the root directory of the erl on the path.
if(NOT ErlNif_INCLUDE_DIR)
  set(root "$ENV{ERLANG_ROOT_DIR}")
  if(NOT root)
    execute_process(COMMAND erl -noshell -eval "io:put_chars(code:root_dir()), halt()."
                    OUTPUT_VARIABLE root ERROR_QUIET)
  endif()
  find_path(ErlNif_INCLUDE_DIR erl_nif.h HINTS "${root}/usr/include" PATH_SUFFIXES erlang/usr/include)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ErlNif REQUIRED_VARS ErlNif_INCLUDE_DIR
                                  REASON_FAILURE_MESSAGE "erl_nif.h is in Debian's package erlang-dev")
if(ErlNif_FOUND AND NOT TARGET ErlNif::ErlNif)
  add_library(ErlNif::ErlNif INTERFACE IMPORTED)
  target_include_directories(ErlNif::ErlNif SYSTEM INTERFACE "${ErlNif_INCLUDE_DIR}")
endif()
