"""What Rollcall's functions are compared with: files that somebody would write without it."""
