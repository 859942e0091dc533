import { realpathSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { shapeAt } from '../config/schema/definition.ts';
import {
  defaultRunLimits,
  didYouMean,
  currentCode,
  errorCodes,
  isErrorCode,
  isJsonObject,
  optional,
  parseRule,
  type ErrorCode,
  type Json,
  type RunLimits,
} from '../core/index.ts';
import type { ScriptedTurn } from '../models/scripted.ts';
import type { SkillEntry } from '../skills/eligibility/skill-settings.ts';
import type { Expectation, TextExpectation, Eval, EvalModel, Turn, ValueExpectation } from './eval.ts';
import {
  amountIn,
  itemsIn,
  memberOf,
  membersIn,
  objectIn,
  readPath,
  textIn,
  textsIn,
  type EvalField,
} from './fields.ts';

/** The location of an eval and the skill that it tests. */
type EvalOrigin = Pick<Eval, 'skill' | 'file' | 'line' | 'dir'>;

/** The fields that an eval can have. */
export const evalKeys = [
  ...['name', 'input', 'prompt', 'turns', 'model', 'answers', 'approve', 'files', 'workspace'],
  ...['roles', 'limits', 'settings', 'timeoutSeconds', 'expect'],
];

/** Reads one eval and records the errors in its fields. */
export function readEval(part: EvalField, origin: EvalOrigin): Eval {
  objectIn(part, evalKeys);
  const inside = (member: EvalField): string => pathInside(member, origin);
  return {
    ...origin,
    name: memberOf(part, 'name', textIn) ?? `line ${origin.line}`,
    turns: readTurns(part),
    ...optional(
      'model',
      memberOf(part, 'model', (model) => readModel(model, inside)),
    ),
    answers: memberOf(part, 'answers', (answers) => itemsIn(answers).map(({ value }) => value)) ?? [],
    ...optional('approve', memberOf(part, 'approve', readApprove)),
    files: memberOf(part, 'files', readFiles) ?? {},
    ...optional('workspace', memberOf(part, 'workspace', inside)),
    ...optional('roles', memberOf(part, 'roles', textsIn)),
    ...optional('limits', memberOf(part, 'limits', readLimits)),
    ...optional('settings', memberOf(part, 'settings', readSettingsOf)),
    timeoutSeconds: memberOf(part, 'timeoutSeconds', amountIn) ?? 60,
    expect: memberOf(part, 'expect', readExpectation) ?? { status: 'done' },
  };
}

function readTurns(part: EvalField): readonly Turn[] {
  const given = isJsonObject(part.value) ? part.value : {};
  const ways = ['input', 'prompt', 'turns'].filter((key) => Object.hasOwn(given, key));
  if (ways.length > 1)
    part
      .at(ways[1] ?? '')
      .wrong(`cannot be combined with "${ways[0] ?? ''}".`, 'Keep only one of these fields.');
  const prompt = memberOf(part, 'prompt', textIn);
  if (prompt !== undefined) return [{ prompt }];
  const turns = memberOf(part, 'turns', (list) => itemsIn(list).map((turn) => ({ prompt: textIn(turn) })));
  if (turns?.length === 0) part.at('turns').wrong('must have at least one prompt.');
  return turns ?? [{ input: memberOf(part, 'input', ({ value }) => value) ?? null }];
}

function readApprove(part: EvalField): Eval['approve'] {
  const { value } = part;
  if (value === 'all' || value === 'none') return value;
  if (!Array.isArray(value)) part.wrong('must be "all", "none" or a list of rules.');
  else for (const rule of itemsIn(part)) mustBeRule(rule);
  return Array.isArray(value) ? value.map(String) : 'none';
}

function mustBeRule(part: EvalField): void {
  if (parseRule(textIn(part)) === undefined)
    part.wrong('is not a valid rule.', 'Use a rule such as Write, Bash(git diff *) or Skill(name).');
}

function readFiles(part: EvalField): Readonly<Record<string, string>> {
  return Object.fromEntries(membersIn(part).map((file) => [readPath(file), textIn(file)]));
}

function readLimits(part: EvalField): Partial<RunLimits> {
  const names = [...Object.keys(defaultRunLimits), 'tokens', 'cost', 'money'];
  const given = Object.keys(objectIn(part, names) ?? {});
  const { money, ...limits } = Object.fromEntries(given.map((name) => [name, amountIn(part.at(name))]));
  if (money === undefined) return limits;
  part.at('money').renamed('cost');
  return { cost: money, ...limits };
}

/**
 * Resolves a path relative to the eval file. The path must be inside the bundle, because an untrusted eval
 * file must not refer to other files of the user.
 */
function pathInside(part: EvalField, { file, dir }: EvalOrigin): string {
  const path = resolve(dirname(file), textIn(part));
  const isInside = `${realOf(path)}${sep}`.startsWith(`${realOf(dir)}${sep}`);
  if (!isInside) part.wrong('must be in the skill folder.');
  return path;
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // A recording may not exist yet, so resolve its nearest existing parent folder.
    const above = dirname(path);
    return above === path ? path : resolve(realOf(above), path.slice(above.length).replace(/^[/\\]+/, ''));
  }
}

/** Reads `model`, which contains either scripted turns or a file with recorded responses. */
function readModel(part: EvalField, resolve: (part: EvalField) => string): EvalModel {
  objectIn(part, ['script', 'recording']);
  const script = memberOf(part, 'script', (turns) => itemsIn(turns).map(readTurn));
  const recording = memberOf(part, 'recording', resolve);
  if ((script === undefined) === (recording === undefined))
    part.wrong('must have either "script" or "recording".');
  return script === undefined ? { recording: recording ?? '' } : { script };
}

function readTurn(part: EvalField): ScriptedTurn {
  if (!isJsonObject(part.value)) return textIn(part);
  objectIn(part, ['text', 'json', 'calls']);
  const json = memberOf(part, 'json', ({ value }) => JSON.stringify(value));
  return {
    ...optional('text', json ?? memberOf(part, 'text', textIn)),
    ...optional(
      'calls',
      memberOf(part, 'calls', (calls) => itemsIn(calls).map(readCall)),
    ),
  };
}

function readCall(part: EvalField): { readonly name: string; readonly input: Json } {
  objectIn(part, ['name', 'input']);
  return { name: textIn(part.at('name')), input: memberOf(part, 'input', ({ value }) => value) ?? {} };
}

/**
 * Reads `settings`. Rejects settings that would give access to the user's data, because eval files need not
 * be trusted.
 */
function readSettingsOf(part: EvalField): SkillEntry | undefined {
  const entry = objectIn(part, ['config', 'env', 'override', 'workspace']);
  if (!isJsonObject(entry)) return undefined;
  memberOf(part, 'env', (variables) => membersIn(variables).map(textIn));
  const shape = shapeAt(['skills', 'entries', 'any']);
  const fitted = shape?.fit(entry, '', (path, expected) => {
    part.at(path.split('.')[1] ?? '').wrong(`must be ${expected}.`);
  });
  return fitted as SkillEntry | undefined;
}

/** Reads `expect`. The default status is `done`, or `failed` if an error is expected. */
function readExpectation(part: EvalField): Expectation {
  objectIn(part, ['status', 'text', 'value', 'error', 'calls', 'maxCalls', 'files']);
  const error = memberOf(part, 'error', readErrorCode);
  return {
    status: memberOf(part, 'status', readStatus) ?? (error === undefined ? 'done' : 'failed'),
    ...optional('text', memberOf(part, 'text', readTextExpectation)),
    ...optional('value', memberOf(part, 'value', readValueExpectation)),
    ...optional('error', error),
    ...optional('calls', memberOf(part, 'calls', readCalls)),
    ...optional('maxCalls', memberOf(part, 'maxCalls', readCount)),
    ...optional('files', memberOf(part, 'files', readExpectedFiles)),
  };
}

const statuses = ['done', 'failed', 'waiting'] as const;

function readStatus(part: EvalField): (typeof statuses)[number] | undefined {
  const found = statuses.find((status) => status === part.value);
  if (found === undefined) part.wrong(`must be one of ${statuses.join(', ')}.`);
  return found;
}

function readErrorCode(part: EvalField): ErrorCode | undefined {
  const code = typeof part.value === 'string' ? currentCode(part.value) : part.value;
  if (isErrorCode(code)) return code;
  const near = didYouMean(JSON.stringify(part.value), errorCodes);
  part.wrong('must be an error code.', near ?? 'See docs/reference/errors.md for the codes.');
  return undefined;
}

function readTextExpectation(part: EvalField): TextExpectation {
  if (typeof part.value === 'string') return { equals: part.value };
  objectIn(part, ['equals', 'contains', 'matches']);
  return {
    ...optional('equals', memberOf(part, 'equals', textIn)),
    ...optional('contains', memberOf(part, 'contains', textsIn)),
    ...optional('matches', memberOf(part, 'matches', readPattern)),
  };
}

function readPattern(part: EvalField): RegExp | undefined {
  try {
    return new RegExp(textIn(part), 'u');
  } catch {
    // The message deliberately omits the pattern.
    part.wrong('must be a valid JavaScript regular expression.');
    return undefined;
  }
}

function readValueExpectation({ value }: EvalField): ValueExpectation {
  const isWhole = isJsonObject(value) && Object.keys(value).join() === 'exactly';
  return isWhole ? { value: value['exactly'] ?? null, isWhole } : { value, isWhole };
}

function readCalls(part: EvalField): NonNullable<Expectation['calls']> {
  if (!isJsonObject(part.value)) return { names: itemsIn(part).map(textIn), isWhole: false };
  objectIn(part, ['exactly']);
  return { names: itemsIn(part.at('exactly')).map(textIn), isWhole: true };
}

function readCount(part: EvalField): number {
  return part.value === 0 ? 0 : amountIn(part);
}

function readExpectedFiles(part: EvalField): Expectation['files'] {
  const files = membersIn(part).map(
    (member) => [readPath(member), member.value === null ? null : readTextExpectation(member)] as const,
  );
  return Object.fromEntries(files);
}
