"""`python -m rollcall init`: makes a Firebase app, or adds Rollcall to one."""
