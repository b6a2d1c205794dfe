#include "pagoda/Files/ContainedPath.h"

#include "QuotedName.h"

#include <algorithm>
#include <filesystem>

namespace pagoda {

namespace fs = std::filesystem;

namespace {

bool isInside(const fs::path &path, const fs::path &folder) {
  auto [rest, end] = std::ranges::mismatch(path, folder);
  return end == folder.end();
}

/// Where the hub's cache keeps the files of `folder`; empty outside of one.
fs::path hubBlobs(const fs::path &folder) {
  for (fs::path at = folder; at.has_relative_path(); at = at.parent_path())
    if (at.parent_path().filename() == "snapshots")
      return at.parent_path().parent_path() / "blobs";
  return {};
}

} // namespace

StatusOr<std::string> resolveInside(const std::string &folder,
                                    std::string_view relative) {
  fs::path name(relative);
  bool climbs = std::ranges::find(name, "..") != name.end();
  if (name.empty() || name.has_root_path() || climbs ||
      relative.find('\0') != relative.npos)
    return invalidArgument(quotedName(relative),
                           " is not a name of a file inside ",
                           quotedName(folder));
  std::error_code failure;
  fs::path root = fs::canonical(folder, failure);
  if (failure)
    return notFound("no such folder: ", quotedName(folder));
  fs::path target = fs::canonical(root / name, failure);
  if (failure)
    return notFound("there is no ", quotedName(relative), " in ",
                    quotedName(folder));
  fs::path blobs = hubBlobs(root);
  if (!isInside(target, root) && (blobs.empty() || !isInside(target, blobs)))
    return invalidArgument(quotedName(relative), " is a link that leaves ",
                           quotedName(folder),
                           "; put the file itself into the folder");
  // Not the target: messages shall name the file as the user knows it.
  return (fs::path(folder) / name).string();
}

} // namespace pagoda
