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

/** A request to generate a skill's code. */
interface Order {
  /** The absolute path of the skill's folder. */
  readonly dir: string;
  readonly contract?: string | undefined;
  readonly exports: readonly string[];
  /** The file, relative to `src`, that must have the exports. Defaults to the file that callers load. */
  readonly entry?: string | undefined;
  readonly specs?: SpecTexts | undefined;
  readonly force: boolean;
}

/**
 * Generates the outdated files of a skill. Waits while another process generates code for the same skill.
 * Writes nothing if all files are up to date.
 */
export async function generateCode(scope: Scope, order: Order): Promise<Output> {
  const { dir } = order;
  const plan = planFor(order);
  if (plan === undefined) return buildOutput();
  if (!hasWork(plan) && readFailure(dir) === undefined) return buildOutput(plan);
  const onWait = (): void => {
    scope.note(`Waiting for another process that is generating code for ${basename(dir)}.`);
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
  const checks = makeAndPut(scope, order, plan, staging);
  return buildOutput(plan, await untilAborted(scope.signal, checks));
}

/**
 * Generates a skill's code in a staging folder and puts it in place. Stores a failure that the code itself
 * caused, but not a temporary one, such as a failure of the model or the disk.
 */
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
  const to = staging.finish({ ...codeRecipe, contract: plan.contract, files: manifestFiles(plan) });
  await scope.attest({ dir, from: staging.origin, to });
  scope.signal.throwIfAborted();
  staging.commit();
  return checks;
}

// The codes of errors that would recur, at the same cost, until the specs change.
const lasting: readonly string[] = [
  ...['skill.failed', 'model.bad-answer', 'model.refused', 'model.length', 'model.too-long'],
];

/**
 * Whether an error was caused by the code itself. System errors, such as a full disk, are considered
 * temporary.
 */
function isOfCode({ code, cause }: AgentError): boolean {
  return lasting.includes(code) && systemCode(cause) === undefined;
}

/**
 * Returns the generation plan, or undefined if the skill has no specs. Throws `skill.invalid` if the specs
 * are unusable.
 */
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
  const location = first.file === undefined ? '' : `${relative(dir, first.file)}${lineOf(first.line)}: `;
  throw new AgentError('skill.invalid', `${location}${first.message}`, {
    ...optional('hint', first.hint),
    details: { faults },
  });
}

function lineOf(line: number | undefined): string {
  return line === undefined ? '' : `:${line}`;
}

/** Returns the manifest entries of all files. A file that was changed by hand keeps its earlier entry. */
function manifestFiles({ files, before }: GenerationPlan): Record<string, { spec: string; inputs: string }> {
  const entries = files.flatMap(({ spec: { path, target }, inputs, status }) => {
    const generatedFrom = status === 'drifted' ? before?.files[target]?.inputs : inputs;
    return generatedFrom === undefined ? [] : [[target, { spec: path, inputs: generatedFrom }] as const];
  });
  return Object.fromEntries(entries);
}

/**
 * Builds the output of a generation. `plan` is absent if the skill has no specs, and `checks` is absent if no
 * file was outdated.
 */
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

/** Summarises the states of the files, for example `2 files generated, 1 up to date.` */
function textOf({ generated, current, drifted, removed }: States): string {
  const counts: readonly (readonly [number, string])[] = [
    [generated.length, 'generated'],
    [current.length, 'up to date'],
    [drifted.length, 'changed by hand and left unchanged'],
    [removed.length, 'removed'],
  ];
  const [first, ...others] = counts.filter(([count]) => count > 0);
  if (first === undefined) return 'There is nothing to generate.';
  const [count, label] = first;
  const rest = others.map(([more, said]) => `, ${more} ${said}`).join('');
  return `${count} ${count === 1 ? 'file' : 'files'} ${label}${rest}.`;
}

/**
 * Returns the absolute path of the folder to generate code in. A user can pass any skill folder or any folder
 * in the workspace. A skill can pass only a skill folder that it may read, so that other folders in the
 * workspace are not treated as skills.
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
    throw new AgentError('policy.denied', `"${directory}" is not a skill folder that you may change.`, {
      hint: 'A user can pass any skill folder or any folder in the workspace. A skill can pass only its own folder.',
    });
  }
  const { real } = resolveInside(area, directory);
  if (!statSync(real).isDirectory()) {
    throw new AgentError('usage.bad-input', `"${directory}" is not a folder.`, {
      hint: 'Pass the skill folder that contains the specs folder.',
    });
  }
  return dir;
}
