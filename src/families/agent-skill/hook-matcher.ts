import { matchesWildcard } from '../../core/names.ts';

/**
 * The names that a matcher means, in lower case, with `*` for anything. Of regular expressions it may hold anchors,
 * one group, alternatives, `.*` and `.+`; undefined for one that holds more, which could take for ever to match.
 */
export function readMatcher(written: string): readonly string[] | undefined {
  const inner = withoutFrame(written.trim());
  const names = inner.split('|').map((part) => withoutFrame(part.trim()).replace(/\.[*+]/g, '*'));
  if (inner === '') return ['*'];
  return names.every((name) => /^[\w*:./-]+$/.test(name))
    ? names.map((name) => name.toLowerCase())
    : undefined;
}

/** Whether a matcher means a tool. */
export function meansTool(names: readonly string[], tool: string): boolean {
  return names.some((name) => matchesWildcard(name, tool.toLowerCase()));
}

/** Without anchors and the group around all of it. */
function withoutFrame(text: string): string {
  const bare = text.replace(/^\^/, '').replace(/\$$/, '');
  return /^\((?:\?:)?([^()]*)\)$/.exec(bare)?.[1] ?? bare;
}
