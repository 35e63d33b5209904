"""Material for teachers: worksheets, tests, activities, with keys that are computed or cited."""
