import { hash } from 'node:crypto';
import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { reasonOf, type Skill, type SkillPlugin } from '../../core/index.ts';
import { below, digestFile, isWithin, type DigestCopy } from '../../files/index.ts';
import { fingerprint, isRacy, isSame, statsOf, type Fingerprint } from '../cache/fingerprint.ts';
import { sumOf } from '../discover/draft.ts';
import { targetOf } from '../discover/links.ts';
import { entriesOf } from './bundle-files.ts';
import { digestNow } from './digest.ts';
import { findSharedModules, sharedModules, type SharedModule } from './shared-modules.ts';

const programs =
  /\.(?:sh|bash|zsh|fish|ps1|bat|cmd|py|rb|pl|php|lua|[cm]?[jt]sx?|wasm|jar|exe|dll|so|dylib|node)$/i;

/**
 * Returns the paths of a skill's executable files, relative to its folder: scripts, programs, and the
 * descriptor if it contains code. Only for display.
 */
export function codeFilesOf(skill: Filed, descriptorRuns: boolean): readonly string[] {
  const own = descriptorRuns ? [basename(skill.file)] : [];
  if (skill.loose) return own;
  const others = [...entriesOf(skill.dir, () => undefined)].flatMap(({ path, stats }) => {
    if (path === skill.file || stats?.isDirectory() !== false) return [];
    const name = below(skill.dir, path);
    const isProgram = stats.isFile() && (stats.mode & 0o111) !== 0;
    return isProgram || programs.test(name) || /^scripts[/\\]/.test(name) ? [name] : [];
  });
  return [
    ...own,
    ...others.sort(),
    ...sharedModules(skill).flatMap(({ name }) => (programs.test(name) ? [name] : [])),
  ];
}

/** The location of a skill's files, and the hash of its registered descriptor. */
export type Filed = Pick<Skill, 'dir' | 'file'> & {
  readonly loose: boolean;
  /** The root that contains the skill. If it is absent, the skill shares no modules with others. */
  readonly root?: string;
  /** The plugin that contains the skill. Its files belong to the skill. */
  readonly plugin?: Pick<SkillPlugin, 'dir' | 'hooks'> | undefined;
  /** The hash of the registered descriptor. If it is absent, any descriptor is accepted. */
  readonly sum?: string;
};

/**
 * The digest of a skill's files, or the reason why it is missing. The reason completes a sentence that starts
 * with "Its folder".
 */
export type Freshness =
  | { readonly digest: string; readonly fault?: undefined }
  | { readonly digest?: undefined; readonly fault: string };

/**
 * Returns the current digest of a skill's files, or undefined if a reliable digest is not possible. Never
 * throws.
 */
export function freshDigest(skill: Filed): string | undefined {
  return freshnessOf(skill).digest;
}

const known = new WeakMap<Filed, State>();

/**
 * Like `freshDigest`, but also returns the reason if there is no digest. Reads files again only if a stamp
 * has changed.
 */
export function freshnessOf(skill: Filed): Freshness {
  try {
    const home = realpathSync.native(skill.dir);
    const before = known.get(skill);
    if (before?.home === home && before.stamps.every(isUntouched)) return before;
    known.delete(skill);
    const now = examine(skill, home);
    if (now.fault === undefined && !now.isFresh) known.set(skill, now);
    return now;
  } catch (thrown) {
    return { fault: `cannot be read: ${reasonOf(thrown)}` };
  }
}

/** A digest, and the stamps of its files. The stamps were read before the files. */
interface State {
  readonly digest: string;
  readonly fault?: undefined;
  /** The path of the skill's folder, with all links resolved. */
  readonly home: string;
  readonly stamps: readonly Stamp[];
  /** Whether another change at this moment might go undetected, for example because a file is very new. */
  readonly isFresh: boolean;
}

interface Stamp {
  readonly path: string;
  /** The fingerprint of the file or of the link itself. */
  readonly print: Fingerprint;
  /** The final target of a link. `real` is undefined if the link is broken. */
  readonly link?: { readonly real: string | undefined; readonly print: Fingerprint | undefined };
}

function examine(
  skill: Filed,
  home: string,
): State | { readonly digest?: undefined; readonly fault: string } {
  const at = Date.now();
  const { modules: shared, areMissing } = findSharedModules(skill);
  const paths = [...pathsOf(skill), ...shared.map(({ path }) => path)];
  const stamps = paths.map((path) => stampAt(path, at));
  const outside = stamps
    .slice(0, stamps.length - shared.length)
    .filter(({ link }) => link !== undefined && !isWithin(link.real ?? '', home));
  const folder = outside.find(({ link }) => link?.real !== undefined && targetOf(link.real)?.kind !== 'file');
  if (folder !== undefined)
    return {
      fault: `has a link that leads out of it to something other than a file: ${below(skill.dir, folder.path)}`,
    };
  const targets = outside.map(({ path, link }): LinkTarget => [
    below(skill.dir, path),
    link?.real === undefined ? 'nothing' : digestFile(link.real),
  ]);
  const own = digestNow(skill, skill.loose);
  // If the descriptor has changed since it was registered, a digest would not belong to the registered skill.
  if (skill.sum !== undefined && skill.sum !== '' && sumOf(readFileSync(skill.file)) !== skill.sum)
    return { fault: `no longer has the ${below(skill.dir, skill.file)} that was registered` };
  return {
    digest: digestWith(skill, own, [...targets, ...shared.map((module) => digestShared(module))]),
    home,
    stamps,
    isFresh:
      areMissing ||
      stamps.some(({ print, link }) => isRacy(print, at) || (link?.print && isRacy(link.print, at))),
  };
}

/** Returns a module outside the bundle, with its digest. */
export function digestShared({ name, path }: SharedModule, copy?: DigestCopy): LinkTarget {
  return [name, digestFile(realpathSync.native(path), copy)];
}

/**
 * The link or import that leads to a file outside a bundle, and the digest of that file. For a broken link,
 * the digest is `nothing`.
 */
export type LinkTarget = readonly [path: string, digest: string];

/**
 * Combines the digest of a bundle with the digests of files outside the bundle that its links and imports
 * lead to, and with the hooks of its plugin, which a hidden manifest can contain.
 */
export function digestWith(
  { plugin }: Pick<Filed, 'plugin'>,
  own: string,
  targets: readonly LinkTarget[],
): string {
  const parts = [own, targets, ...(plugin?.hooks === undefined ? [] : [plugin.hooks])];
  return parts.length === 2 && targets.length === 0 ? own : `sha256:${hash('sha256', JSON.stringify(parts))}`;
}

/** Yields the paths of a skill: its folder with everything in it, or only the file of a loose skill. */
function* pathsOf({ dir, file, loose }: Filed): Generator<string> {
  yield loose ? file : dir;
  if (!loose) for (const { path } of entriesOf(dir, () => undefined)) yield path;
}

function stampAt(path: string, at: number): Stamp {
  const stats = lstatSync(path);
  const print = fingerprint(stats, at);
  if (!stats.isSymbolicLink()) return { path, print };
  const real = targetOf(path)?.real;
  const target = real === undefined ? undefined : statsOf(real);
  return { path, print, link: { real, print: target && fingerprint(target, at) } };
}

function isUntouched({ path, print, link }: Stamp): boolean {
  try {
    if (!isSame(print, lstatSync(path))) return false;
    if (link === undefined) return true;
    const real = targetOf(path)?.real;
    const target = real === undefined ? undefined : statsOf(real);
    if (real !== link.real || target === undefined) return real === link.real;
    return link.print !== undefined && isSame(link.print, target);
  } catch {
    return false; // The file was removed, or permission is missing.
  }
}
