#include "arweave/gateway.h"

#include <algorithm>
#include <cctype>
#include <chrono>

namespace kem::arweave {
namespace {

constexpr size_t kMostTransfers = 8;
constexpr std::chrono::milliseconds kLook{50};
constexpr long kOk = 200;
constexpr long kNotFound = 404;
constexpr long kGone = 410;

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

// A gateway's page for people, whatever its status says. No WGSL begins with '<'.
bool is_markup(const HttpResponse& response) {
  if (lower(response.content_type).starts_with("text/html")) return true;
  const size_t first = response.body.find_first_not_of(" \t\r\n");
  return first != std::string::npos && response.body[first] == '<';
}

Status check_response(const HttpResponse& response, const Limits& limits) {
  if (response.status == kNotFound || response.status == kGone) {
    return fail(ErrorClass::KernelNotFound, "HTTP status " + std::to_string(response.status));
  }
  if (response.status != kOk) {
    return fail(ErrorClass::GatewayUnavailable, "HTTP status " + std::to_string(response.status));
  }
  if (is_markup(response)) return fail(ErrorClass::GatewayUnavailable, "an HTML page instead of a kernel");
  return check_content(response.body, limits);
}

// One error from those of all gateways, never empty.
tl::unexpected<Error> join(std::string_view id, const std::vector<std::pair<std::string, Error>>& refusals) {
  const ErrorClass first = refusals.front().second.error_class;
  const bool agree = std::all_of(refusals.begin(), refusals.end(),
                                 [&](const auto& refusal) { return refusal.second.error_class == first; });
  const bool missing = agree && first == ErrorClass::KernelNotFound;
  std::string message = (missing ? "no gateway has kernel " : "no gateway gave kernel ") + std::string(id);
  const char* separator = ": ";
  for (const auto& [gateway, error] : refusals) {
    message += separator + gateway + ": " + error.message;
    separator = "; ";
  }
  return fail(agree ? first : ErrorClass::GatewayUnavailable, std::move(message));
}

}  // namespace

Status check_gateway(std::string_view url) {
  const std::string text = lower(url);
  const size_t scheme = text.starts_with("https://") ? 8 : text.starts_with("http://") ? 7 : 0;
  const bool plain =
      std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c < 0x7f && c != '#' && c != '?'; });
  if (scheme != 0 && plain && url.size() > scheme && url[scheme] != '/') return {};
  return fail(ErrorClass::InvalidArgument,
              "'" + std::string(url) + "' is no gateway: it must be http:// or https:// and a host");
}

GatewaySource::GatewaySource(Config config) : config_(std::move(config)) {}
GatewaySource::~GatewaySource() = default;

Result<Kernel> GatewaySource::fetch(std::string_view id, const std::atomic<bool>& cancelled) {
  if (config_.gateways.empty()) return fail(ErrorClass::KernelNotFound, "no gateway is configured");
  std::vector<std::pair<std::string, Error>> refusals;
  for (const std::string& gateway : config_.gateways) {
    auto kernel = fetch_from(gateway, id, cancelled);
    if (kernel || kernel.error().error_class == ErrorClass::Cancelled) return kernel;
    refusals.emplace_back(gateway, std::move(kernel).error());
  }
  return join(id, refusals);
}

Result<Kernel> GatewaySource::fetch_from(const std::string& gateway, std::string_view id,
                                         const std::atomic<bool>& cancelled) {
  KEM_TRY(auto client, borrow(cancelled));
  std::string url = gateway;
  while (url.ends_with('/')) url.pop_back();
  auto response = client->get(url + "/" + std::string(id), cancelled);
  give_back(std::move(client));
  if (!response) return fail(std::move(response).error());
  KEM_CHECK(check_response(*response, config_.limits));
  return Kernel{std::move(response->body), gateway};
}

Result<std::unique_ptr<HttpClient>> GatewaySource::borrow(const std::atomic<bool>& cancelled) {
  std::unique_lock lock(mutex_);
  while (idle_.empty() && made_ >= kMostTransfers) {
    if (cancelled) return fail(ErrorClass::Cancelled, "the fetch was cancelled");
    returned_.wait_for(lock, kLook);
  }
  if (!idle_.empty()) {
    auto client = std::move(idle_.back());
    idle_.pop_back();
    return client;
  }
  ++made_;
  lock.unlock();
  HttpOptions options{config_.user_agent,         config_.ca_file,    config_.limits.connect_time,
                      config_.limits.fetch_time,  config_.stall_time, config_.limits.redirects,
                      config_.limits.source_bytes};
  auto client = HttpClient::create(std::move(options));
  if (!client) {
    lock.lock();
    --made_;
  }
  return client;
}

void GatewaySource::give_back(std::unique_ptr<HttpClient> client) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(client));
  returned_.notify_one();
}

}  // namespace kem::arweave
