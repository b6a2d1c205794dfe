# cmake -DROOT=kernels/templates -DOUTPUT=file.cpp -P embed_templates.cmake
#
# Writes the kernel templates as string literals, so that the compiler library
# needs no files beside it.
file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/*.h" "${ROOT}/*.cpp")
list(SORT files)
set(text "#include \"pagoda/Codegen/ImageBuilder.h\"\n\nnamespace pagoda {\n\n")
string(APPEND text "std::span<const TemplateFile> kernelTemplates() {\n")
string(APPEND text "  static const std::vector<TemplateFile> files = {\n")
foreach(file IN LISTS files)
  file(READ "${ROOT}/${file}" content)
  string(APPEND text "      {\"${file}\", R\"~~(${content})~~\"},\n")
endforeach()
string(APPEND text "  };\n  return files;\n}\n\n} // namespace pagoda\n")
file(WRITE "${OUTPUT}" "${text}")
