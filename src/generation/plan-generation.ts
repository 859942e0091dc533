import { hash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { byCodeUnits, canonicalJson, type Issue, type Json } from '../core/index.ts';
import { digestFolder } from '../files/index.ts';
import { readManifest, type Manifest, type ManifestEntry } from './manifest.ts';
import { readSpecs, type Spec, type SpecTexts } from './read-specs.ts';
import { lookAtTarget, type TargetState } from './targets.ts';

/**
 * The current recipe. Increase `generator` after improving prompts or checks, so that all code is
 * regenerated.
 */
export const codeRecipe = { generator: '1', tier: 'code' } as const satisfies Recipe;

/** The inputs of code generation, apart from spec files. */
export interface Recipe {
  /** The version of the code generator. A new version causes all code to be regenerated. */
  readonly generator: string;
  readonly tier: string;
  /**
   * The description of the skill's inputs and outputs. Defaults to the description used by the last
   * generation.
   */
  readonly contract?: string;
  /** Additional specs that are not files in the skill folder. */
  readonly specs?: SpecTexts;
}

/** A source file to generate from a spec. */
interface PlannedFile {
  readonly spec: Spec;
  readonly inputs: string;
  /**
   * `current`: up to date. `due`: must be generated. `drifted`: edited by hand, and therefore left unchanged.
   */
  readonly status: 'current' | 'due' | 'drifted';
  /** The hash of the file on disk. Absent if the file does not exist. */
  readonly digest?: string;
}

/** The plan for a generation: the files to generate and the files to remove. */
export interface GenerationPlan {
  /** The files that have specs, each after its dependencies. Empty if there is an error in the specs. */
  readonly files: readonly PlannedFile[];
  /**
   * The files to remove because their specs were deleted. Files that were edited by hand are not among them.
   */
  readonly orphans: readonly string[];
  /** The hash of all inputs of the plan. A failed generation is recorded with this hash. */
  readonly inputs: string;
  readonly contract: string;
  readonly before: Manifest | undefined;
  readonly issues: readonly Issue[];
}

/** Whether a plan has files to generate or to remove. */
export function hasWork({ files, orphans }: GenerationPlan): boolean {
  return orphans.length > 0 || files.some(({ status }) => status === 'due');
}

/**
 * Compares a skill's specs with its generated files. Considers their contents but not their timestamps.
 * Returns undefined if the skill has no specs. Never throws.
 */
export function planGeneration(
  dir: string,
  recipe: Recipe,
  { force = false }: { readonly force?: boolean } = {},
): GenerationPlan | undefined {
  const read = readSpecs(dir, recipe.specs);
  if (read === undefined) return undefined;
  const { manifest: before, issues: doubts } = readManifest(dir);
  const contract = recipe.contract ?? before?.contract ?? '';
  const base = [recipe.generator, recipe.tier, contract];
  const isBroken = read.issues.some(({ level }) => level === 'error');
  const specs = isBroken ? [] : read.specs;
  const { orphans, issues: orphanIssues } = isBroken ? noOrphans : findOrphans(dir, before, specs);
  const inputs = inputsOf(specs, base);
  const looked = specs.map((spec) => ({ spec, state: lookAtTarget(dir, spec.target) }));
  const files = looked.map(({ spec, state }): PlannedFile => {
    const ownInputs = inputs.get(spec.target) ?? '';
    const status = statusOf(state, ownInputs, entryOf(before, spec.target));
    const isBlocked = typeof state === 'object' && 'fault' in state;
    return {
      spec,
      inputs: ownInputs,
      status: force && !isBlocked ? 'due' : status,
      ...(typeof state === 'object' && 'digest' in state ? { digest: state.digest } : {}),
    };
  });
  const blocked = looked.flatMap(({ spec, state }) => blockedIssue(dir, spec, state));
  const generatedInputs = looked.map(({ spec, state }, index) => [
    files[index]?.inputs ?? '',
    foreignBytes(state, entryOf(before, spec.target)),
  ]);
  return {
    files,
    orphans,
    inputs: sum([...base, ...generatedInputs, testsOf(dir)]),
    contract,
    before,
    issues: [...read.issues, ...doubts, ...blocked, ...orphanIssues],
  };
}

const noOrphans = { orphans: [], issues: [] };

/** Returns the hash of each file's inputs, keyed by target. `specs` must be in dependency order. */
function inputsOf(specs: readonly Spec[], base: readonly string[]): ReadonlyMap<string, string> {
  const inputs = new Map<string, string>();
  for (const { target, text, dependencies } of specs) {
    const below = dependencies.map((other) => inputs.get(other) ?? '');
    inputs.set(target, sum([...base, target, text, below]));
  }
  return inputs;
}

function statusOf(
  state: TargetState,
  inputs: string,
  entry: ManifestEntry | undefined,
): PlannedFile['status'] {
  if (state === 'nothing') return 'due';
  if (entry === undefined || !('digest' in state) || state.digest !== entry.output) return 'drifted';
  return entry.inputs === inputs ? 'current' : 'due';
}

/**
 * Returns the hash of the file at a target if it was written or edited by hand, otherwise null. Generated
 * code must be compatible with such a file.
 */
function foreignBytes(state: TargetState, entry: ManifestEntry | undefined): Json {
  if (state === 'nothing' || !('digest' in state)) return null;
  return state.digest === entry?.output ? null : state.digest;
}

function entryOf(manifest: Manifest | undefined, target: string): ManifestEntry | undefined {
  return manifest !== undefined && Object.hasOwn(manifest.files, target) ? manifest.files[target] : undefined;
}

function blockedIssue(dir: string, { target, path }: Spec, state: TargetState): readonly Issue[] {
  if (state === 'nothing' || !('fault' in state)) return [];
  const message = `${path} cannot become src/${target}: ${state.fault}.`;
  const hint = 'Move the file or folder elsewhere, or rename the spec.';
  return [{ level: 'error', code: 'generation.blocked', message, file: join(dir, 'src', target), hint }];
}

/**
 * Returns the hash of a skill's tests, which generated code must pass. Ignores a test folder that is a link,
 * because the link's target could be any folder.
 */
function testsOf(dir: string): string {
  const folder = join(dir, 'tests');
  try {
    return lstatSync(folder).isDirectory() ? digestFolder(folder) : '';
  } catch {
    return ''; // If the folder cannot be read, no tests can run.
  }
}

function sum(parts: readonly Json[]): string {
  return `sha256:${hash('sha256', canonicalJson(parts))}`;
}

/**
 * Finds generated files that no longer have a spec. Files that were not edited by hand can be removed. The
 * other files are reported as issues.
 */
function findOrphans(
  dir: string,
  before: Manifest | undefined,
  specs: readonly { readonly target: string }[],
): { readonly orphans: readonly string[]; readonly issues: readonly Issue[] } {
  const targets = new Set(specs.map(({ target }) => target));
  const orphans: string[] = [];
  const issues: Issue[] = [];
  for (const [target, { output, spec }] of Object.entries(before?.files ?? {})) {
    if (targets.has(target)) continue;
    const state = lookAtTarget(dir, target);
    if (state === 'nothing') continue;
    if ('digest' in state && state.digest === output) orphans.push(target);
    else issues.push(modifiedOrphan(dir, target, spec));
  }
  return { orphans: orphans.sort(byCodeUnits), issues };
}

function modifiedOrphan(dir: string, target: string, spec: string): Issue {
  return {
    level: 'info',
    code: 'generation.orphan',
    message: `src/${target} was generated from ${spec}, which is gone, and then changed by hand; it is kept.`,
    file: join(dir, 'src', target),
    hint: 'Remove the file if nothing uses it.',
  };
}
