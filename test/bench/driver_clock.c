// A Vulkan driver that hands everything to the driver named by KEM_DRIVER and appends to the file KEM_DRIVER_TIMES
// what each vkCreateComputePipelines and vkCreateShaderModule took of its thread's time, in nanoseconds, one line a call.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

typedef PFN_vkVoidFunction (*GetProc)(VkInstance, const char*);

static void* driver(const char* name) {
  static void* library;
  if (library == NULL) library = dlopen(getenv("KEM_DRIVER"), RTLD_NOW);
  return library == NULL ? NULL : dlsym(library, name);
}

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void tell(const char* what, uint64_t begin) {
  const uint64_t end = now();
  FILE* file = fopen(getenv("KEM_DRIVER_TIMES"), "a");
  if (file == NULL) return;
  fprintf(file, "%s %llu\n", what, (unsigned long long)(end - begin));
  fclose(file);
}

static PFN_vkCreateComputePipelines create_pipelines;
static PFN_vkCreateShaderModule create_module;
static PFN_vkGetDeviceProcAddr get_device_proc;

static VKAPI_ATTR VkResult VKAPI_CALL timed_pipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                      const VkComputePipelineCreateInfo* infos,
                                                      const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
  const uint64_t begin = now();
  const VkResult result = create_pipelines(device, cache, count, infos, allocator, pipelines);
  tell("pipeline", begin);
  return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL timed_module(VkDevice device, const VkShaderModuleCreateInfo* info,
                                                   const VkAllocationCallbacks* allocator, VkShaderModule* module) {
  const uint64_t begin = now();
  const VkResult result = create_module(device, info, allocator, module);
  tell("module", begin);
  return result;
}

static PFN_vkVoidFunction VKAPI_CALL device_proc(VkDevice device, const char* name);

static PFN_vkVoidFunction wrapped(const char* name, PFN_vkVoidFunction real) {
  if (real == NULL) return NULL;
  if (strcmp(name, "vkCreateComputePipelines") == 0) {
    create_pipelines = (PFN_vkCreateComputePipelines)real;
    return (PFN_vkVoidFunction)timed_pipelines;
  }
  if (strcmp(name, "vkCreateShaderModule") == 0) {
    create_module = (PFN_vkCreateShaderModule)real;
    return (PFN_vkVoidFunction)timed_module;
  }
  if (strcmp(name, "vkGetDeviceProcAddr") == 0) {
    get_device_proc = (PFN_vkGetDeviceProcAddr)real;
    return (PFN_vkVoidFunction)device_proc;
  }
  return real;
}

static PFN_vkVoidFunction VKAPI_CALL device_proc(VkDevice device, const char* name) {
  return wrapped(name, get_device_proc(device, name));
}

__attribute__((visibility("default"))) PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance,
                                                                                    const char* name) {
  const GetProc get = (GetProc)driver("vk_icdGetInstanceProcAddr");
  return get == NULL ? NULL : wrapped(name, get(instance, name));
}

__attribute__((visibility("default"))) PFN_vkVoidFunction vk_icdGetPhysicalDeviceProcAddr(VkInstance instance,
                                                                                          const char* name) {
  const GetProc get = (GetProc)driver("vk_icdGetPhysicalDeviceProcAddr");
  return get == NULL ? NULL : get(instance, name);
}

__attribute__((visibility("default"))) VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version) {
  const PFN_vkVoidFunction negotiate = (PFN_vkVoidFunction)driver("vk_icdNegotiateLoaderICDInterfaceVersion");
  return negotiate == NULL ? VK_ERROR_INITIALIZATION_FAILED : ((VkResult(*)(uint32_t*))negotiate)(version);
}
