"""The NEC: its editions, articles, tables and figures."""
