/** The files of a new orchestrator. */
export function template(name: string): Readonly<Record<string, string>> {
  return {
    'oskill.md': `# ${name}

## Description

Says what this orchestrator achieves and when to use it.

## Instructions

Write how the allowed skills work together to reach the goal.

## Session

loop

## Allowed Skills

- read
- grep
`,
  };
}
