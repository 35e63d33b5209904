// The messaging pack's collections: people talking to people.

import assert from "node:assert/strict";
import { before, beforeEach, describe, test } from "node:test";

import {
  Timestamp,
  arrayRemove,
  arrayUnion,
  collection,
  deleteDoc,
  deleteField,
  doc,
  getDoc,
  getDocs,
  orderBy,
  query,
  serverTimestamp,
  setDoc,
  updateDoc,
  where,
  writeBatch,
} from "firebase/firestore/lite";

import { PEOPLE, allowed, denied, testPermissions } from "../../support.mjs";

const EARLIER = Timestamp.fromMillis(1_700_000_000_000);
const BOTH = ["ana", "ben"];
const SIGNED_IN = Object.keys(PEOPLE).filter((person) => PEOPLE[person] !== null);
const HERS = [where("participantIds", "array-contains", "ana")];

const CONVERSATION = {
  schemaVersion: 1,
  name: "Launch",
  type: "group",
  participantIds: BOTH,
  participantNames: { ana: "Ana", ben: "Ben" },
  lastMessageAt: EARLIER,
  messageCount: 1,
  encryptedCount: 0,
  createdAt: EARLIER,
  createdBy: "ana",
};

const MESSAGE = {
  schemaVersion: 1,
  conversationId: "c1",
  senderId: "ana",
  senderName: "Ana",
  content: "The launch moves to Friday.",
  timestamp: EARLIER,
  encrypted: false,
  participantIds: BOTH,
  priority: "high",
  priorityConfidence: 0.9,
  prioritySource: "rules",
};

const DOCUMENTS = {
  "conversations/c1": CONVERSATION,
  "conversations/bens": { ...CONVERSATION, participantIds: ["ben"], createdBy: "ben" },
  "messages/m1": MESSAGE,
  "messages/left": { ...MESSAGE, senderId: "eve", senderName: "Eve" },
  "actionItems/i1": { conversationId: "c1", task: "Book the hall", participantIds: BOTH },
  "decisions/d1": { conversationId: "c1", decision: "Friday", participantIds: BOTH },
  "messageIndex/c1-0": { conversationId: "c1", terms: ["launch"], participantIds: BOTH },
  "messageVectors/m1": { conversationId: "c1", participantIds: BOTH },
  "extraction/c1": { conversationId: "c1", participantIds: BOTH },
};

const LEAST = { name: "x", schemaVersion: 1 };

function newConversation(person, changes = {}) {
  return {
    ...CONVERSATION,
    participantIds: [person, "zoe"],
    participantNames: { [person]: "Me", zoe: "Zoe" },
    lastMessageAt: serverTimestamp(),
    createdAt: serverTimestamp(),
    createdBy: person,
    messageCount: 0,
    ...changes,
  };
}

function newMessage(person, changes = {}) {
  return {
    schemaVersion: 1,
    conversationId: "c1",
    senderId: person,
    senderName: CONVERSATION.participantNames[person] ?? person,
    content: "Agreed.",
    timestamp: serverTimestamp(),
    encrypted: false,
    participantIds: BOTH,
    ...changes,
  };
}

function without(data, key) {
  const { [key]: _, ...rest } = data;
  return rest;
}

export default function messaging(rules) {
  const at = (who, path) => doc(rules.as(who), path);

  describe("messaging", () => {
    before(() => rules.seed(DOCUMENTS));
    const participants = { get: BOTH, list: ["ana"] };

    testPermissions(rules, "conversations/c1", {
      may: { ...participants, create: SIGNED_IN, update: BOTH },
      filter: HERS,
      created: newConversation,
      change: { name: "Launch on Friday" },
    });
    testPermissions(rules, "messages/m1", {
      may: { ...participants, create: BOTH, update: ["ana"], delete: ["ana"] },
      filter: HERS,
      created: newMessage,
      change: { content: "The launch stays on Thursday.", editedAt: serverTimestamp() },
    });
    testPermissions(rules, "actionItems/i1", { may: participants, filter: HERS });
    testPermissions(rules, "decisions/d1", { may: participants, filter: HERS });
    testPermissions(rules, "messageIndex/c1-0", { filter: HERS });
    testPermissions(rules, "messageVectors/m1", { filter: HERS });
    testPermissions(rules, "extraction/c1", { filter: HERS });

    test("lists what an app shows, and nothing wider", async () => {
      const messages = collection(rules.as("ana"), "messages");
      const inC1 = where("conversationId", "==", "c1");
      await allowed(getDocs(query(messages, ...HERS, inC1, orderBy("timestamp"))));
      await denied(getDocs(query(messages, inC1)));
      await denied(
        getDocs(query(messages, where("participantIds", "array-contains-any", ["ana", "ben"]))),
      );
      await denied(getDocs(query(messages, where("participantIds", "==", ["ben"]))));
      await denied(getDocs(query(messages, where("senderId", "==", "ana"))));
    });
  });

  describe("a new conversation", () => {
    before(() => rules.seed(DOCUMENTS));
    const create = (changes) =>
      setDoc(at("eve", "conversations/eves"), newConversation("eve", changes));

    test("has every field and no other", async () => {
      for (const field of Object.keys(newConversation("eve"))) {
        await denied(setDoc(at("eve", "conversations/eves"), without(newConversation("eve"), field)));
      }
      for (const extra of [{ source: "slack" }, { admin: true }, { uid: "ana" }]) {
        await denied(create(extra));
      }
      await denied(setDoc(at("eve", "conversations/eves"), LEAST));
    });

    test("starts now, empty, made by its maker", async () => {
      const wrong = [
        { createdBy: "ana" },
        { createdAt: EARLIER },
        { lastMessageAt: EARLIER },
        { lastMessageAt: null },
        { messageCount: 1 },
        { messageCount: -0.0 },
        { messageCount: "0" },
        { encryptedCount: 1 },
        { encryptedCount: -0.0 },
        { encryptedCount: "0" },
        { schemaVersion: 2 },
        { schemaVersion: "1" },
      ];
      for (const changes of wrong) await denied(create(changes));
    });

    test("has a name of 1 to 200 characters and a known type", async () => {
      for (const name of ["", "x".repeat(201), 1, null, ["a"], { a: 1 }]) {
        await denied(create({ name }));
      }
      for (const type of ["Group", "channel", "", 1, null, ["group"]]) await denied(create({ type }));
      await allowed(create({ name: "x".repeat(200), type: "direct" }));
      await rules.restore();
    });

    test("includes its maker", async () => {
      const others = { participantIds: ["ana", "ben"], participantNames: { ana: "Ana" } };
      await denied(create(others));
      await denied(create({ participantIds: "eve", participantNames: {} }));
      await denied(create({ participantIds: { eve: true }, participantNames: {} }));
    });

    test("has 1 to 200 people, each once, each a text", async () => {
      const many = Array.from({ length: 200 }, (_, number) => (number ? `person${number}` : "eve"));
      const wrong = [
        [],
        [...many, "oneMore"],
        ["eve", "eve"],
        ["eve", 5],
        ["eve", null],
        ["eve", ""],
        ["eve", "a\nb"],
        ["eve", { id: "ben" }],
        ["eve", true],
        ["eve", EARLIER],
        ["eve", "x".repeat(129)],
      ];
      for (const participantIds of wrong) {
        await denied(create({ participantIds, participantNames: {} }));
      }
      await allowed(create({ participantIds: many, participantNames: {} }));
      await rules.restore();
    });

    test("names its people, and nobody else", async () => {
      const wrong = [
        { eve: "Eve", ana: "Ana" },
        { eve: 5 },
        { eve: "" },
        { eve: "x".repeat(201) },
        { eve: null, zoe: "Zoe" },
        { eve: { first: "Eve" } },
        ["Eve", "Zoe"],
        "Eve",
        null,
      ];
      for (const participantNames of wrong) await denied(create({ participantNames }));
      await allowed(create({ participantNames: { zoe: "Zoë" } }));
      await rules.restore();
    });

    test("has an id of at most 64 letters, digits, _ and -", async () => {
      for (const id of ["x".repeat(65), "a.b", "a b", "שיחה"]) {
        await denied(setDoc(at("eve", `conversations/${id}`), newConversation("eve")));
      }
    });

    test("does not replace another's", async () => {
      await denied(setDoc(at("eve", "conversations/c1"), newConversation("eve")));
      await denied(setDoc(at("ana", "conversations/c1"), newConversation("ana")));
    });
  });

  describe("a conversation", () => {
    beforeEach(() => rules.seed(DOCUMENTS));
    const change = (who, fields) => updateDoc(at(who, "conversations/c1"), fields);
    const path = "conversations/c1";

    test("takes a name of 1 to 200 characters", async () => {
      for (const name of ["", "x".repeat(201), 1, null, deleteField()]) {
        await denied(change("ana", { name }));
      }
    });

    test("keeps what the server counts and what it was made as", async () => {
      const wrong = [
        { messageCount: 99 },
        { encryptedCount: 1 },
        { lastMessageAt: serverTimestamp() },
        { createdAt: serverTimestamp() },
        { createdBy: "ben" },
        { type: "direct" },
        { source: "slack" },
        { schemaVersion: 2 },
        { name: "Launch!", messageCount: 2 },
        { messageCount: deleteField() },
      ];
      for (const fields of wrong) await denied(change("ben", fields));
      await denied(setDoc(at("ben", path), LEAST));
    });

    test("takes new people from those who are in it", async () => {
      await denied(change("eve", { participantIds: arrayUnion("eve") }));
      await denied(change("admin", { participantIds: arrayUnion("admin") }));
      await denied(change("signedOut", { participantIds: arrayUnion("eve") }));
      await allowed(
        change("ben", { participantIds: arrayUnion("eve"), "participantNames.eve": "Eve" }),
      );
      assert.equal((await allowed(getDoc(at("eve", path)))).data().participantNames.eve, "Eve");
    });

    test("takes nobody twice, nobody nameless in shape, nobody in another's place", async () => {
      const wrong = [
        { participantIds: [...BOTH, "ana"] },
        { participantIds: [...BOTH, 7] },
        { participantIds: ["eve", ...BOTH] },
        { participantIds: ["ben", "ana", "eve"] },
        { participantIds: ["ana", "eve", "zoe"] },
        { participantIds: { 0: "ana", 1: "ben", 2: "eve" } },
        { participantIds: [...BOTH, "eve"], "participantNames.eve": 7 },
        { participantIds: [...BOTH, "eve"], "participantNames.ana": "Not Ana" },
        { participantIds: [...BOTH, "eve"], "participantNames.zoe": "Zoe" },
        { participantIds: [...BOTH, "eve"], participantNames: { eve: "Eve" } },
        { participantIds: [...BOTH, "eve"], name: "Ours" },
        { participantIds: [...BOTH, "eve"], messageCount: 0 },
      ];
      for (const fields of wrong) await denied(change("ben", fields));
    });

    test("lets nobody be renamed or put out by another", async () => {
      const wrong = [
        { "participantNames.ana": "Not Ana" },
        { "participantNames.ben": "Benjamin" },
        { "participantNames.ana": deleteField() },
        { participantIds: arrayRemove("ana") },
        { participantIds: arrayRemove("ana"), "participantNames.ana": deleteField() },
        { participantIds: [], participantNames: {} },
        { participantIds: deleteField() },
        { participantIds: "ben" },
      ];
      for (const fields of wrong) await denied(change("ben", fields));
    });

    test("is left by oneself, with one's own name and no other", async () => {
      const gone = arrayRemove("ben");
      const wrong = [
        { participantIds: gone },
        { "participantNames.ben": deleteField() },
        { participantIds: gone, participantNames: {} },
        { participantIds: gone, participantNames: { ana: "Not Ana" } },
        { participantIds: gone, "participantNames.ben": "Ghost" },
        { participantIds: gone, "participantNames.ben": deleteField(), name: "Bye" },
        { participantIds: ["eve"], "participantNames.ben": deleteField() },
      ];
      for (const fields of wrong) await denied(change("ben", fields));
      await allowed(
        change("ben", { participantIds: gone, "participantNames.ben": deleteField() }),
      );
      await denied(getDoc(at("ben", path)));
      await denied(change("ben", { participantIds: arrayUnion("ben") }));
      const { participantIds, participantNames } = await rules.read(path);
      assert.deepEqual([participantIds, participantNames], [["ana"], { ana: "Ana" }]);
    });

    test("that is not there looks like one of others", async () => {
      await denied(getDoc(at("ana", "conversations/none")));
      await denied(getDoc(at("ana", "conversations/bens")));
    });
  });

  describe("a new message", () => {
    beforeEach(() => rules.seed(DOCUMENTS));
    const send = (who, changes) => setDoc(at(who, "messages/new"), newMessage(who, changes));

    test("has every field and no other", async () => {
      for (const field of Object.keys(newMessage("ben"))) {
        await denied(setDoc(at("ben", "messages/new"), without(newMessage("ben"), field)));
      }
      const extras = [
        { priority: "urgent" },
        { priorityConfidence: 1 },
        { prioritySource: "user" },
        { editedAt: serverTimestamp() },
        { indexed: true },
      ];
      for (const extra of extras) await denied(send("ben", extra));
    });

    test("is sent under one's own id and name", async () => {
      await denied(send("ben", { senderId: "ana" }));
      await denied(send("ben", { senderId: "ana", senderName: "Ana" }));
      await denied(send("ben", { senderName: "Ana" }));
      await denied(send("ben", { senderName: "" }));
      await denied(send("ben", { senderName: null }));
    });

    test("goes to everyone in the conversation, and to nobody else", async () => {
      const wrong = [["ben"], ["ben", "ana"], [...BOTH, "eve"], [], "ben", null, { ben: true }];
      for (const participantIds of wrong) await denied(send("ben", { participantIds }));
    });

    test("goes to a conversation one is in, whatever it claims", async () => {
      await denied(send("eve", { participantIds: [...BOTH, "eve"] }));
      await denied(send("eve", { participantIds: ["eve"] }));
      await denied(send("ana", { conversationId: "bens", participantIds: ["ana"] }));
      await denied(send("ana", { conversationId: "bens", participantIds: ["ben"] }));
      await denied(send("ana", { conversationId: "none", participantIds: ["ana"] }));
    });

    test("names its conversation by a plain id", async () => {
      const wrong = ["", "c1/x/y", "../conversations/c1", "/c1", 1, null, ["c1"], "x".repeat(129)];
      for (const conversationId of wrong) await denied(send("ben", { conversationId }));
    });

    test("has 1 to 32,000 characters of text, the server's time and a plain encrypted", async () => {
      const wrong = [
        { content: "" },
        { content: "x".repeat(32_001) },
        { content: "x".repeat(1_000_000) },
        { content: { text: "x" } },
        { content: ["x"] },
        { content: 1 },
        { content: null },
        { timestamp: EARLIER },
        { timestamp: Timestamp.fromMillis(4_000_000_000_000) },
        { timestamp: "now" },
        { timestamp: null },
        { encrypted: "false" },
        { encrypted: 0 },
        { encrypted: null },
        { schemaVersion: 0 },
        { schemaVersion: "1" },
      ];
      for (const changes of wrong) await denied(send("ben", changes));
      await allowed(send("ben", { content: "ש".repeat(32_000), encrypted: true }));
    });

    test("has an id of at most 64 letters, digits, _ and -", async () => {
      for (const id of ["x".repeat(65), "a.b", "a b"]) {
        await denied(setDoc(at("ben", `messages/${id}`), newMessage("ben")));
      }
    });

    test("may come with the conversation that it opens, and not with leaving one", async () => {
      const opening = writeBatch(rules.as("eve"));
      opening.set(at("eve", "conversations/eves"), newConversation("eve"));
      const sent = { conversationId: "eves", participantIds: ["eve", "zoe"], senderName: "Me" };
      opening.set(at("eve", "messages/hello"), newMessage("eve", sent));
      await allowed(opening.commit());

      const leaving = writeBatch(rules.as("ben"));
      leaving.update(at("ben", "conversations/c1"), {
        participantIds: arrayRemove("ben"),
        "participantNames.ben": deleteField(),
      });
      leaving.set(at("ben", "messages/bye"), newMessage("ben"));
      await denied(leaving.commit());
    });

    test("goes to those who come in the same batch, too", async () => {
      const adding = (participantIds) => {
        const batch = writeBatch(rules.as("ben"));
        batch.update(at("ben", "conversations/c1"), { participantIds: arrayUnion("eve") });
        batch.set(at("ben", "messages/new"), newMessage("ben", { participantIds }));
        return batch.commit();
      };
      await denied(adding(BOTH));
      await allowed(adding([...BOTH, "eve"]));
    });
  });

  describe("a message", () => {
    beforeEach(() => rules.seed(DOCUMENTS));
    const edit = (who, fields) =>
      updateDoc(at(who, "messages/m1"), { editedAt: serverTimestamp(), ...fields });

    test("takes a new text from its sender, with the server's time", async () => {
      const wrong = [
        { content: "" },
        { content: "x".repeat(32_001) },
        { content: null },
        { content: deleteField() },
        { content: "Earlier", editedAt: EARLIER },
        { content: "Unmarked", editedAt: deleteField() },
      ];
      for (const fields of wrong) await denied(edit("ana", fields));
      await denied(updateDoc(at("ana", "messages/m1"), { content: "Unmarked" }));
    });

    test("keeps who sent it, to whom, when, and what the server found", async () => {
      const wrong = [
        { senderId: "ben" },
        { senderName: "Ben" },
        { conversationId: "bens" },
        { participantIds: [...BOTH, "eve"] },
        { timestamp: serverTimestamp() },
        { encrypted: true },
        { priority: "low" },
        { priority: deleteField() },
        { schemaVersion: 2 },
      ];
      for (const fields of wrong) await denied(edit("ana", { content: "New", ...fields }));
      await denied(setDoc(at("ana", "messages/m1"), newMessage("ana")));
    });

    test("is out of its sender's hands once they have left", async () => {
      const theirs = at("eve", "messages/left");
      await denied(getDoc(theirs));
      await denied(updateDoc(theirs, { content: "New", editedAt: serverTimestamp() }));
      await denied(deleteDoc(theirs));
    });
  });
}
