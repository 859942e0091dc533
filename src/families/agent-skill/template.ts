/** The files of a new skill. */
export function template(name: string): Readonly<Record<string, string>> {
  const written = /^null$/i.test(name) ? `"${name}"` : name; // a plain null would be no name
  return {
    'SKILL.md': `---
name: ${written}
description: Says what this skill does and when to use it.
---

# ${name}

Write the steps that the model should follow. This is what it is asked to do:

$ARGUMENTS
`,
  };
}
