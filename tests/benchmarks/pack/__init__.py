"""A pack of two capabilities, which do what the callables of `bare` do."""
