// kem devices: what Vulkan shows.
#include <array>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/io.h"
#include "cli/translate.h"
#include "vulkan/vulkan.h"

namespace kem::cli {
namespace {

constexpr std::array kOptions{kJsonOption};

std::string version_text(uint32_t version) {  // VK_API_VERSION_*
  return std::to_string(version >> 22 & 0x7F) + "." + std::to_string(version >> 12 & 0x3FF) + "." +
         std::to_string(version & 0xFFF);
}

nlohmann::json device_json(const vulkan::DeviceInfo& d) {
  return {{"index", d.index},
          {"name", d.name},
          {"vendor", d.vendor},
          {"device", d.device},
          {"type", d.type},
          {"driver", d.driver},
          {"uuid", d.uuid},
          {"driver_info", d.driver_info},
          {"api_version", version_text(d.api_version)}};
}

int run(const Arguments& arguments) {
  const auto devices = vulkan::enumerate();
  if (!devices) return report_failure(devices.error(), arguments.json());
  if (arguments.json()) {
    nlohmann::json all = nlohmann::json::array();
    for (const auto& device : *devices) all.push_back(device_json(device));
    write_output(to_text(all) + "\n");
    return kDone;
  }
  for (const auto& device : *devices) {
    write_output(std::to_string(device.index) + ": " + device.name + "\n   " + device.type + ", Vulkan " +
                 version_text(device.api_version) + ", driver " + device.driver + " " + device.driver_info +
                 "\n   UUID " + device.uuid + "\n");
  }
  return kDone;
}

}  // namespace

const Command kDevices{"devices", "", 0, 0, "list the Vulkan devices", kOptions, run};

}  // namespace kem::cli
