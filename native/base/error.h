// What can go wrong, as a value: every failure in the library is an `Error` with a class that callers
// may match on and a message that a person can act on. No exception crosses a public interface.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace kem {

// One row per error class: enumerator, name (the Erlang atom and the JSON/CLI word), HTTP status that the
// device answers. Names are part of the API: rows may be added, never renamed.
#define KEM_ERROR_CLASSES(ROW)                                                                                   \
  ROW(InvalidArgument, "invalid_argument", 400)          /* a value of the wrong type, range or form */          \
  ROW(InvalidKernelId, "invalid_kernel_id", 400)         /* not 43 base64url characters */                       \
  ROW(KernelNotFound, "kernel_not_found", 404)           /* no source knows the id */                            \
  ROW(GatewayUnavailable, "gateway_unavailable", 502)    /* no gateway answered usefully */                      \
  ROW(KernelUnverified, "kernel_unverified", 422)        /* the bytes are not what the id promises */            \
  ROW(KernelTooLarge, "kernel_too_large", 413)           /* source over Limits::source_bytes */                  \
  ROW(InvalidKernel, "invalid_kernel", 400)              /* WGSL the specification refuses; has diagnostics */   \
  ROW(UnsupportedKernel, "unsupported_kernel", 501)      /* valid WGSL that this build or device can't run */    \
  ROW(InvalidBinding, "invalid_binding", 400)            /* the kernel's interface is not the call's */          \
  ROW(InvalidInput, "invalid_input", 400)                /* input bytes the call can't use */                    \
  ROW(InvalidParams, "invalid_params", 400)              /* params shorter than the uniform, or not u32 words */ \
  ROW(InputTooLarge, "input_too_large", 413)             /* input over Limits or the device's range */           \
  ROW(OutputTooLarge, "output_too_large", 413)           /* output over Limits or the device's range */          \
  ROW(NoDevice, "no_device", 503)                        /* no Vulkan loader, driver or matching device */       \
  ROW(DeviceLost, "device_lost", 503)                    /* VK_ERROR_DEVICE_LOST */                              \
  ROW(OutOfMemory, "out_of_memory", 503)                 /* host or device memory */                             \
  ROW(Busy, "busy", 503)                                 /* a queue is full: try again */                        \
  ROW(Timeout, "timeout", 504)                           /* the job's time ran out */                            \
  ROW(Cancelled, "cancelled", 503)                       /* the caller, or its death, ended the job */           \
  ROW(LoopBudgetExhausted, "loop_budget_exhausted", 422) /* the kernel looped past its budget */                 \
  ROW(IoError, "io_error", 500)                          /* a local file or stream failed */                     \
  ROW(Internal, "internal", 500)                         /* a bug of ours */

enum class ErrorClass {
#define KEM_ROW(id, name, http) id,
  KEM_ERROR_CLASSES(KEM_ROW)
#undef KEM_ROW
};

// The class's stable name, e.g. "invalid_kernel". Static storage.
std::string_view name(ErrorClass error_class);

// The HTTP status a device answers for the class.
int http_status(ErrorClass error_class);

struct Error {
  ErrorClass error_class = ErrorClass::Internal;
  std::string message;  // for the caller: lower case, no full stop; for WGSL the rendered diagnostics
};

}  // namespace kem
