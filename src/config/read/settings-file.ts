import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import {
  indexLines,
  isJsonObject,
  nearestNames,
  optional,
  parseJsonWithComments,
  reasonOf,
  type Issue,
  type Json,
  type JsonObject,
} from '../../core/index.ts';
import type { SettingsFile } from '../paths.ts';
import { settingsDefinition, settingsRoot } from '../schema/definition.ts';
import { keyOf, withoutKey } from '../schema/key.ts';
import type { Complain } from '../schema/setting.ts';
import { isLink } from '../skilled-folder.ts';
import type { SettingsLayer } from './layers.ts';
import { unbelieved } from './untrusted-project.ts';

type Report = (issue: Issue) => void;

/** What decides how far the files of a project are believed. */
interface Belief {
  /** What the user's own file says. */
  readonly own: JsonObject;
  /** Whether a person said that the project is believed wholly, as far as this file had this text then. */
  isTrusted(file: string, text: string): boolean;
}

/** Reads one settings file; what is broken or may not be said there is a finding with its place, and the rest still counts. */
export function readFileLayer({ layer, file }: SettingsFile, belief: Belief, report: Report): SettingsLayer {
  if (layer !== 'user' && isLink(dirname(file))) {
    const message = `${dirname(file)} is a link, so nothing in it is used.`;
    report({ ...fault(file, message), hint: 'Replace the link by a folder.' });
    return { name: layer, from: file, values: {} };
  }
  const text = readText(file, (message) => report(fault(file, message))) ?? '';
  const source: FileText = { file, text, lineOf: indexLines(text) };
  const read = text.trim() === '' ? {} : parseFile(source, report);
  const believed = layer === 'user' ? read : believe(read, belief, source, report);
  return { name: layer, from: file, values: anchorPaths(believed, file) };
}

function fault(file: string, message: string, line?: number): Issue {
  const hint = 'Correct the file; comments and trailing commas are fine.';
  return { level: 'error', code: 'settings.invalid', message, file, ...optional('line', line), hint };
}

function parseFile({ file, text, lineOf }: FileText, report: Report): JsonObject {
  const read = parseJsonWithComments(text);
  if (!read.ok) {
    const message = `The settings are not valid JSON: ${read.message} (column ${read.column}). Nothing of them is used.`;
    const mayForbid = /"permissions"/.test(text); // rules in it would silently forbid nothing
    const details = { column: read.column, ...(mayForbid ? blocked : {}) };
    report({ ...fault(file, message, read.line), details });
    return {};
  }
  if (!isJsonObject(read.value)) {
    report(fault(file, 'The settings must be a JSON object.', 1));
    return {};
  }
  const values = underOwnNames(read.value);
  for (const { key, meant } of misspeltKeys(values))
    report({
      level: 'warning',
      code: 'settings.unknown',
      message: `"${key}" is not a setting of skilled, and changes nothing.`,
      file,
      ...optional('line', lineOf(key)),
      hint: `Did you mean "${meant}"? \`skilled config explain ${meant}\` tells what it takes.`,
    });
  return fitSettings(values, (path, expected, more) => {
    const { hint, details } = more ?? {};
    const blocks = isBarrier(path);
    const end = blocks ? 'No run starts until it is corrected' : 'It is not used';
    const issue = fault(file, `"${path}" must be ${expected}. ${end}.`, lineOf(path));
    const known = { ...details, ...(blocks ? blocked : {}) };
    report({ ...issue, ...optional('hint', hint), details: { key: path, ...known } });
  });
}

const blocked = { blocksRuns: true };

/** Whether a wrong value would silently forbid nothing: then no run starts, whoever wrote the file. */
function isBarrier(path: string): boolean {
  return /^permissions(?:\.|$)/.test(path) && !/^permissions\.(?:allow|approvalHours)(?:\.|$)/.test(path);
}

/** A setting that users know by another name counts under ours, unless that is there as well. */
function underOwnNames(values: JsonObject): JsonObject {
  const { disableSkillShellExecution: isDisabled, ...rest } = values;
  if (isDisabled === undefined) return values;
  const skills = isJsonObject(rest['skills']) ? rest['skills'] : {};
  return { ...rest, skills: { disableShellExecution: isDisabled, ...skills } };
}

/** Settings with their known parts in the right shape; what is unknown stays for others to read. */
export function fitSettings(values: JsonObject, complain: Complain): JsonObject {
  const fitted = settingsRoot.fit(values, '', complain);
  return isJsonObject(fitted) ? fitted : {};
}

interface FileText {
  readonly file: string;
  readonly text: string;
  /** The line of a setting, by its dotted key. */
  lineOf(key: string): number | undefined;
}

/** Leaves out what only its user may say, since a project may come from a stranger. */
function believe(values: JsonObject, belief: Belief, source: FileText, report: Report): JsonObject {
  const { file, text, lineOf } = source;
  const strange = unbelieved(values, belief.own);
  if (strange.length === 0 || belief.isTrusted(file, text)) return values;
  return strange.reduce((kept, { path, reason }) => {
    const key = keyOf(path);
    report({
      level: 'warning',
      code: 'settings.untrusted',
      message: `"${key}" does not count in the settings of a project. ${reason}`,
      file,
      ...optional('line', lineOf(path.join('.'))),
      hint: `Put it into your own settings with \`skilled config set --user ${key} <value>\`, or trust the project as it is with \`skilled trust grant .\`.`,
      details: { key },
    });
    return withoutKey(kept, path);
  }, values);
}

/** Relative paths in a settings file start where its `.skilled` lies, wherever the program was started. */
function anchorPaths(layer: JsonObject, file: string): JsonObject {
  const folder = dirname(file);
  const base = basename(folder) === '.skilled' ? dirname(folder) : folder;
  const { plugins, allowSymlinkTargets, store, database } = layer;
  return {
    ...layer,
    ...optional(
      'plugins',
      texts(plugins)?.map((name) => (name.startsWith('.') ? resolve(base, name) : name)),
    ),
    ...optional(
      'allowSymlinkTargets',
      texts(allowSymlinkTargets)?.map((path) => resolve(base, path)),
    ),
    ...(isPath(store) ? { store: resolve(base, store) } : {}),
    ...(isPath(database) ? { database: resolve(base, database) } : {}),
  };
}

function isPath(place: Json | undefined): place is string {
  return typeof place === 'string' && !isAbsolute(place) && !place.includes('://') && !/^env:/.test(place);
}

function texts(value: Json | undefined): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
}

function readText(file: string, report: (message: string) => void): string | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    if (stats.isFile()) return readFileSync(file, 'utf8');
    report('The settings are not a regular file.');
  } catch (thrown) {
    report(`The settings cannot be read: ${reasonOf(thrown)}.`);
  }
  return undefined;
}

const known = [...new Set(settingsDefinition.map(({ key }) => key.split('.')[0] ?? key))];

/** A key that is no setting and looks like one. */
interface MisspeltKey {
  readonly key: string;
  readonly meant: string;
}

/** The keys at the top of a settings file that look like a slip of the keyboard; others that are not known may be meant for a skill. Pure. */
export function misspeltKeys(values: JsonObject): readonly MisspeltKey[] {
  return Object.keys(values).flatMap((key) => {
    if (known.includes(key)) return [];
    const [meant] = nearestNames(key, known).filter((name) => Math.abs(name.length - key.length) < 3);
    return meant === undefined || Object.hasOwn(values, meant) ? [] : [{ key, meant }];
  });
}
