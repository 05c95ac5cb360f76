// Every bound on what a stranger's kernel, input or gateway may cost. Passed in, never global; the defaults
// are safe for a node that is open to strangers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace kem {

struct Limits {
  // WGSL source (front-end).
  size_t source_bytes = 1u << 20;          // longest accepted source
  uint32_t nesting_depth = 127;            // braces, parentheses, template lists, composite types have their own
  uint32_t diagnostics = 25;               // most diagnostics reported for one source
  uint64_t const_eval_steps = 10'000'000;  // scalar operations at shader creation
  uint64_t composite_elements = 1u << 16;  // elements held by one constant composite value
  size_t generated_bytes = 16u << 20;      // longest GLSL that may be generated
  // WGSL section "Limits": at least what it asks for. Adapter limits narrow these at pipeline creation.
  uint32_t struct_members = 2047;
  uint32_t composite_depth = 63;
  uint32_t function_parameters = 255;
  uint32_t switch_selectors = 1023;
  uint32_t array_constructor_elements = 4095;
  uint64_t private_bytes = 131'072;
  uint64_t function_bytes = 131'072;
  // Calls.
  uint64_t input_bytes = 268'435'456;
  uint64_t output_bytes = 268'435'456;  // the contract's cap
  uint64_t params_bytes = 65'536;
  size_t queue_length = 1024;                  // jobs waiting or running, all callers together
  uint64_t in_flight_bytes = 2ull << 30;       // input and output of the jobs that wait or run
  uint64_t resident_bytes = 1ull << 30;        // resident buffers, all together
  size_t chain_steps = 4096;                   // steps of one chain
  std::chrono::milliseconds job_time{30'000};  // default time limit of a job, fetch and compile included
  // Gateways.
  std::chrono::milliseconds connect_time{5'000};
  std::chrono::milliseconds fetch_time{15'000};  // one attempt at one gateway
  int redirects = 5;
};

}  // namespace kem
