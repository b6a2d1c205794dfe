#include "Pages/Page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace pagoda;
using testing::HasSubstr;
using testing::Not;

namespace {

TEST(Page, DataCannotBecomeMarkup) {
  std::string page = makePage({"<b>&\"'", "inspect.html", {"page.css"}, {}},
                              {{"x", "</script><!--&\xff"}});
  EXPECT_THAT(page, HasSubstr("<title>&lt;b&gt;&amp;&quot;&#39;</title>"));
  EXPECT_THAT(page, Not(HasSubstr("</script><!--")));
  EXPECT_THAT(page, HasSubstr("\\u003c/script\\u003e\\u003c!--\\u0026"));
}

TEST(Page, StandsAlone) {
  for (const PagePart &part : pageParts()) {
    // Neither loads nor links anything, and makes markup of no data.
    for (const char *word : {"src=", "innerHTML", "insertAdjacentHTML",
                             "document.write", "eval(", "fetch(", "import("})
      EXPECT_THAT(std::string(part.text), Not(HasSubstr(word))) << part.name;
    if (part.name.ends_with(".css")) {
      EXPECT_THAT(std::string(part.text), Not(HasSubstr("url(")));
    }
    EXPECT_THAT(std::string(part.text), Not(HasSubstr("</script>")));
  }
}

} // namespace
