"""One conversation as a loop over three bare SDKs, and the provider that serves it."""
