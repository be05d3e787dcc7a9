# One manual page: what the program says of COMMAND, then its page. See manual.cmake.
execute_process(COMMAND ${PROGRAM} help --manual ${COMMAND} OUTPUT_VARIABLE manual
                COMMAND_ERROR_IS_FATAL ANY)
if(PAGE AND PANDOC)
  file(READ ${PAGE} text)
  # The title is said already; links lead nowhere from a manual page.
  string(REGEX REPLACE "^# [^\n]*\n" "# DESCRIPTION\n" text "${text}")
  string(REGEX REPLACE "\\[([^]]*)\\]\\(([^) \n]*)\\)" "\\1" text "${text}")
  file(WRITE ${MANUAL}.md "${text}")
  execute_process(COMMAND ${PANDOC} --from gfm --to man ${MANUAL}.md OUTPUT_VARIABLE description
                  COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE ${MANUAL}.md)
  string(PREPEND manual "'\\\" t\n")  # it has tables
  string(REPLACE ".SH OPTIONS" "${description}.SH OPTIONS" manual "${manual}")
endif()
file(WRITE ${MANUAL} "${manual}")
