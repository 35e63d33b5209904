"""The loop and what drives it: runs, model calls, tool calls, prompts, history, approvals,
budgets."""
