import type { Source } from './skill.ts';

const own: ReadonlySet<Source> = new Set<Source>(['explicit', 'user', 'bundled']);

/** Whether a bundle comes from somebody else than whoever runs it: from a project, a package or a server. */
export function isForeign({ source }: { readonly source: Source }): boolean {
  return !own.has(source);
}
