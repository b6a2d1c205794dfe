//===- Status.h - Errors as values ------------------------------*- C++ -*-===//
//
// What every fallible function of Pagoda returns. For all rooms; no exception
// crosses a room. A message is a sentence for the person at the terminal: it
// names the file, the field and the remedy; each layer may add its context
// once in front.
//
//   StatusOr<Header> readHeader(const MappedFile &file) {
//     if (file.size() < 16)
//       return corruptData("file ends after ", file.size(), " bytes");
//     ...
//   }
//   PAGODA_ASSIGN_OR_RETURN(Header header,
//                           withContext(readHeader(file), file.path()));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_BASE_STATUS_H
#define PAGODA_BASE_STATUS_H

#include "pagoda/Base/Concat.h"

#include <cassert>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace pagoda {

enum class StatusCode {
  Ok,
  /// The caller asked for something that makes no sense.
  InvalidArgument,
  /// A file, tensor or name that should exist does not.
  NotFound,
  /// A file does not hold what its format promises.
  CorruptData,
  /// Well-formed, but not something this build can do.
  Unsupported,
  /// Memory, blocks or a stated budget ran out.
  ResourceExhausted,
  /// A device, tool or library is missing on this machine.
  Unavailable,
  /// The operating system refused.
  IoError,
  /// The request was withdrawn.
  Cancelled,
  /// A fault of Pagoda's own.
  Internal,
};

/// The code's name in lower case with spaces, such as "corrupt data".
std::string_view statusCodeName(StatusCode code);

/// Success, or a code and a message. One pointer wide; success allocates
/// nothing.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(StatusCode code, std::string message)
      : error(std::make_unique<Error>(Error{code, std::move(message)})) {
    assert(code != StatusCode::Ok && "an error needs an error code");
  }
  Status(Status &&) = default;
  Status &operator=(Status &&) = default;
  Status(const Status &other)
      : error(other.error ? std::make_unique<Error>(*other.error) : nullptr) {}
  Status &operator=(const Status &other) {
    error = other.error ? std::make_unique<Error>(*other.error) : nullptr;
    return *this;
  }

  bool ok() const { return !error; }
  StatusCode code() const { return error ? error->code : StatusCode::Ok; }
  /// Empty for success.
  const std::string &message() const;

  /// Puts "context: " before an error's message; success stays success.
  Status withContext(std::string_view context) &&;
  /// Puts "'path': " before a message that does not start with that path.
  Status withPath(std::string_view path) &&;

private:
  struct Error {
    StatusCode code;
    std::string message;
  };
  std::unique_ptr<Error> error;
};

/// A value, or the error that kept it from being made.
template <typename T>
class [[nodiscard]] StatusOr {
public:
  StatusOr(T value) : value(std::move(value)) {}
  StatusOr(Status status) : error(std::move(status)) {
    assert(!error.ok() && "a StatusOr without a value needs an error");
  }

  bool ok() const { return value.has_value(); }
  const Status &status() const & { return error; }
  Status status() && { return std::move(error); }

  T &operator*() & { return *value; }
  const T &operator*() const & { return *value; }
  T &&operator*() && { return std::move(*value); }
  T *operator->() { return &*value; }
  const T *operator->() const { return &*value; }

  StatusOr withContext(std::string_view context) && {
    if (!ok())
      error = std::move(error).withContext(context);
    return std::move(*this);
  }
  StatusOr withPath(std::string_view path) && {
    if (!ok())
      error = std::move(error).withPath(path);
    return std::move(*this);
  }

private:
  std::optional<T> value;
  Status error;
};

template <typename... Parts>
Status invalidArgument(const Parts &...parts) {
  return Status(StatusCode::InvalidArgument, concat(parts...));
}
template <typename... Parts>
Status notFound(const Parts &...parts) {
  return Status(StatusCode::NotFound, concat(parts...));
}
template <typename... Parts>
Status corruptData(const Parts &...parts) {
  return Status(StatusCode::CorruptData, concat(parts...));
}
template <typename... Parts>
Status unsupported(const Parts &...parts) {
  return Status(StatusCode::Unsupported, concat(parts...));
}
template <typename... Parts>
Status resourceExhausted(const Parts &...parts) {
  return Status(StatusCode::ResourceExhausted, concat(parts...));
}
template <typename... Parts>
Status unavailable(const Parts &...parts) {
  return Status(StatusCode::Unavailable, concat(parts...));
}
template <typename... Parts>
Status ioError(const Parts &...parts) {
  return Status(StatusCode::IoError, concat(parts...));
}
template <typename... Parts>
Status internalError(const Parts &...parts) {
  return Status(StatusCode::Internal, concat(parts...));
}

#define PAGODA_CONCAT_IMPL(a, b) a##b
#define PAGODA_CONCAT(a, b) PAGODA_CONCAT_IMPL(a, b)

#define PAGODA_RETURN_IF_ERROR(expr)                                           \
  do {                                                                         \
    if (::pagoda::Status pagodaStatus = (expr); !pagodaStatus.ok())            \
      return pagodaStatus;                                                     \
  } while (false)

#define PAGODA_ASSIGN_OR_RETURN(lhs, expr)                                     \
  PAGODA_ASSIGN_OR_RETURN_IMPL(PAGODA_CONCAT(pagodaOr, __LINE__), lhs, expr)
#define PAGODA_ASSIGN_OR_RETURN_IMPL(temporary, lhs, expr)                     \
  auto temporary = (expr);                                                     \
  if (!temporary.ok())                                                         \
    return std::move(temporary).status();                                      \
  lhs = *std::move(temporary)

} // namespace pagoda

#endif // PAGODA_BASE_STATUS_H
