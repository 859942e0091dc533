import { block } from './generator-stage.ts';

/** The specs of a skill that adds numbers. Its entry file uses two library files. */
export const specs = {
  'specs/index.mjs.md':
    '# Index\n\nAdds.\n\n## Dependencies\n\n- lib/add.mjs - add : the sum\n- lib/text.mjs\n',
  'specs/lib/add.mjs.md': '# Add\n\nThe sum.\n',
  'specs/lib/text.mjs.md': '# Text\n\nA text.\n',
};

/** Working code for the entry file. */
export const entry = [
  "import { add } from './lib/add.mjs';",
  "import { text } from './lib/text.mjs';",
  'export const action = (input) => text(add(input.a, input.b));',
].join('\n');

/** The replies of a model that writes correct code for every file. */
export const turns = {
  'src/index.mjs': block('src/index.mjs', entry),
  'src/lib/add.mjs': block('src/lib/add.mjs', 'export const add = (a, b) => a + b;'),
  'src/lib/text.mjs': block('src/lib/text.mjs', 'export const text = (value) => String(value);'),
};

/** The generated files, in the order in which they are generated. */
export const generatedFiles = ['src/lib/add.mjs', 'src/lib/text.mjs', 'src/index.mjs'];
