/** The files of a new orchestrator; it answers questions about the files of a project as it stands. */
export function template(name: string): Readonly<Record<string, string>> {
  return {
    'oskill.md': `# ${name}

## Description

Answers questions about the files of this project. Say here what it achieves and when to use it.

## Instructions

Find the files that matter first, read only those, and name them in the answer.

## Session

loop

## Allowed Skills

- glob
- grep
- read
`,
  };
}
