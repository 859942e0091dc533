import type { Grant } from '../core/sandbox.ts';
import { isWithin } from '../files/paths.ts';
import { realPath } from '../files/real-path.ts';

/**
 * Which folders of skills a sandbox shows from their copies. One that holds the granted workspace is not: a copy would
 * cover that too.
 */
export function copiesShown(
  folders: Iterable<readonly [folder: string, copy: string | undefined]>,
  workspace: string | undefined,
): Pick<Grant, 'from'> {
  const shown = [...folders].filter(
    ([folder, copy]) =>
      copy !== undefined && !(workspace !== undefined && isWithin(realPath(workspace), realPath(folder))),
  );
  return shown.length === 0 ? {} : { from: Object.fromEntries(shown) as Record<string, string> };
}
