// Made of functions/rollcall/core/guarded_files.json by `make format`; do not edit.

export const GUARDED_FILES = {
  "secretExceptions": [
    "*.example",
    "*.sample",
    "*.template",
    "*.dist",
    "*.pub"
  ],
  "files": [
    {
      "reason": "version control keeps it, and its program obeys it",
      "kind": "repository",
      "paths": [
        ".git/",
        ".hg/",
        ".svn/",
        ".jj/",
        ".bzr/"
      ]
    },
    {
      "reason": "the terminal client keeps its own data there",
      "kind": "repository",
      "paths": [
        ".rollcall/"
      ]
    },
    {
      "reason": "it may hold keys or passwords",
      "kind": "secret",
      "paths": [
        ".ssh/",
        ".aws/",
        ".azure/",
        ".gnupg/",
        ".kube/",
        ".docker/",
        ".gcloud/",
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
        "application_default_credentials.json"
      ]
    },
    {
      "reason": "with it a folder becomes a git repository, whose configuration git obeys",
      "kind": "startup",
      "paths": [
        "HEAD",
        "commondir",
        "gitdir"
      ]
    },
    {
      "reason": "git runs what it says",
      "kind": "startup",
      "paths": [
        ".gitconfig",
        ".gitmodules",
        ".githooks/",
        ".husky/",
        ".config/git/",
        ".hgrc"
      ]
    },
    {
      "reason": "a shell runs it when it starts",
      "kind": "startup",
      "paths": [
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
        ".tmux.conf",
        ".screenrc",
        ".config/fish/",
        ".direnv/",
        ".config/direnv/",
        "mise.toml",
        ".mise.toml",
        ".config/mise/"
      ]
    },
    {
      "reason": "it runs when a session starts",
      "kind": "startup",
      "paths": [
        ".config/autostart/",
        ".config/systemd/",
        "Library/LaunchAgents/"
      ]
    },
    {
      "reason": "a program there takes the place of another of its name",
      "kind": "startup",
      "paths": [
        ".local/bin/",
        ".cargo/bin/",
        "node_modules/.bin/"
      ]
    },
    {
      "reason": "an editor runs what it says when the folder is opened",
      "kind": "startup",
      "paths": [
        ".vscode/",
        ".idea/",
        ".zed/",
        ".fleet/",
        ".devcontainer/",
        ".vim/",
        ".nvim/",
        ".emacs.d/",
        ".config/nvim/",
        ".vimrc",
        ".gvimrc",
        ".exrc",
        ".nvimrc",
        ".nvim.lua",
        ".emacs",
        ".dir-locals.el",
        "*.code-work*"
      ]
    },
    {
      "reason": "a coding agent starts what it says",
      "kind": "startup",
      "paths": [
        ".mcp.json",
        "mcp.json",
        ".claude/",
        ".cursor/",
        ".codex/",
        ".gemini/",
        ".kiro/",
        ".roo/",
        ".continue/",
        ".windsurf/"
      ]
    },
    {
      "reason": "a debugger runs it when it starts",
      "kind": "startup",
      "paths": [
        ".gdbinit",
        ".lldbinit",
        ".pdbrc"
      ]
    },
    {
      "reason": "Python runs it whenever it starts",
      "kind": "startup",
      "paths": [
        "sitecustomize.py",
        "usercustomize.py",
        "*.pth",
        ".pythonrc",
        ".pythonstartup",
        "pyvenv.cfg"
      ]
    },
    {
      "reason": "an interpreter or a package manager runs what it says when it starts",
      "kind": "startup",
      "paths": [
        ".Rprofile",
        ".Renviron",
        ".julia/config/startup.jl",
        ".irbrc",
        ".pryrc",
        ".rspec",
        "bunfig.toml",
        ".yarnrc",
        ".yarnrc.yml",
        ".pnpmfile.cjs",
        ".cargo/config",
        ".cargo/config.toml",
        ".terraformrc",
        ".curlrc",
        ".wgetrc"
      ]
    },
    {
      "reason": "a test runner or a linter runs it",
      "kind": "project",
      "paths": [
        "conftest.py",
        "pytest.ini",
        "tox.ini",
        "noxfile.py",
        "*.config.js",
        "*.config.cjs",
        "*.config.mjs",
        "*.config.ts",
        "*.config.mts",
        "*.config.cts"
      ]
    },
    {
      "reason": "an install, a build or a test run obeys it",
      "kind": "project",
      "paths": [
        "setup.py",
        "setup.cfg",
        "pyproject.toml"
      ]
    },
    {
      "reason": "a package manager or a linter runs what it says",
      "kind": "project",
      "paths": [
        "package.json",
        "composer.json",
        "Gemfile",
        "mix.exs",
        ".eslintrc.js",
        ".eslintrc.cjs",
        ".babelrc.js",
        ".babelrc.cjs",
        ".prettierrc.js",
        ".prettierrc.cjs",
        ".mocharc.js",
        ".mocharc.cjs",
        "gulpfile.js",
        "Gruntfile.js"
      ]
    },
    {
      "reason": "a build runs what it says",
      "kind": "project",
      "paths": [
        "Makefile",
        "GNUmakefile",
        "*.mk",
        "CMakeLists.txt",
        "meson.build",
        "build.ninja",
        "SConstruct",
        "wscript",
        "justfile",
        "Taskfile.yml",
        "Taskfile.yaml",
        "Rakefile",
        "BUILD",
        "BUILD.bazel",
        "WORKSPACE",
        "Jenkinsfile",
        "build.rs",
        "Cargo.toml",
        "build.gradle",
        "build.gradle.kts",
        "settings.gradle",
        "settings.gradle.kts",
        "gradlew",
        "mvnw",
        "pom.xml"
      ]
    },
    {
      "reason": "a build service runs what it says after a push",
      "kind": "project",
      "paths": [
        ".github/workflows/",
        ".github/actions/",
        ".gitlab-ci.yml",
        ".circleci/",
        ".travis.yml",
        "azure-pipelines.yml",
        "bitbucket-pipelines.yml"
      ]
    },
    {
      "reason": "a container or a virtual machine is built and run by it",
      "kind": "project",
      "paths": [
        "Dockerfile",
        "Dockerfile.*",
        "*.dockerfile",
        "Containerfile",
        "docker-compose*.yml",
        "docker-compose*.yaml",
        "compose.yml",
        "compose.yaml",
        "Vagrantfile",
        "Procfile"
      ]
    },
    {
      "reason": "git or a commit hook obeys it",
      "kind": "project",
      "paths": [
        ".gitattributes",
        ".pre-commit-config.yaml",
        "lefthook.yml",
        ".lefthook.yml",
        ".lintstagedrc*"
      ]
    },
    {
      "reason": "a deployment runs the commands that it names",
      "kind": "project",
      "paths": [
        "firebase.json"
      ]
    },
    {
      "reason": "coding agents follow what it says",
      "kind": "project",
      "paths": [
        "AGENTS.md",
        "CLAUDE.md",
        "GEMINI.md",
        ".cursorrules",
        ".windsurfrules",
        ".github/copilot-instructions.md",
        ".aider.conf.yml"
      ]
    }
  ]
};
