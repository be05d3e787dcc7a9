vcpkg_download_distfile(
  ARCHIVE
  URLS "@URL@"
  FILENAME "pate-@VERSION@.tar.gz"
  SHA512 "@SHA512@")
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${ARCHIVE}")
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DCMAKE_UNITY_BUILD=ON -DPATE_TESTS=OFF)
vcpkg_cmake_build(TARGET installed)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/pate)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES pate AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
