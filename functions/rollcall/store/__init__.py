"""Everything that rests in Firestore."""
