"""The operator's command line, `python -m rollcall`: one module for each group of subcommands."""
