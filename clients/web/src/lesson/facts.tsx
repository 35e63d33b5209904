/** The facts that tutors stored about a pupil: the pupil shares and deletes them, teachers read them. */

import { deleteDoc, updateDoc } from "firebase/firestore";

import { Icon } from "../app/icon.js";
import type { Connection } from "../firebase/connection.js";
import { toastRefusal } from "../school/refusal.js";
import { LoadableList } from "./loadable_list.js";
import { document, type Fact, factsOf, useDocuments } from "./documents.js";
import { say, sayOf } from "./texts.js";

/** The pupil's own facts. */
export function OwnFacts({ connection }: { connection: Connection }) {
  const { uid } = connection;
  const facts = useDocuments<Fact>(connection, `facts ${uid}`, factsOf(uid)).value;
  const change = async (id: string, fields?: { shared: boolean }) => {
    try {
      const fact = document("profiles", uid, "facts", id)((await connection.store()).db);
      await (fields ? updateDoc(fact, fields) : deleteDoc(fact));
    } catch (error) {
      toastRefusal(error);
    }
  };
  return (
    <section>
      <h2>{say("facts.title")}</h2>
      <p class="quiet">{say("facts.note")}</p>
      <LoadableList found={facts} empty={say("facts.empty")}>
        {(found) => (
          <ul class="lesson-list facts">
            {found.map(({ id, category, fact, shared }) => (
              <li key={id} class="fact">
                <div class="grow">
                  <span>
                    <bdi>{fact}</bdi>
                  </span>
                  <span class="quiet">{sayOf(`fact.${category}`)}</span>
                </div>
                <label class="tool-switch">
                  <input
                    type="checkbox"
                    role="switch"
                    checked={shared}
                    onChange={({ currentTarget }) => void change(id, { shared: currentTarget.checked })}
                  />
                  {say("facts.share")}
                  <span class="visually-hidden">: {fact}</span>
                </label>
                <button class="icon-button small" onClick={() => void change(id)}>
                  <Icon name="close" />
                  <span class="visually-hidden">{say("facts.remove", { fact })}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </LoadableList>
    </section>
  );
}

/** The facts that a pupil shares with this teacher. */
export function SharedFacts({ connection, pupil }: { connection: Connection; pupil: string }) {
  const facts = useDocuments<Fact>(connection, `facts ${pupil}`, factsOf(pupil, connection.uid)).value.value;
  if (!facts?.length) return null;
  return (
    <section>
      <h4>{say("facts.shared")}</h4>
      <ul>
        {facts.map(({ id, category, fact }) => (
          <li key={id}>
            <span class="quiet">{sayOf(`fact.${category}`)}:</span> <bdi>{fact}</bdi>
          </li>
        ))}
      </ul>
    </section>
  );
}
