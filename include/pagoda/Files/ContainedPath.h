//===- ContainedPath.h - Names that files give to files ---------*- C++ -*-===//
//
// Some model files name others: an index names its shards, an ONNX graph its
// external data. Whoever made them must not be able to name any file of this
// machine. For the readers of such formats.
//
//   PAGODA_ASSIGN_OR_RETURN(std::string path,
//                           resolveInside("models/m", "sub/w.bin"));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_FILES_CONTAINEDPATH_H
#define PAGODA_FILES_CONTAINEDPATH_H

#include "pagoda/Base/Status.h"

#include <string>
#include <string_view>

namespace pagoda {

/// The path of the file that a model in `folder` calls `relative`; it is
/// looked up, not opened. The rules: no absolute name and no "..", even one
/// that stays inside; a symbolic link may lead to a file inside the folder or,
/// in a snapshot of the Hugging Face hub's cache (…/snapshots/REVISION), to
/// the blobs beside the snapshots, where that cache keeps the files.
///
/// Errors: InvalidArgument where a rule is broken, NotFound.
StatusOr<std::string> resolveInside(const std::string &folder,
                                    std::string_view relative);

} // namespace pagoda

#endif // PAGODA_FILES_CONTAINEDPATH_H
