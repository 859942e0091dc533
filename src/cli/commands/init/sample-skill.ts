/** The name of the skill that a new project begins with. */
export const sampleName = 'hello';

/** A small skill of the open standard that takes words, to be looked at, run and replaced. */
export const sampleText = `---
name: ${sampleName}
description: Greets somebody by name and says what this project is about. Use it to try out skills.
---

# Hello

Greet this person in one sentence: $ARGUMENTS

Then say in one more sentence what this folder is about, going by its README if there is one.
`;
