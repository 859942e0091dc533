import { basename, dirname, sep } from 'node:path';
import { optional, type Family } from '../../core/index.ts';
import { below, childOf, isIgnored } from '../../files/index.ts';
import { mayFollow, targetOf } from './links.ts';
import { isMarkdown, skillsRoot, type Listing } from './listing.ts';
import { stopAt, type FoundDescriptor, type ScanFolder, type RootWalk } from './scan-state.ts';

interface Spelling {
  readonly name: string;
  readonly target: string | undefined;
}

/** Collects the descriptors in a folder. Returns true if the walk should skip the rest of the folder. */
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

/**
 * Reports a descriptor that is in a family's folder but belongs in a `skills` folder. Returns true if the
 * walk should skip the rest of the folder. Always returns false for the root.
 */
function isMisplaced(folder: ScanFolder, [first]: readonly Spelling[], state: RootWalk): boolean {
  const { root, walk } = state;
  if (first !== undefined && root.source !== 'explicit') {
    walk.issues.push({
      level: 'info',
      code: 'scan.misplaced',
      message: `Skills in a folder named "${root.kind}" are not loaded.`,
      file: childOf(folder.path, first.name),
      hint: `Move the skill to a folder named "${skillsRoot}".`,
    });
  }
  return folder.depth > 0;
}

const notSkills = /^(?:readme|agents|claude)\.md$/i;

/** Collects loose Markdown files: those directly in a skills root, or all files in a family folder. */
export function takeLooseFiles(folder: ScanFolder, listing: Listing, state: RootWalk): void {
  const { descriptors } = state.walk;
  const isSkills = state.root.kind === skillsRoot;
  const family = isSkills ? descriptors.loose : folderFamily(state);
  if (family === undefined || (isSkills && folder.depth > 0)) return;
  const { only } = state.root;
  const isLoose = (name: string): boolean =>
    (only === undefined || name === only) &&
    isMarkdown(name) &&
    !notSkills.test(name) &&
    !descriptors.byFile.has(name.toLowerCase());
  for (const spelling of namesIn(folder, listing, state, isLoose)) {
    offer({ folder, ...spelling, family, loose: true }, state);
  }
}

/** Returns the family that owns a root that is not a skills folder. */
function folderFamily({ root: { kind }, walk: { descriptors } }: RootWalk): Family | undefined {
  return descriptors.byFolder.get(kind) ?? descriptors.commands.get(kind)?.family;
}

/** Adds a descriptor to the results, unless a limit is reached or the same file was already found. */
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
  const isCommand = walk.descriptors.commands.has(root.kind) && !walk.descriptors.byFolder.has(root.kind);
  found.push({
    dir: folder.path,
    file,
    stem: loose ? name.slice(0, -3) : basename(folder.path),
    loose,
    ...(isCommand ? { command: true } : {}),
    ...optional('plugin', root.plugin),
    realFile,
    realDir: folder.real,
    family,
    refuseHardLinks: root.source === 'project' || root.source === 'explicit',
    root,
    group: groupOf(loose || folder.depth === 0 ? folder.path : dirname(folder.path), root.path),
  });
}

/** Adds a file immediately. Queues a link, or reports it if its target is outside the allowed folders. */
function offer(descriptor: FoundDescriptor, state: RootWalk): void {
  const { folder, name, target } = descriptor;
  if (target === undefined) take(descriptor, state);
  else if (mayFollow(childOf(folder.path, name), { real: target, kind: 'file' }, state)) {
    state.linkedFiles.push(descriptor);
  }
}

/**
 * Returns the included names that belong to files or links to files. Reports broken links and special files.
 */
function namesIn(
  folder: ScanFolder,
  listing: Listing,
  state: RootWalk,
  isIncluded: (name: string) => boolean,
): readonly Spelling[] {
  const names: Spelling[] = [];
  const isMeant = (name: string): boolean => isIncluded(name) && !isHidden(folder, name);
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
      ? 'The link is broken and is skipped.'
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
    message: `${all.join(', ')} differ only in upper and lower case; only ${chosen} is loaded.`,
    file: childOf(folder.path, chosen),
    hint: 'Keep only one of these files.',
  });
}
