#include "pagoda/Base/Status.h"

#include <gtest/gtest.h>

using namespace pagoda;

namespace {

StatusOr<int> half(int number) {
  if (number % 2)
    return invalidArgument(number, " is odd");
  return number / 2;
}

StatusOr<int> quarter(int number) {
  PAGODA_ASSIGN_OR_RETURN(int once, half(number));
  PAGODA_ASSIGN_OR_RETURN(int twice, half(once).withContext("second half"));
  return twice;
}

} // namespace

TEST(Status, ValuesAndErrorsPassThroughTheMacros) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(3).status().message(), "3 is odd");
  auto failed = quarter(6);
  EXPECT_EQ(failed.status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(failed.status().message(), "second half: 3 is odd");
}

TEST(Status, SuccessIgnoresContext) {
  EXPECT_TRUE(Status().withContext("anything").ok());
  EXPECT_EQ(Status().message(), "");
}
