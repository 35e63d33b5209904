"""Data to start with: files of this folder, and of a folder for each pack that brings some."""
