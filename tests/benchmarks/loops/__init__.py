"""One conversation by hand on three bare SDKs, and the provider that it is held with."""
