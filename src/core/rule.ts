/** A permission rule taken apart: `Tool`, `Tool(spec)`, or `Skill(name)` for a skill that is no tool. */
export interface Rule {
  /** As written, compared without case; `*` in it stands for any characters. */
  readonly tool: string;
  /** What stands between the brackets; absent when the whole tool is meant. */
  readonly spec?: string;
}

/** Reads a rule; undefined for what is none. */
export function parseRule(text: string): Rule | undefined {
  const [, tool, brackets] = /^([\w.*-]+)(?:\((.*)\))?$/s.exec(text.trim()) ?? [];
  if (tool === undefined || !/[\w*]/.test(tool) || /\p{Cc}/u.test(text.trim().replace(/\t/g, ' ')))
    return undefined;
  const spec = brackets?.trim();
  if (spec === '') return undefined;
  return spec === undefined || spec === '*' ? { tool } : { tool, spec };
}

const known = new WeakMap<readonly string[], readonly Rule[]>();

/** The rules of a list, read once for each list; what is no rule means nothing. */
export function parseRules(texts: readonly string[]): readonly Rule[] {
  const before = known.get(texts);
  if (before !== undefined) return before;
  const rules = texts.map(parseRule).filter((rule) => rule !== undefined);
  known.set(texts, rules);
  return rules;
}
