import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
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
import { buildRegistry, type Registry } from './registry/registry.ts';

/** What it takes to read folders. */
interface Reading {
  readonly families: readonly Family[];
  readonly world: World;
  readonly scan: (roots: readonly Root[]) => { readonly discovered: readonly Discovered[] };
}

/** The skills in some folders and Markdown files alone, as a registry of their own; what cannot be read is not in it. */
export function skillsBelow(places: readonly string[], source: Source, reading: Reading): Registry {
  const { families, world, scan } = reading;
  const isFile = (place: string): boolean => /\.md$/i.test(place);
  const files = places.filter(isFile).flatMap((place) => loadedAt(place, families));
  const folders = places.filter((place) => !isFile(place));
  const { discovered } = scan(folders.map((path) => ({ path, source, kind: skillsRoot })));
  return buildRegistry([...files, ...discovered.map(applicantOn)], families, world, []);
}

/** The skill in a file, if there is one. */
function loadedAt(path: string, families: readonly Family[]): readonly Applicant[] {
  try {
    return [loadSkillFrom(path, {}, families).applicant];
  } catch {
    return []; // whoever looks for it says that it is not there
  }
}

/** A skill that was found on disk as an applicant for its name. */
export function applicantOn({ found, draft }: Discovered): Applicant {
  const { family, root, dir, file, stem, group, loose } = found;
  const from = { source: root.source, root: root.path, ...optional('server', root.server) };
  return { origin: { family, ...from, dir, file, stem, group, loose }, draft };
}

/** What a caller may say about a skill that it loads itself. */
export interface LoadOptions<Given = unknown> {
  /** Types the arguments; overrides what the file declares. */
  readonly input?: ZodType<unknown, Given>;
  /** The name, where the file may be named freely. */
  readonly name?: string;
  /** Who may read the file; the built-in families unless said. */
  readonly families?: readonly Family[];
}

/** A skill that was loaded or parsed by the caller and can be registered. */
export interface LoadedSkill<Given = unknown> extends Typed<Given> {
  readonly kind: 'loaded';
  /** Canonical name. */
  readonly name: string;
  readonly family: string;
  readonly card: SkillCard;
  /** Its folder; empty for text from memory. */
  readonly dir: string;
  /** Its descriptor; empty for text from memory. */
  readonly file: string;
  readonly issues: readonly Issue[];
  readonly applicant: Applicant;
}

/** One skill from a folder (strict: the name is the folder's, a description is required) or from a file (lenient). */
export function loadSkillFrom(path: string, options: LoadOptions, families: readonly Family[]): LoadedSkill {
  const at = resolve(path);
  const hint = 'Give a skill folder or a .md file.';
  const target = targetOf(at);
  if (target === undefined) throw new AgentError('usage.not-found', `There is nothing at ${at}.`, { hint });
  if (target.kind === 'folder') return loadFolder(at, options, families);
  if (!/\.md$/i.test(at)) throw new AgentError('usage.bad-input', `${at} is not a Markdown file.`, { hint });
  return loadFile(at, options, families);
}

/** One skill from text in memory; it must declare its name and have a body. */
export function parseSkillText(text: string, options: LoadOptions, families: readonly Family[]): LoadedSkill {
  const family = looseFamily(families);
  const bundle = bundleOfText(text, nowhere);
  if (bundle.body.trim() === '') throw invalid('The text', 'has no body.');
  const loaded = loadedFrom(bundle, family, options);
  if (loaded.applicant.draft.name === '') throw invalid('The text', 'declares no name.');
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

/** The descriptor of the first family that has one in a folder, its exact spelling before others. */
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
  throw new AgentError('skill.not-found', `${dir} holds no descriptor.`, {
    hint: `A skill folder has one of ${known.map(({ file }) => file).join(', ')}.`,
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
    made: input === undefined ? bundle : withInput(bundle, input),
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

/** The bundle as if its file declared this input, so that its family goes by it too. */
function withInput(bundle: Bundle, input: JsonObject): Bundle {
  const { head } = bundle;
  return { ...bundle, head: { ...head, fields: new Map(head.fields).set('input', input) } };
}

function looseFamily(families: readonly Family[]): Family {
  const { loose } = descriptorsOf(families);
  if (loose !== undefined) return loose;
  throw new AgentError('usage.bad-input', 'No family reads loose Markdown files.', {
    hint: 'Pass one in families.',
  });
}

function sentence(issues: readonly Issue[]): string {
  const fault = issues.find((issue) => issue.level === 'error') ?? issues[0];
  return `cannot be used: ${fault?.message ?? 'it is empty.'}`;
}

function invalid(what: string, why: string): AgentError {
  return new AgentError('skill.invalid', `${what} ${why}`, {
    hint: 'Correct the file, or validate the folder for all findings.',
  });
}
