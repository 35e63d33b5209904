"""Templates of prompts that teachers keep, share and rate.

    prompts/{id}             uid, title, text, category, shared, tenant, createdAt, schemaVersion
    promptRatings/{p}_{uid}  promptId, uid, stars (1 to 5), schemaVersion

Teachers keep both from the app, by the rules. A shared prompt is for the teachers of its tenant.
"""

from __future__ import annotations

PROMPTS = "prompts"
PROMPT_RATINGS = "promptRatings"
