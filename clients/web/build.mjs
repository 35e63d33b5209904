// Builds the web app into dist/: node clients/web/build.mjs
//
// Names of scripts and styles carry a hash of their content, so that Hosting may have them kept for
// ever; index.html names the newest.

import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

import * as esbuild from "./esbuild.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const DIST = here("dist");

/** `import css from "a.css?text"`: a view's styles as a text in its script. */
const styleTexts = {
  name: "style-texts",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.css\?text$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace(/\?text$/, "")),
      namespace: "style-text",
    }));
    onLoad({ filter: /\.css$/, namespace: "style-text" }, async ({ path }) => {
      const { code } = await esbuild.transform(await readFile(path, "utf8"), { loader: "css", minify: true });
      return { contents: code, loader: "text" };
    });
  },
};

const { metafile } = await esbuild.build({
  absWorkingDir: here("."),
  entryPoints: { main: "src/main.tsx" },
  alias: { "@rollcall/client": here("../js/src/index.js") },
  plugins: [styleTexts],
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: true,
  legalComments: "none",
  entryNames: "[name]-[hash]",
  chunkNames: "chunk-[hash]",
  outdir: DIST,
  metafile: true,
  write: false,
}).then(async (result) => {
  await rm(DIST, { recursive: true, force: true });
  await mkdir(DIST, { recursive: true });
  for (const file of result.outputFiles) await writeFile(file.path, file.contents);
  return result;
});

// The elements, for pages that have a Firebase of their own: one copy of it serves both.
const styles = Object.keys(metafile.outputs).find((path) => path.endsWith(".css"));
await esbuild.build({
  absWorkingDir: here("."),
  entryPoints: { rollcall: "src/elements/index.ts" },
  alias: { "@rollcall/client": here("../js/src/index.js") },
  plugins: [styleTexts],
  external: ["firebase/*"],
  define: { ROLLCALL_STYLES: JSON.stringify(await readFile(here(styles), "utf8")) },
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: true,
  legalComments: "none",
  chunkNames: "chunk-[hash]",
  outdir: `${DIST}/elements`,
});

const outputs = Object.keys(metafile.outputs).map((path) => basename(path));
const hashed = (name) => {
  const [stem, extension] = name.split(".");
  return outputs.find((each) => each.startsWith(`${stem}-`) && each.endsWith(`.${extension}`));
};
// What the entry imports at once is fetched beside it, and not after it was read.
const main = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint === "src/main.tsx");
const preloads = main.imports
  .filter(({ kind }) => kind === "import-statement")
  .map(({ path }) => `<link rel="modulepreload" href="/${basename(path)}" />`);
const page = await readFile(here("index.html"), "utf8");
await writeFile(
  `${DIST}/index.html`,
  page
    .replace(/\{\{(.+?)\}\}/g, (_, name) => hashed(name) ?? fail(`nothing was built as ${name}`))
    .replace("  </head>", [...preloads.map((each) => `    ${each}\n`), "  </head>"].join("")),
);
for (const name of ["icon.svg", "rollcall.json", "voice_input.js"]) await cp(here(name), `${DIST}/${name}`);
await cp(here("voice_input.js"), `${DIST}/elements/voice_input.js`);
await cp(here("elements.d.ts"), `${DIST}/elements/rollcall.d.ts`);
// What is loaded when, and what it is made of; not served, but read by the tests of sizes.
await writeFile(here("built.json"), JSON.stringify(sizes()));

/** The scripts that each entry loads at once, and those that come later, with their packages. */
function sizes() {
  return Object.fromEntries(
    Object.entries(metafile.outputs).map(([path, { imports, inputs, entryPoint }]) => [
      basename(path),
      {
        entryPoint,
        imports: imports.map(({ kind, path: to }) => ({ kind, file: basename(to) })),
        inputs: Object.fromEntries(Object.entries(inputs).map(([at, { bytesInOutput }]) => [at, bytesInOutput])),
      },
    ]),
  );
}

function fail(message) {
  throw new Error(message);
}
