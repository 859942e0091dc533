import { readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import {
  isJsonObject,
  optional,
  parseYamlDocument,
  reasonOf,
  type Json,
  type JsonObject,
  type Skill,
  type YamlDocument,
} from '../core/index.ts';
import { SkillRecord } from '../skills/registry/record.ts';
import type { CaseFault, Eval } from './eval.ts';
import { objectIn, type EvalField } from './fields.ts';
import { caseKeys, readTrial } from './read-eval.ts';

/** The cases that lie beside a skill, in `tests/*.yaml`; beside one that is a single file, in `tests/<its name>.yaml`. */
export function findTrials(skill: Skill): ReadTrials {
  const trials: Eval[] = [];
  const faults: CaseFault[] = [];
  for (const file of caseFiles(skill)) {
    const found = readTrials(file, { skill: skill.name, dir: skill.dir });
    trials.push(...found.trials);
    faults.push(...found.faults);
  }
  return { trials, faults };
}

/** Where the first case of a skill is to be written. */
export function placeOfTrials(skill: Skill): string {
  return join(skill.dir, 'tests', `${isLoose(skill) ? stemOf(skill) : 'cases'}.yaml`);
}

function caseFiles(skill: Skill): readonly string[] {
  if (skill.dir === '') return []; // made in code
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
    return []; // most skills have no cases
  }
}

/** The cases of a file, or everything that is wrong with it. */
export interface ReadTrials {
  readonly trials: readonly Eval[];
  readonly faults: readonly CaseFault[];
}

const mostBytes = 1_000_000;

/** Reads a file of cases; never throws. */
export function readTrials(file: string, skill: Pick<Eval, 'skill' | 'dir'>): ReadTrials {
  const text = textOf(file);
  if (typeof text !== 'string') return { trials: [], faults: [text] };
  const document = parseYamlDocument(text);
  if (document.ok) return casesIn(document, { file, ...skill });
  const message = `The file is no YAML: ${document.message}.`;
  return { trials: [], faults: [{ file, line: document.line, message }] };
}

function textOf(file: string): string | CaseFault {
  try {
    if (statSync(file).size <= mostBytes) return readFileSync(file, 'utf8');
    return { file, line: 1, message: `The file has more than ${mostBytes} bytes.` };
  } catch (thrown) {
    return { file, line: 1, message: `The file cannot be read: ${reasonOf(thrown)}.` };
  }
}

type Path = readonly (string | number)[];

function casesIn(document: YamlDocument, place: Pick<Eval, 'skill' | 'file' | 'dir'>): ReadTrials {
  const faults: CaseFault[] = [];
  const { file } = place;
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
    at: (key) => partAt(memberAt(value, key), [...path, key]),
  });
  const { value } = document;
  const whole = partAt(value, []);
  const isList = Array.isArray(value);
  if (isJsonObject(value)) objectIn(whole, ['defaults', 'cases']);
  const cases = isJsonObject(value) ? whole.at('cases') : whole;
  const defaults = isList ? {} : defaultsIn(whole);
  if (!Array.isArray(cases.value)) cases.wrong('must be a list of cases.', exampleHint(place.skill));
  const trials = (Array.isArray(cases.value) ? cases.value : []).map((_, index) => {
    const line = document.lineOf(isList ? [index] : ['cases', index]);
    return readTrial(withDefaults(cases.at(index), defaults, whole), { ...place, line });
  });
  return { trials: faults.length === 0 ? trials : [], faults: distinct(faults) };
}

function exampleHint(skill: string): string {
  return `See a first case: \`skilled test --example ${skill}\``;
}

function defaultsIn(whole: EvalField): JsonObject {
  const part = whole.at('defaults');
  return part.value === null ? {} : (objectIn(part, caseKeys) ?? {});
}

const ways = ['input', 'prompt', 'turns'];

/** The case with what it does not say itself; a part knows the line that it comes from. */
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

/** As `"expect.text"`; the number of a case is known by its line. */
function nameOf(path: Path): string {
  const inCase =
    path[0] === 'cases' && path.length > 1 ? path.slice(2) : path.slice(isNumber(path[0]) ? 1 : 0);
  if (inCase.length > 0) return `"${inCase.join('.')}"`;
  return path.length === 0 ? 'The file' : 'A case';
}

function isNumber(key: string | number | undefined): boolean {
  return typeof key === 'number';
}

/** By line; what is wrong with the defaults is wrong once. */
function distinct(faults: readonly CaseFault[]): readonly CaseFault[] {
  const kept = new Map(faults.map((fault) => [JSON.stringify(fault), fault]));
  return [...kept.values()].sort((one, other) => one.line - other.line);
}
