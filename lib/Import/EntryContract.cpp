#include "EntryContract.h"

#include "pagoda/Base/Concat.h"
#include "pagoda/Dialect/LLM/LLMDialect.h"
#include "pagoda/Dialect/LLM/LLMOps.h"
#include "pagoda/Dialect/LLM/NamedDims.h"
#include "pagoda/Files/ContainedPath.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;

namespace pagoda {

namespace {

/// Far beyond what people and programs write, and a fraction of what the
/// parser's recursion has room for.
constexpr int kDeepest = 500;

std::string place(Operation *op) {
  if (auto file = dyn_cast<FileLineColLoc>(op->getLoc()))
    return concat(file.getFilename().str(), ":", file.getLine(), ":",
                  file.getColumn(), ": ");
  return "";
}

/// [?, n] or [?] of a type; n of any size.
bool isRows(Type type, Type element, int64_t rank) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == rank &&
         tensor.getElementType() == element && tensor.isDynamicDim(0) &&
         (rank == 1 || (!tensor.isDynamicDim(1) && tensor.getDimSize(1) > 0));
}

Status checkArguments(func::FuncOp entry) {
  Type i32 = IntegerType::get(entry.getContext(), 32);
  int ids = 0, batches = 0, caches = 0;
  for (BlockArgument argument : entry.getArguments()) {
    auto role = entry.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                   llm::LLMDialect::kRoleAttr);
    StringRef name = role ? role.getValue() : "";
    Type type = argument.getType();
    bool fits =
        (name == "ids" && isRows(type, i32, 1) && ++ids == 1) ||
        (name == "batch" && isa<llm::BatchType>(type) && ++batches == 1) ||
        (name == "cache" && isa<llm::CacheType>(type) && ++caches == 1);
    if (!fits)
      return invalidArgument(
          place(entry), "argument ", argument.getArgNumber(), " of the entry '",
          entry.getSymName().str(), "' is ", llvm::to_string(type),
          role ? concat(" with the role \"", name.str(), "\"")
               : " without a role",
          "; a step brings tensor<?xi32> {llm.role = \"ids\"}, !llm.batch "
          "{llm.role = \"batch\"} and !llm.cache {llm.role = \"cache\"}, each "
          "once");
  }
  return {};
}

Status checkResults(func::FuncOp entry) {
  Builder builder(entry.getContext());
  SmallVector<Type> tensors;
  int caches = 0;
  for (Type type : entry.getResultTypes())
    if (isa<llm::CacheType>(type))
      ++caches;
    else
      tensors.push_back(type);
  bool fits =
      caches <= 1 && !tensors.empty() && tensors.size() <= 2 &&
      isRows(tensors[0], builder.getF32Type(), 2) &&
      (tensors.size() < 2 || isRows(tensors[1], builder.getI32Type(), 1));
  if (fits)
    return {};
  std::vector<std::string> found;
  for (Type type : entry.getResultTypes())
    found.push_back(llvm::to_string(type));
  return invalidArgument(
      place(entry), "the entry '", entry.getSymName().str(), "' returns (",
      join(found),
      "); a step returns its logits, tensor<?xVxf32>, then, if it likes, the "
      "greedy tokens, tensor<?xi32>, and its cache");
}

/// Elementwise ops take rows of one kind: all tokens', or the wanted ones.
Status checkRows(func::FuncOp entry) {
  Status status;
  entry.walk([&](Operation *op) {
    if (!llm::isPointwise(op))
      return WalkResult::advance();
    SmallVector<llm::BatchDim> dims; // of those that are known
    for (Value operand : op->getOperands())
      if (std::optional<llm::BatchDim> dim = llm::getRowDim(operand))
        dims.push_back(*dim);
    for (llm::BatchDim dim : dims)
      if (dim != dims.front()) {
        status = invalidArgument(
            place(op), "'", op->getName().getStringRef().str(),
            "' combines rows that are counted by ",
            stringifyBatchDim(dims.front()).str(), " with rows counted by ",
            stringifyBatchDim(dim).str(),
            "; take the wanted ones of both with llm.gather_rows first");
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return status;
}

} // namespace

Status checkEntryContract(ModuleOp module) {
  SmallVector<Operation *> entries;
  for (Operation &op : *module.getBody())
    if (op.hasAttr(llm::LLMDialect::kEntryAttr))
      entries.push_back(&op);
  if (entries.empty())
    return invalidArgument("there is no entry: mark the function that computes "
                           "a step with llm.entry = \"step\"");
  if (entries.size() > 1)
    return invalidArgument(place(entries[1]), "this is entry ", entries.size(),
                           " of the module; a program has one");
  if (entries.front()->getName().getStringRef() == "exec.entry")
    return {};
  auto entry = dyn_cast<func::FuncOp>(entries.front());
  if (!entry)
    return invalidArgument(place(entries.front()), "'",
                           entries.front()->getName().getStringRef().str(),
                           "' cannot be an entry; mark a func.func");
  if (!entry.getBody().hasOneBlock())
    return invalidArgument(place(entry), "the entry '",
                           entry.getSymName().str(),
                           "' branches; a step is one block of ops");
  PAGODA_RETURN_IF_ERROR(checkArguments(entry));
  PAGODA_RETURN_IF_ERROR(checkResults(entry));
  return checkRows(entry);
}

Status checkSources(ModuleOp module, const std::string &folder) {
  for (auto source : module.getOps<llm::SourceOp>())
    if (std::optional<StringRef> path = source.getPath())
      PAGODA_RETURN_IF_ERROR(
          resolveInside(folder, path->str())
              .status()
              .withContext(concat("source '", source.getSymName().str(), "'")));
  for (auto function : module.getOps<func::FuncOp>())
    for (Block &block : function.getBody())
      if (failed(llm::verifyWeightReads(block)))
        return invalidArgument("'", function.getSymName().str(),
                               "' computes weights that take too long");
  return {};
}

Status checkNesting(std::string_view text) {
  int depth = 0, line = 1;
  bool isString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    line += c == '\n';
    if (isString) {
      if (c == '\\')
        ++i;
      isString = c != '"' && c != '\n';
      continue;
    }
    if (c == '"') {
      isString = true;
    } else if (c == '/' && i + 1 < text.size() && text[i + 1] == '/') {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      if (++depth > kDeepest)
        return invalidArgument("line ", line, " nests brackets more than ",
                               kDeepest, " deep");
    } else if (c == ')' || c == ']' || c == '}' ||
               (c == '>' && (i == 0 || text[i - 1] != '-'))) {
      depth = std::max(depth - 1, 0);
    }
  }
  return {};
}

} // namespace pagoda
