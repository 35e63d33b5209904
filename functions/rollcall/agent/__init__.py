"""Agents: the loop, runs, model calls, tool calls, prompts, history, approvals and budgets."""
