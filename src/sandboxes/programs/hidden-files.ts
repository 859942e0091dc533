import { lstatSync, type Dirent } from 'node:fs';
import { childOf } from '../../files/index.ts';

/** Paths in mounted program folders that a sandbox must not show. */
export interface HiddenPaths {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/**
 * Returns the entries of a program folder that look like credentials or settings: dot files, keys, tokens
 * and the configuration of package managers. Programs are never hidden, whatever their names. Does not look
 * inside subfolders.
 */
export function findHidden(folder: string, entries: readonly Dirent[]): HiddenPaths {
  const hidden = entries.filter((entry) => isHidden(folder, entry));
  const paths = (some: readonly Dirent[]): readonly string[] => some.map(({ name }) => childOf(folder, name));
  return {
    files: paths(hidden.filter((entry) => !entry.isDirectory())),
    folders: paths(hidden.filter((entry) => entry.isDirectory())),
  };
}

function isHidden(folder: string, entry: Dirent): boolean {
  const { name } = entry;
  // The target of a link is visible only if it is in a mounted folder.
  if (entry.isSymbolicLink()) return false;
  if (entry.isSocket()) return true;
  if (name.startsWith('.')) return !harmless.has(name);
  if (entry.isDirectory()) return secretFolders.test(name);
  if (surelySecret.test(name)) return true;
  return secretFiles.test(name) && !certificates.test(name) && !isProgram(childOf(folder, name));
}

const harmless = new Set([
  ...['.bin', '.pnpm', '.store', '.tools', '.package-lock.json'], // Entries that package managers create.
  ...['.gitignore', '.gitattributes', '.gitkeep', '.keep', '.lock', '.mailmap', '.github'],
  ...[
    '.agignore',
    '.dockerignore',
    '.npmignore',
    '.editorconfig',
    '.vimrc',
    '.rspec',
    '.simplecov',
    '.travis.yml',
  ],
]);
const secretFolders = /^(?:conda-meta|pkgs|credentials?|secrets?|tokens?|private)$/i;
const surelySecret =
  /^credentials?(?:\.(?:json|toml|ya?ml|ini|db|csv|xml))?$|^id_(?:rsa|dsa|ecdsa|ed25519)$/i;
const secretFiles = new RegExp(
  [
    'credential|token|secret|passw|api[-_]?key|^auth\\.json$|^id_|netrc$|npmrc$|pypirc$',
    '^pip\\.conf$|^pipx_metadata\\.json$|^uv-receipt\\.toml$|history$',
    '\\.(?:pem|key|p12|pfx|jks|keystore|kdbx?|ppk|gpg|asc|ovpn)$',
  ].join('|'),
  'i',
);
const certificates = /^(?:ca-?)?(?:certs?|bundle)[-\w]*\.pem$/i; // Public ones, which programs need for TLS.

function isProgram(path: string): boolean {
  return ((lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o111) !== 0;
}
