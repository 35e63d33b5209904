"""Language models behind one protocol; a provider is the module `models/<provider>.py`."""
