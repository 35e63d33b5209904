"""What an inspector looks at: rules as data, each with its place in the code."""
