import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { ZodType } from 'zod';
import { bundleOfBytes, bundleOfText, nowhere, type Bundle } from '../core/bundle.ts';
import { optional } from '../core/card.ts';
import { isSkillName, schemaOf } from '../core/define-skill.ts';
import { AgentError } from '../core/error.ts';
import type { Family } from '../core/family.ts';
import type { Issue } from '../core/issue.ts';
import { normaliseName } from '../core/names.ts';
import { descriptorsOf } from './descriptors.ts';
import { draftOfBundle, openDescriptor } from './draft.ts';
import { defaultSkillLimits } from './limits.ts';
import { readListing } from './listing.ts';
import type { Applicant } from './registry.ts';

/** What a caller may say about a skill that it loads itself. */
export interface LoadOptions {
  /** Types the arguments; overrides what the file declares. */
  readonly input?: ZodType;
  /** The name, where the file may be named freely. */
  readonly name?: string;
}

/** A skill that was loaded or parsed by the caller and can be registered. */
export interface LoadedSkill {
  readonly kind: 'loaded';
  readonly name: string;
  readonly applicant: Applicant;
}

/** One skill from a folder (strict: the name is the folder's, a description is required) or from a file (lenient). */
export function loadSkillFrom(path: string, options: LoadOptions, families: readonly Family[]): LoadedSkill {
  const at = resolve(path);
  const stats = statSync(at, { throwIfNoEntry: false });
  if (stats === undefined) throw new AgentError('usage.not-found', `There is nothing at ${path}.`, { hint: 'Give a skill folder or a .md file.' });
  if (stats.isDirectory()) return loadFolder(at, options, families);
  if (!/\.md$/i.test(at)) throw new AgentError('usage.bad-input', `${path} is not a Markdown file.`, { hint: 'Give a skill folder or a .md file.' });
  return loadFile(at, options, families);
}

/** One skill from text in memory; it must declare its name and have a body. */
export function parseSkillText(text: string, options: LoadOptions, families: readonly Family[]): LoadedSkill {
  const family = looseFamily(families);
  const bundle = bundleOfText(text, nowhere);
  if (bundle.body.trim() === '') throw invalid('The text', 'has no body.');
  const loaded = applicant(bundle, family, options, '');
  if (loaded.name === '') throw invalid('The text', 'declares no name.');
  return loaded;
}

function loadFolder(dir: string, options: LoadOptions, families: readonly Family[]): LoadedSkill {
  const { byFile } = descriptorsOf(families);
  const names = readListing(dir).files;
  const match = [...byFile.values()].flatMap(({ family, file }) => {
    const name = names.find((other) => other === file) ?? names.find((other) => other.toLowerCase() === file.toLowerCase());
    return name === undefined ? [] : [{ family, name }];
  })[0];
  if (match === undefined) {
    const known = [...byFile.values()].map(({ file }) => file).join(', ');
    throw new AgentError('skill.not-found', `${dir} holds no descriptor.`, { hint: `A skill folder has one of ${known}.` });
  }
  const bundle = read(join(dir, match.name), basename(dir), false);
  const loaded = applicant(bundle, match.family, options, basename(dir));
  if (loaded.applicant.draft.issues.some((issue) => issue.code === 'description.derived')) throw invalid(bundle.file, 'has no description.');
  const exact = bundle.head.fields.has('name') ? (text: string) => text.normalize('NFKC') : normaliseName;
  if (exact(loaded.name) !== exact(basename(dir))) {
    throw invalid(bundle.file, `is named "${loaded.name}", but its folder is "${basename(dir)}".`);
  }
  return loaded;
}

function loadFile(file: string, options: LoadOptions, families: readonly Family[]): LoadedSkill {
  const { byFile } = descriptorsOf(families);
  const own = byFile.get(basename(file).toLowerCase());
  const stem = own === undefined ? basename(file).replace(/\.md$/i, '') : basename(dirname(file));
  return applicant(read(file, stem, own === undefined), own?.family ?? looseFamily(families), options, stem);
}

function read(file: string, stem: string, loose: boolean): Bundle {
  const { bytes, stats } = openDescriptor(file, defaultSkillLimits);
  if (stats.size > defaultSkillLimits.descriptorBytes) throw invalid(file, `is larger than ${defaultSkillLimits.descriptorBytes} bytes.`);
  return bundleOfBytes(bytes, { dir: dirname(file), file, stem, loose }, defaultSkillLimits);
}

function applicant(bundle: Bundle, family: Family, options: LoadOptions, stem: string): LoadedSkill {
  const draft = draftOfBundle(bundle, family);
  if (!draft.usable) throw invalid(bundle.file === '' ? 'The text' : bundle.file, sentence(draft.issues));
  const name = options.name ?? (draft.name === '' ? stem : draft.name);
  if (options.name !== undefined && !isSkillName(options.name)) throw invalid(`The name "${options.name}"`, 'is not valid.');
  const { listed: _, ...card } = draft.card;
  const input = schemaOf(options.input) ?? card.input;
  return {
    kind: 'loaded',
    name,
    applicant: {
      origin: { family, source: 'explicit', root: bundle.dir, dir: bundle.dir, file: bundle.file, stem, group: '', loose: bundle.loose, made: bundle },
      draft: { ...draft, name, card: { ...card, ...optional('input', input) } },
    },
  };
}

function looseFamily(families: readonly Family[]): Family {
  const { loose } = descriptorsOf(families);
  if (loose === undefined) throw new AgentError('usage.bad-input', 'No family reads loose Markdown files.', { hint: 'Pass one in families.' });
  return loose;
}

function sentence(issues: readonly Issue[]): string {
  const fault = issues.find((issue) => issue.level === 'error') ?? issues[0];
  return `cannot be used: ${fault?.message ?? 'it is empty.'}`;
}

function invalid(what: string, why: string): AgentError {
  return new AgentError('skill.invalid', `${what} ${why}`, { hint: 'Correct the file, or validate the folder for all findings.' });
}
