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
  type RulePosition,
} from '../../core/index.ts';
import type { SettingsFile } from '../paths.ts';
import { settingsDefinition, settingsRoot } from '../schema/definition.ts';
import { keyOf, withoutKey } from '../schema/key.ts';
import { earlierPath, withCurrentKeys } from '../schema/renamed.ts';
import type { Complain } from '../schema/setting.ts';
import { isLink } from '../skilled-folder.ts';
import type { SettingsLayer } from './layers.ts';
import { findUntrustedValues } from './untrusted-project.ts';

type Report = (issue: Issue) => void;

/** The user's settings and trust, which determine which project settings take effect. */
interface Belief {
  /** The values in the user's own settings file. */
  readonly own: JsonObject;
  /** Returns whether the user trusts the project and the file still contains `text`. */
  isTrusted(file: string, text: string): boolean;
}

/**
 * Reads one settings file. Reports invalid and disallowed values as issues with their line numbers;
 * all other values still apply.
 */
export function readFileLayer({ layer, file }: SettingsFile, belief: Belief, report: Report): SettingsLayer {
  if (layer !== 'user' && isLink(dirname(file))) {
    const message = `${dirname(file)} is a link, so its contents are ignored.`;
    report({ ...fault(file, message), hint: 'Replace the link with a folder.' });
    return { name: layer, from: file, values: {} };
  }
  const text = readText(file, (message) => report(fault(file, message))) ?? '';
  const lines = indexLines(text);
  const earlier = (key: string): string | undefined => earlierPath(key.split('.'))?.join('.');
  const source: FileText = { file, text, lineOf: (key) => lines(key) ?? lines(earlier(key) ?? key) };
  const read = text.trim() === '' ? {} : parseFile(source, report);
  const trusted = layer === 'user' ? read : dropUntrusted(read, belief, source, report);
  const rulePositions = findRules(read, source);
  return {
    name: layer,
    from: file,
    values: anchorPaths(trusted, file),
    ...(rulePositions.length > 0 ? { rulePositions } : {}),
  };
}

/** Finds the permission rules in a settings file, as written. */
function findRules({ permissions }: JsonObject, { file, lineOf }: FileText): readonly RulePosition[] {
  if (!isJsonObject(permissions)) return [];
  return (['allow', 'ask', 'deny'] as const).flatMap((kind) =>
    listOf(permissions[kind]).flatMap((rule, index): readonly RulePosition[] => {
      const line = optional('line', lineOf(`permissions.${kind}.${index}`));
      return typeof rule === 'string' ? [{ kind, rule, file, ...line }] : [];
    }),
  );
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function fault(file: string, message: string, line?: number): Issue {
  const hint = 'Fix the file; comments and trailing commas are allowed.';
  return { level: 'error', code: 'settings.invalid', message, file, ...optional('line', line), hint };
}

function parseFile({ file, text, lineOf }: FileText, report: Report): JsonObject {
  const read = parseJsonWithComments(text);
  if (!read.ok) {
    const message = `The settings are not valid JSON: ${read.message} (column ${read.column}). The file is ignored.`;
    // If a file with permission rules were ignored, calls that its rules forbid would be allowed.
    const mayForbid = /"permissions"/.test(text);
    const details = { column: read.column, ...(mayForbid ? blocked : {}) };
    report({ ...fault(file, message, read.line), details });
    return {};
  }
  if (!isJsonObject(read.value)) {
    report(fault(file, 'The settings must be a JSON object.', 1));
    return {};
  }
  const values = withCurrentKeys(underOwnNames(read.value), (old, current) => {
    report({
      level: 'warning',
      code: 'settings.renamed',
      message: `"${old}" is now "${current}". The next release will ignore the old name.`,
      file,
      ...optional('line', lineOf(old)),
      hint: 'Rename the setting in the file.',
      details: { key: old, current },
    });
  });
  for (const { key, meant } of misspeltKeys(values))
    report({
      level: 'warning',
      code: 'settings.unknown',
      message: `"${key}" is not a skilled setting and has no effect.`,
      file,
      ...optional('line', lineOf(key)),
      hint: `Did you mean "${meant}"? Run \`skilled config explain ${meant}\` to see its valid values.`,
    });
  return fitSettings(values, (path, expected, more) => {
    const { hint, details } = more ?? {};
    const blocks = isBarrier(path);
    const end = blocks ? 'No run starts until it is fixed' : 'It is ignored';
    const issue = fault(file, `"${path}" must be ${expected}. ${end}.`, lineOf(path));
    const known = { ...details, ...(blocks ? blocked : {}) };
    report({ ...issue, ...optional('hint', hint), details: { key: path, ...known } });
  });
}

const blocked = { blocksRuns: true };

/**
 * Returns whether an invalid value at this path could allow calls that a rule is meant to forbid. If so, no
 * run starts, even if the value is in a project file.
 */
function isBarrier(path: string): boolean {
  return /^permissions(?:\.|$)/.test(path) && !/^permissions\.(?:allow|approvalHours)(?:\.|$)/.test(path);
}

/**
 * Renames the alias `disableSkillShellExecution` to `skills.disableShellExecution`, unless the latter is also
 * set.
 */
function underOwnNames(values: JsonObject): JsonObject {
  const { disableSkillShellExecution: isDisabled, ...rest } = values;
  if (isDisabled === undefined) return values;
  const skills = isJsonObject(rest['skills']) ? rest['skills'] : {};
  return { ...rest, skills: { disableShellExecution: isDisabled, ...skills } };
}

/** Validates the known settings. Keeps unknown keys, because skills may read them. */
export function fitSettings(values: JsonObject, complain: Complain): JsonObject {
  const fitted = settingsRoot.fit(values, '', complain);
  return isJsonObject(fitted) ? fitted : {};
}

interface FileText {
  readonly file: string;
  readonly text: string;
  /** Returns the line number of a setting, given its dotted key. */
  lineOf(key: string): number | undefined;
}

/** Removes values that only the user may set, because a project may come from an untrusted author. */
function dropUntrusted(values: JsonObject, belief: Belief, source: FileText, report: Report): JsonObject {
  const { file, text, lineOf } = source;
  const strange = findUntrustedValues(values, belief.own);
  if (strange.length === 0 || belief.isTrusted(file, text)) return values;
  return strange.reduce((remaining, { path, reason }) => {
    const key = keyOf(path);
    report({
      level: 'warning',
      code: 'settings.untrusted',
      message: `"${key}" is ignored in project settings. ${reason}`,
      file,
      ...optional('line', lineOf(path.join('.'))),
      hint: `Set it in your own settings with \`skilled config set --user ${key} <value>\`, or trust the project as it is with \`skilled trust grant .\`.`,
      details: { key },
    });
    return withoutKey(remaining, path);
  }, values);
}

/**
 * Resolves relative paths in a settings file against the folder that contains `.skilled`, rather than the
 * working folder.
 */
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

function isPath(location: Json | undefined): location is string {
  return (
    typeof location === 'string' &&
    !isAbsolute(location) &&
    !location.includes('://') &&
    !/^env:/.test(location)
  );
}

function texts(value: Json | undefined): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
}

function readText(file: string, report: (message: string) => void): string | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    if (stats.isFile()) return readFileSync(file, 'utf8');
    report('The settings path is not a regular file.');
  } catch (thrown) {
    report(`The settings could not be read: ${reasonOf(thrown)}.`);
  }
  return undefined;
}

const known = [...new Set(settingsDefinition.map(({ key }) => key.split('.')[0] ?? key))];

/** An unknown key that is similar to a setting's name. */
interface MisspeltKey {
  readonly key: string;
  readonly meant: string;
}

/**
 * Finds top-level keys of a settings file that look like typos. Other unknown keys may be intended for a
 * skill. Pure.
 */
export function misspeltKeys(values: JsonObject): readonly MisspeltKey[] {
  return Object.keys(values).flatMap((key) => {
    if (known.includes(key)) return [];
    const [meant] = nearestNames(key, known).filter((name) => Math.abs(name.length - key.length) < 3);
    return meant === undefined || Object.hasOwn(values, meant) ? [] : [{ key, meant }];
  });
}
