#include "arweave/http.h"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <string_view>

namespace kem::arweave {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLookMilliseconds = 50;
constexpr long kStallBytesPerSecond = 32;

struct EasyCleanup {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct MultiCleanup {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};

// Once in a process and never undone: other code in it may use libcurl too, which counts its users.
bool start_curl() {
  static const CURLcode result = curl_global_init(CURL_GLOBAL_DEFAULT);
  return result == CURLE_OK;
}

// What the write callback fills.
struct Body {
  std::string bytes;
  size_t most = 0;
  bool too_large = false;
};

size_t append_body(char* data, size_t size, size_t count, void* user) try {
  auto* body = static_cast<Body*>(user);
  const size_t bytes = size * count;
  if (bytes > body->most - body->bytes.size()) {
    body->too_large = true;
    return 0;
  }
  body->bytes.append(data, bytes);
  return bytes;
} catch (...) {  // no exception may cross libcurl; a short count makes it CURLE_WRITE_ERROR
  return 0;
}

bool is_redirect(long status) {
  constexpr std::array kStatuses{301L, 302L, 303L, 307L, 308L};
  return std::find(kStatuses.begin(), kStatuses.end(), status) != kStatuses.end();
}

bool has_scheme(std::string_view url, std::string_view scheme) {
  constexpr std::string_view kSeparator = "://";
  if (url.size() < scheme.size() + kSeparator.size()) return false;
  return std::equal(scheme.begin(), scheme.end(), url.begin(),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); }) &&
         url.substr(scheme.size()).starts_with(kSeparator);
}

Status check_redirect(std::string_view from, std::string_view to) {
  if (has_scheme(to, "https")) return {};
  if (!has_scheme(to, "http")) {
    return fail(ErrorClass::GatewayUnavailable, "redirects to " + std::string(to) + ", which is not http or https");
  }
  if (!has_scheme(from, "https")) return {};
  return fail(ErrorClass::GatewayUnavailable, "redirects from https to http: " + std::string(to));
}

template <class T>
T info(CURL* easy, CURLINFO which) {
  T value{};
  curl_easy_getinfo(easy, which, &value);
  return value;
}

long milliseconds(std::chrono::nanoseconds time) {
  return static_cast<long>(std::max<int64_t>(1, std::chrono::duration_cast<std::chrono::milliseconds>(time).count()));
}

}  // namespace

struct HttpClient::Impl {
  HttpOptions options;
  std::unique_ptr<CURL, EasyCleanup> easy{curl_easy_init()};
  std::unique_ptr<CURLM, MultiCleanup> multi{curl_multi_init()};
  std::array<char, CURL_ERROR_SIZE> reason{};
  Body body;

  void set_up(const std::string& url, Clock::time_point deadline);
  Result<HttpResponse> get_once(const std::string& url, Clock::time_point deadline, const std::atomic<bool>& cancelled);
  Result<CURLcode> transfer(const std::atomic<bool>& cancelled);
  tl::unexpected<Error> refusal(CURLcode code) const;
};

HttpClient::HttpClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpClient::~HttpClient() = default;

Result<std::unique_ptr<HttpClient>> HttpClient::create(HttpOptions options) {
  if (!start_curl()) return fail(ErrorClass::Internal, "libcurl cannot start");
  auto impl = std::make_unique<Impl>();
  if (!impl->easy || !impl->multi) return fail(ErrorClass::OutOfMemory, "no memory for a transfer");
  impl->options = std::move(options);
  return std::unique_ptr<HttpClient>(new HttpClient(std::move(impl)));
}

Result<HttpResponse> HttpClient::get(const std::string& url, const std::atomic<bool>& cancelled) {
  const Clock::time_point deadline = Clock::now() + impl_->options.total_time;
  std::string target = url;
  for (int hops = 0; hops <= impl_->options.redirects; ++hops) {
    KEM_TRY(auto response, impl_->get_once(target, deadline, cancelled));
    if (!is_redirect(response.status)) return response;
    const char* next = info<char*>(impl_->easy.get(), CURLINFO_REDIRECT_URL);
    if (next == nullptr) return fail(ErrorClass::GatewayUnavailable, "redirects without a place to go to");
    KEM_CHECK(check_redirect(target, next));
    target = next;
  }
  return fail(ErrorClass::GatewayUnavailable,
              "redirects more than " + std::to_string(impl_->options.redirects) + " times");
}

void HttpClient::Impl::set_up(const std::string& url, Clock::time_point deadline) {
  CURL* const handle = easy.get();
  curl_easy_reset(handle);  // keeps connections, cached names and TLS sessions
  body = Body{{}, options.most_bytes, false};
  reason[0] = '\0';
  curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);  // get() follows, and looks where it goes
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_USERAGENT, options.user_agent.c_str());
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(options.connect_time));
  curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, milliseconds(deadline - Clock::now()));
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, kStallBytesPerSecond);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, static_cast<long>(options.stall_time.count()));
  curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 2L);
  if (!options.ca_file.empty()) curl_easy_setopt(handle, CURLOPT_CAINFO, options.ca_file.c_str());
  curl_easy_setopt(handle, CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(options.most_bytes));
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, reason.data());
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, append_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &body);
}

Result<HttpResponse> HttpClient::Impl::get_once(const std::string& url, Clock::time_point deadline,
                                                const std::atomic<bool>& cancelled) {
  if (Clock::now() >= deadline) return fail(ErrorClass::GatewayUnavailable, "no answer in time");
  set_up(url, deadline);
  KEM_TRY(const CURLcode code, transfer(cancelled));
  if (code != CURLE_OK) return refusal(code);
  HttpResponse response;
  response.status = info<long>(easy.get(), CURLINFO_RESPONSE_CODE);
  if (const char* type = info<char*>(easy.get(), CURLINFO_CONTENT_TYPE)) response.content_type = type;
  response.body = std::move(body.bytes);
  return response;
}

Result<CURLcode> HttpClient::Impl::transfer(const std::atomic<bool>& cancelled) {
  struct Membership {
    CURLM* multi;
    CURL* easy;
    ~Membership() { curl_multi_remove_handle(multi, easy); }
  };
  if (curl_multi_add_handle(multi.get(), easy.get()) != CURLM_OK) {
    return fail(ErrorClass::Internal, "libcurl refuses the transfer");
  }
  const Membership membership{multi.get(), easy.get()};
  while (true) {
    if (cancelled) return fail(ErrorClass::Cancelled, "the fetch was cancelled");
    int running = 0;
    if (curl_multi_perform(multi.get(), &running) != CURLM_OK) {
      return fail(ErrorClass::Internal, "libcurl cannot go on with the transfer");
    }
    int left = 0;
    if (const CURLMsg* message = curl_multi_info_read(multi.get(), &left); message && message->msg == CURLMSG_DONE) {
      return message->data.result;
    }
    if (running == 0) return fail(ErrorClass::Internal, "libcurl ended the transfer without a result");
    curl_multi_poll(multi.get(), nullptr, 0, kLookMilliseconds, nullptr);
  }
}

tl::unexpected<Error> HttpClient::Impl::refusal(CURLcode code) const {
  if (body.too_large || code == CURLE_FILESIZE_EXCEEDED) {
    return fail(ErrorClass::KernelTooLarge, "more than " + std::to_string(options.most_bytes) + " bytes");
  }
  if (code == CURLE_PARTIAL_FILE) return fail(ErrorClass::GatewayUnavailable, "the body is shorter than announced");
  return fail(ErrorClass::GatewayUnavailable, reason[0] != '\0' ? reason.data() : curl_easy_strerror(code));
}

}  // namespace kem::arweave
