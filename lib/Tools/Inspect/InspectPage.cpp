#include "InspectPage.h"

#include "../Pages/Page.h"

namespace pagoda {

StatusOr<std::string> inspectPage(const Artifact &artifact,
                                  const MemoryQuestion &question) {
  Json data = {{"summary", describeSummary(artifact)},
               {"sizes", describeSizes(artifact)},
               {"weights", describeWeights(artifact)},
               {"program", describeProgram(artifact)},
               {"templates", describeTemplates(artifact)}};
  PAGODA_ASSIGN_OR_RETURN(data["kernels"], describeKernels(artifact, ""));
  // Without a step there is nothing to plan; the page then says so.
  if (StatusOr<Json> memory = describeMemory(artifact, question); memory.ok()) {
    data["memory"] = *std::move(memory);
    PAGODA_ASSIGN_OR_RETURN(data["grid"],
                            describeMemoryGrid(artifact, question));
  } else {
    data["memory_error"] = memory.status().message();
  }
  PageLayout layout;
  layout.title = artifact.program().model()->name()->str();
  layout.body = "inspect.html";
  layout.styles = {"page.css", "inspect.css"};
  layout.scripts = {"page.js", "inspect.js"};
  return makePage(layout, data);
}

} // namespace pagoda
