import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isInAny } from '../../files/index.ts';

/** Folders of the machine's programs, all of which can be read in a sandbox. */
export const systemFolders = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'],
  ...['/nix/store', '/gnu/store'],
];

// Of /etc only what programs do not work without. Nothing in it is about this machine's users, keys or hosts.
const always = /^(?:alternatives|ld\.so\.cache|localtime|os-release|fonts|texmf|java[-\d].*|ImageMagick-.*)$/;
const withNetwork = [
  ...['ssl/certs', 'ssl/openssl.cnf', 'ca-certificates', 'crypto-policies', 'services', 'protocols'],
  ...['pki/ca-trust', 'pki/tls/certs', 'pki/tls/cert.pem', 'pki/tls/openssl.cnf'],
];

let system: readonly string[] | undefined;

/** Arguments that show the system read-only, with links where the machine has links; found out once. */
export function systemMounts(hasNetwork: boolean): readonly string[] {
  system ??= [...systemFolders, ...settings(readdirSync('/etc').filter((name) => always.test(name)))].flatMap(
    show,
  );
  return hasNetwork ? [...system, ...settings(withNetwork).flatMap(show)] : system;
}

function settings(names: readonly string[]): readonly string[] {
  return names.map((name) => join('/etc', name));
}

/** Arguments that show the host's own way to names, for sandboxes that share its network. */
export const hostNames = ['/etc/resolv.conf', '/etc/hosts'].flatMap((path) => ['--ro-bind-try', path, path]);

/** Arguments that show the Node that runs us, and its npm; not the folder around it, which can be somebody's home. */
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
