"""The calculations, as functions of plain numbers: no Firestore, no caller, no language."""
