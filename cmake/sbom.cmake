# The bill of materials, as SPDX 2.3: the program and every library in it, with versions and licences.
# Its date is that of the commit, so that two builds are the same.
set(package_as [[{"SPDXID": "SPDXRef-@id@", "name": "@name@", "versionInfo": "@version@",
  "sourceInfo": "@source@", "downloadLocation": "NOASSERTION", "filesAnalyzed": false,
  "licenseConcluded": "@licence@", "licenseDeclared": "@licence@", "copyrightText": "NOASSERTION"}]])
set(relation_as [[{"spdxElementId": "@from@", "relationshipType": "@relation@",
  "relatedSpdxElement": "SPDXRef-@id@"}]])
set(document_as [[{"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
  "name": "pate-@PROJECT_VERSION@",
  "documentNamespace": "https://spdx.org/spdxdocs/pate-@PROJECT_VERSION@-@commit@",
  "creationInfo": {"created": "@created@", "creators": ["Tool: cmake-@CMAKE_VERSION@"]},
  "packages": [], "relationships": []}]])

string(REGEX REPLACE "[^0-9a-z-]" "-" commit "${PATE_COMMIT}")
set(date "$ENV{SOURCE_DATE_EPOCH}")
if(date STREQUAL "")
  set(ENV{SOURCE_DATE_EPOCH} ${PATE_COMMIT_TIME})
endif()
string(TIMESTAMP created "%Y-%m-%dT%H:%M:%SZ" UTC)
set(ENV{SOURCE_DATE_EPOCH} "${date}")
string(CONFIGURE "${document_as}" document @ONLY)

set(count 0)
set(runtime "libstdc++|${CMAKE_CXX_COMPILER_VERSION}|GPL-3.0-or-later WITH GCC-exception-3.1|libstdc++6|DYNAMIC")
set(all "pate|${PROJECT_VERSION}|Apache-2.0||" ${PATE_COMPONENTS} ${runtime})
foreach(component IN LISTS all)
  string(REGEX MATCH "^(.*)\\|(.*)\\|(.*)\\|(.*)\\|(.*)$" component "${component}")
  set(name ${CMAKE_MATCH_1})
  set(version ${CMAKE_MATCH_2})
  set(licence ${CMAKE_MATCH_3})
  set(source "Debian package ${CMAKE_MATCH_4}")
  set(from SPDXRef-pate)
  set(relation ${CMAKE_MATCH_5}_LINK)
  if(count EQUAL 0)
    set(source "commit ${PATE_COMMIT}")
    set(from SPDXRef-DOCUMENT)
    set(relation DESCRIBES)
  endif()
  string(REGEX REPLACE "[^A-Za-z0-9]" "-" id "${name}")
  string(CONFIGURE "${package_as}" package @ONLY)
  string(CONFIGURE "${relation_as}" entry @ONLY)
  string(JSON document SET "${document}" packages ${count} "${package}")
  string(JSON document SET "${document}" relationships ${count} "${entry}")
  math(EXPR count "${count} + 1")
endforeach()
set(PATE_SBOM ${CMAKE_CURRENT_BINARY_DIR}/pate.spdx.json)
file(CONFIGURE OUTPUT ${PATE_SBOM} CONTENT "${document}\n" @ONLY)
