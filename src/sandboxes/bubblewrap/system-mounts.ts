import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isInAny } from '../../files/index.ts';

/** Folders that contain the machine's programs. They are readable in every sandbox. */
export const systemFolders = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'],
  ...['/nix/store', '/gnu/store'],
];

// The parts of /etc that programs need to work. They reveal nothing about this machine's users, keys or
// hosts.
const always = /^(?:alternatives|ld\.so\.cache|localtime|os-release|fonts|texmf|java[-\d].*|ImageMagick-.*)$/;
const withNetwork = [
  ...['ssl/certs', 'ssl/openssl.cnf', 'ca-certificates', 'crypto-policies', 'services', 'protocols'],
  ...['pki/ca-trust', 'pki/tls/certs', 'pki/tls/cert.pem', 'pki/tls/openssl.cnf'],
];

let system: readonly string[] | undefined;

/**
 * Returns arguments that mount the system folders read-only and recreate the machine's links. Computed once.
 */
export function systemMounts(hasNetwork: boolean): readonly string[] {
  system ??= [...systemFolders, ...settings(readdirSync('/etc').filter((name) => always.test(name)))].flatMap(
    show,
  );
  return hasNetwork ? [...system, ...settings(withNetwork).flatMap(show)] : system;
}

function settings(names: readonly string[]): readonly string[] {
  return names.map((name) => join('/etc', name));
}

/** Arguments that let a sandbox on the host's network resolve names as the host does. */
export const hostNames = ['/etc/resolv.conf', '/etc/hosts'].flatMap((path) => ['--ro-bind-try', path, path]);

/**
 * Builds arguments that mount this process's Node and its npm. The folder around them is not mounted, because
 * it can be a home folder.
 */
export function buildNodeMounts(shown: readonly string[]): readonly string[] {
  const program = process.execPath;
  if (isInAny([...systemFolders, ...shown], program)) return [];
  const folder = dirname(program);
  const packages = join(dirname(folder), 'lib', 'node_modules');
  const links = ['npm', 'npx', 'corepack'].flatMap((name) => {
    const link = linkAt(join(folder, name));
    return link === undefined ? [] : ['--symlink', link, join(folder, name)];
  });
  return ['--ro-bind', program, program, '--ro-bind-try', packages, packages, ...links];
}

function show(path: string): readonly string[] {
  const link = linkAt(path);
  if (link !== undefined) return ['--symlink', link, path];
  return existsSync(path) ? ['--ro-bind', path, path] : [];
}

function linkAt(path: string): string | undefined {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink ? readlinkSync(path) : undefined;
}
