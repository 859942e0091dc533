import { hash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { byCodeUnits, canonicalJson, type Issue, type Json } from '../core/index.ts';
import { digestFolder } from '../files/index.ts';
import { readManifest, type Manifest, type ManifestEntry } from './manifest.ts';
import { readSpecs, type Spec, type SpecTexts } from './read-specs.ts';
import { lookAtTarget, type TargetState } from './targets.ts';

/** What code of skills is made with: another number makes all of it anew, so it goes up when prompts or checks get better. */
export const codeRecipe = { generator: '1', tier: 'code' } as const satisfies Recipe;

/** What code is made with, beside its specs. */
export interface Recipe {
  /** The version of the generator: another one makes everything anew. */
  readonly generator: string;
  readonly tier: string;
  /** What the skill promises its callers; that of the last generation unless given. */
  readonly contract?: string;
  /** Specs beside those in the folder of the skill. */
  readonly specs?: SpecTexts;
}

/** One file that is made of a spec. */
interface PlannedFile {
  readonly spec: Spec;
  readonly inputs: string;
  /** Up to date, to be made, or not as it was made and therefore left alone. */
  readonly status: 'current' | 'due' | 'drifted';
  /** Hash of the bytes on the disk; absent where there is no file. */
  readonly digest?: string;
}

/** What there is to do. */
export interface GenerationPlan {
  /** Each after all that it depends on; none where the specs have an error. */
  readonly files: readonly PlannedFile[];
  /** Targets that were made of a spec which is gone, and are as they were made. */
  readonly orphans: readonly string[];
  /** Hash of everything that is to be made of what; a failure is remembered for it. */
  readonly inputs: string;
  readonly contract: string;
  readonly before: Manifest | undefined;
  readonly issues: readonly Issue[];
}

/** Whether something is to be made, or to go. */
export function hasWork({ files, orphans }: GenerationPlan): boolean {
  return orphans.length > 0 || files.some(({ status }) => status === 'due');
}

/** Compares the specs of a skill with what was made of them, by content alone; undefined where it has no specs. Never throws. */
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
  const { orphans, issues: kept } = isBroken ? noOrphans : findOrphans(dir, before, specs);
  const inputs = inputsOf(specs, base);
  const looked = specs.map((spec) => ({ spec, state: lookAtTarget(dir, spec.target) }));
  const files = looked.map(({ spec, state }): PlannedFile => {
    const made = inputs.get(spec.target) ?? '';
    const status = statusOf(state, made, entryOf(before, spec.target));
    const isBlocked = typeof state === 'object' && 'fault' in state;
    return {
      spec,
      inputs: made,
      status: force && !isBlocked ? 'due' : status,
      ...(typeof state === 'object' && 'digest' in state ? { digest: state.digest } : {}),
    };
  });
  const blocked = looked.flatMap(({ spec, state }) => blockedIssue(dir, spec, state));
  const made = looked.map(({ spec, state }, index) => [
    files[index]?.inputs ?? '',
    foreignBytes(state, entryOf(before, spec.target)),
  ]);
  return {
    files,
    orphans,
    inputs: sum([...base, ...made, testsOf(dir)]),
    contract,
    before,
    issues: [...read.issues, ...doubts, ...blocked, ...kept],
  };
}

const noOrphans = { orphans: [], issues: [] };

/** The hash of what each file is made of; those that it depends on come before it. */
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

/** The bytes of a file that a person changed or wrote: what is made beside it has to fit it. */
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
  const hint = 'Move it away, or rename the spec.';
  return [{ level: 'error', code: 'generation.blocked', message, file: join(dir, 'src', target), hint }];
}

/** The tests of a skill, which what is made has to pass; a link could lead to everything that there is. */
function testsOf(dir: string): string {
  const folder = join(dir, 'tests');
  try {
    return lstatSync(folder).isDirectory() ? digestFolder(folder) : '';
  } catch {
    return ''; // none, or none that could be run
  }
}

function sum(parts: readonly Json[]): string {
  return `sha256:${hash('sha256', canonicalJson(parts))}`;
}

/** Files that were made of specs which are gone: those that nobody changed may go, the others are told of. */
function findOrphans(
  dir: string,
  before: Manifest | undefined,
  specs: readonly { readonly target: string }[],
): { readonly orphans: readonly string[]; readonly issues: readonly Issue[] } {
  const wanted = new Set(specs.map(({ target }) => target));
  const orphans: string[] = [];
  const issues: Issue[] = [];
  for (const [target, { output, spec }] of Object.entries(before?.files ?? {})) {
    if (wanted.has(target)) continue;
    const state = lookAtTarget(dir, target);
    if (state === 'nothing') continue;
    if ('digest' in state && state.digest === output) orphans.push(target);
    else issues.push(keptOrphan(dir, target, spec));
  }
  return { orphans: orphans.sort(byCodeUnits), issues };
}

function keptOrphan(dir: string, target: string, spec: string): Issue {
  return {
    level: 'info',
    code: 'generation.orphan',
    message: `src/${target} was made of ${spec}, which is gone, and was changed by hand; it is kept.`,
    file: join(dir, 'src', target),
    hint: 'Remove it if nothing uses it.',
  };
}
