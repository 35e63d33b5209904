// A front end of AG-UI's own client. Every event that comes is checked against the protocol's schemas,
// before the client sees it.

import assert from "node:assert/strict";

import { HttpAgent } from "@ag-ui/client";
import { EventSchemas, RunAgentInputSchema } from "@ag-ui/core/schemas";

const { FUNCTIONS_EMULATOR_HOST, GCLOUD_PROJECT } = process.env;
export const URL = `http://${FUNCTIONS_EMULATOR_HOST}/${GCLOUD_PROJECT}/us-central1`;

/** How many events were checked in this process. */
export let checkedEvents = 0;

/** An agent of AG-UI's client, signed in as the app's user. */
export function agentOf(app, name, options = {}, base = `${URL}/agui`) {
  return new HttpAgent({
    url: `${base}/${name}`,
    fetch: async (url, init) => {
      const token = await app.auth.currentUser.getIdToken();
      RunAgentInputSchema.parse(JSON.parse(init.body));
      const headers = { ...init.headers, Authorization: `Bearer ${token}` };
      return checked(await fetch(url, { ...init, headers }));
    },
    ...options,
  });
}

/** The response, whose events are checked on their way. */
function checked(response) {
  if (!response.ok) return response;
  assert.equal(response.headers.get("content-type").split(";")[0], "text/event-stream");
  const decoder = new TextDecoder();
  let text = "";
  const checking = new TransformStream({
    transform(chunk, controller) {
      text += decoder.decode(chunk, { stream: true });
      const frames = text.split("\n\n");
      text = frames.pop();
      for (const frame of frames) {
        if (frame.startsWith(":")) continue;
        const event = JSON.parse(frame.replace(/^data: /, ""));
        EventSchemas.parse(event);
        if (event.outcome) assertOutcome(event);
        checkedEvents += 1;
      }
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(checking), response);
}

/** The schemas let unknown fields pass; the protocol does not. */
function assertOutcome({ outcome, result }) {
  const known = { success: ["pendingToolCallIds"], interrupt: ["interrupts"], cancelled: [] };
  const fields = Object.keys(outcome).filter((key) => key !== "type");
  assert.deepEqual(fields.filter((key) => !known[outcome.type].includes(key)), []);
  assert.equal(result === undefined, outcome.type === "cancelled");
}

/** Run, after the user says something (unless it is null): the events, and what the client makes of
 * them. */
export async function run(agent, says, parameters = {}, subscriber = {}) {
  if (says !== null) agent.addMessage({ id: crypto.randomUUID(), role: "user", content: says });
  const events = [];
  let finished;
  const ran = await agent.runAgent(parameters, {
    ...subscriber,
    onEvent: (params) => {
      events.push(params.event);
      return subscriber.onEvent?.(params);
    },
    onRunFinishedEvent: (params) => void (finished = params),
  });
  return { events, finished, ours: events[0]?.metadata?.rollcall, ...ran };
}

export const types = (events) => events.map((event) => event.type);
