"""The made-up company's conversations, and importers of a user's own."""
