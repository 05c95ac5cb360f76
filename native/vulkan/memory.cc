#include "vulkan/memory.h"

#include <algorithm>
#include <array>

#include "vulkan/vk_error.h"

namespace kem::vulkan {
namespace {

constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kHost = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
// Never useful here, and some may not be used without a feature: protected, lazily allocated, AMD's.
constexpr VkMemoryPropertyFlags kKnown = kLocal | kHost | kCached;

struct Wish {
  VkMemoryPropertyFlags with;
  VkMemoryPropertyFlags without;
};

// Wishes in order: the first type that fulfils the earliest wish is taken.
constexpr std::array<std::array<Wish, 3>, kMemoryUses> kWishes{{
    {{{kLocal | kHost | kCached, 0}, {kHost | kCached, 0}, {kHost, 0}}},      // Shared
    {{{kLocal | kHost, kCached}, {kLocal | kHost, 0}, {kLocal | kHost, 0}}},  // Near
    {{{kLocal, kHost}, {kLocal, 0}, {0, 0}}},                                 // Device
    {{{kHost, kLocal | kCached}, {kHost, kLocal}, {kHost, 0}}},               // Upload
    {{{kHost | kCached, kLocal}, {kHost | kCached, 0}, {kHost, 0}}},          // Readback
}};

constexpr uint64_t kSmallestBlock = 64u << 10;
constexpr uint64_t kLargestGrowth = 64u << 20;  // over this a block is made as large as it must be

uint64_t align_up(uint64_t value, uint64_t alignment) { return (value + alignment - 1) / alignment * alignment; }

Result<BufferObject> make_buffer(const Context& context, uint64_t size, VkBufferUsageFlags usage, const void* next) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = next;
  info.size = size;
  info.usage = usage;
  const uint32_t families[] = {context.queue_family, context.copy_family};
  if (context.copy_queues != 0 && families[0] != families[1]) {
    info.sharingMode = VK_SHARING_MODE_CONCURRENT;
    info.queueFamilyIndexCount = 2;
    info.pQueueFamilyIndices = families;
  }
  VkBuffer buffer = VK_NULL_HANDLE;
  KEM_VK("vkCreateBuffer", context.vk.vkCreateBuffer(context.device, &info, nullptr, &buffer));
  return BufferObject(context, buffer);
}

Result<Memory> allocate(const Context& context, uint64_t size, uint32_t type, const void* next) {
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = next;
  info.allocationSize = size;
  info.memoryTypeIndex = type;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  const VkResult result = context.vk.vkAllocateMemory(context.device, &info, nullptr, &memory);
  if (result != VK_SUCCESS) return failure("vkAllocateMemory of " + std::to_string(size) + " bytes", result);
  return Memory(context, memory, next == nullptr ? size : 0);  // imported memory is its owner's
}

}  // namespace

std::optional<uint32_t> choose_memory_type(const VkPhysicalDeviceMemoryProperties& memory, uint32_t allowed,
                                           MemoryUse use) {
  for (const Wish& wish : kWishes[static_cast<size_t>(use)]) {
    for (uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
      const VkMemoryPropertyFlags flags = memory.memoryTypes[type].propertyFlags;
      if ((allowed >> type & 1) == 0 || (flags & ~kKnown) != 0) continue;
      if ((flags & wish.with) == wish.with && (flags & wish.without) == 0) return type;
    }
  }
  return std::nullopt;
}

Result<Block> Block::make(const Context& context, MemoryUse use, uint64_t size) {
  Block block;
  block.size_ = size;
  KEM_TRY(block.buffer_, make_buffer(context, size, kUsage, nullptr));
  VkMemoryRequirements requirements{};
  context.vk.vkGetBufferMemoryRequirements(context.device, block.buffer(), &requirements);
  const auto type = choose_memory_type(context.memory, requirements.memoryTypeBits, use);
  if (!type) return fail(ErrorClass::OutOfMemory, "the device has no memory type that fits a buffer's use");
  KEM_TRY(block.memory_, allocate(context, requirements.size, *type, nullptr));
  const VkDeviceMemory memory = block.memory_.get();
  KEM_VK("vkBindBufferMemory", context.vk.vkBindBufferMemory(context.device, block.buffer(), memory, 0));
  if (use == MemoryUse::Device) return block;
  void* mapped = nullptr;
  KEM_VK("vkMapMemory", context.vk.vkMapMemory(context.device, memory, 0, VK_WHOLE_SIZE, 0, &mapped));
  block.mapped_ = static_cast<uint8_t*>(mapped);
  return block;
}

Result<Block> Block::import(const Context& context, uint8_t* memory, uint64_t size, MemoryUse use) {
  constexpr auto kHandle = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  Block block;
  block.size_ = size;
  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = kHandle;
  const VkBufferUsageFlags usage = use == MemoryUse::Readback ? kDeliveryUsage : kUsage;
  KEM_TRY(block.buffer_, make_buffer(context, size, usage, &external));

  VkMemoryHostPointerPropertiesEXT found{};
  found.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
  KEM_VK("vkGetMemoryHostPointerPropertiesEXT",
         context.vk.vkGetMemoryHostPointerPropertiesEXT(context.device, kHandle, memory, &found));
  VkMemoryRequirements requirements{};
  context.vk.vkGetBufferMemoryRequirements(context.device, block.buffer(), &requirements);
  const auto type = choose_memory_type(context.memory, requirements.memoryTypeBits & found.memoryTypeBits, use);
  if (!type || requirements.size > size)
    return fail(ErrorClass::OutOfMemory, "the device cannot bind this memory of the host");
  VkImportMemoryHostPointerInfoEXT import{};
  import.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT;
  import.handleType = kHandle;
  import.pHostPointer = memory;
  KEM_TRY(block.memory_, allocate(context, size, *type, &import));
  KEM_VK("vkBindBufferMemory", context.vk.vkBindBufferMemory(context.device, block.buffer(), block.memory_.get(), 0));
  return block;
}

Result<Place> Arena::place(uint64_t size) {
  const uint64_t needed = align_up(size, context_->buffer_alignment);
  while (current_ < blocks_.size() && blocks_[current_].size() - offset_ < needed) {
    ++current_;
    offset_ = 0;
  }
  if (current_ == blocks_.size()) {
    const uint64_t growth = std::clamp(2 * bytes_, kSmallestBlock, kLargestGrowth);
    KEM_TRY(Block block, Block::make(*context_, use_, std::max(needed, growth)));
    bytes_ += block.size();
    blocks_.push_back(std::move(block));
  }
  const Block& block = blocks_[current_];
  const Place place{block.buffer(), offset_, block.mapped() == nullptr ? nullptr : block.mapped() + offset_};
  offset_ += needed;
  return place;
}

void Arena::rewind() {
  current_ = 0;
  offset_ = 0;
}

void Arena::clear() {
  rewind();
  blocks_.clear();
  bytes_ = 0;
}

}  // namespace kem::vulkan
