import { AgentError, isAgentError, type Json, type Scope } from '../../../core/index.ts';
import type { ProseCase, ProseKind } from '../rules/prose-rules.ts';
import type { ProseItem } from './prose-items.ts';

const timeoutMs = 60_000;
const memoryBytes = 512 * 2 ** 20;
const mostAtOnce = 2000; // cases

/** Where code is, and who runs it. */
interface ProsePlace {
  readonly module: string;
  readonly scope: Scope;
}

/**
 * Runs the code for some words on cases, and gives what it came to where that is what its kind gives. What shows values
 * only warns when it fails, and gives null for each; everything else throws `skill.failed`.
 */
export async function runProse(
  item: ProseItem,
  place: ProsePlace,
  cases: readonly ProseCase[],
): Promise<readonly Json[]> {
  try {
    const results: Json[] = [];
    for (let at = 0; at < cases.length; at += mostAtOnce)
      results.push(...(await runSome(item, place, cases.slice(at, at + mostAtOnce))));
    return results;
  } catch (thrown) {
    if (!isAgentError(thrown) || !ofCode.includes(thrown.code)) throw thrown;
    const failure = failureOf(item, place, thrown);
    if (item.kind !== 'present') throw failure;
    place.scope.note(`${failure.message} The values are shown as they are kept.`, { level: 'warning' });
    return cases.map(() => null);
  }
}

const ofCode: readonly string[] = ['skill.failed', 'skill.invalid', 'limit.time', 'limit.too-large'];

async function runSome(
  { kind, call }: ProseItem,
  { module, scope }: ProsePlace,
  cases: readonly ProseCase[],
): Promise<readonly Json[]> {
  const { value } = await scope.processes.runCode({
    module,
    name: call,
    input: cases.map(({ value: given, record }) => ({ value: given, record })),
    functions: {},
    facts: { runId: scope.run.id, session: scope.run.session, skill: scope.skill.name },
    timeoutMs,
    memoryBytes,
  });
  if (!Array.isArray(value) || value.length !== cases.length)
    throw new AgentError(
      'skill.failed',
      `${call} gave no list with an entry for each of ${cases.length} cases.`,
    );
  const results = value as readonly Json[];
  const wrong = results.find((result) => !fits[kind](result));
  if (wrong === undefined)
    return results.map((result) => (kind === 'validate' || kind === 'rule' ? cut(result) : result));
  throw new AgentError(
    'skill.failed',
    `${call} gave ${JSON.stringify(wrong).slice(0, 100)}, which is not ${wanted[kind]}.`,
  );
}

const mostSaid = 500; // characters

function cut(message: Json): Json {
  return typeof message === 'string' ? message.slice(0, mostSaid) : message;
}

const isVerdict = (result: Json): boolean =>
  result === null || (typeof result === 'string' && result.trim() !== '');
const isAny = (): boolean => true;

const fits: Readonly<Record<ProseKind, (result: Json) => boolean>> = {
  validate: isVerdict,
  rule: isVerdict,
  require: (result) => typeof result === 'boolean',
  present: (result) => typeof result === 'string',
  enumerate: (result) => Array.isArray(result),
  resolve: isAny,
  derive: isAny,
  key: (result) => typeof result === 'string' || typeof result === 'number',
};

const wanted: Readonly<Record<ProseKind, string>> = {
  validate: 'null or a sentence',
  rule: 'null or a sentence',
  require: 'true or false',
  present: 'a text',
  enumerate: 'a list',
  resolve: 'a value',
  derive: 'a value',
  key: 'a text or a number',
};

function failureOf({ prose }: ProseItem, { scope: { skill } }: ProsePlace, cause: AgentError): AgentError {
  const message = `The code of "${skill.name}" for ${skill.file}:${prose.line} failed: ${cause.message}`;
  return new AgentError('skill.failed', message, {
    hint: `Say it more exactly there, or have the code made anew with \`skilled build ${skill.name} --force\`.`,
    cause,
  });
}
