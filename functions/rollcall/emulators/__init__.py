"""Firebase's emulators on this computer: requirements, addresses, starting and stopping.

All of it runs on the standard library alone: setting up a checkout uses it before anything is
installed.
"""
