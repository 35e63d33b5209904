"""The user's own documents, as capabilities: listed, searched, deleted."""
