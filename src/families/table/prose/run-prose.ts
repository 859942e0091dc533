import { AgentError, isAgentError, type Json, type Scope } from '../../../core/index.ts';
import type { ProseInput, ProseKind } from '../rules/drafts.ts';
import type { ProseItem } from './prose-items.ts';

const timeoutMs = 60_000;
const memoryBytes = 512 * 2 ** 20;
const maxConcurrent = 2000; // The maximum number of cases per call.

/** The code that implements prose rules, and the scope to run it in. */
interface ProseRuntime {
  readonly module: string;
  readonly scope: Scope;
}

/**
 * Runs a prose rule's code on several cases and checks the results. If a presenter fails, warns and returns
 * null for each case. If other code fails, throws `skill.failed`.
 */
export async function runProse(
  item: ProseItem,
  runtime: ProseRuntime,
  inputs: readonly ProseInput[],
): Promise<readonly Json[]> {
  try {
    const results: Json[] = [];
    for (let at = 0; at < inputs.length; at += maxConcurrent)
      results.push(...(await runSome(item, runtime, inputs.slice(at, at + maxConcurrent))));
    return results;
  } catch (thrown) {
    if (!isAgentError(thrown) || !ofCode.includes(thrown.code)) throw thrown;
    const failure = failureOf(item, runtime, thrown);
    if (item.kind !== 'present') throw failure;
    runtime.scope.note(`${failure.message} The values are shown as they are stored.`, { level: 'warning' });
    return inputs.map(() => null);
  }
}

const ofCode: readonly string[] = ['skill.failed', 'skill.invalid', 'limit.time', 'limit.too-large'];

async function runSome(
  { kind, call }: ProseItem,
  { module, scope }: ProseRuntime,
  inputs: readonly ProseInput[],
): Promise<readonly Json[]> {
  const { value } = await scope.processes.runCode({
    module,
    name: call,
    input: inputs.map(({ value: given, record }) => ({ value: given, record })),
    functions: {},
    facts: { runId: scope.run.id, session: scope.run.session, skill: scope.skill.name },
    timeoutMs,
    memoryBytes,
  });
  if (!Array.isArray(value) || value.length !== inputs.length)
    throw new AgentError(
      'skill.failed',
      `${call} did not return a list with one entry for each case (expected ${inputs.length}).`,
    );
  const [expected, fits] = expectedResults[kind];
  const returned = value as readonly Json[];
  const wrong = returned.find((result) => !fits(result));
  if (wrong === undefined) return fits === isVerdict ? returned.map(cut) : returned;
  throw new AgentError(
    'skill.failed',
    `${call} returned ${JSON.stringify(wrong).slice(0, 100)}, which is not ${expected}.`,
  );
}

const maxSaid = 500; // The maximum length of a message, in characters.

function cut(message: Json): Json {
  return typeof message === 'string' ? message.slice(0, maxSaid) : message;
}

/** The results that the code for each kind of rule can return. */
const expectedResults: Readonly<
  Record<ProseKind, readonly [expected: string, fits: (result: Json) => boolean]>
> = {
  validate: ['null or a sentence', isVerdict],
  rule: ['null or a sentence', isVerdict],
  require: ['true or false', (result) => typeof result === 'boolean'],
  present: ['a text', (result) => typeof result === 'string'],
  enumerate: ['a list', Array.isArray],
  resolve: ['a value', () => true],
  derive: ['a value', () => true],
  key: ['a text or a number', (result) => typeof result === 'string' || typeof result === 'number'],
};

function isVerdict(result: Json): boolean {
  return result === null || (typeof result === 'string' && result.trim() !== '');
}

function failureOf({ prose }: ProseItem, { scope: { skill } }: ProseRuntime, cause: AgentError): AgentError {
  const message = `The code of "${skill.name}" for ${skill.file}:${prose.line} failed: ${cause.message}`;
  return new AgentError('skill.failed', message, {
    hint: `Write it more precisely there, or generate the code again with \`skilled build ${skill.name} --force\`.`,
    cause,
  });
}
