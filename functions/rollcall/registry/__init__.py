"""The live registry: capabilities and agents in Firestore, and the tools chosen from them."""
