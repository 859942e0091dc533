/** A permission rule taken apart: `Tool`, `Tool(spec)`, or `Skill(name)` for a skill that is no tool. */
export interface Rule {
  /** As written; compared without case. */
  readonly tool: string;
  /** What stands between the brackets; absent when the whole tool is meant. */
  readonly spec?: string;
}

/** Reads a rule; undefined for what is none. */
export function parseRule(text: string): Rule | undefined {
  const [, tool, spec] = /^([\w.*-]+)(?:\((.*)\))?$/s.exec(text.trim()) ?? [];
  if (tool === undefined) return undefined;
  const isWhole = spec === undefined || spec.trim() === '*';
  if (spec?.trim() === '') return undefined;
  return isWhole ? { tool } : { tool, spec: spec.trim() };
}
