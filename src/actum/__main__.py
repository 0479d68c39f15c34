"""`python -m actum` is `actum`."""

import sys

from actum.cli.main import main

sys.exit(main())
