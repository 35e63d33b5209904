import gc
import os

# After how many new objects Python looks for garbage, instead of 700. Imports make a great many and
# no garbage; looking through them again and again takes 5 to 10 % of a cold start.
gc.set_threshold(50_000)

from rollcall.catalog import cloud_functions  # noqa: E402

globals().update(cloud_functions(os.environ.get("FUNCTION_TARGET")))
