// Your app's Firebase. These three are what the elements are given.

import { initializeApp } from "firebase/app";
import { getAuth } from "firebase/auth";
import { getFirestore } from "firebase/firestore";
import { getFunctions } from "firebase/functions";

const app = initializeApp({
  apiKey: "your-key",
  projectId: "your-project",
  appId: "your-app",
});

export const auth = getAuth(app);
export const firestore = getFirestore(app);
export const functions = getFunctions(app, "us-central1");
