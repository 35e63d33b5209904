"""Article 220: what a panel, a feeder or a service has to carry."""
