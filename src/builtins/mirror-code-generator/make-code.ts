import { hash } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { AgentError, hashOf, optional, type Json, type Scope } from '../../core/index.ts';
import type { GenerationPlan } from '../../generation/plan-generation.ts';
import type { Staging } from '../../generation/staging.ts';
import { checkCode, type Checks, type CodeVerdict } from './check-code.ts';
import { printFault, programFiles, type CodeFault } from './check-programs.ts';
import { findCompiler } from './check-types.ts';
import { languageOf } from './language.ts';
import { createWriter } from './writer.ts';

/** What code is made of, and where. */
interface Making {
  readonly plan: GenerationPlan;
  readonly staging: Staging;
  readonly exports: readonly string[];
  /** The file that exports them, from `src`; `index.*` unless given. */
  readonly entry?: string;
}

const mostTurns = 2;

/**
 * Writes what is due into the copy of the skill until it passes all checks, with two repairs at most. Throws
 * `skill.failed` with the faults that are left, and the failure of the model or the sandbox.
 */
export async function makeCode(scope: Scope, making: Making): Promise<Checks> {
  const { plan, staging, exports, entry } = making;
  const dueFiles = plan.files.filter(({ status }) => status === 'due');
  const due = dueFiles.map(({ spec }) => spec);
  const check = await openCheck(scope, making);
  for (const target of plan.orphans) staging.remove(target);
  const task = {
    contract: plan.contract,
    exports,
    ...optional('entry', entry),
    specs: plan.files.map(({ spec }) => spec),
    packages: packagesIn(staging.folder),
    read: (target: string) => staging.read(target),
  };
  const writer = createWriter(scope, staging, task, due);
  let faults = await writer.write();
  for (let turn = 1; ; turn++) {
    const verdict = faults.length === 0 ? await check() : undefined;
    faults = verdict?.faults ?? faults;
    if (verdict !== undefined && faults.length === 0) {
      for (const { target } of due) keepArtifact(scope, target, staging.read(target) ?? '');
      if (verdict.checks.types === 'absent') scope.note(noCompiler);
      for (const remark of verdict.remarks) scope.note(`A file that was written by hand: ${remark}`);
      return verdict.checks;
    }
    if (turn > mostTurns || due.length === 0) {
      for (const { spec, digest } of dueFiles)
        keepRefused(scope, spec.target, staging.read(spec.target), digest);
      throw failureOf(faults);
    }
    scope.note(`Repairing (${turn} of ${mostTurns}): ${shortText(faults[0])}`);
    faults = await writer.repair(faults);
  }
}

const mostFaults = 50;

/** What checks the copy as it is then; opened first, so that no model is paid where nothing can be checked. */
async function openCheck(
  scope: Scope,
  { plan, staging, exports, entry }: Making,
): Promise<() => Promise<CodeVerdict>> {
  const { folder, origin } = staging;
  const { signal } = scope;
  const compiler = findCompiler();
  const sandbox = await scope.processes.sandbox([folder, ...programFiles(), ...(compiler?.folders ?? [])]);
  const targets = plan.files.filter(({ status }) => status !== 'drifted').map(({ spec }) => spec.target);
  const made = targets.map((target) => `src/${target}`);
  const written = plan.files.flatMap(({ status, spec }) => (status === 'due' ? [`src/${spec.target}`] : []));
  return async () => {
    const state = hashOf([origin, targets.map((target) => staging.read(target) ?? null)]);
    const found = await scope.step(`check:${state}`, async () => {
      const code = { written, made, exports, ...optional('entry', entry), compiler };
      const verdict = await checkCode({ sandbox, folder, signal }, code);
      const most = {
        ...verdict,
        faults: verdict.faults.slice(0, mostFaults),
        remarks: verdict.remarks.slice(0, 10),
      };
      return most as unknown as Json;
    });
    return found as unknown as CodeVerdict;
  };
}

const noCompiler =
  'Types were not checked: no TypeScript compiler is installed (npm install typescript @types/node).';

function keepArtifact(scope: Scope, target: string, text: string): void {
  scope.artifact({ name: `src/${target}`, mediaType: languageOf(target).mediaType, text });
}

/** Whoever reads what is wrong with a file can look at it then; one that is as it was before is not what was written. */
function keepRefused(
  scope: Scope,
  target: string,
  text: string | undefined,
  before: string | undefined,
): void {
  if (text !== undefined && `sha256:${hash('sha256', text)}` !== before) keepArtifact(scope, target, text);
}

/** The names of packages that lie in the folder of the skill. */
function packagesIn(folder: string): readonly string[] {
  const names = namesIn(join(folder, 'node_modules'));
  const scoped = names.filter((name) => name.startsWith('@'));
  const inside = scoped.flatMap((name) =>
    namesIn(join(folder, 'node_modules', name)).map((one) => `${name}/${one}`),
  );
  return [...names.filter((name) => !scoped.includes(name)), ...inside].sort();
}

function namesIn(folder: string): readonly string[] {
  try {
    if (!lstatSync(folder).isDirectory()) return []; // a link could lead to what is nobody's business
    return readdirSync(folder).filter((name) => !name.startsWith('.'));
  } catch {
    return []; // there is no such folder
  }
}

function failureOf(faults: readonly CodeFault[]): AgentError {
  return new AgentError('skill.failed', shortText(faults[0]), {
    hint: 'Say in the specs what is missing, or build it again.',
    details: { faults: faults.map((fault) => ({ ...fault })) },
  });
}

/** The first line of a fault, which is enough to know it by. */
function shortText(fault: CodeFault | undefined): string {
  const [first = ''] = fault === undefined ? [] : printFault(fault).split('\n');
  return first.length > 500 ? `${first.slice(0, 500)}…` : first.replace(/:$/, '');
}
