// Bundles the page of components for tests: node build.mjs FOLDER
import { fileURLToPath } from "node:url";

import * as esbuild from "../../../../clients/web/esbuild.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

await esbuild.build({
  entryPoints: { page: here("page.tsx") },
  alias: { "@rollcall/client": here("../../../../clients/js/src/index.js") },
  bundle: true,
  external: ["firebase/firestore"], // nothing here asks for it
  splitting: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  outdir: process.argv[2],
});
