import { basename, relative } from 'node:path';
import { AgentError, fromErrorData, isAgentError, toErrorData } from '../../core/error.ts';
import { optional } from '../../core/collections.ts';
import type { Output } from '../../core/run.ts';
import type { Scope } from '../../core/scope.ts';
import { untilAborted } from '../../core/async.ts';
import { systemCode } from '../../files/file-fault.ts';
import { codeRecipe } from '../../generation/code-recipe.ts';
import { clearFailure, failureOf, readFailure, writeFailure } from '../../generation/failure.ts';
import { hasWork, planGeneration, type GenerationPlan } from '../../generation/plan-generation.ts';
import type { SpecTexts } from '../../generation/read-specs.ts';
import { openStaging } from '../../generation/staging.ts';
import { withGeneration } from '../../generation/with-generation.ts';
import { buildOutput } from './build-output.ts';
import type { Checks } from './check-code.ts';
import { makeCode } from './make-code.ts';

/** What is to be generated. */
export interface Order {
  /** The folder of the skill, absolute. */
  readonly dir: string;
  readonly contract?: string | undefined;
  readonly exports: readonly string[];
  /** The file that exports them, from `src`; that which callers load unless given. */
  readonly entry?: string | undefined;
  readonly specs?: SpecTexts | undefined;
  readonly force: boolean;
}

/** Makes what is due of the code of a skill, while nobody else does; where nothing is, nothing is written either. */
export async function generateCode(scope: Scope, order: Order): Promise<Output> {
  const { dir } = order;
  const plan = planFor(order);
  if (plan === undefined) return buildOutput();
  if (!hasWork(plan) && readFailure(dir) === undefined) return buildOutput(plan);
  const onWait = (): void => {
    scope.note(`Waiting for another process that generates the code of ${basename(dir)}.`);
  };
  return withGeneration(dir, { signal: scope.signal, onWait }, () => generateAlone(scope, order));
}

async function generateAlone(scope: Scope, order: Order): Promise<Output> {
  const { dir, force } = order;
  const plan = planFor(order);
  if (plan === undefined) return buildOutput();
  if (!hasWork(plan)) {
    clearFailure(dir);
    return buildOutput(plan);
  }
  const before = failureOf(dir, plan);
  if (!force && before !== undefined) throw fromErrorData(before.error);
  using staging = openStaging(dir);
  const made = makeAndPut(scope, order, plan, staging);
  return buildOutput(plan, await untilAborted(scope.signal, made));
}

/** Remembers a failure of the code; trouble with what is needed to make it passes, and is not remembered. */
async function makeAndPut(
  scope: Scope,
  { dir, exports, entry }: Order,
  plan: GenerationPlan,
  staging: ReturnType<typeof openStaging>,
): Promise<Checks> {
  let checks: Checks;
  try {
    checks = await makeCode(scope, { plan, staging, exports, ...optional('entry', entry) });
  } catch (thrown) {
    if (isAgentError(thrown) && isOfCode(thrown) && !scope.signal.aborted) {
      const { inputs } = plan;
      const at = await scope.now();
      writeFailure(dir, { inputs, at, runId: scope.runId, error: toErrorData(thrown) });
    }
    throw thrown;
  }
  const to = staging.finish({ ...codeRecipe, contract: plan.contract, files: madeIn(plan) });
  await scope.vouch({ dir, from: staging.origin, to });
  scope.signal.throwIfAborted();
  staging.putInPlace();
  return checks;
}

// What the same specs would lead to again, and cost again.
const lasting: readonly string[] = [
  ...['skill.failed', 'model.bad-answer', 'model.refused', 'model.length', 'model.too-long'],
];

/** A disk that is full or closed may not be so the next time. */
function isOfCode({ code, cause }: AgentError): boolean {
  return lasting.includes(code) && systemCode(cause) === undefined;
}

/** Throws `skill.invalid` for specs that cannot be used. */
function planFor({ dir, contract, specs, force }: Order): GenerationPlan | undefined {
  const recipe = { ...codeRecipe, ...optional('contract', contract), ...optional('specs', specs) };
  const plan = planGeneration(dir, recipe, { force });
  const errors = plan?.issues.filter(({ level }) => level === 'error') ?? [];
  const [first] = errors;
  if (first === undefined) return plan;
  const faults = errors.map(({ file, line, message }) => ({
    ...optional('file', file === undefined ? undefined : relative(dir, file)),
    ...optional('line', line),
    message,
  }));
  const place = first.file === undefined ? '' : `${relative(dir, first.file)}${lineOf(first.line)}: `;
  throw new AgentError('skill.invalid', `${place}${first.message}`, {
    ...optional('hint', first.hint),
    details: { faults },
  });
}

function lineOf(line: number | undefined): string {
  return line === undefined ? '' : `:${line}`;
}

/** What every file is made of; one that was changed by hand stays what it was made of before. */
function madeIn({ files, before }: GenerationPlan): Record<string, { spec: string; inputs: string }> {
  const entries = files.flatMap(({ spec: { path, target }, inputs, status }) => {
    const made = status === 'drifted' ? before?.files[target]?.inputs : inputs;
    return made === undefined ? [] : [[target, { spec: path, inputs: made }] as const];
  });
  return Object.fromEntries(entries);
}
