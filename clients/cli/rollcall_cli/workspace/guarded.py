"""Files inside the root that are still not for a model: secrets, and what runs by itself."""

from __future__ import annotations

import re
from collections.abc import Collection
from fnmatch import translate

from rollcall_cli.workspace.errors import ToolError
from rollcall_cli.workspace.limits import Permission
from rollcall_cli.workspace.names import folded

VERSION_CONTROL = frozenset((".git", ".hg", ".svn", ".jj", ".bzr"))
_OWN = frozenset((".rollcall",))

_SECRET_FOLDERS = frozenset((".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".gcloud"))
_SECRET_NAMES = (
    ".env",
    ".env.*",
    "*.env",
    ".envrc",
    ".secret.local",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".htpasswd",
    ".git-credentials",
    ".dockercfg",
    ".dockerconfigjson",
    ".vault-token",
    ".boto",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "*.pem",
    "*.key",
    "*.ppk",
    "*.p8",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.tfstate",
    "*.tfvars",
    "credentials.json",
    "client_secret*.json",
    "secrets.json",
    "secrets.toml",
    "secrets.yaml",
    "secrets.yml",
    "*service-account*.json",
    "*service_account*.json",
    "*serviceaccount*.json",
    "*firebase-adminsdk*.json",
    "application_default_credentials.json",
)
_NO_SECRETS = ("*.example", "*.sample", "*.template", "*.dist", "*.pub")
_SECRET, _NO_SECRET = (
    re.compile("|".join(map(translate, names))) for names in (_SECRET_NAMES, _NO_SECRETS)
)

_STARTUP_FOLDERS = frozenset(
    (
        ".vscode",
        ".idea",
        ".zed",
        ".cursor",
        ".claude",
        ".vim",
        ".nvim",
        ".emacs.d",
        ".husky",
        ".githooks",
        ".devcontainer",
        ".direnv",
    )
)
_STARTUP_NAMES = frozenset(
    (
        ".bashrc",
        ".bash_profile",
        ".bash_login",
        ".bash_logout",
        ".bash_aliases",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
        ".zlogin",
        ".zlogout",
        ".cshrc",
        ".tcshrc",
        ".kshrc",
        ".inputrc",
        ".xinitrc",
        ".xprofile",
        ".gitconfig",
        ".gitmodules",
        ".envrc",
        ".mise.toml",
        "mise.toml",
        ".vimrc",
        ".gvimrc",
        ".exrc",
        ".nvimrc",
        ".nvim.lua",
        ".emacs",
        ".dir-locals.el",
        ".gdbinit",
        ".lldbinit",
        ".pdbrc",
        ".pythonrc",
        ".tmux.conf",
        ".screenrc",
        "sitecustomize.py",
        "usercustomize.py",
    )
)
_STARTUP_ENDS = (".pth", ".code-workspace")
_STARTUP_PATHS = tuple(
    (".config", name) for name in ("autostart", "systemd", "fish", "nvim", "git", "mise", "direnv")
)


class Guard:
    """Says which paths are refused although they are inside the root."""

    def __init__(
        self, allowed: Collection[Permission] = (), own: Collection[tuple[str, ...]] = ()
    ) -> None:
        """Create a guard.

        Args:
            allowed: What the user allows of what is refused otherwise.
            own: Paths of this client's own files and folders, as parts below the root.
        """
        self._allowed = frozenset(allowed)
        self._own = tuple(tuple(folded(part) for part in path) for path in own)

    def check_read(self, path: str, parts: tuple[str, ...]) -> None:
        """Refuse to read what only version control, this client or the user should.

        Raises:
            ToolError: The path is one of these.
        """
        if reason := self.unreadable(parts):
            raise ToolError(f"{path}: {reason}")

    def check_write(self, path: str, parts: tuple[str, ...]) -> None:
        """Refuse to write what may not be read, and what would run without being asked for.

        Raises:
            ToolError: The path is one of these.
        """
        if reason := self.unreadable(parts) or self._runs_by_itself(parts):
            raise ToolError(f"{path}: {reason}")

    def unreadable(self, parts: tuple[str, ...]) -> str | None:
        """Why a path is not read, or None."""
        names = tuple(folded(part) for part in parts)
        if any(name in VERSION_CONTROL for name in names):
            return "the files of version control are not touched; use its command, such as git"
        if self._is_own(names):
            return "a file of this client itself"
        if "secrets" not in self._allowed and _is_secret(names):
            return "it may hold secrets; the user can allow this by starting with --allow secrets"
        return None

    def allows_hard_links(self) -> bool:
        return "hard-links" in self._allowed

    def _is_own(self, names: tuple[str, ...]) -> bool:
        if not _OWN.isdisjoint(names):
            return True
        return any(names[: len(own)] == own for own in self._own)

    def _runs_by_itself(self, parts: tuple[str, ...]) -> str | None:
        names = tuple(folded(part) for part in parts)
        starts = (
            names[-1] in _STARTUP_NAMES
            or names[-1].endswith(_STARTUP_ENDS)
            or not _STARTUP_FOLDERS.isdisjoint(names)
            or any(names[: len(path)] == path for path in _STARTUP_PATHS)
        )
        if not starts or "startup-files" in self._allowed:
            return None
        return (
            "it runs by itself when a shell, git, Python or an editor starts; "
            "the user can allow this by starting with --allow startup-files"
        )


def _is_secret(names: tuple[str, ...]) -> bool:
    if not _SECRET_FOLDERS.isdisjoint(names):
        return True
    name = names[-1] if names else ""
    return bool(_SECRET.match(name)) and not _NO_SECRET.match(name)
