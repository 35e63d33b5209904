"""Tool selection: labelled queries over this project's own capabilities.

    queries.jsonl            those that need no tool
    ../packs/*/queries.jsonl over the capabilities of a pack
    catalogue.jsonl          further capabilities, as registry documents, to make a fuller registry
    catalogue_queries.jsonl  over those

A query is `{"id", "split", "language", "kind", "query", "recent"?, "gold"}`. `recent` are the
user's earlier messages, oldest first. `gold` are the tools that a good agent would want offered:
what answers the query, and what it needs first, such as the search that finds a topic's
conversations or the list that gives a group's id. Where nothing is to be looked up or done, it is
empty. `split` follows from the id: "dev" may be looked at while anything is tuned, "held" only
counts.
"""
