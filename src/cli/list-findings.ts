import type { Issue } from '../core/issue.ts';

/** Names on the lists of a descriptor that lead to no skill. Only all skills together tell, so they are among the diagnostics and not among its own findings. */
export function listFindings(diagnostics: readonly Issue[], file: string): readonly Issue[] {
  return diagnostics.filter((issue) => issue.code === 'list.unknown-skill' && issue.file === file);
}
