"""Files from plain data: `sheet` has the data, `page` makes PDF, PNG and SVG, `word` docx,
`spreadsheet` xlsx and CSV."""
