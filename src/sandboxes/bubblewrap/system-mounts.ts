import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isInAny } from '../../files/index.ts';

/** The folders that contain the machine's programs. They are readable in every sandbox. */
export const systemFolders = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'],
  ...['/nix/store', '/gnu/store'],
];

// The files and folders in /etc that programs need. They contain nothing about the users, keys or hosts of
// this machine.
const always = new RegExp(
  `^(?:${[
    'alternatives|ld\\.so\\.cache|localtime|os-release|fonts|texmf|java[-\\d].*|ImageMagick-.*',
    'chromium\\.d|libreoffice|ghostscript',
  ].join('|')})$`,
);
const withNetwork = [
  ...['ssl/certs', 'ssl/openssl.cnf', 'ca-certificates', 'crypto-policies', 'services', 'protocols'],
  ...['pki/ca-trust', 'pki/tls/certs', 'pki/tls/cert.pem', 'pki/tls/openssl.cnf'],
];

let system: readonly string[] | undefined;

/**
 * Returns the arguments that mount the system folders read-only and recreate links such as `/bin`. Reads the
 * machine's folders only once.
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

/** The arguments that make host names resolve in a sandbox as they do on the host. */
export const hostNames = ['/etc/resolv.conf', '/etc/hosts'].flatMap((path) => ['--ro-bind-try', path, path]);

/**
 * Builds the arguments that mount the Node program of this process and its npm. They do not mount the whole
 * Node installation, because its folder can be a home folder. `shown` lists the paths of other mounts.
 */
export function buildNodeMounts(shown: readonly string[]): readonly string[] {
  const program = process.execPath;
  const isShown = (path: string): boolean => isInAny([...systemFolders, ...shown], path);
  const folder = dirname(program);
  const packages = join(dirname(folder), 'lib', 'node_modules');
  const npm = isShown(packages) ? [] : ['--ro-bind-try', packages, packages];
  if (isShown(program)) return isInAny(systemFolders, program) ? [] : npm;
  const links = ['npm', 'npx', 'corepack'].flatMap((name) => {
    const link = linkAt(join(folder, name));
    return link === undefined ? [] : ['--symlink', link, join(folder, name)];
  });
  return ['--ro-bind', program, program, ...npm, ...links];
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
