"""Documents that users upload: read, cut into passages, indexed, searched, cited."""
