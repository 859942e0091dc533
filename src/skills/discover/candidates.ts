import { basename, dirname, sep } from 'node:path';
import { below, childOf, isIgnored } from '../../files/index.ts';
import { mayFollow, targetOf } from './links.ts';
import { isMarkdown, skillsRoot, type Listing } from './listing.ts';
import { stopAt, type FoundDescriptor, type ScanFolder, type RootWalk } from './scan-state.ts';

interface Spelling {
  readonly name: string;
  readonly target: string | undefined;
}

/** Takes the descriptors of a folder; true when it is a bundle, so that the walk stops there. */
export function takeDescriptors(folder: ScanFolder, listing: Listing, state: RootWalk): boolean {
  const { byFile } = state.walk.descriptors;
  const spellings = namesIn(folder, listing, state, (name) => byFile.has(name.toLowerCase()));
  if (spellings.length === 0) return false;
  if (state.root.kind !== skillsRoot) return isMisplaced(folder, spellings, state);
  const byKey = Map.groupBy(spellings, ({ name }) => name.toLowerCase());
  for (const [key, { family, file }] of byFile) {
    const same = byKey.get(key);
    if (same === undefined) continue;
    const chosen = same.find(({ name }) => name === file) ?? same.reduce((a, b) => (a.name < b.name ? a : b));
    if (same.length > 1) reportSpellings(folder, same, chosen.name, state);
    offer({ folder, ...chosen, family, loose: false }, state);
  }
  return true;
}

/** A skill among files that a family owns is not theirs; its folder is passed over, the owned root itself is not. */
function isMisplaced(folder: ScanFolder, [first]: readonly Spelling[], state: RootWalk): boolean {
  const { root, walk } = state;
  if (first !== undefined && root.source !== 'explicit') {
    walk.issues.push({
      level: 'info',
      code: 'scan.misplaced',
      message: `A skill in a folder called "${root.kind}" is not read.`,
      file: childOf(folder.path, first.name),
      hint: `Move it into a folder called "${skillsRoot}".`,
    });
  }
  return folder.depth > 0;
}

const notSkills = /^(?:readme|agents|claude)\.md$/i;

/** Takes Markdown files that stand for themselves: loose skills in a skills root, every file below an owned folder. */
export function takeLooseFiles(folder: ScanFolder, listing: Listing, state: RootWalk): void {
  const { descriptors } = state.walk;
  const isSkills = state.root.kind === skillsRoot;
  const family = isSkills ? descriptors.loose : descriptors.byFolder.get(state.root.kind);
  if (family === undefined || (isSkills && folder.depth > 0)) return;
  const isLoose = (name: string): boolean =>
    isMarkdown(name) && !notSkills.test(name) && !descriptors.byFile.has(name.toLowerCase());
  for (const spelling of namesIn(folder, listing, state, isLoose)) {
    offer({ folder, ...spelling, family, loose: true }, state);
  }
}

/** Takes a descriptor unless a limit or an earlier find of the same file forbids it. */
export function take({ folder, name, family, loose, target }: FoundDescriptor, state: RootWalk): void {
  const { walk, root, found } = state;
  const file = childOf(folder.path, name);
  const realFile = target ?? (folder.real === folder.path ? file : childOf(folder.real, name));
  if (walk.seenFiles.has(realFile)) return;
  if (found.length >= walk.limits.maxCandidatesPerRoot) {
    stopAt('maxCandidatesPerRoot', `more than ${walk.limits.maxCandidatesPerRoot} descriptors`, state);
    return;
  }
  walk.seenFiles.add(realFile);
  found.push({
    dir: folder.path,
    file,
    stem: loose ? name.slice(0, -3) : basename(folder.path),
    loose,
    realFile,
    realDir: folder.real,
    family,
    refuseHardLinks: root.source === 'project' || root.source === 'explicit',
    root,
    group: groupOf(loose || folder.depth === 0 ? folder.path : dirname(folder.path), root.path),
  });
}

/** What lies there itself is taken at once; a link waits, and one that leads out is reported. */
function offer(descriptor: FoundDescriptor, state: RootWalk): void {
  const { folder, name, target } = descriptor;
  if (target === undefined) take(descriptor, state);
  else if (mayFollow(childOf(folder.path, name), { real: target, kind: 'file' }, state)) {
    state.linkedFiles.push(descriptor);
  }
}

/** The wanted names that are files or lead to one; what is wanted but is neither, nor a folder, is reported. */
function namesIn(
  folder: ScanFolder,
  listing: Listing,
  state: RootWalk,
  isWanted: (name: string) => boolean,
): readonly Spelling[] {
  const names: Spelling[] = [];
  const isMeant = (name: string): boolean => isWanted(name) && !isHidden(folder, name);
  for (const name of listing.files) if (isMeant(name)) names.push({ name, target: undefined });
  for (const name of listing.links) {
    if (!isMeant(name)) continue;
    const target = targetOf(childOf(folder.real, name));
    if (target?.kind === 'file') names.push({ name, target: target.real });
    else if (target?.kind !== 'folder') reportOdd(folder, name, target === undefined, state);
  }
  for (const name of listing.odd) if (isMeant(name)) reportOdd(folder, name, false, state);
  return names;
}

function isHidden(folder: ScanFolder, name: string): boolean {
  return folder.rules !== undefined && isIgnored(folder.rules, childOf(folder.path, name), false);
}

function groupOf(dir: string, root: string): string {
  return below(root, dir).replaceAll(sep, '/');
}

function reportOdd(folder: ScanFolder, name: string, isBroken: boolean, state: RootWalk): void {
  state.walk.issues.push({
    level: 'warning',
    code: 'scan.not-a-file',
    message: isBroken
      ? 'The link leads nowhere and is skipped.'
      : 'The descriptor is not a regular file and is skipped.',
    file: childOf(folder.path, name),
  });
}

function reportSpellings(
  folder: ScanFolder,
  spellings: readonly Spelling[],
  chosen: string,
  state: RootWalk,
): void {
  const all = spellings.map(({ name }) => name).sort();
  state.walk.issues.push({
    level: 'warning',
    code: 'scan.two-spellings',
    message: `Of ${all.join(', ')} only ${chosen} is read.`,
    file: childOf(folder.path, chosen),
    hint: 'Keep one of them.',
  });
}
