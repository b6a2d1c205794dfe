# cmake -DROOT=lib/Tools/Pages -DOUTPUT=file.cpp -P embed_pages.cmake
#
# Writes the parts of pages (styles, scripts, markup) as string literals, so
# that programs need no files beside them.
file(GLOB files RELATIVE "${ROOT}" "${ROOT}/*.css" "${ROOT}/*.js" "${ROOT}/*.html")
list(SORT files)
set(text "#include \"Page.h\"\n\nnamespace pagoda {\n\n")
string(APPEND text "std::span<const PagePart> pageParts() {\n")
string(APPEND text "  static const PagePart parts[] = {\n")
foreach(file IN LISTS files)
  file(READ "${ROOT}/${file}" content)
  string(APPEND text "      {\"${file}\", R\"~~(${content})~~\"},\n")
endforeach()
string(APPEND text "  };\n  return parts;\n}\n\n} // namespace pagoda\n")
file(WRITE "${OUTPUT}" "${text}")
