import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { ZodType } from 'zod';
import {
  AgentError,
  bundleOfBytes,
  bundleOfText,
  isSkillName,
  locate,
  normaliseName,
  nowhere,
  optional,
  reasonOf,
  schemaOf,
  sources,
  type Bundle,
  type Family,
  type Issue,
  type JsonObject,
  type SkillCard,
  type Source,
  type Typed,
} from '../core/index.ts';
import type { Discovered } from './discover/discover.ts';
import { draftOfBundle, openDescriptor, type OpenedDescriptor } from './discover/draft.ts';
import { targetOf } from './discover/links.ts';
import { descriptorsOf, readListing, skillsRoot, type Root } from './discover/listing.ts';
import type { World } from './eligibility/eligibility.ts';
import { defaultSkillLimits } from './limits.ts';
import type { Applicant } from './registry/collisions.ts';
import { canonicalName } from './registry/lookup.ts';
import { groupName, type SkillRecord } from './registry/record.ts';
import { buildRegistry, type Registry } from './registry/registry.ts';

/** Everything needed to read skills from folders. */
interface Reading {
  readonly families: readonly Family[];
  readonly world: World;
  readonly scan: (roots: readonly Root[]) => { readonly discovered: readonly Discovered[] };
}

/**
 * Builds a registry that contains only the skills in these folders and Markdown files. Omits files that
 * cannot be read.
 */
export function skillsBelow(paths: readonly string[], source: Source, reading: Reading): Registry {
  const { families, world, scan } = reading;
  const isFile = (path: string): boolean => /\.md$/i.test(path);
  const files = paths.filter(isFile).flatMap((path) => loadedAt(path, families));
  const folders = paths.filter((path) => !isFile(path));
  const { discovered } = scan(folders.map((path) => ({ path, source, kind: skillsRoot })));
  const applicants = [...files, ...discovered.map(applicantOn)];
  return buildRegistry(applicants, families, world, [], findNested(scan));
}

/** Returns the skill in a file as a list, which is empty if the file has no usable skill. */
function loadedAt(path: string, families: readonly Family[]): readonly Applicant[] {
  try {
    return [loadSkillFrom(path, {}, families).applicant];
  } catch {
    return []; // Looking up the skill later reports that it is missing.
  }
}

/** Converts a skill that was found on disk to an `Applicant` for the registry. */
export function applicantOn({ found, draft }: Discovered): Applicant {
  const { family, root, dir, file, stem, group, loose } = found;
  const from = {
    source: root.source,
    root: root.path,
    ...optional('server', root.server),
    ...optional('plugin', found.plugin),
    ...(found.command === true ? { command: true as const } : {}),
    ...(root.parent === undefined ? {} : { isNested: true as const }),
    ...(wasInstalled(found) ? { isInstalled: true as const } : {}),
  };
  const namespace = namespaceOf(found);
  const names = namespace === '' ? { stem, group } : { stem, group: '', namespace };
  return { origin: { family, ...from, ...names, dir, file, loose }, draft };
}

/** Whether a lock lists the folder of the root that contains a skill. */
function wasInstalled({ root: { path, installed }, dir, loose }: Discovered['found']): boolean {
  if (installed === undefined || installed === 'all') return installed === 'all';
  const [folder = ''] = relative(path, dir).split(sep);
  return !loose && installed.includes(folder);
}

/**
 * Returns the qualifier of a skill's name. It consists of the parent skill or plugin and, for a command, the
 * command's folders.
 */
function namespaceOf({ root, plugin, command, group }: Discovered['found']): string {
  const folders = command === true ? groupName(group).split('/') : [];
  const parts = [root.parent ?? plugin?.name ?? '', ...folders].filter((part) => part !== '');
  // A name such as `user:deploy` would look like a skill from the source `user`.
  return sources.some((source) => source === parts[0]) ? '' : parts.join(':');
}

/** Returns a function that finds the skills in the bundle of another skill. */
export function findNested(scan: Reading['scan']): (parent: SkillRecord) => readonly Applicant[] {
  return ({ name, dir, source, server, plugin, isInstalled }) => {
    const installed = isInstalled === true ? { installed: 'all' as const } : {};
    const root = { path: dir, source, kind: skillsRoot, parent: name, ...installed };
    const { discovered } = scan([{ ...root, ...optional('server', server), ...optional('plugin', plugin) }]);
    return discovered.map(applicantOn).filter(({ origin }) => origin.namespace !== undefined);
  };
}

/** Options for loading a skill. */
export interface LoadOptions<Given = unknown> {
  /** The schema of the arguments. Replaces the schema that the file declares. */
  readonly input?: ZodType<unknown, Given>;
  /** The name of the skill. Replaces the name that the file declares. */
  readonly name?: string;
  /** The families that may read the file. Defaults to the built-in families. */
  readonly families?: readonly Family[];
}

/** A skill that was loaded or parsed by a program and can be registered. */
export interface LoadedSkill<Given = unknown> extends Typed<Given> {
  readonly kind: 'loaded';
  /** The canonical name of the skill. */
  readonly name: string;
  readonly family: string;
  readonly card: SkillCard;
  /** The skill's folder. Empty for a skill parsed from memory. */
  readonly dir: string;
  /** The path of the skill's descriptor. Empty for a skill parsed from memory. */
  readonly file: string;
  readonly issues: readonly Issue[];
  /** The form of the skill that a registry accepts. @internal */
  readonly applicant: Applicant;
}

/**
 * Loads a skill from a folder or a file. The descriptor in a folder must contain a description, and its name
 * must match the folder's name. These rules do not apply to a single file.
 */
export function loadSkillFrom(path: string, options: LoadOptions, families: readonly Family[]): LoadedSkill {
  const at = resolve(path);
  const hint = 'Use the path of a skill folder or a .md file.';
  const target = targetOf(at);
  if (target === undefined) throw new AgentError('usage.not-found', `${at} does not exist.`, { hint });
  if (target.kind === 'folder') return loadFolder(at, options, families);
  if (!/\.md$/i.test(at)) throw new AgentError('usage.bad-input', `${at} is not a Markdown file.`, { hint });
  return loadFile(at, options, families);
}

/** Parses a skill from text. The text must declare a name and contain a body. */
export function parseSkillText(text: string, options: LoadOptions, families: readonly Family[]): LoadedSkill {
  const family = looseFamily(families);
  const bundle = bundleOfText(text, nowhere);
  if (bundle.body.trim() === '') throw invalid('The text', 'has no body.');
  const loaded = loadedFrom(bundle, family, options);
  if (loaded.applicant.draft.name === '') throw invalid('The text', 'has no name.');
  return loaded;
}

function loadFolder(dir: string, options: LoadOptions, families: readonly Family[]): LoadedSkill {
  const { family, name } = descriptorIn(dir, families);
  const bundle = read(join(dir, name), { stem: basename(dir), loose: false });
  const loaded = loadedFrom(bundle, family, options);
  const written = loaded.applicant.draft.name || bundle.stem;
  if (loaded.issues.some((issue) => issue.code === 'description.derived'))
    throw invalid(bundle.file, 'has no description.');
  const isExact = options.name !== undefined || bundle.head.fields.has('name');
  const compared = isExact ? (text: string) => text.normalize('NFKC') : normaliseName;
  if (compared(written) !== compared(bundle.stem)) {
    throw invalid(bundle.file, `is named "${written}", but its folder is "${bundle.stem}".`);
  }
  return loaded;
}

/**
 * Returns the descriptor in a folder. If several families have a descriptor there, returns that of the first
 * family. Prefers a file name with the exact spelling.
 */
function descriptorIn(
  dir: string,
  families: readonly Family[],
): { readonly family: Family; readonly name: string } {
  const known = [...descriptorsOf(families).byFile.values()];
  const names = readListing(dir).files;
  for (const { family, file } of known) {
    const name =
      names.find((other) => other === file) ??
      names.find((other) => other.toLowerCase() === file.toLowerCase());
    if (name !== undefined) return { family, name };
  }
  throw new AgentError('skill.not-found', `${dir} contains no descriptor.`, {
    hint: `A skill folder contains one of ${known.map(({ file }) => file).join(', ')}.`,
  });
}

function loadFile(file: string, options: LoadOptions, families: readonly Family[]): LoadedSkill {
  const own = descriptorsOf(families).byFile.get(basename(file).toLowerCase());
  const stem = own === undefined ? basename(file).replace(/\.md$/i, '') : basename(dirname(file));
  return loadedFrom(
    read(file, { stem, loose: own === undefined }),
    own?.family ?? looseFamily(families),
    options,
  );
}

function read(file: string, how: { readonly stem: string; readonly loose: boolean }): Bundle {
  const { bytes, stats } = open(file);
  const most = defaultSkillLimits.descriptorBytes;
  if (stats.size > most) throw invalid(file, `is larger than ${most} bytes.`);
  return bundleOfBytes(Buffer.from(bytes), { dir: dirname(file), file, ...how }, defaultSkillLimits);
}

function open(file: string): OpenedDescriptor {
  try {
    return openDescriptor(realpathSync(file), defaultSkillLimits);
  } catch (thrown) {
    throw invalid(file, `cannot be read: ${reasonOf(thrown)}.`);
  }
}

function loadedFrom(bundle: Bundle, family: Family, options: LoadOptions): LoadedSkill {
  const { dir, file, stem, loose } = bundle;
  const parsed = draftOfBundle(bundle, family);
  const draft = { ...parsed, issues: file === '' ? parsed.issues : locate(parsed.issues, file) };
  if (!draft.usable) throw invalid(file === '' ? 'The text' : file, sentence(draft.issues));
  if (options.name !== undefined && !isSkillName(options.name))
    throw invalid(`The name "${options.name}"`, 'is not valid.');
  const name = options.name ?? draft.name;
  const { listed: _, ...own } = draft.card;
  const input = schemaOf(options.input);
  const card = { ...own, ...optional('input', input ?? own.input) };
  const origin = {
    family,
    source: 'explicit',
    root: dir,
    dir,
    file,
    stem,
    group: '',
    loose,
    codeDefinition: input === undefined ? bundle : withInput(bundle, input),
  } as const;
  return {
    kind: 'loaded',
    name: canonicalName(name, stem),
    family: family.id,
    card,
    dir,
    file,
    issues: draft.issues,
    applicant: { origin, draft: { ...draft, name, card } },
  };
}

/**
 * Returns a copy of the bundle that declares the given input schema, so that the skill's family uses it as
 * well.
 */
function withInput(bundle: Bundle, input: JsonObject): Bundle {
  const { head } = bundle;
  return { ...bundle, head: { ...head, fields: new Map(head.fields).set('input', input) } };
}

function looseFamily(families: readonly Family[]): Family {
  const { loose } = descriptorsOf(families);
  if (loose !== undefined) return loose;
  throw new AgentError('usage.bad-input', 'No skill family reads standalone Markdown files.', {
    hint: 'Add a family that reads Markdown files to the families option.',
  });
}

function sentence(issues: readonly Issue[]): string {
  const fault = issues.find((issue) => issue.level === 'error') ?? issues[0];
  return `cannot be used: ${fault?.message ?? 'it is empty.'}`;
}

function invalid(what: string, why: string): AgentError {
  return new AgentError('skill.invalid', `${what} ${why}`, {
    hint: 'Correct the file, or validate the folder to see all issues.',
  });
}
