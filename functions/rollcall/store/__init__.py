"""Documents of the platform in Firestore."""
