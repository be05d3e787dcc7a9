# `make wheel`: the Python package with the static program of the tarball in it, for pip; needs
# nothing but a Python.
add_custom_target(
  wheel
  COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/packaging/python/wheel.py
          ${CMAKE_CURRENT_BINARY_DIR}/static/${tarball} ${CMAKE_CURRENT_BINARY_DIR}/package --platform
          manylinux_2_17_${CMAKE_SYSTEM_PROCESSOR}
  COMMENT "package/pate_accountant-${PROJECT_VERSION}, a wheel"
  VERBATIM)
add_dependencies(wheel tarball)

# The functions of the package, again after options have changed; a test checks that they are up to
# date.
add_custom_target(
  python_functions
  COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/cli/python/generate.py $<TARGET_FILE:pate>
  DEPENDS pate
  VERBATIM)
