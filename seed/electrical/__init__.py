"""Sample projects."""
