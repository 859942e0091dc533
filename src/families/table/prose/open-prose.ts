import { join } from 'node:path';
import {
  AgentError,
  isAgentError,
  optional,
  type ErrorData,
  type Json,
  type Scope,
} from '../../../core/index.ts';
import { settleGeneration } from '../../../generation/lock.ts';
import { planGeneration } from '../../../generation/plan-generation.ts';
import { failureOf } from '../../../generation/status.ts';
import type { TableDefinition } from '../descriptor/definition.ts';
import { noProse, type ProseInput, type ProseRules } from '../rules/drafts.ts';
import { labelOf } from '../table.ts';
import type { PreparedTable } from './generate-prose.ts';
import { buildPromise, proseItems, proseRecipe, proseTarget, type ProseItem } from './prose-items.ts';

/**
 * Opens a table's prose rules. Rules with code in the table's folder can run; all others are listed as not
 * enforced.
 */
export async function openProse(definition: TableDefinition, scope: Scope): Promise<ProseRules> {
  const { dir } = scope.skill;
  if (proseItems(definition).length === 0) return noProse;
  if (dir !== '') await settleGeneration(dir, proseRecipe(definition)?.specs);
  const { module, enforced, open, failure } = inspectCode(definition, dir);
  const why = (definition as PreparedTable).proseFailure ?? failure;
  const byCall = new Map(enforced.map((item) => [`${item.kind}:${item.name}`, item]));
  return {
    notEnforced: open.map((item) => sentenceFor(item, scope, why)),
    has: (kind, name) => byCall.has(`${kind}:${name}`),
    run(kind, name, inputs) {
      const item = byCall.get(`${kind}:${name}`);
      return item === undefined ? noProse.run(kind, name, inputs) : runProse(item, { module, scope }, inputs);
    },
  };
}

function sentenceFor(
  { kind, field, prose }: ProseItem,
  { skill }: Scope,
  why: ErrorData | undefined,
): string {
  const what =
    field === undefined
      ? `The rule "${firstLine(prose.text)}"`
      : `The ${ruleKinds[kind][0]} of ${labelOf(field)}`;
  const reason =
    why === undefined
      ? 'no code has been generated for it yet'
      : `no code could be generated for it: ${firstLine(why.message)}`;
  return `${what} is not enforced (${skill.file}:${prose.line}): ${reason.replace(/\.$/, '')}.`;
}

type RuleKind = readonly [label: string, expectedResult: string, fits: (result: Json) => boolean];

const ruleKinds: Readonly<Record<ProseItem['kind'], RuleKind>> = {
  validate: ['Validator', 'null or a sentence', isVerdict],
  present: ['Presenter', 'a text', (result) => typeof result === 'string'],
  resolve: ['Resolver', 'a value', () => true],
  enumerate: ['Enumerator', 'a list', Array.isArray],
  derive: ['Derivator', 'a value', () => true],
  require: ['condition of Required', 'true or false', (result) => typeof result === 'boolean'],
  key: [
    'rule for the Primary Key',
    'a text or a number',
    (result) => /^(?:string|number)$/.test(typeof result),
  ],
  rule: ['rule', 'null or a sentence', isVerdict],
};

function isVerdict(result: Json): boolean {
  return result === null || (typeof result === 'string' && result.trim() !== '');
}

const longest = 200; // The maximum number of characters shown of a line.

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

/**
 * Finds the prose rules that the code in the table's folder implements. Handwritten code is assumed to
 * implement all rules. Never throws.
 */
function inspectCode(
  definition: TableDefinition,
  dir: string,
): {
  /** The absolute path of the code module. */
  readonly module: string;
  readonly enforced: readonly ProseItem[];
  /** The prose rules for which no code has been generated. */
  readonly open: readonly ProseItem[];
  /** The reason why some prose rules have no code. */
  readonly failure?: ErrorData;
} {
  const items = proseItems(definition);
  const recipe = proseRecipe(definition);
  const plan = dir === '' || recipe === undefined ? undefined : planGeneration(dir, recipe);
  const file = plan?.files.find(({ spec }) => spec.target === proseTarget);
  const module = join(dir, 'src', proseTarget);
  const isGeneratedFor = (item: ProseItem): boolean => {
    if (file?.digest === undefined) return false;
    return plan?.before === undefined || `${plan.before.contract}\n`.includes(`${buildPromise(item)}\n`);
  };
  return {
    module,
    enforced: items.filter(isGeneratedFor),
    open: items.filter((item) => !isGeneratedFor(item)),
    ...optional('failure', plan && failureOf(dir, plan)?.error),
  };
}

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
async function runProse(
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
    const failure = codeError(item, runtime, thrown);
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
  const [, expected, fits] = ruleKinds[kind];
  const results = value as readonly Json[];
  const wrong = results.find((result) => !fits(result));
  if (wrong === undefined)
    return results.map((result) =>
      fits === isVerdict && typeof result === 'string' ? result.slice(0, longestMessage) : result,
    );
  throw new AgentError(
    'skill.failed',
    `${call} returned ${JSON.stringify(wrong).slice(0, 100)}, which is not ${expected}.`,
  );
}

const longestMessage = 500; // In characters.

function codeError({ prose }: ProseItem, { scope: { skill } }: ProseRuntime, cause: AgentError): AgentError {
  const message = `The code of "${skill.name}" for ${skill.file}:${prose.line} failed: ${cause.message}`;
  return new AgentError('skill.failed', message, {
    hint: `Write it more precisely there, or generate the code again with \`skilled build ${skill.name} --force\`.`,
    cause,
  });
}
