"""The baseline: function files as one would write them without Rollcall."""
