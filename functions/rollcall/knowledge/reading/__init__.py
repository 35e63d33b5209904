"""Reading uploaded files: text by page, in a process of its own that can do no harm."""
