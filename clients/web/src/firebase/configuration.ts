/** The configuration of a deployment: `rollcall.json`, and the Firebase project from Hosting. */

import type { FirebaseOptions } from "firebase/app";

export type SignInMethod = "password" | "google" | "anonymous";

export interface Configuration {
  /** The app's name. */
  name: string;
  /** The region of the functions. */
  region: string;
  /** The deployment's `ROLLCALL_PREFIX`. */
  prefix: string;
  /** The ways to sign in that the project has enabled. */
  signIn: SignInMethod[];
  /** Of reCAPTCHA Enterprise; empty where App Check is not enforced. */
  appCheckSiteKey: string;
  /** Offered on the emulators alone. */
  sampleUser?: { email: string; password: string };
}

export type Emulators = Record<"auth" | "firestore" | "functions", { host: string; port: number }>;

export interface Deployment {
  configuration: Configuration;
  firebase: FirebaseOptions;
  /** Undefined in production. */
  emulators?: Emulators;
}

/** Read it from the site that the page came from. */
export async function readDeployment(): Promise<Deployment> {
  const [configuration, firebase, emulators] = await Promise.all([
    read(assetUrl("rollcall.json")).then((answer) => answer.json() as Promise<Configuration>),
    read("/__/firebase/init.json").then((answer) => answer.json() as Promise<FirebaseOptions>),
    isLocal() ? readEmulators() : undefined,
  ]);
  return { configuration, firebase, ...(emulators && { emulators }) };
}

/**
 * The emulators that run with the Hosting emulator. It only lists them in a script, which is parsed
 * here and not run.
 */
async function readEmulators(): Promise<Emulators | undefined> {
  const script = await (await read("/__/firebase/init.js?useEmulator=true")).text();
  const told = /var firebaseEmulators = (\{[^]*?\n\});/.exec(script)?.[1];
  return told === undefined ? undefined : (JSON.parse(told) as Emulators);
}

/** The address of a file of the app, which may be in any folder of the site. */
export function assetUrl(name: string): string {
  return new URL(name, import.meta.url).href;
}

async function read(path: string): Promise<Response> {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}`);
  return answer;
}

function isLocal(): boolean {
  return ["127.0.0.1", "localhost", "[::1]"].includes(location.hostname);
}
