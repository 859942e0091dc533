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

/** A generation plan and the staging folder for its files. */
interface Making {
  readonly plan: GenerationPlan;
  readonly staging: Staging;
  readonly exports: readonly string[];
  /** The file, relative to `src`, that must have the exports. Defaults to `index.*`. */
  readonly entry?: string;
}

const maxTurns = 2;

/**
 * Generates the outdated files in the copy of the skill and checks them, with at most two rounds of repairs.
 * Throws `skill.failed` with the remaining errors, or the error of the model or sandbox.
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
      for (const { target } of due) storeArtifact(scope, target, staging.read(target) ?? '');
      if (verdict.checks.types === 'absent') scope.note(noCompiler);
      for (const remark of verdict.remarks) scope.note(`A handwritten file has a problem: ${remark}`);
      return verdict.checks;
    }
    if (turn > maxTurns || due.length === 0) {
      for (const { spec, digest } of dueFiles)
        storeRejected(scope, spec.target, staging.read(spec.target), digest);
      throw failureOf(faults);
    }
    scope.note(`Repairing (${turn} of ${maxTurns}): ${shortText(faults[0])}`);
    faults = await writer.repair(faults);
  }
}

const maxFaults = 50;

/**
 * Returns a function that checks the current state of the copy. Opens the sandbox first, so that no model is
 * called if checking is impossible.
 */
async function openCheck(
  scope: Scope,
  { plan, staging, exports, entry }: Making,
): Promise<() => Promise<CodeVerdict>> {
  const { folder, origin } = staging;
  const { signal } = scope;
  const compiler = findCompiler();
  const sandbox = await scope.processes.sandbox([folder, ...programFiles(), ...(compiler?.folders ?? [])]);
  const targets = plan.files.filter(({ status }) => status !== 'drifted').map(({ spec }) => spec.target);
  const generated = targets.map((target) => `src/${target}`);
  const written = plan.files.flatMap(({ status, spec }) => (status === 'due' ? [`src/${spec.target}`] : []));
  return async () => {
    const state = hashOf([origin, targets.map((target) => staging.read(target) ?? null)]);
    const found = await scope.step(`check:${state}`, async () => {
      const code = { written, generated, exports, ...optional('entry', entry), compiler };
      const verdict = await checkCode({ sandbox, folder, signal }, code);
      const most = {
        ...verdict,
        faults: verdict.faults.slice(0, maxFaults),
        remarks: verdict.remarks.slice(0, 10),
      };
      return most as unknown as Json;
    });
    return found as unknown as CodeVerdict;
  };
}

const noCompiler =
  'Types were not checked: no TypeScript compiler is installed (npm install typescript @types/node).';

function storeArtifact(scope: Scope, target: string, text: string): void {
  scope.artifact({ name: `src/${target}`, mediaType: languageOf(target).mediaType, text });
}

/**
 * Stores a rejected file as an artifact, so that users can examine its errors. Omits files that the model
 * left unchanged.
 */
function storeRejected(
  scope: Scope,
  target: string,
  text: string | undefined,
  before: string | undefined,
): void {
  if (text !== undefined && `sha256:${hash('sha256', text)}` !== before) storeArtifact(scope, target, text);
}

/** Returns the names of the packages installed in the skill's folder. */
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
    if (!lstatSync(folder).isDirectory()) return []; // Do not follow links, which may lead elsewhere.
    return readdirSync(folder).filter((name) => !name.startsWith('.'));
  } catch {
    return []; // There is no `node_modules` folder.
  }
}

function failureOf(faults: readonly CodeFault[]): AgentError {
  return new AgentError('skill.failed', shortText(faults[0]), {
    hint: 'Add the missing details to the specs, or run the build again.',
    details: { faults: faults.map((fault) => ({ ...fault })) },
  });
}

/** Returns the first line of an error, which is enough to identify it. */
function shortText(fault: CodeFault | undefined): string {
  const [first = ''] = fault === undefined ? [] : printFault(fault).split('\n');
  return first.length > 500 ? `${first.slice(0, 500)}…` : first.replace(/:$/, '');
}
