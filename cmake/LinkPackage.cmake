# Links every Python file and subfolder of SOURCE into TARGET, which already holds the binaries.
file(MAKE_DIRECTORY ${TARGET})
file(GLOB entries RELATIVE ${SOURCE} ${SOURCE}/*)
list(FILTER entries EXCLUDE REGEX "(\\.so|^lib|^__pycache__)$")
foreach(entry IN LISTS entries)
  file(CREATE_LINK ${SOURCE}/${entry} ${TARGET}/${entry} SYMBOLIC)
endforeach()
