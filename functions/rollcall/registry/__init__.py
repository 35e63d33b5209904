"""The live registry: capabilities and agents as stored in Firestore, and the tools chosen from it."""
