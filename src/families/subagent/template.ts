/** The file of a new subagent, relative to an agents folder. */
export function template(name: string): Readonly<Record<string, string>> {
  return {
    [`${name}.md`]: `---
name: ${name}
description: Says what this subagent is good at and when to hand it a task.
tools: read, grep, glob
---

You are a specialist. Write here how you work and what you answer with.
`,
  };
}
