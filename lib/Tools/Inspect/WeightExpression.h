//===- WeightExpression.h - A weight's history in one line ------*- C++ -*-===//

#ifndef PAGODA_LIB_TOOLS_INSPECT_WEIGHTEXPRESSION_H
#define PAGODA_LIB_TOOLS_INSPECT_WEIGHTEXPRESSION_H

#include <string>
#include <string_view>

namespace pagoda {

/// The text of an llm.define as one expression:
/// `pack(concat(model["a"], model["b"]) axis 0) tile32`. Empty where the text
/// has another form. For people: types and long lists are left out.
std::string weightExpression(std::string_view history);

} // namespace pagoda

#endif // PAGODA_LIB_TOOLS_INSPECT_WEIGHTEXPRESSION_H
