/** Names inside of a folder that are still not for a model. */

const SECRET_FOLDERS = new Set([".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".gcloud"]);
const SECRET = new RegExp(
  [
    String.raw`^\.env(\..*)?$`,
    String.raw`\.env$`,
    String.raw`^\.(envrc|netrc|npmrc|pypirc|pgpass|htpasswd|git-credentials|boto)$`,
    String.raw`^id_(rsa|dsa|ecdsa|ed25519)`,
    String.raw`\.(pem|key|ppk|p8|p12|pfx|jks|keystore|kdbx|tfstate|tfvars)$`,
    String.raw`^(credentials|application_default_credentials)\.json$`,
    String.raw`^secrets\.(json|toml|ya?ml)$`,
    String.raw`^client_secret.*\.json$`,
    String.raw`service[-_]?account.*\.json$`,
    String.raw`firebase-adminsdk.*\.json$`,
  ].join("|"),
);
const NO_SECRET = /\.(example|sample|template|dist|pub)$/;
const VERSION_CONTROL = new Set([".git", ".hg", ".svn", ".jj"]);
/** What the terminal client keeps in a folder. */
const OWN = ".rollcall";
const STARTUP = new Set([
  ".vscode",
  ".idea",
  ".husky",
  ".githooks",
  ".devcontainer",
  ".bashrc",
  ".bash_profile",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".gitconfig",
  ".gitmodules",
  ".envrc",
]);
const TEMPORARY = /^\.rollcall-[0-9a-f]{16}\.tmp$/;

/**
 * A name as the most forgiving file system compares it.
 * @param {string} name
 */
function folded(name) {
  return name
    .replace(/\p{Cf}/gu, "")
    .normalize("NFKC")
    .toLowerCase();
}

/**
 * Whether a path is known to lead to keys or passwords, or into what version control keeps.
 * @param {string[]} parts
 */
export function isSecret(parts) {
  return parts.map(folded).some((name) => {
    const isFolder = SECRET_FOLDERS.has(name) || VERSION_CONTROL.has(name) || name === OWN;
    return isFolder || (SECRET.test(name) && !NO_SECRET.test(name));
  });
}

/**
 * Whether what is written there runs when a shell, an editor or git does.
 * @param {string[]} parts
 */
export function runsByItself(parts) {
  return parts.map(folded).some((name) => STARTUP.has(name));
}

/** @param {string} digits */
export function temporaryName(digits) {
  return `.rollcall-${digits}.tmp`;
}

/**
 * Whether it is a file of ours that is not written whole.
 * @param {string} name
 */
export function isTemporary(name) {
  return TEMPORARY.test(name);
}
