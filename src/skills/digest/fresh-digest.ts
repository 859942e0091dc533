import { hash } from 'node:crypto';
import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { reasonOf, type Skill } from '../../core/index.ts';
import { below, digestFile, isWithin } from '../../files/index.ts';
import { fingerprint, isRacy, isSame, statsOf, type Fingerprint } from '../cache/fingerprint.ts';
import { sumOf } from '../discover/draft.ts';
import { targetOf } from '../discover/links.ts';
import { entriesOf } from './bundle-files.ts';
import { digestNow } from './digest.ts';

const programs =
  /\.(?:sh|bash|zsh|fish|ps1|bat|cmd|py|rb|pl|php|lua|[cm]?[jt]sx?|wasm|jar|exe|dll|so|dylib|node)$/i;

/** The files of a skill that can run, as paths from its folder: scripts, programs, and its descriptor if that has code. For people: what decides is that some can. */
export function codeFilesOf(skill: Filed, descriptorRuns: boolean): readonly string[] {
  const own = descriptorRuns ? [basename(skill.file)] : [];
  if (skill.loose) return own;
  const others = [...entriesOf(skill.dir, () => undefined)].flatMap(({ path, stats }) => {
    if (path === skill.file || stats?.isDirectory() !== false) return [];
    const name = below(skill.dir, path);
    const isProgram = stats.isFile() && (stats.mode & 0o111) !== 0;
    return isProgram || programs.test(name) || /^scripts[/\\]/.test(name) ? [name] : [];
  });
  return [...own, ...others.sort()];
}

/** A skill as far as its files go. */
export type Filed = Pick<Skill, 'dir' | 'file'> & {
  readonly loose: boolean;
  /** The sum of the descriptor that was registered; without one, any will do. */
  readonly sum?: string;
};

/** The digest of a skill's files, or why none can vouch for them: the end of a sentence that begins with "Its folder". */
export type Freshness =
  | { readonly digest: string; readonly fault?: undefined }
  | { readonly digest?: undefined; readonly fault: string };

/** The digest of a skill's files as they are at this moment; undefined where none can vouch for them. Never throws. */
export function freshDigest(skill: Filed): string | undefined {
  return freshnessOf(skill).digest;
}

const known = new WeakMap<Filed, State>();

/** The same with the reason where there is none. While nothing changed, only the stamps of the files are looked at. */
export function freshnessOf(skill: Filed): Freshness {
  try {
    const home = realpathSync.native(skill.dir);
    const before = known.get(skill);
    if (before?.home === home && before.places.every(isUntouched)) return before;
    known.delete(skill);
    const now = examine(skill, home);
    if (now.fault === undefined && !now.isFresh) known.set(skill, now);
    return now;
  } catch (thrown) {
    return { fault: `cannot be read: ${reasonOf(thrown)}` };
  }
}

/** What a digest was made of; all stamps were taken before anything was read. */
interface State {
  readonly digest: string;
  readonly fault?: undefined;
  /** The folder, every link on the way to it resolved. */
  readonly home: string;
  readonly places: readonly Place[];
  /** Something is so new that a change right now would not show. */
  readonly isFresh: boolean;
}

interface Place {
  readonly path: string;
  /** Of the link itself where it is one. */
  readonly print: Fingerprint;
  /** Where a link leads, through all others; nowhere when nothing is there. */
  readonly link?: { readonly real: string | undefined; readonly print: Fingerprint | undefined };
}

function examine(
  skill: Filed,
  home: string,
): State | { readonly digest?: undefined; readonly fault: string } {
  const at = Date.now();
  const places = [...pathsOf(skill)].map((path) => placeAt(path, at));
  const outside = places.filter(({ link }) => link !== undefined && !isWithin(link.real ?? '', home));
  const folder = outside.find(({ link }) => link?.real !== undefined && targetOf(link.real)?.kind !== 'file');
  if (folder !== undefined)
    return { fault: `has a link that leads out of it, to no file: ${below(skill.dir, folder.path)}` };
  const targets = outside.map(({ path, link }): LinkTarget => [
    below(skill.dir, path),
    link?.real === undefined ? 'nothing' : digestFile(link.real),
  ]);
  const own = digestNow(skill, skill.loose);
  // Nobody who trusts the files as they are now said anything of a descriptor that was read before.
  if (skill.sum !== undefined && skill.sum !== '' && sumOf(readFileSync(skill.file)) !== skill.sum)
    return { fault: `has another ${below(skill.dir, skill.file)} now than the one that was registered` };
  return {
    digest: digestWith(own, targets),
    home,
    places,
    isFresh: places.some(({ print, link }) => isRacy(print, at) || (link?.print && isRacy(link.print, at))),
  };
}

/** A link of a bundle that leads out of it, and the digest of the file at its end, or `nothing`. */
export type LinkTarget = readonly [path: string, digest: string];

/** The digest of a bundle: what links lead to outside counts as if it were in the bundle. */
export function digestWith(own: string, targets: readonly LinkTarget[]): string {
  return targets.length === 0 ? own : `sha256:${hash('sha256', JSON.stringify([own, targets]))}`;
}

/** A bundle is its folder and everything below it, a loose skill its file. */
function* pathsOf({ dir, file, loose }: Filed): Generator<string> {
  yield loose ? file : dir;
  if (!loose) for (const { path } of entriesOf(dir, () => undefined)) yield path;
}

function placeAt(path: string, at: number): Place {
  const stats = lstatSync(path);
  const print = fingerprint(stats, at);
  if (!stats.isSymbolicLink()) return { path, print };
  const real = targetOf(path)?.real;
  const target = real === undefined ? undefined : statsOf(real);
  return { path, print, link: { real, print: target && fingerprint(target, at) } };
}

function isUntouched({ path, print, link }: Place): boolean {
  try {
    if (!isSame(print, lstatSync(path))) return false;
    if (link === undefined) return true;
    const real = targetOf(path)?.real;
    const target = real === undefined ? undefined : statsOf(real);
    if (real !== link.real || target === undefined) return real === link.real;
    return link.print !== undefined && isSame(link.print, target);
  } catch {
    return false; // gone, or not ours to look at
  }
}
