"""How the load of panels and services is asked for, told and shown."""
