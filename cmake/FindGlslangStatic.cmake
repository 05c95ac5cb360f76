# Glslang::Static: glslang's C++ API with its SPIR-V back end and SPIRV-Tools, all as static libraries, so that a
# shared library can keep their symbols to itself. Debian: glslang-dev, spirv-tools.
include(FindPackageHandleStandardArgs)

find_path(GlslangStatic_INCLUDE_DIR glslang/Public/ShaderLang.h)
set(GlslangStatic_libraries)
set(GlslangStatic_variables)
# In the order in which a linker resolves them: users first.
foreach(library SPIRV glslang HLSL MachineIndependent GenericCodeGen OGLCompiler OSDependent SPIRV-Tools-opt SPIRV-Tools)
  find_library(GlslangStatic_${library}_LIBRARY NAMES lib${library}.a)
  mark_as_advanced(GlslangStatic_${library}_LIBRARY)
  # glslang 14 and newer have taken these two into the others.
  if(library MATCHES "^(HLSL|OGLCompiler)$" AND NOT GlslangStatic_${library}_LIBRARY)
    continue()
  endif()
  list(APPEND GlslangStatic_libraries ${GlslangStatic_${library}_LIBRARY})
  list(APPEND GlslangStatic_variables GlslangStatic_${library}_LIBRARY)
endforeach()
mark_as_advanced(GlslangStatic_INCLUDE_DIR)

find_package_handle_standard_args(GlslangStatic
  REQUIRED_VARS GlslangStatic_INCLUDE_DIR ${GlslangStatic_variables}
  REASON_FAILURE_MESSAGE "the packages glslang-dev and spirv-tools have them")

if(GlslangStatic_FOUND AND NOT TARGET Glslang::Static)
  find_package(Threads REQUIRED)
  add_library(Glslang::Static INTERFACE IMPORTED)
  target_include_directories(Glslang::Static SYSTEM INTERFACE ${GlslangStatic_INCLUDE_DIR})
  # Two of the archives use each other, so the linker searches them as a group.
  target_link_libraries(Glslang::Static INTERFACE
    -Wl,--start-group ${GlslangStatic_libraries} -Wl,--end-group Threads::Threads)
endif()
