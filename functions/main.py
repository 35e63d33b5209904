import os

from rollcall.catalog import cloud_functions

globals().update(cloud_functions(os.environ.get("FUNCTION_TARGET")))
