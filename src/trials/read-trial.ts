import { realpathSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { isJsonObject } from '../core/json.ts';
import { optional } from '../core/collections.ts';
import { parseRule } from '../core/policy/rules.ts';
import { defaultRunLimits, type RunLimits } from '../core/run-limits.ts';
import { amountIn, itemsIn, memberOf, membersIn, objectIn, textIn, textsIn, type Part } from './part.ts';
import { readExpectation } from './read-expectation.ts';
import { readModel } from './read-model.ts';
import { readPath } from './read-path.ts';
import { readSettingsOf } from './read-settings.ts';
import type { Trial, Turn } from './trial.ts';

/** Whose case it is and where it stands. */
export type TrialOrigin = Pick<Trial, 'skill' | 'file' | 'line' | 'dir'>;

/** What a case may say. */
export const caseKeys = [
  ...['name', 'input', 'prompt', 'turns', 'model', 'answers', 'approve', 'files', 'workspace'],
  ...['roles', 'limits', 'settings', 'timeoutSeconds', 'expect'],
];

/** One case; what is wrong with it is noted with its parts. */
export function readTrial(part: Part, place: TrialOrigin): Trial {
  objectIn(part, caseKeys);
  const inside = (member: Part): string => pathInside(member, place);
  return {
    ...place,
    name: memberOf(part, 'name', textIn) ?? `line ${place.line}`,
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

function readTurns(part: Part): readonly Turn[] {
  const given = isJsonObject(part.value) ? part.value : {};
  const ways = ['input', 'prompt', 'turns'].filter((key) => Object.hasOwn(given, key));
  if (ways.length > 1) part.at(ways[1] ?? '').wrong(`cannot stand beside "${ways[0] ?? ''}".`, 'Keep one.');
  const prompt = memberOf(part, 'prompt', textIn);
  if (prompt !== undefined) return [{ prompt }];
  const turns = memberOf(part, 'turns', (list) => itemsIn(list).map((turn) => ({ prompt: textIn(turn) })));
  if (turns?.length === 0) part.at('turns').wrong('must have at least one prompt.');
  return turns ?? [{ input: memberOf(part, 'input', ({ value }) => value) ?? null }];
}

function readApprove(part: Part): Trial['approve'] {
  const { value } = part;
  if (value === 'all' || value === 'none') return value;
  if (!Array.isArray(value)) part.wrong('must be "all", "none" or a list of rules.');
  else for (const rule of itemsIn(part)) mustBeRule(rule);
  return Array.isArray(value) ? value.map(String) : 'none';
}

function mustBeRule(part: Part): void {
  if (parseRule(textIn(part)) === undefined)
    part.wrong('is no rule.', 'Write rules as Write, Bash(git diff *) or Skill(name).');
}

function readFiles(part: Part): Readonly<Record<string, string>> {
  return Object.fromEntries(membersIn(part).map((file) => [readPath(file), textIn(file)]));
}

function readLimits(part: Part): Partial<RunLimits> {
  const names = [...Object.keys(defaultRunLimits), 'tokens', 'money'];
  const given = objectIn(part, names) ?? {};
  return Object.fromEntries(Object.keys(given).map((name) => [name, amountIn(part.at(name))]));
}

/** What is named from the file, and lies in the bundle: a file of a stranger must not name yours. */
function pathInside(part: Part, { file, dir }: TrialOrigin): string {
  const path = resolve(dirname(file), textIn(part));
  const isInside = `${realOf(path)}${sep}`.startsWith(`${realOf(dir)}${sep}`);
  if (!isInside) part.wrong('must lie in the folder of the skill.');
  return path;
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path); // a recording may still have to be made
    return above === path ? path : resolve(realOf(above), path.slice(above.length).replace(/^[/\\]+/, ''));
  }
}
