"""Documents that users upload: their reading, passages, index, search and citations."""
