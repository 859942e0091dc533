import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { tree, type Tree } from './tree.ts';

/** A text in each planted file. No sandbox may show it. */
export const plantedText = 'canary-home-7d30e1';

/** Files with credentials, in the home folder and in its toolchains. */
export const plantedFiles: readonly string[] = [
  ...['.aws/credentials', '.netrc', '.npmrc', '.profile', '.ssh/id_ed25519', '.config/gcloud/credentials.db'],
  ...['.cargo/credentials.toml', '.cargo/bin/.env', '.cargo/bin/token.json', '.rustup/.token'],
  ...[
    '.pyenv/.git/config',
    '.pyenv/credentials',
    '.pyenv/versions/3.9.9/.env',
    '.pyenv/versions/3.9.9/pip.conf',
  ],
  ...['.nvm/versions/node/v20.0.0/etc/npmrc', '.nvm/versions/node/v20.0.0/id_rsa', '.local/share/notes.txt'],
  ...['.local/bin/server.pem', 'bin/.secret', 'documents/letter.txt'],
];

/** A home folder with programs as their installers leave them, and planted credentials. */
export interface ProgramHome extends Tree {
  /** A `PATH` with the folders that the installers add. */
  readonly searchPath: string;
}

/**
 * Creates the home folder: pyenv with shims, nvm, cargo, pipx and scripts of the user. The programs are scripts
 * that run those of the system.
 */
export function createProgramHome(): ProgramHome {
  const home = tree(Object.fromEntries(plantedFiles.map((path) => [path, `${plantedText}\n`])));
  const program = (path: string, text: string): void =>
    chmodSync(home.write(path, `#!/bin/sh\n${text}\n`), 0o755);
  const link = (path: string, target: string): void => {
    mkdirSync(dirname(home.at(path)), { recursive: true });
    symlinkSync(target, home.at(path));
  };
  program('.pyenv/shims/python3', `exec "${home.path}/.pyenv/libexec/pyenv" exec python3 "$@"`);
  program(
    '.pyenv/libexec/pyenv',
    'shift; tool=$1; shift; exec "$PYENV_ROOT/versions/$(cat "$PYENV_ROOT/version")/bin/$tool" "$@"',
  );
  home.write('.pyenv/version', '3.9.9\n');
  program('.pyenv/versions/3.9.9/bin/python3', 'echo pyenv-python; exec /usr/bin/python3 "$@"');
  program('.nvm/versions/node/v20.0.0/bin/node', `echo nvm-node; exec ${process.execPath} "$@"`);
  program('.cargo/bin/rustup', 'echo "cargo-tool $(cat "$RUSTUP_HOME/settings.toml")"');
  link('.cargo/bin/cargo', 'rustup');
  home.write('.rustup/settings.toml', 'stable');
  program('.local/share/pipx/venvs/tool/bin/tool', 'echo pipx-tool');
  link('.local/bin/tool', home.at('.local/share/pipx/venvs/tool/bin/tool'));
  program('documents/report', 'echo report');
  link('bin/report', home.at('documents/report'));
  program('bin/mine', 'echo mine');
  program('tools/hidden-tool', 'echo never');
  const folders = [
    '.pyenv/shims',
    '.nvm/versions/node/v20.0.0/bin',
    '.cargo/bin',
    '.local/bin',
    'bin',
    'tools',
  ];
  const searchPath = [...folders.map((folder) => home.at(folder)), '/usr/local/bin:/usr/bin:/bin'].join(':');
  return { ...home, searchPath };
}
