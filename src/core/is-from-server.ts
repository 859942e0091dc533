import type { Source } from './skill.ts';

/** Whether a skill is one of those that a server offers, so that its text would become instructions here; the tools of a server are made in code and are none. Pure. */
export function isFromServer({ source, made }: { readonly source: Source; readonly made: boolean }): boolean {
  return source === 'mcp' && !made;
}
