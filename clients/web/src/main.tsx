/** The page's entry point: reads the deployment, and renders the app. */

import { render } from "preact";

import { App } from "./app/app.js";
import { followTheme } from "./app/theme.js";
import { readDeployment } from "./firebase/configuration.js";
import { Connection } from "./firebase/connection.js";
import { followLocale, text } from "./text/locale.js";
import "../styles/app.css";

followLocale();
followTheme();
const root = document.getElementById("app") as HTMLElement;

try {
  const connection = new Connection(await readDeployment());
  await connection.attest();
  render(<App connection={connection} />, root);
} catch (error) {
  root.textContent = text("app.broken", { reason: String(error) });
}
