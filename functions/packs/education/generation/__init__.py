"""Making material: items from passages and models, the contents made of them, their checks."""
