import type { Files } from './sample.ts';

/** A change to the sample tree that breaks exactly one rule. */
export interface Injection {
  readonly rule: string;
  /** A description of the violation. */
  readonly symptom: string;
  readonly files: Files;
}

const note = '/** A note. */\n';
const lines = (count: number): string => '// a line\n'.repeat(count);

/** At least one way to break each rule. */
export const injections: readonly Injection[] = [
  breaks('layers', 'core imports another layer', {
    'core/bad.ts': "import { readSkills } from '../skills/registry.ts';\nreadSkills('.');\n",
  }),
  breaks('layers', 'a type-only import goes upward', {
    'core/bad.ts': "import type { readSkills } from '../skills/registry.ts';\nlet x: typeof readSkills;\n",
  }),
  breaks('layers', 'a re-export goes sideways', {
    'skills/bad.ts': "export { createAgent } from '../agent/agent.ts';\n",
  }),
  breaks('layers', 'an import type goes upward', {
    'skills/bad.ts': "let x: import('../agent/agent.ts').createAgent;\n",
  }),
  breaks('layers', 'a dynamic import goes upward', {
    'run/bad.ts': "await import('../families/index.ts');\n",
  }),
  breaks('layers', 'a family imports another family', {
    'families/function/bad.ts': "import { parse } from '../table/parse.ts';\nparse();\n",
  }),
  breaks('layers', 'a family imports the list of families', {
    'families/function/bad.ts': "import { families } from '../index.ts';\nvoid families;\n",
  }),
  breaks('layers', 'a built-in imports another built-in', {
    'builtins/read.ts': "import { write } from './write.ts';\nwrite();\n",
    'builtins/write.ts': `${note}export const write = (): void => undefined;\n`,
  }),
  breaks('layers', 'the agent imports a concrete family', {
    'agent/bad.ts': "import { families } from '../families/index.ts';\nvoid families;\n",
  }),
  breaks('layers', 'the command line reaches past the agent', {
    'cli/bad.ts': "import { readSkills } from '../skills/registry.ts';\nreadSkills('.');\n",
  }),
  breaks('layers', 'an inner file imports the public entry', {
    'config/bad.ts': "import { families } from '../index.ts';\nvoid families;\n",
  }),
  breaks('layers', 'a file imports from outside src', { 'core/bad.ts': "import '../../test/count.ts';\n" }),
  breaks('layers', 'a folder is not in the table', { 'helpers/bad.ts': 'const x = 1;\nvoid x;\n' }),
  breaks('layers', 'a second file lies at the root', { 'version.ts': 'const x = 1;\nvoid x;\n' }),

  breaks('cycles', 'two files import each other', {
    'core/a.ts': `import { b } from './b.ts';\n${note}export const a = () => b;\n`,
    'core/b.ts': `import { a } from './a.ts';\n${note}export const b = () => a;\n`,
  }),
  breaks('cycles', 'three files close a ring of types', {
    'core/a.ts': `import type { B } from './b.ts';\n${note}export type A = B | 1;\n`,
    'core/b.ts': `import type { C } from './c.ts';\n${note}export type B = C | 2;\n`,
    'core/c.ts': `${note}export type C = import('./a.ts').A | 3;\n`,
  }),
  breaks('cycles', 'a file imports itself', { 'core/a.ts': "import './a.ts';\n" }),

  breaks('family-words', 'the id of a family', { 'skills/bad.ts': "if (String(1) === 'table') void 0;\n" }),
  breaks('family-words', 'the id of a family as a type', { 'skills/bad.ts': "let x: 'table' | 'list';\n" }),
  breaks('family-words', 'the id of a family that is also a word of the language', {
    'skills/bad.ts': "const family: string = 'function';\n",
  }),
  breaks('family-words', 'an alias that means nothing else', { 'cli/bad.ts': "const x = 'table-skill';\n" }),
  breaks('family-words', 'a descriptor', { 'skills/bad.ts': "const x = 'tskill.md';\n" }),
  breaks('family-words', 'a descriptor inside a longer text', {
    'cli/bad.ts': "const x = 'write a tskill.md first';\n",
  }),
  breaks('family-words', 'a descriptor inside a template', {
    'skills/bad.ts': 'const x = `${1}/TSkill.md`;\n',
  }),
  breaks('family-words', 'a descriptor inside a pattern', { 'skills/bad.ts': 'const x = /tskill\\.md$/;\n' }),
  breaks('family-words', 'a family without a literal id', {
    'families/other/index.ts': "const id = ['x'].join('');\nvoid { id };\n",
  }),

  breaks('node-modules', 'core touches the disk', { 'core/bad.ts': "import 'node:fs';\n" }),
  breaks('node-modules', 'core evaluates code', { 'core/bad.ts': "import 'node:vm';\n" }),
  breaks('node-modules', 'a view starts a process', { 'views/bad.ts': "import 'child_process';\n" }),
  breaks('packages', 'core uses a package', { 'core/bad.ts': "import 'ignore';\n" }),
  breaks('packages', 'core loads a slow package at once', {
    'core/bad.ts': "import { z } from 'zod';\nz;\n",
  }),

  breaks('environment', 'process.env', { 'skills/bad.ts': "process.env['HOME'];\n" }),
  breaks('environment', 'process["env"]', { 'skills/bad.ts': "process['env'];\n" }),
  breaks('environment', 'env taken out of process', { 'cli/bad.ts': 'const { env } = process;\n' }),
  breaks('environment', 'env imported', {
    'skills/bad.ts': "import { env as e } from 'node:process';\ne;\n",
  }),

  breaks('console', 'console.log', { 'skills/bad.ts': "console.log('x');\n" }),
  breaks('console', 'console passed on', { 'skills/bad.ts': 'const log = { to: console };\n' }),

  breaks('default-exports', 'a value', { 'cli/bad.ts': `${note}export default 1;\n` }),
  breaks('default-exports', 'a function', { 'cli/bad.ts': `${note}export default function f() {}\n` }),
  breaks('default-exports', 'a renamed export', { 'cli/bad.ts': 'const x = 1;\nexport { x as default };\n' }),
  breaks('default-exports', 'in a test', { 'cli/bad.test.ts': 'export default 1;\n' }),
  breaks('public-exports', 'everything at once', { 'index.ts': "export * from './core/skill.ts';\n" }),

  breaks('any', 'a parameter', { 'core/bad.ts': 'const f = (x: any) => x;\n' }),
  breaks('any', 'in a test', { 'core/bad.test.ts': 'const x = 1 as any;\n' }),
  breaks('any', 'in a fixture', { 'core/fixtures/bad.ts': 'let x: any[];\n' }),

  breaks('file-names', 'a file in camelCase', { 'core/badName.ts': 'void 0;\n' }),
  breaks('file-names', 'a folder with an underscore', { 'core/bad_name/x.ts': 'void 0;\n' }),
  breaks('file-size', 'a file of 301 lines', { 'core/bad.ts': lines(301) }),
  breaks('folder-size', 'a folder of 26 files', {
    ...Object.fromEntries(
      Array.from({ length: 26 }, (_, index) => [`core/many/bad-${index}.ts`, 'void 0;\n']),
    ),
  }),
  breaks('dust', 'a small file with one importer', {
    'skills/importer.ts': `import type { Entry } from './bad.ts';\nlet x: Entry | undefined;\nvoid x;\n`,
    'skills/bad.ts': `${note}export interface Entry {\n  readonly path: string;\n}\n`,
  }),
  breaks('type-names', 'two exported types of one name', {
    'skills/bad.ts': `${note}export interface Skill {\n  readonly folder: string;\n}\n`,
  }),
  breaks('lazy-imports', 'a small file that is loaded on first use', {
    'agent/bad.ts': "await import('../skills/registry.ts');\n",
  }),

  breaks('comments', 'an export without a comment', { 'core/bad.ts': 'export const x = 1;\n' }),
  breaks('comments', 'a comment that stands apart', {
    'core/bad.ts': '// About the file.\n\nexport type X = 1;\n',
  }),
  breaks('comments', 'only an instruction to a tool', {
    'core/bad.ts': '// eslint-disable-next-line\nexport interface X {}\n',
  }),

  breaks('clocks', 'a test measures how long something takes', {
    'core/bad.test.ts': 'const start = performance.now();\nvoid start;\n',
  }),
  breaks('clocks', 'a long loop measures the processor', {
    'core/bad.stress.ts': 'void process.cpuUsage().user;\n',
  }),
  breaks('clocks', 'a test keeps the time of the day', {
    'core/bad.test.ts': 'const start = Date.now();\nvoid start;\n',
  }),
  breaks('clocks', 'a test compares the time of the day', {
    'core/bad.test.ts': 'while (Date.now() < 1);\n',
  }),
  breaks('clocks', 'a contract suite takes one moment from another', {
    'testing/bad.ts': 'const late = (start: number) => Date.now() - start > 1;\nvoid late;\n',
  }),
];

function breaks(rule: string, symptom: string, files: Files): Injection {
  return { rule, symptom, files };
}
