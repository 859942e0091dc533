import { basename, dirname, join, sep } from 'node:path';
import type { Family } from '../core/family.ts';
import { isIgnored } from './ignore-rules.ts';
import type { Listing } from './listing.ts';
import { skillsRoot } from './root.ts';
import { resolveLink } from './scan-links.ts';
import { stopAt, type Folder, type RootWalk } from './scan-state.ts';

interface Spelling {
  readonly name: string;
  readonly link: boolean;
}

/** Takes the descriptors of a folder; true when it is a bundle, so that the walk stops there. */
export function takeDescriptors(folder: Folder, listing: Listing, state: RootWalk): boolean {
  const isSkills = state.root.kind === skillsRoot;
  if (isSkills) for (const name of listing.odd) reportOdd(folder, name, state);
  const names = descriptorNames(folder, listing, state);
  if (names === undefined) return false;
  if (!isSkills) return true;
  for (const [key, { family, file }] of state.walk.descriptors.byFile) {
    const spellings = names.get(key);
    if (spellings === undefined) continue;
    const exact = spellings.find((candidate) => candidate.name === file);
    const chosen = exact ?? spellings.reduce((a, b) => (a.name < b.name ? a : b));
    if (spellings.length > 1) reportSpellings(folder, spellings, chosen.name, state);
    take(folder, chosen, family, false, state);
  }
  return true;
}

const notSkills = /^(?:readme|agents|claude)\.md$/i;

/** Takes Markdown files that stand for themselves: loose skills in a skills root, every file below an owned folder. */
export function takeLooseFiles(folder: Folder, listing: Listing, state: RootWalk): void {
  const { descriptors } = state.walk;
  const isSkills = state.root.kind === skillsRoot;
  const family = isSkills ? descriptors.loose : descriptors.byFolder.get(state.root.kind);
  if (family === undefined || (isSkills && folder.depth > 0)) return;
  for (const { name, link } of namesIn(listing)) {
    if (name.startsWith('.') || !/\.md$/i.test(name) || notSkills.test(name)) continue;
    if (!isHidden(folder, name)) take(folder, { name, link }, family, true, state);
  }
}

function take(folder: Folder, { name, link }: Spelling, family: Family, loose: boolean, state: RootWalk): void {
  const { walk, root } = state;
  const file = folder.path + sep + name;
  const at = folder.real === folder.path ? file : folder.real + sep + name;
  const realFile = link ? resolveLink(file, at, 'file', state) : at;
  if (realFile === undefined || walk.seenFiles.has(realFile)) return;
  if (state.candidates >= walk.limits.maxCandidatesPerRoot) {
    stopAt('maxCandidatesPerRoot', `more than ${walk.limits.maxCandidatesPerRoot} descriptors`, state);
    return;
  }
  state.candidates++;
  walk.seenFiles.add(realFile);
  walk.found.push({
    dir: folder.path,
    file,
    stem: loose ? name.slice(0, -3) : basename(folder.path),
    loose,
    realFile,
    family,
    refuseHardLinks: root.source === 'project' || root.source === 'explicit',
    root,
    group: groupOf(loose || folder.depth === 0 ? folder.path : dirname(folder.path), root.path),
  });
}

/** The descriptor names in a folder by lower-case spelling; undefined when there are none. */
function descriptorNames(folder: Folder, listing: Listing, state: RootWalk): Map<string, Spelling[]> | undefined {
  let names: Map<string, Spelling[]> | undefined;
  for (const spelling of namesIn(listing)) {
    const key = spelling.name.toLowerCase();
    if (!state.walk.descriptors.byFile.has(key) || isHidden(folder, spelling.name)) continue;
    names ??= new Map();
    const same = names.get(key);
    if (same === undefined) names.set(key, [spelling]);
    else same.push(spelling);
  }
  return names;
}

function* namesIn(listing: Listing): Iterable<Spelling> {
  for (const name of listing.files) yield { name, link: false };
  for (const name of listing.links) yield { name, link: true };
}

function isHidden(folder: Folder, name: string): boolean {
  return folder.rules !== undefined && isIgnored(folder.rules, folder.path + sep + name, false);
}

function groupOf(dir: string, root: string): string {
  return dir.length <= root.length ? '' : dir.slice(root.length + 1).replaceAll(sep, '/');
}

function reportOdd(folder: Folder, name: string, state: RootWalk): void {
  if (!state.walk.descriptors.byFile.has(name.toLowerCase())) return;
  const message = 'The descriptor is not a regular file and is skipped.';
  state.walk.issues.push({ level: 'warning', code: 'scan.not-a-file', message, file: join(folder.path, name) });
}

function reportSpellings(folder: Folder, spellings: readonly Spelling[], chosen: string, state: RootWalk): void {
  const others = spellings.filter((candidate) => candidate.name !== chosen).map((candidate) => candidate.name);
  state.walk.issues.push({
    level: 'warning',
    code: 'scan.two-spellings',
    message: `${others.join(', ')} stands beside ${chosen} and is not read.`,
    file: join(folder.path, chosen),
    hint: 'Keep one of them.',
  });
}
