# Lets one Python interpreter make user namespaces, for the walls of actum at level `full`.
# Put the path of the interpreter where @PYTHON@ stands; `actum doctor` prints the line that does it.
abi <abi/4.0>,
include <tunables/global>

profile actum @PYTHON@ flags=(unconfined) {
  userns,
  include if exists <local/actum>
}
