"""Words of the field, shared by every other part; imports nothing else of Rollcall."""
