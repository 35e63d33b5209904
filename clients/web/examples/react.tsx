/** @jsxImportSource react */
// The elements in React 19, which sets their properties and listens to their events by itself.

import { useState } from "react";
import { createRoot } from "react-dom/client";

import { useFirebase } from "../dist/elements/rollcall.js";
import { auth, firestore, functions } from "./firebase.js"; // where your app calls initializeApp

const firebase = { auth, firestore, functions };
useFirebase(firebase);

function App() {
  const [count, setCount] = useState(0);
  const [threadId, setThreadId] = useState<string>();
  return (
    <>
      <h1>Waiting for you: {count}</h1>
      <p>Conversation: {threadId ?? "none yet"}</p>
      <rollcall-chat
        agent="messaging"
        context={JSON.stringify({ page: "/projects/7" })}
        onrollcall-thread={({ detail }) => setThreadId(detail.threadId)}
      />
      <rollcall-approvals firebase={firebase} onrollcall-count={({ detail }) => setCount(detail.count)} />
    </>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(<App />);

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "rollcall-chat": {
        agent: string;
        thread?: string;
        context?: string;
        locale?: "en" | "he";
        firebase?: typeof firebase;
        "onrollcall-thread"?: (event: CustomEvent<{ threadId: string }>) => void;
      };
      "rollcall-approvals": {
        locale?: "en" | "he";
        firebase?: typeof firebase;
        "onrollcall-count"?: (event: CustomEvent<{ count: number }>) => void;
      };
    }
  }
}
