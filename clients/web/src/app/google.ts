/** What signing in with Google needs. It brings Google's own scripts along, so it is loaded then. */

export { browserPopupRedirectResolver, GoogleAuthProvider, signInWithPopup } from "firebase/auth";
