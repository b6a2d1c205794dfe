#include "pagoda/Base/Status.h"

namespace pagoda {

std::string_view statusCodeName(StatusCode code) {
  switch (code) {
  case StatusCode::Ok:
    return "ok";
  case StatusCode::InvalidArgument:
    return "invalid argument";
  case StatusCode::NotFound:
    return "not found";
  case StatusCode::CorruptData:
    return "corrupt data";
  case StatusCode::Unsupported:
    return "unsupported";
  case StatusCode::ResourceExhausted:
    return "resource exhausted";
  case StatusCode::Unavailable:
    return "unavailable";
  case StatusCode::IoError:
    return "I/O error";
  case StatusCode::Cancelled:
    return "cancelled";
  case StatusCode::Internal:
    return "internal error";
  }
  return "unknown";
}

const std::string &Status::message() const {
  static const std::string empty;
  return error ? error->message : empty;
}

Status Status::withContext(std::string_view context) && {
  if (error)
    error->message = concat(context, ": ", error->message);
  return std::move(*this);
}

Status Status::withPath(std::string_view path) && {
  std::string_view start = message();
  if (start.starts_with('\''))
    start.remove_prefix(1);
  if (start.starts_with(path)) {
    // Not just a name that begins alike.
    start.remove_prefix(path.size());
    if (start.starts_with(':') || start.starts_with('/') ||
        start.starts_with('\''))
      return std::move(*this);
  }
  return std::move(*this).withContext(concat("'", path, "'"));
}

} // namespace pagoda
