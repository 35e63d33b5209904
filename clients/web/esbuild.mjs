// esbuild, whose WebAssembly is compiled quickly and not well: a build is over before better code would pay.

const QUICKLY = "import v8 from 'node:v8'; v8.setFlagsFromString('--liftoff-only')";

// esbuild's own process is the one that inherits this.
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ""} --import=data:text/javascript,${encodeURIComponent(QUICKLY)}`;

export { build, transform } from "esbuild-wasm";
