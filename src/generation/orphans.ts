import { join } from 'node:path';
import { byCodeUnits } from '../core/text.ts';
import type { Issue } from '../core/issue.ts';
import { lookAtTarget } from './look-at-target.ts';
import type { Manifest } from './manifest.ts';

/** Files that were made of specs which are gone: those that nobody changed may go, the others are told of. */
export function findOrphans(
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
