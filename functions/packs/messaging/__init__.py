"""Ask your conversations: priorities, action items, decisions, summaries, search."""
