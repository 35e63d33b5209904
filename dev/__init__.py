"""What developing Rollcall needs: setting up, running the emulators, testing.

`dev.setup` and what it imports run on the standard library alone, because they
install everything else.
"""
