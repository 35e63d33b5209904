"""Renders plain data as files: `sheet` declares the data, `pages` makes PDF, PNG and SVG, `word`
docx, `spreadsheet` xlsx and CSV."""
