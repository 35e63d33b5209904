/** Sign-in with Google. Loaded on use, because it loads Google's scripts. */

export { browserPopupRedirectResolver, GoogleAuthProvider, signInWithPopup } from "firebase/auth";
