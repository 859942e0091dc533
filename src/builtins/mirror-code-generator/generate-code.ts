import { statSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import {
  AgentError,
  fromErrorData,
  isAgentError,
  optional,
  toErrorData,
  untilAborted,
  type Json,
  type Output,
  type Scope,
} from '../../core/index.ts';
import { isWithin, locate, resolveInside, systemCode } from '../../files/index.ts';
import { withGeneration } from '../../generation/lock.ts';
import {
  codeRecipe,
  hasWork,
  planGeneration,
  type GenerationPlan,
} from '../../generation/plan-generation.ts';
import type { SpecTexts } from '../../generation/read-specs.ts';
import { openStaging } from '../../generation/staging.ts';
import { clearFailure, failureOf, readFailure, writeFailure } from '../../generation/status.ts';
import type { Checks } from './check-code.ts';
import { makeCode } from './make-code.ts';

/** What is to be generated. */
interface Order {
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
      writeFailure(dir, { inputs, at, runId: scope.run.id, error: toErrorData(thrown) });
    }
    throw thrown;
  }
  const to = staging.finish({ ...codeRecipe, contract: plan.contract, files: madeIn(plan) });
  await scope.attest({ dir, from: staging.origin, to });
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

/** How a generation came out; without a plan there was nothing to generate, without checks nothing had to be done. */
export function buildOutput(plan?: Pick<GenerationPlan, 'files' | 'orphans'>, checks?: Checks): Output {
  const { files = [], orphans = [] } = plan ?? {};
  const pathsOf = (status: string): readonly string[] =>
    files.filter((file) => file.status === status).map(({ spec }) => `src/${spec.target}`);
  const states = {
    generated: pathsOf('due'),
    current: pathsOf('current'),
    drifted: pathsOf('drifted'),
    removed: orphans.map((target) => `src/${target}`),
  };
  const value: Json = checks === undefined ? states : { ...states, checks: { ...checks } };
  const untyped = checks?.types === 'absent' ? ' Types were not checked.' : '';
  return { status: 'done', text: `${textOf(states)}${untyped}`, value };
}

type States = Readonly<Record<'generated' | 'current' | 'drifted' | 'removed', readonly string[]>>;

/** As `2 files generated, 1 up to date.` */
function textOf({ generated, current, drifted, removed }: States): string {
  const counts: readonly (readonly [number, string])[] = [
    [generated.length, 'generated'],
    [current.length, 'up to date'],
    [drifted.length, 'changed by hand and left as found'],
    [removed.length, 'removed'],
  ];
  const [first, ...others] = counts.filter(([count]) => count > 0);
  if (first === undefined) return 'There is nothing to generate.';
  const [count, words] = first;
  const rest = others.map(([more, said]) => `, ${more} ${said}`).join('');
  return `${count} ${count === 1 ? 'file' : 'files'} ${words}${rest}.`;
}

/**
 * The folder of the skill whose code is meant, absolute. A person may name any in the workspace and that of any skill; a
 * skill only one that it can read as that of a skill, so that nothing else in the workspace is taken for one.
 */
export function findDirectory(directory: string, scope: Pick<Scope, 'run' | 'files' | 'skills'>): string {
  const {
    run: { depth },
    files: { readable, workspace },
  } = scope;
  const named = scope.skills.lookUp(basename(directory))?.dir ?? '';
  const others = depth === 1 && named !== '' ? [...readable, named] : readable;
  const area = { workspace, others };
  const dir = locate(area, directory);
  const isInside = depth === 1 && workspace !== undefined && isWithin(dir, resolve(workspace));
  if (!isInside && !others.includes(dir)) {
    throw new AgentError(
      'policy.denied',
      `"${directory}" is not the folder of a skill that may be changed.`,
      {
        hint: 'A person can name the folder of a skill or one in the workspace, a skill only its own.',
      },
    );
  }
  const { real } = resolveInside(area, directory);
  if (!statSync(real).isDirectory()) {
    throw new AgentError('usage.bad-input', `"${directory}" is not a folder.`, {
      hint: 'Give the folder of a skill, the one with its specs folder.',
    });
  }
  return dir;
}
