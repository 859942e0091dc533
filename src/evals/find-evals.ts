import { readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import {
  isJsonObject,
  optional,
  parseYamlDocument,
  reasonOf,
  type Issue,
  type Json,
  type JsonObject,
  type Skill,
  type YamlDocument,
} from '../core/index.ts';
import { SkillRecord } from '../skills/registry/record.ts';
import type { EvalFault, Eval } from './eval.ts';
import { objectIn, type EvalField } from './fields.ts';
import { evalKeys, readEval } from './read-eval.ts';

/**
 * Finds the evals of a skill in the files `tests/*.yaml` of its folder. A single-file skill has its evals in
 * the YAML files that are named after it in the `tests` folder next to it.
 */
export function findEvals(skill: Skill): FoundEvals {
  const found = evalFiles(skill).map((file) => readEvals(file, { skill: skill.name, dir: skill.dir }));
  return {
    evals: found.flatMap(({ evals }) => evals),
    faults: found.flatMap(({ faults }) => faults),
    warnings: found.flatMap(({ warnings }) => warnings),
  };
}

/** Returns the path at which to create a skill's first eval file. */
export function evalFileFor(skill: Skill): string {
  return join(skill.dir, 'tests', `${isLoose(skill) ? stemOf(skill) : 'cases'}.yaml`);
}

function evalFiles(skill: Skill): readonly string[] {
  if (skill.dir === '') return []; // A skill defined in code has no folder.
  const folder = join(skill.dir, 'tests');
  const stem = stemOf(skill);
  const isMeant = (name: string): boolean =>
    /\.ya?ml$/i.test(name) && (!isLoose(skill) || name.startsWith(`${stem}.`));
  return namesIn(folder)
    .filter(isMeant)
    .map((name) => join(folder, name));
}

function isLoose(skill: Skill): boolean {
  return skill instanceof SkillRecord && skill.loose;
}

function stemOf({ file }: Skill): string {
  return basename(file, extname(file));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return []; // Most skills have no evals folder.
  }
}

/** The evals that were found. A file with errors has no evals, and all of its errors are in `faults`. */
export interface FoundEvals {
  readonly evals: readonly Eval[];
  readonly faults: readonly EvalFault[];
  /** Warnings about old names that are still accepted. */
  readonly warnings: readonly Issue[];
}

const maxBytes = 1_000_000;

/** Reads an eval file. Never throws. */
export function readEvals(file: string, skill: Pick<Eval, 'skill' | 'dir'>): FoundEvals {
  const text = textOf(file);
  if (typeof text !== 'string') return { evals: [], faults: [text], warnings: [] };
  const document = parseYamlDocument(text);
  if (document.ok) return evalsIn(document, { file, ...skill });
  const message = `The file is not valid YAML: ${document.message}.`;
  return { evals: [], faults: [{ file, line: document.line, message }], warnings: [] };
}

function textOf(file: string): string | EvalFault {
  try {
    if (statSync(file).size <= maxBytes) return readFileSync(file, 'utf8');
    return { file, line: 1, message: `The file is larger than ${maxBytes} bytes.` };
  } catch (thrown) {
    return { file, line: 1, message: `The file cannot be read: ${reasonOf(thrown)}.` };
  }
}

type Path = readonly (string | number)[];

function evalsIn(document: YamlDocument, origin: Pick<Eval, 'skill' | 'file' | 'dir'>): FoundEvals {
  const faults: EvalFault[] = [];
  const warnings: Issue[] = [];
  const { file } = origin;
  const partAt = (value: Json, path: Path): EvalField => ({
    value,
    key: String(path.at(-1) ?? ''),
    wrong(message, hint) {
      faults.push({
        file,
        line: document.lineOf(path),
        message: `${nameOf(path)} ${message}`,
        ...optional('hint', hint),
      });
    },
    renamed(name) {
      const [key, current] = [nameOf(path), nameOf([...path.slice(0, -1), name])];
      warnings.push({
        level: 'warning',
        code: 'settings.renamed',
        message: `${key} is now ${current}. The next release will not accept the old name.`,
        file,
        line: document.lineOf(path),
        hint: 'Use the new name in the file.',
      });
    },
    at: (key) => partAt(memberAt(value, key), [...path, key]),
  });
  const { value } = document;
  const whole = partAt(value, []);
  const isList = Array.isArray(value);
  if (isJsonObject(value)) objectIn(whole, ['defaults', 'cases']);
  const list = isJsonObject(value) ? whole.at('cases') : whole;
  const defaults = isList ? {} : defaultsIn(whole);
  if (!Array.isArray(list.value)) list.wrong('must be a list of tests.', exampleHint(origin.skill));
  const evals = (Array.isArray(list.value) ? list.value : []).map((_, index) => {
    const line = document.lineOf(isList ? [index] : ['cases', index]);
    return readEval(withDefaults(list.at(index), defaults, whole), { ...origin, line });
  });
  return {
    evals: faults.length === 0 ? evals : [],
    faults: distinct(faults),
    warnings: distinct(warnings),
  };
}

function exampleHint(skill: string): string {
  return `For an example, run \`skilled test --example ${skill}\``;
}

function defaultsIn(whole: EvalField): JsonObject {
  const part = whole.at('defaults');
  return part.value === null ? {} : (objectIn(part, evalKeys) ?? {});
}

const ways = ['input', 'prompt', 'turns'];

/**
 * Returns an eval in which the file's defaults replace missing fields. Errors still refer to the original
 * line of each field.
 */
function withDefaults(part: EvalField, defaults: JsonObject, whole: EvalField): EvalField {
  const own = part.value;
  if (!isJsonObject(own)) return part;
  const hasWay = ways.some((key) => Object.hasOwn(own, key));
  const usual = Object.entries(defaults).filter(([key]) => !hasWay || !ways.includes(key));
  return {
    ...part,
    value: { ...Object.fromEntries(usual), ...own },
    at: (key) =>
      Object.hasOwn(own, key) || !Object.hasOwn(defaults, key) ? part.at(key) : whole.at('defaults').at(key),
  };
}

function memberAt(value: Json, key: string | number): Json {
  if (Array.isArray(value)) return (value as readonly Json[])[Number(key)] ?? null;
  return isJsonObject(value) && Object.hasOwn(value, key) ? (value[key] ?? null) : null;
}

/** Returns the name of a field within its eval for messages, such as `"expect.text"`. */
function nameOf(path: Path): string {
  const inEval =
    path[0] === 'cases' && path.length > 1 ? path.slice(2) : path.slice(isNumber(path[0]) ? 1 : 0);
  if (inEval.length > 0) return `"${inEval.join('.')}"`;
  return path.length === 0 ? 'The file' : 'A test';
}

function isNumber(key: string | number | undefined): boolean {
  return typeof key === 'number';
}

/**
 * Sorts errors by line and removes duplicates, because each eval repeats the errors in the file's defaults.
 */
function distinct<Found extends EvalFault | Issue>(found: readonly Found[]): readonly Found[] {
  const unique = new Map(found.map((one) => [JSON.stringify(one), one]));
  return [...unique.values()].sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
}
